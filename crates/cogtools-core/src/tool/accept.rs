//! Arguments held against their tool.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::Tool;
use crate::arguments::Arguments;
use crate::implementation::Implementation;
use crate::schema::{Unusable, Validator};
use crate::violation::{Violation, ViolationKind, escape};
use crate::{Code, Fault, Hint};

/// Arguments that fit their tool, defaults filled in.
#[derive(Debug)]
pub struct Accepted {
    arguments: Map<String, Value>,
    /// The tool that they name and what they hand on to it, if their own tool does
    /// nothing but call another.
    target: Option<Box<(Tool, Self)>>,
}

impl Accepted {
    /// The tool that does the work, if their own tool does nothing but call it.
    pub fn target(&self) -> Option<&Tool> {
        let (tool, own) = self.target.as_deref()?;
        Some(own.target().unwrap_or(tool))
    }

    /// The arguments, and the tool that is called instead with its own.
    pub(super) fn into_parts(self) -> (Map<String, Value>, Option<(Tool, Self)>) {
        (self.arguments, self.target.map(|target| *target))
    }
}

/// Why arguments are not accepted.
#[derive(Debug, PartialEq)]
pub enum AcceptError {
    /// They do not fit.
    Violations(Vec<Violation>),
    /// The tool that they call cannot be called so, in its own words.
    Target(Vec<Fault>),
    /// The schema itself cannot be used.
    Unusable(Unusable),
}

/// The boolean that Gemini CLI (0.35 and later) adds to every tool it declares,
/// and hands on to the call.
const HOSTS_OWN: &str = "wait_for_previous";

/// A longer form, in bytes, would be no help.
const LONGEST_SKELETON: usize = 2_000;

/// From so many missing arguments on, the caller is shown a form to fill in.
const MANY_MISSING: usize = 2;

impl Tool {
    /// Holds `arguments` against the schema, all of it at once. An argument the
    /// tool does not have is a violation, unless the schema itself allows more
    /// or it is a host's own.
    pub fn accept(&self, arguments: Arguments) -> Result<Accepted, AcceptError> {
        let validator = self.fields.schema.validator();
        let validator = validator.map_err(AcceptError::Unusable)?;
        let mut accepted = self
            .hold(&validator, arguments)
            .map_err(AcceptError::Violations)?;
        if let Implementation::Index(index) = self.implementation() {
            let target = index.target(&mut accepted.arguments);
            accepted.target = target.map_err(AcceptError::Target)?.map(Box::new);
        }
        Ok(accepted)
    }

    /// The same with the `validator` of the tool's own schema.
    pub(super) fn hold(
        &self,
        validator: &Validator,
        arguments: Arguments,
    ) -> Result<Accepted, Vec<Violation>> {
        let mut object = arguments.into_object();
        let names = self.fields.schema.names();
        let declares = |name: &str| {
            let properties = self.fields.schema.as_object().get("properties");
            properties.is_some_and(|all| all.get(name).is_some())
                || names.as_ref().is_some_and(|names| names.contains(&name))
        };
        if !declares(HOSTS_OWN) {
            object.shift_remove(HOSTS_OWN);
        }
        let mut violations = Vec::new();
        if let Some(names) = &names {
            let known: HashSet<&str> = names.iter().copied().collect();
            let unknown = object.keys().filter(|name| !known.contains(name.as_str()));
            violations.extend(unknown.take(Fault::MOST + 1).map(|name| {
                let pointer = format!("/{}", escape(name));
                Violation::unknown(pointer, name, names)
            }));
        }
        let value = Value::Object(object);
        violations.extend(validator.violations(&self.fields.schema, &value));
        match value {
            Value::Object(mut object) if violations.is_empty() => {
                self.fields.schema.fill(&mut object);
                Ok(Accepted {
                    arguments: object,
                    target: None,
                })
            }
            _ => Err(violations),
        }
    }

    /// The valid arguments with the fewest values, as JSON for a hint: the
    /// required ones alone.
    pub fn skeleton(&self) -> Option<String> {
        let skeleton = Value::Object(self.fields.schema.skeleton()?);
        let valid = self.fields.schema.validator().ok()?.accepts(&skeleton);
        let text = valid.then(|| skeleton.to_string())?;
        (text.len() <= LONGEST_SKELETON).then_some(text)
    }
}

impl AcceptError {
    /// All that is wrong with a call of `tool`, ready to be shown.
    pub fn faults(self, tool: &Tool) -> Vec<Fault> {
        let violations = match self {
            Self::Violations(violations) => violations,
            Self::Target(faults) => return faults,
            Self::Unusable(unusable) => {
                let fault = Fault::new(Code::InvalidTool, unusable.message);
                return vec![fault.about(tool.name().as_str()).pointing(unusable.pointer)];
            }
        };
        let missing = violations
            .iter()
            .filter(|violation| violation.kind == ViolationKind::Missing)
            .count();
        let mut faults = Fault::first_of(violations.into_iter().map(|violation| {
            let mut fault = Fault::new(Code::SchemaViolation, violation.kind.to_string())
                .about(tool.name().as_str())
                .pointing(violation.pointer);
            fault.hints = violation.hints.into_iter().map(Hint::from).collect();
            fault
        }));
        if missing >= MANY_MISSING
            && let Some(last) = faults.last_mut()
            && let Some(skeleton) = tool.skeleton()
        {
            let hint = format!("the least that is valid: {skeleton}");
            last.hints.push(hint.into());
        }
        faults
    }
}
