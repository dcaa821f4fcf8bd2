//! One step of a plan.

use serde_json::{Map, Value};

use crate::save_as::Names;
use crate::tool_name;
use crate::violation::Violation;

/// A valid step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    need_tool: bool,
    tool: Option<String>,
    reason: String,
    args: Option<Map<String, Value>>,
    save_as: String,
}

impl Step {
    /// Reads the step at `index`, with a name for its result that no other step has. Adds
    /// what is wrong to `violations`.
    pub(crate) fn read(
        step: &Value,
        index: usize,
        names: &mut Names,
        violations: &mut Vec<Violation>,
    ) -> Option<Self> {
        let at = |key: &str| format!("/tool_plan/{index}/{key}");
        let Value::Object(step) = step else {
            let pointer = format!("/tool_plan/{index}");
            violations.push(Violation::expected(pointer, "an object with a step", step));
            return None;
        };
        let before = violations.len();
        let need_tool = match step.get("need_tool") {
            Some(Value::Bool(need_tool)) => *need_tool,
            other => {
                violations.push(wrong(at("need_tool"), "true or false", other));
                false
            }
        };
        let tool = match optional_text(step, "tool", at("tool")) {
            Ok(None) if need_tool => {
                violations.push(Violation::missing(at("tool"), "the name of the tool"));
                None
            }
            Ok(tool) => tool,
            Err(violation) => {
                violations.push(violation);
                None
            }
        };
        let reason = match step.get("reason") {
            Some(Value::String(reason)) => reason.trim().to_owned(),
            other => {
                violations.push(wrong(at("reason"), "a string", other));
                String::new()
            }
        };
        let args = match step.get("args") {
            None | Some(Value::Null) => None,
            Some(Value::Object(args)) => Some(args.clone()),
            Some(other) => {
                violations.push(Violation::expected(at("args"), "an object", other));
                None
            }
        };
        let save_as = optional_text(step, "save_as", at("save_as")).unwrap_or_else(|violation| {
            violations.push(violation);
            None
        });
        if violations.len() > before {
            return None;
        }
        Some(Self {
            need_tool,
            tool: tool.map(tool_name::resolve),
            reason,
            args,
            save_as: names.take(save_as, index),
        })
    }

    /// Whether it calls a tool.
    pub(crate) const fn needs_tool(&self) -> bool {
        self.need_tool
    }

    /// The tool, if it names one.
    pub(crate) fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// Why there is this step.
    pub(crate) fn reason(&self) -> &str {
        &self.reason
    }

    /// The arguments, with references.
    pub(crate) const fn args(&self) -> Option<&Map<String, Value>> {
        self.args.as_ref()
    }

    /// The name of its result.
    pub(crate) fn save_as(&self) -> &str {
        &self.save_as
    }

    /// The step as JSON, without the keys that it does not have.
    pub(crate) fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("need_tool".into(), self.need_tool.into());
        if let Some(tool) = &self.tool {
            object.insert("tool".into(), tool.as_str().into());
        }
        object.insert("reason".into(), self.reason.as_str().into());
        if let Some(args) = &self.args {
            object.insert("args".into(), args.clone().into());
        }
        object.insert("save_as".into(), self.save_as.as_str().into());
        Value::Object(object)
    }
}

/// A required value that is missing or of another type.
fn wrong(pointer: String, expected: &'static str, found: Option<&Value>) -> Violation {
    match found {
        Some(found) => Violation::expected(pointer, expected, found),
        None => Violation::missing(pointer, expected),
    }
}

/// The text under `key`, if there is one. Blanks count as nothing, and so does `null`.
fn optional_text<'s>(
    step: &'s Map<String, Value>,
    key: &str,
    pointer: String,
) -> Result<Option<&'s str>, Violation> {
    match step.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
        Some(other) => Err(Violation::expected(pointer, "a string", other)),
    }
}
