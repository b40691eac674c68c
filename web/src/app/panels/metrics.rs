//! Gauges of brokers, controller and readers under the names that Kafka's own meters have.
//!
//! Read from the snapshot at each moment. Meters that are rates in Kafka are counts since the start of the run here.

use std::rc::Rc;

use engine::Snapshot;
use engine::snapshot::{BrokerState, PartitionSnapshot};
use scene::Tally;
use yew::{Html, Properties, component, html};

use super::producer_metrics::ProducerMetrics;
use crate::app::part::part;
use crate::app::session::{Rate, Session, use_session};

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct MetricsProps {
    /// The session.
    pub session: Session,
    /// The side of a comparison.
    #[prop_or_default]
    pub side: usize,
}

/// A gauge that every broker has.
struct Gauge {
    name: &'static str,
    bean: &'static str,
    /// Whether a replica counts at its broker.
    counts: fn(&PartitionSnapshot, u32) -> bool,
}

const GAUGES: [Gauge; 6] = [
    Gauge {
        name: "LeaderCount",
        bean: "kafka.server:type=ReplicaManager,name=LeaderCount",
        counts: |partition, broker| partition.leader == Some(broker),
    },
    Gauge {
        name: "PartitionCount",
        bean: "kafka.server:type=ReplicaManager,name=PartitionCount",
        counts: |partition, broker| partition.replicas.contains(&broker),
    },
    Gauge {
        name: "UnderReplicatedPartitions",
        bean: "kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions",
        counts: |partition, broker| partition.leader == Some(broker) && is_under_replicated(partition),
    },
    Gauge {
        name: "UnderMinIsrPartitionCount",
        bean: "kafka.server:type=ReplicaManager,name=UnderMinIsrPartitionCount",
        counts: |partition, broker| {
            partition.leader == Some(broker) && partition.isr.len() < partition.min_isr as usize
        },
    },
    Gauge {
        name: "AtMinIsrPartitionCount",
        bean: "kafka.server:type=ReplicaManager,name=AtMinIsrPartitionCount",
        counts: |partition, broker| {
            partition.leader == Some(broker) && partition.isr.len() == partition.min_isr as usize
        },
    },
    Gauge {
        name: "ReassigningPartitions",
        bean: "kafka.server:type=ReplicaManager,name=ReassigningPartitions",
        counts: |partition, broker| {
            partition.leader == Some(broker) && !(partition.adding.is_empty() && partition.removing.is_empty())
        },
    },
];

/// As `Partition.isUnderReplicated`: replicas that a move adds do not count.
fn is_under_replicated(partition: &PartitionSnapshot) -> bool {
    partition.isr.len() + partition.adding.len() < partition.replicas.len()
}

/// The tables.
#[component]
pub fn Metrics(props: &MetricsProps) -> Html {
    let MetricsProps { session, side } = props;
    use_session(session, Rate::Table);
    let snapshot = session.snapshot(*side);
    let tally = session.read(|player| player.timeline(*side).observer().tally());
    html! {
        <section class="panel metrics" aria-label="Metrics">
            { part!(ProducerMetrics { session: session.clone(), side: *side }) }
            <div class="table-frame" tabindex="0" role="region" aria-label="Gauges of the brokers">{ brokers(&snapshot) }</div>
            <div class="table-frame" tabindex="0" role="region" aria-label="Gauges of the cluster">{ cluster(&snapshot, tally) }</div>
        </section>
    }
}

/// One column for each broker; a process that does not run reports nothing.
fn brokers(snapshot: &Rc<Snapshot>) -> Html {
    let row = |gauge: &Gauge| {
        html! {
            <tr key={gauge.name}>
                <th scope="row" class="mono" title={gauge.bean}>{ gauge.name }</th>
                { for snapshot.brokers.iter().map(|broker| {
                    let value = reported(snapshot, broker.id, gauge).map_or_else(|| "–".to_owned(), |value| value.to_string());
                    html! { <td key={broker.id} class="number">{ value }</td> }
                }) }
            </tr>
        }
    };
    html! {
        <table class="table">
            <thead><tr><th scope="col">{ "Broker" }</th>{ for snapshot.brokers.iter().map(|broker| html! { <th key={broker.id} scope="col" class="number">{ broker.id }</th> }) }</tr></thead>
            <tbody>{ for GAUGES.iter().map(row) }</tbody>
        </table>
    }
}

/// What a broker reports for a gauge, if its process runs.
fn reported(snapshot: &Snapshot, broker: u32, gauge: &Gauge) -> Option<usize> {
    let state = snapshot.brokers.iter().find(|known| known.id == broker)?.state;
    let partitions = snapshot.topics.iter().flat_map(|topic| &topic.partitions);
    let is_up = matches!(state, BrokerState::Running | BrokerState::ShuttingDown);
    is_up.then(|| partitions.filter(|partition| (gauge.counts)(partition, broker)).count())
}

/// Name, MBean and value of each gauge of the controller, of the run and of the readers.
fn rows(snapshot: &Snapshot, tally: Tally) -> Vec<(String, String, u64)> {
    let partitions: Vec<&PartitionSnapshot> = snapshot.topics.iter().flat_map(|topic| &topic.partitions).collect();
    let brokers = |fenced: bool| snapshot.brokers.iter().filter(|broker| broker.is_fenced == fenced).count() as u64;
    let count = |holds: &dyn Fn(&PartitionSnapshot) -> bool| {
        partitions.iter().filter(|partition| holds(partition)).count() as u64
    };
    let off_preferred = |partition: &PartitionSnapshot| partition.leader != partition.replicas.first().copied();
    let controller = [
        ("ActiveControllerCount", u64::from(snapshot.controller.is_some())),
        ("ActiveBrokerCount", brokers(false)),
        ("FencedBrokerCount", brokers(true)),
        ("GlobalTopicCount", snapshot.topics.len() as u64),
        ("GlobalPartitionCount", partitions.len() as u64),
        ("OfflinePartitionsCount", count(&|partition| partition.leader.is_none())),
        ("PreferredReplicaImbalanceCount", count(&off_preferred)),
    ];
    let run =
        [("IsrShrinks", "IsrShrinksPerSec", tally.isr_shrinks), ("IsrExpands", "IsrExpandsPerSec", tally.isr_expands)];
    let of_controller = controller
        .into_iter()
        .map(|(name, value)| (name.to_owned(), format!("kafka.controller:type=KafkaController,name={name}"), value));
    let of_run = run.into_iter().map(|(name, bean, value)| {
        let bean = format!("kafka.server:type=ReplicaManager,name={bean}; here all changes since the start of the run");
        (format!("{name} in this run"), bean, value)
    });
    let of_readers = snapshot.consumers.iter().map(|reader| {
        let bean = format!(
            "kafka.consumer:type=consumer-fetch-manager-metrics,client-id={},name=records-lag-max",
            reader.name
        );
        (format!("records-lag-max of {}", reader.name), bean, lag_max(snapshot, reader))
    });
    of_controller.chain(of_run).chain(of_readers).collect()
}

fn lag_max(snapshot: &Snapshot, reader: &engine::snapshot::ConsumerSnapshot) -> u64 {
    let lag = |at: &engine::snapshot::PositionSnapshot| {
        let topic = snapshot.topics.iter().find(|topic| topic.name == at.topic)?;
        Some(topic.partitions.get(at.partition as usize)?.high_watermark.saturating_sub(at.position))
    };
    reader.positions.iter().filter_map(lag).max().unwrap_or(0)
}

fn cluster(snapshot: &Snapshot, tally: Tally) -> Html {
    let row = |(name, bean, value): (String, String, u64)| {
        html! { <tr key={name.clone()}><th scope="row" class="mono" title={bean}>{ name }</th><td class="number">{ value }</td></tr> }
    };
    html! { <table class="table"><tbody>{ for rows(snapshot, tally).into_iter().map(row) }</tbody></table> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::snapshot::{BrokerSnapshot, TopicSnapshot};

    fn snapshot() -> Snapshot {
        let partition = |leader: Option<u32>, replicas: &[u32], isr: &[u32], adding: &[u32]| PartitionSnapshot {
            leader,
            replicas: replicas.to_vec(),
            isr: isr.to_vec(),
            adding: adding.to_vec(),
            min_isr: 2,
            ..PartitionSnapshot::default()
        };
        let broker = |id, state| BrokerSnapshot {
            id,
            state,
            is_fenced: state == BrokerState::Stopped,
            ..BrokerSnapshot::default()
        };
        let partitions = vec![
            partition(Some(1), &[1, 2], &[1, 2], &[]),
            partition(Some(1), &[2, 1], &[1], &[]),
            partition(Some(1), &[1, 2, 3], &[1, 2], &[3]),
            partition(None, &[2], &[], &[]),
        ];
        Snapshot {
            brokers: vec![broker(1, BrokerState::Running), broker(2, BrokerState::Stopped)],
            topics: vec![TopicSnapshot { name: "t".into(), partitions, ..TopicSnapshot::default() }],
            controller: Some(1),
            ..Snapshot::default()
        }
    }

    fn check(name: &str, broker: u32, expected: Option<usize>) {
        let gauge = GAUGES.iter().find(|gauge| gauge.name == name).expect("there is such a gauge");
        assert_eq!(reported(&snapshot(), broker, gauge), expected, "{name} of {broker}");
    }

    #[test]
    fn a_running_broker_reports_what_it_leads() {
        check("LeaderCount", 1, Some(3));
        check("PartitionCount", 1, Some(3));
        check("UnderReplicatedPartitions", 1, Some(1));
        check("UnderMinIsrPartitionCount", 1, Some(1));
        check("AtMinIsrPartitionCount", 1, Some(2));
        check("ReassigningPartitions", 1, Some(1));
        check("LeaderCount", 2, None);
    }

    #[test]
    fn the_controller_counts_for_the_whole_cluster() {
        let rows = rows(&snapshot(), Tally { isr_shrinks: 4, isr_expands: 3 });
        let value = |name: &str| rows.iter().find(|row| row.0 == name).map(|row| row.2);
        assert_eq!(value("OfflinePartitionsCount"), Some(1));
        assert_eq!(value("FencedBrokerCount"), Some(1));
        assert_eq!(value("PreferredReplicaImbalanceCount"), Some(2));
        assert_eq!(value("IsrShrinks in this run"), Some(4));
    }
}
