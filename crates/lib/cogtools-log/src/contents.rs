//! The conversation that a model has seen, as the `contents` of a request to the Gemini API.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::{CallId, Entry, Event, Id};

/// The result of a call that has none, because the run ended before it did.
const NO_RESULT: &str = "the run ended before the call did";
/// The result of a call that is too old to be shown.
const EXPIRED: &str = "expired; call the tool again if you need it";

/// The entries of a `path` from the root to a leaf as turns of users and models. Each turn of
/// a model is as the provider sent it; the results of its calls follow it in one turn, in the
/// order of the calls, however they arrived.
pub fn contents(path: &[&Entry]) -> Vec<Value> {
    let expired = path.iter().flat_map(|entry| match &entry.event {
        Event::Expired { results } => results.as_slice(),
        _ => &[],
    });
    let mut builder = Builder {
        expired: expired.copied().collect(),
        ..Builder::default()
    };
    for entry in path {
        builder.add(entry);
    }
    builder.answer_calls();
    builder.turns.into_iter().map(|(_, turn)| turn).collect()
}

#[derive(Default)]
struct Builder {
    /// The turns so far, with the last entry that each consists of.
    turns: Vec<(Id, Value)>,
    /// The calls of the last turn that wait for results.
    calls: Vec<Call>,
    /// The entries with results that are too old.
    expired: HashSet<Id>,
}

/// A call of the last turn.
struct Call {
    /// The provider's name of it, which the result must repeat.
    id: Option<Value>,
    /// The tool.
    name: Value,
    /// The name in the log, once the call is logged.
    logged: Option<CallId>,
    /// The entry with its result, and the result.
    result: Option<(Id, Value)>,
}

impl Builder {
    fn add(&mut self, entry: &Entry) {
        match &entry.event {
            Event::Task { parts } => {
                self.answer_calls();
                self.turns
                    .push((entry.id, json!({"role": "user", "parts": parts})));
            }
            Event::Response { content, .. } => {
                self.answer_calls();
                let Some(content) = gemini_content(content) else {
                    return;
                };
                self.calls = function_calls(&content).map(Call::new).collect();
                self.turns.push((entry.id, content));
            }
            Event::Call { call, .. } => {
                let next = || self.calls.iter().position(|next| next.logged.is_none());
                if let Some(index) = self.position(call).or_else(next) {
                    self.calls[index].logged = Some(call.clone());
                }
            }
            Event::Result { call, content, .. } => self.add_result(entry.id, call, content),
            Event::Compaction { up_to, summary } => {
                self.answer_calls();
                self.turns.retain(|(id, _)| id > up_to);
                self.turns.insert(0, (entry.id, summary_turn(summary)));
            }
            _ => {}
        }
    }

    fn add_result(&mut self, id: Id, name: &CallId, content: &Value) {
        // A call that never ran need not be logged.
        let waits = |call: &Call| call.logged.is_none() && call.result.is_none();
        let calls = &self.calls;
        let unnamed = || {
            calls
                .iter()
                .position(|call| call.id.is_none() && waits(call))
        };
        let any = || calls.iter().position(waits);
        if let Some(index) = self.position(name).or_else(unnamed).or_else(any) {
            let result = if self.expired.contains(&id) {
                json!({"output": EXPIRED})
            } else {
                content.clone()
            };
            self.calls[index].result = Some((id, result));
        }
    }

    /// The call of the last turn with this name in the log, or else of the provider.
    fn position(&self, name: &CallId) -> Option<usize> {
        let is_logged = |call: &Call| call.logged.as_ref() == Some(name);
        let is_named = |call: &Call| {
            let id = call.id.as_ref().and_then(Value::as_str);
            id == Some(name.as_str())
        };
        let calls = &self.calls;
        let logged = calls.iter().position(is_logged);
        logged.or_else(|| calls.iter().position(is_named))
    }

    /// Adds the turn with the results of the last turn's calls.
    fn answer_calls(&mut self) {
        let calls = std::mem::take(&mut self.calls);
        let results = calls.iter().filter_map(|call| call.result.as_ref());
        let Some(last) = results.map(|(id, _)| *id).max().or(self.last()) else {
            return;
        };
        if calls.is_empty() {
            return;
        }
        let parts: Vec<Value> = calls.into_iter().map(Call::answer).collect();
        self.turns
            .push((last, json!({"role": "user", "parts": parts})));
    }

    fn last(&self) -> Option<Id> {
        self.turns.last().map(|(id, _)| *id)
    }
}

impl Call {
    fn new(call: &Map<String, Value>) -> Self {
        Self {
            id: call.get("id").cloned(),
            name: call.get("name").cloned().unwrap_or_default(),
            logged: None,
            result: None,
        }
    }

    /// The part with its result.
    fn answer(self) -> Value {
        let mut response = Map::new();
        if let Some(id) = self.id {
            response.insert("id".to_owned(), id);
        }
        response.insert("name".to_owned(), self.name);
        let result = match self.result {
            Some((_, result @ Value::Object(_))) => result,
            Some((_, result)) => json!({"output": result}),
            None => json!({"error": NO_RESULT}),
        };
        response.insert("response".to_owned(), result);
        json!({"functionResponse": response})
    }
}

/// The function calls of a turn.
fn function_calls(content: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    let parts = content.get("parts").and_then(Value::as_array);
    let parts = parts.into_iter().flatten();
    parts.filter_map(|part| part.get("functionCall")?.as_object())
}

/// A turn of a model as a content of the Gemini API; `None` if it has no parts.
fn gemini_content(content: &Value) -> Option<Value> {
    if let Some(parts) = content.get("parts") {
        return (!parts.as_array()?.is_empty()).then(|| content.clone());
    }
    // A message of the OpenAI API.
    let text = content.get("content").and_then(Value::as_str).unwrap_or("");
    let text = Some(text).filter(|text| !text.is_empty());
    let calls = content.get("tool_calls").and_then(Value::as_array);
    let calls = calls.into_iter().flatten().filter_map(gemini_call);
    let text = text.map(|text| json!({"text": text}));
    let parts: Vec<Value> = text.into_iter().chain(calls).collect();
    (!parts.is_empty()).then(|| json!({"role": "model", "parts": parts}))
}

/// A call of the OpenAI API, whose arguments are JSON in a text.
fn gemini_call(call: &Value) -> Option<Value> {
    let function = call.get("function")?;
    let arguments = function
        .get("arguments")
        .and_then(Value::as_str)
        .unwrap_or("");
    let args: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
    Some(json!({"functionCall": {
        "id": call.get("id").cloned().unwrap_or_default(),
        "name": function.get("name")?,
        "args": args,
    }}))
}

fn summary_turn(summary: &Value) -> Value {
    if summary.get("parts").is_some() {
        return summary.clone();
    }
    let text = summary
        .as_str()
        .map_or_else(|| summary.to_string(), str::to_owned);
    json!({"role": "user", "parts": [{"text": text}]})
}
