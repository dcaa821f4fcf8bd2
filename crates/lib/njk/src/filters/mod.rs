//! The filters of Nunjucks. Each follows JavaScript's semantics: unusual values
//! have the same result as in Nunjucks, and values that make it throw are
//! errors.

mod conversion;
mod html;
mod list;
mod math;
mod select;
mod string;
mod url;

use minijinja::value::Value;

use crate::error::{Error, ErrorKind};
use crate::native::{self, Native};
use crate::runtime::Runtime;
use crate::value::number::clamp;
use crate::value::text::to_number;
use crate::value::{View, as_text, type_name, view};

/// All filters, by kind.
const KINDS: [&[(&str, Native)]; 7] = [
    conversion::FILTERS,
    html::FILTERS,
    list::FILTERS,
    math::FILTERS,
    select::FILTERS,
    string::FILTERS,
    url::FILTERS,
];

/// The filter of that name.
pub(crate) fn find(name: &str) -> Option<Native> {
    let mut filters = KINDS.into_iter().flatten();
    filters
        .find(|(known, _)| *known == name)
        .map(|(_, filter)| *filter)
}

/// The names of all filters.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KINDS.into_iter().flatten().map(|(name, _)| *name)
}

/// The error for a filter that does not exist.
pub(crate) fn unknown(name: &str) -> Error {
    native::unknown(ErrorKind::UnknownFilter, "filter", name, &mut names())
}

/// The operand of most string filters: undefined, null and false are the empty
/// string; a value without string methods is an error.
fn string(value: &Value) -> Result<&str, Error> {
    match view(value) {
        View::Undefined | View::Null | View::Bool(false) => Ok(""),
        _ => as_text(value).ok_or_else(|| expected("a string", value)),
    }
}

fn expected(what: &str, value: &Value) -> Error {
    Error::bad_value(format!("expected {what}, not {}", type_name(value)))
}

/// The keyword arguments at the end of `arguments`, for the filters that use
/// them; and the others.
fn keywords(arguments: &[Value]) -> (&[Value], Option<&crate::value::dict::Dict>) {
    if let Some((last, rest)) = arguments.split_last()
        && let View::Dict(dict) = view(last)
        && dict.is_keywords()
    {
        return (rest, Some(dict));
    }
    (arguments, None)
}

/// A width or count: `default` where JavaScript's `||` would take it.
fn size(runtime: &Runtime, value: &Value, default: usize) -> Result<usize, Error> {
    if !value.is_true() {
        return Ok(default);
    }
    let number = to_number(value, runtime)?;
    Ok(clamp(number.ceil(), usize::MAX >> 12))
}
