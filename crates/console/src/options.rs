//! Options of a tool, read as its own parser (jopt-simple, without abbreviations) reads them.
//!
//! Which options go together is the business of each tool.

use std::collections::BTreeMap;

/// An option of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OptionSpec {
    /// Its name without dashes.
    pub(crate) name: &'static str,
    /// What its argument is called in the list of options; empty if it takes none.
    pub(crate) argument: &'static str,
    /// What it is for, in our own words.
    pub(crate) summary: &'static str,
}

/// The options of one call: for each its arguments in order, empty for options without any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    found: BTreeMap<&'static str, Vec<String>>,
}

impl Options {
    /// Reads arguments. The error is the parser's text. Words that are no options are ignored, as
    /// the tools ignore them.
    pub(crate) fn read(specs: &'static [OptionSpec], arguments: &[String]) -> Result<Options, String> {
        let mut options = Options::default();
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            if word == "--" {
                break;
            }
            // One dash does as well, as long as the name is known.
            let Some(token) = word.strip_prefix("--").or(word.strip_prefix('-')).filter(|token| !token.is_empty())
            else {
                continue;
            };
            let (name, inline) = match token.split_once('=') {
                Some((name, argument)) => (name, Some(argument.to_string())),
                None => (token, None),
            };
            let Some(spec) = specs.iter().find(|spec| spec.name == name) else {
                let unknown =
                    if word.starts_with("--") { name } else { &name[..name.chars().next().map_or(0, char::len_utf8)] };
                return Err(format!("{unknown} is not a recognized option"));
            };
            let given = options.found.entry(spec.name).or_default();
            if !spec.argument.is_empty() {
                let argument = inline.or_else(|| rest.next().cloned());
                given.push(argument.ok_or_else(|| format!("Option {name} requires an argument"))?);
            }
        }
        Ok(options)
    }

    /// Whether the option was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.found.contains_key(name)
    }

    /// The argument of an option that may be given once.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, String> {
        match self.all(name) {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            _ => Err(format!("Found multiple arguments for option {name}, but you asked for only one")),
        }
    }

    /// The argument as a whole number of 32 bits.
    pub(crate) fn int(&self, name: &str) -> Result<Option<i32>, String> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        text.parse().map(Some).map_err(|_| format!("Cannot parse argument '{text}' of option {name}"))
    }

    /// Every argument of an option that may be repeated.
    pub(crate) fn all(&self, name: &str) -> &[String] {
        self.found.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The list of options. Its heading is the tools'; names, order and words are ours.
pub(crate) fn usage(specs: &[OptionSpec]) -> String {
    let mut text = format!("{:<44} {}\n{:<44} {}\n", "Option", "Description", "------", "-----------");
    for spec in specs {
        let argument = if spec.argument.is_empty() { String::new() } else { format!(" <{}>", spec.argument) };
        let option = format!("--{}{argument}", spec.name);
        text.push_str(&format!("{option:<44} {}\n", spec.summary));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: &[OptionSpec] = &[
        OptionSpec { name: "list", argument: "", summary: "Show." },
        OptionSpec { name: "topic", argument: "name", summary: "Which." },
    ];

    fn check(line: &str, expected: Result<&str, &str>) {
        let arguments: Vec<String> = line.split(' ').map(str::to_string).collect();
        let found = Options::read(SPECS, &arguments).and_then(|options| {
            let topic = options.text("topic")?.unwrap_or("none").to_string();
            Ok(format!("{topic} {}", options.has("list")))
        });
        assert_eq!(found, expected.map(str::to_string).map_err(str::to_string), "{line}");
    }

    #[test]
    fn options_are_read_as_jopt_simple_reads_them() {
        check("--list --topic a", Ok("a true"));
        check("--topic=a", Ok("a false"));
        check("-list -topic -1", Ok("-1 true"));
        check("word --list -- --topic", Ok("none true"));
        check("--nope", Err("nope is not a recognized option"));
        check("-nope", Err("n is not a recognized option"));
        check("--topic", Err("Option topic requires an argument"));
        check("--topic a --topic b", Err("Found multiple arguments for option topic, but you asked for only one"));
    }

    #[test]
    fn usage_starts_with_the_heading_of_the_tools() {
        let text = usage(SPECS);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("Option ") && lines[0].ends_with("Description"));
        assert_eq!(lines[3].split_whitespace().collect::<Vec<_>>(), ["--topic", "<name>", "Which."]);
    }
}
