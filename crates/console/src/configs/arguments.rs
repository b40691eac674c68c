//! The options of kafka-configs.sh, and which of them go together.
//!
//! Follows `ConfigCommandOptions` of 4.3.1: same checks, same order, same texts. Topics, brokers and groups
//! are simulated; quotas, credentials, loggers and client metrics are refused in words of ours.

use std::collections::BTreeMap;

use super::pairs::{added, check_names};
use crate::Input;
use crate::exception::Exception;
use crate::options::{OptionSpec, Options, option};
use crate::stop::{Stop, help_or_version};

const PURPOSE: &str = "This tool helps to manipulate and describe entity config for a topic, client, user, broker, ip, client-metrics or group";

/// Every option, in name order.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    option("add-config", "a=1,b=[2,3]", "Settings to set; brackets keep commas together."),
    option("add-config-file", "file", "A properties file with settings to set."),
    option("all", "", "Describe settings with other values too, defaults included."),
    option("alter", "", "Change settings."),
    option("bootstrap-controller", "host:port", "A controller to connect to, instead of a broker."),
    option("bootstrap-server", "host:port", "A broker to connect to."),
    option("broker", "id", "A broker; short for entity-type and entity-name."),
    option("broker-defaults", "", "The defaults of all brokers."),
    option("broker-logger", "id", "Loggers of a broker; not in this console."),
    option("client", "id", "A client; not in this console."),
    option("client-defaults", "", "Defaults of clients; not in this console."),
    option("client-metrics", "name", "Client metrics; not in this console."),
    option("command-config", "file", "Settings of the Admin client; this console ignores it."),
    option("delete-config", "a,b", "Settings to take away."),
    option("describe", "", "Show settings."),
    option("entity-default", "", "The defaults of the entity type."),
    option("entity-name", "name", "The name of a topic, the id of a broker or of a group."),
    option("entity-type", "type", "topics, brokers or groups."),
    option("force", "", "No effect."),
    option("group", "id", "A group; short for entity-type and entity-name."),
    option("help", "", "Show this list."),
    option("ip", "address", "An IP address; not in this console."),
    option("ip-defaults", "", "Defaults of IP addresses; not in this console."),
    option("topic", "name", "A topic; short for entity-type and entity-name."),
    option("user", "name", "A user; not in this console."),
    option("user-defaults", "", "Defaults of users; not in this console."),
    option("version", "", "Show Kafka's version."),
];

/// Entity types in the order in which the tool lists them.
const TYPES: [&str; 8] = ["topics", "clients", "users", "brokers", "ips", "client-metrics", "groups", "broker-loggers"];

/// Options that name an entity and its type.
const FLAGS: [(&str, &str); 8] = [
    ("topic", "topics"),
    ("client", "clients"),
    ("user", "users"),
    ("broker", "brokers"),
    ("broker-logger", "broker-loggers"),
    ("ip", "ips"),
    ("client-metrics", "client-metrics"),
    ("group", "groups"),
];

/// Options that name the defaults of a type.
const DEFAULT_FLAGS: [(&str, &str); 4] = [
    ("client-defaults", "clients"),
    ("user-defaults", "users"),
    ("broker-defaults", "brokers"),
    ("ip-defaults", "ips"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Describe,
    Alter,
}

/// What has settings in this console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Topic,
    Broker,
    Group,
}

/// Options that were found to go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) action: Action,
    pub(super) kind: Kind,
    /// The entity; empty for the defaults, absent for all of them.
    pub(super) name: Option<String>,
    pub(super) shows_all: bool,
    pub(super) set: BTreeMap<String, String>,
    pub(super) delete: Vec<String>,
}

impl Arguments {
    /// Reads the words after the tool's name.
    pub(super) fn read(words: &[String], input: &Input) -> Result<Arguments, Stop> {
        let parse = |text| Stop::Failed(Exception::of_options("OptionException", text));
        let options = Options::read(OPTIONS, words).map_err(parse)?;
        help_or_version(words, |name| options.has(name), PURPOSE)?;
        let action = match (options.has("alter"), options.has("describe")) {
            (true, false) => Action::Alter,
            (false, true) => Action::Describe,
            _ => {
                let text = "Command must include exactly one action: --describe, --alter";
                return Err(Stop::Usage(text.to_string()));
            }
        };
        options.exclude("describe", &["alter", "add-config", "delete-config"]).map_err(Stop::Usage)?;
        let types = types(&options);
        check_types(&options, &types)?;
        let names = names(&options);
        check_names_of(&options, &types, &names)?;
        check_action(&options, &types, &names)?;
        let kind = match types[0].as_str() {
            "topics" => Kind::Topic,
            "brokers" => Kind::Broker,
            "groups" => Kind::Group,
            other => {
                let text = format!("{other} have no settings in this console; topics, brokers and groups have.");
                return Err(Stop::Terse(text));
            }
        };
        if action == Action::Alter && types.len() != names.len() {
            return Err(wrong("An entity name must be specified for every entity type"));
        }
        let mut set = BTreeMap::new();
        let mut delete = Vec::new();
        if action == Action::Alter {
            if let Some(file) = options.text("add-config-file").map_err(parse)? {
                set = input.properties(file).map_err(Stop::Failed)?;
            }
            if let Some(pairs) = options.text("add-config").map_err(parse)? {
                set.extend(added(pairs)?);
            }
            check_names(set.keys())?;
            let listed = options.all("delete-config").iter().flat_map(|list| list.split(','));
            delete = listed.map(|name| name.trim().to_string()).collect();
        }
        let name = names.into_iter().next();
        Ok(Arguments { action, kind, name, shows_all: options.has("all"), set, delete })
    }
}

fn wrong(text: impl Into<String>) -> Stop {
    Stop::Failed(Exception::of_argument(text))
}

fn types(options: &Options) -> Vec<String> {
    let given = options.all("entity-type").iter().cloned();
    let flags = FLAGS.iter().chain(&DEFAULT_FLAGS).filter(|(flag, _)| options.has(flag));
    given.chain(flags.map(|(_, kind)| kind.to_string())).collect()
}

fn names(options: &Options) -> Vec<String> {
    let given = options.all("entity-name").iter().cloned();
    let defaults = options.has("entity-default").then(String::new);
    let flags = FLAGS.iter().flat_map(|(flag, _)| options.all(flag).iter().cloned());
    let default_flags = DEFAULT_FLAGS.iter().filter(|(flag, _)| options.has(flag)).map(|_| String::new());
    given.chain(defaults).chain(flags).chain(default_flags).collect()
}

fn check_types(options: &Options, types: &[String]) -> Result<(), Stop> {
    let twice: Vec<&str> =
        (1..types.len()).filter(|end| types[..*end].contains(&types[*end])).map(|end| types[end].as_str()).collect();
    if !twice.is_empty() {
        return Err(wrong(format!("Duplicate entity type(s) specified: {}", twice.join(","))));
    }
    if !options.has("bootstrap-server") && !options.has("bootstrap-controller") {
        return Err(wrong("Either --bootstrap-server or --bootstrap-controller must be specified."));
    }
    if let Some(unknown) = types.iter().find(|kind| !TYPES.contains(&kind.as_str())) {
        return Err(wrong(format!(
            "Invalid entity type {unknown}, the entity type must be one of {} with a --bootstrap-server or --bootstrap-controller argument",
            TYPES.join(", ")
        )));
    }
    if types.is_empty() {
        return Err(wrong("At least one entity type must be specified"));
    }
    let is_pair = types.len() == 2 && ["users", "clients"].iter().all(|kind| types.iter().any(|given| given == kind));
    if types.len() > 1 && !is_pair {
        return Err(wrong("Only 'users' and 'clients' entity types may be specified together"));
    }
    Ok(())
}

fn check_names_of(options: &Options, types: &[String], names: &[String]) -> Result<(), Stop> {
    let is_long = ["entity-name", "entity-type", "entity-default"].iter().any(|name| options.has(name));
    if is_long && FLAGS.iter().chain(&DEFAULT_FLAGS).any(|(flag, _)| options.has(flag)) {
        return Err(wrong("--entity-{type,name,default} should not be used in conjunction with specific entity flags"));
    }
    if options.has("bootstrap-server") && options.has("bootstrap-controller") {
        return Err(wrong("Only one of --bootstrap-server or --bootstrap-controller can be specified"));
    }
    let is_broker = types.iter().any(|kind| kind == "brokers" || kind == "broker-loggers");
    match names.iter().find(|name| is_broker && !name.is_empty() && name.parse::<i32>().is_err()) {
        Some(name) => {
            Err(wrong(format!("The entity name for {} must be a valid integer broker id, but it is: {name}", types[0])))
        }
        None => Ok(()),
    }
}

fn check_action(options: &Options, types: &[String], names: &[String]) -> Result<(), Stop> {
    let has_defaults = types.iter().any(|kind| ["users", "clients", "brokers", "ips"].contains(&kind.as_str()));
    let is_named = names.iter().any(|name| !name.is_empty());
    let listed = types.join(",");
    if options.has("describe") {
        if !has_defaults && options.has("entity-default") {
            return Err(wrong(format!("--entity-default must not be specified with --describe of {listed}")));
        }
        if types.iter().any(|kind| kind == "broker-loggers") && !is_named {
            return Err(wrong(format!("An entity name must be specified with --describe of {listed}")));
        }
        return Ok(());
    }
    if has_defaults && names.is_empty() {
        return Err(wrong(
            "An entity-name or default entity must be specified with --alter of users, clients, brokers or ips",
        ));
    }
    if !has_defaults && !is_named {
        return Err(wrong(format!("An entity name must be specified with --alter of {listed}")));
    }
    if options.has("add-config") && options.has("add-config-file") {
        return Err(wrong("Only one of --add-config or --add-config-file must be specified"));
    }
    if !["add-config", "add-config-file", "delete-config"].iter().any(|name| options.has(name)) {
        return Err(wrong(
            "At least one of --add-config, --add-config-file, or --delete-config must be specified with --alter",
        ));
    }
    Ok(())
}
