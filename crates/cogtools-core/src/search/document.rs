//! A tool as the search sees it: stems with weights.

use std::collections::BTreeMap;

use serde_json::Value;

use super::stem::stem;
use super::synonyms::is_stop_word;
use super::tokens::tokens;
use crate::Tool;

/// The weights of the parts of a tool. They were chosen by trial, with questions about the
/// tools of a dozen servers.
const NAME: f64 = 4.0;
const TITLE: f64 = 2.0;
const BEGINNING: f64 = 2.0;
const DESCRIPTION: f64 = 0.5;
const PARAMETER: f64 = 0.4;
const PARAMETER_DESCRIPTION: f64 = 0.2;
/// How much one stem counts towards the length of a tool.
const MAX_STEM_LENGTH: f64 = 3.0;

/// The beginning of a description says what the tool does, the rest how; in bytes.
const BEGINNING_BYTES: usize = 80;
const DESCRIPTION_BYTES: usize = 600;
const PARAMETER_BYTES: usize = 200;

/// The stems of one tool.
pub(super) struct Document {
    /// With their weights.
    pub(super) stems: BTreeMap<String, f64>,
    /// Those of the name.
    pub(super) name: Vec<String>,
    pub(super) length: f64,
}

impl Document {
    pub(super) fn of(tool: &Tool) -> Self {
        let name = tool.name().as_str();
        let mut document = Self {
            stems: BTreeMap::new(),
            name: tokens(name).iter().map(|token| stem(token)).collect(),
            length: 0.0,
        };
        document.add(name, NAME);
        document.add(tool.title().unwrap_or_default(), TITLE);
        for capability in tool.capabilities() {
            document.add(&capability, TITLE);
        }
        let (beginning, rest) = split(tool.description(), BEGINNING_BYTES);
        document.add(beginning, BEGINNING);
        document.add(split(rest, DESCRIPTION_BYTES).0, DESCRIPTION);
        document.add(
            tool.provenance().toolset.as_deref().unwrap_or_default(),
            DESCRIPTION,
        );
        let properties = tool.schema().as_object().get("properties");
        for (name, schema) in properties.and_then(Value::as_object).into_iter().flatten() {
            document.add(name, PARAMETER);
            let description = schema.get("description").and_then(Value::as_str);
            let description = description.unwrap_or_default();
            document.add(split(description, PARAMETER_BYTES).0, PARAMETER_DESCRIPTION);
        }
        let lengths = document
            .stems
            .values()
            .map(|weight| weight.min(MAX_STEM_LENGTH));
        document.length = lengths.sum();
        document
    }

    fn add(&mut self, text: &str, weight: f64) {
        for token in tokens(text).iter().filter(|token| !is_stop_word(token)) {
            *self.stems.entry(stem(token)).or_default() += weight;
        }
    }
}

/// `text` split after at most this many bytes.
fn split(text: &str, bytes: usize) -> (&str, &str) {
    text.split_at(text.floor_char_boundary(bytes))
}
