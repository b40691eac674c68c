//! What recordings of librdkafka have of their own: answers to JoinGroup, errors as values, what a member owns after a
//! callback, and an end as the broker describes it.
//!
//! Deliberately not here: constructors (`constructors.rs`), and what both clients have.

use std::collections::BTreeMap;

use engine::Time;
use engine::error::KafkaError;
use engine::group::{Callback, CommitKind, GroupEvent, GroupState, GroupType};
use engine::snapshot::{GroupMemberSnapshot, GroupSnapshot, Snapshot};
use serde_json::{Map, Value, json};

use super::super::cluster::librdkafka::errors::{object, raised as raised_by};
use super::finals::{in_order, same};
use super::members::Ids;
use super::play::{Play, names, positions};

/// Brokers of these recordings.
pub(super) const BROKERS: u32 = 3;

/// Whether a member of such a recording is of the Java client.
pub(super) fn is_java(join: &Value) -> bool {
    join["client"].as_str().is_some_and(|client| client.starts_with("Java"))
}

/// A commit that raised.
pub(super) fn raised(error: &KafkaError) -> Map<String, Value> {
    Map::from_iter([("thrown".to_owned(), raised_by(error, "Commit failed: "))])
}

/// An error without what differs from run to run: by how much a time was exceeded.
pub(super) fn comparable(error: &Value) -> Value {
    let mut error = error.clone();
    let object = if error["error"].is_object() { &mut error["error"] } else { &mut error };
    if let Some((before, _)) = object["text"].as_str().and_then(|text| text.split_once(" exceeded by ")) {
        object["text"] = json!(format!("{before} exceeded by <ms>"));
    }
    error
}

/// The assignor that the members agreed on, which is shown of a stable classic group, or that of the coordinator.
pub(super) fn add_assignor(fields: &mut Map<String, Value>, snapshot: &Snapshot, group: &str) {
    let Some(found) = snapshot.groups.iter().find(|found| *found.group == *group) else { return };
    if found.group_type == GroupType::Classic {
        fields.insert("protocol".into(), protocol(found));
    } else {
        fields.insert("assignor".into(), json!(found.assignor));
    }
}

fn protocol(group: &GroupSnapshot) -> Value {
    if group.state == GroupState::Stable { json!(group.assignor) } else { Value::Null }
}

impl Play<'_> {
    /// Whether an event is one of a member of librdkafka that is recorded in another way than Java's.
    pub(super) fn is_of_library(&mut self, event: &GroupEvent) -> bool {
        let consumer = match event {
            GroupEvent::CallbackStarted { consumer, .. }
            | GroupEvent::CallbackReturned { consumer, .. }
            | GroupEvent::AssignmentChanged { consumer, .. }
            | GroupEvent::PollFailed { consumer, .. }
            | GroupEvent::JoinAnswered { consumer, .. }
            | GroupEvent::CommitReturned { consumer, .. } => consumer,
            _ => return false,
        };
        self.recording.is_library && self.application(consumer).is_library
    }

    pub(super) fn look_at_library(&mut self, at: Time, event: &GroupEvent) {
        match event {
            GroupEvent::CallbackStarted { consumer, callback, partitions, .. } => {
                let name = match callback {
                    Callback::Revoked => "revoked",
                    Callback::Lost => "lost",
                    Callback::Assigned => "assigned",
                };
                self.saw_at(at, consumer, name, json!({ "partitions": names(partitions) }));
            }
            GroupEvent::AssignmentChanged { consumer, owned } => {
                let application = self.application(consumer);
                application.owned = names(owned);
                let owned = application.owned.clone();
                application.read.retain(|partition, _| owned.contains(partition));
            }
            GroupEvent::CallbackReturned { consumer, callback, .. } => self.callback_returned(at, consumer, *callback),
            GroupEvent::PollFailed { consumer, error } => {
                self.saw_at(at, consumer, "poll_error", json!({ "error": object(error, "") }));
            }
            GroupEvent::JoinAnswered { consumer, generation, protocol, is_leader, members, error } => {
                let mut fields = json!({ "generation": generation, "leader": is_leader });
                match error {
                    Some(error) => fields["error"] = json!(error.message),
                    None => fields["protocol"] = json!(protocol),
                }
                if *is_leader {
                    fields["members_in_response"] = json!(members);
                }
                self.saw_at(at, consumer, "join_response", fields);
            }
            GroupEvent::CommitReturned { consumer, how, offsets, error } => {
                let how = match how {
                    CommitKind::Auto if self.application(consumer).hears_commits => "on_commit callback".to_owned(),
                    how => match self.committer(consumer, *how) {
                        Some(how) => how,
                        None => return,
                    },
                };
                let mut fields = error.as_deref().map_or_else(Map::new, raised);
                if error.is_none() {
                    fields.insert("offsets".into(), positions(offsets));
                }
                fields.insert("how".into(), json!(how));
                let event = if error.is_some() { "commit_failed" } else { "committed" };
                self.saw_at(at, consumer, event, Value::Object(fields));
            }
            _ => {}
        }
    }

    fn callback_returned(&mut self, at: Time, consumer: &str, callback: Callback) {
        let is_callback = |event: &str| matches!(event, "assigned" | "revoked" | "lost");
        let owned = self.application(consumer).owned.clone();
        let began = self.seen.iter_mut().rfind(|seen| seen.member == consumer && is_callback(&seen.event));
        let Some(began) = began else { return };
        began.fields.insert("owns_after".into(), json!(owned));
        let took = at.millis() - began.at_ms;
        let is_slow = callback == Callback::Revoked && took > 0;
        if is_slow && std::mem::take(&mut self.application(consumer).slow_revoked) {
            self.saw_at(at, consumer, "revoked_returned", json!({}));
        }
    }

    /// `position()` of everything that a member owns, and 0 where there is none: what the recorder's members commit.
    pub(super) fn read_positions(&mut self, member: &str) -> BTreeMap<String, u64> {
        let owned = self.consumer(member).and_then(|consumer| consumer.membership).map(|own| names(&own.owned));
        let read = &self.application(member).read;
        let position = |partition: String| (partition.clone(), read.get(&partition).copied().unwrap_or(0));
        owned.into_iter().flatten().map(position).collect()
    }

    /// The member id that a member of the consumer protocol had at the end, if it did not join again.
    pub(super) fn last_id(&self, member: &str, configs: &BTreeMap<String, String>) -> Option<String> {
        let chooses = configs.get("group.protocol").is_some_and(|protocol| protocol.eq_ignore_ascii_case("consumer"));
        let joins = self.recording.steps.iter().filter(|step| step.verb == "join");
        let is_last = joins.filter(|step| step.arguments["member"] == *member).count() == 1;
        let members = self.recording.last["members_in_broker_order"].as_array()?;
        let found = members.iter().find(|found| found["client_id"] == *member && found["type"] == "consumer")?;
        found["member_id"].as_str().filter(|_| chooses && is_last).map(str::to_owned)
    }
}

/// Compares `final`, which is what the broker describes: members go by their `client.id`.
pub(super) fn compare_final(play: &mut Play<'_>, last: &Value) -> Result<(), String> {
    let snapshot = play.timeline.snapshot(0);
    let group = snapshot.groups.iter().find(|group| *group.group == *play.recording.group);
    same("group_state", &last["group_state"], &json!(group.map_or("none", |group| group.state.name())))?;
    let Some(group) = group else { return Ok(()) };
    let members = &group.members;
    let assigned = members.iter().map(|member| (member.client.to_string(), json!(names(&member.assigned))));
    same("assignment", &in_order(&last["assignment"]), &in_order(&Value::Object(assigned.collect())))?;
    let fields =
        [("protocol", protocol(group)), ("assignor", json!(group.assignor)), ("group_epoch", json!(group.epoch))];
    for (field, got) in fields.iter().filter(|(field, _)| !last[*field].is_null()) {
        same(field, &last[*field], got)?;
    }
    let listed = last["members_in_broker_order"].as_array().map_or(&[][..], Vec::as_slice);
    same("members_in_broker_order count", &json!(listed.len()), &json!(members.len()))?;
    for wanted in listed {
        let own = members.iter().filter(|member| wanted["client_id"] == *member.client);
        let found = own.map(|member| described(wanted, group, member)).collect::<Vec<_>>();
        if !found.contains(wanted) {
            return Err(format!("final.members_in_broker_order expected {wanted}, got {}", json!(found)));
        }
    }
    Ok(())
}

/// A member with the fields that the recording has of it. An id that the client or the broker drew is taken for the
/// recorded one.
fn described(wanted: &Value, group: &GroupSnapshot, member: &GroupMemberSnapshot) -> Value {
    let id = wanted["member_id"].as_str().unwrap_or_default();
    let is_drawn = !id.contains("-00000000-0000-");
    let own_id = if is_drawn { id.to_owned() } else { Ids::of(&[id]).in_text(&member.member) };
    let is_classic = group.group_type == GroupType::Classic || member.is_classic;
    let mut fields = json!({ "client_id": member.client, "member_id": own_id });
    for (field, got) in [
        ("instance_id", json!(member.instance)),
        ("epoch", json!(member.epoch)),
        ("type", json!(if is_classic { "classic" } else { "consumer" })),
    ] {
        if !wanted[field].is_null() {
            fields[field] = got;
        }
    }
    fields
}
