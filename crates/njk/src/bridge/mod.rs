//! The minijinja filters that emitted source calls, and the formatter that
//! prints values. Only those that a template uses are registered with its
//! environment.

mod call;
pub(crate) mod operator;
mod variable;

use std::sync::Arc;

use minijinja::value::Value;
use minijinja::{Environment, Output, State};

use crate::error::{Error, ErrorKind};
use crate::filters;
use crate::mistake::Mistake;
use crate::runtime::Runtime;
use crate::suggest;
use crate::tests;
use crate::value::safe::escape;
use crate::value::text::to_text;
use crate::value::{View, view};

/// A helper: it takes the value before the bar and the arguments in the
/// parentheses.
pub(crate) type Helper = fn(&Arc<Runtime>, &Value, &[Value]) -> Result<Value, Error>;

static UNDEFINED: Value = Value::UNDEFINED;

/// The argument at `index`, undefined if there is none.
pub(crate) fn argument(arguments: &[Value], index: usize) -> &Value {
    arguments.get(index).unwrap_or(&UNDEFINED)
}

/// A number that the emitter wrote.
fn count(arguments: &[Value], index: usize) -> usize {
    argument(arguments, index).as_usize().unwrap_or_default()
}

/// A name that the emitter wrote.
fn name(arguments: &[Value], index: usize) -> Arc<str> {
    Arc::from(argument(arguments, index).as_str().unwrap_or_default())
}

/// Registers a helper with `environment`.
pub(crate) fn register(environment: &mut Environment<'static>, name: &str) {
    let filter = name.strip_prefix("f_").and_then(filters::find);
    if let Some(helper) = filter.or_else(|| name.strip_prefix("t_").and_then(tests::find)) {
        add(environment, name, helper, true);
    } else if let Some(helper) = call::find(name) {
        add(environment, name, helper, true);
    } else if let Some(helper) = operator::find(name).or_else(|| variable::find(name)) {
        add(environment, name, helper, false);
    }
}

/// `placed` helpers take their position as their first argument.
fn add(environment: &mut Environment<'static>, name: &str, helper: Helper, placed: bool) {
    let call = move |state: &State<'_, '_>, values: &[Value]| -> Result<Value, minijinja::Error> {
        let runtime = Runtime::of(state)?;
        let (target, mut arguments) = values.split_first().unwrap_or((&UNDEFINED, &[]));
        let place = placed.then(|| count(arguments, 0));
        if let Some(place) = place {
            runtime.pass(place);
            arguments = arguments.get(1..).unwrap_or_default();
        }
        helper(&runtime, target, arguments).map_err(|error| {
            if let Some(place) = place {
                runtime.pass(place);
            }
            runtime.fail(error)
        })
    };
    environment.add_filter(name.to_owned(), call);
}

/// Prints a value as Nunjucks does.
pub(crate) fn print(
    out: &mut Output<'_>,
    state: &State<'_, '_>,
    value: &Value,
    autoescape: bool,
) -> Result<(), minijinja::Error> {
    let runtime = Runtime::of(state)?;
    let (text, safe) = match view(value) {
        View::Undefined | View::Null => return Ok(()),
        View::Safe(text) => (text.into(), true),
        _ => match to_text(value, &runtime.budget) {
            Ok(text) => (text, false),
            Err(error) => return Err(runtime.fail(error)),
        },
    };
    let text = if autoescape && !safe {
        escape(&text).into()
    } else {
        text
    };
    runtime
        .budget
        .grow(text.len())
        .map_err(|error| runtime.fail(error))?;
    out.write_str(&text).map_err(minijinja::Error::from)
}

/// A filter that does not exist; its name is the text at the position.
fn no_filter(name: &str) -> Error {
    unknown(
        ErrorKind::UnknownFilter,
        "filter",
        name,
        &mut filters::names(),
    )
}

fn no_test(name: &str) -> Error {
    unknown(ErrorKind::UnknownTest, "test", name, &mut tests::names())
}

/// The error for a filter or test that does not exist.
pub(crate) fn unknown(
    kind: ErrorKind,
    what: &str,
    name: &str,
    known: &mut dyn Iterator<Item = &'static str>,
) -> Error {
    let error = Error::new(kind, format!("unknown {what} `{name}`"));
    if kind == ErrorKind::UnknownFilter
        && let Some(mistake) = Mistake::filter(name)
    {
        return error.with_mistake(mistake);
    }
    match suggest::nearest(name, known) {
        Some(near) => error.with_hint(format!("did you mean `{near}`?")),
        None => error,
    }
}
