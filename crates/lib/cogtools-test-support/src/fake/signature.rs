//! Thought signatures: opaque bytes that a model puts on a part, and that must come back
//! on the same part, unchanged.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use serde_json::{Map, Value};

use super::field::{CALL, RESPONSE, SIGNATURE, field, is_model, items, parts};

/// A signature that a client may send for a call that another model made.
const FOREIGN: &str = "skip_thought_signature_validator";

const CORRUPTED: &str = "Corrupted thought signature.";

/// The signatures that a fake has issued, with their parts.
#[derive(Debug, Default)]
pub(super) struct Signatures {
    issued: HashMap<Vec<u8>, Value>,
    /// Distinguishes the signatures of fakes from each other.
    salt: u16,
}

impl Signatures {
    pub(super) fn new(salt: u16) -> Self {
        Self {
            salt,
            ..Self::default()
        }
    }

    /// Signs `part`.
    pub(super) fn sign(&mut self, part: &mut Value) {
        // The first bytes are what the two spellings of base64 differ in.
        let mut bytes = vec![0xfb, 0xff, 0xbf];
        let number = self.issued.len() + 1;
        bytes.extend_from_slice(format!("signature {number} of {}", self.salt).as_bytes());
        self.issued.insert(bytes.clone(), part.clone());
        part[SIGNATURE] = STANDARD.encode(&bytes).into();
    }

    /// Checks the current turn of `contents`, or all turns.
    pub(super) fn check(&self, contents: &[Value], all_turns: bool, complaints: &mut Vec<String>) {
        let begin = if all_turns { 0 } else { current_turn(contents) };
        let mut index = begin;
        for turn in contents[begin..].chunk_by(|one, next| is_model(one) && is_model(next)) {
            let mut is_first = true;
            for content in turn.iter().filter(|content| is_model(content)) {
                let at = format!("contents[{index}]");
                self.content(content, &at, (is_first, all_turns), complaints);
                is_first &= parts(content, CALL).is_empty();
                index += 1;
            }
            index += turn.iter().filter(|content| !is_model(content)).count();
        }
    }

    /// Checks one content; its first call must be signed if it is the turn's first.
    fn content(
        &self,
        content: &Value,
        at: &str,
        (is_first, all_turns): (bool, bool),
        complaints: &mut Vec<String>,
    ) {
        let parts = items(&content["parts"]);
        let first_call = parts.iter().position(|part| !field(part, CALL).is_null());
        let first_call = first_call.filter(|_| is_first);
        for (index, part) in parts.iter().enumerate() {
            let at = format!("{at}.parts[{index}]");
            let signature = field(part, SIGNATURE);
            let is_signed =
                || all_turns && self.issued.values().any(|issued| is_same(issued, part));
            if signature.is_null() {
                if Some(index) == first_call {
                    complaints.push(format!(
                        "Function call is missing a thought_signature in functionCall parts. \
                         ({at}, function call {})",
                        field(part, CALL)["name"]
                    ));
                } else if is_signed() {
                    complaints.push(format!("{CORRUPTED} ({at}: missing)"));
                }
                continue;
            }
            let text = signature.as_str().unwrap_or_default();
            let Some(bytes) = decode(text) else {
                complaints.push(format!("{CORRUPTED} ({at}: not base64)"));
                continue;
            };
            if is_foreign(&bytes) {
                continue;
            }
            match self.issued.get(&bytes) {
                None => complaints.push(format!("{CORRUPTED} ({at}: never issued)")),
                Some(issued) if !is_same(issued, part) => {
                    complaints.push(format!("{CORRUPTED} ({at}: issued for another part)"));
                }
                Some(_) => {}
            }
        }
    }
}

/// Where the current turn begins: after the last message of the user, which is not a
/// response of a function.
fn current_turn(contents: &[Value]) -> usize {
    let is_message = |content: &Value| !is_model(content) && parts(content, RESPONSE).is_empty();
    contents
        .iter()
        .rposition(is_message)
        .map_or(0, |index| index + 1)
}

/// The bytes of a signature, in either alphabet, with or without padding.
fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text
        .trim_end_matches('=')
        .replace('-', "+")
        .replace('_', "/");
    STANDARD_NO_PAD.decode(text).ok()
}

/// Returns true if these bytes are the sentinel, as text or as what its text decodes to.
fn is_foreign(bytes: &[u8]) -> bool {
    bytes == FOREIGN.as_bytes() || decode(FOREIGN).is_some_and(|sentinel| sentinel == bytes)
}

/// Returns true if a part is the one that was signed, whichever spelling its client uses.
fn is_same(issued: &Value, part: &Value) -> bool {
    plain(issued) == plain(part)
}

/// The signed content of a part: text, or a call by name and arguments, without its id.
fn plain(part: &Value) -> Map<String, Value> {
    let mut plain = Map::new();
    let call = field(part, CALL);
    if call.is_null() {
        plain.insert("text".to_owned(), part["text"].clone());
        plain.insert("thought".to_owned(), (part["thought"] == true).into());
    } else {
        let no_arguments = Value::Object(Map::new());
        let args = if call["args"].is_null() {
            &no_arguments
        } else {
            &call["args"]
        };
        plain.insert("name".to_owned(), call["name"].clone());
        plain.insert("args".to_owned(), args.clone());
    }
    plain
}
