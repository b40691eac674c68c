//! The group and its topics: who is in it, with instance id, rack and subscription; how many partitions there are.
//!
//! A subscription and a count change as something that happens. An instance id and a rack are how a program was
//! started, so they change from the start of the story on.

use assignlab::{Change, Member, Plan, Subscription, Topic};
use yew::{AttrValue, Callback, Html, classes, html};

use super::card::color;
use super::lab::{Lab, View};
use crate::app::controls::TextField;
use crate::app::part::part;

/// Names for topics to come.
const TOPICS: [&str; 8] = ["orders", "payments", "shipments", "refunds", "customers", "prices", "stock", "invoices"];

/// The two panels.
pub fn group(lab: &Lab, view: &View) -> Html {
    let plan = &view.settings.story.step().plan;
    let joins = accepting(lab, |lab, text| lab.act(Change::Join(Member::new(text.trim()))));
    let creates = accepting(lab, |lab, text| lab.act(Change::Create(topic(text)?)));
    html! {
        <div class="assign-group">
            <section class="panel" aria-labelledby="assign-members-title">
                <h2 id="assign-members-title">{ "Members" }</h2>
                <ul class="assign-list">{ for plan.members.iter().map(|member| member_row(lab, view, plan, member)) }</ul>
                { part!(TextField { label: "A member joins", value: "", accept: joins, placeholder: "its id", size: 10 }) }
                <p class="assign-note">{ "An instance id or a rack is how a program was started, so it changes from the start of the story on." }</p>
            </section>
            <section class="panel" aria-labelledby="assign-topics-title">
                <h2 id="assign-topics-title">{ "Topics" }</h2>
                <ul class="assign-list">{ for plan.topics.iter().map(|topic| topic_row(lab, topic)) }</ul>
                <div class="assign-row">
                    { created(lab, plan) }
                    { part!(TextField { label: "Create a topic", value: "", accept: creates, placeholder: "payments 6", size: 14 }) }
                </div>
                <p class="assign-note">{ "Racks: where the replicas of p0, p1 and so on are, such as a b c, or a+b b+c for two replicas each. The list begins again at its end. Only the assignors that a member runs look at racks, and only Range and the sticky ones." }</p>
            </section>
        </div>
    }
}

/// A callback for a text field.
fn accepting(
    lab: &Lab,
    accept: impl Fn(&Lab, &str) -> Result<(), String> + 'static,
) -> Callback<AttrValue, Result<(), String>> {
    let lab = lab.clone();
    Callback::from(move |text: AttrValue| accept(&lab, &text))
}

fn member_row(lab: &Lab, view: &View, plan: &Plan, member: &Member) -> Html {
    let id = member.id.clone();
    let set = |write: fn(&mut Member, Option<String>)| {
        let id = id.clone();
        accepting(lab, move |lab, text| {
            let text = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
            lab.edit(|story| {
                story.amend(|plan| {
                    plan.member(&id).into_iter().for_each(|place| write(&mut plan.members[place], text.clone()))
                })
            })
        })
    };
    let instance = set(|member, text| member.instance_id = text);
    let rack = set(|member, text| member.rack = text);
    let leaves = Change::Leave { member: id.clone() };
    let text = leaves.to_string();
    html! {
        <li key={id.clone()} class={color(view, &id)}>
            <span class="assign-member"><b>{ &id }</b></span>
            { part!(TextField { label: "instance id", value: member.instance_id.clone().unwrap_or_default(), accept: instance, placeholder: "dynamic", size: 8 }) }
            { part!(TextField { label: "rack", value: member.rack.clone().unwrap_or_default(), accept: rack, placeholder: "none", size: 6 }) }
            if plan.topics.len() > 1 { { subscription(lab, plan, member) } }
            <button class="button quiet" onclick={lab.doing(move |lab| lab.try_act(leaves.clone()))}>{ text }</button>
        </li>
    }
}

/// A button for each topic; all of them mean those to come as well.
fn subscription(lab: &Lab, plan: &Plan, member: &Member) -> Html {
    let button = |topic: &Topic| {
        let is_subscribed = member.subscribes_to(&topic.name);
        let wanted = |other: &&Topic| member.subscribes_to(&other.name) != (other.name == topic.name);
        let names: Vec<String> = plan.topics.iter().filter(wanted).map(|topic| topic.name.clone()).collect();
        let all = names.len() == plan.topics.len();
        let subscription = if all { Subscription::All } else { Subscription::Named(names) };
        let change = Change::Subscribe { member: member.id.clone(), subscription };
        html! {
            <button key={topic.name.clone()} class={classes!("button")} aria-pressed={is_subscribed.to_string()}
                onclick={lab.doing(move |lab| lab.try_act(change.clone()))}>{ &topic.name }</button>
        }
    };
    html! {
        <span class="assign-subscription" role="group" aria-label={format!("{} subscribes to", member.id)}>{ for plan.topics.iter().map(button) }</span>
    }
}

fn topic_row(lab: &Lab, topic: &Topic) -> Html {
    let name = topic.name.clone();
    let partitions = {
        let name = name.clone();
        accepting(lab, move |lab, text| lab.act(Change::Grow { topic: name.clone(), partitions: whole(text)? }))
    };
    let racks = {
        let name = name.clone();
        accepting(lab, move |lab, text| {
            let list = racks(text);
            lab.edit(|story| {
                story.amend(|plan| {
                    plan.topic(&name).into_iter().for_each(|place| plan.topics[place].racks.clone_from(&list))
                })
            })
        })
    };
    let deleted = Change::Delete { topic: name.clone() };
    html! {
        <li key={name.clone()}>
            <span class="assign-member"><b>{ &name }</b></span>
            { part!(TextField { label: "partitions", value: topic.partitions.to_string(), accept: partitions, size: 4 }) }
            { part!(TextField { label: "racks", value: racks_text(topic), accept: racks, placeholder: "none", size: 12 }) }
            <button class="button quiet" onclick={lab.doing(move |lab| lab.try_act(deleted.clone()))}>{ format!("Delete {name}") }</button>
        </li>
    }
}

/// One more topic with as many partitions as the first.
fn created(lab: &Lab, plan: &Plan) -> Html {
    let Some(name) = TOPICS.into_iter().find(|name| plan.topic(name).is_none()) else { return Html::default() };
    let partitions = plan.topics.first().map_or(6, |topic| topic.partitions);
    let onclick = lab.doing(move |lab| lab.try_act(Change::Create(Topic::new(name, partitions))));
    html! { <button class="button" {onclick}>{ format!("Create {name} with {partitions}") }</button> }
}

/// `payments 6`; a name alone has six partitions.
fn topic(text: &str) -> Result<Topic, String> {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or_default();
    let partitions = words.next().map_or(Ok(6), whole)?;
    match words.next() {
        None => Ok(Topic::new(name, partitions)),
        Some(_) => Err("Write a name and a number of partitions, such as payments 6.".to_owned()),
    }
}

fn whole(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| format!("\"{}\" is not a number of partitions, such as 6.", text.trim()))
}

/// Partitions are divided by spaces or commas, racks of one partition by a plus.
fn racks(text: &str) -> Vec<Vec<String>> {
    let partitions = text.split([' ', ',']).filter(|part| !part.is_empty());
    partitions.map(|part| part.split('+').map(str::to_owned).collect()).collect()
}

fn racks_text(topic: &Topic) -> String {
    topic.racks.iter().map(|racks| racks.join("+")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{racks, racks_text, topic};
    use assignlab::Topic;

    #[test]
    fn a_topic_is_a_name_and_a_number() {
        assert_eq!(topic("payments 3"), Ok(Topic::new("payments", 3)));
        assert_eq!(topic(" payments "), Ok(Topic::new("payments", 6)));
        assert_eq!(topic("payments x"), Err("\"x\" is not a number of partitions, such as 6.".to_owned()));
        assert_eq!(topic("a 1 2"), Err("Write a name and a number of partitions, such as payments 6.".to_owned()));
    }

    #[test]
    fn racks_come_back_as_they_were_typed() {
        for text in ["", "a b c", "a+b b+c"] {
            assert_eq!(racks_text(&Topic { racks: racks(text), ..Topic::new("t", 3) }), text);
        }
        assert_eq!(racks("a, b").len(), 2);
    }
}
