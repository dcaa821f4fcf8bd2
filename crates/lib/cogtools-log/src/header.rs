//! The first line of a session.

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Id, SessionId, Timestamp};

/// The first line: what the session was made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename = "session")]
#[schemars(rename = "Header", transform = add_kind)]
pub struct Header {
    /// The version of the format, 1. A reader refuses a later one.
    pub format: u32,
    /// The session.
    pub session: SessionId,
    /// When it began.
    pub time: Timestamp,
    /// The project, as its user sees it.
    pub project: String,
    /// The version of cogtools.
    pub program: String,
    /// The hash of `cogtools.lock`, if the project has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
    /// The model that it began with.
    pub model: String,
    /// Where it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<Fork>,
}

/// Where a session was forked from. Its first entries are those of the other session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Fork {
    /// The other session.
    pub session: SessionId,
    /// The last entry of it that was copied.
    pub from: Id,
}

impl Header {
    /// The version of the format. A reader refuses a later one; new kinds of lines and new
    /// fields do not change it.
    pub const FORMAT: u32 = 1;
    /// The kind of the first line.
    pub const KIND: &'static str = "session";

    /// The header of the session that begins at `time`, in `project`, with `model`.
    pub fn new(session: SessionId, time: Timestamp, project: &str, model: &str) -> Self {
        Self {
            format: Self::FORMAT,
            session,
            time,
            project: project.to_owned(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            tools: None,
            model: model.to_owned(),
            fork: None,
        }
    }
}

/// Adds the tag of the struct, which derived schemas lack.
fn add_kind(schema: &mut Schema) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let kind = json!({"type": "string", "const": Header::KIND});
        properties.shift_insert(0, "kind".to_owned(), kind);
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.insert(0, "kind".into());
    }
}
