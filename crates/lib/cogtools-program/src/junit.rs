//! Reports for continuous integration: `JUnit` XML.
//!
//! There is no standard; Jenkins, `GitLab` and others read this form alike.

use std::fmt::Write as _;
use std::time::Duration;

/// A `testsuite` element.
#[derive(Clone, Debug, Default)]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// The file that it is about, if there is one.
    pub file: Option<String>,
    /// Its tests.
    pub tests: Vec<Test>,
}

/// A `testcase` element.
#[derive(Clone, Debug)]
pub struct Test {
    /// The suite or the tool that it belongs to.
    pub class: String,
    /// Its name.
    pub name: String,
    /// The file that it is in.
    pub file: String,
    /// The line in the file.
    pub line: Option<usize>,
    /// The time that it took.
    pub time: Duration,
    /// Its end.
    pub end: End,
}

/// The end of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It passed.
    Passed,
    /// It did not run, for this reason.
    Skipped(String),
    /// It failed.
    Failed(Problem),
    /// Nothing could be tested.
    Error(Problem),
}

/// A failure or an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// Its kind, if there are several.
    pub kind: Option<&'static str>,
    /// One line about it.
    pub message: String,
    /// Everything about it.
    pub details: String,
}

/// Encodes the report of the program `name`.
pub fn text(name: &str, suites: &[Suite]) -> String {
    let all: Vec<&Test> = suites.iter().flat_map(|suite| &suite.tests).collect();
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(
        xml,
        "<testsuites{}{}>",
        attribute("name", name),
        numbers(&all)
    );
    for suite in suites {
        let file = suite.file.as_ref().map(|file| attribute("file", file));
        let _ = writeln!(
            xml,
            "  <testsuite{}{}{}>",
            attribute("name", &suite.name),
            file.unwrap_or_default(),
            numbers(&suite.tests.iter().collect::<Vec<_>>())
        );
        for test in &suite.tests {
            test.write(&mut xml);
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn attribute(name: &str, value: &str) -> String {
    format!(" {name}=\"{}\"", escape(value))
}

fn numbers(tests: &[&Test]) -> String {
    let count = |is_wanted: fn(&End) -> bool| {
        let wanted = tests.iter().filter(|test| is_wanted(&test.end));
        wanted.count()
    };
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"{}",
        tests.len(),
        count(|end| matches!(end, End::Failed(_))),
        count(|end| matches!(end, End::Error(_))),
        count(|end| matches!(end, End::Skipped(_))),
        seconds(tests.iter().map(|test| test.time).sum())
    )
}

/// The attribute for a time, in seconds.
fn seconds(time: Duration) -> String {
    format!(" time=\"{:.3}\"", time.as_secs_f64())
}

impl Test {
    fn write(&self, xml: &mut String) {
        let line = self.line.map(|line| attribute("line", &line.to_string()));
        let _ = write!(
            xml,
            "    <testcase{}{}{}{}{}",
            attribute("classname", &self.class),
            attribute("name", &self.name),
            attribute("file", &self.file),
            line.unwrap_or_default(),
            seconds(self.time)
        );
        let (element, problem) = match &self.end {
            End::Passed => return xml.push_str("/>\n"),
            End::Skipped(why) => {
                let why = attribute("message", why);
                let _ = write!(xml, ">\n      <skipped{why}/>\n    </testcase>\n");
                return;
            }
            End::Failed(problem) => ("failure", problem),
            End::Error(problem) => ("error", problem),
        };
        let kind = problem.kind.map(|kind| attribute("type", kind));
        let _ = write!(
            xml,
            ">\n      <{element}{}{}>{}</{element}>\n    </testcase>\n",
            kind.unwrap_or_default(),
            attribute("message", &problem.message),
            escape(&problem.details)
        );
    }
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
