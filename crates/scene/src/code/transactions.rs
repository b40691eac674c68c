//! The calls of a transaction in each language, for the libraries that have them.
//!
//! Where they stand in a program is decided by `program.rs`.

use super::Language;
use super::program::Step;

/// The calls of a transaction, as lines of a program.
pub(super) struct Calls {
    pub(super) init: &'static str,
    pub(super) begin: &'static str,
    /// What `producer.send` becomes inside a transaction.
    pub(super) send: &'static str,
    pub(super) commit: &'static str,
    pub(super) abort: &'static str,
    pub(super) comment: &'static str,
    pub(super) indent: &'static str,
}

const JAVA: Calls = Calls {
    init: "producer.initTransactions();",
    begin: "producer.beginTransaction();",
    send: "producer.send",
    commit: "producer.commitTransaction();",
    abort: "producer.abortTransaction();",
    comment: "//",
    indent: "    ",
};

const PYTHON: Calls = Calls {
    init: "producer.init_transactions()",
    begin: "producer.begin_transaction()",
    send: "producer.send",
    commit: "producer.commit_transaction()",
    abort: "producer.abort_transaction()",
    comment: "#",
    indent: "    ",
};

const GO: Calls = Calls {
    init: "err = producer.InitTransactions(ctx)",
    begin: "err = producer.BeginTransaction()",
    send: "producer.send",
    commit: "err = producer.CommitTransaction(ctx)",
    abort: "producer.AbortTransaction(ctx)",
    comment: "//",
    indent: "    ",
};

const JAVASCRIPT: Calls = Calls {
    init: "// connect() has called initTransactions",
    begin: "const transaction = await producer.transaction();",
    send: "transaction.send",
    commit: "await transaction.commit();",
    abort: "await transaction.abort();",
    comment: "//",
    indent: "  ",
};

const RUST: Calls = Calls {
    init: "producer.init_transactions(Timeout::Never)?;",
    begin: "producer.begin_transaction()?;",
    send: "producer.send",
    commit: "producer.commit_transaction(Timeout::Never)?;",
    abort: "producer.abort_transaction(Timeout::Never)?;",
    comment: "//",
    indent: "    ",
};

impl Calls {
    /// The calls of a library; none for one whose transactions are not shown.
    pub(super) fn of(language: Language, family: &str) -> Option<&'static Calls> {
        match (language, family) {
            (Language::Java, "java") => Some(&JAVA),
            (Language::Python, "librdkafka" | "confluent-kafka-python" | "kafka-python") => Some(&PYTHON),
            (Language::Go, "librdkafka" | "confluent-kafka-go") => Some(&GO),
            (Language::JavaScript, "librdkafka" | "confluent-kafka-javascript" | "kafkajs") => Some(&JAVASCRIPT),
            (Language::Rust, "librdkafka" | "rust-rdkafka") => Some(&RUST),
            _ => None,
        }
    }

    /// The lines before and after a record on a producer's card, with which of them runs.
    pub(super) fn around(&self, step: Option<Step>) -> [(&'static str, bool); 2] {
        let before = match step {
            Some(Step::Start | Step::Init) => self.init,
            _ => self.begin,
        };
        let after = if step == Some(Step::Abort) { self.abort } else { self.commit };
        let is_before = matches!(step, Some(Step::Start | Step::Init | Step::Begin));
        [(before, is_before), (after, matches!(step, Some(Step::Commit | Step::Abort)))]
    }
}
