//! Definitions for templates: filters, tests and methods are functions of
//! one type, found by their names.

use minijinja::value::Value;

use crate::error::{self, Error, ErrorKind, Mistake};
use crate::runtime::Runtime;

/// A filter, test or method: it takes the value that it is applied to, and the arguments
/// in the parentheses.
pub(crate) type Native = fn(&Runtime, &Value, &[Value]) -> Result<Value, Error>;

static UNDEFINED: Value = Value::UNDEFINED;

/// The argument at `index`, undefined if there is none.
pub(crate) fn argument(arguments: &[Value], index: usize) -> &Value {
    arguments.get(index).unwrap_or(&UNDEFINED)
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
    match error::nearest(name, known) {
        Some(near) => error.with_hint(format!("did you mean `{near}`?")),
        None => error,
    }
}
