//! The values of a tool file's keys, each with its own rules.

use std::time::Duration;

use super::error::{self, DefinitionError};
use super::{Annotations, Key, Locator, Tool, capability};
use crate::sandbox::{Sandbox, SandboxError};
use crate::schema::{Schema, SchemaError};
use crate::suggest::did_you_mean;
use crate::text::{Span, Text};
use crate::yaml::{Data, Entry, Node};
use crate::{Actual, Diagnostic, Expected, Location, Name};

/// Reads the values of a tool file or a declaration, and collects the diagnostics.
pub(super) struct Reader<'t> {
    locator: Locator<'t>,
    diagnostics: Vec<Diagnostic>,
    /// The names of the parameters, once they are known.
    parameters: Vec<String>,
}

impl<'t> Reader<'t> {
    /// A reader of the document that `locator` belongs to.
    pub(super) const fn new(locator: Locator<'t>) -> Self {
        Self {
            locator,
            diagnostics: Vec::new(),
            parameters: Vec::new(),
        }
    }

    /// Keeps the names of the parameters in `schema`.
    pub(super) fn set_parameters(&mut self, schema: &Schema) {
        let names = schema.names().unwrap_or_default();
        self.parameters = names.into_iter().map(str::to_owned).collect();
    }

    /// The names of the parameters.
    pub(super) fn parameter_names(&self) -> &[String] {
        &self.parameters
    }

    /// The collected diagnostics.
    pub(super) fn finish(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// Whether there are more diagnostics than are ever shown.
    pub(super) const fn is_full(&self) -> bool {
        self.diagnostics.len() > Diagnostic::MAX_SHOWN
    }

    pub(super) fn report(&mut self, error: &DefinitionError, span: Span) {
        if !self.is_full() {
            self.diagnostics
                .push(self.locator.locate(error.diagnostic(), span));
        }
    }

    /// Reports an error that is in a part of a value.
    pub(super) fn report_at(&mut self, error: &DefinitionError, location: Location) {
        if !self.is_full() {
            self.diagnostics.push(error.diagnostic().at(location));
        }
    }

    /// Reports a key that is none of `known`.
    pub(super) fn report_unknown_key(&mut self, entry: &Entry, known: &[&'static str]) {
        let error = DefinitionError::UnknownKey {
            key: entry.key.clone(),
            meant: did_you_mean(&entry.key, known.iter().copied()),
        };
        self.report(&error, entry.span);
    }

    pub(super) fn report_kind(&mut self, key: &str, expected: Expected, node: &Node) {
        let actual = match &node.data {
            Data::List(items) if items.is_empty() => Actual::Other("an empty list"),
            _ => Actual::of(node),
        };
        self.report(
            &DefinitionError::Kind {
                key: key.to_owned(),
                expected,
                actual,
            },
            node.span,
        );
    }

    /// The text of the file.
    pub(super) const fn text(&self) -> &'t Text {
        self.locator.text()
    }

    /// Adds the errors of a schema.
    pub(super) fn report_schema(&mut self, errors: &[SchemaError]) {
        let diagnostics = error::schema_diagnostics(errors, &self.locator);
        self.diagnostics.extend(diagnostics);
    }

    pub(super) fn name(&mut self, entry: &Entry) -> Option<Name> {
        let node = &entry.value;
        let Some(text) = node.text() else {
            self.report_kind("name", Expected::String, node);
            return None;
        };
        match Name::new(text) {
            Ok(name) => Some(name),
            Err(error) => {
                self.report(&DefinitionError::Name(text.to_owned(), error), node.span);
                None
            }
        }
    }

    pub(super) fn schema_urn(&mut self, entry: &Entry) {
        match entry.value.text() {
            Some(Tool::SCHEMA) => {}
            Some(other) => {
                self.report(&DefinitionError::Schema(other.to_owned()), entry.value.span);
            }
            None => self.report_kind("$schema", Expected::String, &entry.value),
        }
    }

    /// A string that is not blank.
    pub(super) fn non_empty_text(&mut self, key: Key, entry: &Entry) -> Option<String> {
        match entry.value.text() {
            Some(text) if !text.trim().is_empty() => Some(text.to_owned()),
            Some(_) => {
                self.report(&DefinitionError::Empty(key.as_str()), entry.span);
                None
            }
            None if matches!(entry.value.data, Data::Null) => {
                self.report(&DefinitionError::Empty(key.as_str()), entry.span);
                None
            }
            None => {
                self.report_kind(key.as_str(), Expected::String, &entry.value);
                None
            }
        }
    }

    pub(super) fn parameters(
        &mut self,
        sugar: Option<&Entry>,
        verbatim: Option<&Entry>,
    ) -> Option<Schema> {
        let schema = match (sugar, verbatim) {
            (None, None) => return Some(Schema::empty()),
            (Some(_), Some(second)) => {
                self.report(&DefinitionError::TwoSchemas, second.span);
                return None;
            }
            (Some(entry), None) => Schema::expand(&entry.value),
            (None, Some(entry)) => Schema::verbatim(&entry.value),
        };
        schema.map_err(|errors| self.report_schema(&errors)).ok()
    }

    pub(super) fn annotations(&mut self, entry: &Entry) -> Annotations {
        let mut annotations = Annotations::default();
        let Some(entries) = entry.value.entries() else {
            self.report_kind("annotations", Expected::Annotations, &entry.value);
            return annotations;
        };
        for entry in entries {
            match (annotations.slot(&entry.key), &entry.value.data) {
                (Some(hint), Data::Bool(value)) => *hint = Some(*value),
                (Some(_), _) => self.report_kind(&entry.key, Expected::Bool, &entry.value),
                (None, _) => self.report_unknown_key(entry, &Annotations::NAMES),
            }
        }
        annotations
    }

    pub(super) fn capabilities(&mut self, entry: &Entry) -> Vec<String> {
        self.strings("capabilities", entry, capability::is_valid, |name| {
            DefinitionError::Capability(name.to_owned())
        })
    }

    pub(super) fn env(&mut self, entry: &Entry) -> Vec<String> {
        let variable = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        self.strings("env", entry, variable, |name| {
            DefinitionError::Variable(name.to_owned())
        })
    }

    fn strings(
        &mut self,
        key: &'static str,
        entry: &Entry,
        is_valid: impl Fn(&str) -> bool,
        invalid: impl Fn(&str) -> DefinitionError,
    ) -> Vec<String> {
        let Some(items) = entry.value.items() else {
            self.report_kind(key, Expected::Names, &entry.value);
            return Vec::new();
        };
        let mut names = Vec::new();
        for item in items {
            match item.text() {
                Some(name) if is_valid(name) => names.push(name.to_owned()),
                Some(name) => self.report(&invalid(name), item.span),
                None => self.report_kind(key, Expected::Names, item),
            }
        }
        names
    }

    pub(super) fn sandbox(&mut self, entry: &Entry) -> Sandbox {
        Sandbox::read(&entry.value, |error, span| self.report_sandbox(error, span))
    }

    pub(super) fn report_sandbox(&mut self, error: &SandboxError, span: Span) {
        let error = DefinitionError::Sandbox(error.to_string(), error.hint());
        self.report(&error, span);
    }

    pub(super) fn timeout(&mut self, entry: &Entry) -> Option<Duration> {
        let seconds = match &entry.value.data {
            Data::Number(number) => number.as_f64(),
            _ => None,
        };
        let duration = seconds
            .filter(|seconds| *seconds > 0.0)
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        if duration.is_none() {
            self.report_kind("timeout", Expected::Seconds, &entry.value);
        }
        duration
    }
}
