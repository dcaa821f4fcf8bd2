//! The command line of a package's tool: what its author wrote must name files of the
//! package, and what the arguments of a call contribute is the user's.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::command::CommandCall;
use crate::containment::{Boundary, Escape, loads_modules as is_module_loader, searched_program};
use crate::tool::{RunError, Tool};

/// The texts that the arguments of a call contribute to its command line.
pub(super) struct UserText(Vec<String>);

impl UserText {
    /// The texts in `arguments` of a call of `tool`. What the tool's own schema names,
    /// such as a default or a choice, is its author's.
    pub(super) fn of(tool: &Tool, arguments: &Map<String, Value>) -> Self {
        let mut authored = Vec::new();
        collect(&tool.schema().to_json_schema(), &mut authored);
        let authored: HashSet<String> = authored.into_iter().collect();
        let mut texts = Vec::new();
        arguments
            .values()
            .for_each(|value| collect(value, &mut texts));
        texts.retain(|text| !text.is_empty() && !authored.contains(text));
        Self(texts)
    }

    /// Whether `text` contains some of it.
    fn is_in(&self, text: &str) -> bool {
        self.0.iter().any(|user| text.contains(user.as_str()))
    }
}

/// The strings and numbers in `value`.
fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Number(number) => texts.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(entries) => entries.values().for_each(|item| collect(item, texts)),
        Value::Null | Value::Bool(_) => {}
    }
}

impl CommandCall<'_> {
    /// Checks the elements of `command` that are literal or without text of the user,
    /// and names files of the package by their path in its private copy.
    pub(super) fn contain(
        &self,
        command: Vec<String>,
        user: &UserText,
        is_literal: impl Fn(usize) -> bool,
    ) -> Result<Vec<String>, RunError> {
        let Some(boundary) = self.boundary() else {
            return Ok(command);
        };
        let loads_modules = command.iter().any(|word| is_module_loader(word));
        let program = searched_program(&command);
        let elements = command.into_iter().enumerate();
        let contained = elements.map(|(index, element)| {
            if Some(index) == program || !is_literal(index) && user.is_in(&element) {
                return Ok(element);
            }
            boundary.check_argument(&element, &self.folder(), loads_modules)?;
            Ok(boundary.relocate(element))
        });
        let contained: Result<Vec<String>, Escape> = contained.collect();
        contained.map_err(|escape| self.escape(&escape))
    }

    /// Checks the words of the first line of a script.
    pub(super) fn check_words(&self, words: &[String]) -> Result<(), RunError> {
        let checked = self.boundary().map_or(Ok(()), |boundary| {
            boundary.check_arguments(words, &self.folder())
        });
        checked.map_err(|escape| self.escape(&escape))
    }

    /// The diagnostic for a program or a file that the package may not run.
    pub(super) fn escape(&self, escape: &Escape) -> RunError {
        Box::new(escape.diagnostic().with_subject(self.name()))
    }

    fn boundary(&self) -> Option<&Boundary> {
        self.tool().boundary()
    }
}
