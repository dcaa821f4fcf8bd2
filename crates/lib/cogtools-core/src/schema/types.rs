//! The names of types, and their common misspellings.

use std::fmt::{self, Display, Formatter};

/// The types of OpenAPI 3.0.
pub const TYPES: [&str; 6] = ["string", "integer", "number", "boolean", "array", "object"];

/// How many `[]` may follow one type.
const MAX_ARRAYS: usize = 8;

/// A `type` in sugared parameters.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TypeExpr<'a> {
    /// The name of a type.
    Plain(&'a str),
    /// `T[]`: an array of `T`.
    ArrayOf(Box<Self>),
}

/// How to fix an unknown type.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fix {
    /// Write this type.
    Write(String),
    /// Follow this advice.
    Advice(String),
}

impl Display for Fix {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(name) => write!(f, "write `{name}`"),
            Self::Advice(text) => f.write_str(text),
        }
    }
}

/// Reads `string`, `string[]`, `integer[][]`; the error is the fix, if there is one.
pub(super) fn read(text: &str) -> Result<TypeExpr<'_>, Option<Fix>> {
    if let Some(inner) = text.strip_suffix("[]") {
        // Each pair is one level of recursion.
        if inner.ends_with(&"[]".repeat(MAX_ARRAYS)) {
            return Err(Some(Fix::Advice(format!(
                "nest at most {MAX_ARRAYS} arrays; give the items a name in `properties`"
            ))));
        }
        return match read(inner) {
            Ok(TypeExpr::Plain("array")) => Err(Some(Fix::Advice(
                "write `items`, or name the type of the items: `string[]`".into(),
            ))),
            Ok(inner) => Ok(TypeExpr::ArrayOf(Box::new(inner))),
            Err(fix) => Err(fix.map(|fix| match fix {
                Fix::Write(name) => Fix::Write(format!("{name}[]")),
                Fix::Advice(_) => fix,
            })),
        };
    }
    match TYPES.iter().find(|name| **name == text) {
        Some(name) => Ok(TypeExpr::Plain(name)),
        None => Err(suggestion(text)),
    }
}

/// The fix for the unknown type `name`.
pub(super) fn suggestion(name: &str) -> Option<Fix> {
    if let Some(inner) = name.strip_suffix('?') {
        let inner = suggested_type(inner).unwrap_or(inner);
        let advice = format!("write `type: {inner}` and `optional: true`");
        return Some(Fix::Advice(advice));
    }
    if name.eq_ignore_ascii_case("null") {
        let advice = "write the type of the other values and `nullable: true`";
        return Some(Fix::Advice(advice.into()));
    }
    if let Some(format) = format(name) {
        let advice = format!("write `type: string` and `format: {format}`");
        return Some(Fix::Advice(advice));
    }
    suggested_type(name)
        .or_else(|| crate::suggest::nearest(name, TYPES).first().copied())
        .map(|name| Fix::Write(name.to_owned()))
}

/// The correct spelling of `text`, if it is another name of a type.
pub(super) fn spelling(text: &str) -> Option<String> {
    let name = text.trim_end_matches("[]");
    let brackets = &text[name.len()..];
    let correct = suggested_type(name).filter(|correct| *correct != name)?;
    // `list` and `tuple` do not name the type of the items.
    (correct != "array").then(|| format!("{correct}{brackets}"))
}

/// The format of strings that `name` is another name of.
fn format(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "date" => "date",
        "datetime" | "date-time" | "date_time" | "timestamp" => "date-time",
        "time" => "time",
        "email" | "mail" => "email",
        "url" | "uri" => "uri",
        "uuid" | "guid" => "uuid",
        _ => return None,
    })
}

fn suggested_type(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    if let Some(name) = TYPES.iter().find(|known| **known == lower) {
        return Some(name);
    }
    Some(match lower.as_str() {
        "int" | "int32" | "int64" | "long" | "uint" => "integer",
        "str" | "text" | "char" => "string",
        "bool" | "flag" => "boolean",
        "float" | "double" | "decimal" | "num" => "number",
        "list" | "tuple" | "set" => "array",
        "dict" | "map" | "hash" | "record" => "object",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_names_of_types_have_one_correct_spelling() {
        for (text, expected) in [
            ("int", Some("integer")),
            ("Str[]", Some("string[]")),
            ("string", None),
            ("list", None),
            ("int?", None),
            ("widget", None),
        ] {
            assert_eq!(spelling(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn unknown_types_have_a_fix() {
        for (text, expected) in [
            ("int", "write `integer`"),
            ("str", "write `string`"),
            ("bool", "write `boolean`"),
            ("float", "write `number`"),
            ("String", "write `string`"),
            ("string?", "write `type: string` and `optional: true`"),
            ("int?", "write `type: integer` and `optional: true`"),
            ("strin", "write `string`"),
            ("int[]", "write `integer[]`"),
            ("list", "write `array`"),
            ("dict", "write `object`"),
            ("map", "write `object`"),
            ("date", "write `type: string` and `format: date`"),
            ("DateTime", "write `type: string` and `format: date-time`"),
            ("email[]", "write `type: string` and `format: email`"),
            ("url", "write `type: string` and `format: uri`"),
            ("uuid", "write `type: string` and `format: uuid`"),
            (
                "null",
                "write the type of the other values and `nullable: true`",
            ),
            (
                "null[]",
                "write the type of the other values and `nullable: true`",
            ),
        ] {
            let fix = read(text).unwrap_err().expect(text);
            assert_eq!(fix.to_string(), expected, "{text}");
        }
        assert_eq!(read("widget"), Err(None));
        assert_eq!(read("string"), Ok(TypeExpr::Plain("string")));
        assert_eq!(
            read("number[]"),
            Ok(TypeExpr::ArrayOf(Box::new(TypeExpr::Plain("number")))),
        );
    }
}
