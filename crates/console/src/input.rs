//! What a command reads besides its arguments: typed lines and named files.
//!
//! There is no file system; whoever runs a command hands over the files that it may name.

use std::collections::BTreeMap;

use crate::exception::Exception;

/// Lines and files at hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// Lines for a tool that reads its standard input, without line feeds.
    pub lines: Vec<String>,
    /// Contents of files, by name.
    pub files: BTreeMap<String, String>,
}

impl Input {
    /// The content of a file argument. JSON may stand in the place of a file's name.
    pub(crate) fn file(&self, name: &str) -> Result<&str, Exception> {
        if let Some((_, content)) = self.files.get_key_value(name) {
            return Ok(content);
        }
        let file = name.rsplit('/').next().unwrap_or(name);
        match self.files.get(file) {
            Some(content) => Ok(content),
            None => Err(Exception::new("java.nio.file.NoSuchFileException", name)),
        }
    }

    /// The content of a JSON file, or the argument itself if it is JSON.
    pub(crate) fn json<'a>(&'a self, argument: &'a str) -> Result<&'a str, Exception> {
        if argument.trim_start().starts_with('{') { Ok(argument) } else { self.file(argument) }
    }

    /// A properties file as pairs, as `java.util.Properties` reads the common forms.
    pub(crate) fn properties(&self, name: &str) -> Result<BTreeMap<String, String>, Exception> {
        Ok(properties(self.file(name)?))
    }
}

/// Pairs of a properties text: `name=value` or `name: value`; lines that begin with `#` or `!` are
/// comments. Simplified: continued lines and escapes are not read.
fn properties(text: &str) -> BTreeMap<String, String> {
    let mut pairs = BTreeMap::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        let (name, value) = line.split_once(['=', ':']).unwrap_or((line, ""));
        pairs.insert(name.trim().to_string(), value.trim().to_string());
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_by_its_name() {
        let files = BTreeMap::from([("plan.json".to_string(), "{}".to_string())]);
        let input = Input { lines: Vec::new(), files };
        assert_eq!(input.json("plan.json"), Ok("{}"));
        assert_eq!(input.json("/tmp/plan.json"), Ok("{}"));
        assert_eq!(input.json("{\"version\":1}"), Ok("{\"version\":1}"));
        let missing = input.json("other.json").unwrap_err();
        assert_eq!(missing.line(), "java.nio.file.NoSuchFileException: other.json");
    }

    #[test]
    fn properties_are_read_line_by_line() {
        let pairs = properties("# a\nmin.insync.replicas = 2\n\nretention.ms:5\n! b\n");
        let expected = [("min.insync.replicas", "2"), ("retention.ms", "5")];
        assert_eq!(pairs, expected.map(|(name, value)| (name.to_string(), value.to_string())).into());
    }
}
