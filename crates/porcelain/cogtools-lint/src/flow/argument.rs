//! The arguments of a call, compared with the parameters of the tool.

use cogtools_core::arguments::Arguments;
use cogtools_core::suggest::did_you_mean;
use cogtools_core::tool::{AcceptError, FlowArgument, FlowCallShape};
use cogtools_core::{Tool, ViolationKind};
use serde_json::{Map, Value};

/// A mistake in one argument of a call; without one, in all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgumentProblem {
    pub(crate) argument: Option<String>,
    pub(crate) message: String,
    pub(crate) fix: Option<String>,
}

/// Finds the mistakes in a call of `tool`.
pub(crate) fn problems(call: &FlowCallShape<'_>, tool: &Tool) -> Vec<ArgumentProblem> {
    let (Some(arguments), false) = (&call.arguments, tool.schema().is_recovered()) else {
        return Vec::new();
    };
    let schema = tool.schema().as_object();
    let properties = schema.get("properties").and_then(Value::as_object);
    let known: Vec<&str> = properties
        .into_iter()
        .flatten()
        .map(|it| it.0.as_str())
        .collect();
    let mut found = Vec::new();
    let is_composed = ["allOf", "anyOf", "oneOf", "$ref"]
        .iter()
        .any(|key| schema.contains_key(*key));
    for (name, argument) in arguments {
        let property = properties.and_then(|properties| properties.get(*name));
        match property {
            Some(property) => found.extend(kind_problem(name, *argument, property, tool)),
            None if is_composed || is_open(schema) => {}
            None => found.push(ArgumentProblem {
                argument: Some((*name).to_owned()),
                message: format!("`{}` has no parameter `{name}`", tool.name()),
                fix: did_you_mean(name, known.iter().copied()),
            }),
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        let has_default =
            properties.is_some_and(|it| it.get(name).is_some_and(|it| it.get("default").is_some()));
        if !has_default && !arguments.iter().any(|(other, _)| *other == name) {
            found.push(ArgumentProblem {
                argument: None,
                message: format!(
                    "`{}` needs `{name}`, which this call does not pass",
                    tool.name()
                ),
                fix: Some(format!("add `{name}` to `arguments`")),
            });
        }
    }
    found.extend(constant_problems(arguments, tool));
    found
}

/// Returns true if arguments are allowed that the schema does not name.
fn is_open(schema: &Map<String, Value>) -> bool {
    let additional = schema.get("additionalProperties");
    additional.is_some_and(|additional| *additional != Value::Bool(false))
}

/// A template whose value is of another kind than the parameter.
fn kind_problem(
    name: &str,
    argument: FlowArgument<'_>,
    property: &Value,
    tool: &Tool,
) -> Option<ArgumentProblem> {
    let (own, article) = match argument {
        FlowArgument::Text => ("string", "a text"),
        FlowArgument::List => ("array", "a list"),
        FlowArgument::Map => ("object", "a map"),
        FlowArgument::Constant(_) | FlowArgument::Expression => return None,
    };
    let kind = property.get("type").and_then(Value::as_str)?;
    let fix = match argument {
        FlowArgument::Text => {
            "write one expression in braces and nothing else: its value keeps its type"
        }
        _ => "pass a value of the type that the parameter has",
    };
    (kind != own).then(|| ArgumentProblem {
        argument: Some(name.to_owned()),
        message: format!(
            "this is {article}, but `{name}` of `{}` takes {kind}",
            tool.name()
        ),
        fix: Some(fix.to_owned()),
    })
}

/// Values without templates that the schema does not allow.
fn constant_problems(arguments: &[(&str, FlowArgument<'_>)], tool: &Tool) -> Vec<ArgumentProblem> {
    let constants = arguments
        .iter()
        .filter_map(|(name, argument)| match argument {
            FlowArgument::Constant(value) => Some(((*name).to_owned(), (*value).clone())),
            _ => None,
        });
    let constants: Map<String, Value> = constants.collect();
    let Err(AcceptError::Violations(violations)) = tool.accept(Arguments::from(constants)) else {
        return Vec::new();
    };
    let invalid = violations.into_iter().filter_map(|violation| {
        let ViolationKind::Invalid(reason) = violation.kind else {
            return None;
        };
        let segments = cogtools_core::pointer::segments(&violation.pointer);
        Some(ArgumentProblem {
            message: format!("{reason}, for `{}` of `{}`", segments.first()?, tool.name()),
            argument: segments.first().cloned(),
            fix: violation.hints.into_iter().next(),
        })
    });
    invalid.collect()
}
