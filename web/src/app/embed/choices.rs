//! What was picked in the embed builder, as attributes and as the text that a course page takes over.
//!
//! Nothing is drawn here; names of attributes and their values are those of the element.

use std::collections::BTreeMap;

use course::{Control, Settings};

use crate::element::options::Options;

/// Controls that every widget can have, with their labels. A lesson may bring more.
const CONTROLS: [(&str, &str); 9] = [
    ("client", "client library"),
    ("partitions", "partitions"),
    ("play", "play"),
    ("step", "step"),
    ("speed", "speed"),
    ("reset", "reset"),
    ("undo", "undo"),
    ("branch", "earlier futures"),
    ("link", "copy link"),
];

/// What can be locked.
pub const LOCKS: [(&str, &str); 3] = [("client", "client library"), ("cluster", "cluster"), ("all", "everything")];

/// Panels that can be picked.
pub const PANELS: [(&str, &str); 5] = [
    ("steps", "steps of the lesson"),
    ("strip", "hash strip"),
    ("code", "code"),
    ("describe", "kafka-topics.sh --describe"),
    ("log", "event log"),
];

/// Panels of a widget whose page names none.
const PANELS_USUAL: [&str; 4] = ["steps", "strip", "describe", "log"];

/// A control that can be picked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Its name in the attribute.
    pub name: String,
    /// Its label.
    pub label: String,
    /// Whether the widget shows it if the attribute is absent.
    pub is_usual: bool,
}

/// The controls that can be picked for a lesson: those of every widget, then those that only the lesson has.
pub fn offered(lesson: &[Control]) -> Vec<Offered> {
    // Without attributes the widget itself says what is usual.
    let (options, _) = Options::read(&BTreeMap::new());
    let of_all = CONTROLS.map(|(name, label)| Offered {
        name: name.to_owned(),
        label: label.to_owned(),
        is_usual: options.shows(name),
    });
    let mut offered = Vec::from(of_all);
    for control in lesson {
        let name = control.setting.split('.').next().unwrap_or_default();
        let is_left = control.embedded.as_ref().is_none_or(|left| !left.is_empty());
        let is_usual = options.shows_setting(&control.setting, is_left);
        match offered.iter_mut().find(|known| known.name == name) {
            // Settings of one kind, such as the clients of two producers, have one name.
            Some(known) => known.is_usual |= is_usual,
            None => offered.push(Offered { name: name.to_owned(), label: control.label.clone(), is_usual }),
        }
    }
    offered
}

/// What was picked.
#[derive(Clone, Debug, PartialEq)]
pub struct Choices {
    /// Slug of the lesson.
    pub lesson: String,
    /// Client id; empty: as the lesson says.
    pub client: String,
    /// Partition count; empty: as the lesson says.
    pub partitions: String,
    /// `auto`, `light` or `dark`.
    pub theme: String,
    /// Whether it plays as soon as it is seen.
    pub autoplay: bool,
    /// Names of controls; none: as the lesson says.
    pub controls: Option<Vec<String>>,
    /// Names of locks.
    pub lock: Vec<&'static str>,
    /// Names of panels.
    pub panels: Vec<&'static str>,
}

impl Choices {
    /// A lesson as it comes.
    pub fn new(lesson: &str) -> Choices {
        Choices {
            lesson: lesson.to_owned(),
            client: String::new(),
            partitions: String::new(),
            theme: "auto".to_owned(),
            autoplay: false,
            controls: None,
            lock: Vec::new(),
            panels: PANELS_USUAL.to_vec(),
        }
    }

    /// Takes over a partition count, or says what is expected.
    pub fn set_partitions(&mut self, text: &str) -> Result<(), String> {
        Settings::default().set("partitions", text.trim()).map_err(|error| error.to_string())?;
        self.partitions = text.trim().to_owned();
        Ok(())
    }

    /// Whether a control is picked.
    pub fn has(&self, control: &Offered) -> bool {
        self.controls.as_ref().map_or(control.is_usual, |named| named.contains(&control.name))
    }

    /// Picks a control or takes it back.
    pub fn pick(&mut self, name: &str, is_on: bool, offered: &[Offered]) {
        let is_wanted = |control: &&Offered| if control.name == name { is_on } else { self.has(control) };
        let wanted = offered.iter().filter(is_wanted).map(|control| control.name.clone()).collect();
        self.controls = Some(wanted);
        self.fit(offered);
    }

    /// Forgets controls that are not offered, and a choice that is the usual one: another lesson has others.
    pub fn fit(&mut self, offered: &[Offered]) {
        // In the order of the offer, so that the same choice gives the same text.
        let named: Vec<String> =
            offered.iter().filter(|control| self.has(control)).map(|control| control.name.clone()).collect();
        let is_usual = offered.iter().all(|control| self.has(control) == control.is_usual);
        self.controls = (!is_usual).then_some(named);
    }

    /// Attributes in the order in which they are written; those that change nothing are left out.
    pub fn attributes(&self) -> Vec<(&'static str, String)> {
        let mut attributes = vec![("lesson", self.lesson.clone())];
        let add = |attributes: &mut Vec<_>, name, value: &str, usual: &str| {
            if value != usual {
                attributes.push((name, value.to_owned()));
            }
        };
        add(&mut attributes, "client", &self.client, "");
        add(&mut attributes, "partitions", &self.partitions, "");
        if let Some(named) = &self.controls {
            // Without any it is still written: then the widget shows none.
            attributes.push(("controls", named.join(" ")));
        }
        add(&mut attributes, "lock", &self.lock.join(" "), "");
        add(&mut attributes, "panels", &self.panels.join(" "), &PANELS_USUAL.join(" "));
        add(&mut attributes, "theme", &self.theme, "auto");
        if self.autoplay {
            attributes.push(("autoplay", String::new()));
        }
        attributes
    }

    /// The element with its script, for a page that may load scripts. `folder` is the site's URL.
    pub fn element(&self, folder: &str) -> String {
        let attributes: Vec<String> =
            self.attributes().into_iter().map(|(name, value)| attribute(name, &value)).collect();
        format!(
            "<script type=\"module\" src=\"{folder}logarium.js\"></script>\n<logarium-widget {}>\n  Your own words, for readers without JavaScript.\n</logarium-widget>",
            attributes.join(" ")
        )
    }

    /// The same in a frame, for a page that may not.
    pub fn frame(&self, folder: &str) -> String {
        let query: Vec<String> = self
            .attributes()
            .into_iter()
            .map(
                |(name, value)| {
                    if value.is_empty() { name.to_owned() } else { format!("{name}={}", value.replace(' ', "+")) }
                },
            )
            .collect();
        format!(
            "<iframe title=\"Logarium\" sandbox=\"allow-scripts\" loading=\"lazy\" width=\"640\" height=\"900\"\n  src=\"{folder}embed.html?{}\"></iframe>",
            query.join("&amp;")
        )
    }

    /// A script that asks the engine instead of showing it.
    pub fn script(&self, folder: &str) -> String {
        let client = if self.client.is_empty() { "java" } else { &self.client };
        let partitions = if self.partitions.is_empty() { "3" } else { &self.partitions };
        format!(
            "import init, {{ partition, Simulation }} from \"{folder}logarium.js\";\n\nawait init();\nconsole.log(partition(\"{client}\", \"user-3\", {partitions}));\n\nconst simulation = new Simulation(\"one-key-two-libraries\");\nsimulation.advance(2000);\nconsole.log(simulation.snapshot().topics[0].partitions.map((partition) => partition.log_end_offset));"
        )
    }
}

fn attribute(name: &str, value: &str) -> String {
    if value.is_empty() { name.to_owned() } else { format!("{name}=\"{value}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(change: impl Fn(&mut Choices), element: &str, frame: &str) {
        let mut choices = Choices::new("key-bytes");
        change(&mut choices);
        assert!(choices.element("https://x/").contains(element), "{}", choices.element("https://x/"));
        assert!(choices.frame("https://x/").contains(frame), "{}", choices.frame("https://x/"));
    }

    #[test]
    fn only_what_was_picked_is_written() {
        check(|_| (), "<logarium-widget lesson=\"key-bytes\">", "https://x/embed.html?lesson=key-bytes\"");
    }

    #[test]
    fn every_choice_is_an_attribute_and_a_part_of_the_query() {
        check(
            |choices| {
                choices.client = "sarama".into();
                choices.controls = Some(vec!["play".into(), "step".into()]);
                choices.lock = vec!["cluster"];
                choices.autoplay = true;
                choices.panels = vec!["log"];
            },
            "client=\"sarama\" controls=\"play step\" lock=\"cluster\" panels=\"log\" autoplay>",
            "?lesson=key-bytes&amp;client=sarama&amp;controls=play+step&amp;lock=cluster&amp;panels=log&amp;autoplay\"",
        );
    }

    /// What the attribute says after boxes were ticked or unticked, on a lesson that offers keys, and the client only
    /// on its own page.
    #[track_caller]
    fn check_controls(clicks: &[(&str, bool)], expected: Option<&str>) {
        let control = |setting: &str, embedded: Option<Vec<String>>| Control {
            setting: setting.into(),
            label: "Label".into(),
            choices: Vec::new(),
            all_clients: false,
            embedded,
        };
        let offered = offered(&[control("client.billing-job", Some(Vec::new())), control("keys", None)]);
        let mut choices = Choices::new("key-bytes");
        for (name, is_on) in clicks {
            choices.pick(name, *is_on, &offered);
        }
        let attributes = choices.attributes();
        let found = attributes.iter().find(|(name, _)| *name == "controls").map(|(_, value)| value.as_str());
        assert_eq!(found, expected, "{clicks:?}");
    }

    #[test]
    fn a_click_on_a_control_keeps_the_others_as_the_widget_shows_them() {
        check_controls(&[], None);
        check_controls(&[("undo", true)], Some("play step speed reset undo keys"));
        check_controls(&[("client", true), ("play", false)], Some("client step speed reset keys"));
        check_controls(&[("keys", false)], Some("play step speed reset"));
        check_controls(&[("keys", false), ("keys", true)], None);
        let all = ["play", "step", "speed", "reset", "keys"].map(|name| (name, false));
        check_controls(&all, Some(""));
    }

    #[test]
    fn another_lesson_keeps_only_controls_that_it_offers() {
        let mut choices = Choices::new("key-bytes");
        choices.controls = Some(["play", "step", "speed", "reset", "keys"].map(str::to_owned).into());
        choices.fit(&offered(&[]));
        assert_eq!(choices.controls, None);
    }

    #[test]
    fn a_partition_count_is_checked_before_it_is_taken_over() {
        let mut choices = Choices::new("key-bytes");
        assert!(choices.set_partitions("many").is_err());
        assert_eq!(choices.set_partitions(" 6 "), Ok(()));
        assert_eq!(choices.partitions, "6");
    }
}
