//! The second step: from a document to a tool, and from a declaration to a definition.

use std::sync::Arc;

use super::compiled::Validators;
use super::error::{DefinitionError, ToolError};
use super::reader::Reader;
use super::{
    Annotations, Definition, Example, Handler, JsonDocument, Key, Locator, Tool, examples,
    implementation, output,
};
use crate::sandbox::SandboxError;
use crate::suggest::did_you_mean;
use crate::text::{Span, Text};
use crate::yaml::{self, Entry, Node};
use crate::{Code, Diagnostic, Name};

#[derive(Default)]
struct Draft<'n> {
    entries: [Option<&'n Entry>; Key::ALL.len()],
}

pub(super) fn tool(text: Text) -> Result<Tool, ToolError> {
    let mut document = yaml::parse(&text)
        .map_err(|error| ToolError::Syntax(Box::new(error.diagnostic(Code::InvalidTool, &text))))?;
    let locator = Locator::of_file(&text);
    let mut reader = Reader::new(locator);
    let read = read(&document, &mut reader);
    let mut diagnostics = reader.finish();
    let Some((mut definition, handler)) = read.filter(|_| diagnostics.is_empty()) else {
        diagnostics.sort_by_key(|diagnostic| {
            diagnostic
                .location
                .as_ref()
                .map(|location| (location.line, location.column))
        });
        return Err(ToolError::Invalid(Diagnostic::truncate(diagnostics)));
    };
    let mut diagnostics = examples::check_parameters(&definition, &document, &locator);
    diagnostics.extend(output::check(&definition.output, &document, &locator));
    if !diagnostics.is_empty() {
        return Err(ToolError::Invalid(diagnostics));
    }
    definition.examples = document
        .take_items(Key::Examples.as_str())
        .into_iter()
        .map(|item| Example::new(item, &definition.schema))
        .collect();
    Ok(Tool {
        definition,
        handler,
        text,
        provenance: Arc::default(),
        boundary: None,
        validators: Validators::default(),
    })
}

/// Reads every key, so that one pass reports all errors.
fn read(document: &Node, reader: &mut Reader<'_>) -> Option<(Definition, Arc<dyn Handler>)> {
    let Some(entries) = document.entries() else {
        reader.report(&DefinitionError::NotAMap(document.kind()), document.span);
        return None;
    };
    let draft = Draft::new(entries, reader);
    let start = head(document);
    let definition = definition(&draft, start, reader);
    if let Some(definition) = &definition {
        reader.set_parameters(&definition.schema);
    }
    let implementation = draft.required(Key::Implementation, start, reader);
    let handler = implementation.and_then(|entry| implementation::read(entry, reader));
    let is_program = handler.as_ref().is_none_or(|it| it.invocation().is_some());
    if let Some(entry) = draft.get(Key::Sandbox).filter(|_| !is_program) {
        reader.report_sandbox(&SandboxError::NoProgram, entry.span);
    }
    Some((definition?, handler?))
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
        timeout: timeout.unwrap_or(Tool::TIMEOUT),
        sandbox,
        ..Definition::new(name?, description?, schema?)
    })
}

impl Definition {
    /// Reads a declaration with the keys `name`, `title` and `description`, and its
    /// parameters as a plain Schema Object under the key `parameters`, if there is
    /// one. The rules are those of a tool file.
    pub(crate) fn from_declaration(
        declaration: &JsonDocument,
        parameters: Option<&str>,
        annotations: Annotations,
    ) -> Result<Self, ToolError> {
        let document = declaration.node();
        let locator = declaration.locator();
        let mut reader = Reader::new(locator);
        let entries = document.entries().unwrap_or_default();
        let draft = Draft::from_declaration(entries, parameters);
        let definition = definition(&draft, head(document), &mut reader);
        let diagnostics = reader.finish();
        let Some(definition) = definition.filter(|_| diagnostics.is_empty()) else {
            return Err(ToolError::Invalid(Diagnostic::truncate(diagnostics)));
        };
        if let Some(invalid) = examples::invalid_parameters(&definition) {
            let schema = parameters.and_then(|key| document.get(key));
            let diagnostic = locator.locate_schema_in(schema.unwrap_or(document), &invalid);
            return Err(ToolError::Invalid(vec![diagnostic]));
        }
        Ok(definition.with_annotations(annotations))
    }
}

pub(super) fn name_mismatch(name: &Name, stem: &str, text: &Text) -> ToolError {
    let error = DefinitionError::Stem {
        name: name.to_string(),
        stem: stem.to_owned(),
    };
    let document = yaml::parse(text).ok();
    let span = document
        .as_ref()
        .and_then(|document| document.get("name"))
        .map_or(Span { start: 0, end: 0 }, |name| name.span);
    let diagnostic = Locator::of_file(text).locate(error.diagnostic(), span);
    ToolError::Invalid(vec![diagnostic])
}

/// Where a document begins.
const fn head(document: &Node) -> Span {
    Span {
        start: document.span.start,
        end: document.span.start,
    }
}

impl<'n> Draft<'n> {
    fn new(entries: &'n [Entry], reader: &mut Reader<'_>) -> Self {
        let mut draft = Self::default();
        for entry in entries {
            if let Some(key) = Key::parse(&entry.key) {
                draft.entries[key as usize] = Some(entry);
            } else if !reader.is_full() {
                let meant = did_you_mean(&entry.key, Key::ALL.map(Key::as_str));
                let error = DefinitionError::UnknownKey {
                    key: entry.key.clone(),
                    meant,
                };
                reader.report(&error, entry.span);
            }
        }
        draft
    }

    /// The entries of a declaration; `parameters` is the key of its parameters.
    fn from_declaration(entries: &'n [Entry], parameters: Option<&str>) -> Self {
        let mut draft = Self::default();
        for entry in entries {
            let key = match entry.key.as_str() {
                "name" => Key::Name,
                "title" => Key::Title,
                "description" => Key::Description,
                key if Some(key) == parameters => Key::ParametersSchema,
                _ => continue,
            };
            draft.entries[key as usize] = Some(entry);
        }
        draft
    }

    const fn get(&self, key: Key) -> Option<&'n Entry> {
        self.entries[key as usize]
    }

    fn required(&self, key: Key, end: Span, reader: &mut Reader<'_>) -> Option<&'n Entry> {
        if self.get(key).is_none() {
            reader.report(&DefinitionError::Missing(key.as_str()), end);
        }
        self.get(key)
    }
}
