//! Requests of groups at their coordinator.
//!
//! Which partition of `__consumer_offsets` a group belongs to is in `offsets.rs`.

mod effects;

use std::rc::Rc;

use crate::broker::Broker;
use crate::event::MessageView;
use crate::message::Payload;
use crate::outbox::Outbox;

impl Broker {
    /// A request of a group arrived.
    pub(crate) fn group_request(&mut self, message: &Rc<MessageView>, payload: &Rc<Payload>, outbox: &mut Outbox) {
        let _ = (message, payload, outbox);
        unimplemented!("group requests");
    }
}
