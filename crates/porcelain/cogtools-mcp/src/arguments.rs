//! The arguments that a client sends, before their tool is known.

use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::{Diagnostic, Tool};
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The arguments, by the request that contains them.
#[derive(Debug)]
pub(crate) enum ClientArguments {
    /// Arguments of `tools/call`.
    OfCall(RawArguments),
    /// Arguments of `prompts/get`, which are all strings.
    OfPrompt(JsonObject),
}

/// The text of the arguments of a call, as the client wrote them.
///
/// The parser of the protocol accepts duplicate keys: the last one wins. To reject
/// them, as `cogtools-call` does, the server parses the same text with the same
/// parser.
#[derive(Clone, Debug)]
pub(crate) struct RawArguments(Box<str>);

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

impl ClientArguments {
    /// Reads the arguments for a call of `tool`.
    pub(crate) fn parse(self, tool: &Tool) -> Result<Arguments, Vec<Diagnostic>> {
        match self {
            Self::OfCall(arguments) => arguments.parse(),
            Self::OfPrompt(arguments) => {
                let arguments = arguments.into_iter().map(|(name, value)| {
                    let value = of_prompt(tool, &name, value);
                    (name, value)
                });
                Ok(Arguments::from(arguments.collect::<JsonObject>()))
            }
        }
    }
}

/// Returns the value of an argument of a prompt: if its type is not a string, the text is JSON.
fn of_prompt(tool: &Tool, name: &str, value: Value) -> Value {
    let schema = tool.schema().at(std::iter::once(name));
    let kind = schema.and_then(|schema| schema.get("type")?.as_str());
    match (&value, kind) {
        (Value::String(text), Some(kind)) if kind != "string" => {
            serde_json::from_str(text).unwrap_or(value)
        }
        _ => value,
    }
}

impl RawArguments {
    /// Returns the arguments in a request, if it has some.
    pub(crate) fn from_request(request: &[u8]) -> Option<Self> {
        let request: Request<'_> = serde_json::from_slice(request).ok()?;
        Some(Self(request.params?.arguments?.get().into()))
    }

    /// Returns the arguments as JSON that was already parsed.
    pub(crate) fn from_object(object: Option<JsonObject>) -> Self {
        let text = object.map(|object| Value::Object(object).to_string());
        Self(text.unwrap_or_default().into())
    }

    fn parse(self) -> Result<Arguments, Vec<Diagnostic>> {
        let parsed = Arguments::read(self.0.into_string().into_bytes(), Syntax::Json);
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
            assert_eq!(found.as_ref().map(|raw| &*raw.0), expected, "{request}");
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
        let arguments = RawArguments(r#"{"a":1,"a":2}"#.into());
        let diagnostics = arguments.parse().expect_err("`a` is a duplicate key");
        assert_eq!(diagnostics[0].hints, [Hint::from(HINT)]);
    }
}
