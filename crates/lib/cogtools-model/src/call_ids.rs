//! Identifiers of calls, for APIs in which every result names its call.
//!
//! The Gemini API lets both go without an identifier, so absent ones are made up by position,
//! always the same.

use std::collections::VecDeque;

use serde_json::Value;

use crate::Part;

/// The calls whose results come next.
#[derive(Default)]
pub(crate) struct CallIds {
    count: usize,
    /// Their names and identifiers.
    open: VecDeque<(String, String)>,
}

impl CallIds {
    /// Begins a message of the model: results of earlier calls do not come any more.
    pub(crate) fn begin(&mut self) {
        self.open.clear();
    }

    /// Returns the identifier of the next call of the message.
    pub(crate) fn open(&mut self, id: Option<&str>, name: &str) -> String {
        self.count += 1;
        let id = id.map_or_else(|| made_up_id(self.count), str::to_owned);
        self.open.push_back((name.to_owned(), id.clone()));
        id
    }

    /// Returns the identifier of the call whose result `part` is, and the response; `None` if it
    /// is no result.
    pub(crate) fn close<'p>(&mut self, part: &'p Part) -> Option<(String, &'p Value)> {
        let (name, response) = part.result()?;
        let id = part.fields()["functionResponse"]["id"].as_str();
        let found = self.open.iter().position(|(called, own)| match id {
            Some(id) => own == id,
            None => called == name,
        });
        let call = found.and_then(|index| self.open.remove(index));
        let own = call.map(|(_, own)| own).or(id.map(str::to_owned));
        Some((own.unwrap_or_else(|| made_up_id(self.count)), response))
    }
}

/// The identifier of a call that has none. Mistral's templates want nine letters and digits.
fn made_up_id(number: usize) -> String {
    format!("call{number:05}")
}

/// Converts a result to text: an output that is text as it is, anything else as JSON.
pub(crate) fn text(response: &Value) -> String {
    let output = response.as_object().filter(|fields| fields.len() == 1);
    match output.and_then(|fields| fields.get("output")) {
        Some(Value::String(text)) => text.clone(),
        Some(output) => output.to_string(),
        None => response.to_string(),
    }
}
