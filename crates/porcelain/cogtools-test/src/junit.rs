//! The report for continuous integration: `JUnit` XML.
//!
//! There is no standard; Jenkins, `GitLab` and others read this form alike.

use std::fmt::Write as _;
use std::time::Duration;

use cogtools_program::render_hint;
use cogtools_program::terminal::pluralize;

use crate::report::shown_details;
use crate::suite::{FailureKind, Suite, TestFailure};

/// A `testcase` element.
struct Test<'s> {
    name: String,
    line: Option<usize>,
    failures: Vec<&'s TestFailure>,
    skipped: bool,
    time: Duration,
}

/// The report.
pub(crate) fn text(suites: &[Suite]) -> String {
    let all: Vec<(&Suite, Vec<Test<'_>>)> =
        suites.iter().map(|suite| (suite, tests(suite))).collect();
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let all_tests: Vec<&Test<'_>> = all.iter().flat_map(|(_, tests)| tests).collect();
    let _ = writeln!(
        xml,
        "<testsuites name=\"cogtools test\"{}>",
        numbers(&all_tests)
    );
    for (suite, tests) in &all {
        let (name, file) = (
            escape(&suite.name),
            escape(&suite.file.display().to_string()),
        );
        let numbers = numbers(&tests.iter().collect::<Vec<_>>());
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{name}\" file=\"{file}\"{numbers}>"
        );
        for test in tests {
            case(test, &name, &file, &mut xml);
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn tests(suite: &Suite) -> Vec<Test<'_>> {
    let mut tests = Vec::new();
    if !suite.failures.is_empty() || suite.cases.is_empty() {
        let test = if suite.has_no_examples() {
            "examples"
        } else {
            "tool"
        };
        tests.push(Test {
            name: test.to_owned(),
            line: None,
            failures: suite.failures.iter().collect(),
            skipped: suite.has_no_examples(),
            time: Duration::ZERO,
        });
    }
    tests.extend(suite.cases.iter().map(|case| Test {
        name: format!("example {}", case.label()),
        line: case.location.as_ref().map(|location| location.line),
        failures: case.failures.iter().collect(),
        skipped: false,
        time: case.time,
    }));
    tests
}

impl Test<'_> {
    /// An invalid tool file is an error rather than a failure: nothing could be tested.
    fn is_error(&self) -> bool {
        self.failures
            .iter()
            .any(|failure| failure.kind == FailureKind::Broken)
    }
}

fn numbers(tests: &[&Test<'_>]) -> String {
    let errors = tests.iter().filter(|test| test.is_error()).count();
    let failed = tests
        .iter()
        .filter(|test| !test.failures.is_empty())
        .count();
    let skipped = tests.iter().filter(|test| test.skipped).count();
    let time = tests.iter().map(|test| test.time).sum();
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{errors}\" skipped=\"{skipped}\"{}",
        tests.len(),
        failed - errors,
        seconds(time)
    )
}

/// The attribute for a time, in seconds.
fn seconds(time: Duration) -> String {
    format!(" time=\"{:.3}\"", time.as_secs_f64())
}

fn case(test: &Test<'_>, class: &str, file: &str, xml: &mut String) {
    let line = test
        .line
        .map_or_else(String::new, |line| format!(" line=\"{line}\""));
    let (name, time) = (&test.name, seconds(test.time));
    let _ = write!(
        xml,
        "    <testcase classname=\"{class}\" name=\"{name}\" file=\"{file}\"{line}{time}"
    );
    let Some(first) = test.failures.first() else {
        xml.push_str(if test.skipped {
            ">\n      <skipped message=\"the tool has no examples\"/>\n    </testcase>\n"
        } else {
            "/>\n"
        });
        return;
    };
    let more = match test.failures.len() - 1 {
        0 => String::new(),
        more => format!(" (and {})", pluralize(more, "other failure")),
    };
    let element = if test.is_error() { "error" } else { "failure" };
    let (kind, message) = (first.kind.as_str(), escape(&first.message));
    let _ = write!(
        xml,
        ">\n      <{element} type=\"{kind}\" message=\"{message}{more}\">"
    );
    for failure in &test.failures {
        xml.push_str(&escape(&describe(failure)));
    }
    let _ = write!(xml, "</{element}>\n    </testcase>\n");
}

/// The failure with all its details.
fn describe(failure: &TestFailure) -> String {
    let mut text = format!("{}: {}\n", failure.kind.as_str(), failure.message);
    for diagnostic in &failure.diagnostics {
        let _ = writeln!(text, "{}", diagnostic.summary());
        if let Some(location) = &diagnostic.location {
            text.push_str(&location.excerpt());
        }
        for line in shown_details(diagnostic) {
            let _ = writeln!(text, "{line}");
        }
        for hint in &diagnostic.hints {
            let _ = writeln!(text, "hint: {}", render_hint(hint));
        }
    }
    text.push_str(&failure.detail);
    for hint in &failure.hints {
        let _ = writeln!(text, "hint: {hint}");
    }
    text
}

/// Escapes text for an element or an attribute of XML 1.0. Characters that XML forbids are
/// written as escapes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' | ' '..='\u{7e}' => escaped.push(character),
            '\u{fffe}' | '\u{ffff}' => escaped.extend(character.escape_unicode()),
            _ if character.is_control() => escaped.extend(character.escape_default()),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn special_characters_are_escaped() {
        let check = |text: &str, expected: &str| assert_eq!(escape(text), expected);
        check(
            "<a b=\"c\"> & ]]>",
            "&lt;a b=&quot;c&quot;&gt; &amp; ]]&gt;",
        );
        check("a\n\tb", "a\n\tb");
        check("\u{1b}\0\r\u{85}", "\\u{1b}\\u{0}\\r\\u{85}");
        check("é😀\u{ffff}", "é😀\\u{ffff}");
    }
}
