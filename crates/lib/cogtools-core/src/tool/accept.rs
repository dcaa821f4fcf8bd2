//! Validation of arguments against their tool.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::Tool;
use crate::arguments::Arguments;
use crate::pointer::child;
use crate::schema::{InvalidSchema, Validator, Violation, ViolationKind};
use crate::{Code, Diagnostic, Hint};

/// Arguments that match the tool's schema, with defaults applied.
#[derive(Debug)]
pub struct Accepted(Map<String, Value>);

impl Accepted {
    /// The arguments.
    pub const fn as_object(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The arguments.
    pub fn into_object(self) -> Map<String, Value> {
        self.0
    }
}

/// Why arguments are not accepted.
#[derive(Debug, PartialEq)]
pub enum AcceptError {
    /// They do not match the schema.
    Violations(Vec<Violation>),
    /// The schema itself is invalid.
    InvalidSchema(InvalidSchema),
}

/// The boolean that Gemini CLI (0.35 and later) adds to the parameters of every tool
/// and passes to the call.
const HOST_ARGUMENT: &str = "wait_for_previous";

/// A longer skeleton would not help.
const MAX_SKELETON_BYTES: usize = 2_000;

/// With this many missing arguments, the hints include a skeleton of valid arguments.
const MANY_MISSING: usize = 2;

impl Tool {
    /// Validates `arguments` against the schema and reports all violations. An unknown
    /// argument is a violation unless the schema permits additional properties or the
    /// host added the argument.
    pub fn accept(&self, arguments: Arguments) -> Result<Accepted, AcceptError> {
        self.validators
            .with(&self.definition.schema, |validator| {
                self.validate(validator, arguments)
            })
            .map_err(AcceptError::InvalidSchema)?
            .map_err(AcceptError::Violations)
    }

    /// The same with the `validator` of the tool's own schema.
    pub(super) fn validate(
        &self,
        validator: &Validator,
        arguments: Arguments,
    ) -> Result<Accepted, Vec<Violation>> {
        let mut object = arguments.into_object();
        let names = self.definition.schema.names();
        let declares = |name: &str| {
            let properties = self.definition.schema.as_object().get("properties");
            properties.is_some_and(|all| all.get(name).is_some())
                || names.as_ref().is_some_and(|names| names.contains(&name))
        };
        if !declares(HOST_ARGUMENT) {
            object.shift_remove(HOST_ARGUMENT);
        }
        let mut violations = Vec::new();
        if let Some(names) = &names {
            let known: HashSet<&str> = names.iter().copied().collect();
            let unknown = object.keys().filter(|name| !known.contains(name.as_str()));
            violations.extend(
                unknown
                    .take(Diagnostic::MAX_SHOWN + 1)
                    .map(|name| Violation::unknown(child("", name), name, names)),
            );
        }
        let value = Value::Object(object);
        violations.extend(self.definition.schema.undeclared_nested(&value));
        violations.extend(validator.violations(&self.definition.schema, &value));
        match value {
            Value::Object(mut object) if violations.is_empty() => {
                self.definition.schema.apply_defaults(&mut object);
                Ok(Accepted(object))
            }
            _ => Err(violations),
        }
    }

    /// The smallest valid arguments as JSON, for a hint: only the required ones.
    pub fn skeleton(&self) -> Option<String> {
        let skeleton = Value::Object(self.definition.schema.skeleton()?);
        let valid = self.definition.schema.validator().ok()?.accepts(&skeleton);
        let text = valid.then(|| skeleton.to_string())?;
        (text.len() <= MAX_SKELETON_BYTES).then_some(text)
    }
}

impl AcceptError {
    /// The diagnostics to show for a call of `tool`.
    pub fn diagnostics(self, tool: &Tool) -> Vec<Diagnostic> {
        let violations = match self {
            Self::Violations(violations) => violations,
            Self::InvalidSchema(invalid) => {
                let diagnostic = Diagnostic::new(Code::InvalidTool, invalid.message);
                return vec![
                    diagnostic
                        .with_subject(tool.name().as_str())
                        .with_pointer(invalid.pointer),
                ];
            }
        };
        let missing = violations
            .iter()
            .filter(|violation| violation.kind == ViolationKind::Missing)
            .count();
        let mut diagnostics = Diagnostic::truncate(violations.into_iter().map(|violation| {
            let mut diagnostic = Diagnostic::new(Code::SchemaViolation, violation.kind.to_string())
                .with_subject(tool.name().as_str())
                .with_pointer(violation.pointer);
            diagnostic.hints = violation.hints.into_iter().map(Hint::from).collect();
            diagnostic
        }));
        if missing >= MANY_MISSING
            && let Some(last) = diagnostics.last_mut()
            && let Some(skeleton) = tool.skeleton()
        {
            let hint = format!("the least that is valid: {skeleton}");
            last.hints.push(hint.into());
        }
        diagnostics
    }
}
