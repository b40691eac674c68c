//! Transactional ids with their partitions of `__transaction_state`, and which instances use each of them.
//!
//! Says who still works, not who should: an id is only a name.

use engine::Snapshot;
use engine::snapshot::{ClientProcess, ProducerSnapshot, ProducerState, TransactionSnapshot};
use engine::transaction::ClientState;
use yew::{Html, Properties, component, html};

use crate::app::session::{Rate, Session, use_session};

/// Instances of one id that are listed; the rest is counted.
const INSTANCES_MAX: usize = 12;

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ShardsProps {
    /// The session.
    pub session: Session,
}

/// The columns of the table, and how each stands.
const COLUMNS: [(&str, Option<&str>); 5] = [
    ("transactional.id", None),
    ("Partition", Some("number")),
    ("Epoch", Some("number")),
    ("State", None),
    ("Instances", None),
];

/// The table of ids, then producers without one.
#[component]
pub fn Shards(props: &ShardsProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let snapshot = session.snapshot(0);
    let without: Vec<&ProducerSnapshot> =
        snapshot.producers.iter().filter(|producer| producer.transactional_id.is_none()).collect();
    html! {
        <section class="panel shards" aria-label="Transactional ids">
            <h2>{ format!("Transactional ids: {}", snapshot.transactions.len()) }</h2>
            if snapshot.transactions.is_empty() && without.is_empty() { <p class="empty">{ "Nobody has asked for a producer id yet." }</p> }
            if !snapshot.transactions.is_empty() {
                <div class="table-frame" tabindex="0" role="region" aria-label="Transactional ids and their instances">
                    <table class="table">
                        <thead><tr>{ for COLUMNS.map(|(name, class)| html! { <th key={name} scope="col" {class}>{ name }</th> }) }</tr></thead>
                        <tbody>{ for snapshot.transactions.iter().map(|transaction| row(&snapshot, transaction)) }</tbody>
                    </table>
                </div>
            }
            if !without.is_empty() { <h3>{ "Without a transactional id" }</h3>{ instances(&without, None) } }
        </section>
    }
}

fn row(snapshot: &Snapshot, transaction: &TransactionSnapshot) -> Html {
    let id = &transaction.transactional_id;
    let users: Vec<&ProducerSnapshot> =
        snapshot.producers.iter().filter(|producer| producer.transactional_id.as_ref() == Some(id)).collect();
    html! {
        <tr key={id.to_string()}>
            <th scope="row" class="mono">{ id.to_string() }</th>
            <td class="number">{ transaction.partition }</td>
            <td class="number">{ transaction.epoch.map_or_else(|| "–".to_owned(), |epoch| epoch.to_string()) }</td>
            <td>{ transaction.state.name() }</td>
            <td>{ instances(&users, transaction.epoch) }</td>
        </tr>
    }
}

fn instances(users: &[&ProducerSnapshot], epoch: Option<u16>) -> Html {
    let one = |user: &&ProducerSnapshot| {
        let identity = match (user.producer_id, user.producer_epoch) {
            (Some(id), Some(own)) => format!("{id}, epoch {own}"),
            _ => "no id yet".to_owned(),
        };
        let words = condition(user, epoch);
        html! { <li key={user.name.to_string()}><strong>{ user.name.to_string() }</strong>{ format!(" ({identity}): {words}") }</li> }
    };
    let rest = users.len().saturating_sub(INSTANCES_MAX);
    html! {
        <ul class="plain">
            { for users.iter().take(INSTANCES_MAX).map(one) }
            if rest > 0 { <li>{ format!("and {rest} more") }</li> }
        </ul>
    }
}

/// How an instance is; one with an older epoch than its id has is fenced, whether it knows or not.
pub fn condition(user: &ProducerSnapshot, epoch: Option<u16>) -> &'static str {
    let is_older = epoch.zip(user.producer_epoch).is_some_and(|(current, own)| own < current);
    match (user.process, user.state, user.client_state) {
        (ClientProcess::Crashed, ..) => "crashed",
        (_, ProducerState::Closed, _) => "closed",
        (_, _, Some(ClientState::FatalError)) => "fenced, and knows it",
        (ClientProcess::Frozen, ..) if is_older => "fenced, stands still",
        (ClientProcess::Frozen, ..) => "stands still",
        _ if is_older => "fenced, does not know it yet",
        _ => "works",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(process: ClientProcess, own: Option<u16>, epoch: Option<u16>, expected: &str) {
        let user = ProducerSnapshot { process, producer_epoch: own, ..ProducerSnapshot::default() };
        assert_eq!(condition(&user, epoch), expected);
    }

    #[test]
    fn an_older_epoch_is_fenced_before_its_owner_knows() {
        check(ClientProcess::Running, Some(2), Some(2), "works");
        check(ClientProcess::Running, Some(0), Some(2), "fenced, does not know it yet");
        check(ClientProcess::Frozen, Some(0), Some(2), "fenced, stands still");
        check(ClientProcess::Crashed, Some(2), Some(2), "crashed");
        check(ClientProcess::Running, None, None, "works");
    }
}
