//! The lines of a session: its header and its entries.

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{Event, Id, LineError, SessionId, Timestamp};

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
    /// The origin, if it is a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<Fork>,
    /// True if a call of a tool began it, and not a person: it is neither listed nor continued
    /// unless it is named.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_tool: bool,
}

/// The origin of a fork, whose first entries were copied from the other session.
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
            of_tool: false,
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

/// A line after the first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Entry {
    /// Its number, larger than the number of each line before it.
    pub id: Id,
    /// The earlier entry that it follows; null at the root.
    pub parent: Option<Id>,
    /// The time when it was written. The file has the order, since a clock may be set back.
    pub time: Timestamp,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}

impl Entry {
    /// The entry in the fields of a line. Unknown kinds are accepted, and unknown fields ignored.
    pub(crate) fn from_fields(mut fields: Map<String, Value>) -> Result<Self, LineError> {
        fn take<T: serde::de::DeserializeOwned>(
            fields: &mut Map<String, Value>,
            name: &'static str,
        ) -> Result<T, LineError> {
            let failed = |error: String| LineError::Field(name.to_owned(), error);
            let value = fields.remove(name);
            let value = value.ok_or_else(|| failed("required but missing".to_owned()))?;
            serde_json::from_value(value).map_err(|error| failed(error.to_string()))
        }
        let id = take(&mut fields, "id")?;
        fields.entry("parent").or_insert(Value::Null);
        let parent = take(&mut fields, "parent")?;
        let time = take(&mut fields, "time")?;
        renew(&mut fields);
        let kind = fields.get("kind").and_then(Value::as_str);
        let Some(kind) = kind.map(str::to_owned) else {
            return Err(LineError::NoKind);
        };
        let event = if Event::kinds().contains(&kind.as_str()) {
            let event = Event::deserialize(Value::Object(fields));
            event.map_err(|error| LineError::Event(kind, error.to_string()))?
        } else {
            Event::Unknown(fields)
        };
        Ok(Self {
            id,
            parent,
            time,
            event,
        })
    }
}

/// Makes a `node` of a `step`, as earlier versions wrote a step of a plan.
fn renew(fields: &mut Map<String, Value>) {
    if fields.get("kind").is_none_or(|kind| kind != "step") {
        return;
    }
    for (old, new) in [("step", "node"), ("args", "inputs"), ("result", "output")] {
        let value = fields.remove(old);
        fields.extend(value.map(|value| (new.to_owned(), value)));
    }
    fields.insert("kind".to_owned(), "node".into());
    match fields.get_mut("state") {
        Some(state) if state == "executing" => *state = "started".into(),
        Some(state) if state == "executed" => *state = "succeeded".into(),
        _ => {}
    }
}
