//! The second step: from a document to a tool, and from a declaration to a definition.

use super::accept::Validators;
use super::document::Locator;
use super::error::{DefinitionError, ToolError};
use super::implementation::Implementation;
use super::reader::Reader;
use super::{Annotations, Definition, Example, JsonDocument, Key, Tool, accept, output};
use crate::sandbox::SandboxError;
use crate::text::{Span, Text};
use crate::yaml::{self, Entry, Node};
use crate::{Code, Diagnostic};

/// The entries of a document by their keys.
#[derive(Default)]
struct Draft<'n> {
    entries: [Option<&'n Entry>; Key::ALL.len()],
}

/// Parses the tool file `text`; the name of the tool has to be `stem`, if that is known.
pub(super) fn tool(text: Text, stem: Option<&str>) -> Result<Tool, ToolError> {
    let mut document = yaml::parse(&text)
        .map_err(|error| ToolError::Syntax(Box::new(error.diagnostic(Code::InvalidTool, &text))))?;
    let locator = Locator {
        text: &text,
        numbered: None,
    };
    let mut reader = Reader::new(locator);
    let read = read(&document, &mut reader);
    let mut diagnostics = reader.diagnostics;
    let Some((mut definition, implementation, span)) = read.filter(|_| diagnostics.is_empty())
    else {
        diagnostics.sort_by_key(|diagnostic| {
            let location = diagnostic.location.as_ref();
            location.map(|location| (location.line, location.column))
        });
        return Err(ToolError::Invalid(Diagnostic::truncate(diagnostics)));
    };
    let mut diagnostics = accept::check_parameters(&definition, &document, &locator);
    diagnostics.extend(output::check(&definition.output, &document, &locator));
    let name = definition.name.as_str();
    if let Some(stem) = stem.filter(|stem| diagnostics.is_empty() && *stem != name) {
        let error = DefinitionError::Stem {
            name: name.to_owned(),
            stem: stem.to_owned(),
        };
        let span = document
            .get("name")
            .map_or(head(&document), |name| name.span);
        diagnostics.push(locator.locate(error.diagnostic(), span));
    }
    if !diagnostics.is_empty() {
        return Err(ToolError::Invalid(diagnostics));
    }
    let examples = document.take_items(Key::Examples.as_str()).into_iter();
    let examples = examples.map(|item| Example::new(item, &definition.schema));
    definition.examples = examples.collect();
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
        reader.report(&DefinitionError::NotAMap(document.kind()), document.span);
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
        .is_none_or(|it| it.invocation().is_some());
    if let Some(entry) = draft.get(Key::Sandbox).filter(|_| !is_program) {
        reader.report_sandbox(&SandboxError::NoProgram, entry.span);
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
        .and_then(|entry| reader.name(entry));
    let title = draft
        .get(Key::Title)
        .and_then(|entry| reader.non_empty_text(Key::Title, entry));
    let description = draft
        .required(Key::Description, start, reader)
        .and_then(|entry| reader.non_empty_text(Key::Description, entry));
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
    Some(Definition {
        title,
        output: output.unwrap_or_default(),
        annotations: annotations.unwrap_or_default(),
        capabilities: capabilities.unwrap_or_default(),
        env: env.unwrap_or_default(),
        timeout: timeout.unwrap_or(Definition::TIMEOUT),
        sandbox,
        ..Definition::new(name?, description?, schema?)
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
    Span {
        start: document.span.start,
        end: document.span.start,
    }
}

impl<'n> Draft<'n> {
    const fn get(&self, key: Key) -> Option<&'n Entry> {
        self.entries[key as usize]
    }

    /// Returns the entry of `key`, or reports at `end` that it is missing.
    fn required(&self, key: Key, end: Span, reader: &mut Reader<'_>) -> Option<&'n Entry> {
        if self.get(key).is_none() {
            reader.report(&DefinitionError::Missing(key.as_str()), end);
        }
        self.get(key)
    }
}
