//! The declared type of a tool's result: the key `output`.

use serde_json::Value;

use super::DefinitionError;
use super::document::Locator;
use super::reader::Reader;
use crate::schema::{Schema, Violation, ViolationKind};
use crate::yaml::{Entry, Node};
use crate::{Actual, Code, Diagnostic, Expected, json};

/// The type of a tool's result.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Output {
    /// Text of any kind.
    #[default]
    Text,
    /// One JSON value, with a schema if there is one.
    Json(Option<Schema>),
}

/// The value of `type`.
enum Type {
    Text,
    Json,
    /// Something else, already reported.
    Invalid,
}

/// The number of characters of a result that is not JSON that are shown.
const MAX_SHOWN_CHARS: usize = 2_000;

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

    /// Validates the `text` of a result, which may be `truncated`, and returns its value: none for
    /// text.
    pub(super) fn validate(
        &self,
        text: &str,
        truncated: bool,
    ) -> Result<Option<Value>, Box<Diagnostic>> {
        let Self::Json(schema) = self else {
            return Ok(None);
        };
        if truncated {
            let diagnostic = Diagnostic::new(
                Code::ToolFailed,
                "the result exceeds the size limit for JSON",
            );
            return Err(Box::new(
                diagnostic.hint("ask the tool for less; JSON cannot be truncated"),
            ));
        }
        let value = json::parse(text).map_err(|error| {
            let message = format!("the result is not JSON, as `output` declares: {error}");
            let diagnostic = Diagnostic::new(Code::ToolFailed, message);
            let shown: String = text.chars().take(MAX_SHOWN_CHARS).collect();
            Box::new(diagnostic.with_details(shown.trim_end()).hint(HINT))
        })?;
        if let Some(schema) = schema {
            let validator = schema.validator().map_err(|invalid| {
                Box::new(
                    Diagnostic::new(Code::InvalidTool, invalid.message)
                        .with_pointer(invalid.pointer),
                )
            })?;
            let wrong = validator.violations(schema, &value);
            if !wrong.is_empty() {
                let message = "the result does not match the schema in `output`";
                let lines: Vec<String> =
                    wrong.iter().take(Diagnostic::MAX_SHOWN).map(line).collect();
                let diagnostic =
                    Diagnostic::new(Code::ToolFailed, message).with_details(lines.join("\n"));
                return Err(Box::new(diagnostic.hint(HINT)));
            }
        }
        Ok(Some(value))
    }
}

const HINT: &str = "the tool's author has to fix it: the result must match `output`";

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
        let Some(entries) = self.entries(entry, Expected::Output) else {
            return Output::Text;
        };
        let (mut kind, mut schema) = (None, None);
        for entry in entries {
            match entry.key.as_str() {
                "type" => match entry.value.text() {
                    Some("text") => kind = Some(Type::Text),
                    Some("json") => kind = Some(Type::Json),
                    _ => {
                        let error = DefinitionError::Kind {
                            key: "type".to_owned(),
                            expected: Expected::OutputType,
                            actual: entry.value.text().map_or_else(
                                || Actual::Other(entry.value.kind()),
                                |text| Actual::String(text.to_owned()),
                            ),
                        };
                        self.report(&error, entry.value.span);
                        kind = Some(Type::Invalid);
                    }
                },
                "schema" => schema = Some(entry),
                _ => self.report_unknown_key(entry, &Output::KEYS),
            }
        }
        match (kind, schema) {
            (None, _) => self.report(&DefinitionError::OutputType, entry.span),
            (Some(Type::Text), Some(schema)) => {
                self.report(&DefinitionError::TextSchema, schema.span);
            }
            (Some(Type::Json), schema) => return self.json(schema),
            (Some(Type::Text), None) | (Some(Type::Invalid), _) => {}
        }
        Output::Text
    }

    fn json(&mut self, schema: Option<&Entry>) -> Output {
        let schema = schema.map(|entry| Schema::any(&entry.value));
        match schema.map(|read| self.schema(read)) {
            Some(None) => Output::Text,
            schema => Output::Json(schema.flatten()),
        }
    }
}

/// Checks that the patterns in the schema of a result are regular expressions.
pub(super) fn check(output: &Output, document: &Node, locator: &Locator<'_>) -> Option<Diagnostic> {
    let schema = output.schema().filter(|schema| schema.has_pattern())?;
    let wrong = schema.validator().err()?;
    let node = document.get("output")?.get("schema")?;
    Some(locator.locate_schema_in(node, &wrong))
}
