//! The JSON Schema that a value must match.

use std::path::Path;

use cogtools_core::schema::{Schema, Validator};
use cogtools_core::{Code, Diagnostic, Violation, ViolationKind};
use cogtools_lenient_json::Found;
use cogtools_program::{Failure, Io, named_file};
use serde_json::{Map, Value};

/// The largest file with a schema, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// A schema from a file.
pub(crate) struct SchemaFile {
    schema: Schema,
    validator: Validator,
}

impl SchemaFile {
    /// Reads and compiles the schema at `path`.
    pub(crate) fn load(path: &Path, io: &Io<'_>) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let invalid = |message: String| {
            let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(&name);
            diagnostic.hint("name a file with a JSON Schema, which is one object")
        };
        let bytes = named_file::read(path, MAX_BYTES, io)?;
        let schema: Map<String, Value> = serde_json::from_slice(&bytes)
            .map_err(|error| invalid(format!("this is not a JSON Schema: {error}")))?;
        let schema = Schema::from_json_schema(schema);
        let validator = schema
            .validator()
            .map_err(|error| invalid(error.to_string()).with_pointer(error.pointer))?;
        Ok(Self { schema, validator })
    }

    /// Checks the value that was found, or the array of all.
    pub(crate) fn check(&self, found: &[Found], is_array: bool) -> Result<(), Failure> {
        let mut values = found.iter().map(|found| Value::from(found.value.clone()));
        let value = if is_array {
            values.collect()
        } else {
            values.next().unwrap_or_default()
        };
        let violations = self.validator.violations(&self.schema, &value);
        if violations.is_empty() {
            return Ok(());
        }
        Err(Diagnostic::truncate(violations.into_iter().map(diagnostic)).into())
    }
}

fn diagnostic(violation: Violation) -> Diagnostic {
    let pointer = violation.pointer;
    let new = |message: String| Diagnostic::new(Code::SchemaViolation, message);
    let mut diagnostic = match violation.kind {
        ViolationKind::Missing => new("required but missing".to_owned()),
        ViolationKind::Invalid(reason) => new(reason),
        ViolationKind::Unknown => {
            return new("the schema has no such property".to_owned())
                .with_pointer(pointer)
                .hint("leave it out, or use a name that the schema has");
        }
    };
    // Hints are about properties and items; the whole value has no name.
    if !pointer.is_empty() {
        diagnostic.hints = violation.hints.into_iter().map(Into::into).collect();
    }
    diagnostic.with_pointer(pointer)
}
