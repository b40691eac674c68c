//! What the Admin client asks of a group's coordinator: other offsets, members that leave, groups and offsets that go.
//!
//! Follows `KafkaAdminClient` of Kafka 4.3.1: the coordinator is found first.

use super::Admin;
use crate::message::Payload;
use crate::outbox::Outbox;
use crate::simulation::resolve::GroupAct;

impl Admin {
    /// Makes a call for a command.
    pub fn group_request(&mut self, asked: GroupAct, command: u64, outbox: &mut Outbox) {
        let _ = (asked, command, outbox);
        unimplemented!("group requests");
    }

    /// The coordinator answered.
    pub fn group_answer(&mut self, answer: &Payload, outbox: &mut Outbox) {
        let _ = (answer, outbox);
        unimplemented!("group answers");
    }
}
