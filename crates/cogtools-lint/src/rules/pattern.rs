//! Patterns that hosts compile in another way than cogtools.

use cogtools_core::Level;
use serde_json::Value;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[Rule {
    name: "pattern-escape",
    level: Level::Warn,
    summary: "an escape in a `pattern` that JavaScript refuses in Unicode mode, such as `\\-` or `\\_`",
    why: "Gemini CLI compiles patterns in Unicode mode; when that fails it silently checks no argument of the tool at all",
    fix: "remove the backslash: only `^ $ \\ . * + ? ( ) [ ] { } | /` need one, and `-` inside of brackets",
    fixable: false,
    fails: case!("pattern-escape/fails"),
    passes: case!("pattern-escape/passes"),
    check: escape,
}];

fn escape(file: &LintFile, findings: &mut Findings<'_>) {
    for site in file.sites() {
        let pattern = site.schema.get("pattern").and_then(Value::as_str);
        if let Some(c) = pattern.and_then(wrong_escape) {
            let message = format!("`\\{c}` is no escape in Unicode mode");
            findings.at(file.keyword(&site, "pattern"), message);
        }
    }
}

/// The first character that is escaped though ECMA-262 (22.2.1, with `u`) has
/// no such escape.
fn wrong_escape(pattern: &str) -> Option<char> {
    let mut inside = false;
    let mut letters = pattern.chars();
    while let Some(c) = letters.next() {
        match c {
            '[' => inside = true,
            ']' => inside = false,
            '\\' => {
                let c = letters.next()?;
                let syntax = "^$\\.*+?()[]{}|/".contains(c);
                let class = "dDsSwWpPbfnrtvcxu0".contains(c);
                let outside = !inside && (c == 'B' || c == 'k' || c.is_ascii_digit());
                if !(syntax || class || outside || (inside && c == '-')) {
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
    fn escapes_are_those_of_unicode_mode() {
        for (pattern, expected) in [
            (r"^\d+\.\d+$", None),
            (r"[\w\-]+", None),
            (r"\w\-\w", Some('-')),
            (r"a\_b", Some('_')),
            (r"\p{L}\bx\B(a)\1", None),
            (r"[\B]", Some('B')),
            (r"\", None),
        ] {
            assert_eq!(wrong_escape(pattern), expected, "{pattern}");
        }
    }
}
