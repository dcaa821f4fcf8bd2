//! The report for people.

use std::fmt::Write as _;

use cogtools_core::Fault;
use cogtools_program::terminal::style::{self, PLAIN, Style};
use cogtools_program::terminal::{paint, pluralize, sanitize};

use super::Sum;
use crate::flaw::Flaw;
use crate::suite::{Case, Suite};

const RED: Style = style::RED.bold();
const GREEN: Style = style::GREEN.bold();
const YELLOW: Style = style::YELLOW.bold();
const CYAN: Style = style::CYAN.bold();

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
    page.text.push_str(&summary(&Sum::of(suites)));
    page.text
}

fn summary(sum: &Sum) -> String {
    let mut text = format!(
        "{}, {}: ",
        pluralize(sum.tools, "tool"),
        pluralize(sum.examples, "example")
    );
    text.push_str(&match sum.failures {
        0 if sum.examples == 0 => "nothing to test".to_owned(),
        0 => "all passed".to_owned(),
        failures => pluralize(failures, "failure"),
    });
    match sum.bare {
        0 => {}
        bare => {
            let have = if bare == 1 { "has" } else { "have" };
            let _ = write!(text, "; {} {have} no examples", pluralize(bare, "tool"));
        }
    }
    for (number, what) in [(sum.written, "written"), (sum.removed, "removed")] {
        if number > 0 {
            let _ = write!(text, "; {} {what}", pluralize(number, "golden file"));
        }
    }
    text.push('\n');
    text
}

impl Page {
    fn suite(&mut self, suite: &Suite) {
        let (word, style) = match () {
            () if !suite.passed() => ("FAILED", RED),
            () if suite.is_bare() => ("none", YELLOW),
            () => ("ok", GREEN),
        };
        let what = match suite.cases.len() {
            _ if !suite.exists => "no tool".to_owned(),
            0 => "no examples".to_owned(),
            cases => pluralize(cases, "example"),
        };
        let word = self.paint(word, style);
        self.line(0, &format!("{word} {} ({what})", sanitize(&suite.name)));
        for file in suite.written() {
            self.line(
                2,
                &format!("wrote {}", sanitize(&file.display().to_string())),
            );
        }
        for file in &suite.removed {
            self.line(
                2,
                &format!("removed {}", sanitize(&file.display().to_string())),
            );
        }
        let file = suite.file.display().to_string();
        for flaw in &suite.flaws {
            self.flaw(&file, flaw);
        }
        for case in &suite.cases {
            for flaw in &case.flaws {
                self.flaw(&subject(case, &file), flaw);
            }
        }
    }

    fn flaw(&mut self, subject: &str, flaw: &Flaw) {
        let blame = self.paint(flaw.blame.as_str(), RED);
        let (subject, message) = (sanitize(subject), sanitize(&flaw.message));
        self.line(2, &format!("{subject}: {blame}: {message}"));
        for fault in &flaw.faults {
            self.fault(fault);
        }
        for line in flaw.detail.lines() {
            let style = match line.as_bytes().first() {
                Some(b'-') => RED,
                Some(b'+') => GREEN,
                Some(b'@') => CYAN,
                _ => PLAIN,
            };
            let line = self.paint(&sanitize(line), style);
            self.line(4, &line);
        }
        self.hints(&flaw.hints);
    }

    fn fault(&mut self, fault: &Fault) {
        self.line(4, &sanitize(&fault.line()));
        if let Some(place) = &fault.place {
            for line in place.excerpt().lines() {
                self.line(4, line);
            }
        }
        self.hints(&fault.hints);
    }

    fn hints(&mut self, hints: &[String]) {
        let word = self.paint("hint:", CYAN);
        for hint in hints {
            self.line(4, &format!("{word} {}", sanitize(hint)));
        }
    }

    fn line(&mut self, indent: usize, line: &str) {
        let _ = writeln!(self.text, "{:indent$}{line}", "");
    }

    fn paint(&self, text: &str, style: Style) -> String {
        paint(text, style, self.colour && style != PLAIN)
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
