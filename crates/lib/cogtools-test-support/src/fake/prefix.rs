//! The beginnings of earlier prompts, which the API caches without being asked.

use super::model::Model;

/// The prompts so far: for each the model, and its pieces with their tokens.
#[derive(Debug, Default)]
pub(super) struct Prefixes(Vec<(String, Vec<(String, u64)>)>);

impl Prefixes {
    /// The tokens that `prompt` has in common with the beginning of an earlier one of the
    /// model; none if they are fewer than the model's smallest cache.
    pub(super) fn cached(&mut self, model: &Model, prompt: Vec<(String, u64)>) -> u64 {
        let earlier = self.0.iter().filter(|(name, _)| name == model.name());
        let common = |(_, earlier): &(String, Vec<(String, u64)>)| -> u64 {
            let pairs = earlier.iter().zip(&prompt);
            let same = pairs.take_while(|(one, other)| one == other);
            same.map(|(piece, _)| piece.1).sum()
        };
        let cached = earlier.map(common).max().unwrap_or_default();
        self.0.push((model.name().to_owned(), prompt));
        if cached < model.smallest_cache() {
            0
        } else {
            cached
        }
    }
}
