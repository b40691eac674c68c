//! The attributes of a widget, read once at the edge: what is shown, what readers may touch, what is wrong.
//!
//! Names of attributes are checked in `element.js`, before any wasm is loaded. Nothing is drawn here.

use std::collections::{BTreeMap, BTreeSet};

use course::{Panel, Settings};
use engine::{InputError, Time, limits};

use crate::decimal::decimal;

/// Controls of the time bar and around it. All other names of controls are settings.
const TRANSPORT: [&str; 9] = ["play", "step", "back", "time", "speed", "reset", "undo", "branch", "link"];
/// What a widget shows for a reader if the page says nothing: a few controls that cannot lose anything.
const TRANSPORT_DEFAULT: [&str; 6] = ["play", "step", "back", "time", "speed", "reset"];
/// Panels that every widget has.
const PANELS: [&str; 5] = ["strip", "code", "describe", "log", "steps"];
/// Panels that lessons open, in the order in which a widget shows them.
pub const LESSON_PANELS: [Panel; 19] = [
    Panel::HashSteps,
    Panel::Compare,
    Panel::SignRules,
    Panel::KeyBytes,
    Panel::ResidueWheel,
    Panel::ByteMeter,
    Panel::Terminal,
    Panel::Readers,
    Panel::Window,
    Panel::Shelf,
    Panel::Sizing,
    Panel::TransactionBoard,
    Panel::Timeline,
    Panel::Buffer,
    Panel::Shards,
    Panel::Counter,
    Panel::Groups,
    Panel::CoordinatorHash,
    Panel::AssignorBench,
];
/// Words for several locks at once.
const LOCK_WORDS: [&str; 2] = ["all", "cluster"];
/// Settings that change the cluster rather than its clients.
const CLUSTER: [&str; 4] = ["partitions", "grow", "replication_factor", "topic"];
/// Bounds of the attribute `speed`, in thousandths.
const SPEED: std::ops::RangeInclusive<f64> = 100.0..=100_000.0;

/// What a widget opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A lesson by its slug.
    Lesson(String),
    /// A scenario by its name.
    Scenario(String),
    /// A share link.
    Link(String),
}

/// The attributes of a widget.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What is opened; none if no attribute says so.
    pub source: Option<Source>,
    /// Id of the lesson's act; the first one by default.
    pub act: Option<String>,
    /// Laid over its scenario.
    pub settings: Settings,
    /// Where the playhead starts; a link brings its own.
    pub time: Option<Time>,
    /// Speed in thousandths.
    pub speed: Option<u32>,
    /// Whether it plays as soon as it is seen.
    pub autoplay: bool,
    /// Controls that are shown; none: what suits the lesson.
    pub controls: Option<BTreeSet<String>>,
    /// What readers see but cannot change.
    pub lock: BTreeSet<String>,
    /// Panels that are shown; none: what suits the lesson.
    pub panels: Option<BTreeSet<String>>,
    /// `light`, `dark`, or the system's choice.
    pub theme: Option<String>,
}

impl Options {
    /// Reads attributes. What cannot be used is left out and told.
    pub fn read(attributes: &BTreeMap<String, String>) -> (Options, Vec<InputError>) {
        let mut reader = Reader { attributes, problems: Vec::new() };
        let options = Options {
            source: reader.source(),
            act: reader.text("lesson-act"),
            settings: reader.settings(),
            time: reader.time(),
            speed: reader.speed(),
            autoplay: attributes.contains_key("autoplay"),
            controls: reader.words("controls", &[&TRANSPORT[..], &setting_names()[..]].concat()),
            lock: reader
                .words("lock", &[&LOCK_WORDS[..], &TRANSPORT[..], &setting_names()[..]].concat())
                .unwrap_or_default(),
            panels: reader.words("panels", &[&PANELS[..], &lesson_panels()[..]].concat()),
            theme: reader.theme(),
        };
        (options, reader.problems)
    }

    /// Whether a control of the time bar is shown.
    pub fn shows(&self, control: &str) -> bool {
        match &self.controls {
            Some(named) => named.contains(control),
            None => TRANSPORT_DEFAULT.contains(&control),
        }
    }

    /// Whether a setting's control is shown, given whether the lesson offers it in a widget.
    pub fn shows_setting(&self, setting: &str, is_offered: bool) -> bool {
        match &self.controls {
            Some(named) => named.contains(kind_of(setting)),
            None => is_offered,
        }
    }

    /// Whether readers may not change a control or a setting.
    pub fn locks(&self, name: &str) -> bool {
        let kind = kind_of(name);
        self.lock.contains("all")
            || self.lock.contains(kind)
            || (self.lock.contains("cluster") && CLUSTER.contains(&kind))
    }
}

/// `client.NAME` is controlled under the name `client`.
fn kind_of(setting: &str) -> &str {
    setting.split('.').next().unwrap_or(setting)
}

fn setting_names() -> Vec<&'static str> {
    let mut kinds = BTreeSet::new();
    kinds.extend(Settings::NAMES.iter().map(|name| kind_of(name)));
    kinds.into_iter().collect()
}

/// Names of the panels that lessons open, as their files write them.
pub fn panel_name(panel: Panel) -> &'static str {
    match panel {
        Panel::HashSteps => "hash-steps",
        Panel::Compare => "compare",
        Panel::SignRules => "sign-rules",
        Panel::KeyBytes => "key-bytes",
        Panel::ResidueWheel => "residue-wheel",
        Panel::ByteMeter => "byte-meter",
        Panel::Terminal => "terminal",
        Panel::Readers => "readers",
        Panel::Window => "window",
        Panel::Shelf => "shelf",
        Panel::Sizing => "sizing",
        Panel::TransactionBoard => "transaction-board",
        Panel::Timeline => "timeline",
        Panel::Buffer => "buffer",
        Panel::Shards => "shards",
        Panel::Counter => "counter",
        Panel::Groups => "groups",
        Panel::CoordinatorHash => "coordinator-hash",
        Panel::AssignorBench => "assignor-bench",
    }
}

fn lesson_panels() -> Vec<&'static str> {
    LESSON_PANELS.into_iter().map(panel_name).collect()
}

struct Reader<'a> {
    attributes: &'a BTreeMap<String, String>,
    problems: Vec<InputError>,
}

impl Reader<'_> {
    /// The value of an attribute without space around it; an empty one counts as absent.
    fn text(&self, name: &str) -> Option<String> {
        let text = self.attributes.get(name)?.trim();
        (!text.is_empty()).then(|| text.to_string())
    }

    fn refuse(&mut self, attribute: &'static str, message: String, hint: String) {
        let error = InputError::new("widget.attribute", message).at(attribute).hint(hint);
        self.problems.push(error);
    }

    fn source(&mut self) -> Option<Source> {
        // Where the element was before a crash, or before it was taken out, counts more than where it began.
        if let Some(link) = self.text("resume") {
            return Some(Source::Link(link));
        }
        let found: Vec<Source> = [
            self.text("link").map(|link| Source::Link(link_text(&link))),
            self.text("lesson").map(Source::Lesson),
            self.text("scenario").map(Source::Scenario),
        ]
        .into_iter()
        .flatten()
        .collect();
        match found.len() {
            0 => self.refuse(
                "lesson",
                "A widget needs to know what to show.".to_string(),
                "Set one of the attributes lesson, scenario and link.".to_string(),
            ),
            1 => {}
            _ => self.refuse(
                "lesson",
                "This widget names more than one thing to show.".to_string(),
                "Keep one of the attributes lesson, scenario and link.".to_string(),
            ),
        }
        found.into_iter().next()
    }

    fn settings(&mut self) -> Settings {
        let mut settings = Settings::default();
        for name in ["client", "compare", "partitions", "seed"] {
            if let Some(text) = self.text(name)
                && let Err(error) = settings.set(name, &text)
            {
                self.problems.push(error);
            }
        }
        settings
    }

    fn number(&mut self, name: &'static str, range: std::ops::RangeInclusive<f64>, expected: &str) -> Option<f64> {
        let text = self.text(name)?;
        let number = decimal(&text).filter(|number| range.contains(number));
        if number.is_none() {
            let message = format!("{name}=\"{text}\" is not {expected}.");
            self.refuse(name, message, String::new());
        }
        number
    }

    fn time(&mut self) -> Option<Time> {
        let last = limits::TIME_MAX.0 as f64 / 1e6;
        let seconds = self.number("t", 0.0..=last, "a time in seconds, such as \"12.4\"")?;
        Some(Time((seconds * 1e6).round() as u64))
    }

    fn speed(&mut self) -> Option<u32> {
        let (slowest, fastest) = (SPEED.start() / 1e3, SPEED.end() / 1e3);
        let factor = self.number("speed", slowest..=fastest, "a number from 0.1 to 100")?;
        Some((factor * 1e3).round() as u32)
    }

    fn theme(&mut self) -> Option<String> {
        let text = self.text("theme")?;
        if ["auto", "light", "dark"].contains(&text.as_str()) {
            return Some(text);
        }
        let hint = course::suggest::hint(&text, ["auto", "light", "dark"]);
        self.refuse("theme", format!("There is no theme \"{text}\"."), hint);
        None
    }

    /// A list of names separated by spaces or commas; an absent attribute is no list, an empty one an empty list.
    fn words(&mut self, attribute: &'static str, known: &[&str]) -> Option<BTreeSet<String>> {
        let text = self.attributes.get(attribute)?.clone();
        let mut words = BTreeSet::new();
        for word in text.split([' ', ',', '\n', '\t']).filter(|word| !word.is_empty()) {
            if known.contains(&word) {
                words.insert(word.to_string());
                continue;
            }
            let hint = course::suggest::hint(word, known.iter().copied());
            self.refuse(attribute, format!("{attribute} does not know \"{word}\"."), hint);
        }
        Some(words)
    }
}

/// The link itself, also if a whole address was pasted.
fn link_text(given: &str) -> String {
    given.rsplit("#/s/").next().unwrap_or(given).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attributes as `name=value` lines; the paths of what is wrong.
    #[track_caller]
    fn check(attributes: &str, problems: &[&str]) -> Options {
        let attributes = attributes
            .lines()
            .map(|line| line.split_once('=').unwrap_or((line, "")))
            .map(|(name, value)| (name.trim().to_string(), value.to_string()))
            .collect();
        let (options, found) = Options::read(&attributes);
        let paths: Vec<&str> = found.iter().map(|error| error.path.as_str()).collect();
        assert_eq!(paths, problems, "{found:?}");
        options
    }

    #[test]
    fn the_source_is_one_of_three() {
        assert_eq!(check("lesson=key-bytes", &[]).source, Some(Source::Lesson("key-bytes".into())));
        assert_eq!(check("link=https://x/#/s/abc", &[]).source, Some(Source::Link("abc".into())));
        assert_eq!(check("lesson=a\nscenario=b", &["lesson"]).source, Some(Source::Lesson("a".into())));
        assert_eq!(check("client=java", &["lesson"]).source, None);
        assert_eq!(check("lesson=a\nresume=abc", &[]).source, Some(Source::Link("abc".into())));
    }

    #[test]
    fn values_out_of_range_are_told_and_left_out() {
        let options = check("lesson=a\nt=-1\nspeed=1000\ntheme=night", &["t", "speed", "theme"]);
        assert_eq!((options.time, options.speed, options.theme), (None, None, None));
        let options = check("lesson=a\nt=12.4\nspeed=0.1", &[]);
        assert_eq!((options.time, options.speed), (Some(Time(12_400_000)), Some(100)));
    }

    #[test]
    fn controls_and_locks_are_names() {
        let options = check("lesson=a\ncontrols=client partitions play step\nlock=cluster", &[]);
        assert!(options.shows("play") && !options.shows("time"));
        assert!(options.shows_setting("client.billing-job", false) && !options.shows_setting("seed", true));
        assert!(options.locks("partitions") && !options.locks("client"));
        check("lesson=a\ncontrols=clients", &["controls"]);
        check("lesson=a\npanels=log strip hash-steps\nlock=everything", &["lock"]);
    }

    #[test]
    fn without_a_list_a_widget_shows_what_cannot_lose_anything() {
        let options = check("lesson=a", &[]);
        assert!(options.shows("play") && options.shows("reset") && !options.shows("branch"));
        assert!(options.shows_setting("client", true) && !options.shows_setting("client", false));
    }
}
