//! The ends of calls as a model reads them.

use cogtools_core::{Code, Diagnostic, Hint};
use cogtools_log::{Approval, Outcome, Why, head_and_tail};
use serde_json::{Value, json};

/// The longest result that a model gets whole, in bytes. Of a longer one it gets the beginning
/// and the end.
const MAX_RESULT_BYTES: usize = 40_000;

/// A failure as a model reads it: every error, and what to do about it.
pub(crate) fn failure(diagnostics: &[Diagnostic]) -> (Outcome, Value) {
    let code = diagnostics
        .first()
        .map_or(Code::Internal, |first| first.code);
    let outcome = match code {
        Code::Timeout => Outcome::TimedOut,
        Code::Denied => Outcome::Denied,
        code => Outcome::Failed {
            code: code.name().to_owned(),
        },
    };
    let lines: Vec<String> = diagnostics.iter().flat_map(lines).collect();
    (
        outcome,
        json!({"error": lines.join("\n"), "code": code.name()}),
    )
}

fn lines(diagnostic: &Diagnostic) -> Vec<String> {
    let mut lines = vec![diagnostic.summary()];
    let details = diagnostic.details.trim();
    if !details.is_empty() {
        lines.push(details.to_owned());
    }
    let texts = diagnostic.hints.iter().filter_map(Hint::text);
    lines.extend(texts.map(|text| format!("hint: {text}")));
    lines
}

/// A call that is beyond the budget.
pub(crate) fn call_budget_spent() -> Diagnostic {
    let message = "not run: the budget of calls is spent";
    Diagnostic::new(Code::BudgetSpent, message)
}

/// Why a call does not run.
pub fn denial(approval: &Approval) -> String {
    let text = match (&approval.reason, &approval.why) {
        (Some(reason), _) => return format!("denied by the user: {reason}"),
        (None, Why::Rule) => "denied by a rule of the user; do not call it again",
        (None, Why::NoTerminal) => {
            "denied: this call needs an approval, and there is no one to ask: the user can allow it \
             in `ask.allow`"
        }
        _ => "denied by the user; ask what to do instead, or go on without it",
    };
    text.to_owned()
}

/// The beginning and the end of a long result, and the whole as text; `None` if it is short.
pub(crate) fn shorten(response: &Value) -> Option<(Value, String)> {
    let (key, value) = response.as_object()?.iter().next()?;
    let whole = match value {
        Value::String(text) if text.len() > MAX_RESULT_BYTES => text.clone(),
        Value::String(_) => return None,
        value => {
            let json = value.to_string();
            if json.len() <= MAX_RESULT_BYTES {
                return None;
            }
            json
        }
    };
    let mut content = response.clone();
    content[key] = head_and_tail(&whole, MAX_RESULT_BYTES).into();
    Some((content, whole))
}

/// A call of which only the start is known. Whether it had an effect is for the model to find
/// out, not for a second call.
pub(crate) fn interrupted() -> (Outcome, Value) {
    let message = "interrupted: the run ended while this call was running, which may have had an \
        effect; find out before you call it again";
    (Outcome::Cancelled, json!({"error": message}))
}

/// A call that was cancelled: by the user, or because the process had to end.
pub(crate) fn cancelled() -> (Outcome, Value) {
    let message = "cancelled before its end";
    (Outcome::Cancelled, json!({"error": message}))
}
