//! Which brokers take part: registration, sessions, fencing, shutdown.
//!
//! Follows `ClusterControlManager` and `BrokerHeartbeatManager` of Kafka 4.3.1. Simplified: heartbeats are
//! no messages; the simulation tells when a broker's stop and when they come again. A broker is unfenced
//! as soon as it is registered; Kafka's is at its first heartbeat after it has read the metadata.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Controller;
use super::change::Election;
use super::partitions::Loss;
use crate::event::{EventKind, MessageView, Name};
use crate::message::{BrokerImage, ClusterImage, Payload};
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};
use crate::time::{Duration, Time};

/// Between the first heartbeat of a fenced broker that goes on and the record that unfences it: the active
/// controller writes it down and the others copy it. What is in the broker's sockets is done by then.
/// Simplified: a fenced broker that goes on is unfenced 20 ms later, however busy the controllers are.
pub(super) const UNFENCING: Duration = Duration::from_millis(20);

/// What the controller hears of a broker.
#[derive(Clone, Debug)]
pub(super) struct Session {
    /// Whether heartbeats arrive.
    is_heard: bool,
    /// Timers of older generations mean nothing.
    generation: u32,
    /// A new process of this broker that waits until the session of the old one is over.
    waiting: Option<(Rc<MessageView>, bool)>,
}

impl Default for Session {
    fn default() -> Session {
        Session { is_heard: true, generation: 0, waiting: None }
    }
}

impl Controller {
    /// All brokers of the plan are up when a run begins. With eligible leader replicas, the first
    /// controller of a new cluster stores `min.insync.replicas` for all brokers.
    pub(super) fn register_all(&mut self) {
        let mut image = ClusterImage::default();
        for (broker, rack) in &*self.brokers {
            let rack = rack.clone();
            let epoch = self.next_broker_epoch;
            image.brokers.insert(*broker, BrokerImage { rack, epoch, is_fenced: false, is_shutting_down: false });
            self.next_broker_epoch += 1;
        }
        if self.elr {
            let min_isr = self.configs(None).broker("min.insync.replicas");
            let defaults = BTreeMap::from([(Name::from("min.insync.replicas"), Name::from(min_isr))]);
            image.broker_defaults = Rc::new(defaults);
        }
        self.image = Rc::new(image);
    }

    /// Registered, neither fenced nor shutting down.
    pub(super) fn is_active(&self, broker: u32) -> bool {
        self.image.brokers.get(&broker).is_some_and(|broker| !broker.is_fenced && !broker.is_shutting_down)
    }

    /// A broker's heartbeats stop; the last one was sent at `last_heartbeat`. If they have stopped before,
    /// the session ends when it would have, and a new process that waited for that is gone.
    pub fn contact_lost(&mut self, broker: u32, last_heartbeat: Time, outbox: &mut Outbox) {
        let session = self.session(broker);
        session.waiting = None;
        if !session.is_heard {
            return;
        }
        session.is_heard = false;
        session.generation += 1;
        self.arm_session(broker, last_heartbeat, outbox);
    }

    /// A broker's heartbeats arrive again. What it missed is sent to it.
    pub fn contact_restored(&mut self, broker: u32, outbox: &mut Outbox) {
        let session = self.session(broker);
        session.is_heard = true;
        session.generation += 1;
        let generation = session.generation;
        if self.host.is_none() {
            return;
        }
        if self.image.brokers.get(&broker).is_some_and(|broker| broker.is_fenced) {
            outbox.wake(Target::Controller, outbox.now() + UNFENCING, Timer::Unfence { broker, generation });
        }
        let is_told = !Rc::ptr_eq(&self.image, &self.published);
        self.publish(outbox);
        if !is_told {
            self.send_image_to(broker, outbox);
        }
    }

    /// The heartbeat of a fenced broker has been worked off.
    pub(super) fn heard_again(&mut self, broker: u32, generation: u32, outbox: &mut Outbox) {
        let session = self.session(broker);
        if session.generation != generation || !session.is_heard || self.host.is_none() {
            return;
        }
        self.unfence(broker, outbox);
    }

    /// A new controller has heard of nobody yet: it gives everybody a whole session.
    pub(super) fn restart_sessions(&mut self, outbox: &mut Outbox) {
        let ids: Vec<u32> = self.sessions.keys().copied().collect();
        for broker in ids {
            let session = self.session(broker);
            session.generation += 1;
            if self.host.is_none() {
                continue;
            }
            if self.session(broker).is_heard {
                self.unfence(broker, outbox);
            } else {
                self.arm_session(broker, outbox.now(), outbox);
            }
        }
    }

    fn arm_session(&mut self, broker: u32, last_heartbeat: Time, outbox: &mut Outbox) {
        if self.host.is_none() || self.image.brokers.get(&broker).is_none_or(|broker| broker.is_fenced) {
            return;
        }
        let generation = self.session(broker).generation;
        let ends = last_heartbeat + self.configs(None).broker_millis("broker.session.timeout.ms");
        outbox.wake(Target::Controller, ends, Timer::Session { broker, generation });
    }

    /// The broker was silent for too long.
    pub(super) fn session_expired(&mut self, broker: u32, generation: u32, outbox: &mut Outbox) {
        let session = self.session(broker);
        if session.generation != generation || session.is_heard {
            return;
        }
        let waiting = session.waiting.take();
        self.fence(broker, outbox);
        if let Some((message, is_clean)) = waiting {
            self.register(&message, broker, is_clean, outbox);
        }
    }

    /// A broker's process has started. While the session of the process before it lasts, it has to wait.
    ///
    /// Simplified: Kafka refuses with DUPLICATE_BROKER_REGISTRATION and the broker tries again, so it comes
    /// back up to one pause of its growing back-off later.
    pub(super) fn registration(&mut self, message: &MessageView, broker: u32, is_clean: bool, outbox: &mut Outbox) {
        let is_active = self.is_active(broker);
        let session = self.session(broker);
        if is_active && !session.is_heard {
            session.waiting = Some((Rc::new(message.clone()), is_clean));
        } else {
            self.register(message, broker, is_clean, outbox);
        }
    }

    fn register(&mut self, message: &MessageView, broker: u32, is_clean: bool, outbox: &mut Outbox) {
        let session = self.session(broker);
        session.is_heard = true;
        session.generation += 1;
        session.waiting = None;
        self.fence(broker, outbox);
        let epoch = self.next_broker_epoch;
        self.next_broker_epoch += 1;
        self.set_broker(broker, |image| {
            image.epoch = epoch;
            image.is_shutting_down = false;
        });
        outbox.emit_cause(EventKind::BrokerRegistered { broker });
        if self.elr && !is_clean {
            self.after_loss(Loss::Unclean(broker), outbox);
        }
        let target = outbox.broker_target(broker);
        let payload = Payload::BrokerRegistrationAnswer { broker_epoch: epoch };
        outbox.send(Parcel::answer(message, target, payload, message.is_notable));
        self.unfence(broker, outbox);
    }

    /// A broker shuts down in order: it hands over what it leads, leaves the in-sync sets and is fenced.
    ///
    /// Simplified: Kafka lets it stop once the other brokers have read of that.
    pub(super) fn controlled_shutdown(&mut self, message: &MessageView, broker: u32, outbox: &mut Outbox) {
        self.set_broker(broker, |image| image.is_shutting_down = true);
        self.after_loss(Loss::Removed(broker), outbox);
        self.fence(broker, outbox);
        self.publish(outbox);
        let target = outbox.broker_target(broker);
        outbox.send(Parcel::answer(message, target, Payload::ControlledShutdownAnswer, message.is_notable));
    }

    fn fence(&mut self, broker: u32, outbox: &mut Outbox) {
        if self.image.brokers.get(&broker).is_none_or(|broker| broker.is_fenced) {
            return;
        }
        self.set_broker(broker, |image| image.is_fenced = true);
        outbox.emit_cause(EventKind::BrokerFenced { broker });
        self.after_loss(Loss::Removed(broker), outbox);
    }

    /// The broker may lead again: partitions without a leader look at it.
    fn unfence(&mut self, broker: u32, outbox: &mut Outbox) {
        if self.image.brokers.get(&broker).is_none_or(|broker| !broker.is_fenced || broker.is_shutting_down) {
            return;
        }
        self.set_broker(broker, |image| image.is_fenced = false);
        outbox.emit_cause(EventKind::BrokerUnfenced { broker });
        let leaderless = Rc::clone(&self.leaderless);
        for partition in &*leaderless {
            self.elect(partition, Election::Online, outbox);
        }
    }

    fn session(&mut self, broker: u32) -> &mut Session {
        self.sessions.get_mut(&broker).expect("every broker of the plan has a session")
    }

    fn set_broker(&mut self, broker: u32, set: impl FnOnce(&mut BrokerImage)) {
        let image = Rc::make_mut(&mut self.image);
        set(image.brokers.get_mut(&broker).expect("every broker of the plan is registered"));
    }
}
