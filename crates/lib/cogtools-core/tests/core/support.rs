//! Tools and diagnostics for the tests, printed as programs do.

use std::fmt::Write as _;

use cogtools_core::text::Text;
use cogtools_core::{Diagnostic, Tool};
use cogtools_test_support::{Expected, assert_text};

/// The three required keys.
const BASE: &str = "name: x\ndescription: d\nimplementation: ok\n";

/// Checks the errors of a tool file.
#[track_caller]
pub(super) fn check_file(file: impl Into<Vec<u8>>, expected: impl Into<Expected>) {
    assert_text(render_errors(file), expected);
}

/// Checks the errors of a file of these lines and the required keys.
#[track_caller]
pub(super) fn check_lines(lines: &str, expected: impl Into<Expected>) {
    check_file(format!("{lines}\n{BASE}"), expected);
}

/// Checks the errors of these entries under `parameters`.
#[track_caller]
pub(super) fn check_parameters(entries: &str, expected: impl Into<Expected>) {
    check_under("parameters", entries, expected);
}

/// Checks the errors of these keywords under `parameters_schema`.
#[track_caller]
pub(super) fn check_schema(keywords: &str, expected: impl Into<Expected>) {
    check_under("parameters_schema", keywords, expected);
}

#[track_caller]
fn check_under(key: &str, entries: &str, expected: impl Into<Expected>) {
    let lines = entries.replace('\n', "\n  ");
    check_file(format!("{BASE}{key}:\n  {lines}\n"), expected);
}

/// The errors of a tool file with this content; `ok` if it is a tool.
pub(super) fn render_errors(file: impl Into<Vec<u8>>) -> String {
    let text = Text::new("x.yaml", file.into());
    match text {
        Err(error) => render(&[error.diagnostic(cogtools_core::Code::InvalidTool)]),
        Ok(text) => match Tool::parse(text) {
            Ok(_) => "ok".to_owned(),
            Err(error) => render(&error.diagnostics()),
        },
    }
}

/// The text of these diagnostics, without the name of a program.
pub(super) fn render(diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let _ = writeln!(
            text,
            "error[{}]: {}",
            diagnostic.code.name(),
            diagnostic.summary()
        );
        if let Some(location) = &diagnostic.location {
            text.push_str(&location.excerpt());
        }
        for hint in &diagnostic.hints {
            let hint = hint.render(|command| format!("{command:?}"));
            let _ = writeln!(text, "hint: {hint}");
        }
    }
    text
}

/// The tool in this file, which must be valid.
#[track_caller]
pub(super) fn tool(file: &str) -> Tool {
    let text = Text::new("x.yaml", file.as_bytes().to_vec()).expect("the file is text");
    match Tool::parse(text) {
        Ok(tool) => tool,
        Err(error) => panic!("{}", render(&error.diagnostics())),
    }
}
