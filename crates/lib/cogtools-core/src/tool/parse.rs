//! The second step: from a document to a tool, and from a declaration to a definition.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::sandbox::SandboxError;
use crate::schema;
use crate::text::{Span, Text, TextError};
use crate::tool::accept::{self, Validators};
use crate::tool::error::DefinitionError;
use crate::tool::implementation::Implementation;
use crate::tool::locator::Locator;
use crate::tool::reader::Reader;
use crate::tool::schema_part::Shared;
use crate::tool::values::Values;
use crate::tool::{Annotations, Definition, Example, Key, Output, Tool, ToolError, example};
use crate::yaml::{self, Data, Entry, MAX_DEPTH, MAX_NODES, Node, YamlError, YamlErrorKind};
use crate::{Code, Diagnostic};

/// The entries of a document by their keys.
#[derive(Default)]
struct Draft<'n> {
    entries: [Option<&'n Entry>; Key::ALL.len()],
}

/// Parses the tool file `text`; the name of the tool has to be `stem`, if that is known. Its enums
/// have the `known` values of their commands.
pub(super) fn tool(text: Text, stem: Option<&str>, known: &Values) -> Result<Tool, ToolError> {
    let mut document = yaml::parse(&text)
        .map_err(|error| ToolError::Syntax(Box::new(error.diagnostic(Code::InvalidTool, &text))))?;
    let locator = Locator {
        text: &text,
        numbered: None,
    };
    let mut reader = Reader::new(locator);
    let shared = Shared::resolve(&mut document, &text, known, &mut reader);
    let read = read(&document, &mut reader);
    let mut diagnostics = reader.diagnostics;
    let Some((mut definition, implementation, span)) = read.filter(|_| diagnostics.is_empty())
    else {
        shared.explain(&mut diagnostics);
        diagnostics.sort_by_key(|diagnostic| {
            let location = diagnostic.location.as_ref();
            location.map(|location| (location.line, location.column))
        });
        return Err(ToolError::Invalid(Diagnostic::truncate(diagnostics)));
    };
    let mut diagnostics = accept::check_parameters(&definition, &document, &locator);
    diagnostics.extend(example::check(&definition.output, &document, &locator));
    let name = definition.name.as_str();
    if let Some(stem) = stem.filter(|stem| diagnostics.is_empty() && *stem != name) {
        let error = DefinitionError::Stem(name.to_owned(), stem.to_owned());
        let span = document
            .get("name")
            .map_or(head(&document), |name| name.span);
        diagnostics.push(locator.locate(error.diagnostic(), span));
    }
    if !diagnostics.is_empty() {
        shared.explain(&mut diagnostics);
        return Err(ToolError::Invalid(diagnostics));
    }
    let examples = document.take_items(Key::Examples.as_str()).into_iter();
    let examples = examples.map(|item| Example::new(item, &definition.schema));
    definition.examples = examples.collect();
    shared.record(&mut definition);
    definition.text = text;
    Ok(Tool {
        definition,
        implementation,
        implementation_span: Some(span),
        validators: Validators::default(),
    })
}

/// Reads every key, so that one pass reports all errors. The span is the one of the key
/// `implementation`.
fn read(document: &Node, reader: &mut Reader<'_>) -> Option<(Definition, Implementation, Span)> {
    let Some(entries) = document.entries() else {
        reader.report(DefinitionError::NotAMap(document.kind()), document.span);
        return None;
    };
    let mut draft = Draft::default();
    for entry in entries {
        if let Some(key) = Key::parse(&entry.key) {
            draft.entries[key as usize] = Some(entry);
        } else if !reader.is_full() {
            reader.report_unknown_key(entry, &Key::ALL.map(Key::as_str));
        }
    }
    let start = head(document);
    let mut definition = definition(&draft, start, reader);
    if let Some(definition) = &definition {
        reader.is_idempotent = definition.annotations.idempotent == Some(true);
        let names = definition.schema.names().unwrap_or_default();
        reader.parameters = names.into_iter().map(str::to_owned).collect();
    }
    let entry = draft.required(Key::Implementation, start, reader);
    let implementation = entry.and_then(|entry| Implementation::read(entry, reader));
    let is_program = implementation
        .as_ref()
        .is_none_or(Implementation::is_program);
    if let Some(entry) = draft.get(Key::Sandbox).filter(|_| !is_program) {
        reader.report_sandbox(&SandboxError::NoProgram, entry.span);
    }
    if let (Some(entry), Some(definition)) = (draft.get(Key::Output), &definition)
        && let Output::File(media) = definition.output
        && !is_program
    {
        reader.report(DefinitionError::FileOutput(media), entry.span);
    }
    if let (Some(definition), Some(Implementation::Http(http))) = (&mut definition, &implementation)
    {
        http.annotate(&mut definition.annotations);
    }
    Some((definition?, implementation?, entry?.span))
}

/// Reads every key but the implementation; missing keys are reported at `start`.
fn definition(draft: &Draft<'_>, start: Span, reader: &mut Reader<'_>) -> Option<Definition> {
    if let Some(entry) = draft.get(Key::Schema) {
        reader.schema_urn(entry);
    }
    let name = draft
        .required(Key::Name, start, reader)
        .and_then(|entry| reader.name(entry, DefinitionError::Name));
    let title = draft
        .get(Key::Title)
        .and_then(|entry| reader.non_empty_text(Key::Title, entry));
    let description = draft
        .required(Key::Description, start, reader)
        .and_then(|entry| reader.non_empty_text(Key::Description, entry));
    let deprecated = draft
        .get(Key::Deprecated)
        .and_then(|entry| reader.non_empty_text(Key::Deprecated, entry));
    let schema = reader.parameters(draft.get(Key::Parameters), draft.get(Key::ParametersSchema));
    if let Some(entry) = draft.get(Key::Examples) {
        reader.examples(entry, schema.as_ref());
    }
    let output = draft.get(Key::Output).map(|entry| reader.output(entry));
    let annotations = draft
        .get(Key::Annotations)
        .map(|entry| reader.annotations(entry));
    let capabilities = draft
        .get(Key::Capabilities)
        .map(|entry| reader.capabilities(entry));
    let env = draft.get(Key::Env).map(|entry| reader.env(entry));
    let timeout = draft
        .get(Key::Timeout)
        .and_then(|entry| reader.timeout(entry));
    let sandbox = draft.get(Key::Sandbox).map(|entry| reader.sandbox(entry));
    let described = description.map(|text| match &deprecated {
        Some(note) => schema::deprecated(note, &text),
        None => text,
    });
    Some(Definition {
        title,
        deprecated,
        output: output.unwrap_or_default(),
        annotations: annotations.unwrap_or_default(),
        capabilities: capabilities.unwrap_or_default(),
        env: env.unwrap_or_default(),
        timeout: timeout.unwrap_or(Definition::TIMEOUT),
        sandbox,
        ..Definition::new(name?, described?, schema?)
    })
}

impl Definition {
    /// Reads a declaration with the keys `name`, `title` and `description`, and its
    /// parameters as a plain Schema Object under the key `parameters`, if there is
    /// one. A tool file has the same rules.
    ///
    /// # Errors
    ///
    /// All mistakes in the declaration.
    pub(crate) fn from_declaration(
        declaration: &JsonDocument,
        parameters: Option<&str>,
        annotations: Annotations,
    ) -> Result<Self, ToolError> {
        let document = declaration.node();
        let locator = declaration.locator();
        let mut reader = Reader::new(locator);
        let mut draft = Draft::default();
        for entry in document.entries().unwrap_or_default() {
            let key = match entry.key.as_str() {
                key if Some(key) == parameters => Key::ParametersSchema,
                key => match Key::parse(key) {
                    Some(key @ (Key::Name | Key::Title | Key::Description)) => key,
                    _ => continue,
                },
            };
            draft.entries[key as usize] = Some(entry);
        }
        let definition = definition(&draft, head(document), &mut reader);
        let diagnostics = reader.diagnostics;
        let Some(definition) = definition.filter(|_| diagnostics.is_empty()) else {
            return Err(ToolError::Invalid(Diagnostic::truncate(diagnostics)));
        };
        if let Some(invalid) = accept::invalid_parameters(&definition) {
            let schema = parameters.and_then(|key| document.get(key));
            let diagnostic = locator.locate_schema_in(schema.unwrap_or(document), &invalid);
            return Err(ToolError::Invalid(vec![diagnostic]));
        }
        Ok(Self {
            annotations,
            ..definition
        })
    }
}

/// Returns the place where a document begins.
const fn head(document: &Node) -> Span {
    Span::new(document.span.start, document.span.start)
}

impl<'n> Draft<'n> {
    const fn get(&self, key: Key) -> Option<&'n Entry> {
        self.entries[key as usize]
    }

    /// Returns the entry of `key`, or reports at `end` that it is missing.
    fn required(&self, key: Key, end: Span, reader: &mut Reader<'_>) -> Option<&'n Entry> {
        reader.required(self.get(key), key.as_str(), end)
    }
}

/// A JSON object, within the limits of a tool file.
#[derive(Debug)]
pub(crate) struct JsonDocument {
    /// An empty text that only carries the name.
    text: Text,
    node: Node,
}

impl JsonDocument {
    /// Makes the document of `entries`, which messages call `name`.
    ///
    /// # Errors
    ///
    /// The entries exceed a limit of tool files.
    pub(crate) fn new(name: PathBuf, entries: Map<String, Value>) -> Result<Self, ToolError> {
        let value = Value::Object(entries);
        if value.to_string().len() > Text::MAX_BYTES {
            return Err(ToolError::Text(TextError::TooLarge(name, Text::MAX_BYTES)));
        }
        let text = Text::empty(name);
        match node(value, 1, &mut 0) {
            Ok(node) => Ok(Self { text, node }),
            Err(kind) => {
                let span = Span::new(0, 0);
                let mut diagnostic = YamlError { kind, span }.diagnostic(Code::InvalidTool, &text);
                diagnostic.location = None;
                let name = text.display_path().display().to_string();
                Err(ToolError::Syntax(Box::new(diagnostic.with_subject(name))))
            }
        }
    }

    /// The root.
    pub(super) const fn node(&self) -> &Node {
        &self.node
    }

    /// The locator of its values.
    pub(super) const fn locator(&self) -> Locator<'_> {
        Locator {
            text: &self.text,
            numbered: Some(&self.node),
        }
    }
}

/// Makes the node of a `value` at this `depth` below the root, numbered `next`.
fn node(value: Value, depth: usize, next: &mut usize) -> Result<Node, YamlErrorKind> {
    let span = Span::new(*next, *next);
    *next += 1;
    if *next > MAX_NODES {
        return Err(YamlErrorKind::TooMany);
    }
    if depth > MAX_DEPTH && (value.is_array() || value.is_object()) {
        return Err(YamlErrorKind::TooDeep);
    }
    let data = match value {
        Value::Array(items) => {
            let nodes = items.into_iter().map(|item| node(item, depth + 1, next));
            Data::List(nodes.collect::<Result<_, _>>()?)
        }
        Value::Object(entries) => {
            let entries = entries.into_iter().map(|(key, value)| {
                let value = node(value, depth + 1, next)?;
                let span = value.span;
                Ok(Entry { key, span, value })
            });
            Data::Map(entries.collect::<Result<_, _>>()?)
        }
        scalar => return Ok(Node::from_json(scalar, span)),
    };
    Ok(Node { data, span })
}

#[cfg(test)]
mod document_tests {
    use serde_json::json;

    use super::*;
    use crate::tool::locator::pointer;

    /// Checks the error of a document that has this `value`.
    #[track_caller]
    fn check(value: Value, expected: Option<&str>) {
        let entries = Map::from_iter([("a".to_owned(), value)]);
        let document = JsonDocument::new("p: own".into(), entries);
        let lines = document.err().map(|error| {
            let diagnostics = error.diagnostics();
            let lines = diagnostics.iter().map(Diagnostic::summary);
            lines.collect::<Vec<_>>().join("\n")
        });
        assert_eq!(lines.as_deref(), expected);
    }

    #[test]
    fn limits_are_those_of_tool_files() {
        let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        check(nested(MAX_DEPTH - 1), None);
        check(
            nested(MAX_DEPTH),
            Some("p: own: more than 64 levels of nesting"),
        );
        let values = |count: usize| Value::from(vec![0; count]);
        check(values(MAX_NODES - 2), None);
        check(
            values(MAX_NODES - 1),
            Some("p: own: more than 100000 values, aliases counted in full"),
        );
        let frame = r#"{"a":""}"#.len();
        check("x".repeat(Text::MAX_BYTES - frame).into(), None);
        check(
            "x".repeat(Text::MAX_BYTES - frame + 1).into(),
            Some("`p: own` is larger than 1 MiB"),
        );
    }

    #[test]
    fn a_value_number_becomes_a_json_pointer() {
        let value = json!({"a": 1, "b": [2, {"c/d": {}}], "e": null});
        let value = value.as_object().expect("an object").clone();
        let document = JsonDocument::new("x".into(), value).expect("it is small");
        let all = ["", "/a", "/b", "/b/0", "/b/1", "/b/1/c~1d", "/e", "/e"];
        for (number, expected) in all.into_iter().enumerate() {
            assert_eq!(pointer(document.node(), number), expected, "{number}");
        }
    }
}
