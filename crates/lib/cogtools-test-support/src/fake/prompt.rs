//! A prompt: a request for content together with its cache.

use serde_json::Value;

use super::cache::Cache;
use super::field::{field, items};
use super::mode::Mode;
use super::model::Model;
use super::request::declarations;
use super::{declaration, generation, message, rules, tokens};

/// Keys of a cache that a request with this cache must not repeat.
const CACHED: [&str; 3] = ["systemInstruction", "tools", "toolConfig"];

/// The text that a model reads.
#[derive(Debug)]
pub(super) struct Prompt<'r> {
    body: &'r Value,
    model: &'r Model,
    cache: Option<&'r Cache>,
}

impl<'r> Prompt<'r> {
    pub(super) fn new(body: &'r Value, model: &'r Model, cache: Option<&'r Cache>) -> Self {
        Self { body, model, cache }
    }

    /// All reasons for which the API would refuse it, apart from signatures.
    pub(super) fn complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        if !self.body.is_object() {
            return vec!["Invalid JSON payload received. Not an object.".to_owned()];
        }
        message::GENERATE.check(self.body, "", &mut complaints);
        self.check_cache(&mut complaints);
        let cached = self
            .cache
            .map_or(&[][..], |cache| items(&cache.body["contents"]));
        rules::check(cached, items(&self.body["contents"]), &mut complaints);
        let declared = self.declared();
        declaration::check(&declared, &mut complaints);
        let names: Vec<&str> = names(&declared).collect();
        self.mode().check(&names, &mut complaints);
        generation::check(field(self.body, "generationConfig"), &mut complaints);
        complaints
    }

    fn check_cache(&self, complaints: &mut Vec<String>) {
        let Some(cache) = self.cache else {
            return;
        };
        if cache.model != self.model.name() {
            complaints.push(format!(
                "Model used by GenerateContent request (models/{}) and CachedContent \
                 (models/{}) has to be the same.",
                self.model.name(),
                cache.model
            ));
        }
        if CACHED.iter().any(|name| !field(self.body, name).is_null()) {
            complaints.push(
                "CachedContent can not be used with GenerateContent request setting \
                 system_instruction, tools or tool_config."
                    .to_owned(),
            );
        }
    }

    /// The whole conversation.
    pub(super) fn contents(&self) -> Vec<Value> {
        let cached = self
            .cache
            .map_or(&[][..], |cache| items(&cache.body["contents"]));
        [cached, items(&self.body["contents"])].concat()
    }

    /// The declared functions.
    pub(super) fn declared(&self) -> Vec<&'r Value> {
        let cached = self.cache.map(|cache| declarations(&cache.body));
        let own = declarations(self.body);
        cached.into_iter().flatten().chain(own).collect()
    }

    /// The reasons for which no model would answer with these calls.
    pub(super) fn contradictions(&self, calls: &[&str]) -> Vec<String> {
        let declared = self.declared();
        let is_declared = |call: &str| names(&declared).any(|name| name == call);
        let unknown = calls.iter().filter(|call| !is_declared(call));
        let mut reasons: Vec<String> = unknown
            .map(|call| format!("calls {call}, which is not declared"))
            .collect();
        reasons.extend(self.mode().disobeyed(calls));
        reasons
    }

    pub(super) fn tokens(&self) -> u64 {
        tokens::of_prompt(self.body) + self.cached()
    }

    /// The tokens of its cache.
    pub(super) fn cached(&self) -> u64 {
        self.cache.map_or(0, |cache| cache.tokens)
    }

    fn mode(&self) -> Mode<'r> {
        let own = field(self.body, "toolConfig");
        match self.cache {
            Some(cache) if own.is_null() => Mode::read(field(&cache.body, "toolConfig")),
            _ => Mode::read(own),
        }
    }
}

fn names<'v>(declared: &[&'v Value]) -> impl Iterator<Item = &'v str> {
    let names = declared.iter().map(|entry| entry["name"].as_str());
    names.flatten().collect::<Vec<_>>().into_iter()
}
