//! The metrics of each producer under the client's own names, with the course of each as a small chart.
//!
//! Values are the client's; the chart remembers what it was shown and forgets what a step back undoes.

use std::collections::BTreeMap;

use engine::Time;
use engine::event::Name;
use engine::snapshot::ProducerSnapshot;
use yew::{Html, Properties, component, html, use_mut_ref};

use crate::app::session::{Rate, Session, use_session};

/// Points of one chart, at most: the last ones.
const POINTS_MAX: usize = 120;
/// Producers whose metrics are shown, at most.
const PRODUCERS_MAX: usize = 6;
const WIDTH: f64 = 96.0;
const HEIGHT: f64 = 20.0;

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ProducerMetricsProps {
    /// The session.
    pub session: Session,
    /// The side of a comparison.
    #[prop_or_default]
    pub side: usize,
}

/// Values of a metric over time, in thousandths of its unit.
type Course = Vec<(Time, i64)>;

/// A table for each producer that has metrics.
#[component]
pub fn ProducerMetrics(props: &ProducerMetricsProps) -> Html {
    let ProducerMetricsProps { session, side } = props;
    use_session(session, Rate::Table);
    let courses = use_mut_ref(BTreeMap::<(Name, &'static str), Course>::new);
    let snapshot = session.snapshot(*side);
    let now = session.read(scene::Player::now);
    let measured = snapshot.producers.iter().filter(|producer| !producer.metrics.is_empty());
    let tables: Vec<Html> = measured
        .take(PRODUCERS_MAX)
        .map(|producer| {
            let mut courses = courses.borrow_mut();
            table(producer, &mut |name, value| {
                let course = courses.entry((producer.name.clone(), name)).or_default();
                remember(course, now, value);
                course.clone()
            })
        })
        .collect();
    html! { <>{ for tables }</> }
}

/// Adds a value; what is later than now was undone.
fn remember(course: &mut Course, now: Time, value: i64) {
    course.retain(|(time, _)| *time < now);
    course.push((now, value));
    let surplus = course.len().saturating_sub(POINTS_MAX);
    course.drain(..surplus);
}

fn table(producer: &ProducerSnapshot, course: &mut dyn FnMut(&'static str, i64) -> Course) -> Html {
    let rows: Vec<Html> = producer
        .metrics
        .iter()
        .map(|(name, value)| {
            let bean = format!("kafka.producer:type=producer-metrics,client-id={},name={name}", producer.name);
            html! {
                <tr key={*name}>
                    <th scope="row" class="mono" title={bean}>{ *name }</th>
                    <td class="number">{ number(*value) }</td>
                    <td>{ chart(&course(name, *value)) }</td>
                </tr>
            }
        })
        .collect();
    let label = format!("Metrics of {}", producer.name);
    html! {
        <div key={producer.name.to_string()} class="table-frame" tabindex="0" role="region" aria-label={label}>
            <table class="table">
                <thead><tr><th scope="col">{ producer.name.to_string() }</th><th scope="col" class="number">{ "Now" }</th><th scope="col">{ "So far" }</th></tr></thead>
                <tbody>{ for rows }</tbody>
            </table>
        </div>
    }
}

/// Thousandths as a number without needless zeros.
fn number(thousandths: i64) -> String {
    let (sign, rest) = (if thousandths < 0 { "-" } else { "" }, thousandths.unsigned_abs());
    let text = format!("{sign}{}.{:03}", rest / 1_000, rest % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A line from the lowest to the highest value so far; the number beside it says what it shows.
fn chart(course: &[(Time, i64)]) -> Html {
    html! {
        <svg class="spark" width={WIDTH.to_string()} height={HEIGHT.to_string()} aria-hidden="true">
            <polyline points={points(course)} />
        </svg>
    }
}

fn points(course: &[(Time, i64)]) -> String {
    let (Some((first, _)), Some((last, _))) = (course.first(), course.last()) else { return String::new() };
    let low = course.iter().map(|(_, value)| *value).min().unwrap_or(0);
    let high = course.iter().map(|(_, value)| *value).max().unwrap_or(0);
    let span = (last.since(*first).0 as f64).max(1.0);
    let rise = ((high - low) as f64).max(1.0);
    let point = |(time, value): &(Time, i64)| {
        let x = time.since(*first).0 as f64 / span * (WIDTH - 4.0) + 2.0;
        let y = HEIGHT - 3.0 - (value - low) as f64 / rise * (HEIGHT - 6.0);
        format!("{x:.1},{y:.1}")
    };
    course.iter().map(point).collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousandths_are_told_without_needless_zeros() {
        assert_eq!([0, 1_000, 350, -1_500, 33_554_432_000].map(number), ["0", "1", "0.35", "-1.5", "33554432"]);
    }

    #[test]
    fn a_step_back_takes_points_away() {
        let mut course = vec![(Time(1), 5), (Time(2), 6), (Time(3), 7)];
        remember(&mut course, Time(2), 9);
        assert_eq!(course, [(Time(1), 5), (Time(2), 9)]);
        assert_eq!(points(&course), "2.0,17.0 94.0,3.0");
    }
}
