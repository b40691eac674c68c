//! What a client's program looks like: short programs in five languages, with the running line lit.
//!
//! Nothing here runs. The programs use each library as its own documentation does.

mod go;
mod java;
mod javascript;
mod plain;
mod program;
mod python;
mod rust;
mod transactions;

use engine::Scenario;
use engine::client::configs::ConfigLibrary;
use engine::event::Decision;
use engine::snapshot::ProducerSnapshot;
use engine::transaction::Call;
use partitioner::Client;

use program::{Facts, Step, running};
use transactions::Calls;

/// A language of the code panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// Java.
    Java,
    /// Python.
    Python,
    /// Go.
    Go,
    /// JavaScript.
    JavaScript,
    /// Rust.
    Rust,
}

/// One line of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLine {
    /// The line, indented by spaces.
    pub text: String,
    /// Whether the client stands here.
    pub is_running: bool,
}

/// A method as a client's library calls it: librdkafka's own names for all that are built on it, else Java's.
///
/// ```
/// use engine::transaction::Call;
/// assert_eq!(scene::code::method("java", Call::CommitTransaction), "commitTransaction");
/// assert_eq!(scene::code::method("librdkafka", Call::CommitTransaction), "commit_transaction");
/// ```
pub fn method(client: &str, call: Call) -> &'static str {
    let known = partitioner::client(client);
    if known.is_none_or(|client| ConfigLibrary::of(client) != ConfigLibrary::Librdkafka) {
        return call.method();
    }
    match call {
        Call::Send => "produce",
        Call::PartitionsFor => "metadata",
        Call::Flush | Call::Close => call.method(),
        Call::InitTransactions => "init_transactions",
        Call::BeginTransaction => "begin_transaction",
        Call::CommitTransaction => "commit_transaction",
        Call::AbortTransaction => "abort_transaction",
        Call::SendOffsetsToTransaction => "send_offsets_to_transaction",
    }
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 5] =
        [Language::Java, Language::Python, Language::Go, Language::JavaScript, Language::Rust];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Language::Java => "Java",
            Language::Python => "Python",
            Language::Go => "Go",
            Language::JavaScript => "JavaScript",
            Language::Rust => "Rust",
        }
    }
}

/// The languages in which a client (an id of the catalogue) can be shown, the usual one first. Empty for a client
/// of none of the five; its settings are shown instead.
///
/// ```
/// use scene::code::{Language, languages};
/// assert_eq!(languages("java"), [Language::Java]);
/// assert_eq!(languages("sarama"), [Language::Go]);
/// assert_eq!(languages("librdkafka").len(), 4);
/// ```
pub fn languages(client: &str) -> Vec<Language> {
    let Some(client) = partitioner::client(client) else { return Vec::new() };
    match client.family {
        "librdkafka" => vec![Language::Python, Language::Go, Language::JavaScript, Language::Rust],
        "java" => vec![Language::Java],
        "confluent-kafka-python" | "kafka-python" | "aiokafka" | "pykafka" => vec![Language::Python],
        "confluent-kafka-go" | "sarama" | "franz-go" | "kafka-go" => vec![Language::Go],
        "confluent-kafka-javascript" | "node-rdkafka" | "kafkajs" | "kafka-node" | "platformatic" => {
            vec![Language::JavaScript]
        }
        "rust-rdkafka" | "kafka-rust" => vec![Language::Rust],
        _ => Vec::new(),
    }
}

/// The program of a producer. A language that its client has no library for is replaced by the usual one.
pub fn code(language: Option<Language>, producer: &ProducerSnapshot, scenario: &Scenario) -> Vec<CodeLine> {
    let facts = Facts::of(producer, Some(scenario));
    let mut program = match chosen(language, producer) {
        Some(Language::Java) => java::program(&facts),
        Some(Language::Python) => python::program(&facts),
        Some(Language::Go) => go::program(&facts),
        Some(Language::JavaScript) => javascript::program(&facts),
        Some(Language::Rust) => rust::program(&facts),
        None => plain::program(&facts),
    };
    if let Some(calls) = calls(language, producer, &facts) {
        program.transact(calls);
    }
    program.lit(running(producer))
}

/// Three lines for a producer's card: the call with its last key, and the rule that places it.
pub(crate) fn lines_of_card(language: Option<Language>, producer: &ProducerSnapshot) -> Vec<CodeLine> {
    let facts = Facts::of(producer, None);
    let (head, call, comment) = match chosen(language, producer) {
        Some(Language::Java) => java::call(&facts),
        Some(Language::Python) => python::call(&facts),
        Some(Language::Go) => go::call(&facts),
        Some(Language::JavaScript) => javascript::call(&facts),
        Some(Language::Rust) => rust::call(&facts),
        None => plain::call(&facts),
    };
    // Before the first record there is nothing to name.
    let end = &call[call.trim_end_matches([')', ';', '}']).len()..];
    let call = if producer.last.is_none() && !facts.has_keys() { format!("…{end}") } else { call };
    let step = running(producer);
    if let Some(calls) = calls(language, producer, &facts) {
        let [before, after] = calls.around(step);
        let gap = if head.ends_with('(') { "" } else { " " };
        let send = (&*format!("{head}{gap}{}", call.trim_start()), step == Some(Step::Send));
        let line = |(text, is_running): (&str, bool)| CodeLine { text: text.to_string(), is_running };
        return vec![line(before), line(send), line(after)];
    }
    let is_sending = matches!(step, Some(Step::Send | Step::Wait));
    let end = matches!(step, Some(Step::Close)).then(|| facts.close.to_string());
    let mut lines = vec![
        CodeLine { text: head, is_running: false },
        CodeLine { text: format!("  {call}"), is_running: is_sending },
    ];
    let rule = end.clone().unwrap_or_else(|| format!("{comment} {}", rule_words(producer)));
    lines.push(CodeLine { text: rule, is_running: end.is_some() });
    lines
}

/// The calls of a transaction, for a producer with a `transactional.id`.
fn calls(language: Option<Language>, producer: &ProducerSnapshot, facts: &Facts) -> Option<&'static Calls> {
    producer.transactional_id.as_ref()?;
    Calls::of(chosen(language, producer)?, facts.family())
}

fn chosen(language: Option<Language>, producer: &ProducerSnapshot) -> Option<Language> {
    let possible = languages(&producer.client);
    language.filter(|language| possible.contains(language)).or_else(|| possible.first().copied())
}

/// The rule of the last record in a few words: "murmur2, sign bit cleared, mod 3".
fn rule_words(producer: &ProducerSnapshot) -> String {
    let Some(last) = &producer.last else { return "nothing sent yet".to_string() };
    match &last.decision {
        Decision::Explicit => format!("partition {}, named", last.partition),
        Decision::Keyless { partitions, .. } => format!("no key: {} of {partitions}", last.partition),
        Decision::Hashed { explanation } => match &explanation.decision {
            partitioner::Decision::Hashed(hashed) => {
                let sign = if hashed.sign == partitioner::SignRule::Mask { " & 0x7fffffff" } else { "" };
                format!("{}{sign} % {}", hashed.function.name(), explanation.partitions)
            }
            partitioner::Decision::NotHashed(why) => why.reason(),
        },
    }
}

fn client_of(producer: &ProducerSnapshot) -> Option<&'static Client> {
    partitioner::client(&producer.client)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use engine::transaction::{Call, ClientState, WaitReason};

    /// Programs of every client in every language, with exactly one running line.
    #[test]
    fn one_line_of_every_program_runs() {
        for client in partitioner::clients() {
            let producer = sample::producer("orders-service", client.id, "events", Some("user-2"));
            let mut shown: Vec<Option<Language>> = languages(client.id).into_iter().map(Some).collect();
            shown.push(None);
            for language in shown {
                let lines = code(language, &producer, &Scenario::empty(1));
                let running = lines.iter().filter(|line| line.is_running).count();
                assert_eq!(running, 1, "{} {language:?}: {lines:#?}", client.id);
                assert!(
                    lines.iter().all(|line| !line.text.contains('\t')),
                    "{}: lines are indented by spaces",
                    client.id
                );
            }
        }
    }

    /// The line that runs in a program with transactions.
    fn check_transaction(client: &str, state: ClientState, call: Option<Call>, expected: &str) {
        let writer = sample::transactions::writer("fares", state);
        let calls = call.map(|call| sample::transactions::waiting(call, WaitReason::Coordinator));
        let producer = ProducerSnapshot { client: client.into(), calls: calls.into_iter().collect(), ..writer };
        let lines = code(None, &producer, &Scenario::empty(1));
        let running: Vec<&str> = lines.iter().filter(|line| line.is_running).map(|line| line.text.trim()).collect();
        assert_eq!(running, [expected], "{client} {state:?}: {lines:#?}");
    }

    #[test]
    fn a_card_closes_its_call_before_the_first_record() {
        let writer = sample::transactions::writer("fares", ClientState::Ready);
        let lines = lines_of_card(None, &ProducerSnapshot { client: "java".into(), last: None, ..writer });
        assert_eq!(lines[1].text, "producer.send(…);");
    }

    #[test]
    fn a_transactional_program_stands_at_its_call() {
        use ClientState as S;
        check_transaction("java", S::Initializing, None, "producer.initTransactions();");
        check_transaction("java", S::InTransaction, None, "producer.beginTransaction();");
        let commit = Some(Call::CommitTransaction);
        check_transaction("java", S::CommittingTransaction, commit, "producer.commitTransaction();");
        let abort = "// after an error: producer.abortTransaction();";
        check_transaction("java", S::AbortingTransaction, Some(Call::AbortTransaction), abort);
        check_transaction("librdkafka", S::CommittingTransaction, commit, "producer.commit_transaction()");
        check_transaction(
            "confluent-kafka-go",
            S::CommittingTransaction,
            commit,
            "err = producer.CommitTransaction(ctx)",
        );
    }

    fn check(client: &str, language: Language, expected: &str) {
        let mut producer = sample::producer("orders-service", client, "events", Some("user-2"));
        producer.configs.insert("linger.ms".into(), "20".into());
        let lines = code(Some(language), &producer, &Scenario::empty(1));
        assert!(lines.iter().any(|line| line.text.contains(expected)), "{expected}: {lines:#?}");
    }

    #[test]
    fn settings_are_written_as_the_library_wants_them() {
        check("java", Language::Java, "config.put(\"linger.ms\", \"20\");");
        check("librdkafka", Language::Python, "\"linger.ms\": \"20\",");
        check("librdkafka", Language::Rust, ".set(\"linger.ms\", \"20\")");
        check("librdkafka", Language::Go, "\"linger.ms\": \"20\",");
        check("kafka-python", Language::Python, "linger_ms=20,");
    }

    #[test]
    fn variants_of_a_library_name_their_partitioner() {
        check("librdkafka-murmur2_random", Language::Python, "\"partitioner\": \"murmur2_random\",");
        check("kafkajs-legacy", Language::JavaScript, "createPartitioner: Partitioners.LegacyPartitioner");
        check("kafka-go-hash", Language::Go, "Balancer: &kafka.Hash{}");
    }
}
