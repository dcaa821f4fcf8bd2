//! A tool that a source declares and that is left out, and why: by type, so that the warnings of
//! many tools can be shown as one.

use crate::pluralize;

/// A tool that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omission {
    /// The source.
    pub source: String,
    /// The tool, as the source names it; the number of its declaration if it has no name.
    pub tool: String,
    /// The reason.
    pub reason: OmissionReason,
}

/// Why a tool is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmissionReason {
    /// It has no name.
    Unnamed,
    /// Another declaration has its name.
    Duplicate,
    /// Its schema is not an object.
    SchemaKind,
    /// Its schema describes something other than an object.
    SchemaType,
    /// A host's API would reject it.
    Rejected {
        /// The host's format.
        host: &'static str,
        /// The API.
        api: &'static str,
        /// What the API rejects.
        cause: Rejected,
    },
}

/// What an API rejects of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// The names of parameters.
    Names,
    /// A keyword at the root of the parameters.
    Root,
    /// The length of a description.
    Description,
}

impl OmissionReason {
    /// What is said of `count` declarations that are left out for this reason.
    pub(crate) fn describe(self, count: usize) -> String {
        let declarations = pluralize(count, "declaration");
        match self {
            Self::Unnamed => format!("{declarations} left out that have no name"),
            Self::Duplicate => format!("{declarations} left out that repeat a name"),
            Self::SchemaKind => {
                format!("{declarations} left out with parameters that are not an object")
            }
            Self::SchemaType => {
                format!("{declarations} left out with parameters that do not describe an object")
            }
            Self::Rejected { host, api, cause } => {
                let tools = pluralize(count, "tool");
                let what = cause.describe();
                format!("{tools} not declared for {host}: {api} rejects {what}")
            }
        }
    }
}

impl Rejected {
    const fn describe(self) -> &'static str {
        match self {
            Self::Names => "names of their parameters",
            Self::Root => "keywords at the root of their parameters",
            Self::Description => "the length of their descriptions",
        }
    }
}
