//! Examples and defaults in a tool file, checked against its own schema.

use serde_json::{Map, Value};

use super::{Definition, Example, Locator, Tool};
use crate::arguments::Arguments;
use crate::pointer::segments;
use crate::schema::{InvalidSchema, Validator};
use crate::text::Span;
use crate::yaml::Node;
use crate::{Code, Diagnostic, Hint, Location};

impl Tool {
    /// Whether it has any examples.
    pub const fn has_examples(&self) -> bool {
        !self.definition.examples.is_empty()
    }

    /// Its examples, as tests.
    pub fn tests(&self) -> &[Example] {
        &self.definition.examples
    }

    /// The arguments of the examples of good calls, as they are in the file.
    pub(crate) fn example_nodes(&self) -> impl Iterator<Item = &Node> {
        let examples = self.definition.examples.iter();
        examples
            .filter(|example| example.fails().is_none())
            .map(|example| &example.arguments)
    }

    /// The argument maps of its examples of good calls.
    pub fn examples(&self) -> impl Iterator<Item = Map<String, Value>> {
        let examples = self.definition.examples.iter();
        examples
            .filter(|example| example.fails().is_none())
            .map(Example::arguments)
    }

    /// Diagnostics for the examples that are not valid arguments, one per violation.
    pub fn check_examples(&self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let Ok(validator) = self.definition.schema.validator() else {
            return diagnostics;
        };
        for example in &self.definition.examples {
            if diagnostics.len() > Diagnostic::MAX_SHOWN {
                break;
            }
            diagnostics.extend(validate(self, &validator, example));
        }
        diagnostics
    }

    /// Why the example at `index`, from 0, is not valid; an invalid schema is reported, too.
    /// Empty when it is valid or does not exist.
    pub fn check_example(&self, index: usize) -> Vec<Diagnostic> {
        let Some(example) = self.definition.examples.get(index) else {
            return Vec::new();
        };
        match self.definition.schema.validator() {
            Ok(validator) => Diagnostic::truncate(validate(self, &validator, example)),
            Err(invalid) => {
                let diagnostic = Diagnostic::new(Code::InvalidTool, invalid.message);
                vec![diagnostic.with_pointer(invalid.pointer)]
            }
        }
    }

    /// Where the example at `index`, from 0, begins.
    pub fn example_location(&self, index: usize) -> Option<Location> {
        let example = self.definition.examples.get(index)?;
        Some(self.text.location(example.span))
    }
}

fn validate(tool: &Tool, validator: &Validator, example: &Example) -> Vec<Diagnostic> {
    if !example.is_valid_call() {
        return Vec::new();
    }
    let accepted = tool.validate(validator, Arguments::from(example.arguments()));
    let violations = accepted.err().unwrap_or_default().into_iter();
    violations
        .map(|violation| {
            let segments = segments(&violation.pointer);
            let (_, span) = example.arguments.walk(segments.iter().map(String::as_str));
            let message = format!("invalid example: {}", violation.kind);
            let mut diagnostic = Diagnostic::new(Code::InvalidTool, message)
                .with_pointer(violation.pointer)
                .at(tool.text.location(span));
            diagnostic.hints = violation.hints.into_iter().map(Hint::from).collect();
            diagnostic
        })
        .collect()
}

/// Checks that patterns are regular expressions and that defaults are valid. Only
/// schemas with patterns or defaults need a validator here.
pub(super) fn check_parameters(
    definition: &Definition,
    document: &Node,
    locator: &Locator<'_>,
) -> Vec<Diagnostic> {
    if let Some(invalid) = invalid_parameters(definition) {
        let span = find(document, &invalid.pointer);
        return vec![locator.locate_schema(span, &invalid)];
    }
    // In a plain Schema Object a default is only an annotation; `Tool::check` calls
    // `check_defaults` for it.
    if document.get("parameters_schema").is_some() || !definition.schema.has_default() {
        return Vec::new();
    }
    check_defaults(definition, document, locator)
}

/// The error in the parameters' schema, if it has parts that can be invalid.
pub(super) fn invalid_parameters(definition: &Definition) -> Option<InvalidSchema> {
    let schema = &definition.schema;
    let fallible = schema.has_default() || schema.has_pattern();
    fallible.then(|| schema.validator().err()).flatten()
}

/// Reports the defaults that a caller could not send.
pub(super) fn check_defaults(
    definition: &Definition,
    document: &Node,
    locator: &Locator<'_>,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for (pointer, message) in definition.schema.invalid_defaults() {
        let span = find(document, &format!("{pointer}/default"));
        let message = format!("the default does not match its own schema: {message}");
        let diagnostic = Diagnostic::new(Code::InvalidTool, message)
            .hint("a default must be a value that a caller could send");
        diagnostics.push(locator.locate(diagnostic, span));
    }
    diagnostics
}

/// The span in the file of the value at `pointer` in the expanded schema.
fn find(document: &Node, pointer: &str) -> Span {
    let segments = segments(pointer);
    let path = segments.iter().map(String::as_str);
    if let Some(schema) = document.get("parameters_schema") {
        return schema.walk(path).0.span;
    }
    let parameters = document.get("parameters").unwrap_or(document);
    parameters.walk(path.skip(1)).0.span
}
