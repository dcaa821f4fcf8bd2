//! The values of a tool file's keys, each with its own rules.

use std::time::Duration;

use crate::Hint;
use crate::environment::is_variable;
use crate::sandbox::{Sandbox, SandboxError};
use crate::schema::{Schema, SchemaError};
use crate::suggest::Suggestion;
use crate::text::{Span, Text};
use crate::tool::Annotations;
use crate::tool::capability::is_capability;
use crate::tool::error::DefinitionError;
use crate::tool::key::{Key, SCHEMA};
use crate::tool::locator::Locator;
use crate::tool::template::Template;
use crate::yaml::{Data, Entry, Node};
use crate::{Actual, Diagnostic, Expected, Location, Name, NameError};

/// The key of a condition.
const WHEN: &str = "when";

/// The hint for text that ended at a comma: its rest was read as a key.
pub(super) const BARE_KEY: &str = "put text that contains a comma in quotes";

/// Returns the hint for a key that other formats have, where a map has the keys `known`.
fn foreign_key(key: &str, known: &[&str]) -> Option<&'static str> {
    let (is_tool, is_implementation) = (known.contains(&"implementation"), known.contains(&"exec"));
    Some(match key {
        "inputSchema" | "input_schema" | "parametersSchema" | "parametersJsonSchema" | "schema"
            if is_tool =>
        {
            "write `parameters_schema` for a whole schema, or `parameters` for a map from names"
        }
        "args" | "arguments" | "params" | "inputs" | "input" if is_tool => "write `parameters`",
        "shell" | "bash" | "sh" if is_tool => {
            "write `implementation: {exec: [sh, -c, \"…\"]}`, or `script` for several lines"
        }
        "shell" | "bash" | "sh" if is_implementation => {
            "write `exec: [sh, -c, \"…\"]`, or `script` for several lines"
        }
        "command" | "cmd" | "run" if is_tool => {
            "write `implementation: {exec: [program, \"{{ argument }}\"]}`"
        }
        "command" | "cmd" | "run" if is_implementation => {
            "write `exec: [program, \"{{ argument }}\"]`"
        }
        "python" | "node" | "perl" | "ruby" if is_implementation => {
            "write the code under `script: |`, below a line such as `#!/usr/bin/env python3`"
        }
        "javascript" | "code" if is_implementation => "write the code under `js: |`",
        "template" | "njk" | "text" | "prompt" if is_tool || is_implementation => {
            "write the template under `implementation: | # njk`"
        }
        "exec" | "script" | "js" | "njk_file" | "agent" | "flow" if is_tool => {
            "move it below `implementation:`"
        }
        "required" if is_tool => {
            "remove it: a parameter is required unless it has `optional: true` or a `default`"
        }
        "id" if is_tool => "write `name`",
        "readOnlyHint" => "write `read_only`",
        "destructiveHint" => "write `destructive`",
        "idempotentHint" => "write `idempotent`",
        "openWorldHint" => "write `open_world`",
        _ => return None,
    })
}

/// Reads the values of a tool file or a declaration, and collects the diagnostics.
pub(super) struct Reader<'t> {
    locator: Locator<'t>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The names of the parameters, once they are known.
    pub(super) parameters: Vec<String>,
    /// True if the file says that a repeated call does no harm.
    pub(super) is_idempotent: bool,
}

impl<'t> Reader<'t> {
    /// A reader of the document that `locator` belongs to.
    pub(super) const fn new(locator: Locator<'t>) -> Self {
        Self {
            locator,
            diagnostics: Vec::new(),
            parameters: Vec::new(),
            is_idempotent: false,
        }
    }

    /// Returns true if there are more diagnostics than are ever shown.
    pub(super) const fn is_full(&self) -> bool {
        self.diagnostics.len() > Diagnostic::MAX_SHOWN
    }

    pub(super) fn report(&mut self, error: impl Into<DefinitionError>, span: Span) {
        if !self.is_full() {
            let diagnostic = error.into().diagnostic();
            self.diagnostics.push(self.locator.locate(diagnostic, span));
        }
    }

    /// Reports an error that is in a part of a value.
    pub(super) fn report_at(&mut self, error: impl Into<DefinitionError>, location: Location) {
        if !self.is_full() {
            let diagnostic = error.into().diagnostic();
            self.diagnostics.push(diagnostic.at(location));
        }
    }

    /// Reports a key that is none of `known`.
    pub(super) fn report_unknown_key(&mut self, entry: &Entry, known: &[&'static str]) {
        let meant = if entry.is_bare() {
            Some(BARE_KEY)
        } else {
            foreign_key(&entry.key, known)
        };
        let similar = || Suggestion::of(&entry.key, known.iter().copied());
        let meant = meant.map(Hint::from).or_else(|| similar().map(Hint::from));
        let error = DefinitionError::UnknownKey(entry.key.clone(), meant);
        self.report(error, entry.span);
    }

    pub(super) fn report_kind(&mut self, key: &str, expected: Expected, node: &Node) {
        let actual = match &node.data {
            Data::List(items) if items.is_empty() => Actual::Other("an empty list"),
            _ => Actual::of(node),
        };
        self.report_actual(key, expected, actual, node.span);
    }

    /// Reports that the value of `key` is `actual`, not what is `expected`.
    pub(super) fn report_actual(
        &mut self,
        key: &str,
        expected: Expected,
        actual: Actual,
        span: Span,
    ) {
        let error = DefinitionError::Kind(key.to_owned(), expected, actual);
        self.report(error, span);
    }

    /// Returns `found`, or reports that the value of `entry` is not what is `expected`.
    pub(super) fn expect<T>(
        &mut self,
        entry: &Entry,
        expected: Expected,
        found: Option<T>,
    ) -> Option<T> {
        if found.is_none() {
            self.report_kind(&entry.key, expected, &entry.value);
        }
        found
    }

    /// Returns the entries of a map.
    pub(super) fn entries<'n>(
        &mut self,
        entry: &'n Entry,
        expected: Expected,
    ) -> Option<&'n [Entry]> {
        self.expect(entry, expected, entry.value.entries())
    }

    /// Returns the entries of a map by `keys`, and reports others.
    pub(super) fn fields<'n, const N: usize>(
        &mut self,
        entry: &'n Entry,
        keys: [&'static str; N],
    ) -> Option<[Option<&'n Entry>; N]> {
        let mut found = [None; N];
        for entry in self.entries(entry, Expected::Map)? {
            match keys.iter().position(|key| *key == entry.key) {
                Some(index) => found[index] = Some(entry),
                None => self.report_unknown_key(entry, &keys),
            }
        }
        Some(found)
    }

    pub(super) fn string(&mut self, entry: &Entry) -> Option<String> {
        let text = self.expect(entry, Expected::String, entry.value.text());
        text.map(str::to_owned)
    }

    /// Returns `found`, or reports that the map at `span` has no `key`.
    pub(super) fn required<T>(
        &mut self,
        found: Option<T>,
        key: &'static str,
        span: Span,
    ) -> Option<T> {
        if found.is_none() {
            self.report(DefinitionError::Missing(key), span);
        }
        found
    }

    pub(super) fn count(&mut self, entry: &Entry) -> Option<u32> {
        let count = entry.value.to_json().as_u64();
        let count = count.and_then(|count| u32::try_from(count).ok());
        self.expect(entry, Expected::Count, count)
    }

    pub(super) fn positive<N: TryFrom<u64>>(&mut self, entry: &Entry) -> Option<N> {
        let number = entry.value.to_json().as_u64().filter(|number| *number > 0);
        let number = number.and_then(|number| N::try_from(number).ok());
        self.expect(entry, Expected::Positive, number)
    }

    /// The text of the file.
    pub(super) const fn text(&self) -> &'t Text {
        self.locator.text
    }

    /// Returns the schema, or reports its errors.
    pub(super) fn schema(&mut self, read: Result<Schema, Vec<SchemaError>>) -> Option<Schema> {
        read.map_err(|errors| {
            for error in errors.iter().take(Diagnostic::MAX_SHOWN + 1) {
                let diagnostic = self.locator.locate(error.kind.diagnostic(), error.span);
                self.diagnostics.push(diagnostic);
            }
        })
        .ok()
    }

    /// Reads the template in a string.
    pub(super) fn template(
        &mut self,
        key: &str,
        node: &Node,
        expected: Expected,
    ) -> Option<Template> {
        let template = Template::read(node, self.text());
        if template.is_none() {
            self.report_kind(key, expected, node);
        }
        template
    }

    /// Reads the expression under `when`.
    pub(super) fn when(&mut self, entry: &Entry) -> Option<Template> {
        self.condition(WHEN, &entry.value)
    }

    /// Reads the expression in `node`, which is under `key`, as a template that renders to text
    /// if it holds.
    pub(super) fn condition(&mut self, key: &'static str, node: &Node) -> Option<Template> {
        let error = match node.text().map(str::trim) {
            None => {
                self.report_kind(key, Expected::Condition, node);
                return None;
            }
            Some("") => DefinitionError::Empty(key),
            Some(text) if text.starts_with("{{") || text.starts_with("{%") => {
                DefinitionError::Condition(key, text.to_owned())
            }
            Some(_) => return Template::read_condition(node, self.text()),
        };
        self.report(error, node.span);
        None
    }

    pub(super) fn name(
        &mut self,
        entry: &Entry,
        error: fn(String, NameError) -> DefinitionError,
    ) -> Option<Name> {
        let text = self.expect(entry, Expected::String, entry.value.text())?;
        let invalid = |reason| self.report(error(text.to_owned(), reason), entry.value.span);
        Name::new(text).map_err(invalid).ok()
    }

    pub(super) fn schema_urn(&mut self, entry: &Entry) {
        match entry.value.text() {
            Some(SCHEMA) => {}
            Some(other) => {
                self.report(DefinitionError::Schema(other.to_owned()), entry.value.span);
            }
            None => self.report_kind("$schema", Expected::String, &entry.value),
        }
    }

    /// A string that is not blank.
    pub(super) fn non_empty_text(&mut self, key: Key, entry: &Entry) -> Option<String> {
        let is_null = matches!(entry.value.data, Data::Null);
        match entry.value.text() {
            Some(text) if !text.trim().is_empty() => return Some(text.to_owned()),
            None if !is_null => self.report_kind(key.as_str(), Expected::String, &entry.value),
            _ => self.report(DefinitionError::Empty(key.as_str()), entry.span),
        }
        None
    }

    pub(super) fn parameters(
        &mut self,
        sugar: Option<&Entry>,
        verbatim: Option<&Entry>,
    ) -> Option<Schema> {
        let schema = match (sugar, verbatim) {
            (None, None) => return Some(Schema::empty()),
            (Some(_), Some(second)) => {
                self.report(DefinitionError::TwoSchemas, second.span);
                return None;
            }
            (Some(entry), None) => Schema::expand(&entry.value),
            (None, Some(entry)) => Schema::verbatim(&entry.value),
        };
        self.schema(schema)
    }

    pub(super) fn annotations(&mut self, entry: &Entry) -> Annotations {
        let mut annotations = Annotations::default();
        let entries = self.entries(entry, Expected::Annotations);
        for entry in entries.unwrap_or_default() {
            match (annotations.slot(&entry.key), &entry.value.data) {
                (Some(hint), Data::Bool(value)) => *hint = Some(*value),
                (Some(_), _) => self.report_kind(&entry.key, Expected::Bool, &entry.value),
                (None, _) => self.report_unknown_key(entry, &Annotations::NAMES),
            }
        }
        annotations
    }

    pub(super) fn capabilities(&mut self, entry: &Entry) -> Vec<String> {
        self.strings(entry, is_capability, DefinitionError::Capability)
    }

    pub(super) fn env(&mut self, entry: &Entry) -> Vec<String> {
        self.strings(entry, is_variable, DefinitionError::Variable)
    }

    fn strings(
        &mut self,
        entry: &Entry,
        is_valid: fn(&str) -> bool,
        invalid: fn(String) -> DefinitionError,
    ) -> Vec<String> {
        let mut names = Vec::new();
        for (name, span) in self.texts(entry) {
            if is_valid(&name) {
                names.push(name);
            } else {
                self.report(invalid(name), span);
            }
        }
        names
    }

    /// Reads a list of strings without their places.
    pub(super) fn names(&mut self, entry: &Entry) -> Vec<String> {
        let texts = self.texts(entry).into_iter();
        texts.map(|(name, _)| name).collect()
    }

    /// Reads a list of strings.
    pub(super) fn texts(&mut self, entry: &Entry) -> Vec<(String, Span)> {
        let items = self.expect(entry, Expected::Names, entry.value.items());
        let mut texts = Vec::new();
        for item in items.unwrap_or_default() {
            match item.text() {
                Some(text) => texts.push((text.to_owned(), item.span)),
                None => self.report_kind(&entry.key, Expected::Names, item),
            }
        }
        texts
    }

    pub(super) fn sandbox(&mut self, entry: &Entry) -> Sandbox {
        Sandbox::read(&entry.value, |error, span| self.report_sandbox(error, span))
    }

    pub(super) fn report_sandbox(&mut self, error: &SandboxError, span: Span) {
        self.report(
            DefinitionError::Sandbox(error.to_string(), error.hint()),
            span,
        );
    }

    pub(super) fn timeout(&mut self, entry: &Entry) -> Option<Duration> {
        let seconds = entry.value.number().filter(|seconds| *seconds > 0.0);
        let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        self.expect(entry, Expected::Seconds, duration)
    }
}
