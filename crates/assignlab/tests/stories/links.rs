//! Links: what goes in comes out, and what cannot be read says why.

use assignlab::{Assignor, SAMPLES, Settings};

fn text(settings: &Settings) -> String {
    settings.fields().iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

#[track_caller]
fn check(link: &str, expected: &str) {
    let result = Settings::from_link(link).map(|settings| text(&settings));
    assert_eq!(result.unwrap_or_else(|error| error.to_string()), expected);
}

#[test]
fn every_field_survives_the_link() {
    let link = "v=1&topics=orders:6:a~b.c,payments:3&members=A,B:i1:a,C:::orders,D::b:-\
                &do=join:E:i2,subscribe:C:orders~payments,subscribe:D:*,create:new:2:a.b,grow:orders:7,delete:payments,leave:B\
                &at=3&show=client-range,server-range&links=yes";
    check(link, link);
    check("show=share-simple,client-range", "v=1&topics=&members=&show=client-range,share-simple");
    check("members=A&at=9", "v=1&topics=&members=A");
}

#[test]
fn the_samples_are_stories() {
    for (title, link) in SAMPLES {
        let settings = Settings::from_link(link).unwrap_or_else(|error| panic!("{title}: {error}"));
        assert_eq!(text(&settings), format!("v=1&{link}"), "{title}");
        let results = settings.story.steps().iter().flat_map(|step| &step.outcomes);
        assert!(results.into_iter().all(|outcome| outcome.error.is_none()), "{title}");
    }
    assert_eq!(Settings::default().shown, Assignor::current());
}

#[test]
fn a_link_that_cannot_be_read_says_why() {
    let page = "Reload it, or open the link where it was made.";
    check("v=2", &format!("The link is of version 2; this page reads version 1. {page}"));
    check("topic=a:1", "The link has a field \"topic\" that the assignment lab does not know.");
    check("topics=a", "The link says topics=a; expected names and partitions, such as orders:6,payments:3.");
    check("members=A:b:c:d:e", "The link says members=A:b:c:d:e; expected ids of members, such as A,B.");
    check("do=jump:C", "The link says do=jump:C; expected changes, such as join:C,leave:B,grow:orders:8.");
    check("do=grow:orders", "The link says do=grow:orders; expected changes, such as join:C,leave:B,grow:orders:8.");
    check("at=x", "The link says at=x; expected the number of a step, 0 for the start.");
    check("show=rack", "The link says show=rack; expected names of assignors.");
    check("links=no", "The link says links=no; expected yes.");
}

#[test]
fn a_thousand_mutations_give_settings_or_an_error() {
    let seed = "v=1&topics=orders:6:a~b.c,payments:3&members=A,B:i1:a,C:::orders&do=join:E:i2,grow:orders:7,leave:B&at=2&links=yes";
    let mut state = 7_u64;
    let mut next = |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    };
    let mut read = 0;
    for _ in 0..1_000 {
        let mut bytes = seed.as_bytes().to_vec();
        for _ in 0..1 + next(3) {
            let place = next(bytes.len());
            match next(3) {
                0 => bytes[place] = b"abA:,~.&=-*019\xc3"[next(15)],
                1 => drop(bytes.remove(place)),
                _ => bytes.insert(place, b":,~.&="[next(6)]),
            }
        }
        let link = String::from_utf8_lossy(&bytes);
        if let Ok(settings) = Settings::from_link(&link) {
            read += 1;
            assert_eq!(Settings::from_link(&text(&settings)), Ok(settings), "{link}");
        }
    }
    assert!(read > 20, "{read} of the mutations can be read");
}
