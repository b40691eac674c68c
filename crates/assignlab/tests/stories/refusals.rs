//! What the lab and Kafka refuse, in words.

use assignlab::{Change, Member, Plan, Settings, Subscription, Topic};

use crate::story;

/// What a link is refused for.
#[track_caller]
fn check(link: &str, expected: &str) {
    let text = Settings::from_link(link).expect_err(link).to_string();
    assert_eq!(text.strip_prefix("The link cannot be shown: ").unwrap_or(&text), expected, "{link}");
}

#[test]
fn kafka_refuses_in_its_own_words() {
    check(
        "topics=orders:6&do=grow:orders:6",
        "The topic orders currently has 6 partition(s); 6 would not be an increase.",
    );
    check(
        "topics=orders:6&do=grow:orders:3",
        "The topic orders currently has 6 partition(s); 3 would not be an increase.",
    );
    check("topics=orders:6&do=create:orders:3", "Topic 'orders' already exists.");
    check("topics=orders:6,orders:3", "Topic 'orders' already exists.");
}

#[test]
fn names_say_what_they_may_be() {
    let letters = "letters, digits, dots, dashes and underscores";
    check("members=A B", &format!("A member id is 1 to 24 {letters}; \"A B\" is not."));
    check("members=A:i/1", &format!("A group.instance.id is 1 to 24 {letters}; \"i/1\" is not."));
    check("members=A::r.1", "A rack is 1 to 24 letters, digits, dashes and underscores; \"r.1\" is not.");
    check("topics=..:1", &format!("A topic's name is 1 to 40 {letters}; \"..\" is not."));
    check("topics=:1", &format!("A topic's name is 1 to 40 {letters}; \"\" is not."));
    check("members=A,A", "The group has a member A already; ids are unique in a group.");
    check("members=A&do=leave:B", "The group has no member \"B\".");
    check("members=A:::payments", "There is no topic \"payments\".");
    check("topics=a:1&members=A:::a~a", "A names a twice; once is enough.");
    check(
        "members=A:i1,B:i1",
        "A has the group.instance.id i1 already; in Kafka the newcomer takes its place, and the older one is fenced.",
    );
}

#[test]
fn limits_say_what_to_do() {
    check("topics=a:0", "A topic has 1 to 100 partitions here, not 0.");
    check("topics=a:101", "A topic has 1 to 100 partitions here, not 101.");
    check("topics=a:100,b:100,c:41", "All topics together would have 241 partitions; the lab shows 240.");
    check("topics=a:1,b:1,c:1,d:1,e:1,f:1,g:1,h:1,i:1", "The lab shows 8 topics; delete one first.");
    let members: Vec<String> = (0..25).map(|number| format!("m{number}")).collect();
    check(&format!("members={}", members.join(",")), "The lab shows 24 members; let one leave first.");
    let changes = vec!["join:B,leave:B"; 21].join(",");
    check(&format!("members=A&do={changes}"), "A story has 40 changes here; take the present group as a new start.");
}

#[test]
fn a_refused_change_leaves_the_story_as_it_is() {
    let mut story = story("topics=orders:6&members=A&do=join:B&at=0");
    let before = story.clone();
    assert!(story.act(Change::Join(Member::new("A"))).is_err());
    assert!(story.act(Change::Leave { member: "B".into() }).is_err());
    assert!(story.amend(|plan| plan.topics[0].partitions = 0).is_err());
    let nothing = Plan { topics: vec![Topic::new("a", 0)], ..Plan::default() };
    assert!(assignlab::Story::new(nothing).is_err());
    assert_eq!(story, before);
}

#[test]
fn what_happened_later_is_forgotten_unless_it_happens_again() {
    let mut story = story("topics=orders:6&members=A&do=join:B,join:C&at=0");
    story.act(Change::Join(Member::new("B"))).unwrap();
    assert_eq!((story.at(), story.steps().len()), (1, 3));
    story.act(Change::Subscribe { member: "A".into(), subscription: Subscription::Named(vec![]) }).unwrap();
    assert_eq!((story.at(), story.steps().len(), story.next()), (2, 3, None));
    assert_eq!(story.ids(), ["A", "B"]);
    assert_eq!(story.anew().step().plan, story.step().plan);
}

#[test]
fn racks_are_amended_from_the_start_on() {
    let mut story = story("topics=orders:2:a.b&members=A&do=join:B,leave:B,join:B&at=1");
    let rack = |plan: &mut Plan| {
        let place = plan.member("B");
        place.into_iter().for_each(|place| plan.members[place].rack = Some("a".into()));
    };
    story.amend(rack).unwrap();
    assert_eq!(story.at(), 1);
    let racks: Vec<_> =
        story.steps().iter().map(|step| step.plan.members.last().and_then(|member| member.rack.clone())).collect();
    assert_eq!(racks, [None, Some("a".to_owned()), None, Some("a".to_owned())]);
}
