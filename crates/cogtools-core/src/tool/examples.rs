//! Values inside of a tool file, held against its own schema.

use serde_json::Value;

use super::{Definition, Locator, Tool};
use crate::arguments::Arguments;
use crate::pointer::segments;
use crate::schema::{InvalidSchema, Validator};
use crate::text::Span;
use crate::yaml::Node;
use crate::{Code, Diagnostic, Hint};

/// Examples that are not valid arguments.
pub(super) fn check(tool: &Tool) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let Ok(validator) = tool.definition.schema.validator() else {
        return diagnostics;
    };
    for example in &tool.definition.examples {
        if diagnostics.len() > Diagnostic::MAX_SHOWN {
            break;
        }
        diagnostics.extend(misfits(tool, &validator, example));
    }
    diagnostics
}

/// What is wrong with one example, also when it is the schema itself.
pub(super) fn check_one(tool: &Tool, index: usize) -> Vec<Diagnostic> {
    let Some(example) = tool.definition.examples.get(index) else {
        return Vec::new();
    };
    match tool.definition.schema.validator() {
        Ok(validator) => Diagnostic::truncate(misfits(tool, &validator, example)),
        Err(unusable) => {
            let diagnostic = Diagnostic::new(Code::InvalidTool, unusable.message);
            vec![diagnostic.with_pointer(unusable.pointer)]
        }
    }
}

fn misfits(tool: &Tool, validator: &Validator, example: &Node) -> Vec<Diagnostic> {
    let Value::Object(arguments) = example.to_json() else {
        return Vec::new();
    };
    let accepted = tool.validate(validator, Arguments::from(arguments));
    let violations = accepted.err().unwrap_or_default().into_iter();
    violations
        .map(|violation| {
            let segments = segments(&violation.pointer);
            let (_, span) = example.walk(segments.iter().map(String::as_str));
            let message = format!("this example does not fit: {}", violation.kind);
            let mut diagnostic = Diagnostic::new(Code::InvalidTool, message)
                .with_pointer(violation.pointer)
                .at(tool.text.location(span));
            diagnostic.hints = violation.hints.into_iter().map(Hint::from).collect();
            diagnostic
        })
        .collect()
}

/// Patterns that are no regular expressions and defaults that do not fit; only
/// schemas that have any pay for a validator here.
pub(super) fn check_parameters(
    definition: &Definition,
    document: &Node,
    locator: &Locator<'_>,
) -> Vec<Diagnostic> {
    if let Some(unusable) = unusable_parameters(definition) {
        let span = find(document, &unusable.pointer);
        return vec![locator.unusable(span, &unusable)];
    }
    // A Schema Object taken word for word may say what it likes: there a default
    // is an annotation, and `check_defaults` is for whoever asks.
    if document.get("parameters_schema").is_some() || !definition.schema.has_default() {
        return Vec::new();
    }
    check_defaults(definition, document, locator)
}

/// What cannot be used of parameters that may have a part of that kind.
pub(super) fn unusable_parameters(definition: &Definition) -> Option<InvalidSchema> {
    let schema = &definition.schema;
    let doubtful = schema.has_default() || schema.has_pattern();
    doubtful.then(|| schema.validator().err()).flatten()
}

/// Defaults that a caller could not send.
pub(super) fn check_defaults(
    definition: &Definition,
    document: &Node,
    locator: &Locator<'_>,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for (pointer, message) in definition.schema.invalid_defaults() {
        let span = find(document, &format!("{pointer}/default"));
        let message = format!("the default does not fit its own schema: {message}");
        let diagnostic = Diagnostic::new(Code::InvalidTool, message);
        let diagnostic = diagnostic.hint("a default is a value that a caller could send");
        diagnostics.push(locator.locate(diagnostic, span));
    }
    diagnostics
}

/// The span of what a pointer into the schema speaks of, in the file's own form.
fn find(document: &Node, pointer: &str) -> Span {
    let segments = segments(pointer);
    let path = segments.iter().map(String::as_str);
    if let Some(schema) = document.get("parameters_schema") {
        return schema.walk(path).0.span;
    }
    let parameters = document.get("parameters").unwrap_or(document);
    parameters.walk(path.skip(1)).0.span
}
