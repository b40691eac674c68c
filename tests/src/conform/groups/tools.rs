//! Command lines of the recordings at the console.
//!
//! Deliberately not here: what the tools print. That is the console's; this only calls them.

use console::{Input, Invocation, Printed, Tool};
use serde_json::json;

use super::play::Play;
use super::text;

/// Options that say which groups are meant.
const SCOPES: [&str; 3] = ["--group", "--list", "--all-groups"];

impl Play<'_> {
    /// Runs a command line of a step.
    pub fn cli(&mut self, args: &str) -> Result<(), String> {
        let printed = self.invoke(args)?;
        self.look();
        self.saw("", "cli", json!({ "args": args, "text": text::printed(&printed) }));
        Ok(())
    }

    /// Runs a tool of the group tools; a prefix says which.
    pub fn invoke(&mut self, args: &str) -> Result<Printed, String> {
        let (name, args) = match args.split_once(": ") {
            Some(("groups", rest)) => ("kafka-groups.sh", rest),
            Some(("share", rest)) => ("kafka-share-groups.sh", rest),
            _ => ("kafka-consumer-groups.sh", args),
        };
        let tool = match Tool::named(name) {
            None | Some(Tool::Later(_)) => return Err(format!("{name} is not in the console yet")),
            Some(tool) => tool,
        };
        let mut arguments = vec!["--bootstrap-server".to_owned(), "127.0.0.1:29091".to_owned()];
        let given: Vec<&str> = args.split_whitespace().collect();
        arguments.extend(given.iter().map(|word| (*word).to_owned()));
        if name != "kafka-groups.sh" && !given.iter().any(|word| SCOPES.contains(word)) {
            arguments.extend(["--group".to_owned(), self.recording.group.clone()]);
        }
        Ok(console::invoke(&mut self.timeline, &Invocation { tool, arguments, input: Input::default() }))
    }
}
