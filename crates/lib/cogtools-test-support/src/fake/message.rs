//! The messages of the API: which fields each has, in either spelling.

use serde_json::Value;

use super::field::snake;

/// The type of a field.
#[derive(Clone, Copy)]
enum Holds {
    /// Anything: a scalar, or JSON that the API does not look into.
    Any,
    /// One of these names.
    Name(&'static [&'static str]),
    /// A message, or a list of messages.
    Message(&'static Message),
    /// A declaration or a schema, which has rules of its own.
    Checked,
}

/// The fields of a message.
pub(super) struct Message(&'static [(&'static str, Holds)]);

use Holds::{Any, Checked, Name};

/// A request for content.
pub(super) const GENERATE: Message = Message(&[
    ("model", Any),
    ("contents", Holds::Message(&CONTENT)),
    ("systemInstruction", Holds::Message(&CONTENT)),
    ("tools", Holds::Message(&TOOL)),
    ("toolConfig", Holds::Message(&TOOL_CONFIG)),
    ("generationConfig", Holds::Message(&GENERATION)),
    ("safetySettings", Holds::Message(&SAFETY)),
    ("cachedContent", Any),
    ("labels", Any),
]);

/// A request for a count of tokens.
pub(super) const COUNT: Message = Message(&[
    ("contents", Holds::Message(&CONTENT)),
    ("generateContentRequest", Holds::Message(&GENERATE)),
    // These three only on Vertex AI.
    ("systemInstruction", Holds::Message(&CONTENT)),
    ("tools", Holds::Message(&TOOL)),
    ("generationConfig", Holds::Message(&GENERATION)),
]);

/// A cache.
pub(super) const CACHE: Message = Message(&[
    ("name", Any),
    ("model", Any),
    ("displayName", Any),
    ("contents", Holds::Message(&CONTENT)),
    ("systemInstruction", Holds::Message(&CONTENT)),
    ("tools", Holds::Message(&TOOL)),
    ("toolConfig", Holds::Message(&TOOL_CONFIG)),
    ("ttl", Any),
    ("expireTime", Any),
]);

const CONTENT: Message = Message(&[("role", Any), ("parts", Holds::Message(&PART))]);

/// The data of a part, of which it has exactly one.
pub(super) const DATA: [&str; 7] = [
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
];

const PART: Message = Message(&[
    ("text", Any),
    ("inlineData", Holds::Message(&BLOB)),
    ("fileData", Holds::Message(&FILE)),
    ("functionCall", Holds::Message(&CALL)),
    ("functionResponse", Holds::Message(&RESPONSE)),
    ("executableCode", Any),
    ("codeExecutionResult", Any),
    ("thought", Any),
    ("thoughtSignature", Any),
    ("videoMetadata", Any),
    ("partMetadata", Any),
    ("mediaResolution", Any),
]);

const BLOB: Message = Message(&[("mimeType", Any), ("data", Any), ("displayName", Any)]);
const FILE: Message = Message(&[("mimeType", Any), ("fileUri", Any), ("displayName", Any)]);
const CALL: Message = Message(&[("id", Any), ("name", Any), ("args", Any)]);
const RESPONSE: Message = Message(&[
    ("id", Any),
    ("name", Any),
    ("response", Any),
    ("parts", Any),
    ("willContinue", Any),
    ("scheduling", Any),
]);

const TOOL: Message = Message(&[
    ("functionDeclarations", Checked),
    ("googleSearch", Any),
    ("googleSearchRetrieval", Any),
    ("googleMaps", Any),
    ("codeExecution", Any),
    ("urlContext", Any),
    ("fileSearch", Any),
    ("computerUse", Any),
    ("mcpServers", Any),
]);

/// The modes of function calling.
const MODES: [&str; 5] = ["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"];

const TOOL_CONFIG: Message = Message(&[
    (
        "functionCallingConfig",
        Holds::Message(&Message(&[
            ("mode", Name(&MODES)),
            ("allowedFunctionNames", Any),
            ("streamFunctionCallArguments", Any),
        ])),
    ),
    ("retrievalConfig", Any),
    ("includeServerSideToolInvocations", Any),
]);

const SAFETY: Message = Message(&[("category", Any), ("threshold", Any), ("method", Any)]);

const GENERATION: Message = Message(&[
    ("temperature", Any),
    ("topP", Any),
    ("topK", Any),
    ("seed", Any),
    ("candidateCount", Any),
    ("maxOutputTokens", Any),
    ("stopSequences", Any),
    ("responseMimeType", Any),
    ("responseSchema", Checked),
    ("responseJsonSchema", Checked),
    ("responseModalities", Any),
    ("responseLogprobs", Any),
    ("logprobs", Any),
    ("presencePenalty", Any),
    ("frequencyPenalty", Any),
    ("mediaResolution", Any),
    ("speechConfig", Any),
    ("imageConfig", Any),
    ("enableEnhancedCivicAnswers", Any),
    (
        "thinkingConfig",
        Holds::Message(&Message(&[
            ("includeThoughts", Any),
            ("thinkingBudget", Any),
            (
                "thinkingLevel",
                Name(&[
                    "THINKING_LEVEL_UNSPECIFIED",
                    "MINIMAL",
                    "LOW",
                    "MEDIUM",
                    "HIGH",
                ]),
            ),
        ])),
    ),
]);

impl Message {
    /// Complains about every field of `value` that the message does not have, and about
    /// names that are not the API's. `at` is empty for the request itself.
    pub(super) fn check(&self, value: &Value, at: &str, complaints: &mut Vec<String>) {
        let Some(object) = value.as_object() else {
            complaints.push(format!("Invalid value at '{at}': not an object"));
            return;
        };
        for (name, value) in object {
            let known = self
                .0
                .iter()
                .find(|(camel, _)| name == camel || *name == snake(camel));
            let Some((camel, holds)) = known else {
                complaints.push(unknown(name, at));
                continue;
            };
            let canonical = snake(camel);
            let is_set = |name: &str| object.get(name).is_some_and(|value| !value.is_null());
            if *name != canonical && is_set(name) && is_set(&canonical) {
                complaints.push(format!("{canonical}: set twice, in both spellings"));
            }
            let at = join(at, &canonical);
            match holds {
                Any | Checked => {}
                Name(names) => {
                    let is_name = value
                        .as_str()
                        .is_some_and(|value| names.contains(&value.to_ascii_uppercase().as_str()));
                    if !is_name {
                        complaints.push(format!("Invalid value at '{at}': {value}"));
                    }
                }
                Holds::Message(message) => message.each(value, &at, complaints),
            }
        }
    }

    fn each(&self, value: &Value, at: &str, complaints: &mut Vec<String>) {
        match value.as_array() {
            Some(list) => {
                for (index, value) in list.iter().enumerate() {
                    self.check(value, &format!("{at}[{index}]"), complaints);
                }
            }
            None => self.check(value, at, complaints),
        }
    }
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() {
        name.to_owned()
    } else {
        format!("{at}.{name}")
    }
}

/// The API's complaint about a field that it does not have.
pub(super) fn unknown(name: &str, at: &str) -> String {
    let at = if at.is_empty() {
        String::new()
    } else {
        format!(" at '{at}'")
    };
    format!("Invalid JSON payload received. Unknown name \"{name}\"{at}: Cannot find field.")
}
