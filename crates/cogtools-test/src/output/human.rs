//! The report for people.

use std::fmt::Write as _;

use cogtools_core::Fault;
use cogtools_program::render_hints;

use super::{Totals, count};
use crate::diff::visible;
use crate::failure::TestFailure;
use crate::suite::{Case, Suite};

const RED: &str = "1;31";
const GREEN: &str = "1;32";
const YELLOW: &str = "1;33";
const CYAN: &str = "1;36";

struct Page {
    text: String,
    colour: bool,
}

/// The report, coloured if `colour`.
pub(super) fn text(suites: &[Suite], colour: bool) -> String {
    let mut page = Page {
        text: String::new(),
        colour,
    };
    for suite in suites {
        page.suite(suite);
    }
    if !suites.is_empty() {
        page.text.push('\n');
    }
    page.text.push_str(&summary(&Totals::of(suites)));
    page.text
}

fn summary(totals: &Totals) -> String {
    let mut text = format!(
        "{}, {}: ",
        count(totals.tools, "tool"),
        count(totals.examples, "example")
    );
    text.push_str(&match totals.failures {
        0 if totals.examples == 0 => "nothing to test".to_owned(),
        0 => "all passed".to_owned(),
        failures => count(failures, "failure"),
    });
    match totals.without_examples {
        0 => {}
        1 => text.push_str("; 1 tool has no examples"),
        number => {
            let _ = write!(text, "; {number} tools have no examples");
        }
    }
    for (number, what) in [(totals.written, "written"), (totals.removed, "removed")] {
        if number > 0 {
            let _ = write!(text, "; {} {what}", count(number, "golden file"));
        }
    }
    text.push('\n');
    text
}

impl Page {
    fn suite(&mut self, suite: &Suite) {
        let (status, style) = match () {
            () if !suite.passed() => ("FAILED", RED),
            () if suite.has_no_examples() => ("none", YELLOW),
            () => ("ok", GREEN),
        };
        let what = match suite.cases.len() {
            _ if !suite.exists => "no tool".to_owned(),
            0 => "no examples".to_owned(),
            cases => count(cases, "example"),
        };
        let status = self.paint(status, style);
        self.line(0, &format!("{status} {} ({what})", visible(&suite.name)));
        for file in suite.written() {
            self.line(2, &format!("wrote {}", file.display()));
        }
        for file in &suite.removed {
            self.line(2, &format!("removed {}", file.display()));
        }
        let file = suite.file.display().to_string();
        for failure in &suite.failures {
            self.failure(&file, failure);
        }
        for case in &suite.cases {
            for failure in &case.failures {
                self.failure(&subject(case, &file), failure);
            }
        }
    }

    fn failure(&mut self, subject: &str, failure: &TestFailure) {
        let kind = self.paint(failure.kind.as_str(), RED);
        let (subject, message) = (visible(subject), visible(&failure.message));
        self.line(2, &format!("{subject}: {kind}: {message}"));
        for fault in &failure.faults {
            self.fault(fault);
        }
        for line in failure.detail.lines() {
            let style = match line.as_bytes().first() {
                Some(b'-') => RED,
                Some(b'+') => GREEN,
                Some(b'@') => CYAN,
                _ => "",
            };
            let line = self.paint(line, style);
            self.line(4, &line);
        }
        self.hints(&failure.hints);
    }

    fn fault(&mut self, fault: &Fault) {
        self.line(4, &visible(&fault.line()));
        if let Some(place) = &fault.place {
            for line in place.excerpt().lines() {
                self.line(4, line);
            }
        }
        self.hints(&render_hints(&fault.hints));
    }

    fn hints(&mut self, hints: &[impl AsRef<str>]) {
        let label = self.paint("hint:", CYAN);
        for hint in hints {
            self.line(4, &format!("{label} {}", visible(hint.as_ref())));
        }
    }

    fn line(&mut self, indent: usize, line: &str) {
        let _ = writeln!(self.text, "{:indent$}{line}", "");
    }

    fn paint(&self, text: &str, style: &str) -> String {
        if self.colour && !style.is_empty() {
            format!("\u{1b}[{style}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

/// Which example it is, and where.
fn subject(case: &Case, file: &str) -> String {
    let place = case.place.as_ref();
    let line = place.map_or_else(String::new, |place| {
        format!(":{}:{}", place.line, place.column)
    });
    format!("{file}{line}: example {}", case.number)
}
