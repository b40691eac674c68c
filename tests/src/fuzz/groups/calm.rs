//! One more member joins a group at rest: what stands still then, and for whom a slow member matters.
//!
//! Eager: everything stands. Cooperative and consumer protocol: only what moves. Consumer protocol: nobody waits for
//! a slow member, but for the partitions that it has. Deliberately not here: groups with faults (`watch.rs`).

use engine::group::{Callback, GroupState, GroupType};
use engine::rng::Stream;
use engine::scenario::ConsumerSpec;
use engine::snapshot::Snapshot;
use engine::{Command, Duration};

use super::Run;
use super::rest::{self, Member};
use super::stage::{self, Kind, Way};

/// The consumer that joins.
const NEWCOMER: &str = "newcomer";
/// Long enough for a slow join, however long heartbeats are apart.
const JOINED: Duration = Duration::from_secs(90);
/// How long the slow member's callback takes, and when everybody else is done.
const SLOW: Duration = Duration::from_secs(25);
const OTHERS_DONE: Duration = Duration::from_secs(20);

pub(super) fn check(dice: &mut Stream, run: &mut Run) -> Result<(), String> {
    for (place, (group, kind)) in run.plans.clone().into_iter().enumerate() {
        let way = match kind {
            Kind::Classic("CooperativeSticky") => Way::Cooperative,
            Kind::Classic(_) | Kind::Default => Way::Eager,
            Kind::Consumer => Way::Consumer,
            Kind::Rolling | Kind::Mixed => continue,
        };
        let name = format!("{NEWCOMER}-{place}");
        let mut spec = stage::member(dice, &name, &(group.clone(), kind));
        spec.configs.remove("group.instance.id");
        join(run, &group, way, spec)?;
    }
    Ok(())
}

fn join(run: &mut Run, group: &str, way: Way, spec: ConsumerSpec) -> Result<(), String> {
    let before = run.simulation.snapshot(0);
    if rest::members(&before, group).is_empty() {
        return Ok(());
    }
    let owned: usize = rest::members(&before, group).iter().map(|member| member.membership.owned.len()).sum();
    run.standstill.restart(run.simulation.now());
    let removed = run.watch.removed();
    let slow = if way == Way::Consumer { slow_member(run, &before, group) } else { None };
    run.act(Command::Consumer(spec));
    if let Some(slow) = &slow {
        run.pass(OTHERS_DONE)?;
        nobody_waits(&run.simulation.snapshot(0), group, slow)?;
    }
    run.pass(JOINED)?;
    rest::check(run)?;
    // A callback that was made slow before may have put its member out: then more stands than has to.
    if run.watch.removed() > removed {
        return Ok(());
    }
    let stood = run.standstill.of(group, run.simulation.now());
    let is_right = match way {
        Way::Eager => stood.stopped as usize == owned,
        Way::Cooperative | Way::Consumer => stood.stopped == stood.moved,
    };
    if is_right { Ok(()) } else { Err(format!("{way:?}: of {owned} owned partitions in {group}: {stood:?}")) }
}

/// Makes one member slow to give up what it has, if that does not make it so slow that it is fenced.
fn slow_member(run: &mut Run, snapshot: &Snapshot, group: &str) -> Option<String> {
    let members = rest::members(snapshot, group);
    let is_patient = |member: &&Member<'_>| {
        let configs = run.specs.get(&*member.consumer.name).map(|spec| &spec.configs);
        let interval = configs.and_then(|configs| configs.get("max.poll.interval.ms")?.parse().ok());
        interval.is_some_and(|interval| Duration::from_millis(interval) > SLOW)
    };
    let most = members.iter().filter(is_patient).max_by_key(|member| member.membership.owned.len())?;
    let name = most.consumer.name.to_string();
    let time = SLOW;
    run.act(Command::SlowCallback { consumer: name.clone(), callback: Callback::Revoked, time }).then_some(name)
}

/// Everybody but the slow one has its target, but for what the slow one still has.
fn nobody_waits(snapshot: &Snapshot, group: &str, slow: &str) -> Result<(), String> {
    let found = snapshot.groups.iter().find(|found| *found.group == *group);
    let Some(found) = found.filter(|found| found.group_type == GroupType::Consumer) else { return Ok(()) };
    if found.state == GroupState::Assigning {
        return Err(format!("{group} is {:?} still", found.state));
    }
    let members = rest::members(snapshot, group);
    let held = members.iter().find(|member| *member.consumer.name == *slow).map(|member| &member.membership.owned);
    let is_held = |partition| held.is_some_and(|held| held.contains(partition));
    for Member { consumer, membership } in members.iter().filter(|member| *member.consumer.name != *slow) {
        let target = found.members.iter().find(|told| told.member == membership.member).map(|told| &told.target);
        let expected: Vec<_> = target.into_iter().flatten().filter(|partition| !is_held(partition)).cloned().collect();
        if membership.owned != expected {
            return Err(format!(
                "{} owns {:?} and waits for {slow}, not for {expected:?}",
                consumer.name, membership.owned
            ));
        }
    }
    Ok(())
}
