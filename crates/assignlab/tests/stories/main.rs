//! Stories as the lessons tell them, what the lab refuses, and links.

mod lessons;
mod links;
mod outcomes;
mod refusals;

use assignlab::{Assignor, Outcome, Settings, Step, Story};

/// The story of a link, at the step that the link says.
#[track_caller]
fn story(link: &str) -> Story {
    Settings::from_link(link).unwrap_or_else(|error| panic!("{link}: {error}")).story
}

fn outcome<'a>(step: &'a Step, id: &str) -> &'a Outcome {
    step.outcome(Assignor::from_id(id).expect("an assignor"))
}

/// `A p0,p1 · C p2`, members without anything included.
fn held(step: &Step, id: &str) -> String {
    let of_member = |(place, list): (usize, &Vec<assignlab::TopicPartition>)| {
        let labels: Vec<String> = list.iter().map(|own| step.plan.label(*own)).collect();
        format!("{} {}", step.plan.members[place].id, labels.join(",")).trim_end().to_owned()
    };
    outcome(step, id).assignment.iter().enumerate().map(of_member).collect::<Vec<_>>().join(" · ")
}

/// The partitions that moved.
fn moved(step: &Step, id: &str) -> String {
    let labels = outcome(step, id).moves.iter().map(|moved| step.plan.label(moved.partition));
    labels.collect::<Vec<_>>().join(" ")
}
