//! A reader who presses every button of every act, in order, completes every step.
//!
//! Deliberately not here: the page. Lines of the terminal run in the real console.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use course::condition::{EVENTS_SEEN_MAX, kind_of};
use course::{Act, Condition, Lesson, Observation, Offer, Panel, Progress, Settings, Step};
use engine::{Scenario, Time, Timeline};
use scene::{Hurry, Pace, PaceMode, seek_start};

/// Newest records of a partition that a condition may look at.
const RECORDS_SEEN: usize = 16;

/// No button runs longer than this: ten days, for the lessons about retention.
const LIMIT: Time = Time::from_millis(864_000_000);

struct Walk<'a> {
    lesson: &'a Lesson,
    act: &'a Act,
    scenario: &'a Scenario,
    settings: Settings,
    timeline: Timeline<Pace>,
    /// The number of the first event of the present step.
    began: u64,
    /// What the terminal printed in the present step.
    printed: String,
    /// Why the settings of the present step made no stage.
    refused: String,
    panels: BTreeSet<Panel>,
    progress: Progress,
}

/// What the walk over all steps of all lessons found.
#[derive(Default)]
struct Walked {
    steps: u64,
    /// Steps that are not complete after their button.
    stuck: Vec<String>,
    /// Steps whose run takes too long on the screen.
    slow: Vec<String>,
    /// Things that a complete step points at and that are not there.
    missing: Vec<String>,
}

/// One walk for all tests that press buttons.
fn walked() -> &'static Walked {
    /// Frames of a screen that shows 60 a second, at plain speed.
    const FRAMES_MAX: u64 = 60 * 30;
    static WALKED: OnceLock<Walked> = OnceLock::new();
    WALKED.get_or_init(|| {
        let mut found = Walked::default();
        each_step(|walk, slug, step, action, condition| {
            let display = walk.display();
            walk.press(action, condition);
            found.steps += 1;
            let frames = frames(walk.display().saturating_sub(display));
            if frames > FRAMES_MAX {
                found.slow.push(format!("{slug} {}: {} s", step.id, frames / 60));
            }
            let now = walk.timeline.now();
            if !walk.holds(condition) {
                found.stuck.push(format!("{slug} {} is not complete at {now}: {condition:?}", step.id));
            }
            let ids = walk.ids();
            let missing = step.point_at.iter().filter(|id| !ids.contains(*id));
            found.missing.extend(missing.map(|id| format!("{slug} {}: there is no {id} among {ids:?}", step.id)));
            walk.progress.complete(slug, &step.id);
        });
        found
    })
}

#[test]
fn every_step_can_be_completed_by_its_own_button() {
    let walked = walked();
    assert!(walked.stuck.is_empty(), "{}", walked.stuck.join("\n"));
    assert!(super::chosen().is_some() || walked.steps >= 40, "only {} steps were walked", walked.steps);
}

#[test]
fn no_step_keeps_its_reader_waiting() {
    let slow = &walked().slow;
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

#[test]
fn what_a_step_points_at_exists_when_it_is_complete() {
    let missing = &walked().missing;
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// How many frames a run of a step takes over so much of the display axis.
fn frames(display: u64) -> u64 {
    const FRAME: u64 = 1_000_000 / 60;
    let mut hurry = Hurry::default();
    let mut passed = 0;
    (0..)
        .find(|_| {
            passed += FRAME * hurry.speed(1_000, FRAME) / 1_000;
            passed >= display
        })
        .expect("every run ends")
}

#[test]
fn no_step_is_complete_before_anything_was_done() {
    let mut done = Vec::new();
    each_step(|walk, slug, step, _, condition| {
        walk.panels.clear();
        if walk.holds(condition) {
            done.push(format!("{slug} {} is complete at the start", step.id));
        }
    });
    assert!(done.is_empty(), "{}", done.join("\n"));
}

/// Walks through every built act of every lesson: the walk, the lesson, the step, its action and its condition.
fn each_step(mut visit: impl FnMut(&mut Walk<'_>, &str, &Step, &Offer, &Condition)) {
    let scenarios = super::scenarios();
    let chosen = super::chosen();
    for (slug, (lesson, _)) in super::lessons() {
        if chosen.as_ref().is_some_and(|only| *only != slug) {
            continue;
        }
        for act in lesson.acts.iter().filter(|act| act.later.is_none()) {
            let mut walk = Walk::new(&lesson, act, &scenarios[&act.scenario]);
            for step in act.steps.iter().filter(|step| step.later.is_none()) {
                let action = step.action.as_ref().unwrap_or_else(|| panic!("{slug} {}: no action", step.id));
                let condition = step.done.as_ref().unwrap_or_else(|| panic!("{slug} {}: no condition", step.id));
                visit(&mut walk, &slug, step, action, condition);
            }
        }
    }
}

/// A stage at the start, as the page shows it.
fn started(stage: Scenario) -> Timeline<Pace> {
    let mut timeline = Timeline::new(stage, Pace::default()).expect("the stage starts");
    seek_start(&mut timeline);
    timeline
}

impl<'a> Walk<'a> {
    fn new(lesson: &'a Lesson, act: &'a Act, scenario: &'a Scenario) -> Walk<'a> {
        let stage = act.settings.apply(scenario).expect("the act's settings fit");
        Walk {
            lesson,
            act,
            scenario,
            settings: act.settings.clone(),
            timeline: started(stage),
            began: 0,
            printed: String::new(),
            refused: String::new(),
            panels: act.panels.iter().copied().collect(),
            progress: Progress::default(),
        }
    }

    /// What happens when the button is pressed, in the order that [`Offer`] documents.
    fn press(&mut self, action: &Offer, condition: &Condition) {
        self.refused.clear();
        if let Some(settings) = &action.settings {
            self.settings = self.act.settings.with(settings);
        }
        if action.settings.is_some() || action.reset {
            let stage = self.settings.apply(self.scenario).expect("the step's settings fit");
            if let Some(error) = engine::Simulation::new(&stage).err() {
                // The stage stays as it was; the step is about what the client says.
                self.refused = error.to_string();
                return;
            }
            self.timeline = started(stage);
        }
        self.began = self.timeline.observer().event_count();
        self.printed.clear();
        self.panels.extend(action.open.iter().copied());
        for command in &action.commands {
            self.timeline.act(command.clone()).expect("the command is well formed");
        }
        if let Some(line) = action.console_line(&self.settings) {
            let printed = console::run(&mut self.timeline, &line);
            self.printed = printed.stdout + &printed.stderr;
        }
        if let Some(kind) = &action.step_to {
            while self.timeline.now() < LIMIT && self.timeline.step().is_some() && !self.happened_now(kind) {}
        }
        if let Some(until) = action.run_to {
            self.timeline.advance_to(Time::ZERO + until);
        }
        if action.run {
            while !self.holds(condition) && self.timeline.now() < LIMIT && self.timeline.step().is_some() {}
        }
    }

    /// Where the run stands on the screen's own axis, in microseconds.
    fn display(&self) -> u64 {
        self.timeline.observer().last(PaceMode::Elastic)
    }

    fn happened_now(&mut self, kind: &str) -> bool {
        let now = self.timeline.moment();
        !self.timeline.recent(1, &|event| event.moment == now && kind_of(event) == kind).is_empty()
    }

    fn holds(&mut self, condition: &Condition) -> bool {
        let events = self.timeline.recent_from(self.began, EVENTS_SEEN_MAX, &|_| true);
        condition.holds(&Observation {
            snapshot: &self.timeline.snapshot(RECORDS_SEEN),
            events: &events,
            settings: &self.settings,
            printed: &self.printed,
            refused: &self.refused,
            panels: &self.panels,
            progress: &self.progress,
            lesson: &self.lesson.slug,
        })
    }

    /// Ids of what is on the stage.
    fn ids(&self) -> BTreeSet<String> {
        let snapshot = self.timeline.snapshot(1);
        let producers = snapshot.producers.iter().map(|producer| format!("producer:{}", producer.name));
        let consumers = snapshot.consumers.iter().map(|consumer| format!("consumer:{}", consumer.name));
        let sharing = snapshot.share_consumers.iter().map(|consumer| format!("consumer:{}", consumer.name));
        let partitions = snapshot.topics.iter().flat_map(|topic| {
            topic.partitions.iter().map(|partition| format!("partition:{}-{}", topic.name, partition.partition))
        });
        let brokers = snapshot.brokers.iter().map(|broker| format!("broker:{}", broker.id));
        producers
            .chain(consumers)
            .chain(sharing)
            .chain(partitions)
            .chain(brokers)
            .chain(["strip".to_string()])
            .collect()
    }
}
