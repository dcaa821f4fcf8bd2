//! What an example says about its result besides a golden file.

use std::fmt::Write as _;

use cogtools_core::Diagnostic;
use cogtools_core::tool::Example;
use cogtools_program::{Failure, render_hint};

use crate::diff::escape;
use crate::failure::{FailureKind, TestFailure};
use crate::pattern;

/// How many lines of a text that lacks something are shown.
const MAX_SHOWN_LINES: usize = 20;

/// Checks `fails` and, in the message of the failure, `contains` and `matches`.
pub(crate) fn check_failure(example: &Example, failure: &Failure) -> Vec<TestFailure> {
    let found = failure.diagnostics().first().map(|first| first.code);
    if found == example.fails() {
        return check_text(example, "the message", &message(failure.diagnostics()));
    }
    let expected = example.fails().map_or("", cogtools_core::Code::name);
    let found = found.map_or("an unknown code", cogtools_core::Code::name);
    let text = format!("the call fails with {found}, and the example expects {expected}");
    let failed = TestFailure::new(FailureKind::Assertion, text);
    vec![failed.diagnostics(failure.diagnostics().to_vec())]
}

/// The failure of an example that expects one and gets `result`.
pub(crate) fn no_failure(example: &Example, result: &[u8]) -> TestFailure {
    let expected = example.fails().map_or("", cogtools_core::Code::name);
    let message = format!("the call succeeds, and the example expects {expected}");
    TestFailure::new(FailureKind::Assertion, message)
        .detail(shown(&String::from_utf8_lossy(result)))
}

/// The failure of an example that says what other tools answer, of a tool that calls none.
pub(crate) fn no_flow() -> TestFailure {
    let message = "`with` says what the tools that a flow calls answer, and this tool is no flow";
    TestFailure::new(FailureKind::Assertion, message).hint("remove `with`")
}

/// Checks `contains` and `matches` in `text`, which messages call `name`.
pub(crate) fn check_text(example: &Example, name: &str, text: &str) -> Vec<TestFailure> {
    let patterns = match pattern::compile_all("matches", example.matches()) {
        Ok(patterns) => patterns,
        Err(failure) => return vec![*failure],
    };
    let contains = example
        .contains()
        .iter()
        .filter(|part| !text.contains(part.as_str()))
        .map(|part| format!("{name} does not contain `{}`", escape(part)));
    let matches = example
        .matches()
        .iter()
        .zip(&patterns)
        .filter(|(_, pattern)| !pattern.is_match(text).unwrap_or(false))
        .map(|(source, _)| format!("{name} does not match `{}`", escape(source)));
    contains
        .chain(matches)
        .map(|message| TestFailure::new(FailureKind::Assertion, message).detail(shown(text)))
        .collect()
}

/// What a model reads of a failed call.
fn message(diagnostics: &[Diagnostic]) -> String {
    let mut lines = Vec::new();
    for diagnostic in diagnostics {
        lines.push(diagnostic.summary());
        lines.extend(diagnostic.details.lines().map(str::to_owned));
        lines.extend(
            diagnostic
                .hints
                .iter()
                .map(|hint| format!("hint: {}", render_hint(hint))),
        );
    }
    lines.join("\n")
}

/// The first lines of `text`, escaped, each with a bar.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    for line in text.lines().take(MAX_SHOWN_LINES) {
        let _ = writeln!(shown, "| {}", escape(line));
    }
    let left_out = text.lines().count().saturating_sub(MAX_SHOWN_LINES);
    if left_out > 0 {
        shown.push_str("| …\n");
    }
    shown
}
