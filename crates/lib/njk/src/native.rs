//! Definitions for templates: filters, tests and methods are functions of
//! one type, found by their names, and read their arguments alike.

use std::borrow::Cow;

use crate::error::{self, Error, ErrorKind, FILTERS, instead};
use crate::runtime::Runtime;
use crate::value::text::{to_number, to_text};
use crate::value::{Dict, Value};

/// A filter, test or method: it takes the value that it is applied to, and the arguments
/// in the parentheses.
pub(crate) type Native = fn(&Runtime, &Value, &[Value]) -> Result<Value, Error>;

const UNDEFINED: &Value = &Value::Undefined;

/// The argument at `index`, undefined if there is none.
pub(crate) fn argument(arguments: &[Value], index: usize) -> &Value {
    arguments.get(index).unwrap_or(UNDEFINED)
}

/// The number at `index`, or `default` where JavaScript has a default parameter.
pub(crate) fn number(
    runtime: &Runtime,
    arguments: &[Value],
    index: usize,
    default: f64,
) -> Result<f64, Error> {
    match argument(arguments, index) {
        Value::Undefined => Ok(default),
        given => to_number(given, runtime),
    }
}

/// The number at `index`, or `default` where JavaScript's `||` takes it.
pub(crate) fn number_or(
    runtime: &Runtime,
    arguments: &[Value],
    index: usize,
    default: f64,
) -> Result<f64, Error> {
    match argument(arguments, index) {
        given if given.is_true() => to_number(given, runtime),
        _ => Ok(default),
    }
}

/// The text at `index`, or `default` where JavaScript has a default parameter.
pub(crate) fn string<'a>(
    runtime: &Runtime,
    arguments: &'a [Value],
    index: usize,
    default: &'a str,
) -> Result<Cow<'a, str>, Error> {
    match argument(arguments, index) {
        Value::Undefined => Ok(Cow::Borrowed(default)),
        given => to_text(given, runtime),
    }
}

/// The positional arguments, and those by name at their end.
pub(crate) fn keywords(arguments: &[Value]) -> (&[Value], Option<&Dict>) {
    match arguments.split_last() {
        Some((Value::Dict(dict), rest)) if dict.is_keywords => (rest, Some(dict)),
        _ => (arguments, None),
    }
}

/// The error for a value that is not `what`.
pub(crate) fn expected(what: &str, value: &Value) -> Error {
    Error::bad_value(format!("expected {what}, not {}", value.type_name()))
}

/// Fails for undefined and null, of which nothing can be read.
pub(crate) fn require_members(value: &Value) -> Result<(), Error> {
    if value.is_present() {
        return Ok(());
    }
    let message = format!("{} has no members", value.type_name());
    Err(Error::bad_value(message))
}

/// The error for a filter or test that does not exist.
pub(crate) fn unknown(
    kind: ErrorKind,
    what: &str,
    name: &str,
    known: &mut dyn Iterator<Item = &'static str>,
) -> Error {
    let error = Error::new(kind, format!("unknown {what} `{name}`"));
    match instead(&FILTERS, name).filter(|_| kind == ErrorKind::UnknownFilter) {
        Some(hint) => error.with_hint(hint),
        None => error.with_nearest(name, error::nearest(name, known)),
    }
}
