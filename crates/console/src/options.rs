//! Options of a tool, read as its own parser (jopt-simple, without abbreviations) reads them.
//!
//! Which options go together is the business of each tool.

use std::collections::BTreeMap;

/// An option of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OptionSpec {
    /// Its name without dashes.
    pub(crate) name: &'static str,
    /// What its argument is called in the list of options; empty if it takes none, in brackets if it
    /// may be left out.
    pub(crate) argument: &'static str,
    /// What it is for, in our own words.
    pub(crate) summary: &'static str,
}

/// An option, for the tables of the tools.
pub(crate) const fn option(name: &'static str, argument: &'static str, summary: &'static str) -> OptionSpec {
    OptionSpec { name, argument, summary }
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
        let mut rest = arguments.iter().peekable();
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
            if spec.argument.starts_with('[') {
                given.extend(inline.or_else(|| rest.next_if(|next| !next.starts_with('-')).cloned()));
            } else if !spec.argument.is_empty() {
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
        self.number(name)
    }

    /// The argument as a whole number of 64 bits.
    pub(crate) fn long(&self, name: &str) -> Result<Option<i64>, String> {
        self.number(name)
    }

    fn number<N: std::str::FromStr>(&self, name: &str) -> Result<Option<N>, String> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        text.parse().map(Some).map_err(|_| format!("Cannot parse argument '{text}' of option {name}"))
    }

    /// Every argument of an option that may be repeated.
    pub(crate) fn all(&self, name: &str) -> &[String] {
        self.found.get(name).map_or(&[], Vec::as_slice)
    }

    /// Names of the options that were given, in name order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.found.keys().copied()
    }

    /// Pairs from arguments such as `name=value`, as `CommandLineUtils.parseKeyValueArgs` reads them.
    /// The error is the argument that is none.
    pub(crate) fn pairs(&self, name: &str) -> Result<BTreeMap<String, String>, String> {
        let mut pairs = BTreeMap::new();
        for text in self.all(name) {
            let (name, value) = text.split_once('=').ok_or(text)?;
            pairs.insert(name.to_string(), value.to_string());
        }
        Ok(pairs)
    }

    /// `CommandLineUtils.checkRequiredArgs`: every one of these. The error is its text.
    pub(crate) fn require(&self, names: &[&str]) -> Result<(), String> {
        match names.iter().find(|name| !self.has(name)) {
            Some(name) => Err(format!("Missing required argument \"[{name}]\"")),
            None => Ok(()),
        }
    }

    /// `CommandLineUtils.checkInvalidArgs`: not this one together with one of those. The error is its text.
    pub(crate) fn exclude(&self, name: &str, others: &[&str]) -> Result<(), String> {
        match others.iter().find(|other| self.has(name) && self.has(other)) {
            Some(other) => Err(format!("Option \"[{name}]\" can't be used with option \"[{other}]\"")),
            None => Ok(()),
        }
    }
}

/// The list of options. Its heading is the tools'; names, order and words are ours.
pub(crate) fn usage(specs: &[OptionSpec]) -> String {
    let mut text = format!("{:<44} {}\n{:<44} {}\n", "Option", "Description", "------", "-----------");
    for spec in specs {
        let argument = match spec.argument {
            "" => String::new(),
            optional if optional.starts_with('[') => format!(" {optional}"),
            needed => format!(" <{needed}>"),
        };
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
        OptionSpec { name: "codec", argument: "[name]", summary: "How." },
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
        check("--codec --topic a --codec b --list", Ok("a true"));
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
