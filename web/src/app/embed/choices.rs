//! What was picked in the embed builder, as attributes and as the text that a course page takes over.
//!
//! Nothing is drawn here; names of attributes and their values are those of the element.

use course::Settings;

/// Controls that can be picked, with their labels.
pub const CONTROLS: [(&str, &str); 9] = [
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
    pub controls: Vec<&'static str>,
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
            controls: Vec::new(),
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

    /// Attributes in the order in which they are written; those that change nothing are left out.
    pub fn attributes(&self) -> Vec<(&'static str, String)> {
        let mut attributes = vec![("lesson", self.lesson.clone())];
        let mut add = |name, value: &str, usual: &str| {
            if value != usual {
                attributes.push((name, value.to_owned()));
            }
        };
        add("client", &self.client, "");
        add("partitions", &self.partitions, "");
        add("controls", &self.controls.join(" "), "");
        add("lock", &self.lock.join(" "), "");
        add("panels", &self.panels.join(" "), &PANELS_USUAL.join(" "));
        add("theme", &self.theme, "auto");
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
                choices.controls = vec!["play", "step"];
                choices.lock = vec!["cluster"];
                choices.autoplay = true;
                choices.panels = vec!["log"];
            },
            "client=\"sarama\" controls=\"play step\" lock=\"cluster\" panels=\"log\" autoplay>",
            "?lesson=key-bytes&amp;client=sarama&amp;controls=play+step&amp;lock=cluster&amp;panels=log&amp;autoplay\"",
        );
    }

    #[test]
    fn a_partition_count_is_checked_before_it_is_taken_over() {
        let mut choices = Choices::new("key-bytes");
        assert!(choices.set_partitions("many").is_err());
        assert_eq!(choices.set_partitions(" 6 "), Ok(()));
        assert_eq!(choices.partitions, "6");
    }
}
