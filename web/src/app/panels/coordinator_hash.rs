//! Which partition of `__consumer_offsets` a group belongs to, and so which broker coordinates it: typed ids, and the
//! groups of the stage.
//!
//! The hash and the rule are the engine's. The mask beside them is the mistake that is often made.

use engine::internal_partition::{hash_of, partition_for};
use yew::{AttrValue, Callback, Html, Properties, component, html, use_state_eq};

use crate::app::controls::TextField;
use crate::app::part::part;
use crate::app::session::{Rate, Session, use_session};

/// `offsets.topic.num.partitions` while the topic is not there.
const PARTITIONS: usize = 50;
/// Characters of an id that are shown and hashed.
const ID_MAX: usize = 255;

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct CoordinatorHashProps {
    /// The session.
    pub session: Session,
}

/// The table.
#[component]
pub fn CoordinatorHash(props: &CoordinatorHashProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let typed = use_state_eq(|| "payments-loader".to_owned());
    let snapshot = session.snapshot(0);
    let offsets = snapshot.topics.iter().find(|topic| &*topic.name == "__consumer_offsets");
    let count = offsets.map_or(PARTITIONS, |topic| topic.partitions.len());
    let partitions = u32::try_from(count).unwrap_or(1);
    let leader = |partition: u32| offsets.and_then(|topic| topic.partitions.get(partition as usize)?.leader);
    let accept = {
        let typed = typed.clone();
        Callback::from(move |text: AttrValue| {
            if text.chars().count() > ID_MAX {
                return Err(format!("A group id has at most {ID_MAX} characters here."));
            }
            typed.set(text.to_string());
            Ok(())
        })
    };
    let mut ids = vec![(*typed).clone()];
    ids.extend(snapshot.groups.iter().map(|group| group.group.to_string()).filter(|id| *id != *typed));
    let row = |id: &String| {
        let (own, masked) = (partition_for(id, partitions), masked(id, partitions));
        html! {
            <tr key={id.clone()}>
                <th scope="row" class="mono">{ id.clone() }</th>
                <td class="number">{ hash_of(id) }</td>
                <td class="number"><strong>{ own }</strong></td>
                <td class={if own == masked { "number" } else { "number other" }}>{ masked }{ if own == masked { "" } else { " ≠" } }</td>
                <td>{ leader(own).map_or_else(|| "–".to_owned(), |broker| format!("broker {broker}")) }</td>
            </tr>
        }
    };
    html! {
        <section class="panel" aria-label="Coordinator of a group">
            <h2>{ format!("Group id to one of {partitions} partitions of __consumer_offsets") }</h2>
            <div class="form-row">{ part!(TextField { label: "Group id", value: (*typed).clone(), size: 20, accept }) }</div>
            <div class="table-frame" tabindex="0" role="region" aria-label="Groups and their partitions">
                <table class="table">
                    <thead><tr>
                        <th scope="col">{ "Group" }</th><th scope="col" class="number">{ "String.hashCode" }</th>
                        <th scope="col" class="number">{ "abs, modulo" }</th><th scope="col" class="number">{ "A mask would say" }</th>
                        <th scope="col">{ "Coordinator" }</th>
                    </tr></thead>
                    <tbody>{ for ids.iter().map(row) }</tbody>
                </table>
            </div>
        </section>
    }
}

/// What clearing the sign bit gives, as for keys.
fn masked(id: &str, partitions: u32) -> u32 {
    (hash_of(id) & i32::MAX).unsigned_abs() % partitions.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_is_another_rule() {
        assert_eq!((partition_for("analytics", 50), masked("analytics", 50)), (10, 38));
        assert_eq!((partition_for("fraud", 50), masked("fraud", 50)), (10, 10));
    }
}
