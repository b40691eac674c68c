//! Groups with their members: state, epochs, who owns what, and how far behind each is.
//!
//! A row says what the coordinator knows, and beside it what the member itself owns. How long partitions stood still
//! is counted by the engine.

use engine::Snapshot;
use engine::event::{Name, TopicPartition};
use engine::group::GroupType;
use engine::snapshot::{ClientProcess, ConsumerSnapshot, GroupMemberSnapshot, GroupSnapshot};
use std::rc::Rc;
use yew::{AttrValue, Html, Properties, component, html};

use crate::app::session::{Rate, Session, use_session};

/// Members of a group that are listed; the rest is counted.
const MEMBERS_MAX: usize = 40;
/// Partitions of a member that are named; more are counted.
const NAMED_MAX: usize = 8;

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct GroupsProps {
    /// The session.
    pub session: Session,
    /// What the sides are called.
    #[prop_or_default]
    pub titles: Rc<[AttrValue]>,
}

/// The groups of every side.
#[component]
pub fn Groups(props: &GroupsProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let sides = session.read(scene::Player::sides);
    let side = |side: usize| {
        let snapshot = session.snapshot(side);
        let title = props.titles.get(side).filter(|_| sides > 1).cloned();
        html! {
            <div class="groups-side" key={side}>
                if let Some(title) = title { <h3>{ title }</h3> }
                if snapshot.groups.is_empty() { <p class="empty">{ "No group yet." }</p> }
                { for snapshot.groups.iter().map(|known| group(&snapshot, known)) }
            </div>
        }
    };
    html! {
        <section class="panel groups" aria-label="Groups">
            <h2>{ "Groups" }</h2>
            <div class="groups-sides">{ for (0..sides).map(side) }</div>
        </section>
    }
}

fn group(snapshot: &Snapshot, group: &GroupSnapshot) -> Html {
    let is_classic = group.group_type == GroupType::Classic;
    let column = if is_classic { "Generation" } else { "Epoch" };
    html! {
        <div class="group" key={group.group.to_string()}>
            <p class="group-line">{ line(group) }</p>
            if !group.members.is_empty() {
                <div class="table-frame" tabindex="0" role="region" aria-label={format!("Members of {}", group.group)}>
                    <table class="table">
                        <thead><tr>
                            <th scope="col">{ "Member" }</th>
                            <th scope="col" class="number">{ column }</th>
                            <th scope="col">{ "State" }</th>
                            <th scope="col">{ "Owns" }</th>
                            <th scope="col" class="number">{ "Lag" }</th>
                        </tr></thead>
                        <tbody>{ for group.members.iter().take(MEMBERS_MAX).map(|one| member(snapshot, group, one)) }</tbody>
                    </table>
                </div>
            }
            if group.members.len() > MEMBERS_MAX { <p class="hint">{ format!("and {} more", group.members.len() - MEMBERS_MAX) }</p> }
        </div>
    }
}

/// "analytics: Stable, classic, range, generation 3, coordinated by broker 1".
fn line(group: &GroupSnapshot) -> String {
    let mut words = vec![group.state.name().to_owned(), group.group_type.name().to_lowercase()];
    if !group.assignor.is_empty() {
        words.push(group.assignor.to_string());
    }
    match group.group_type {
        GroupType::Classic if group.epoch > 0 => words.push(format!("generation {}", group.epoch)),
        GroupType::Classic => {}
        _ if group.assignment_epoch == group.epoch => words.push(format!("epoch {}", group.epoch)),
        _ => words.push(format!("epoch {}, its target still {}", group.epoch, group.assignment_epoch)),
    }
    match group.coordinator {
        Some(broker) => words.push(format!("coordinated by broker {broker}")),
        None => words.push("without a coordinator".to_owned()),
    }
    format!("{}: {}", group.group, words.join(", "))
}

fn member(snapshot: &Snapshot, group: &GroupSnapshot, member: &GroupMemberSnapshot) -> Html {
    let consumer = snapshot.consumers.iter().rfind(|consumer| is_same(consumer, &group.group, member));
    let owned = consumer.and_then(|consumer| consumer.membership.as_ref()).map_or(&member.assigned, |own| &own.owned);
    html! {
        <tr key={member.member.to_string()}>
            <th scope="row"><span title={member.member.to_string()}>{ member.client.to_string() }</span></th>
            <td class="number">{ member.epoch }</td>
            <td>{ condition(group, member, consumer) }</td>
            <td class="mono">{ partitions(owned) }</td>
            <td class="number">{ snapshot.lag(&group.group, &|it| owned.contains(it)).map_or_else(|| "–".to_owned(), |lag| lag.to_string()) }</td>
        </tr>
    }
}

/// Whether a consumer is this member: by its id, which it may not know yet.
fn is_same(consumer: &ConsumerSnapshot, group: &Name, member: &GroupMemberSnapshot) -> bool {
    consumer.membership.as_ref().is_some_and(|own| own.group == *group && own.member == member.member)
}

fn condition(group: &GroupSnapshot, member: &GroupMemberSnapshot, consumer: Option<&ConsumerSnapshot>) -> String {
    let process = consumer.and_then(|consumer| match consumer.process {
        ClientProcess::Frozen => Some("frozen"),
        ClientProcess::Crashed => Some("crashed"),
        ClientProcess::Running if consumer.is_paused => Some("does not poll"),
        ClientProcess::Running => None,
    });
    let state = match group.group_type {
        GroupType::Classic if member.is_joining => "waits at the gate",
        GroupType::Classic => "member",
        _ if member.epoch == -2 => "left for a while",
        _ => member.state.name(),
    };
    process.map_or_else(|| state.to_owned(), |process| format!("{state}, {process}"))
}

/// "orders-0, orders-1", or a count.
fn partitions(owned: &[TopicPartition]) -> String {
    match owned.len() {
        0 => "–".to_owned(),
        count if count > NAMED_MAX => format!("{count} partitions"),
        _ => owned.iter().map(TopicPartition::to_string).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::group::GroupState;

    #[test]
    fn a_group_is_told_in_one_line() {
        let classic = GroupSnapshot {
            group: "analytics".into(),
            coordinator: Some(1),
            state: GroupState::Stable,
            epoch: 3,
            assignor: "range".into(),
            ..GroupSnapshot::default()
        };
        assert_eq!(line(&classic), "analytics: Stable, classic, range, generation 3, coordinated by broker 1");
        let consumer = GroupSnapshot {
            group_type: GroupType::Consumer,
            state: GroupState::Assigning,
            epoch: 5,
            assignment_epoch: 4,
            coordinator: None,
            assignor: "uniform".into(),
            ..classic
        };
        let expected = "analytics: Assigning, consumer, uniform, epoch 5, its target still 4, without a coordinator";
        assert_eq!(line(&consumer), expected);
    }

    #[test]
    fn many_partitions_are_counted() {
        let partition = |number| TopicPartition { topic: "orders".into(), partition: number };
        assert_eq!(partitions(&[]), "–");
        assert_eq!(partitions(&[partition(0), partition(2)]), "orders-0, orders-2");
        assert_eq!(partitions(&(0..12).map(partition).collect::<Vec<_>>()), "12 partitions");
    }
}
