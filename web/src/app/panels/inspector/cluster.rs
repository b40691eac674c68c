//! Brokers, partitions and replicas in the inspector, with the settings in force and the files of a log.

use engine::config_view::ConfigsOf;
use engine::snapshot::{BrokerSnapshot, PartitionSnapshot, ReplicaSnapshot, TopicSnapshot};
use yew::{AttrValue, Html, html};

use super::{facts, items, list, partition_named, process_state, text};
use crate::app::panels::configs::in_force;
use crate::app::panels::shelf::Shelf;
use crate::app::part::part;
use crate::app::session::Session;

/// A broker: its process, its place in the cluster, its settings.
pub(super) fn broker(session: &Session, side: usize, name: &str) -> Option<Html> {
    let snapshot = session.snapshot(side);
    let id: u32 = name.parse().ok()?;
    let broker: &BrokerSnapshot = snapshot.brokers.iter().find(|known| known.id == id)?;
    let is = |truth: bool, yes: &'static str, no: &'static str| text(if truth { yes } else { no });
    let replicas = snapshot.topics.iter().flat_map(|topic| &topic.partitions).flat_map(|partition| &partition.logs);
    let (count, bytes) = replicas
        .filter(|log| log.broker == id)
        .fold((0_u32, 0_u64), |(count, bytes), log| (count + 1, bytes + log.size_bytes));
    Some(facts(
        text(format!("Broker {id}")),
        vec![
            ("process", text(process_state(broker.state))),
            ("broker epoch", text(broker.broker_epoch)),
            ("fenced", is(broker.is_fenced, "yes: it leads nothing and is in no in-sync set", "no")),
            ("controller", is(broker.is_controller, "yes, it is the active one", "no")),
            ("rack", text(broker.rack.as_deref().unwrap_or("none"))),
            ("leads", text(format!("{} partitions", broker.leader_count))),
            ("holds", text(format!("{count} replicas, {bytes} B"))),
            ("produce requests in work", text(broker.queue_size)),
            ("time for one of them", text(broker.produce_time)),
            ("its followers", is(broker.fetches_held, "fetch only when they are told to", "fetch by themselves")),
            ("configs in force", items(&in_force(session, side, &ConfigsOf::Broker(id)), "all defaults")),
        ],
    ))
}

/// A partition: leader, sets, offsets, the log of each replica, settings, files.
pub(super) fn partition(session: &Session, side: usize, name: &str) -> Option<Html> {
    let snapshot = session.snapshot(side);
    let (topic, found) = partition_named(&snapshot.topics, name)?;
    let mut rows = leadership(found);
    rows.extend([
        ("log start offset", text(found.log_start_offset)),
        ("high watermark", text(found.high_watermark)),
        ("last stable offset", text(found.last_stable_offset)),
        ("log end offset", text(found.log_end_offset)),
        ("records", text(found.record_count)),
        ("size", text(format!("{} B", found.size_bytes))),
        (
            "configs in force",
            items(&in_force(session, side, &ConfigsOf::Topic(topic.name.to_string())), "all defaults"),
        ),
    ]);
    Some(html! {
        <>
            { facts(text(format!("Partition {name}")), rows) }
            { super::transactions::of_partition(found) }
            { replicas(found) }
            { files(session, side, name) }
        </>
    })
}

/// One replica's own log, and the partition that it belongs to.
pub(super) fn replica(session: &Session, side: usize, name: &str) -> Option<Html> {
    let snapshot = session.snapshot(side);
    let (partition, broker) = name.rsplit_once('@')?;
    let broker: u32 = broker.parse().ok()?;
    let (topic, found): (&TopicSnapshot, &PartitionSnapshot) = partition_named(&snapshot.topics, partition)?;
    let log = found.logs.iter().find(|log| log.broker == broker)?;
    let epochs: Vec<String> = log.epochs.iter().map(|(epoch, start)| format!("{epoch} from offset {start}")).collect();
    let role = match (log.is_leader, log.is_in_sync) {
        (true, _) => "leader",
        (false, true) => "follower, in sync",
        (false, false) => "follower, out of sync",
    };
    let mut rows = vec![
        ("role", text(role)),
        ("log start offset", text(log.log_start_offset)),
        ("first offset on its disk", text(log.local_log_start_offset)),
        ("high watermark", text(format!("{}, checkpointed {}", log.high_watermark, log.checkpointed_high_watermark))),
        ("log end offset", text(log.log_end_offset)),
        ("segments", text(format!("{}, the active one from offset {}", log.segment_count, log.active_base_offset))),
        ("size", text(format!("{} B", log.size_bytes))),
        ("clean until", text(log.clean_until)),
        ("leader epochs", items(&epochs, "none yet")),
    ];
    rows.extend(leadership(found));
    rows.push((
        "configs in force",
        items(&in_force(session, side, &ConfigsOf::Topic(topic.name.to_string())), "all defaults"),
    ));
    Some(html! {
        <>
            { facts(text(format!("Replica of {partition} on broker {broker}")), rows) }
            { files(session, side, name) }
        </>
    })
}

/// Who leads, who is in sync, who may lead, and what moves.
fn leadership(found: &PartitionSnapshot) -> Vec<(&'static str, Html)> {
    let leader = found.leader.map_or_else(|| "none".to_owned(), |leader| format!("broker {leader}"));
    let recovering = if found.is_recovering { ", recovering from an unclean election" } else { "" };
    let mut rows = vec![
        ("leader", text(format!("{leader}{recovering}"))),
        ("leader epoch", text(found.leader_epoch)),
        ("partition epoch", text(found.partition_epoch)),
        ("replicas", text(list(&found.replicas))),
        ("in-sync replicas", text(format!("{}; at least {} for acks=all", list(&found.isr), found.min_isr))),
        ("eligible leader replicas", text(list(&found.elr))),
    ];
    let rare = [
        ("last known leader", &found.last_known_elr),
        ("adding replicas", &found.adding),
        ("removing replicas", &found.removing),
    ];
    rows.extend(rare.into_iter().filter(|(_, ids)| !ids.is_empty()).map(|(name, ids)| (name, text(list(ids)))));
    rows
}

/// A row for each replica.
fn replicas(found: &PartitionSnapshot) -> Html {
    let role = |log: &ReplicaSnapshot| match (log.is_leader, log.is_in_sync) {
        (true, _) => "leader",
        (false, true) => "in sync",
        (false, false) => "out of sync",
    };
    let row = |log: &ReplicaSnapshot| {
        html! {
            <tr key={log.broker}>
                <td class="number">{ log.broker }</td><td>{ role(log) }</td><td class="number">{ log.high_watermark }</td>
                <td class="number">{ log.log_end_offset }</td><td class="number">{ log.segment_count }</td><td class="number">{ log.size_bytes }</td>
            </tr>
        }
    };
    html! {
        <div class="table-frame" tabindex="0" role="region" aria-label="The log of each replica">
            <table class="table">
                <thead><tr>{ for ["Broker", "", "HW", "LEO", "Segments", "Bytes"].map(|name| html! { <th key={name} scope="col">{ name }</th> }) }</tr></thead>
                <tbody>{ for found.logs.iter().map(row) }</tbody>
            </table>
        </div>
    }
}

/// The folder of a replica, opened on demand.
fn files(session: &Session, side: usize, name: &str) -> Html {
    html! { <div class="inspector-files"><h4>{ "Its files" }</h4>{ part!(Shelf { session: session.clone(), side, replica: Some(AttrValue::from(name.to_owned())) }) }</div> }
}
