//! The arguments of a call, word for word as the client wrote them.
//!
//! The protocol's own reader takes any JSON: of a key that stands twice it keeps
//! the last. `cogtools-call` refuses that, so the server reads the same text with
//! the same reader.

use cogtools_core::Diagnostic;
use cogtools_core::arguments::{Arguments, Syntax};
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The text of a call's arguments.
#[derive(Clone, Debug)]
pub(crate) struct Given(Box<str>);

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

impl Given {
    /// The arguments in a request, if it is one and has some.
    pub(crate) fn of(request: &[u8]) -> Option<Self> {
        let request: Request<'_> = serde_json::from_slice(request).ok()?;
        let arguments = request.params?.arguments?;
        Some(Self(arguments.get().into()))
    }

    /// The same as JSON that has been read before.
    pub(crate) fn from_object(object: Option<JsonObject>) -> Self {
        let text = object.map(|object| serde_json::Value::Object(object).to_string());
        Self(text.unwrap_or_default().into())
    }

    /// Reads them as every call's arguments are read.
    pub(crate) fn read(self) -> Result<Arguments, Vec<Diagnostic>> {
        let read = Arguments::read(self.0.into_string().into_bytes(), Syntax::Json);
        read.map_err(|error| {
            let mut diagnostic = error.diagnostic();
            // Here nothing comes on standard input.
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
    fn arguments_are_taken_word_for_word() {
        let check = |request: &str, expected: Option<&str>| {
            let given = Given::of(request.as_bytes()).map(|given| given.0.into_string());
            assert_eq!(given.as_deref(), expected, "{request}");
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
    fn a_key_that_stands_twice_is_refused() {
        let given = Given(r#"{"a":1,"a":2}"#.into());
        let diagnostics = given.read().expect_err("`a` stands twice");
        assert_eq!(diagnostics[0].hints, [Hint::from(HINT)]);
    }
}
