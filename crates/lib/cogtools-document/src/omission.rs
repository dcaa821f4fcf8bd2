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
    /// A tool of another source has its name.
    Shadowed,
    /// A host's API would reject it.
    Rejected {
        /// The host's format.
        host: &'static str,
        /// The API.
        api: &'static str,
        /// The rejected part.
        cause: Rejected,
    },
}

/// The part of a declaration that an API rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Rejected {
    /// The names of parameters.
    #[strum(to_string = "names of their parameters")]
    Names,
    /// A keyword at the root of the parameters.
    #[strum(to_string = "keywords at the root of their parameters")]
    Root,
    /// The length of a description.
    #[strum(to_string = "the length of their descriptions")]
    Description,
}

impl Omission {
    /// The places of what may be about tools that are left out: those with the same source and
    /// reason together, all others alone, in the order of the first of each.
    pub fn groups<'o>(all: impl IntoIterator<Item = Option<&'o Self>>) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: Vec<(&str, OmissionReason, usize)> = Vec::new();
        for (at, omission) in all.into_iter().enumerate() {
            let Some(omission) = omission else {
                groups.push(vec![at]);
                continue;
            };
            let (own, why) = (omission.source.as_str(), omission.reason);
            let mut same = known.iter().filter(|it| it.0 == own && it.1 == why);
            if let Some((.., group)) = same.next() {
                groups[*group].push(at);
            } else {
                known.push((own, why, groups.len()));
                groups.push(vec![at]);
            }
        }
        groups
    }

    /// Summarizes `omissions`, which have the same source and reason: how many there are,
    /// and the first names.
    pub fn summary(omissions: &[&Self]) -> String {
        let mut names: Vec<&str> = Vec::new();
        for omission in omissions {
            if !names.contains(&omission.tool.as_str()) {
                names.push(&omission.tool);
            }
        }
        let Some(reason) = omissions.first().map(|one| one.reason) else {
            return String::new();
        };
        let count = match reason {
            // Each declaration is one more; a tool may be rejected for several parameters.
            OmissionReason::Duplicate => omissions.len(),
            _ => names.len(),
        };
        format!("{}: {}", reason.describe(count), listed(&names))
    }
}

impl OmissionReason {
    /// Describes `count` declarations that are left out for this reason.
    fn describe(self, count: usize) -> String {
        let declarations = pluralize(count, "declaration");
        let tools = pluralize(count, "tool");
        match self {
            Self::Unnamed => format!("left out {declarations} without a name"),
            Self::Duplicate => format!("left out {declarations} that repeat a name"),
            Self::SchemaKind => format!("left out {tools} whose parameters are not an object"),
            Self::SchemaType => {
                format!("left out {tools} whose parameters do not describe an object")
            }
            Self::Shadowed => format!("{tools} shadowed by tools of the same name elsewhere"),
            Self::Rejected { host, api, cause } => {
                format!("{tools} not declared for {host}: {api} rejects {cause}")
            }
        }
    }
}

/// The first of `names`, and how many more there are.
fn listed(names: &[&str]) -> String {
    const MAX_NAMES: usize = 3;
    const MAX_CHARS: usize = 40;
    let shown = names.iter().take(MAX_NAMES);
    // Their author is a stranger.
    let shown: Vec<String> = shown
        .map(|name| name.chars().take(MAX_CHARS).collect())
        .collect();
    let shown = shown.join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
