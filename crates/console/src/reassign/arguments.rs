//! The options of kafka-reassign-partitions.sh, and which of them go together.
//!
//! Files are not opened here.

use crate::exception::Exception;
use crate::options::{OptionSpec, Options, option};
use crate::stop::{Stop, help_or_version};

const PURPOSE: &str = "This tool helps to move topic partitions between replicas.";

/// Every option, in name order.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    option("additional", "", "Start these moves although others are going on, or change their throttle."),
    option("bootstrap-controller", "host:port", "A controller, for --cancel and --list instead of a broker."),
    option("bootstrap-server", "host:port", "A broker to connect to."),
    option("broker-list", "1,2,...", "The brokers that --generate spreads replicas over."),
    option("cancel", "", "Take moves back that are going on."),
    option("command-config", "file", "Settings of the Admin client; this console ignores it."),
    option("disable-rack-aware", "", "Let --generate forget the racks."),
    option("disallow-replication-factor-change", "", "Refuse moves that change the number of replicas."),
    option("execute", "", "Start the moves of a plan."),
    option("generate", "", "Propose a plan."),
    option("help", "", "Show this list."),
    option("list", "", "List the moves that are going on."),
    option("preserve-throttles", "", "Leave throttles as they are."),
    option("reassignment-json-file", "file", "The plan: a JSON file, or the JSON itself."),
    option("replica-alter-log-dirs-throttle", "rate", "Bytes a second between directories of a broker."),
    option("throttle", "rate", "Bytes a second between brokers."),
    option("timeout", "ms", "How long to wait until moves between directories have begun."),
    option("topics-to-move-json-file", "file", "The topics for --generate: a JSON file, or the JSON itself."),
    option("verify", "", "Tell how far a plan has come, and remove throttles when it is done."),
    option("version", "", "Show Kafka's version."),
];

/// What is to be done, with its file arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Generate { topics: String, brokers: String },
    Execute { plan: String },
    Verify { plan: String },
    Cancel { plan: String },
    List,
}

/// Options that were found to go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) action: Action,
    pub(super) is_additional: bool,
    pub(super) allows_factor_change: bool,
    pub(super) is_rack_aware: bool,
    pub(super) preserves_throttles: bool,
    /// Bytes a second between brokers.
    pub(super) throttle: Option<i64>,
    /// Bytes a second between directories.
    pub(super) directory_throttle: Option<i64>,
}

/// Actions in the order in which the tool lists them: what they need, and what else they take.
const ACTIONS: [(&str, &[&str], &[&str]); 5] = [
    ("generate", &["topics-to-move-json-file", "broker-list"], &["disable-rack-aware"]),
    (
        "execute",
        &["reassignment-json-file"],
        &["additional", "throttle", "replica-alter-log-dirs-throttle", "timeout", "disallow-replication-factor-change"],
    ),
    ("verify", &["reassignment-json-file"], &["preserve-throttles"]),
    ("cancel", &["reassignment-json-file"], &["preserve-throttles", "timeout", "bootstrap-controller"]),
    ("list", &[], &["bootstrap-controller"]),
];

impl Arguments {
    /// Reads the words after the tool's name.
    pub(super) fn read(words: &[String]) -> Result<Arguments, Stop> {
        let options_failed = |text| Stop::Failed(Exception::of_options("OptionException", text));
        let options = Options::read(OPTIONS, words).map_err(options_failed)?;
        help_or_version(words, |name| options.has(name), PURPOSE)?;
        let mut given = ACTIONS.iter().filter(|(name, ..)| options.has(name));
        let (Some((action, needed, taken)), None) = (given.next(), given.next()) else {
            let names: Vec<String> = ACTIONS.iter().map(|(name, ..)| format!("--{name}")).collect();
            return Err(Stop::Usage(format!("Command must include exactly one action: {}", names.join(", "))));
        };
        match (options.has("bootstrap-server"), options.has("bootstrap-controller")) {
            (true, true) => {
                let text = "Please don't specify both --bootstrap-server and --bootstrap-controller";
                return Err(Stop::Usage(text.to_string()));
            }
            (false, false) => {
                let text = "Please specify either --bootstrap-server or --bootstrap-controller";
                return Err(Stop::Usage(text.to_string()));
            }
            _ => {}
        }
        options.require(needed).map_err(Stop::Usage)?;
        let fits = |name: &str| {
            name == *action
                || name == "bootstrap-server"
                || name == "command-config"
                || needed.contains(&name)
                || taken.contains(&name)
        };
        if let Some(name) = options.names().find(|name| !fits(name)) {
            return Err(Stop::Usage(format!("Option \"[{name}]\" can't be used with action \"[{action}]\"")));
        }
        let text =
            |name: &str| options.text(name).map(|text| text.unwrap_or_default().to_string()).map_err(options_failed);
        let rate = |name: &str| options.long(name).map(|rate| rate.filter(|rate| *rate >= 0)).map_err(options_failed);
        Ok(Arguments {
            action: match *action {
                "generate" => {
                    Action::Generate { topics: text("topics-to-move-json-file")?, brokers: text("broker-list")? }
                }
                "execute" => Action::Execute { plan: text("reassignment-json-file")? },
                "verify" => Action::Verify { plan: text("reassignment-json-file")? },
                "cancel" => Action::Cancel { plan: text("reassignment-json-file")? },
                _ => Action::List,
            },
            is_additional: options.has("additional"),
            allows_factor_change: !options.has("disallow-replication-factor-change"),
            is_rack_aware: !options.has("disable-rack-aware"),
            preserves_throttles: options.has("preserve-throttles"),
            throttle: rate("throttle")?,
            directory_throttle: rate("replica-alter-log-dirs-throttle")?,
        })
    }
}
