//! The content of a model's turn: thoughts, text and calls.

use serde_json::{Value, json};

use super::signature::Signatures;

/// A turn's content, before it is divided into parts and events.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    pub(super) thoughts: Vec<String>,
    /// The text, in the pieces in which a stream sends it.
    pub(super) texts: Vec<String>,
    pub(super) calls: Vec<(String, Value)>,
    pub(super) finish: Option<String>,
    /// True if calls have no ids.
    pub(super) is_anonymous: bool,
    /// True if each call is an event of its own.
    pub(super) has_calls_apart: bool,
    /// True if the signature of a text is on an empty part after it.
    pub(super) is_signed_apart: bool,
}

impl Content {
    /// The reason why the model stopped.
    pub(super) fn finish(&self) -> &str {
        self.finish.as_deref().unwrap_or("STOP")
    }

    /// The names of the called functions.
    pub(super) fn called(&self) -> Vec<&str> {
        self.calls.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The parts, in the events of a stream. `number` makes the ids of calls unique; the
    /// first call is signed, or else the end of the text.
    pub(super) fn events(
        &self,
        number: usize,
        signatures: Option<&mut Signatures>,
    ) -> Vec<Vec<Value>> {
        let thought = |text: &String| vec![json!({ "text": text, "thought": true })];
        let mut events: Vec<Vec<Value>> = self.thoughts.iter().map(thought).collect();
        events.extend(self.texts.iter().map(|text| vec![json!({ "text": text })]));
        let text_end = events.len();
        let calls = (1..).zip(&self.calls).map(|(index, (name, args))| {
            if self.is_anonymous {
                json!({ "functionCall": { "name": name, "args": args } })
            } else {
                let id = format!("call-{number}-{index}");
                json!({ "functionCall": { "id": id, "name": name, "args": args } })
            }
        });
        if self.has_calls_apart {
            events.extend(calls.map(|call| vec![call]));
        } else if !self.calls.is_empty() {
            events.push(calls.collect());
        }
        if let Some(signatures) = signatures {
            if self.calls.is_empty() && self.is_signed_apart {
                events.push(vec![json!({ "text": "" })]);
            }
            let signed = if self.calls.is_empty() {
                events.last_mut().and_then(|event| event.last_mut())
            } else {
                events.get_mut(text_end).and_then(|event| event.first_mut())
            };
            if let Some(part) = signed {
                signatures.sign(part);
            }
        }
        if events.is_empty() {
            events.push(Vec::new());
        }
        events
    }

    /// The content with its text in one piece, as in an answer that is not a stream.
    pub(super) fn whole(&self) -> Self {
        let joined = |texts: &[String]| -> Vec<String> {
            if texts.is_empty() {
                Vec::new()
            } else {
                vec![texts.concat()]
            }
        };
        Self {
            thoughts: joined(&self.thoughts),
            texts: joined(&self.texts),
            ..self.clone()
        }
    }
}
