//! Groups made by hand: the three protocols while a third member joins, two groups, failures, and many members.
//!
//! As `sample.rs`, they need not be reachable by a run.

use engine::event::{Api, Event, EventKind, MessageView, Moment, Name, NodeId, TopicPartition};
use engine::group::{Callback, ClientMemberState, GroupEvent, GroupState, GroupType, MemberState};
use engine::snapshot::{
    ClientProcess, ConsumerSnapshot, GroupMemberSnapshot, GroupOffsetsSnapshot, GroupSnapshot, MembershipSnapshot,
    PositionSnapshot,
};
use engine::{Snapshot, Time};

use super::{append, cluster, message, producer, record, topic};

/// Partitions of a topic.
pub fn parts(topic: &str, partitions: &[u32]) -> Vec<TopicPartition> {
    partitions.iter().map(|partition| TopicPartition { topic: topic.into(), partition: *partition }).collect()
}

/// A member that owns partitions of `events`, with its position and its commit some offsets before their ends.
pub fn member(name: &str, group: &str, protocol: GroupType, owned: &[u32]) -> ConsumerSnapshot {
    let position = |partition: &u32| PositionSnapshot {
        topic: "events".into(),
        partition: *partition,
        position: u64::from(3 + partition % 3),
        read_from: None,
    };
    let membership = MembershipSnapshot {
        group: group.into(),
        protocol,
        member: format!("{name}-id").into(),
        state: ClientMemberState::Stable,
        generation: 3,
        owned: parts("events", owned),
        topics: vec!["events".into()],
        ..MembershipSnapshot::default()
    };
    ConsumerSnapshot {
        name: name.into(),
        positions: owned.iter().map(position).collect(),
        read_count: 12,
        membership: Some(membership),
        ..ConsumerSnapshot::default()
    }
}

/// The membership of a consumer.
pub fn of(consumer: &mut ConsumerSnapshot) -> &mut MembershipSnapshot {
    consumer.membership.as_mut().expect("a member")
}

/// The coordinator's view of members that own what they were told to.
pub fn group(name: &str, group_type: GroupType, state: GroupState, consumers: &[ConsumerSnapshot]) -> GroupSnapshot {
    let memberships = consumers.iter().filter_map(|one| Some((one, one.membership.as_ref()?)));
    let members = memberships.filter(|(_, membership)| *membership.group == *name).map(|(consumer, membership)| {
        GroupMemberSnapshot {
            member: membership.member.clone(),
            client: consumer.name.clone(),
            host: "/127.0.0.1".into(),
            epoch: membership.generation,
            topics: membership.topics.clone(),
            assigned: membership.owned.clone(),
            target: membership.owned.clone(),
            ..GroupMemberSnapshot::default()
        }
    });
    GroupSnapshot {
        group: name.into(),
        partition: 43,
        coordinator: Some(1),
        group_type,
        state,
        epoch: 4,
        assignment_epoch: 4,
        assignor: if group_type == GroupType::Classic { "range" } else { "uniform" }.into(),
        protocol_type: "consumer".into(),
        members: members.collect(),
        ..GroupSnapshot::default()
    }
}

/// Six partitions with records on one broker.
pub fn events(brokers: u32) -> Snapshot {
    let mut snapshot = cluster(brokers);
    snapshot.topics.push(topic("events", 6, brokers));
    for (index, partition) in snapshot.topics[0].partitions.iter_mut().enumerate() {
        for number in 0..4 + index as u64 % 3 {
            append(
                partition,
                record(10 * index as u64 + number, Some(["user-1", "user-2", "user-3"][(index + number as usize) % 3])),
            );
        }
    }
    let committed = (0..6).map(|partition| (parts("events", &[partition]).remove(0), 2)).collect();
    snapshot.group_offsets = vec![GroupOffsetsSnapshot {
        group: "payments".into(),
        coordinator: Some(1),
        committed,
        ..GroupOffsetsSnapshot::default()
    }];
    snapshot
}

fn three(protocol: GroupType, owned: [&[u32]; 3]) -> Vec<ConsumerSnapshot> {
    ["consumer-A", "consumer-B", "consumer-C"]
        .into_iter()
        .zip(owned)
        .map(|(name, owned)| member(name, "payments", protocol, owned))
        .collect()
}

/// Everybody has what it shall have.
pub fn stable() -> Snapshot {
    let mut snapshot = events(1);
    snapshot.consumers = three(GroupType::Consumer, [&[0, 1], &[3, 4], &[2, 5]]);
    snapshot.groups = vec![group("payments", GroupType::Consumer, GroupState::Stable, &snapshot.consumers)];
    snapshot.producers.push(producer("orders", "java", "events", Some("user-1")));
    snapshot.in_flight = vec![
        message(9, "orders", "events", 1, false).into(),
        request(10, "consumer-B", Api::ConsumerGroupHeartbeat).into(),
        request(11, "consumer-C", Api::OffsetCommit).into(),
    ];
    snapshot
}

/// Classic, eager: A and C have joined again, B's callback still runs, and the barrier holds all.
pub fn eager() -> Snapshot {
    let mut snapshot = events(1);
    snapshot.consumers = three(GroupType::Classic, [&[], &[3, 4, 5], &[]]);
    let mut state = group("payments", GroupType::Classic, GroupState::PreparingRebalance, &snapshot.consumers);
    for (index, known) in state.members.iter_mut().enumerate() {
        known.is_joining = index != 1;
        known.assigned = parts("events", [&[0, 1, 2][..], &[3, 4, 5], &[]][index]);
    }
    state.due = Some(Time(61_000_000));
    for (consumer, client) in snapshot.consumers.iter_mut().zip([
        ClientMemberState::CompletingRebalance,
        ClientMemberState::PreparingRebalance,
        ClientMemberState::Joining,
    ]) {
        of(consumer).state = client;
    }
    let slow = of(&mut snapshot.consumers[1]);
    slow.held = slow.owned.clone();
    slow.callback = Some((Callback::Revoked, slow.owned.clone()));
    of(&mut snapshot.consumers[2]).generation = -1;
    snapshot.groups = vec![state];
    snapshot.in_flight = vec![request(10, "consumer-A", Api::JoinGroup).into()];
    snapshot
}

/// Classic, cooperative: round one has taken p5 from B, p2 is just being taken from A, C has nothing yet.
pub fn cooperative() -> Snapshot {
    let mut snapshot = events(1);
    snapshot.consumers = three(GroupType::Classic, [&[0, 1, 2], &[3, 4], &[]]);
    let mut state = group("payments", GroupType::Classic, GroupState::Stable, &snapshot.consumers);
    state.assignor = "cooperative-sticky".into();
    state.members[0].assigned = parts("events", &[0, 1]);
    let first = of(&mut snapshot.consumers[0]);
    first.held = parts("events", &[2]);
    first.callback = Some((Callback::Revoked, parts("events", &[2])));
    snapshot.groups = vec![state];
    snapshot
}

/// Consumer protocol: C has p2, and waits for p5, which B gives up just now.
pub fn consumer() -> Snapshot {
    let mut snapshot = events(1);
    snapshot.consumers = three(GroupType::Consumer, [&[0, 1], &[3, 4, 5], &[2]]);
    let mut state = group("payments", GroupType::Consumer, GroupState::Reconciling, &snapshot.consumers);
    state.members[2].target = parts("events", &[2, 5]);
    state.members[2].state = MemberState::UnreleasedPartitions;
    state.members[1].target = parts("events", &[3, 4]);
    state.members[1].revoking = parts("events", &[5]);
    state.members[1].state = MemberState::UnrevokedPartitions;
    state.members[1].epoch = 3;
    let second = of(&mut snapshot.consumers[1]);
    (second.state, second.held) = (ClientMemberState::Reconciling, parts("events", &[5]));
    second.callback = Some((Callback::Revoked, parts("events", &[5])));
    for index in [0, 2] {
        of(&mut snapshot.consumers[index]).generation = 4;
    }
    snapshot.groups = vec![state];
    snapshot.in_flight = vec![request(10, "consumer-A", Api::ConsumerGroupHeartbeat).into()];
    snapshot
}

/// Two groups on three brokers: one with a crashed, a frozen and a busy static member, the other one stable.
pub fn failing() -> Snapshot {
    let mut snapshot = events(3);
    snapshot.consumers = three(GroupType::Consumer, [&[0, 1], &[2, 3], &[4, 5]]);
    snapshot.consumers.push(member("audit", "audit-trail", GroupType::Classic, &[0, 1, 2, 3, 4, 5]));
    snapshot.consumers[0].process = ClientProcess::Crashed;
    snapshot.consumers[1].process = ClientProcess::Frozen;
    let third = of(&mut snapshot.consumers[2]);
    (third.instance, third.repeated_count) = (Some("worker-3".into()), 5);
    (third.busy_until, third.buffered_count) = (Some(Time(9_000_000)), 40);
    snapshot.groups = vec![
        GroupSnapshot {
            coordinator: Some(2),
            ..group("audit-trail", GroupType::Classic, GroupState::Stable, &snapshot.consumers)
        },
        group("payments", GroupType::Consumer, GroupState::Stable, &snapshot.consumers),
    ];
    snapshot.producers.push(producer("orders", "java", "events", Some("user-1")));
    snapshot
}

/// A group of many members over many partitions; a tenth of the latter is on its way from one to another.
pub fn many(members: u32, partitions: u32) -> Snapshot {
    let mut snapshot = cluster(3);
    snapshot.topics.push(topic("events", partitions, 3));
    for partition in &mut snapshot.topics[0].partitions {
        let number = u64::from(partition.partition);
        append(partition, record(number, Some("user-1")));
    }
    for number in 0..members {
        let owned: Vec<u32> = (0..partitions).filter(|one| one % members == number).collect();
        let name = format!("consumer-{}", number + 1);
        let mut consumer = member(&name, "payments", GroupType::Classic, &owned);
        of(&mut consumer).held =
            parts("events", &owned.iter().copied().filter(|one| one % 10 == 0).collect::<Vec<u32>>());
        snapshot.consumers.push(consumer);
    }
    let mut state = group("payments", GroupType::Classic, GroupState::PreparingRebalance, &snapshot.consumers);
    for (index, known) in state.members.iter_mut().enumerate() {
        known.is_joining = index % 3 != 0;
    }
    snapshot.groups = vec![state];
    snapshot.in_flight =
        (0..u64::from(members)).map(|id| request(id, &format!("consumer-{}", id + 1), Api::JoinGroup).into()).collect();
    snapshot
}

/// A request of a member to broker 1.
pub fn request(id: u64, consumer: &str, api: Api) -> MessageView {
    MessageView {
        api,
        from: NodeId::Consumer { name: Name::from(consumer) },
        sent: Moment { time: Time(0), sequence: id },
        ..message(id, "nobody", "events", 0, false)
    }
}

/// Events that lead to a snapshot: members join, own their partitions, and callbacks begin.
pub fn story(snapshot: &Snapshot) -> Vec<Event> {
    let mut kinds = Vec::new();
    for topic in snapshot.topics.iter().filter(|_| !snapshot.groups.is_empty()) {
        let partitions = topic.partitions.len() as u32;
        kinds.push(EventKind::TopicCreated { topic: topic.name.clone(), partitions, replication_factor: 1 });
    }
    let members = || snapshot.consumers.iter().filter_map(|one| Some((one.name.clone(), one.membership.as_ref()?)));
    for (client, one) in members() {
        let (group, member) = (one.group.clone(), one.member.clone());
        kinds.push(EventKind::Group(GroupEvent::MemberJoined { broker: 1, group, member, client, instance: None }));
    }
    for (consumer, one) in members() {
        let owned = one.owned.clone();
        kinds.push(EventKind::Group(GroupEvent::AssignmentChanged { consumer, owned }));
    }
    for (consumer, one) in members() {
        let Some((callback, partitions)) = one.callback.clone() else { continue };
        let (generation, owned) = (one.generation, one.owned.clone());
        let started =
            GroupEvent::CallbackStarted { consumer, callback, partitions, generation, owned, is_librdkafka: false };
        kinds.push(EventKind::Group(started));
    }
    let event = |(index, kind)| {
        let moment = Moment { time: Time(index / 4), sequence: 1_000 + index };
        Event { moment, index, cause: None, kind }
    };
    (0..).zip(kinds).map(event).collect()
}
