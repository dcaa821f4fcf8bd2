//! Ends of programs that pages start.

use cogtools_core::process::{Exit, Output};
use cogtools_core::{Code, Diagnostic};
use serde_json::Value;

use crate::cut;
use crate::respond::failure;

/// Returns true if a program has ended because it waits for an answer of the user.
pub(crate) fn waits(output: &Output) -> bool {
    let expected = i32::from(Code::ApprovalWanted.status());
    matches!(output.exit, Exit::Status(status) if status.code() == Some(expected))
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
