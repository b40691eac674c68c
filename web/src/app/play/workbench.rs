//! The workbench behind the page: one session, the scenario under it, what was changed, and the comparison.
//!
//! Every change of the playground goes through here. No markup, and no field knows a player.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use course::{LinkScenario, Settings, Shared, Side};
use engine::scenario::Plan;
use engine::timeline::TimedCommand;
use engine::{Command, InputError, Moment, Outcome, Scenario};
use scene::Player;
use yew::{AttrValue, Callback};

use super::terminal_files::Files;
use super::transcript::Transcript;
use crate::app::opening::Opened;
use crate::app::session::Session;

/// Changes of the set-up that can be taken back.
const EDITS_MAX: usize = 200;

/// A sentence for the person at the bench.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// Something was done.
    Done(AttrValue),
    /// Something could not be done.
    Problem(AttrValue),
    /// A command was given; by its number, as its answer may still come.
    Acted(u64),
}

/// A shared handle; two handles are equal if they are of the same bench.
#[derive(Clone)]
pub struct Workbench(Rc<Inner>);

struct Inner {
    session: RefCell<Session>,
    /// The scenario file that was opened, with its name; while nothing is changed a link can name it.
    origin: RefCell<Option<(String, Scenario)>>,
    compare: RefCell<Option<Side>>,
    edits: RefCell<Vec<Edited>>,
    said: RefCell<Option<Said>>,
    transcript: RefCell<Transcript>,
    files: RefCell<Files>,
    generation: Cell<u32>,
    changed: RefCell<Callback<u32>>,
}

/// What was there before a change of the set-up.
struct Edited {
    before: Scenario,
    /// Commands of the run that was replaced as a whole; absent if they were kept.
    commands: Option<Vec<TimedCommand>>,
    /// How many commands there were after the change.
    command_count: usize,
}

impl PartialEq for Workbench {
    fn eq(&self, other: &Workbench) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Workbench {
    /// A bench with what was opened, at its moment.
    pub fn new(opened: &Opened) -> Result<Workbench, InputError> {
        let (scenario, compare) = set_up_of(opened)?;
        let player = player(&scenario, opened.commands.clone(), opened.moment, compare.as_ref())?;
        Ok(Workbench(Rc::new(Inner {
            session: RefCell::new(Session::new(player)),
            origin: RefCell::new(origin(opened)),
            compare: RefCell::new(compare),
            edits: RefCell::default(),
            said: RefCell::default(),
            transcript: RefCell::default(),
            files: RefCell::default(),
            generation: Cell::new(0),
            changed: RefCell::new(Callback::noop()),
        })))
    }

    /// Tells `changed` when there is another session, another comparison or another sentence.
    pub fn on_change(&self, changed: Callback<u32>) {
        self.0.changed.replace(changed);
    }

    /// Ends the session.
    pub fn close(&self) {
        self.0.changed.replace(Callback::noop());
        self.session().close();
    }

    /// The session that is shown now.
    pub fn session(&self) -> Session {
        self.0.session.borrow().clone()
    }

    /// The set-up at time 0.
    pub fn scenario(&self) -> Scenario {
        self.session().scenario(0)
    }

    /// The one difference of the second side, if there is a second side.
    pub fn compare(&self) -> Option<Side> {
        self.0.compare.borrow().clone()
    }

    /// The last sentence.
    pub fn said(&self) -> Option<Said> {
        self.0.said.borrow().clone()
    }

    /// What the terminal shows.
    pub fn transcript<R>(&self, look: impl FnOnce(&mut Transcript) -> R) -> R {
        look(&mut self.0.transcript.borrow_mut())
    }

    /// The files that command lines may name.
    pub fn files<R>(&self, look: impl FnOnce(&mut Files) -> R) -> R {
        look(&mut self.0.files.borrow_mut())
    }

    /// Says a sentence.
    pub fn say(&self, said: Said) {
        self.0.said.replace(Some(said));
        self.tell();
    }

    /// Says what came of something, in `done`'s words or the error's.
    pub fn say_result(&self, result: Result<(), InputError>, done: impl Into<AttrValue>) {
        match result {
            Ok(()) => self.say(Said::Done(done.into())),
            Err(error) => self.say(Said::Problem(error.to_string().into())),
        }
    }

    /// Changes the set-up. It applies at time 0; commands and time stay.
    ///
    /// # Errors
    /// The engine's own, with the path inside the scenario; nothing is changed then.
    pub fn edit(&self, change: impl FnOnce(&mut Scenario)) -> Result<(), InputError> {
        let mut next = self.scenario();
        change(&mut next);
        self.set_up(next)
    }

    /// Replaces the set-up. It applies at time 0; commands and time stay.
    ///
    /// # Errors
    /// The engine's own, with the path inside the scenario; nothing is changed then.
    pub fn set_up(&self, next: Scenario) -> Result<(), InputError> {
        let before = self.scenario();
        if next == before {
            return Ok(());
        }
        Plan::new(&next)?;
        self.rebase(next)?;
        let command_count = self.command_count();
        let mut edits = self.0.edits.borrow_mut();
        edits.push(Edited { before, commands: None, command_count });
        let surplus = edits.len().saturating_sub(EDITS_MAX);
        edits.drain(..surplus);
        drop(edits);
        self.0.said.replace(None);
        self.tell();
        Ok(())
    }

    /// Opens something else, at its own moment. It can be undone.
    pub fn open(&self, opened: &Opened) -> Result<(), InputError> {
        let before = self.scenario();
        let commands = self.session().read(|player| player.timeline(0).commands().to_vec());
        let (scenario, compare) = set_up_of(opened)?;
        let player = player(&scenario, opened.commands.clone(), opened.moment, compare.as_ref())?;
        self.0.origin.replace(origin(opened));
        self.0.compare.replace(compare);
        self.replace_session(player);
        let command_count = self.command_count();
        self.0.edits.borrow_mut().push(Edited { before, commands: Some(commands), command_count });
        Ok(())
    }

    /// The last command up to now of which something is wanted.
    pub fn last_command<R>(&self, wanted: impl Fn(&Command) -> Option<R>) -> Option<R> {
        self.session().read(|player| {
            let now = player.now();
            let mut commands = player.timeline(0).commands().iter().rev().filter(|timed| timed.moment.time <= now);
            commands.find_map(|timed| wanted(&timed.command))
        })
    }

    /// Does something to the running cluster, now; on both sides of a comparison.
    pub fn act(&self, command: &Command) -> Result<Vec<Outcome>, InputError> {
        self.session().apply(|player| player.act(None, command))
    }

    /// Acts, and lets the bench say what comes of it, now or when the answer is there.
    pub fn act_and_say(&self, command: &Command) -> Result<Vec<Outcome>, InputError> {
        let outcomes = self.act(command)?;
        if let Some(outcome) = outcomes.first() {
            self.say(Said::Acted(outcome.command));
        }
        Ok(outcomes)
    }

    /// Takes back what was done last: a command, or a change of the set-up.
    pub fn undo(&self) -> bool {
        let command_count = self.command_count();
        let is_edit = self.0.edits.borrow().last().is_some_and(|edited| edited.command_count >= command_count);
        if !is_edit {
            // What was said may be about the command that goes.
            self.0.said.replace(None);
            return self.session().apply(|player| player.undo(None));
        }
        let Some(edited) = self.0.edits.borrow_mut().pop() else { return false };
        let undone = match edited.commands {
            None => {
                if other_sides(&edited.before, self.compare().as_ref()).is_err() {
                    // What is compared did not exist then.
                    drop(self.set_compare(None));
                }
                self.rebase(edited.before)
            }
            Some(commands) => {
                self.0.compare.replace(None);
                player(&edited.before, commands, Moment::default(), None).map(|player| self.replace_session(player))
            }
        };
        if let Err(error) = undone {
            self.say(Said::Problem(error.to_string().into()));
        }
        self.tell();
        true
    }

    /// Whether there is anything to take back.
    pub fn can_undo(&self) -> bool {
        self.command_count() > 0 || !self.0.edits.borrow().is_empty()
    }

    /// Splits the stage, or makes it one again.
    pub fn set_compare(&self, compare: Option<Side>) -> Result<(), InputError> {
        let others = other_sides(&self.scenario(), compare.as_ref())?;
        let mut player = self.session().read(Player::clone);
        player.compare_with(others)?;
        self.0.compare.replace(compare);
        self.replace_session(player);
        Ok(())
    }

    /// Goes on with a future that was set aside.
    pub fn open_branch(&self, id: u64) {
        let others = other_sides(&self.scenario(), self.compare().as_ref());
        self.session().apply(|player| {
            player.open_branch(0, id);
            // The other sides always have the first one's commands.
            if let Ok(others) = others {
                player.compare_with(others).expect("this side is shown already");
            }
        });
        self.tell();
    }

    /// The link of the present moment.
    pub fn link(&self) -> String {
        let scenario = self.scenario();
        let named = match &*self.0.origin.borrow() {
            Some((name, origin)) if *origin == scenario => LinkScenario::Name(name.clone()),
            _ => LinkScenario::Full(Box::new(scenario)),
        };
        let settings = Settings { compare: self.compare(), ..Settings::default() };
        self.session().read(|player| {
            let timeline = player.timeline(0);
            course::link::encode(&Shared {
                scenario: named,
                lesson: None,
                act: None,
                settings,
                commands: timeline.commands().to_vec(),
                moment: timeline.moment(),
            })
        })
    }

    fn command_count(&self) -> usize {
        self.session().read(|player| player.timeline(0).commands().len())
    }

    fn rebase(&self, next: Scenario) -> Result<(), InputError> {
        let others = other_sides(&next, self.compare().as_ref())
            .map_err(|error| error.hint("The comparison needs it: stop comparing first."))?;
        self.session().apply(|player| {
            player.rebase(0, next)?;
            player.compare_with(others)
        })
    }

    fn replace_session(&self, mut player: Player) {
        let old = self.session();
        old.read(|old| {
            player.set_mode(old.mode());
            player.set_speed(old.speed());
        });
        self.0.session.replace(Session::new(player));
        old.close();
        self.0.said.replace(None);
        self.tell();
    }

    fn tell(&self) {
        self.0.generation.set(self.0.generation.get() + 1);
        let changed = self.0.changed.borrow().clone();
        changed.emit(self.0.generation.get());
    }
}

/// An error as it stands beside the field that it is about: without the path.
pub fn beside(error: InputError) -> String {
    format!("{} {}", error.message, error.hint).trim_end().to_owned()
}

/// The scenario under its settings, and the comparison.
fn set_up_of(opened: &Opened) -> Result<(Scenario, Option<Side>), InputError> {
    let scenario = opened.settings.apply(&opened.scenario)?;
    Ok((scenario, opened.settings.compare.clone()))
}

fn origin(opened: &Opened) -> Option<(String, Scenario)> {
    match &opened.named {
        LinkScenario::Name(name) => Some((name.clone(), opened.scenario.clone())),
        LinkScenario::Full(_) => None,
    }
}

fn other_sides(scenario: &Scenario, compare: Option<&Side>) -> Result<Vec<Scenario>, InputError> {
    let others = Settings { compare: compare.cloned(), ..Settings::default() }.apply_compare(scenario)?;
    for other in &others {
        Plan::new(other)?;
    }
    Ok(others)
}

fn player(
    scenario: &Scenario,
    commands: Vec<TimedCommand>,
    moment: Moment,
    compare: Option<&Side>,
) -> Result<Player, InputError> {
    let mut player = Player::new(vec![(scenario.clone(), commands)])?;
    if moment.sequence > 0 {
        player.seek_moment(0, moment);
    } else {
        // What is set up is there to be seen: everything that happens at its time has happened.
        player.seek(moment.time);
    }
    player.compare_with(other_sides(scenario, compare)?)?;
    Ok(player)
}
