//! A reply with its placeholders replaced by results.

use serde_json::Value;

use crate::limit::{MAX_BYTES, TooLarge};
use crate::path;
use crate::placeholder::{Part, parts};
use crate::record::Records;

/// What stands for a value that is not there.
const UNAVAILABLE: &str = "unavailable";

/// Replaces the placeholders of `template`. Scalars become text, arrays and objects compact
/// JSON. What steps that failed have left can be read, too. The result is not searched again.
pub(crate) fn hydrate(template: &str, last: &Value, records: &Records) -> Result<String, TooLarge> {
    let mut reply = String::new();
    for part in parts(template) {
        let value = match part {
            Part::Text(text) => {
                reply.push_str(text);
                continue;
            }
            Part::Last(path) => path::get(last, path),
            Part::Step(path) => {
                let (name, path) = match path.split_once('.') {
                    Some((name, path)) => (name, Some(path)),
                    None => (path, None),
                };
                records.get(name).and_then(|record| record.get(path))
            }
        };
        match value.as_deref() {
            None => reply.push_str(UNAVAILABLE),
            Some(Value::String(text)) => reply.push_str(text),
            Some(value) => reply.push_str(&value.to_string()),
        }
        if reply.len() > MAX_BYTES {
            return Err(TooLarge("the reply"));
        }
    }
    Ok(reply)
}
