//! Topics as `kafka-topics.sh --describe` prints them. The text is the console's, to the letter.

use yew::{Html, Properties, component, html};

use super::printed_lines;
use crate::app::session::{Rate, Session, use_session};

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct DescribeProps {
    /// The session.
    pub session: Session,
    /// The side of a comparison.
    #[prop_or_default]
    pub side: usize,
}

/// One block for each topic.
#[component]
pub fn Describe(props: &DescribeProps) -> Html {
    let DescribeProps { session, side } = props;
    use_session(session, Rate::Table);
    let snapshot = session.snapshot(*side);
    let block = |topic: &engine::snapshot::TopicSnapshot| {
        html! {
            <div key={topic.name.to_string()}>
                <p class="prompt"><u>{ "$" }</u>{ format!(" kafka-topics.sh --bootstrap-server localhost:9092 --describe --topic {}", topic.name) }</p>
                <pre>{ printed_lines(&console::describe_topic(topic)) }</pre>
            </div>
        }
    };
    html! {
        <div class="panel terminal" role="group" aria-label="Topics as Kafka describes them" tabindex="0">
            if snapshot.topics.is_empty() { <p class="empty">{ "There is no topic." }</p> }
            { for scene::shown_topics(&snapshot).map(block) }
            { for snapshot.topics.iter().filter(|topic| topic.is_internal).map(internal) }
        </div>
    }
}

/// Kafka's own topics have 50 partitions each: they are only named here.
fn internal(topic: &engine::snapshot::TopicSnapshot) -> Html {
    html! { <p key={topic.name.to_string()} class="empty">{ format!("{} has {} partitions; the terminal describes them.", topic.name, topic.partitions.len()) }</p> }
}
