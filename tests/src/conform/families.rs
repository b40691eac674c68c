//! The families of recordings that the engine replays, each with its name and the function that runs one case.
//!
//! Deliberately not here: partitioner tables. They need no engine and hold many cases in one file.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use super::{
    Outcome, failure,
    relaxed::{Mode, Relaxed},
    settle,
};

/// Runs one case; the error is the first difference.
type Run = fn(&Value, Option<&Mode>) -> Result<(), String>;

struct Family {
    name: &'static str,
    /// What cases say of themselves: the field `family` of a scenario, or the part of a line's `id` before its
    /// last hyphen.
    kinds: &'static [&'static str],
    run: Run,
    /// A case that its own fields leave out of the count.
    rule: fn(&Value) -> Option<Mode>,
}

impl Family {
    /// What became of one case. A broken invariant of the engine fails the case in which it broke, and the
    /// others are still run.
    fn outcome(&self, case: &Value, mode: Option<&Mode>) -> Result<(), String> {
        let run = self.run;
        catch_unwind(AssertUnwindSafe(|| run(case, mode))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it does not say why");
            Err(format!("the engine panicked: {text}"))
        })
    }
}

const SCENARIOS: &[Family] = &[
    Family { name: "transactions", kinds: &["transactions"], run: super::cluster::run, rule: counts },
    Family { name: "transactions-tv1", kinds: &["transactions-tv1"], run: super::cluster::run, rule: counts },
    Family { name: "transactions-tv0", kinds: &["transactions-tv0"], run: super::cluster::run, rule: counts },
    Family { name: "txn-coordinator", kinds: &["txn-coordinator"], run: super::cluster::run, rule: counts },
    Family { name: "idempotence", kinds: &["idempotence"], run: super::cluster::run, rule: counts },
    Family { name: "producer", kinds: &["producer"], run: super::cluster::run, rule: counts },
    Family { name: "topics", kinds: &["topics"], run: super::cluster::run, rule: counts },
    Family { name: "storage", kinds: &["storage"], run: super::cluster::run, rule: counts },
    Family { name: "rebalances", kinds: &["rebalances"], run: super::groups::run, rule: counts },
    Family { name: "group-cli", kinds: &["group-cli", "cli"], run: super::groups::run, rule: counts },
    Family {
        name: "librdkafka-producer",
        kinds: &["librdkafka-producer"],
        run: super::cluster::librdkafka::run,
        rule: counts,
    },
    Family {
        name: "librdkafka-transactions",
        kinds: &["librdkafka-transactions"],
        run: super::cluster::librdkafka::run,
        rule: counts,
    },
    Family { name: "librdkafka-groups", kinds: &["librdkafka-groups"], run: super::groups::run, rule: counts },
    Family { name: "share", kinds: &["share"], run: super::share::run, rule: counts },
];

const LINES: &[Family] = &[
    Family {
        name: "assignors",
        kinds: &[
            "client-range",
            "client-roundrobin",
            "client-sticky",
            "client-cooperative-sticky",
            "server-range",
            "server-uniform",
            "share-simple",
        ],
        run: super::assignors::run,
        rule: super::assignors::rule,
    },
    Family { name: "coordinator", kinds: &["coordinator"], run: super::coordinator::run, rule: counts },
];

/// Most families count every case.
fn counts(_: &Value) -> Option<Mode> {
    None
}

/// Runs a scenario file whose field `family` is `kind`.
pub(super) fn run_scenario(kind: &str, id: &str, document: &Value, relaxed: &Relaxed) -> Outcome {
    run(SCENARIOS, kind, id, document, relaxed)
}

/// Runs one line of a `.jsonl` file; `kind` is the part of its `id` before the last hyphen.
pub(super) fn run_line(kind: &str, id: &str, line: &Value, relaxed: &Relaxed) -> Outcome {
    run(LINES, kind, id, line, relaxed)
}

fn run(families: &[Family], kind: &str, id: &str, case: &Value, relaxed: &Relaxed) -> Outcome {
    match families.iter().find(|known| known.kinds.contains(&kind)) {
        Some(known) => {
            let rule = (known.rule)(case);
            let mode = rule.as_ref().or_else(|| relaxed.mode(known.name, id));
            settle(known.name, id.into(), known.outcome(case, mode), mode)
        }
        None => failure("unknown", id, format!("unknown family {kind:?}")),
    }
}
