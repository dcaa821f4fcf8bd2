//! What a tool says of its result: the key `output`.

use super::reader::Reader;
use super::{DefinitionError, Locator, ToolOutput};
use crate::schema::ViolationKind;
use crate::schema::{Schema, Violation};
use crate::suggest::did_you_mean;
use crate::yaml::{Entry, Node};
use crate::{Actual, Code, Diagnostic, Expected, json};

/// What the result of a tool is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Output {
    /// Text of any kind.
    #[default]
    Text,
    /// One JSON value, of this schema if there is one.
    Json(Option<Schema>),
}

/// What `type` says.
enum Type {
    Text,
    Json,
    /// Something else, which has been reported.
    Invalid,
}

/// How many characters of a result that is not JSON are shown.
const SHOWN: usize = 2_000;

impl Output {
    /// The keys of the map.
    pub const KEYS: [&'static str; 2] = ["type", "schema"];
    /// The values of `type`.
    pub const TYPES: [&'static str; 2] = ["text", "json"];

    /// The schema of the result, if there is one.
    pub const fn schema(&self) -> Option<&Schema> {
        match self {
            Self::Text => None,
            Self::Json(schema) => schema.as_ref(),
        }
    }

    /// Holds an answer against it, and adds its value.
    pub(crate) fn validate(&self, mut answer: ToolOutput) -> Result<ToolOutput, Box<Diagnostic>> {
        let Self::Json(schema) = self else {
            return Ok(answer);
        };
        if answer.truncated_bytes > 0 {
            let diagnostic = Diagnostic::new(
                Code::ToolFailed,
                "the result is larger than JSON may be here",
            );
            return Err(Box::new(
                diagnostic.hint("ask the tool for less; JSON cannot be cut"),
            ));
        }
        let value = json::parse(&answer.text).map_err(|error| {
            let message = format!("the result is not JSON, as `output` says it is: {error}");
            let diagnostic = Diagnostic::new(Code::ToolFailed, message);
            let display_path = answer.text.chars().take(SHOWN).collect::<String>();
            Box::new(diagnostic.with_details(display_path.trim_end()).hint(HINT))
        })?;
        if let Some(schema) = schema {
            let validator = schema.validator().map_err(|unusable| {
                Box::new(
                    Diagnostic::new(Code::InvalidTool, unusable.message)
                        .with_pointer(unusable.pointer),
                )
            })?;
            let wrong = validator.violations(schema, &value);
            if !wrong.is_empty() {
                let message = "the result is not what `output` says it is";
                let lines: Vec<String> =
                    wrong.iter().take(Diagnostic::MAX_SHOWN).map(line).collect();
                let diagnostic =
                    Diagnostic::new(Code::ToolFailed, message).with_details(lines.join("\n"));
                return Err(Box::new(diagnostic.hint(HINT)));
            }
        }
        answer.value = Some(value);
        Ok(answer)
    }
}

const HINT: &str = "its author can mend it: the result and `output` have to agree";

fn line(violation: &Violation) -> String {
    let message = match &violation.kind {
        ViolationKind::Unknown => "not declared".to_owned(),
        kind @ (ViolationKind::Missing | ViolationKind::Invalid(_)) => kind.to_string(),
    };
    match violation.pointer.as_str() {
        "" => message,
        pointer => format!("{pointer}: {message}"),
    }
}

impl Reader<'_> {
    /// The map under `output`.
    pub(super) fn output(&mut self, entry: &Entry) -> Output {
        let Some(entries) = entry.value.entries() else {
            self.kind("output", Expected::Output, &entry.value);
            return Output::Text;
        };
        let (mut kind, mut schema) = (None, None);
        for entry in entries {
            match entry.key.as_str() {
                "type" => match entry.value.text() {
                    Some("text") => kind = Some(Type::Text),
                    Some("json") => kind = Some(Type::Json),
                    _ => {
                        let diagnostic = DefinitionError::Kind {
                            key: "type".to_owned(),
                            expected: Expected::OutputType,
                            actual: entry.value.text().map_or_else(
                                || Actual::Other(entry.value.kind()),
                                |text| Actual::String(text.to_owned()),
                            ),
                        };
                        self.refuse(&diagnostic, entry.value.span);
                        kind = Some(Type::Invalid);
                    }
                },
                "schema" => schema = Some(entry),
                other => {
                    let diagnostic = DefinitionError::UnknownKey {
                        key: other.to_owned(),
                        meant: did_you_mean(other, Output::KEYS),
                    };
                    self.refuse(&diagnostic, entry.span);
                }
            }
        }
        match (kind, schema) {
            (None, _) => self.refuse(&DefinitionError::OutputType, entry.span),
            (Some(Type::Text), Some(schema)) => {
                self.refuse(&DefinitionError::TextSchema, schema.span)
            }
            (Some(Type::Json), schema) => return self.json(schema),
            (Some(Type::Text), None) | (Some(Type::Invalid), _) => {}
        }
        Output::Text
    }

    fn json(&mut self, schema: Option<&Entry>) -> Output {
        let schema = schema.map(|entry| Schema::any(&entry.value));
        match schema.transpose() {
            Ok(schema) => Output::Json(schema),
            Err(errors) => {
                self.refuse_schema(&errors);
                Output::Text
            }
        }
    }
}

/// A pattern in the schema of a result that is no regular expression.
pub(super) fn check(output: &Output, document: &Node, locator: &Locator<'_>) -> Option<Diagnostic> {
    let schema = output.schema().filter(|schema| schema.has_pattern())?;
    let wrong = schema.validator().err()?;
    let node = document.get("output")?.get("schema")?;
    Some(locator.unusable_in(node, &wrong))
}
