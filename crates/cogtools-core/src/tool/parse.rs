//! The second step: from a document to a tool.

use std::sync::Arc;

use super::error::{ToolError, ToolFault};
use super::examples;
use super::reader::Reader;
use super::{Fields, Key, Tool};
use crate::implementation::Implementation;
use crate::suggest::did_you_mean;
use crate::text::{Span, Text};
use crate::yaml::{self, Entry, Node};
use crate::{Code, Fault, Name};

#[derive(Default)]
struct Draft<'n> {
    entries: [Option<&'n Entry>; Key::ALL.len()],
}

pub(super) fn tool(text: Text) -> Result<Tool, ToolError> {
    let mut document = yaml::parse(&text)
        .map_err(|error| ToolError::Syntax(Box::new(error.fault(Code::InvalidTool, &text))))?;
    let mut reader = Reader::new(&text);
    let fields = fields(&document, &mut reader);
    let mut faults = reader.finish();
    match fields {
        Some(fields) if faults.is_empty() => {
            let mut tool = Tool {
                fields,
                text,
                provenance: Arc::default(),
            };
            let faults = examples::check_schema(&tool, &document);
            tool.fields.examples = document.take_items(Key::Examples.as_str());
            if faults.is_empty() {
                Ok(tool)
            } else {
                Err(ToolError::Invalid(faults))
            }
        }
        _ => {
            faults
                .sort_by_key(|fault| fault.place.as_ref().map(|place| (place.line, place.column)));
            Err(ToolError::Invalid(Fault::first_of(faults)))
        }
    }
}

/// Reads every key, so that all that is wrong is found at once.
fn fields(document: &Node, reader: &mut Reader<'_>) -> Option<Fields> {
    let Some(entries) = document.entries() else {
        reader.refuse(&ToolFault::NotAMap(document.kind()), document.span);
        return None;
    };
    let draft = Draft::new(entries, reader);
    let end = Span {
        start: document.span.start,
        end: document.span.start,
    };
    if let Some(entry) = draft.get(Key::Schema) {
        reader.schema_urn(entry);
    }
    let name = draft.needed(Key::Name, end, reader);
    let name = name.and_then(|entry| reader.name(entry));
    let title = draft
        .get(Key::Title)
        .and_then(|entry| reader.words(Key::Title, entry));
    let description = draft.needed(Key::Description, end, reader);
    let description = description.and_then(|entry| reader.words(Key::Description, entry));
    let schema = reader.parameters(draft.get(Key::Parameters), draft.get(Key::ParametersSchema));
    if let Some(entry) = draft.get(Key::Examples) {
        reader.examples(entry);
    }
    let implementation = draft.needed(Key::Implementation, end, reader);
    let implementation = implementation.and_then(|entry| Implementation::read(entry, reader));
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
    Some(Fields {
        name: name?,
        title,
        description: description?,
        schema: schema?,
        examples: Vec::new(),
        implementation: implementation?,
        output: output.unwrap_or_default(),
        annotations: annotations.unwrap_or_default(),
        capabilities: capabilities.unwrap_or_default(),
        env: env.unwrap_or_default(),
        timeout: timeout.unwrap_or(Tool::TIMEOUT),
    })
}

pub(super) fn wrong_stem(name: &Name, stem: &str, text: &Text) -> ToolError {
    let fault = ToolFault::Stem {
        name: name.to_string(),
        stem: stem.to_owned(),
    };
    let document = yaml::parse(text).ok();
    let span = document
        .as_ref()
        .and_then(|document| document.get("name"))
        .map(|name| name.span);
    ToolError::Invalid(vec![
        fault.at(span.unwrap_or(Span { start: 0, end: 0 }), text),
    ])
}

impl<'n> Draft<'n> {
    fn new(entries: &'n [Entry], reader: &mut Reader<'_>) -> Self {
        let mut draft = Self::default();
        for entry in entries {
            if let Some(key) = Key::parse(&entry.key) {
                draft.entries[key as usize] = Some(entry);
            } else if !reader.is_full() {
                let meant = did_you_mean(&entry.key, Key::ALL.map(Key::as_str));
                let fault = ToolFault::UnknownKey {
                    key: entry.key.clone(),
                    meant,
                };
                reader.refuse(&fault, entry.span);
            }
        }
        draft
    }

    const fn get(&self, key: Key) -> Option<&'n Entry> {
        self.entries[key as usize]
    }

    fn needed(&self, key: Key, end: Span, reader: &mut Reader<'_>) -> Option<&'n Entry> {
        if self.get(key).is_none() {
            reader.refuse(&ToolFault::Missing(key.as_str()), end);
        }
        self.get(key)
    }
}
