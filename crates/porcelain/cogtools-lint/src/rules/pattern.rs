//! Patterns that hosts compile differently from cogtools.

use cogtools_core::Level;
use serde_json::Value;

use crate::automaton::Automaton;
use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "pattern-escape",
        level: Level::Warn,
        summary: "an escape in a `pattern` that JavaScript rejects in Unicode mode, such as `\\-` or `\\_`, or that YAML has read before, such as `\\b` in double quotes",
        why: "Gemini CLI compiles patterns in Unicode mode; if that fails, it silently validates no argument of the tool",
        fix: "remove the backslash: only `^ $ \\ . * + ? ( ) [ ] { } | /` need one, and `-` inside brackets",
        fixable: false,
        fails: case!("pattern-escape/fails"),
        passes: case!("pattern-escape/passes"),
        check: pattern_escape,
    },
    Rule {
        name: "slow-pattern",
        level: Level::Warn,
        summary: "a `pattern` that a matcher tries in exponentially many ways, such as `^(a+)+$`",
        why: "hosts match patterns with engines that go back: a text of some 30 characters keeps them busy for ever, and with them the session",
        fix: "let each character be matched in one way only: repeat a part, or the group around it, but not both",
        fixable: false,
        fails: case!("slow-pattern/fails"),
        passes: case!("slow-pattern/passes"),
        check: slow_pattern,
    },
];

fn slow_pattern(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        let pattern = sub_schema.schema.get("pattern").and_then(Value::as_str);
        let automaton = pattern.and_then(|pattern| Automaton::of(&without_looks(pattern)));
        if automaton.is_some_and(|automaton| automaton.is_exponential()) {
            let message = "a text that does not match can take for ever";
            findings.report(file.keyword(&sub_schema, "pattern"), message);
        }
    }
}

/// The pattern without look-around at its beginning, which reads nothing.
fn without_looks(pattern: &str) -> String {
    let mut rest = pattern.strip_prefix('^').unwrap_or(pattern);
    while let Some(look) = ["(?=", "(?!"].iter().find_map(|it| rest.strip_prefix(it)) {
        let mut depth = 1;
        let mut is_escaped = false;
        let end = look.find(|c: char| {
            let is_syntax = !is_escaped;
            is_escaped = c == '\\' && is_syntax;
            match c {
                '(' if is_syntax => depth += 1,
                ')' if is_syntax => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        match end {
            Some(end) => rest = &look[end + 1..],
            None => break,
        }
    }
    let anchor = if pattern.starts_with('^') { "^" } else { "" };
    format!("{anchor}{rest}")
}

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
