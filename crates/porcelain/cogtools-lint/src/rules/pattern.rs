//! Patterns that hosts compile differently from cogtools.

use cogtools_core::Level;
use serde_json::Value;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};

pub(super) static RULES: &[Rule] = &[Rule {
    name: "pattern-escape",
    level: Level::Warn,
    summary: "an escape in a `pattern` that JavaScript rejects in Unicode mode, such as `\\-` or `\\_`, or that YAML has read before, such as `\\b` in double quotes",
    why: "Gemini CLI compiles patterns in Unicode mode; if that fails, it silently validates no argument of the tool",
    fix: "remove the backslash: only `^ $ \\ . * + ? ( ) [ ] { } | /` need one, and `-` inside brackets",
    example: example!("pattern-escape"),
    check: pattern_escape,
}];

/// The first control character of a pattern, which is an escape that YAML has read.
fn read_by_yaml(pattern: &str) -> Option<(char, &'static str)> {
    let controls = [
        ('\u{8}', "b"),
        ('\u{c}', "f"),
        ('\u{b}', "v"),
        ('\u{7}', "a"),
        ('\u{1b}', "e"),
        ('\0', "0"),
    ];
    controls.into_iter().find(|(c, _)| pattern.contains(*c))
}

fn pattern_escape(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        let pattern = sub_schema.schema.get("pattern").and_then(Value::as_str);
        if let Some((c, letter)) = pattern.and_then(read_by_yaml) {
            let message = format!(
                "the pattern has the control character U+{:04X}, which YAML reads for `\\{letter}` in double quotes",
                u32::from(c)
            );
            findings
                .report(file.keyword(&sub_schema, "pattern"), message)
                .fix("write the pattern in single quotes");
        }
        if let Some(c) = pattern.and_then(invalid_escape) {
            let message = format!("`\\{c}` is not a valid escape in Unicode mode");
            findings.report(file.keyword(&sub_schema, "pattern"), message);
        }
    }
}

/// The first escaped character for which ECMA-262 (22.2.1, with `u`) has no escape.
fn invalid_escape(pattern: &str) -> Option<char> {
    let mut in_class = false;
    let mut letters = pattern.chars();
    while let Some(c) = letters.next() {
        match c {
            '[' => in_class = true,
            ']' => in_class = false,
            '\\' => {
                let c = letters.next()?;
                let syntax = "^$\\.*+?()[]{}|/".contains(c);
                let class = "dDsSwWpPbfnrtvcxu0".contains(c);
                let outside = !in_class && (c == 'B' || c == 'k' || c.is_ascii_digit());
                if !(syntax || class || outside || (in_class && c == '-')) {
                    return Some(c);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_must_be_valid_in_unicode_mode() {
        for (pattern, expected) in [
            (r"^\d+\.\d+$", None),
            (r"[\w\-]+", None),
            (r"\w\-\w", Some('-')),
            (r"a\_b", Some('_')),
            (r"\p{L}\bx\B(a)\1", None),
            (r"[\B]", Some('B')),
            (r"\", None),
        ] {
            assert_eq!(invalid_escape(pattern), expected, "{pattern}");
        }
    }
}
