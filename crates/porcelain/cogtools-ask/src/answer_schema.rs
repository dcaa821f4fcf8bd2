//! The schema that an answer has to match.

use std::path::Path;

use cogtools_core::schema::{Schema, Validator};
use cogtools_core::{Code, Diagnostic};
use cogtools_model::Part;
use cogtools_program::{Failure, Io, named_file};
use serde_json::Value;

/// The largest file with the schema of an answer, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// A schema that can be matched.
#[derive(Debug)]
pub(crate) struct AnswerSchema {
    schema: Schema,
    validator: Validator,
}

impl AnswerSchema {
    /// Reads the schema in the file at `path`.
    pub(crate) fn read(path: &Path, io: &Io<'_>) -> Result<Self, Failure> {
        let bytes = named_file::read(path, MAX_BYTES, io)?;
        let value = serde_json::from_slice(&bytes).map_err(|error| error.to_string());
        value.and_then(Self::new).map_err(|message| {
            let message = format!("this is not a JSON Schema: {message}");
            let diagnostic = Diagnostic::new(Code::Usage, message);
            Failure::from(diagnostic.with_subject(path.display().to_string()))
        })
    }

    /// The JSON Schema in `value`, or why it is none.
    pub(crate) fn new(value: Value) -> Result<Self, String> {
        let Value::Object(schema) = value else {
            return Err("it must be an object".to_owned());
        };
        let schema = Schema::from_json_schema(schema);
        match schema.validator() {
            Ok(validator) => Ok(Self { schema, validator }),
            Err(error) => Err(match error.pointer.as_str() {
                "" => error.message,
                pointer => format!("{pointer}: {}", error.message),
            }),
        }
    }

    /// The JSON Schema, for the model.
    pub(crate) fn to_value(&self) -> Value {
        self.schema.to_json_schema()
    }

    /// The JSON of an answer that matches: all of it, or what it says among other text.
    ///
    /// # Errors
    ///
    /// The reason.
    pub(crate) fn accept(&self, answer: &str) -> Result<String, Vec<String>> {
        let error = match serde_json::from_str(answer) {
            Ok(value) => return self.check(&value).map(|()| answer.to_owned()),
            Err(error) => vec![format!("the answer is not JSON: {error}")],
        };
        let found = cogtools_lenient_json::last(answer).map_err(|_| error.clone())?;
        if found.is_cut() {
            return Err(vec!["the answer ends within its JSON".to_owned()]);
        }
        let value: Value = found.value.into();
        self.check(&value)
            .map(|()| value.to_string())
            .map_err(|_| error)
    }

    fn check(&self, value: &Value) -> Result<(), Vec<String>> {
        let violations = self.validator.violations(&self.schema, value);
        if violations.is_empty() {
            return Ok(());
        }
        let shown = violations.iter().take(Diagnostic::MAX_SHOWN);
        Err(shown.map(|it| it.line("not in the schema")).collect())
    }
}

/// The task that tells the model what is wrong.
pub(crate) fn correction(violations: &[String]) -> Vec<Part> {
    let text = format!(
        "Your answer does not match the schema:\n\n- {}\n\nAnswer again with the corrected JSON \
         alone.",
        violations.join("\n- ")
    );
    vec![Part::text_of(text)]
}

/// The failure of an answer that does not match.
pub(crate) fn diagnostic(violations: &[String], model: &str) -> Diagnostic {
    let message = "the answer does not match the schema";
    let diagnostic = Diagnostic::new(Code::InvalidAnswer, message);
    let diagnostic = diagnostic.with_subject(model);
    diagnostic.with_details(violations.join("\n"))
}
