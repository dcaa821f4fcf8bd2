//! A recorded request, with accessors for tests.

use std::time::Duration;

use serde_json::Value;

use super::authority;
use super::field::{RESPONSE, field, items, parts};
use super::tokens::Usage;
use crate::http::Incoming;

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A step of the conversation: the script answers it.
    Main,
    /// An auxiliary request of a client, such as whose turn it is, whether there is a
    /// loop, or which model to use. It declares no functions.
    Side,
    /// A count of tokens.
    Count,
    /// A list of models, or one of them.
    Models,
    /// A cache is made, read, listed, changed or deleted.
    Caches,
    /// An unknown method.
    Unknown,
}

/// A request that reached the fake.
#[derive(Clone, Debug)]
pub struct Request {
    /// The kind.
    pub kind: Kind,
    /// The HTTP method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// The headers, with names in lower case, and without the key.
    pub headers: Vec<(String, String)>,
    /// The body; null when it was not JSON.
    pub body: Value,
    /// When it was complete, since the start of the fake.
    pub at: Duration,
    /// The HTTP status of the answer; 0 if there was none.
    pub status: u16,
    /// The tokens, if content or a count was asked for and not refused.
    pub usage: Usage,
}

impl Request {
    pub(super) fn new(incoming: &Incoming, at: Duration) -> Self {
        Self {
            kind: Kind::Unknown,
            method: incoming.method.clone(),
            target: authority::without_key(&incoming.target),
            headers: authority::without_secrets(&incoming.headers),
            body: serde_json::from_slice(&incoming.body).unwrap_or(Value::Null),
            at,
            status: 0,
            usage: Usage::default(),
        }
    }

    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Every function declaration, in order.
    pub fn declarations(&self) -> Vec<&Value> {
        declarations(&self.body)
    }

    /// The declaration of `name`.
    #[track_caller]
    pub fn declaration(&self, name: &str) -> &Value {
        let declarations = self.declarations();
        let found = declarations.iter().find(|entry| entry["name"] == name);
        found.unwrap_or_else(|| {
            let names: Vec<_> = declarations.iter().map(|entry| &entry["name"]).collect();
            panic!("{name} is not declared, only {names:?}")
        })
    }

    /// The functionResponse parts of the last turn: the results of the latest calls.
    pub fn responses(&self) -> Vec<&Value> {
        let last = items(&self.body["contents"]).last();
        last.map_or_else(Vec::new, |content| parts(content, RESPONSE))
    }
}

/// The function declarations of a request or a cache.
pub(super) fn declarations(body: &Value) -> Vec<&Value> {
    let tools = items(&body["tools"]);
    tools
        .iter()
        .flat_map(|tool| items(field(tool, "functionDeclarations")))
        .collect()
}
