//! The names that parameters can have in an API.

use std::collections::BTreeSet;

use super::HostLimit;
use crate::schema::{Reach, Role, Schema};

/// The names that parameters can have.
#[derive(Clone, Copy, Debug)]
pub(super) enum Names {
    /// All.
    Any,
    /// Identifiers, for parameters and for properties of nested objects.
    Identifiers,
    /// `[a-zA-Z0-9_.-]{1,64}`, for parameters; nested objects are not checked.
    Keys,
}

impl Names {
    pub(super) fn accept(self, name: &str) -> bool {
        let is_short = (1..=HostLimit::PARAMETER_NAME.max).contains(&name.len());
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        match self {
            Self::Any => true,
            Self::Identifiers => {
                let is_digit_first = name.starts_with(|c: char| c.is_ascii_digit());
                is_short && !is_digit_first && name.chars().all(word)
            }
            Self::Keys => is_short && name.chars().all(|c| word(c) || matches!(c, '.' | '-')),
        }
    }

    /// What to use instead of a name that is rejected.
    pub(super) const fn describe(self) -> &'static str {
        match self {
            Self::Any => "",
            Self::Identifiers => {
                "use letters from a to z, digits and `_`, at most 64, and no digit first"
            }
            Self::Keys => "use letters from a to z, digits, `_`, `.` and `-`, at most 64",
        }
    }

    /// The names in `schema` that are not accepted, each with the pointer to its schema.
    pub(super) fn rejected(self, schema: &Schema) -> Vec<(String, String)> {
        // Almost no schema has one, and pointers cost more than this look.
        if !schema.any_property(&|name| !self.accept(name)) {
            return Vec::new();
        }
        let is_checked = |pointer: &str| match self {
            Self::Any => false,
            Self::Identifiers => true,
            Self::Keys => pointer
                .strip_prefix("/properties/")
                .is_some_and(|name| !name.contains('/')),
        };
        schema
            .sub_schemas()
            .into_iter()
            .filter_map(|sub_schema| match sub_schema.role {
                Role::Property { name, .. } => Some((name.to_owned(), sub_schema.pointer)),
                _ => None,
            })
            .filter(|(name, pointer)| !self.accept(name) && is_checked(pointer))
            .collect()
    }

    /// `schema` without the optional names that are not accepted, and these; `None` if all are, or
    /// if its author can rename them.
    pub(super) fn fitted(self, schema: &Schema) -> Option<(Schema, BTreeSet<String>)> {
        let rejected = |name: &str| !self.accept(name);
        if !schema.is_recovered() || !schema.any_property(&rejected) {
            return None;
        }
        let reach = match self {
            Self::Keys => Reach::Root,
            Self::Any | Self::Identifiers => Reach::All,
        };
        Some(schema.without_optional(&rejected, reach))
    }
}
