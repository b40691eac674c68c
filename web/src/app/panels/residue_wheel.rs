//! Why a key stays or moves when a topic grows: its hash on a wheel of lcm(old, new) places.
//!
//! The wheel is geometry of remainders; hashes and partitions come from the partitioner.

use partitioner::Decision;
use yew::{Html, Properties, component, html};

use super::key_text_chip;
use super::stage_keys::{StageKey, stage_keys};
use crate::app::session::{Rate, Session, use_session};

/// Places of a wheel that can be drawn; a larger one is only counted.
const PLACES_MAX: u64 = 240;

/// From how many to how many partitions.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ResidueWheelProps {
    /// The session.
    pub session: Session,
    /// The count that the topic grows to, if a setting names one.
    #[prop_or_default]
    pub grow: Option<u32>,
}

/// The wheel and the keys on it.
#[component]
pub fn ResidueWheel(props: &ResidueWheelProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let scenario = session.scenario(0);
    let old = u64::from(scenario.topics.first().and_then(|topic| topic.partitions).unwrap_or(1));
    let now = session.snapshot(0).topics.first().map_or(old, |topic| topic.partitions.len() as u64);
    let new = props.grow.map_or(now, u64::from);
    let client = scenario.producers.first().and_then(|producer| partitioner::client(&producer.client));
    let Some(client) = client.filter(|_| old > 0 && new > 0) else { return Html::default() };
    let places = lcm(old, new);
    let staying = (0..places).filter(|place| place % old == place % new).count();
    let keys: Vec<(StageKey, u64)> = stage_keys(&scenario)
        .into_iter()
        .filter_map(|key| {
            let Decision::Hashed(hashed) = client.explain(Some(&key.bytes), 1).decision else { return None };
            Some((key, u64::try_from(hashed.dividend?).ok()?))
        })
        .collect();
    let share = 100.0 - staying as f64 * 100.0 / places as f64;
    html! {
        <section class="panel wheel" aria-label="Residue wheel">
            <h2>{ format!("From {old} to {new} partitions: a wheel of {places} places") }</h2>
            <p>{ format!("A key keeps its number on {staying} of {places} places, so {share:.1} % of many keys move.") }</p>
            <div class="wheel-body">
                if places <= PLACES_MAX { { wheel(old, new, places, &keys) } }
                { table(session, old, new, places, &keys) }
            </div>
        </section>
    }
}

fn wheel(old: u64, new: u64, places: u64, keys: &[(StageKey, u64)]) -> Html {
    let sector = |place: u64| {
        let stays = place % old == place % new;
        let holders: Vec<&str> =
            keys.iter().filter(|(_, number)| number % places == place).map(|(key, _)| key.text.as_str()).collect();
        let class = format!(
            "sector {}{}",
            if stays { "stays" } else { "moves" },
            if holders.is_empty() { "" } else { " held" }
        );
        let words = if stays { "stays" } else { "moves" };
        let title =
            format!("{place}: {} of {old}, {} of {new}, {words} {}", place % old, place % new, holders.join(", "));
        html! { <path key={place} {class} d={sector_path(place, places)}><title>{ title }</title></path> }
    };
    let number = |place: u64| {
        let (x, y) = point(place as f64 + 0.5, places, 64.0);
        html! { <text key={format!("n{place}")} x={format!("{x:.1}")} y={format!("{:.1}", y + 4.0)} text-anchor="middle">{ place }</text> }
    };
    html! {
        <svg class="wheel-picture" viewBox="-100 -100 200 200" width="220" height="220" role="img"
            aria-label={format!("Wheel of {places} places; filled places keep their number")}>
            { for (0..places).map(sector) }
            if places <= 24 { { for (0..places).map(number) } }
        </svg>
    }
}

/// A ring sector of the wheel; place 0 begins at the top.
fn sector_path(place: u64, places: u64) -> String {
    let (from, to) = (place as f64, place as f64 + 1.0);
    let [(x1, y1), (x2, y2)] = [from, to].map(|at| point(at, places, 92.0));
    let [(x3, y3), (x4, y4)] = [to, from].map(|at| point(at, places, 38.0));
    let large = u8::from(places < 2);
    format!("M{x1:.2} {y1:.2}A92 92 0 {large} 1 {x2:.2} {y2:.2}L{x3:.2} {y3:.2}A38 38 0 {large} 0 {x4:.2} {y4:.2}Z")
}

fn point(place: f64, places: u64, radius: f64) -> (f64, f64) {
    // One place alone would begin and end at the same point, which draws nothing.
    let turn = (place / places as f64).min(0.999_9) * std::f64::consts::TAU;
    (turn.sin() * radius, -turn.cos() * radius)
}

fn table(session: &Session, old: u64, new: u64, places: u64, keys: &[(StageKey, u64)]) -> Html {
    let palette = session.palette();
    let row = |(key, number): &(StageKey, u64)| {
        let stays = number % old == number % new;
        html! {
            <tr key={key.text.clone()} class={if stays { "" } else { "differs" }}>
                <td>{ key_text_chip(&palette, &key.bytes, &key.text) }</td>
                <td class="number">{ number % places }</td><td class="number">{ number % old }</td><td class="number">{ number % new }</td>
                <td>{ if stays { "stays" } else { "moves" } }</td>
            </tr>
        }
    };
    html! {
        <div class="table-frame" tabindex="0" role="region" aria-label="Keys on the wheel">
            <table class="table">
                <thead><tr>
                    <th scope="col">{ "Key" }</th><th scope="col" class="number">{ "Place on the wheel" }</th>
                    <th scope="col" class="number">{ format!("mod {old}") }</th><th scope="col" class="number">{ format!("mod {new}") }</th><th scope="col">{ "" }</th>
                </tr></thead>
                <tbody>{ for keys.iter().map(row) }</tbody>
            </table>
        </div>
    }
}

fn lcm(left: u64, right: u64) -> u64 {
    let (mut a, mut b) = (left, right);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    left / a * right
}

#[cfg(test)]
mod tests {
    use super::lcm;

    fn check(left: u64, right: u64, expected: u64) {
        assert_eq!(lcm(left, right), expected, "{left} and {right}");
    }

    #[test]
    fn wheels_have_a_place_for_every_pair_of_remainders() {
        check(3, 6, 6);
        check(3, 4, 12);
        check(12, 16, 48);
        check(6, 7, 42);
        check(5, 5, 5);
    }
}
