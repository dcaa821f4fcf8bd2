//! An example: the arguments of a call, alone or with what a test expects of its result.
//!
//! A map with the key `arguments` is an example with expectations. If the tool has a parameter
//! of that name, the map needs one more of these keys, which is not a parameter.

use serde_json::{Map, Value};

use crate::schema::Schema;
use crate::text::Span;
use crate::tool::DefinitionError;
use crate::tool::error::EXAMPLE_CODES;
use crate::tool::locator::Locator;
use crate::tool::reader::Reader;
use crate::yaml::{Entry, Node};
use crate::{Actual, Code, Diagnostic, Expected, Name, json, media};

/// The keys of an example with expectations.
const ARGUMENTS: &str = "arguments";
const NAME: &str = "name";
const FAILS: &str = "fails";
const CONTAINS: &str = "contains";
const MATCHES: &str = "matches";
const REDACT: &str = "redact";
const WITH: &str = "with";

/// An example of a tool.
#[derive(Clone, Debug)]
pub struct Example {
    pub(super) arguments: Node,
    pub(super) span: Span,
    /// Its name, which is unique in the tool.
    pub name: Option<Name>,
    /// The code that the call is expected to fail with.
    pub fails: Option<Code>,
    /// Texts that the result, or the message of a failure, contains.
    pub contains: Vec<String>,
    /// Regular expressions that match in the result, or in the message of a failure.
    pub matches: Vec<String>,
    /// Regular expressions of what differs between calls.
    pub redact: Vec<String>,
    /// Answers of tools that a flow calls in this example without calling them, by their
    /// names or capabilities.
    pub presets: Map<String, Value>,
}

impl Example {
    /// Its name, or its number for the example at `index`.
    pub fn id(&self, index: usize) -> String {
        let name = self.name.as_ref().map(Name::to_string);
        name.unwrap_or_else(|| (index + 1).to_string())
    }

    /// The keys of an example with expectations.
    pub const KEYS: [&'static str; 7] = [NAME, ARGUMENTS, WITH, CONTAINS, MATCHES, REDACT, FAILS];
    /// The codes that a call can be expected to fail with.
    pub const CODES: [Code; 4] = EXAMPLE_CODES;

    /// The example in `node`, which [`Reader::examples`] has accepted, of a tool with this `schema`.
    pub(super) fn new(mut node: Node, schema: &Schema) -> Self {
        let span = node.span;
        let has_expectations = has_expectations(&node, schema);
        let field = |key: &str| node.get(key).filter(|_| has_expectations);
        let strings = |key: &str| field(key).map(strings).unwrap_or_default();
        let (contains, matches, redact) = (strings(CONTAINS), strings(MATCHES), strings(REDACT));
        let name = field(NAME).and_then(|name| Name::new(name.text()?).ok());
        let presets = field(WITH).map(map).unwrap_or_default();
        let fails = field(FAILS).and_then(|code| parse_code(code.text()?));
        if has_expectations && let Some(arguments) = node.take(ARGUMENTS) {
            node = arguments;
        }
        Self {
            arguments: node,
            span,
            name,
            fails,
            contains,
            matches,
            redact,
            presets,
        }
    }

    /// The arguments of the call.
    pub fn arguments(&self) -> Map<String, Value> {
        map(&self.arguments)
    }

    /// Returns true if the whole result is compared, with a golden file.
    pub fn has_golden(&self) -> bool {
        self.fails.is_none() && self.contains.is_empty() && self.matches.is_empty()
    }
}

impl Reader<'_> {
    /// Checks the list of examples of a tool with this `schema`, unless that is invalid; its
    /// items are moved out of the document last.
    pub(super) fn examples(&mut self, entry: &Entry, schema: Option<&Schema>) {
        let Some(items) = self.expect(entry, Expected::Examples, entry.value.items()) else {
            return;
        };
        let mut names: Vec<String> = Vec::new();
        for item in items {
            if item.entries().is_none() {
                self.report_kind("examples", Expected::Examples, item);
            } else if schema.is_some_and(|schema| has_expectations(item, schema)) {
                for entry in item.entries().unwrap_or_default() {
                    check_entry(entry, &mut names, self);
                }
            }
        }
    }
}

/// Returns true if `node` has expectations besides the arguments.
fn has_expectations(node: &Node, schema: &Schema) -> bool {
    // No map of arguments has a key that is not a parameter.
    let is_expectation = |key: &&str| node.get(key).is_some() && !schema.has_property(key);
    node.get(ARGUMENTS).is_some()
        && (!schema.has_property(ARGUMENTS)
            || !may_be_open(schema) && Example::KEYS.iter().any(is_expectation))
}

/// Returns true if the arguments may have keys besides the properties of the root.
fn may_be_open(schema: &Schema) -> bool {
    let openers = ["additionalProperties", "allOf", "anyOf", "oneOf"];
    let values = openers
        .iter()
        .filter_map(|key| schema.as_object().get(*key));
    let mut open = values.filter(|value| **value != Value::Bool(false));
    open.next().is_some()
}

fn check_entry(entry: &Entry, names: &mut Vec<String>, reader: &mut Reader<'_>) {
    let (key, value) = (entry.key.as_str(), &entry.value);
    match key {
        ARGUMENTS | WITH if value.entries().is_some() => {}
        ARGUMENTS | WITH => reader.report_kind(key, Expected::Map, value),
        NAME => {
            let Some(name) = reader.name(entry, DefinitionError::ExampleName) else {
                return;
            };
            // Some file systems ignore case.
            let folded = name.as_str().to_ascii_lowercase();
            if names.contains(&folded) {
                reader.report(DefinitionError::SameExample(name.to_string()), value.span);
            }
            names.push(folded);
        }
        FAILS => match value.text() {
            Some(text) if parse_code(text).is_some() => {}
            Some(text) => {
                reader.report(DefinitionError::ExampleCode(text.to_owned()), value.span);
            }
            None => reader.report_kind(key, Expected::String, value),
        },
        CONTAINS | MATCHES | REDACT => {
            let all = value.one_or_more().iter();
            for item in all {
                match item.text() {
                    Some("") => {
                        let key = Example::KEYS.into_iter().find(|known| *known == key);
                        let error = DefinitionError::Empty(key.unwrap_or_default());
                        reader.report(error, item.span);
                    }
                    Some(_) => {}
                    None => reader.report_kind(key, Expected::Texts, item),
                }
            }
        }
        _ => reader.report_unknown_key(entry, &Example::KEYS),
    }
}

fn parse_code(text: &str) -> Option<Code> {
    Example::CODES.into_iter().find(|code| code.name() == text)
}

/// Returns the values of a map; none of anything else.
pub(super) fn map(node: &Node) -> Map<String, Value> {
    json::object(node.to_json())
}

/// The string, or the strings of the list.
fn strings(node: &Node) -> Vec<String> {
    let texts = node.one_or_more().iter().filter_map(Node::text);
    texts.map(str::to_owned).collect()
}

/// The type of a tool's result.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Output {
    /// Text of any kind.
    #[default]
    Text,
    /// One JSON value, with a schema if there is one.
    Json(Option<Schema>),
    /// Content blocks of MCP, as JSON.
    Content,
    /// The bytes of a file of this media type.
    File(&'static str),
}

/// The number of characters of a result that is not JSON that are shown.
const MAX_SHOWN_CHARS: usize = 2_000;

impl Output {
    /// The keys of the map.
    pub const KEYS: [&'static str; 2] = ["type", "schema"];

    /// The values of `type`, with the media types of [`media`].
    pub fn types() -> Vec<&'static str> {
        let files = media::names();
        let others = ["text", "json", "content"].into_iter();
        others.chain(files).collect()
    }

    /// The schema of the result, if there is one.
    pub const fn schema(&self) -> Option<&Schema> {
        match self {
            Self::Json(schema) => schema.as_ref(),
            _ => None,
        }
    }

    /// Validates the `text` of a result, which may be `truncated`, and returns its value: none for
    /// text.
    pub(super) fn validate(
        &self,
        text: &str,
        truncated: bool,
    ) -> Result<Option<Value>, Box<Diagnostic>> {
        if !matches!(self, Self::Json(_) | Self::Content) {
            return Ok(None);
        }
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
        self.check(&value)?;
        Ok(Some(value))
    }

    /// Validates the value of a result.
    pub(super) fn check(&self, value: &Value) -> Result<(), Box<Diagnostic>> {
        let Some(schema) = self.schema() else {
            return Ok(());
        };
        let validator = schema.validator().map_err(|it| Box::new(it.diagnostic()))?;
        let wrong = validator.violations(schema, value);
        if wrong.is_empty() {
            return Ok(());
        }
        let message = "the result does not match the schema in `output`";
        let shown = wrong.iter().take(Diagnostic::MAX_SHOWN);
        let lines: Vec<String> = shown.map(|it| it.line("not declared")).collect();
        let diagnostic = Diagnostic::new(Code::ToolFailed, message).with_details(lines.join("\n"));
        Err(Box::new(diagnostic.hint(HINT)))
    }
}

pub(super) const HINT: &str = "the tool's author has to fix it: the result must match `output`";

impl Reader<'_> {
    /// The map under `output`.
    pub(super) fn output(&mut self, entry: &Entry) -> Output {
        let Some(entries) = self.entries(entry, Expected::Output) else {
            return Output::Text;
        };
        let (mut kind, mut schema) = (None, None);
        for entry in entries {
            match entry.key.as_str() {
                "type" => kind = Some(&entry.value),
                "schema" => schema = Some(entry),
                _ => self.report_unknown_key(entry, &Output::KEYS),
            }
        }
        let Some(kind) = kind else {
            self.report(DefinitionError::OutputType, entry.span);
            return Output::Text;
        };
        let output = match kind.text() {
            Some("text") => Output::Text,
            Some("json") => {
                let schema = schema.and_then(|entry| self.schema(Schema::any(&entry.value)));
                return Output::Json(schema);
            }
            Some("content") => Output::Content,
            Some(name) if let Some(name) = media::find(name) => Output::File(name),
            text => {
                let actual = match text {
                    Some(text) => Actual::String(text.to_owned()),
                    None => Actual::Other(kind.kind()),
                };
                self.report_actual("type", Expected::OutputType, actual, kind.span);
                return Output::Text;
            }
        };
        let Some(schema) = schema else { return output };
        self.report(DefinitionError::TextSchema, schema.span);
        Output::Text
    }
}

/// Checks that the patterns in the schema of a result are regular expressions.
pub(super) fn check(output: &Output, document: &Node, locator: &Locator<'_>) -> Option<Diagnostic> {
    let schema = output.schema().filter(|schema| schema.has_pattern())?;
    let wrong = schema.validator().err()?;
    let node = document.get("output")?.get("schema")?;
    Some(locator.locate_schema_in(node, &wrong))
}
