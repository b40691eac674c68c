//! A story as the fields of a link, and back.
//!
//! `topics=orders:6,payments:3:a~b.c` names topics with partitions and, for each partition, the racks of its replicas.
//! `members=A,B:instance:rack:orders~payments` are the members of the start, and `do=join:C,leave:B` what followed.
//! Deliberately not here: the address of a page.

use crate::{Assignor, Change, LinkError, Member, Plan, Story, Subscription, Topic};

/// Stories to begin with: a title, and the text of a link.
pub const SAMPLES: [(&str, &str); 6] = [
    ("C joins, then B leaves", "topics=orders:6&members=A&do=join:B,join:C,leave:B&at=2"),
    ("Two topics, two members", "topics=orders:3,payments:3&members=c1,c2&do=join:c3&at=0&links=yes"),
    ("Eight members, six partitions", "topics=orders:6&members=c1,c2,c3,c4&do=join:c5,join:c6,join:c7,join:c8"),
    (
        "Two new members, five partitions",
        "topics=orders:5&members=A,B&show=server-uniform,server-range,server-uniform-4.0.0",
    ),
    (
        "Racks",
        "topics=orders:6:a~b.b~c.c~a&members=A::a,B::b,C::c&do=leave:B&at=0&show=client-range,client-sticky,client-cooperative-sticky,server-uniform",
    ),
    (
        "Different subscriptions",
        "topics=orders:6,payments:3&members=A:::orders,B,C:::payments&do=subscribe:A:orders~payments,leave:B&at=0",
    ),
];

/// What a link restores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The story, at the step that is looked at.
    pub story: Story,
    /// The assignors that are shown.
    pub shown: Vec<Assignor>,
    /// Whether partitions of one number are drawn together.
    pub has_links: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self::from_link(SAMPLES[0].1).expect("the first sample is a story")
    }
}

impl Settings {
    /// The fields of a link. What is as by default is left out.
    ///
    /// ```
    /// use assignlab::Settings;
    /// let text = "topics=orders:6&members=A&do=join:B,grow:orders:8&at=1";
    /// let fields = Settings::from_link(text)?.fields();
    /// let fields: Vec<_> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    /// assert_eq!(fields.join("&"), format!("v=1&{text}"));
    /// # Ok::<(), assignlab::LinkError>(())
    /// ```
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let steps = self.story.steps();
        let start = &steps[0].plan;
        let changes: Vec<String> = steps.iter().filter_map(|step| step.change.as_ref()).map(change_text).collect();
        let mut fields = vec![
            ("v", "1".to_owned()),
            ("topics", listed(start.topics.iter().map(topic_text))),
            ("members", listed(start.members.iter().map(member_text))),
        ];
        if !changes.is_empty() {
            fields.push(("do", changes.join(",")));
        }
        if self.story.at() + 1 != steps.len() {
            fields.push(("at", self.story.at().to_string()));
        }
        if self.shown != Assignor::current() {
            fields.push(("show", listed(self.shown.iter().map(|assignor| assignor.id().to_owned()))));
        }
        if self.has_links {
            fields.push(("links", "yes".to_owned()));
        }
        fields
    }

    /// Reads the text of a link whose values hold no escapes.
    ///
    /// # Errors
    /// As [`Settings::from_fields`].
    pub fn from_link(text: &str) -> Result<Self, LinkError> {
        let parts = text.split('&').filter(|part| !part.is_empty());
        Self::from_fields(parts.map(|part| part.split_once('=').unwrap_or((part, ""))))
    }

    /// Reads the fields of a link.
    ///
    /// # Errors
    /// If this version did not write it and could not have, or if Kafka or the lab refuses what it tells.
    pub fn from_fields<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Self, LinkError> {
        let mut plan = Plan::default();
        let (mut changes, mut at, mut has_links) = (Vec::new(), None, false);
        let mut shown = Assignor::current().to_vec();
        for (field, value) in fields {
            match field {
                "v" if value == "1" => {}
                "v" => return Err(LinkError::NewerVersion { version: shortened(value) }),
                "topics" => plan.topics = read("topics", value, TOPICS, topic)?,
                "members" => plan.members = read("members", value, MEMBERS, member)?,
                "do" => changes = read("do", value, CHANGES, change)?,
                "at" => {
                    let number = value.parse().ok();
                    at = Some(number.ok_or_else(|| bad("at", value, "the number of a step, 0 for the start"))?);
                }
                "show" => shown = read("show", value, "names of assignors", |id| Assignor::from_id(id).ok())?,
                "links" if value == "yes" => has_links = true,
                "links" => return Err(bad("links", value, "yes")),
                _ => return Err(LinkError::UnknownField { field: shortened(field) }),
            }
        }
        let mut story = Story::new(plan)?;
        for change in changes {
            story.act(change)?;
        }
        if let Some(at) = at {
            story.go(at);
        }
        // They are shown in one order, whatever the link says.
        let shown = Assignor::ALL.into_iter().filter(|assignor| shown.contains(assignor)).collect();
        Ok(Self { story, shown, has_links })
    }
}

const TOPICS: &str = "names and partitions, such as orders:6,payments:3";
const MEMBERS: &str = "ids of members, such as A,B";
const CHANGES: &str = "changes, such as join:C,leave:B,grow:orders:8";

fn bad(field: &'static str, value: &str, expected: &'static str) -> LinkError {
    LinkError::BadValue { field, value: shortened(value), expected }
}

/// The items of a list.
fn read<T>(
    field: &'static str,
    value: &str,
    expected: &'static str,
    item: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, LinkError> {
    let items = value.split(',').filter(|text| !text.is_empty()).map(item);
    items.collect::<Option<_>>().ok_or_else(|| bad(field, value, expected))
}

fn listed(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(",")
}

fn topic_text(topic: &Topic) -> String {
    let racks: Vec<String> = topic.racks.iter().map(|racks| racks.join("~")).collect();
    let text = format!("{}:{}:{}", topic.name, topic.partitions, racks.join("."));
    text.trim_end_matches(':').to_owned()
}

fn topic(text: &str) -> Option<Topic> {
    let parts: Vec<&str> = text.split(':').collect();
    let (name, partitions, racks) = match parts.as_slice() {
        [name, partitions] => (name, partitions, ""),
        [name, partitions, racks] => (name, partitions, *racks),
        _ => return None,
    };
    let racks = racks.split('.').filter(|racks| !racks.is_empty());
    let racks = racks.map(|racks| racks.split('~').map(str::to_owned).collect()).collect();
    Some(Topic { name: (*name).to_owned(), partitions: partitions.parse().ok()?, racks })
}

fn member_text(member: &Member) -> String {
    let part = |text: &Option<String>| text.clone().unwrap_or_default();
    let topics = match &member.subscription {
        Subscription::All => String::new(),
        named => subscription_text(named),
    };
    let text = format!("{}:{}:{}:{topics}", member.id, part(&member.instance_id), part(&member.rack));
    text.trim_end_matches(':').to_owned()
}

fn member(text: &str) -> Option<Member> {
    let parts: Vec<&str> = text.split(':').collect();
    let part = |place: usize| parts.get(place).copied().unwrap_or_default();
    let named = |place: usize| Some(part(place)).filter(|text| !text.is_empty()).map(str::to_owned);
    let subscription = if part(3).is_empty() { Subscription::All } else { subscription(part(3)) };
    (parts.len() <= 4).then(|| Member { id: part(0).to_owned(), instance_id: named(1), rack: named(2), subscription })
}

fn subscription_text(subscription: &Subscription) -> String {
    match subscription {
        Subscription::All => "*".to_owned(),
        Subscription::Named(names) if names.is_empty() => "-".to_owned(),
        Subscription::Named(names) => names.join("~"),
    }
}

fn subscription(text: &str) -> Subscription {
    match text {
        "*" => Subscription::All,
        "-" => Subscription::Named(Vec::new()),
        _ => Subscription::Named(text.split('~').map(str::to_owned).collect()),
    }
}

fn change_text(change: &Change) -> String {
    match change {
        Change::Join(member) => format!("join:{}", member_text(member)),
        Change::Leave { member } => format!("leave:{member}"),
        Change::Subscribe { member, subscription } => format!("subscribe:{member}:{}", subscription_text(subscription)),
        Change::Create(topic) => format!("create:{}", topic_text(topic)),
        Change::Grow { topic, partitions } => format!("grow:{topic}:{partitions}"),
        Change::Delete { topic } => format!("delete:{topic}"),
    }
}

fn change(text: &str) -> Option<Change> {
    let (verb, rest) = text.split_once(':')?;
    let pair = || rest.split_once(':');
    Some(match verb {
        "join" => Change::Join(member(rest)?),
        "leave" => Change::Leave { member: rest.to_owned() },
        "subscribe" => {
            let (member, topics) = pair()?;
            Change::Subscribe { member: member.to_owned(), subscription: subscription(topics) }
        }
        "create" => Change::Create(topic(rest)?),
        "grow" => {
            let (topic, partitions) = pair()?;
            Change::Grow { topic: topic.to_owned(), partitions: partitions.parse().ok()? }
        }
        "delete" => Change::Delete { topic: rest.to_owned() },
        _ => return None,
    })
}

fn shortened(text: &str) -> String {
    const CHARACTERS: usize = 40;
    let mut short: String = text.chars().take(CHARACTERS).collect();
    if short.len() < text.len() {
        short.push('\u{2026}');
    }
    short
}
