//! The contract: what a model answers when it plans.

use cogtools_core::{Code, Diagnostic, pointer};
use cogtools_lenient_json::last;
use serde_json::{Map, Value, json};

use crate::save_as::Names;
use crate::step::Step;
use crate::violation::Violation;

const TEXT: &str = "a string that is not empty";
const LOG: &str = "an array of strings";
const PLAN: &str = "an array with at least one step";

/// A valid answer, normalised: strings have no blanks around them, tools have their own
/// names, and each step has a name of its own for its result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contract {
    restatement: String,
    visible_reply: String,
    thinking_log: Vec<String>,
    tool_plan: Vec<Step>,
}

impl Contract {
    /// Finds the contract in a model's text, or every violation of it.
    pub(crate) fn parse(text: &str) -> Result<Self, Vec<Diagnostic>> {
        let found = last(text).map_err(|error| {
            let diagnostic = Diagnostic::new(Code::NoJson, error.to_string());
            vec![diagnostic.hint("ask the model for one JSON object")]
        })?;
        Self::check(&found.value.into()).map_err(|violations| {
            let violations = violations.into_iter();
            Diagnostic::truncate(violations.map(|it| it.diagnostic(Code::ContractViolation)))
        })
    }

    /// Checks a value.
    pub(crate) fn check(value: &Value) -> Result<Self, Vec<Violation>> {
        let Value::Object(object) = value else {
            return Err(vec![Violation::expected("", "one object", value)]);
        };
        let mut violations = Vec::new();
        let restatement = required_text(object, "restatement", &mut violations);
        let visible_reply = required_text(object, "visible_reply", &mut violations);
        let thinking_log = log(object, &mut violations);
        let tool_plan = plan(object, &mut violations);
        if !violations.is_empty() {
            return Err(violations);
        }
        Ok(Self {
            restatement,
            visible_reply,
            thinking_log,
            tool_plan,
        })
    }

    /// What the model has understood.
    pub(crate) fn restatement(&self) -> &str {
        &self.restatement
    }

    /// The reply, with placeholders.
    pub(crate) fn visible_reply(&self) -> &str {
        &self.visible_reply
    }

    /// The steps, in their order.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.tool_plan
    }

    /// The contract as JSON, always with the same keys in the same order.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "restatement": self.restatement,
            "visible_reply": self.visible_reply,
            "thinking_log": self.thinking_log,
            "tool_plan": self.tool_plan.iter().map(Step::to_json).collect::<Value>(),
        })
    }
}

/// The text under `key`, without blanks around it; empty if it is a violation.
fn required_text(
    object: &Map<String, Value>,
    key: &str,
    violations: &mut Vec<Violation>,
) -> String {
    let pointer = pointer::child("", key);
    match object.get(key) {
        None => violations.push(Violation::missing(pointer, TEXT)),
        Some(Value::String(text)) if text.trim().is_empty() => {
            violations.push(Violation::empty(pointer, TEXT));
        }
        Some(Value::String(text)) => return text.trim().to_owned(),
        Some(other) => violations.push(Violation::expected(pointer, TEXT, other)),
    }
    String::new()
}

fn log(object: &Map<String, Value>, violations: &mut Vec<Violation>) -> Vec<String> {
    let lines = match object.get("thinking_log") {
        Some(Value::Array(lines)) => lines,
        Some(other) => {
            violations.push(Violation::expected("/thinking_log", LOG, other));
            return Vec::new();
        }
        None => {
            violations.push(Violation::missing("/thinking_log", LOG));
            return Vec::new();
        }
    };
    let mut texts = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        match line {
            Value::String(text) => texts.push(text.trim().to_owned()),
            other => {
                let pointer = format!("/thinking_log/{index}");
                violations.push(Violation::expected(pointer, "a string", other));
            }
        }
    }
    texts
}

fn plan(object: &Map<String, Value>, violations: &mut Vec<Violation>) -> Vec<Step> {
    let steps = match object.get("tool_plan") {
        Some(Value::Array(steps)) if !steps.is_empty() => steps,
        Some(Value::Array(_)) => {
            violations.push(Violation::empty("/tool_plan", PLAN));
            return Vec::new();
        }
        Some(other) => {
            violations.push(Violation::expected("/tool_plan", PLAN, other));
            return Vec::new();
        }
        None => {
            violations.push(Violation::missing("/tool_plan", PLAN));
            return Vec::new();
        }
    };
    let mut names = Names::of(steps);
    let steps = steps.iter().enumerate();
    steps
        .filter_map(|(index, step)| Step::read(step, index, &mut names, violations))
        .collect()
}
