//! The inputs of `resolve` and `hydrate`: one JSON object each.

use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::{Code, Diagnostic};
use serde_json::{Map, Value};

use crate::record::{self, Records};
use crate::violation::Violation;

/// What `resolve` reads.
pub(crate) struct ResolveInput {
    /// The arguments, with references.
    pub(crate) args: Value,
    /// The records of earlier steps.
    pub(crate) records: Records,
}

/// What `hydrate` reads.
pub(crate) struct HydrateInput {
    /// The reply, with placeholders.
    pub(crate) template: String,
    /// The last result; `null` if there is none.
    pub(crate) last: Value,
    /// The records of all steps.
    pub(crate) records: Records,
}

impl ResolveInput {
    pub(crate) fn read(bytes: Vec<u8>) -> Result<Self, Vec<Diagnostic>> {
        let mut object = object(bytes)?;
        let mut violations = Vec::new();
        let args = object.remove("args").unwrap_or_else(|| {
            violations.push(Violation::missing("/args", "the arguments of a step"));
            Value::Null
        });
        let records = records(&mut object, &mut violations);
        valid(violations)?;
        Ok(Self { args, records })
    }
}

impl HydrateInput {
    pub(crate) fn read(bytes: Vec<u8>) -> Result<Self, Vec<Diagnostic>> {
        let mut object = object(bytes)?;
        let mut violations = Vec::new();
        let template = match object.remove("template") {
            Some(Value::String(template)) => template,
            other => {
                violations.push(match other {
                    Some(other) => Violation::expected("/template", "a string", &other),
                    None => Violation::missing("/template", "the text of the reply"),
                });
                String::new()
            }
        };
        let records = records(&mut object, &mut violations);
        valid(violations)?;
        let last = object.remove("last").unwrap_or_default();
        Ok(Self {
            template,
            last,
            records,
        })
    }
}

fn object(bytes: Vec<u8>) -> Result<Map<String, Value>, Vec<Diagnostic>> {
    Arguments::read(bytes, Syntax::Json)
        .map(Arguments::into_object)
        .map_err(|error| vec![error.diagnostic()])
}

fn records(object: &mut Map<String, Value>, violations: &mut Vec<Violation>) -> Records {
    record::read(object.remove("results")).unwrap_or_else(|found| {
        violations.extend(found);
        Records::new()
    })
}

fn valid(violations: Vec<Violation>) -> Result<(), Vec<Diagnostic>> {
    if violations.is_empty() {
        return Ok(());
    }
    let diagnostics = violations
        .into_iter()
        .map(|it| it.diagnostic(Code::SchemaViolation));
    Err(Diagnostic::truncate(diagnostics))
}
