//! A line of a session after the first.

use schemars::JsonSchema;
use serde::{Deserialize as _, Serialize};
use serde_json::{Map, Value};

use crate::{Event, Id, LineError, Timestamp};

/// A line after the first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Entry {
    /// Its number, larger than that of each line before it.
    pub id: Id,
    /// The earlier entry that it follows; null at the root.
    pub parent: Option<Id>,
    /// When it was written. The order is that of the file, since a clock may be set back.
    pub time: Timestamp,
    /// What happened.
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
            let failed = |error: String| LineError::Field {
                name: name.to_owned(),
                error,
            };
            let value = fields.remove(name);
            let value = value.ok_or_else(|| failed("required but missing".to_owned()))?;
            serde_json::from_value(value).map_err(|error| failed(error.to_string()))
        }
        let id = take(&mut fields, "id")?;
        fields.entry("parent").or_insert(Value::Null);
        let parent = take(&mut fields, "parent")?;
        let time = take(&mut fields, "time")?;
        let kind = fields.get("kind").and_then(Value::as_str);
        let Some(kind) = kind.map(str::to_owned) else {
            return Err(LineError::NoKind);
        };
        let event = if Event::KINDS.contains(&kind.as_str()) {
            Event::deserialize(Value::Object(fields)).map_err(|error| LineError::Event {
                kind,
                error: error.to_string(),
            })?
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
