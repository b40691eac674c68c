//! One recording on its way: steps at their times, what they came to, and what was seen meanwhile.
//!
//! Deliberately not here: which command a verb is (`verbs.rs`), and what is compared.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use engine::event::EventKind;
use engine::group::{Callback, CommitKind, GroupEvent};
use engine::snapshot::ConsumerSnapshot;
use engine::{Command, Duration, Event, Outcome, Time, Timeline};
use serde_json::{Map, Value, json};

use super::draws::Draw;
use super::recording::{Recording, Seen};
use super::setup::Log;
use super::{errors, library, setup, states};

/// Groups are looked at that often, in the middle between two full tenths of a second.
const SAMPLES: Duration = Duration::from_millis(100);
const FIRST_SAMPLE: Time = Time::from_millis(50);

/// How soon a call is tried again whose member is busy.
const AGAIN: Duration = Duration::from_millis(10);

/// A topic that no recording has.
const OTHER_TOPIC: &str = "elsewhere";

/// What is planned.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Plan {
    Sample,
    /// A member calls again after a pause.
    Resume(String),
    /// The first waiting call of a member.
    Call(String),
    Step(usize),
    BrokerStop,
    BrokerStart,
    /// Somebody else on the cluster makes a topic.
    OtherTopic,
}

/// A member's application.
#[derive(Debug, Default)]
pub(super) struct Application {
    /// Steps that wait until it is free.
    pub waiting: VecDeque<usize>,
    /// Its process stands still.
    pub is_frozen: bool,
    /// It makes no calls until then.
    pub pauses_until: Option<Time>,
    /// A call that has not returned.
    pub blocked_by: Option<u64>,
    /// Its next callback of that kind takes long, and that is told.
    pub slow_revoked: bool,
    /// It was closed or killed.
    pub is_gone: bool,
    /// It is one of librdkafka.
    pub is_library: bool,
    /// It has a callback for commits.
    pub hears_commits: bool,
    /// What it owns, as it was told last.
    pub owned: Vec<String>,
    /// The offset behind the last record that it got of what it owns, since it owns it.
    pub read: BTreeMap<String, u64>,
    /// Commits of its own that have not returned, by the verb that asked.
    pub commits: VecDeque<(u64, String)>,
}

/// A call whose outcome is waited for.
#[derive(Debug)]
pub(super) struct Asked {
    pub member: String,
    pub verb: String,
}

/// A recording that is being replayed.
pub(super) struct Play<'a> {
    pub recording: &'a Recording,
    pub timeline: Timeline<Log>,
    pub seen: Vec<Seen>,
    pub applications: BTreeMap<String, Application>,
    pub asked: BTreeMap<u64, Asked>,
    /// Whether the producer of `produce` steps has started.
    pub has_producer: bool,
    /// How long callbacks of members take for each partition.
    pub callback: Duration,
    agenda: BTreeMap<(Time, u64), Plan>,
    planned: u64,
}

impl<'a> Play<'a> {
    pub fn new(recording: &'a Recording, brokers: u32, draw: &Draw) -> Result<Play<'a>, String> {
        let timeline = setup::timeline(recording, brokers, draw.seed)?;
        let mut play = Play {
            recording,
            timeline,
            seen: Vec::new(),
            applications: BTreeMap::new(),
            asked: BTreeMap::new(),
            has_producer: false,
            callback: Duration::from_millis(draw.callback),
            agenda: BTreeMap::new(),
            planned: 0,
        };
        play.sample();
        play.plan(FIRST_SAMPLE, Plan::Sample);
        for (number, step) in recording.steps.iter().enumerate() {
            play.plan(Time::from_millis(step.at_ms + draw.delays[number]), Plan::Step(number));
        }
        if let Some(at) = draw.other_topic {
            play.plan(Time::from_millis(at), Plan::OtherTopic);
        }
        // The restart is no step of these recordings; their format says when it was.
        if recording.id.starts_with("broker-restart-") {
            play.plan(Time::from_millis(14_000), Plan::BrokerStop);
            play.plan(Time::from_millis(18_000), Plan::BrokerStart);
        }
        Ok(play)
    }

    fn plan(&mut self, at: Time, plan: Plan) {
        self.agenda.insert((at, self.planned), plan);
        self.planned += 1;
    }

    /// Runs until a time; steps that are due then are done.
    pub fn run_to(&mut self, until: Time) -> Result<(), String> {
        while let Some((key, plan)) = self.agenda.first_key_value().map(|(key, plan)| (*key, plan.clone())) {
            if key.0 > until {
                break;
            }
            self.agenda.remove(&key);
            self.pass_to(key.0);
            self.carry_out(plan)?;
        }
        self.pass_to(until);
        Ok(())
    }

    fn carry_out(&mut self, plan: Plan) -> Result<(), String> {
        match plan {
            Plan::Sample => {
                self.sample();
                self.plan(self.timeline.now() + SAMPLES, Plan::Sample);
            }
            Plan::Step(number) => self.begin(number)?,
            Plan::Call(member) => self.call_next(&member)?,
            Plan::Resume(member) => {
                self.act(Command::ResumePoll { consumer: member.clone() })?;
                self.saw(&member, "poll_resumed", json!({}));
                self.application(&member).pauses_until = None;
                self.call_next(&member)?;
            }
            Plan::BrokerStop => drop(self.submit(Command::StopBroker { broker: 1 })?),
            Plan::BrokerStart => drop(self.submit(Command::StartBroker { broker: 1 })?),
            Plan::OtherTopic => drop(self.submit(Command::CreateTopic {
                topic: OTHER_TOPIC.to_owned(),
                partitions: Some(1),
                replication_factor: Some(1),
                assignment: None,
                configs: BTreeMap::new(),
            })?),
        }
        self.look();
        Ok(())
    }

    /// Lets simulated time pass, and looks at everything that happens.
    fn pass_to(&mut self, until: Time) {
        while self.timeline.peek().is_some_and(|next| next.time <= until) && self.timeline.step_entry() {
            self.look();
        }
        if self.timeline.now() < until {
            self.timeline.advance_to(until);
            self.look();
        }
    }

    /// Does a step, or puts it behind those that its member has not come to yet.
    fn begin(&mut self, number: usize) -> Result<(), String> {
        let step = &self.recording.steps[number];
        let place = |difference: String| format!("step {number} {}: {difference}", step.verb);
        let Some(member) = step.arguments["member"].as_str() else {
            return self.perform(number).map(drop).map_err(place);
        };
        if matches!(step.verb.as_str(), "join" | "crash" | "freeze" | "thaw") {
            return self.perform(number).map(drop).map_err(place);
        }
        self.application(member).waiting.push_back(number);
        self.call_next(member)
    }

    /// The next waiting calls of a member that is free.
    fn call_next(&mut self, member: &str) -> Result<(), String> {
        while let Some(number) = self.application(member).waiting.front().copied() {
            if self.application(member).is_gone {
                self.application(member).waiting.clear();
                break;
            }
            if !self.is_free(member) {
                self.plan(self.timeline.now() + AGAIN, Plan::Call(member.to_owned()));
                break;
            }
            let verb = &self.recording.steps[number].verb;
            let has_answer =
                self.perform(number).map_err(|difference| format!("step {number} {verb}: {difference}"))?;
            if !has_answer {
                self.plan(self.timeline.now() + AGAIN, Plan::Call(member.to_owned()));
                break;
            }
            self.application(member).waiting.pop_front();
            self.look();
        }
        Ok(())
    }

    /// Whether a member's application can be told to call: it is in no other call, and not stopped.
    fn is_free(&mut self, member: &str) -> bool {
        let application = self.application(member);
        !application.is_frozen && application.pauses_until.is_none() && application.blocked_by.is_none()
    }

    /// Whether a member's application is in no callback.
    pub fn is_outside_callbacks(&self, member: &str) -> bool {
        let now = self.timeline.now();
        let membership = self.consumer(member).and_then(|consumer| consumer.membership);
        membership.is_none_or(|own| own.callback.is_none() && own.busy_until.is_none_or(|busy_until| busy_until <= now))
    }

    /// Starts a pause in which a member makes no call.
    pub fn pause(&mut self, member: &str, time: Duration) {
        let until = self.timeline.now() + time;
        self.application(member).pauses_until = Some(until);
        self.plan(until, Plan::Resume(member.to_owned()));
    }

    pub fn application(&mut self, member: &str) -> &mut Application {
        self.applications.entry(member.to_owned()).or_default()
    }

    pub fn consumer(&self, name: &str) -> Option<ConsumerSnapshot> {
        self.timeline.snapshot(0).consumers.into_iter().find(|consumer| *consumer.name == *name)
    }

    /// Gives a command; its answer may come later.
    pub fn submit(&mut self, command: Command) -> Result<u64, String> {
        let number = self.timeline.submit(command).map_err(|error| error.to_string())?;
        Ok(number)
    }

    /// Gives a command that is answered at once.
    pub fn act(&mut self, command: Command) -> Result<Outcome, String> {
        self.timeline.act(command).map_err(|error| error.to_string())
    }

    /// Notes something that was seen now.
    pub fn saw(&mut self, member: &str, event: &str, fields: Value) {
        self.saw_at(self.timeline.now(), member, event, fields);
    }

    pub(super) fn saw_at(&mut self, at: Time, member: &str, event: &str, fields: Value) {
        let Value::Object(fields) = fields else { unreachable!("fields are named") };
        let seen = Seen { at_ms: at.millis(), member: member.to_owned(), event: event.to_owned(), fields };
        self.seen.push(seen);
    }

    /// Looks at the group as an Admin client would.
    fn sample(&mut self) {
        let snapshot = self.timeline.snapshot(0);
        let Some(mut fields) = states::sample(&snapshot, &self.recording.group) else { return };
        if self.recording.is_library {
            library::add_assignor(&mut fields, &snapshot, &self.recording.group);
        }
        let last = self.seen.iter().rfind(|seen| seen.event == "state");
        if last.is_none_or(|last| last.fields != fields) {
            self.saw("", "state", Value::Object(fields));
        }
    }

    /// Turns what has happened into what a recorder would have seen.
    pub fn look(&mut self) {
        let log = Rc::clone(&self.timeline.observer().0);
        let events = std::mem::take(&mut *log.borrow_mut());
        events.iter().for_each(|event| self.look_at(event));
    }

    fn look_at(&mut self, event: &Event) {
        let at = event.moment.time;
        match &event.kind {
            EventKind::Group(group) if self.is_of_library(group) => self.look_at_library(at, group),
            EventKind::Group(group) => self.look_at_group(at, group),
            EventKind::RecordsRead { consumer, partition, first_offset, records } => {
                if let Some(last) = records.len().checked_sub(1) {
                    let read = &mut self.application(consumer).read;
                    read.insert(partition.to_string(), first_offset + last as u64 + 1);
                    let batch = json!([partition.to_string(), first_offset, first_offset + last as u64]);
                    self.saw_at(at, consumer, "records", json!({ "batches": [batch], "count": records.len() }));
                }
            }
            EventKind::CommandFinished { outcome } => self.finished(at, outcome),
            _ => {}
        }
    }

    fn look_at_group(&mut self, at: Time, event: &GroupEvent) {
        match event {
            GroupEvent::CallbackStarted { consumer, callback, partitions, generation, owned, .. } => {
                let name = match callback {
                    Callback::Revoked => "revoked",
                    Callback::Lost => "lost",
                    Callback::Assigned => "assigned",
                };
                let mut fields = json!({ "partitions": names(partitions), "generation": generation });
                if *callback == Callback::Assigned {
                    fields["owns"] = json!(names(owned));
                }
                self.saw_at(at, consumer, name, fields);
            }
            GroupEvent::CallbackReturned { consumer, callback: Callback::Revoked, .. } => {
                let began = self.seen.iter().rfind(|seen| seen.member == **consumer && seen.event == "revoked");
                let took = began.map_or(0, |began| at.millis() - began.at_ms);
                if took > 0 && std::mem::take(&mut self.application(consumer).slow_revoked) {
                    self.saw_at(at, consumer, "revoked_returned", json!({}));
                }
            }
            GroupEvent::PollFailed { consumer, error } => {
                self.saw_at(at, consumer, "poll_error", Value::Object(errors::thrown(error)));
            }
            GroupEvent::CommitReturned { consumer, how, offsets, error } => {
                let Some(how) = self.committer(consumer, *how) else { return };
                let mut fields = error.as_deref().map_or_else(Map::new, errors::thrown);
                if error.is_none() && !offsets.is_empty() && how != "commit_async" {
                    fields.insert("offsets".into(), positions(offsets));
                }
                if !matches!(how.as_str(), "commit_at" | "commit_async") {
                    fields.insert("generation".into(), json!(self.generation(consumer)));
                }
                fields.insert("how".into(), json!(how));
                let event = if error.is_some() { "commit_failed" } else { "committed" };
                self.saw_at(at, consumer, event, Value::Object(fields));
            }
            GroupEvent::ConsumerClosed { consumer } if !self.application(consumer).is_gone => {
                self.application(consumer).is_gone = true;
                self.saw_at(at, consumer, "closed", json!({}));
            }
            _ => {}
        }
    }

    /// `groupMetadata().generationId()`: a member that has left keeps the last one that it was told.
    fn generation(&self, member: &str) -> i64 {
        let membership = self.consumer(member).and_then(|consumer| consumer.membership);
        let present = membership.map_or(-1, |own| i64::from(own.generation));
        if present > 0 {
            return present;
        }
        let told = self.seen.iter().filter(|seen| seen.member == member);
        told.filter_map(|seen| seen.fields.get("generation")?.as_i64()).max().unwrap_or(-1)
    }

    /// Who committed, in the words of the recordings; nobody hears of a commit that the client made by itself.
    pub(super) fn committer(&mut self, consumer: &str, how: CommitKind) -> Option<String> {
        let called = match how {
            CommitKind::Auto => return None,
            CommitKind::InRevoked => return Some("commit_in_revoked".to_owned()),
            CommitKind::InLost => return Some("commit_in_lost".to_owned()),
            CommitKind::Sync => false,
            CommitKind::Async => true,
        };
        let commits = &mut self.application(consumer).commits;
        let place = commits.iter().position(|(_, verb)| (verb == "commit_async") == called)?;
        commits.remove(place).map(|(_, verb)| verb)
    }

    /// A call has returned.
    fn finished(&mut self, at: Time, outcome: &Outcome) {
        let Some(Asked { member, verb }) = self.asked.remove(&outcome.command) else { return };
        let application = self.application(&member);
        if application.blocked_by == Some(outcome.command) {
            application.blocked_by = None;
        }
        let is_commit = verb.starts_with("commit_");
        let is_told = !application.commits.iter().any(|(command, _)| *command == outcome.command);
        match &outcome.error {
            // A commit that came to something has told of it already.
            Some(error) if is_commit && !is_told => {
                application.commits.retain(|(command, _)| *command != outcome.command);
                let mut fields = if application.is_library { library::raised(error) } else { errors::thrown(error) };
                fields.insert("how".into(), json!(verb));
                self.saw_at(at, &member, "commit_failed", Value::Object(fields));
            }
            Some(_) if is_commit => {}
            Some(error) => {
                let mut fields = errors::thrown(error);
                fields.insert("call".into(), json!(verb));
                self.saw_at(at, &member, "call_failed", Value::Object(fields));
            }
            None if verb == "unsubscribe" => self.saw_at(at, &member, "unsubscribed", json!({})),
            None => {}
        }
    }
}

pub(super) fn names(partitions: &[engine::event::TopicPartition]) -> Vec<String> {
    partitions.iter().map(ToString::to_string).collect()
}

pub(super) fn positions(offsets: &[(engine::event::TopicPartition, u64)]) -> Value {
    offsets.iter().map(|(partition, offset)| (partition.to_string(), json!(offset))).collect::<Map<_, _>>().into()
}
