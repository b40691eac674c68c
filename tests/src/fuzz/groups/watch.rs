//! What must be true at any time, told from events: who owns what, what stands still, what is committed.
//!
//! Deliberately not here: what must be true once everything is calm (`rest.rs`, `calm.rs`).

use std::collections::{BTreeMap, BTreeSet};

use engine::event::{Name, TopicPartition};
use engine::group::{Callback, ClientMemberState, CommitKind, GroupEvent, GroupState};
use engine::scenario::ConsumerSpec;
use engine::transaction::TransactionEvent;
use engine::{Command, Event, EventKind, NodeId};

use super::stage::{self, Way};

type Partitions = BTreeSet<TopicPartition>;
type Check = Result<(), String>;

/// What is known of a run.
#[derive(Default)]
pub(super) struct Watch {
    /// Whether offsets are set back now and then.
    has_resets: bool,
    /// The newest instance of each name.
    consumers: BTreeMap<Name, Consumer>,
    /// How many members were removed.
    removed: u32,
    /// Members that some coordinator has, by group.
    present: BTreeSet<(Name, Name)>,
    /// Assignments of a generation, by group and generation: a coordinator that was deposed may make one too.
    made: BTreeMap<(Name, i32), Vec<BTreeMap<Name, Partitions>>>,
    /// Groups that were deleted: their generations begin anew.
    reborn: BTreeSet<Name>,
    /// Topics that were deleted.
    deleted: BTreeSet<Name>,
    /// The highest offset of each partition that a member knows to be committed, by group.
    committed: BTreeMap<(Name, TopicPartition), u64>,
    /// Offsets that a group has read.
    read: BTreeMap<(Name, TopicPartition), BTreeSet<u64>>,
}

/// A consumer in its own eyes.
struct Consumer {
    group: Name,
    way: Way,
    instance: Option<String>,
    member: Name,
    generation: i32,
    owned: Partitions,
    callback: Option<(Callback, Partitions)>,
    /// What its coordinator has told it to give up.
    withdrawn: Partitions,
    told: Partitions,
    /// The application changed what it wants: then it lets go of what it likes.
    is_changed: bool,
}

impl Watch {
    /// A watch of a run with or without resets of offsets.
    pub fn new(has_resets: bool) -> Watch {
        Watch { has_resets, ..Watch::default() }
    }

    /// A new instance of a name.
    pub fn start(&mut self, spec: &ConsumerSpec) {
        let text = |name: &str| spec.configs.get(name).cloned();
        let consumer = Consumer {
            group: text("group.id").unwrap_or_default().as_str().into(),
            way: stage::way(spec),
            instance: text("group.instance.id"),
            member: "".into(),
            generation: -1,
            owned: Partitions::new(),
            callback: None,
            withdrawn: Partitions::new(),
            told: Partitions::new(),
            is_changed: false,
        };
        self.consumers.insert(spec.name.as_str().into(), consumer);
    }

    /// How many members were removed so far.
    pub fn removed(&self) -> u32 {
        self.removed
    }

    /// The highest offset that is known to be committed.
    pub fn committed(&self) -> &BTreeMap<(Name, TopicPartition), u64> {
        &self.committed
    }

    /// Which offsets a group has read of a partition.
    pub fn has_read(&self, group: &Name, partition: &TopicPartition) -> Option<&BTreeSet<u64>> {
        self.read.get(&(group.clone(), partition.clone()))
    }

    pub fn is_deleted(&self, topic: &Name) -> bool {
        self.deleted.contains(topic)
    }

    /// Takes the next event in; an error names the rule that it breaks.
    pub fn take(&mut self, event: &Event) -> Check {
        match &event.kind {
            EventKind::Group(kind) => self.group_event(kind),
            EventKind::RecordsRead { consumer, partition, first_offset, records } => {
                self.records_read(consumer, partition, *first_offset, records.len() as u64)
            }
            EventKind::CommandApplied { command, .. } => {
                self.command(command);
                Ok(())
            }
            EventKind::TopicDeleted { topic } => {
                self.deleted.insert(topic.clone());
                self.committed.retain(|(_, partition), _| partition.topic != *topic);
                self.read.retain(|(_, partition), _| partition.topic != *topic);
                Ok(())
            }
            EventKind::Transaction(TransactionEvent::ClientCrashed { client: NodeId::Consumer { name } }) => {
                self.ended(name);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn command(&mut self, command: &Command) {
        let (Command::Subscribe { consumer, .. }
        | Command::Unsubscribe { consumer }
        | Command::CloseConsumer { consumer, .. }) = command
        else {
            return;
        };
        if let Some(consumer) = self.consumers.get_mut(consumer.as_str()) {
            consumer.is_changed = true;
        }
    }

    fn ended(&mut self, name: &Name) {
        if let Some(consumer) = self.consumers.get_mut(name) {
            consumer.owned.clear();
            consumer.callback = None;
        }
    }

    fn group_event(&mut self, event: &GroupEvent) -> Check {
        match event {
            GroupEvent::MemberJoined { group, member, .. } => {
                self.present.insert((group.clone(), member.clone()));
                Ok(())
            }
            GroupEvent::MemberRemoved { group, member, .. } => {
                self.present.remove(&(group.clone(), member.clone()));
                self.removed += 1;
                Ok(())
            }
            GroupEvent::GroupStateChanged { group, state: GroupState::Dead, .. } => {
                self.reborn.insert(group.clone());
                Ok(())
            }
            GroupEvent::AssignmentMade { group, epoch, assignment, .. } => {
                self.assignment_made(group, *epoch, assignment)
            }
            GroupEvent::GenerationStarted { generation, members, .. } => self.generation_started(*generation, members),
            GroupEvent::MemberReconciled { member, assigned, .. } => {
                self.reconciled(member, assigned);
                Ok(())
            }
            GroupEvent::MemberIdAssigned { consumer, member } => {
                self.of(consumer)?.member = member.clone();
                Ok(())
            }
            GroupEvent::CallbackStarted { consumer, callback, partitions, generation, owned, .. } => {
                let given: Partitions = partitions.iter().cloned().collect();
                self.called(consumer, *callback, &given, *generation, owned)
            }
            GroupEvent::CallbackReturned { consumer, .. } => {
                let consumer = self.of(consumer)?;
                if let Some((Callback::Revoked | Callback::Lost, given)) = consumer.callback.take() {
                    consumer.owned.retain(|partition| !given.contains(partition));
                }
                Ok(())
            }
            GroupEvent::AssignmentChanged { consumer, owned } => self.assignment_changed(consumer, owned),
            GroupEvent::ConsumerClosed { consumer } => {
                self.ended(consumer);
                Ok(())
            }
            GroupEvent::ClientMemberStateChanged { consumer, state, .. } => self.state_changed(consumer, *state),
            GroupEvent::OffsetsRemoved { group, partitions, .. } => {
                for partition in partitions {
                    self.committed.remove(&(group.clone(), partition.clone()));
                }
                Ok(())
            }
            GroupEvent::CommitReturned { consumer, how, offsets, error: None } => {
                self.commit_returned(consumer, *how, offsets)
            }
            // The application closes the consumer, or polls it again.
            GroupEvent::PollFailed { consumer, .. } => {
                self.of(consumer)?.is_changed = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn of(&mut self, name: &Name) -> Result<&mut Consumer, String> {
        self.consumers.get_mut(name).ok_or_else(|| format!("nobody started {name}"))
    }

    /// No assignment gives a partition to two members.
    fn assignment_made(&mut self, group: &Name, epoch: i32, assignment: &[(Name, Vec<TopicPartition>)]) -> Check {
        let mut owners: BTreeMap<&TopicPartition, &Name> = BTreeMap::new();
        for (member, partitions) in assignment {
            for partition in partitions {
                if let Some(other) = owners.insert(partition, member) {
                    return Err(format!("{group} gives {partition:?} to {other} and to {member} in {epoch}"));
                }
            }
        }
        let by_member = assignment.iter().map(|(member, list)| (member.clone(), list.iter().cloned().collect()));
        self.made.entry((group.clone(), epoch)).or_default().push(by_member.collect());
        Ok(())
    }

    /// Eager: whoever is in a generation has let everything go. A static member may be in it without having joined.
    fn generation_started(&self, generation: i32, members: &[Name]) -> Check {
        let is_eager = |consumer: &&Consumer| consumer.way == Way::Eager && consumer.instance.is_none();
        let mut listed = self.consumers.values().filter(is_eager).filter(|consumer| members.contains(&consumer.member));
        match listed.find(|consumer| !consumer.owned.is_empty()) {
            Some(consumer) => {
                Err(format!("generation {generation} begins while {} owns {:?}", consumer.member, consumer.owned))
            }
            None => Ok(()),
        }
    }

    /// Consumer protocol: what the coordinator takes out of a member's assignment is to be given up.
    fn reconciled(&mut self, member: &Name, assigned: &[TopicPartition]) {
        let now: Partitions = assigned.iter().cloned().collect();
        for consumer in self.consumers.values_mut().filter(|consumer| consumer.member == *member) {
            let before = std::mem::replace(&mut consumer.told, now.clone());
            // A group that was converted tells nothing of what its members had.
            let taken = before.union(&consumer.owned).filter(|partition| !now.contains(partition)).cloned();
            let taken: Vec<TopicPartition> = taken.collect();
            consumer.withdrawn.retain(|partition| !now.contains(partition));
            consumer.withdrawn.extend(taken);
        }
    }

    fn called(
        &mut self,
        name: &Name,
        callback: Callback,
        given: &Partitions,
        generation: i32,
        owned: &[TopicPartition],
    ) -> Check {
        if callback == Callback::Assigned {
            self.nobody_else_owns(name, given, generation)?;
        }
        if callback == Callback::Revoked {
            self.only_what_moves(name, given, generation)?;
        }
        let consumer = self.of(name)?;
        consumer.generation = generation;
        let is_wrong = match callback {
            Callback::Assigned => given.iter().any(|partition| consumer.owned.contains(partition)),
            Callback::Revoked | Callback::Lost => !given.is_subset(&consumer.owned),
        };
        if is_wrong || !given.iter().all(|partition| owned.contains(partition)) {
            let own = &consumer.owned;
            return Err(format!("{name} owns {own:?} and is called with {callback:?} {given:?}, assignment {owned:?}"));
        }
        if callback == Callback::Assigned {
            consumer.owned.extend(given.iter().cloned());
        }
        consumer.callback = Some((callback, given.clone()));
        Ok(())
    }

    /// A member gets only what no other member owns. A process that was removed may not know it yet; it may even be
    /// called with an assignment that has waited for it.
    fn nobody_else_owns(&self, name: &Name, given: &Partitions, generation: i32) -> Check {
        let Some(own) = self.consumers.get(name) else { return Ok(()) };
        if !self.present.contains(&(own.group.clone(), own.member.clone())) {
            return Ok(());
        }
        for (other_name, other) in &self.consumers {
            let is_same = own.instance.is_some() && own.instance == other.instance;
            if other_name == name || is_same || other.group != own.group {
                continue;
            }
            let is_present = self.present.contains(&(other.group.clone(), other.member.clone()));
            let is_of_generation = other.generation == generation && !self.reborn.contains(&own.group);
            let shared = other.owned.intersection(given).next();
            // A static member stays in the group even if it did not join in time.
            if let Some(partition) = shared.filter(|_| is_of_generation || (is_present && other.instance.is_none())) {
                let (member, of) = (&other.member, other.generation);
                return Err(format!(
                    "{name} gets {partition:?} in {generation} while {other_name} ({member}) owns it in {of}"
                ));
            }
        }
        Ok(())
    }

    /// A member gives up only what the newest assignment takes from it, unless everything stands anyway.
    fn only_what_moves(&self, name: &Name, given: &Partitions, generation: i32) -> Check {
        let Some(own) = self.consumers.get(name).filter(|own| !own.is_changed && own.way != Way::Eager) else {
            return Ok(());
        };
        let kept = |partition: &&TopicPartition| {
            if self.deleted.contains(&partition.topic) {
                return false;
            }
            let by_coordinator = own.withdrawn.contains(*partition);
            let made = self.made.get(&(own.group.clone(), generation)).into_iter().flatten();
            let mut lists = made.filter_map(|made| made.get(&own.member));
            let by_leader = own.way == Way::Cooperative && lists.any(|list| !list.contains(*partition));
            !by_coordinator && !by_leader
        };
        match given.iter().find(kept) {
            Some(partition) => Err(format!("{name} gives {partition:?} up in {generation}, which does not move")),
            None => Ok(()),
        }
    }

    fn assignment_changed(&mut self, name: &Name, owned: &[TopicPartition]) -> Check {
        let consumer = self.of(name)?;
        let owned: Partitions = owned.iter().cloned().collect();
        let expected = std::mem::replace(&mut consumer.owned, owned);
        if consumer.owned != expected {
            return Err(format!("by its callbacks {name} owns {expected:?}, but it has {:?}", consumer.owned));
        }
        Ok(())
    }

    /// Eager: who waits for an assignment owns nothing.
    fn state_changed(&mut self, name: &Name, state: ClientMemberState) -> Check {
        let consumer = self.of(name)?;
        let waits = consumer.way == Way::Eager && state == ClientMemberState::CompletingRebalance;
        if waits && !consumer.owned.is_empty() {
            return Err(format!("{name} waits for its assignment and owns {:?}", consumer.owned));
        }
        Ok(())
    }

    /// Records are read by whoever owns them, and not inside a callback.
    fn records_read(&mut self, name: &Name, partition: &TopicPartition, first: u64, count: u64) -> Check {
        let consumer = self.of(name)?;
        if consumer.callback.is_some() || !consumer.owned.contains(partition) {
            return Err(format!("{name} reads {partition:?}, owns {:?}, runs {:?}", consumer.owned, consumer.callback));
        }
        let key = (consumer.group.clone(), partition.clone());
        self.read.entry(key).or_default().extend(first..first + count);
        Ok(())
    }

    /// What a member was told to be committed stays.
    fn commit_returned(&mut self, name: &Name, how: CommitKind, offsets: &[(TopicPartition, u64)]) -> Check {
        let (group, has_resets) = (self.of(name)?.group.clone(), self.has_resets);
        for (partition, offset) in offsets.iter().filter(|(partition, _)| !self.deleted.contains(&partition.topic)) {
            let known = self.committed.entry((group.clone(), partition.clone())).or_insert(0);
            if offset < known && !has_resets {
                return Err(format!("{name} commits {offset} of {partition:?} by {how:?} after {known}"));
            }
            *known = *offset;
        }
        Ok(())
    }
}
