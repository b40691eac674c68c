//! Counting what test programs say: libtest's result lines and the JSON lines of our Node programs.

use std::ops::AddAssign;

use serde_json::Value;

/// How many cases passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Count {
    pub passed: u64,
    pub failed: u64,
}

impl Count {
    /// One check that held or did not.
    pub fn one(held: bool) -> Self {
        Self { passed: held.into(), failed: (!held).into() }
    }

    /// Adds a failure when a program ended badly without naming a failed case: a crash is never a pass.
    pub fn with_exit(self, success: bool) -> Self {
        let unnamed = !success && self.failed == 0;
        Self { failed: self.failed + u64::from(unnamed), ..self }
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// Sums lines such as `test result: ok. 12 passed; 0 failed; 0 ignored; ...`.
pub fn libtest(text: &str) -> Count {
    let mut count = Count::default();
    for line in text.lines().filter_map(|line| line.trim().strip_prefix("test result: ")) {
        let rest = line.split_once(". ").map_or(line, |(_, rest)| rest);
        for part in rest.split(';') {
            match part.trim().split_once(' ') {
                Some((number, "passed")) => count.passed += number.parse().unwrap_or(0),
                Some((number, "failed")) => count.failed += number.parse().unwrap_or(0),
                _ => {}
            }
        }
    }
    count
}

/// Counts lines such as `{"test":"home: loads","ok":true}`; other lines are talk.
pub fn json_lines(text: &str) -> Count {
    let mut count = Count::default();
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        if let (Some(_), Some(ok)) = (value["test"].as_str(), value["ok"].as_bool()) {
            count += Count::one(ok);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::{Count, json_lines, libtest};

    fn check(got: Count, passed: u64, failed: u64) {
        assert_eq!(got, Count { passed, failed });
    }

    #[test]
    fn result_lines_are_summed() {
        let text = "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n\
                    test result: FAILED. 3 passed; 1 failed; 0 ignored; finished in 0.10s\n";
        check(libtest(text), 5, 1);
        check(libtest("the word passed; and failed"), 0, 0);
    }

    #[test]
    fn json_lines_are_counted() {
        check(
            json_lines("{\"test\":\"a\",\"ok\":true}\n{\"test\":\"b\",\"ok\":false,\"error\":\"x\"}\ntalk {}\n"),
            1,
            1,
        );
    }

    #[test]
    fn a_crash_without_a_named_case_is_one_failure() {
        check(Count::default().with_exit(false), 0, 1);
        check(Count { passed: 3, failed: 2 }.with_exit(false), 3, 2);
        check(Count { passed: 3, failed: 0 }.with_exit(true), 3, 0);
    }
}
