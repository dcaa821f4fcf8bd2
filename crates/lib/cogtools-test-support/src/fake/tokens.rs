//! A count of tokens that is simple, always the same, and grows with the text: four
//! characters are a token.

use serde_json::{Value, json};

use super::field::{field, items};

/// The tokens of an image or a file, as the API counts the smallest image.
const MEDIA: u64 = 258;

/// The tokens of a request and of the answer to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The whole prompt, with what was cached.
    pub prompt: u64,
    /// The part of the prompt that came from a cache.
    pub cached: u64,
    /// The model's thoughts.
    pub thoughts: u64,
    /// The model's answer.
    pub answer: u64,
}

impl Usage {
    /// The `usageMetadata` of a response.
    pub(super) fn metadata(self) -> Value {
        let details = |tokens: u64| json!([{ "modality": "TEXT", "tokenCount": tokens }]);
        let mut metadata = json!({
            "promptTokenCount": self.prompt,
            "totalTokenCount": self.prompt + self.thoughts + self.answer,
            "promptTokensDetails": details(self.prompt),
        });
        if self.answer > 0 {
            metadata["candidatesTokenCount"] = self.answer.into();
        }
        if self.thoughts > 0 {
            metadata["thoughtsTokenCount"] = self.thoughts.into();
        }
        if self.cached > 0 {
            metadata["cachedContentTokenCount"] = self.cached.into();
            metadata["cacheTokensDetails"] = details(self.cached);
        }
        metadata
    }
}

impl std::ops::Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            prompt: self.prompt + other.prompt,
            cached: self.cached + other.cached,
            thoughts: self.thoughts + other.thoughts,
            answer: self.answer + other.answer,
        }
    }
}

/// The tokens of a prompt, piece by piece in the order in which a model reads it: tools,
/// the system's instruction, contents. `body` is a request or a cache.
pub(super) fn pieces(body: &Value) -> Vec<(String, u64)> {
    let mut pieces = Vec::new();
    for tool in items(&body["tools"]) {
        pieces.push((tool.to_string(), of_text(&tool.to_string())));
    }
    let system = field(body, "systemInstruction");
    if !system.is_null() {
        pieces.push((system.to_string(), of_content(system)));
    }
    for content in items(&body["contents"]) {
        pieces.push((content.to_string(), of_content(content)));
    }
    pieces
}

/// The tokens of a prompt.
pub(super) fn of_prompt(body: &Value) -> u64 {
    pieces(body).iter().map(|(_, tokens)| tokens).sum()
}

/// The tokens of a content; of parts that a model wrote as well.
pub(super) fn of_content(content: &Value) -> u64 {
    items(&content["parts"]).iter().map(of_part).sum()
}

/// The tokens of one part; its signature does not count.
pub(super) fn of_part(part: &Value) -> u64 {
    if let Some(text) = part["text"].as_str() {
        return of_text(text);
    }
    if !field(part, "inlineData").is_null() || !field(part, "fileData").is_null() {
        return MEDIA;
    }
    let data = part.as_object().into_iter().flatten();
    let data = data
        .filter(|(name, _)| !["thoughtSignature", "thought_signature"].contains(&name.as_str()));
    data.map(|(_, value)| of_text(&value.to_string())).sum()
}

fn of_text(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4)
}
