//! `bench`: how fast the partitioners and the engine are, natively, in wasm and beside their originals.
//!
//! Everything that is compared is measured in one run on one machine; a bar is a ratio or a bound of the
//! design. Frames and renders are measured in the browser, by `tests/bench/run.mjs`.

mod measure;
mod peers;

use std::collections::BTreeMap;
use std::process::ExitCode;

use measure::{Figures, best_ns};
use tests::bench::{self, assign, rebalance};

const LENGTHS: [usize; 4] = [8, 16, 32, 64];
const HOUR: u64 = 3_600;

fn main() -> ExitCode {
    let mut figures = native();
    figures.extend(peers::wasm());
    figures.extend(peers::java());
    figures.extend(peers::librdkafka());
    print_figures(&figures);
    let held = bars(&figures);
    let failed = held.iter().filter(|held| !**held).count();
    println!("{} bars held, {failed} not held", held.len() - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A million records under load: first, because memory is told from what the process has taken.
fn load() -> Figures {
    let mut figures = BTreeMap::new();
    let before = measure::resident_bytes();
    let (entries, seconds, timeline) = measure::timed(|| {
        let timeline = bench::run(bench::loaded(), bench::MILLION_RECORDS_SECONDS);
        (timeline.moment().sequence, timeline)
    });
    let records = bench::records(&timeline) as f64;
    figures.insert("native/load-entries-per-second".to_string(), entries as f64 / seconds);
    figures.insert("native/load-records".to_string(), records);
    if let (Some(before), Some(after)) = (before, measure::resident_bytes()) {
        figures.insert("native/bytes-per-record".to_string(), after.saturating_sub(before) as f64 / records);
    }
    figures
}

/// A simulated minute of 10,000 records a second from `send` to the log: the best of three rounds.
fn minutes() -> Figures {
    let mut figures = BTreeMap::new();
    for (name, scenario) in [("fill-the-buffer", bench::fill_the_buffer()), ("keep-up", bench::keep_up())] {
        let round = || {
            let (records, seconds, _) = measure::timed(|| {
                let timeline = bench::run(scenario.clone(), bench::FILL_SECONDS);
                (bench::records(&timeline), timeline)
            });
            (records, seconds)
        };
        let rounds = [round(), round(), round()];
        let (records, seconds) = rounds.into_iter().min_by(|one, other| one.1.total_cmp(&other.1)).unwrap_or_default();
        figures.insert(format!("native/{name}-minute-seconds"), seconds);
        figures.insert(format!("native/{name}-records-per-second"), records as f64 / seconds);
    }
    figures
}

/// Assignments of groups, in milliseconds.
fn assignments() -> Figures {
    let figure = |(number, case, size)| {
        let group = assign::Group::new(size, case, number);
        (format!("native/{}", assign::figure(number, case, size)), measure::best_ms(|| group.run(number)))
    };
    assign::rows().map(figure).collect()
}

/// One more member in a large group, in milliseconds: the best of three rounds.
fn rebalances() -> Figures {
    let figure = |(kind, (name, ..)): (usize, &(&str, _, _))| {
        let round = |_| {
            let mut timeline = rebalance::settled(kind);
            let (_, seconds, ()) = measure::timed(|| (rebalance::join(kind, &mut timeline), ()));
            seconds * 1_000.0
        };
        (format!("native/rebalance-ms/{name}"), (0..3).map(round).fold(f64::INFINITY, f64::min))
    };
    rebalance::KINDS.iter().enumerate().map(figure).collect()
}

fn native() -> Figures {
    let mut figures = load();
    figures.extend(minutes());
    for length in LENGTHS {
        let keys = bench::keys(length);
        let mut out = Vec::with_capacity(bench::KEYS);
        for (function, client) in [("murmur2", "java"), ("crc32", "librdkafka")] {
            let one = best_ns(bench::KEYS, || bench::place_one_by_one(client, &keys));
            let many = best_ns(bench::KEYS, || bench::place_many(client, &keys, &mut out));
            figures.insert(format!("native/{function}-one/{length}"), one);
            figures.insert(format!("native/{function}-many/{length}"), many);
        }
    }
    let mut timeline = bench::run(bench::busy(), HOUR);
    let entries = timeline.moment().sequence;
    figures.extend(assignments());
    figures.extend(rebalances());
    figures.insert("native/entries-per-simulated-second".to_string(), entries as f64 / HOUR as f64);
    figures.insert("native/checkpoint-mib".to_string(), timeline.checkpoint_bytes() as f64 / 1_048_576.0);
    let mut seeks: Vec<f64> = bench::instants(300, HOUR)
        .into_iter()
        .map(|instant| measure::timed(|| (0, timeline.seek(instant))).1 * 1_000.0)
        .collect();
    measure::add_seeks(&mut figures, "native", &mut seeks);
    figures
}

fn print_figures(figures: &Figures) {
    for (name, value) in figures {
        println!("{name:<44} {value:>14.2}");
    }
}

/// Prints each bar that can be judged, and whether it holds.
fn bars(figures: &Figures) -> Vec<bool> {
    let mut held = hash_bars(figures);
    held.extend(assignment_bars(figures));
    for name in ["load-entries-per-second", "fill-the-buffer-records-per-second", "keep-up-records-per-second"] {
        let (wasm, native) = (format!("wasm/{name}"), format!("native/{name}"));
        if let Some(times) = quotient(figures, &wasm, &native) {
            held.push(measure::judge(&format!("wasm {name}, times native"), times, 0.6, true));
        }
    }
    for name in ["native/fill-the-buffer", "native/keep-up", "wasm/fill-the-buffer", "wasm/keep-up"] {
        let rate = format!("{name}-records-per-second");
        if let Some(times) = quotient(figures, &rate, "java/accumulator-records-per-second") {
            measure::compare(&format!("{name}, times Java's accumulator"), times);
        }
    }
    if let Some(entries) = figures.get("native/load-entries-per-second") {
        held.push(measure::judge("entries a second under load", *entries, 1_000_000.0, true));
    }
    let mut bound = |name: &str, most: f64| {
        if let Some(value) = figures.get(name) {
            held.push(measure::judge(name, *value, most, false));
        }
    };
    bound("native/bytes-per-record", 200.0);
    for side in ["native", "wasm"] {
        bound(&format!("{side}/fill-the-buffer-minute-seconds"), 1.0);
        bound(&format!("{side}/keep-up-minute-seconds"), 1.0);
        for (name, ..) in rebalance::KINDS {
            bound(&format!("{side}/rebalance-ms/{name}"), 100.0);
        }
        bound(&format!("{side}/seek-p95-ms"), 16.0);
        bound(&format!("{side}/seek-max-ms"), 50.0);
        bound(&format!("{side}/checkpoint-mib"), 256.0);
    }
    held
}

/// Bars of the assignors: each is the least of all sizes.
fn assignment_bars(figures: &Figures) -> Vec<bool> {
    let mut held = Vec::new();
    for (number, name) in assign::NAMES.into_iter().enumerate() {
        for case in assign::Case::ALL.into_iter().filter(|case| assign::is_measured(number, *case)) {
            let least = |of: &str, by: &str| {
                let times = case.sizes().iter().filter_map(|size| {
                    let figure = assign::figure(number, case, *size);
                    quotient(figures, &format!("{of}/{figure}"), &format!("{by}/{figure}"))
                });
                times.min_by(f64::total_cmp)
            };
            let what = format!("{name} {}", case.name());
            if let Some(times) = least("java", "native") {
                held.push(measure::judge(&format!("assign {what}, times Java"), times, 3.0, true));
            }
            if let Some(times) = least("native", "wasm") {
                held.push(measure::judge(&format!("wasm assign {what}, times native"), times, 0.5, true));
            }
        }
    }
    held
}

/// One figure divided by another, if both were measured.
fn quotient(figures: &Figures, of: &str, by: &str) -> Option<f64> {
    Some(figures.get(of)? / figures.get(by)?)
}

/// Bars of the partitioners. Their figures are times, so the other side's comes first.
fn hash_bars(figures: &Figures) -> Vec<bool> {
    let mut held = Vec::new();
    let mut faster = |what: &str, own: &str, other: &str, least: f64| {
        if let Some(times) = quotient(figures, other, own) {
            held.push(measure::judge(what, times, least, true));
        }
    };
    for length in LENGTHS {
        let java = format!("java/murmur2/{length}");
        let least = if length <= 16 { 1.5 } else { 1.0 };
        faster(
            &format!("one key at a time, {length} bytes, times Java"),
            &format!("native/murmur2-one/{length}"),
            &java,
            least,
        );
        faster(&format!("many keys, {length} bytes, times Java"), &format!("native/murmur2-many/{length}"), &java, 3.0);
        for function in ["murmur2-one", "murmur2-many"] {
            let (wasm, native) = (format!("wasm/{function}/{length}"), format!("native/{function}/{length}"));
            faster(&format!("wasm {function}, {length} bytes, times native"), &wasm, &native, 0.7);
        }
        let library = format!("librdkafka/crc32/{length}");
        faster(
            &format!("crc32, {length} bytes, times librdkafka"),
            &format!("native/crc32-one/{length}"),
            &library,
            1.0,
        );
    }
    held
}
