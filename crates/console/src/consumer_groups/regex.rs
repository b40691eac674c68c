//! `--validate-regex`: whether RE2/J takes an expression, and its reason if not.
//!
//! The tool asks the parser that the broker asks; nothing is matched here.

use engine::re2j::check;

use crate::Printed;
use crate::stop::Stop;

/// Prints the judgement about the only argument.
pub(super) fn validate(arguments: &[String], printed: &mut Printed) -> Result<(), Stop> {
    let [pattern] = arguments else {
        // The parser's exception is caught by the tool.
        let text = "Found multiple arguments for option validate-regex, but you asked for only one";
        return Err(Stop::Usage(text.to_string()));
    };
    printed.out(&match check(pattern) {
        Ok(()) => format!("The regular expression `{pattern}` is valid.\n"),
        Err(why) => format!("The regular expression `{pattern}` is invalid: {why}.\n"),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BRACKET: &str = "missing closing ]";
    const ESCAPE: &str = "invalid escape sequence";
    const NAME: &str = "invalid named capture";
    const NO_ARGUMENT: &str = "missing argument to repetition operator";
    const PAREN: &str = "missing closing )";
    const PERL: &str = "invalid or unsupported Perl syntax";
    const RANGE: &str = "invalid character class range";
    const SIZE: &str = "invalid repeat count";

    #[test]
    fn expressions_that_re2j_takes_are_valid() {
        for pattern in [
            "foo.*",
            "",
            "a|b",
            "(a|)",
            "a*?",
            "a{2,5}",
            "a{",
            "a{2",
            "x{,5}",
            "[]a]",
            "[^]a]",
            "[a-]",
            "[[:alpha:]]",
            "[\\d-z]",
            "\\Q(\\E",
            "(?P<n>a)(?:b)(?i)c(?i-s:d)",
            "\\x41\\x{1F600}\\pL\\p{Greek}\\012",
            "^*",
            "\\.",
            "é+",
        ] {
            assert_eq!(check(pattern), Ok(()), "{pattern}");
        }
    }

    #[test]
    fn others_are_refused_with_its_description() {
        for (pattern, expected) in [
            ("(foo", PAREN),
            ("foo)", "regexp/syntax: internal error"),
            ("*", NO_ARGUMENT),
            ("(*)", NO_ARGUMENT),
            ("a|+", NO_ARGUMENT),
            ("a**", "invalid nested repetition operator"),
            ("a*?+", "invalid nested repetition operator"),
            ("a{1001}", SIZE),
            ("a{3,2}", SIZE),
            ("[a", BRACKET),
            ("[z-a]", RANGE),
            ("[[:foo:]]", RANGE),
            ("a\\", "trailing backslash at end of expression"),
            ("\\y", ESCAPE),
            ("\\1", ESCAPE),
            ("(?=a)", PERL),
            ("(?<=a)>", PERL),
            ("(?P<n>a)(?P<n>b)", "duplicate capture group name"),
            ("(?P<>a)", NAME),
        ] {
            assert_eq!(check(pattern), Err(expected), "{pattern}");
        }
    }
}
