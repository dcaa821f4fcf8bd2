//! A turn of a conversation.
//!
//! Every field that a provider sent is kept, known or not: what a model said must go back
//! to it unchanged, or the API rejects the request.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Part;
use crate::wire::camel_case;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The user, and the results of tools.
    User,
    /// The model.
    Model,
}

impl Role {
    const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Model => "model",
        }
    }
}

/// A `Content` object of the Gemini API.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Content {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parts: Option<Vec<Part>>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Content {
    /// A turn of `role`.
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self {
            role: Some(role.as_str().to_owned()),
            parts: Some(parts),
            rest: Map::new(),
        }
    }

    /// A turn of the user.
    pub fn user(parts: Vec<Part>) -> Self {
        Self::new(Role::User, parts)
    }

    /// Instructions: a content without a role.
    pub fn system(text: impl Into<String>) -> Self {
        Self {
            parts: Some(vec![Part::text_of(text)]),
            ..Self::default()
        }
    }

    /// Reads a content, with its keys in camel or snake case. `None` if it is not one.
    pub fn from_wire(value: Value) -> Option<Self> {
        serde_json::from_value(camel_case(value)).ok()
    }

    /// Who speaks; `None` for instructions and for roles of later versions.
    pub fn role(&self) -> Option<Role> {
        match self.role.as_deref() {
            Some("user") => Some(Role::User),
            Some("model") => Some(Role::Model),
            _ => None,
        }
    }

    /// Its parts.
    pub fn parts(&self) -> &[Part] {
        self.parts.as_deref().unwrap_or_default()
    }

    /// Its parts, to change them.
    pub fn parts_mut(&mut self) -> &mut [Part] {
        self.parts.as_deref_mut().unwrap_or_default()
    }

    /// Says who speaks, unless it does: a response may leave it out, but in a request that would
    /// be the user.
    pub(crate) fn set_default_role(&mut self, role: Role) {
        self.role.get_or_insert_with(|| role.as_str().to_owned());
    }

    /// Appends the parts of `next`, the continuation of this content in a stream. Parts are
    /// never merged: a signature belongs to exactly one of them.
    pub(crate) fn extend(&mut self, next: Self) {
        if self.role.is_none() {
            self.role = next.role;
        }
        if let Some(parts) = next.parts {
            self.parts.get_or_insert_default().extend(parts);
        }
        self.rest.extend(next.rest);
    }

    /// Whether one of its parts is the result of a call.
    pub fn has_results(&self) -> bool {
        self.parts().iter().any(Part::is_result)
    }

    /// Whether it begins a turn: a message of the user that is not the result of a call.
    pub fn begins_turn(&self) -> bool {
        self.role() == Some(Role::User) && !self.parts().is_empty() && !self.has_results()
    }

    /// All its text that is not a thought.
    pub fn text(&self) -> String {
        self.parts().iter().filter_map(Part::answer).collect()
    }
}
