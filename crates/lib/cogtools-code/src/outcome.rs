//! The ends of calls, as the session has them and as the code gets them.

use cogtools_core::javascript::{Answer, ToolFailure};
use cogtools_core::{Code, Diagnostic};
use cogtools_log::Outcome;
use serde_json::{Value, json};

/// The failure of a call, as the session has it.
pub(crate) fn end_of(tool: &str, diagnostics: &[Diagnostic]) -> (Outcome, Value) {
    let failure = failure(tool, diagnostics);
    let outcome = match failure.code.as_str() {
        "DENIED" => Outcome::Denied,
        "TIMEOUT" => Outcome::TimedOut,
        code => Outcome::Failed {
            code: code.to_owned(),
        },
    };
    let content = json!({
        "error": failure.message, "code": failure.code, "violations": failure.violations,
        "hints": failure.hints,
    });
    (outcome, content)
}

/// The failure as the code gets it, which tells five kinds apart.
pub(crate) fn failure(tool: &str, diagnostics: &[Diagnostic]) -> ToolFailure {
    let mut failure = ToolFailure::new(tool, diagnostics);
    let code = match diagnostics.first().map(|it| it.code) {
        Some(Code::SchemaViolation | Code::InvalidArgumentsSyntax) => Code::SchemaViolation,
        Some(code @ (Code::ToolNotFound | Code::Timeout | Code::Denied)) => code,
        _ => Code::ToolFailed,
    };
    code.name().clone_into(&mut failure.code);
    failure
}

/// The answer for the code in the `content` of a result.
pub(crate) fn answer_of(tool: &str, mut content: Value) -> Answer {
    if content.get("error").is_none() {
        return Answer::Value(content["output"].take().to_string());
    }
    let text = |key: &str| content[key].as_str().unwrap_or_default().to_owned();
    Answer::Error(ToolFailure {
        code: text("code"),
        tool: tool.to_owned(),
        message: text("error"),
        violations: serde_json::from_value(content["violations"].clone()).unwrap_or_default(),
        hints: serde_json::from_value(content["hints"].clone()).unwrap_or_default(),
    })
}

pub(crate) fn status_of(outcome: &Outcome) -> &'static str {
    match outcome {
        outcome if outcome.is_rejection() => "rejected",
        outcome => outcome.name(),
    }
}
