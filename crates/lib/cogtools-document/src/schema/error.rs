//! Errors in a schema, with their locations in the tool file.

use crate::text::Span;
use crate::{Actual, Code, Diagnostic, Expected, Hint};

/// An error in a schema.
#[derive(Debug)]
pub struct SchemaError {
    /// The message.
    pub kind: SchemaErrorKind,
    /// Where in the tool file.
    pub span: Span,
}

/// The kind of an error in a schema.
#[derive(Debug, thiserror::Error)]
pub enum SchemaErrorKind {
    /// A schema that is neither a map nor, in sugar, the name of a type.
    #[error("a schema is a map, not {0}")]
    NotASchema(&'static str),
    /// `parameters` that is not a map of entries.
    #[error("`parameters` is a map from names to entries, not {0}")]
    NotEntries(&'static str),
    /// A keyword that the Schema Object does not have.
    #[error("`{0}` is not a keyword of an OpenAPI 3.0 schema")]
    Unknown(String, Option<Hint>),
    /// A keyword with a value of the wrong kind.
    #[error("`{0}` takes {1}, not {2}")]
    Kind(String, Expected, Actual),
    /// A type that OpenAPI 3.0 does not have.
    #[error("`{0}` is not a type")]
    Type(String, Option<String>),
    /// A list that must not be empty.
    #[error("`{0}` must not be empty")]
    Empty(String),
    /// A name twice in one list.
    #[error("`{0}` names {1} twice")]
    Repeated(String, String),
    /// `type: array` without `items`; true among sugared parameters.
    #[error("an array needs `items`")]
    ArrayWithoutItems(bool),
    /// `required: […]` among sugared parameters.
    #[error("`required` is not used here: every parameter is required unless it is `optional`")]
    RequiredInSugar,
    /// A short form of a list, beside other items: the form, and the keyword of the items.
    #[error("`items` has another `{1}` than `type: {0}` beside it")]
    ItemsTwice(String, String),
    /// A whole schema under `parameters`.
    #[error("`parameters` is a map from names to entries, not a schema with `properties`")]
    SchemaInSugar,
    /// `optional` on something other than a property.
    #[error("`optional` applies only to a parameter or a property")]
    MisplacedOptional,
    /// `optional: false` together with a default.
    #[error("a parameter with a default is always optional")]
    RequiredDefault,
    /// `parameters_schema` whose root is not an object.
    #[error("the root of `parameters_schema` needs `type: object`")]
    RootType,
    /// A reference to nothing in the schema.
    #[error("`{0}` does not exist in this schema")]
    Reference(String),
    /// A reference that refers back to itself without reaching a value.
    #[error("`{0}` refers back to itself")]
    Circular(String),
    /// References through more schemas than can be validated.
    #[error("`{0}` refers to too many schemas")]
    TooFar(String),
}

impl SchemaErrorKind {
    /// The diagnostic to show, without a location.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new(Code::InvalidTool, self.to_string()).hint(self.hint())
    }

    fn hint(&self) -> Hint {
        match self {
            Self::Unknown(_, Some(fix)) => fix.clone(),
            Self::Type(_, Some(fix)) => fix.clone().into(),
            Self::Unknown(..) => "remove it; the names of extensions begin with `x-`".into(),
            Self::Type(..) => {
                "the types are string, integer, number, boolean, array and object".into()
            }
            Self::NotASchema(_) => "write a map such as `{type: string}`".into(),
            Self::NotEntries(_) => {
                "write one entry per parameter, such as `city: {type: string, description: …}`"
                    .into()
            }
            Self::Empty(keyword) => format!("leave `{keyword}` out, or fill it").into(),
            Self::Repeated(..) => "remove one of the two".into(),
            Self::ArrayWithoutItems(true) => {
                "name the type of its items, as in `type: string[]`".into()
            }
            Self::ArrayWithoutItems(false) => {
                "add the schema of its items, as in `items: {type: string}`".into()
            }
            Self::RequiredInSugar => "remove it, and mark the others with `optional: true`".into(),
            Self::ItemsTwice(..) => {
                "write `type: array` and all of `items`, or leave it out of `items`".into()
            }
            Self::SchemaInSugar => {
                "rename `parameters` to `parameters_schema`, or keep only what is under `properties`"
                    .into()
            }
            Self::MisplacedOptional => "remove it".into(),
            Self::RequiredDefault => "remove either `optional: false` or `default`".into(),
            Self::RootType => "add `type: object`".into(),
            Self::Reference(_) => {
                "refer to a schema of this tool, as in `#/properties/city`, or write it out".into()
            }
            Self::Circular(_) | Self::TooFar(_) => "write the schema out".into(),
            Self::Kind(keyword, _, Actual::Number(number)) if keyword.starts_with("exclusive") => {
                let bound = keyword.replace("exclusiveM", "m");
                format!("write `{bound}: {number}` and `{keyword}: true`").into()
            }
            Self::Kind(_, expected, actual) => expected.hint(actual).into(),
        }
    }
}

/// The types of OpenAPI 3.0.
pub const TYPES: [&str; 6] = ["string", "integer", "number", "boolean", "array", "object"];

/// A remedy for an unknown type.
#[derive(Debug, PartialEq, Eq, strum::Display)]
pub(super) enum Fix {
    /// Write this type.
    #[strum(to_string = "write `{0}`")]
    Write(String),
    /// Follow this advice.
    #[strum(transparent)]
    Advice(String),
}

/// The fix for a type in sugar where none is known.
pub(super) fn written_out(text: &str) -> Option<Fix> {
    let list = list_type(text)?;
    let kind = list.trim_end_matches("[]");
    let depth = (list.len() - kind.len()) / "[]".len() - 1;
    let (open, close) = ("{type: array, items: ".repeat(depth), "}".repeat(depth));
    let items = format!("{open}{{type: {kind}}}{close}");
    Some(Fix::Advice(format!(
        "write `type: array` and `items: {items}`"
    )))
}

/// The sugar of a list of a known type: `string[]`, also for `str[]` and `[string]`.
fn list_type(text: &str) -> Option<String> {
    let inner = text.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let inner = inner.or_else(|| text.strip_suffix("[]"))?.trim();
    let kind = inner.trim_end_matches("[]");
    let brackets = &inner[kind.len()..];
    Some(format!("{}{brackets}[]", suggested_type(kind)?))
}

/// The fix for several types in one text, as in `string|null`.
fn alternatives(text: &str) -> Option<Fix> {
    let (mut kinds, mut is_nullable) = (Vec::new(), false);
    for word in text.split('|').map(str::trim) {
        if word.eq_ignore_ascii_case("null") {
            is_nullable = true;
        } else {
            kinds.push(suggested_type(word)?);
        }
    }
    let kinds = match kinds.as_slice() {
        [] => return None,
        [kind] => format!("type: {kind}"),
        kinds => {
            let each = kinds.iter().map(|kind| format!("{{type: {kind}}}"));
            format!("anyOf: [{}]", each.collect::<Vec<_>>().join(", "))
        }
    };
    let nullable = if is_nullable {
        " and `nullable: true`"
    } else {
        ""
    };
    Some(Fix::Advice(format!("write `{kinds}`{nullable}")))
}

/// The fix for the unknown type `name`.
pub(super) fn suggestion(name: &str) -> Option<Fix> {
    if let Some(name) = list_type(name).filter(|_| name.starts_with('[')) {
        return Some(Fix::Write(name));
    }
    if name.contains('|') {
        return alternatives(name);
    }
    if let Some(inner) = name.strip_suffix('?') {
        let written = match suggestion(inner)? {
            Fix::Advice(advice) => advice,
            Fix::Write(name) => format!("write `type: {name}`"),
        };
        return Some(Fix::Advice(format!("{written} and `optional: true`")));
    }
    if name.eq_ignore_ascii_case("any") {
        let advice = "leave the type out, which permits any value: write `{}`";
        return Some(Fix::Advice(advice.into()));
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

pub(super) fn suggested_type(name: &str) -> Option<&'static str> {
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
