//! Verdicts and how they are told: failing cases, a table per family, the count; or the same as JSON.
//!
//! Deliberately not here: the exit status. The program decides it from the count.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use serde_json::{Value, json};

/// What became of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that is compared is equal.
    Passed,
    /// The first difference, or why the case cannot be run.
    Failed(String),
    /// Not counted, for this reason.
    LeftOut(String),
}

/// One case of one recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The file it is in.
    pub path: PathBuf,
    /// The family of recordings.
    pub family: String,
    /// Its name inside the file; may be empty.
    pub id: String,
    /// What became of it.
    pub verdict: Verdict,
}

/// All cases of a run, in the order in which they were run.
#[derive(Debug, Default)]
pub struct Report {
    cases: Vec<Case>,
}

impl Report {
    pub(super) fn push(&mut self, case: Case) {
        self.cases.push(case);
    }

    /// Every case.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// How many cases passed.
    pub fn passed(&self) -> usize {
        self.cases.iter().filter(|case| case.verdict == Verdict::Passed).count()
    }

    /// How many cases failed.
    pub fn failed(&self) -> usize {
        self.cases.iter().filter(|case| matches!(case.verdict, Verdict::Failed(_))).count()
    }

    /// The run as data: `cases`, `families`, `passed`, `failed`.
    pub fn to_json(&self) -> Value {
        let cases: Vec<Value> = self.cases.iter().map(case_to_json).collect();
        let families: BTreeMap<&str, Value> = self
            .families()
            .into_iter()
            .map(|(name, [passed, failed, left_out])| {
                (name, json!({ "passed": passed, "failed": failed, "left_out": left_out }))
            })
            .collect();
        json!({ "cases": cases, "families": families, "passed": self.passed(), "failed": self.failed() })
    }

    /// Passed, failed and left out cases per family.
    fn families(&self) -> BTreeMap<&str, [usize; 3]> {
        let mut families = BTreeMap::<&str, [usize; 3]>::new();
        for case in &self.cases {
            let column = match case.verdict {
                Verdict::Passed => 0,
                Verdict::Failed(_) => 1,
                Verdict::LeftOut(_) => 2,
            };
            families.entry(&case.family).or_default()[column] += 1;
        }
        families
    }
}

fn case_to_json(case: &Case) -> Value {
    let (verdict, detail) = match &case.verdict {
        Verdict::Passed => ("passed", None),
        Verdict::Failed(difference) => ("failed", Some(difference)),
        Verdict::LeftOut(reason) => ("left_out", Some(reason)),
    };
    let path = case.path.display().to_string();
    json!({ "path": path, "family": case.family, "id": case.id, "verdict": verdict, "detail": detail })
}

impl fmt::Display for Report {
    /// The text of the program; its last line is exactly `N passed, N failed`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for case in &self.cases {
            let (word, detail) = match &case.verdict {
                Verdict::Passed => continue,
                Verdict::Failed(difference) => ("FAIL", difference),
                Verdict::LeftOut(reason) => ("LEFT OUT", reason),
            };
            let gap = if case.id.is_empty() { "" } else { " " };
            writeln!(f, "{word} {}{gap}{}: {detail}", case.path.display(), case.id)?;
        }
        writeln!(f, "{:<24} {:>8} {:>8} {:>8}", "family", "passed", "failed", "left out")?;
        for (family, [passed, failed, left_out]) in self.families() {
            writeln!(f, "{family:<24} {passed:>8} {failed:>8} {left_out:>8}")?;
        }
        write!(f, "{} passed, {} failed", self.passed(), self.failed())
    }
}
