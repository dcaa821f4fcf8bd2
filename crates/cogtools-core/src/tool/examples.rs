//! Values inside of a tool file, held against its own schema.

use serde_json::Value;

use super::{Tool, output};
use crate::arguments::Arguments;
use crate::schema::{Unusable, Validator};
use crate::text::Span;
use crate::violation::segments;
use crate::yaml::Node;
use crate::{Code, Fault, Hint};

/// Examples that are not valid arguments.
pub(super) fn check(tool: &Tool) -> Vec<Fault> {
    let mut faults = Vec::new();
    let Ok(validator) = tool.fields.schema.validator() else {
        return faults;
    };
    for example in &tool.fields.examples {
        if faults.len() > Fault::MOST {
            break;
        }
        faults.extend(misfits(tool, &validator, example));
    }
    faults
}

/// What is wrong with one example, also when it is the schema itself.
pub(super) fn check_one(tool: &Tool, index: usize) -> Vec<Fault> {
    let Some(example) = tool.fields.examples.get(index) else {
        return Vec::new();
    };
    match tool.fields.schema.validator() {
        Ok(validator) => Fault::first_of(misfits(tool, &validator, example)),
        Err(unusable) => {
            let fault = Fault::new(Code::InvalidTool, unusable.message);
            vec![fault.pointing(unusable.pointer)]
        }
    }
}

fn misfits(tool: &Tool, validator: &Validator, example: &Node) -> Vec<Fault> {
    let Value::Object(arguments) = example.to_json() else {
        return Vec::new();
    };
    let held = tool.hold(validator, Arguments::from(arguments));
    let violations = held.err().unwrap_or_default().into_iter();
    violations
        .map(|violation| {
            let segments = segments(&violation.pointer);
            let (_, span) = example.walk(segments.iter().map(String::as_str));
            let message = format!("this example does not fit: {}", violation.kind);
            let mut fault = Fault::new(Code::InvalidTool, message)
                .pointing(violation.pointer)
                .at(tool.text.place(span));
            fault.hints = violation.hints.into_iter().map(Hint::from).collect();
            fault
        })
        .collect()
}

/// Patterns that are no regular expressions and defaults that do not fit; only
/// schemas that have any pay for a validator here.
pub(super) fn check_schema(tool: &Tool, document: &Node) -> Vec<Fault> {
    let mut faults = check_parameters(tool, document);
    faults.extend(output::check(tool, document));
    faults
}

fn check_parameters(tool: &Tool, document: &Node) -> Vec<Fault> {
    if !tool.fields.schema.has_default() && !tool.fields.schema.has_pattern() {
        return Vec::new();
    }
    if let Err(unusable) = tool.fields.schema.validator() {
        let span = find(document, &unusable.pointer);
        return vec![unusable_fault(tool, span, &unusable)];
    }
    // A Schema Object taken word for word may say what it likes: there a default
    // is an annotation, and `check_defaults` is for whoever asks.
    if document.get("parameters_schema").is_some() {
        return Vec::new();
    }
    check_defaults(tool, document)
}

/// Defaults that a caller could not send.
pub(super) fn check_defaults(tool: &Tool, document: &Node) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (pointer, message) in tool.fields.schema.misfit_defaults() {
        let span = find(document, &format!("{pointer}/default"));
        let message = format!("the default does not fit its own schema: {message}");
        faults.push(
            Fault::new(Code::InvalidTool, message)
                .at(tool.text.place(span))
                .hint("a default is a value that a caller could send"),
        );
    }
    faults
}

/// What cannot be used of the schema that stands in `schema`, word for word.
pub(super) fn unusable(tool: &Tool, schema: &Node, unusable: &Unusable) -> Fault {
    let segments = segments(&unusable.pointer);
    let path = segments.iter().map(String::as_str);
    unusable_fault(tool, schema.walk(path).0.span, unusable)
}

fn unusable_fault(tool: &Tool, span: Span, unusable: &Unusable) -> Fault {
    Fault::new(Code::InvalidTool, unusable.message.clone())
        .at(tool.text.place(span))
        .hint("put it in single quotes, so that YAML leaves the backslashes alone")
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
