//! A tool as the search sees it: stems with weights.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::query::is_stop_word;
use super::sources::Sources;
use super::stem::stem;
use super::tokens::tokens;
use super::verb::Verbs;
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
/// How many parameters are read, and how many values of each.
const MAX_PARAMETERS: usize = 40;
const MAX_VALUES: usize = 20;

/// The stems of one tool.
pub(super) struct Document {
    /// With their weights.
    pub(super) stems: BTreeMap<String, f64>,
    /// Those of the name, without what its source's names have in common.
    pub(super) name: Vec<String>,
    /// Those of the names of the parameters.
    pub(super) parameters: BTreeSet<String>,
    /// What it does.
    pub(super) verbs: Verbs,
    pub(super) length: f64,
}

impl Document {
    pub(super) fn of(tool: &Tool, sources: &Sources) -> Self {
        let mut name = sources.own_name(tool);
        let verbs = Verbs::of_tool(tool, &name);
        name.dedup();
        let mut document = Self {
            stems: BTreeMap::new(),
            name,
            verbs,
            parameters: BTreeSet::new(),
            length: 0.0,
        };
        document.add(tool.name().as_str(), NAME);
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
        let properties = properties.and_then(Value::as_object).into_iter().flatten();
        for (name, schema) in properties.take(MAX_PARAMETERS) {
            document.add_parameter(name, schema);
        }
        let lengths = document
            .stems
            .values()
            .map(|weight| weight.min(MAX_STEM_LENGTH));
        document.length = lengths.sum();
        document
    }

    fn add_parameter(&mut self, name: &str, schema: &Value) {
        let name = split(name, PARAMETER_BYTES).0;
        self.parameters
            .extend(tokens(name).iter().map(|token| stem(token)));
        self.add(name, PARAMETER);
        let description = schema.get("description").and_then(Value::as_str);
        let description = description.unwrap_or_default();
        self.add(split(description, PARAMETER_BYTES).0, PARAMETER_DESCRIPTION);
        let values = schema.get("enum").and_then(Value::as_array);
        let values = values.into_iter().flatten().filter_map(Value::as_str);
        for value in values.take(MAX_VALUES) {
            self.add(split(value, PARAMETER_BYTES).0, PARAMETER);
        }
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
