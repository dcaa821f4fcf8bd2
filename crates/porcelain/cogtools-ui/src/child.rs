//! Ends of programs that pages start.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use cogtools_core::process::{Exit, Output};
use cogtools_core::{Code, Diagnostic};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cut;
use crate::page::visible;
use crate::respond::{Answer, App, PageError, failure};

/// The time that an editor may take to show a file.
const EDITOR_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns true if a program has ended because it waits for an answer of the user.
pub(crate) fn waits(output: &Output) -> bool {
    let expected = i32::from(Code::ApprovalWanted.status());
    matches!(output.exit, Exit::Status(status) if status.code() == Some(expected))
}

/// The line of a file that a page asks the editor for.
#[derive(Deserialize)]
pub(crate) struct Line {
    line: usize,
}

/// Shows a line of `file` in the editor that answers: its name, or why there is none.
pub(crate) fn open(app: &App, file: &Path, body: &[u8]) -> Result<Answer, PageError> {
    let at: Line = serde_json::from_slice(body).map_err(|_| PageError::NotFound)?;
    let line = format!("--line={}", at.line);
    let args = ["editor", "open", "--error-format", "json", &line, "--"].map(OsStr::new);
    let args = args.into_iter().chain([file.as_os_str()]);
    let output = app.project.run(args, Vec::new(), EDITOR_TIMEOUT)?;
    let answer = if output.exit.is_success() {
        let name = String::from_utf8_lossy(&output.stdout.bytes);
        json!({"failures": [], "editor": name.trim()})
    } else {
        json!({"failures": failures(&output)})
    };
    Ok(Answer::Json(visible(answer)))
}

/// The diagnostics of a program: a JSON object per line.
pub(crate) fn failures(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stderr.bytes);
    let lines = text.lines().filter_map(|line| {
        let value: Value = serde_json::from_str(line).ok()?;
        value.get("message").is_some().then_some(value)
    });
    let lines: Vec<Value> = lines.collect();
    if !lines.is_empty() {
        return lines;
    }
    let message = format!("cogtools {}", output.exit.describe());
    let diagnostic = Diagnostic::new(Code::Internal, message);
    vec![failure(&diagnostic.with_details(cut::text(&text)))]
}
