//! The arguments of a call as the client wrote them.
//!
//! The protocol's own parser accepts duplicate keys: the last one wins. To reject
//! them, as `cogtools-call` does, the server parses the same text with the same
//! parser.

use cogtools_core::Diagnostic;
use cogtools_core::arguments::{Arguments, Syntax};
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The text of a call's arguments.
#[derive(Clone, Debug)]
pub(crate) struct RawArguments {
    text: Box<str>,
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    params: Option<Params<'a>>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl RawArguments {
    /// The arguments in a request, if it has some.
    pub(crate) fn from_request(request: &[u8]) -> Option<Self> {
        let request: Request<'_> = serde_json::from_slice(request).ok()?;
        let arguments = request.params?.arguments?;
        Some(Self::new(arguments.get()))
    }

    /// The arguments as JSON that was already parsed.
    pub(crate) fn from_object(object: Option<JsonObject>) -> Self {
        let text = object.map(|object| serde_json::Value::Object(object).to_string());
        Self::new(text.unwrap_or_default())
    }

    fn new(text: impl Into<Box<str>>) -> Self {
        Self { text: text.into() }
    }

    /// Parses them as every program does.
    pub(crate) fn parse(self) -> Result<Arguments, Vec<Diagnostic>> {
        let parsed = Arguments::read(self.text.into_string().into_bytes(), Syntax::Json);
        parsed.map_err(|error| {
            let mut diagnostic = error.diagnostic();
            // The general hint is about standard input.
            diagnostic.hints = vec![HINT.into()];
            diagnostic.location = None;
            vec![diagnostic]
        })
    }
}

const HINT: &str =
    r#"send `arguments` as one JSON object with each key once, such as {"name": "value"}"#;

#[cfg(test)]
mod tests {
    use cogtools_core::Hint;

    use super::*;

    #[test]
    fn arguments_are_taken_verbatim() {
        let check = |request: &str, expected: Option<&str>| {
            let found = RawArguments::from_request(request.as_bytes());
            assert_eq!(found.as_ref().map(|raw| &*raw.text), expected, "{request}");
        };
        check(
            r#"{"params":{"arguments":{"a":1,"a": 2}}}"#,
            Some(r#"{"a":1,"a": 2}"#),
        );
        check(r#"{"params":{"arguments":"x"},"id":1}"#, Some(r#""x""#));
        check(r#"{"params":{"name":"x"}}"#, None);
        check(r#"{"id":1}"#, None);
        check("[]", None);
    }

    #[test]
    fn a_duplicate_key_is_rejected() {
        let arguments = RawArguments::new(r#"{"a":1,"a":2}"#);
        let diagnostics = arguments.parse().expect_err("`a` is a duplicate key");
        assert_eq!(diagnostics[0].hints, [Hint::from(HINT)]);
    }
}
