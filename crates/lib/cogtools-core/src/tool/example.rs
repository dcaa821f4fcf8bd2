//! An example: the arguments of a call, alone or with what a test expects of its result.
//!
//! A map with the key `arguments` is an example with expectations. If the tool has a parameter
//! of that name, the map needs one more of these keys, which is not a parameter.

use serde_json::{Map, Value};

use super::error::{DefinitionError, EXAMPLE_CODES};
use super::reader::Reader;
use crate::schema::Schema;
use crate::text::Span;
use crate::yaml::{Entry, Node};
use crate::{Code, Expected, Name};

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
    name: Option<Name>,
    fails: Option<Code>,
    contains: Vec<String>,
    matches: Vec<String>,
    redact: Vec<String>,
    presets: Map<String, Value>,
}

impl Example {
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

    /// Answers of tools that a flow calls in this example without calling them, by their
    /// names or capabilities.
    pub const fn presets(&self) -> &Map<String, Value> {
        &self.presets
    }

    /// Its name, which is unique in the tool.
    pub const fn name(&self) -> Option<&Name> {
        self.name.as_ref()
    }

    /// The code that the call is expected to fail with.
    pub const fn fails(&self) -> Option<Code> {
        self.fails
    }

    /// Texts that the result, or the message of a failure, contains.
    pub fn contains(&self) -> &[String] {
        &self.contains
    }

    /// Regular expressions that match in the result, or in the message of a failure.
    pub fn matches(&self) -> &[String] {
        &self.matches
    }

    /// Regular expressions of what differs between calls.
    pub fn redact(&self) -> &[String] {
        &self.redact
    }

    /// Returns true if the whole result is compared, with a golden file.
    pub fn has_golden(&self) -> bool {
        self.fails.is_none() && self.contains.is_empty() && self.matches.is_empty()
    }

    /// Returns true if the arguments are to match the parameters.
    pub(super) fn is_valid_call(&self) -> bool {
        self.fails != Some(Code::SchemaViolation)
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
            let Some(name) = reader.name(entry) else {
                return;
            };
            // Some file systems ignore case.
            let folded = name.as_str().to_ascii_lowercase();
            if names.contains(&folded) {
                reader.report(&DefinitionError::SameExample(name.to_string()), value.span);
            }
            names.push(folded);
        }
        FAILS => match value.text() {
            Some(text) if parse_code(text).is_some() => {}
            Some(text) => {
                reader.report(&DefinitionError::ExampleCode(text.to_owned()), value.span);
            }
            None => reader.report_kind(key, Expected::String, value),
        },
        CONTAINS | MATCHES | REDACT => {
            let all = value.items().unwrap_or(std::slice::from_ref(value)).iter();
            for item in all {
                match item.text() {
                    Some("") => {
                        let key = Example::KEYS.into_iter().find(|known| *known == key);
                        let error = DefinitionError::Empty(key.unwrap_or_default());
                        reader.report(&error, item.span);
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
    match node.to_json() {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// The string, or the strings of the list.
fn strings(node: &Node) -> Vec<String> {
    let items = node.items().unwrap_or(std::slice::from_ref(node));
    let texts = items.iter().filter_map(Node::text);
    texts.map(str::to_owned).collect()
}
