//! From a lesson, a scenario or a link to what a stage shows: files are fetched, read and laid over each other.
//!
//! The result runs nothing yet; a player is made from it, now and after each change of a setting.

use std::rc::Rc;

use course::{Act, Lesson, LinkScenario, Settings, Shared};
use engine::timeline::TimedCommand;
use engine::{InputError, Moment, Scenario, Time};
use scene::Player;

use super::data::{self, DataError};
use super::session::Session;

/// What is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// The scenario as a link names it.
    pub named: LinkScenario,
    /// The scenario without any setting.
    pub scenario: Scenario,
    /// The lesson, if one was named.
    pub lesson: Option<Rc<Lesson>>,
    /// The act of the lesson.
    pub act: usize,
    /// Settings of the act, of the link and of the attributes, in this order.
    pub settings: Settings,
    /// Commands of the link.
    pub commands: Vec<TimedCommand>,
    /// Where the playhead starts.
    pub moment: Moment,
}

impl Opened {
    /// The act that is shown.
    pub fn act(&self) -> Option<&Act> {
        self.lesson.as_ref().map(|lesson| &lesson.acts[self.act])
    }

    /// A player under settings, at the opening moment.
    pub fn player(&self, settings: &Settings) -> Result<Player, InputError> {
        let first = settings.apply(&self.scenario)?;
        let others = settings.apply_compare(&self.scenario)?;
        let sides = std::iter::once(first).chain(others).map(|scenario| (scenario, self.commands.clone()));
        let mut player = Player::new(sides.collect())?;
        match self.moment {
            Moment { time: Time::ZERO, sequence: 0 } => player.to_start(),
            moment if moment.sequence == u64::MAX => player.seek(moment.time),
            moment => player.seek_moment(0, moment),
        }
        Ok(player)
    }

    /// A session under settings. It goes on from where `previous` stands: time, speed, pace and whether it plays.
    pub fn session(&self, settings: &Settings, previous: Option<&Session>) -> Result<Session, InputError> {
        let mut player = self.player(settings)?;
        if let Some(previous) = previous {
            previous.read(|previous| {
                player.set_mode(previous.mode());
                player.set_speed(previous.speed());
                player.seek(previous.now());
                if previous.is_playing() {
                    player.play();
                }
            });
        }
        Ok(Session::new(player))
    }

    /// The link of a player's present moment.
    pub fn link(&self, player: &Player, settings: &Settings) -> String {
        let timeline = player.timeline(0);
        course::link::encode(&Shared {
            scenario: self.named.clone(),
            lesson: self.lesson.as_ref().map(|lesson| lesson.slug.clone()),
            act: self.act().map(|act| act.id.clone()),
            settings: settings.clone(),
            commands: timeline.commands().to_vec(),
            moment: timeline.moment(),
        })
    }
}

/// A built lesson with its first act.
pub async fn lesson(slug: &str) -> Result<Opened, InputError> {
    let index = data::load("lessons/index.json").await.map_err(|error| unreachable(&error))?;
    let index = course::Index::from_json(&index)?;
    if !index.built().any(|(_, entry)| entry.slug == slug) {
        let slugs = index.built().map(|(_, entry)| entry.slug.as_str());
        let hint = course::suggest::hint(slug, slugs);
        return Err(InputError::new("widget.unknown_lesson", format!("There is no lesson \"{slug}\"."))
            .at("lesson")
            .hint(hint));
    }
    let text = data::load(&format!("lessons/{slug}.toml")).await.map_err(|error| unreachable(&error))?;
    let lesson = Rc::new(Lesson::from_toml(&text)?);
    act(lesson, 0).await
}

/// An act of a lesson, by its place.
pub async fn act(lesson: Rc<Lesson>, place: usize) -> Result<Opened, InputError> {
    let act = &lesson.acts[place];
    let scenario = scenario(&act.scenario).await?;
    let settings = act.settings.clone();
    Ok(Opened { lesson: Some(Rc::clone(&lesson)), act: place, settings, ..scenario })
}

/// A scenario file by its name.
pub async fn scenario(name: &str) -> Result<Opened, InputError> {
    let known = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let text = if name.chars().all(known) { data::load(&format!("scenarios/{name}.toml")).await.ok() } else { None };
    let Some(text) = text else { return Err(unknown_scenario(name).await) };
    Ok(Opened {
        named: LinkScenario::Name(name.to_string()),
        scenario: course::scenario_from_text(&text)?,
        lesson: None,
        act: 0,
        settings: Settings::default(),
        commands: Vec::new(),
        moment: Moment::default(),
    })
}

async fn unknown_scenario(name: &str) -> InputError {
    let index = data::load("lessons/index.json").await.ok();
    let index = index.and_then(|text| course::Index::from_json(&text).ok());
    let entries = index.iter().flat_map(|index| index.built());
    let names: Vec<&str> = entries.flat_map(|(_, entry)| entry.scenarios.iter().map(String::as_str)).collect();
    let hint = course::suggest::hint(name, names.iter().copied());
    InputError::new("scenario.unknown", format!("There is no scenario \"{name}\".")).at("scenario").hint(hint)
}

/// What a share link names.
pub async fn shared(link: &str) -> Result<Opened, InputError> {
    let shared = course::link::decode(link).map_err(InputError::from)?;
    let mut opened = match (&shared.lesson, &shared.scenario) {
        (Some(slug), _) => lesson(slug).await?,
        (None, LinkScenario::Name(name)) => scenario(name).await?,
        (None, LinkScenario::Full(full)) => full_scenario(full),
    };
    if let (Some(wanted), Some(lesson)) = (&shared.act, opened.lesson.clone())
        && let Some(place) = lesson.acts.iter().position(|act| act.id == *wanted)
    {
        opened = act(lesson, place).await?;
    }
    Ok(Opened { settings: shared.settings, commands: shared.commands, moment: shared.moment, ..opened })
}

/// A scenario that has no file.
pub fn full_scenario(scenario: &Scenario) -> Opened {
    Opened {
        named: LinkScenario::Full(Box::new(scenario.clone())),
        scenario: scenario.clone(),
        lesson: None,
        act: 0,
        settings: Settings::default(),
        commands: Vec::new(),
        moment: Moment::default(),
    }
}

fn unreachable(error: &DataError) -> InputError {
    InputError::new("file.unreachable", error.to_string())
}
