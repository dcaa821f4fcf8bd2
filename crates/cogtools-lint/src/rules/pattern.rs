//! Patterns that hosts compile differently from cogtools.

use cogtools_core::Level;
use serde_json::Value;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[Rule {
    name: "pattern-escape",
    level: Level::Warn,
    summary: "an escape in a `pattern` that JavaScript rejects in Unicode mode, such as `\\-` or `\\_`",
    why: "Gemini CLI compiles patterns in Unicode mode; if that fails, it silently validates no argument of the tool",
    fix: "remove the backslash: only `^ $ \\ . * + ? ( ) [ ] { } | /` need one, and `-` inside brackets",
    fixable: false,
    fails: case!("pattern-escape/fails"),
    passes: case!("pattern-escape/passes"),
    check: pattern_escape,
}];

fn pattern_escape(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        let pattern = sub_schema.schema.get("pattern").and_then(Value::as_str);
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
