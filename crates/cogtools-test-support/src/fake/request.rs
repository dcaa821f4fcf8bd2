//! A recorded request, with accessors for tests.

use serde_json::Value;

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
    /// A list of models.
    Models,
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
    /// The body; null when it was not JSON.
    pub body: Value,
}

impl Request {
    pub(super) fn new(incoming: &Incoming) -> Self {
        let body = serde_json::from_slice(&incoming.body).unwrap_or(Value::Null);
        let mut request = Self {
            kind: Kind::Unknown,
            method: incoming.method.clone(),
            target: incoming.target.clone(),
            body,
        };
        let path = incoming.path();
        let operation = path.rsplit(':').next().unwrap_or_default();
        request.kind = match (incoming.method.as_str(), operation) {
            ("POST", "generateContent" | "streamGenerateContent") => {
                if request.declarations().is_empty() {
                    Kind::Side
                } else {
                    Kind::Main
                }
            }
            ("POST", "countTokens") => Kind::Count,
            ("GET", _) if path.ends_with("/models") => Kind::Models,
            _ => Kind::Unknown,
        };
        request
    }

    /// Every function declaration, in order.
    pub fn declarations(&self) -> Vec<&Value> {
        let tools = items(field(&self.body, "tools", "tools"));
        tools
            .iter()
            .flat_map(|tool| items(field(tool, "functionDeclarations", "function_declarations")))
            .collect()
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

/// The two spellings of a part's field.
pub(super) type Field = (&'static str, &'static str);

/// A function's response.
pub(super) const RESPONSE: Field = ("functionResponse", "function_response");

/// A function's call.
pub(super) const CALL: Field = ("functionCall", "function_call");

/// The values that the parts of `content` carry under `name`.
pub(super) fn parts(content: &Value, name: Field) -> Vec<&Value> {
    let parts = items(&content["parts"]).iter();
    parts
        .map(|part| field(part, name.0, name.1))
        .filter(|value| !value.is_null())
        .collect()
}

/// The elements of an array; none of anything else.
pub(super) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A field in either spelling, because clients send both.
pub(super) fn field<'v>(value: &'v Value, camel: &str, snake: &str) -> &'v Value {
    if value[camel].is_null() {
        &value[snake]
    } else {
        &value[camel]
    }
}
