//! What is wrong with a schema, and where in the tool file.

use crate::text::Span;
use crate::{Actual, Code, Diagnostic, Expected, Hint};

/// One thing that is wrong, and where.
#[derive(Debug)]
pub struct SchemaError {
    /// What is wrong.
    pub diagnostic: SchemaErrorKind,
    /// Where in the tool file.
    pub span: Span,
}

/// What can be wrong with a schema.
#[derive(Debug, thiserror::Error)]
pub enum SchemaErrorKind {
    /// A schema that is neither a map nor, in sugar, a type's name.
    #[error("a schema is a map, not {0}")]
    NotASchema(&'static str),
    /// `parameters` that is not a map of entries.
    #[error("`parameters` is a map from names to entries, not {0}")]
    NotEntries(&'static str),
    /// A word that the Schema Object does not have.
    #[error("`{keyword}` is not a keyword of an OpenAPI 3.0 schema")]
    Unknown {
        /// The word.
        keyword: String,
        /// What to write.
        fix: Option<String>,
    },
    /// A keyword with a value of the wrong kind.
    #[error("`{keyword}` takes {expected}, not {actual}")]
    Kind {
        /// The keyword.
        keyword: String,
        /// What it takes.
        expected: Expected,
        /// What stands there.
        actual: Actual,
    },
    /// A type that OpenAPI 3.0 does not have.
    #[error("`{name}` is not a type")]
    Type {
        /// What stands there.
        name: String,
        /// What to write.
        fix: Option<String>,
    },
    /// A list that must not be empty.
    #[error("`{0}` must not be empty")]
    Empty(String),
    /// A name twice in one list.
    #[error("`{keyword}` names {value} twice")]
    Repeated {
        /// The keyword.
        keyword: String,
        /// What stands there twice.
        value: String,
    },
    /// `type: array` that does not say of what.
    #[error("an array needs `items`")]
    ArrayWithoutItems,
    /// `required: […]` among sugared parameters.
    #[error("`required` has no place here: every parameter is required unless it says otherwise")]
    RequiredInSugar,
    /// `optional` where nothing is required.
    #[error("`optional` belongs to a parameter or a property")]
    MisplacedOptional,
    /// `optional: false` beside a default.
    #[error("a parameter with a default is optional")]
    RequiredDefault,
    /// `parameters_schema` whose root is not an object.
    #[error("the root of `parameters_schema` needs `type: object`")]
    RootType,
    /// A reference that leads out of the schema or nowhere.
    #[error("`{0}` leads nowhere in this schema")]
    Reference(String),
    /// A reference that leads back to itself without ever reaching a value.
    #[error("`{0}` leads back to itself")]
    Circular(String),
    /// References that come to more schemas than could be checked.
    #[error("`{0}` leads through too many schemas")]
    TooFar(String),
}

impl SchemaErrorKind {
    /// The fault to show, wherever that is.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(Code::InvalidTool, self.to_string());
        diagnostic.hints.extend(self.hint().map(Hint::from));
        diagnostic
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { fix, .. } | Self::Type { fix, .. } if fix.is_some() => fix.clone()?,
            Self::Unknown { .. } => "remove it; own words begin with `x-`".into(),
            Self::Type { .. } => {
                "the types are string, integer, number, boolean, array and object".into()
            }
            Self::NotASchema(_) => "write a map such as `{type: string}`".into(),
            Self::NotEntries(_) => {
                "write one entry a parameter, such as `city: {type: string, description: …}`".into()
            }
            Self::Empty(keyword) => format!("leave `{keyword}` out, or fill it"),
            Self::Repeated { .. } => "remove one of the two".into(),
            Self::ArrayWithoutItems => "say what it holds, as in `type: string[]`".into(),
            Self::RequiredInSugar => "remove it and mark the others with `optional: true`".into(),
            Self::MisplacedOptional => "remove it".into(),
            Self::RequiredDefault => "remove either `optional: false` or `default`".into(),
            Self::RootType => "add `type: object`".into(),
            Self::Reference(_) => {
                "point at a schema of this tool, as in `#/properties/city`, or write it out".into()
            }
            Self::Circular(_) | Self::TooFar(_) => "write the schema out".into(),
            Self::Kind {
                keyword,
                actual: Actual::Number(number),
                ..
            } if keyword.starts_with("exclusive") => {
                let bound = keyword.replace("exclusiveM", "m");
                format!("write `{bound}: {number}` and `{keyword}: true`")
            }
            Self::Kind {
                expected, actual, ..
            } => expected.hint(actual).into(),
        })
    }
}
