//! What filters take.

use super::filter::{is_flag, is_free_text};
use super::lattice::{FALSE, SAFE, Type};
use crate::ast::Arguments;

/// What a filter takes, and whether the type can be that; none if it takes all.
pub(super) fn accepted(
    ty: &Type,
    name: &str,
    arguments: &Arguments,
) -> Option<(&'static str, bool)> {
    let attribute = arguments.positional.get(1).is_some();
    let is_text = ty.string.is_some() || ty.simple & SAFE != 0;
    let is_list = ty.list.is_some();
    Some(match name {
        "trim" | "nl2br" | "wordcount" => ("a string", is_text),
        "upper" | "lower" | "capitalize" | "title" | "indent" | "truncate" | "striptags" => (
            "a string",
            is_text || ty.simple & FALSE != 0 && !is_flag(ty),
        ),
        "join" if !attribute => ("a list", is_list),
        "sum" if arguments.positional.is_empty() => ("a list", is_list),
        "selectattr" | "rejectattr" => ("a list", is_list),
        "length" => (
            "a list, a string or an object",
            is_list || is_text || ty.object.is_some() || ty.simple & FALSE != 0,
        ),
        "dictsort" => ("an object", ty.object.is_some()),
        "first" | "last" | "reverse" => ("a list or a string", is_list || is_text),
        "sort" | "groupby" | "batch" => ("a list", is_list || ty.object.is_some()),
        "select" | "reject" | "random" => ("a list", is_list || is_text || ty.object.is_some()),
        "round" | "abs" => (
            "a number",
            ty.number.is_some() || !is_free_text(ty) && is_text,
        ),
        "int" | "float" => ("a number or a string", ty.number.is_some() || is_text),
        "list" => (
            "a list, an object or a string",
            is_list || is_text || ty.object.is_some(),
        ),
        _ => return None,
    })
}
