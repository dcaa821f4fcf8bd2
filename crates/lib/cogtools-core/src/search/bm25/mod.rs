//! The ranking of tools for a query.
//!
//! Okapi BM25 over weighted fields: a stem counts more if it is rare among the tools, if it is
//! in the name, and if the rest is short. To it come the kind of operation, the source, and
//! parameters for the values of the query.

mod fit;
mod term;

use std::collections::BTreeMap;

use self::term::{Meaning, Term};
use super::document::Document;
use super::query::Query;
use super::sources::Sources;
use super::verb::Verbs;
use crate::Tool;

/// BM25's `k1`: how soon repetitions of a stem stop to matter.
const SATURATION: f64 = 1.2;
/// BM25's `b`: how much a long description counts against a tool.
const LENGTH_WEIGHT: f64 = 0.4;
/// The weight of a parameter for a value of the query.
const VALUE_WEIGHT: f64 = 0.6;
/// The gain of a tool all of whose name is asked for.
const NAME_GAIN: f64 = 1.0;
/// How much of a verb of the name is asked for by another for the same kind of operation.
const VERB_ASKED: f64 = 0.5;
/// The gain of a tool that does what is asked for, and the loss of one that does not.
const VERB_GAIN: f64 = 0.3;
/// The gain of the tools of a source that is named.
const SOURCE_GAIN: f64 = 0.4;
/// The part of the best score below which a tool is not shown.
const MIN_PART: f64 = 0.2;

/// The indices of the `tools` that match `query`, best first. Ties keep their order,
/// as do all tools for a query without words.
pub(super) fn rank(query: &str, tools: &[Tool]) -> Vec<usize> {
    let query = Query::parse(query);
    if query.words.is_empty() && query.values.is_empty() {
        return (0..tools.len()).collect();
    }
    let index = Index::new(tools);
    let terms = index.terms(&query);
    let verbs = Verbs::of_request(&query.stems());
    let score = |(document, tool): (&Document, &Tool)| {
        let score = index.score(document, &terms, verbs) + index.value_score(document, &query);
        score * (1.0 + SOURCE_GAIN * index.named(tool, &terms))
    };
    let scores: Vec<f64> = index.documents.iter().zip(tools).map(score).collect();
    let mut ranked: Vec<usize> = (0..tools.len())
        .filter(|index| scores[*index] > 0.0)
        .collect();
    ranked.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
    let Some(best) = ranked.first().copied() else {
        return Vec::new();
    };
    let document = &index.documents[best];
    let is_taken = index.value_score(document, &query) > 0.0;
    if !index.fits(document, scores[best], &terms, is_taken) {
        return Vec::new();
    }
    ranked.retain(|index| scores[*index] >= MIN_PART * scores[best]);
    ranked
}

struct Index {
    documents: Vec<Document>,
    sources: Sources,
    average_length: f64,
    /// How many tools have each stem.
    frequencies: BTreeMap<String, usize>,
}

impl Index {
    fn new(tools: &[Tool]) -> Self {
        let sources = Sources::of(tools);
        let documents = tools.iter().map(|tool| Document::of(tool, &sources));
        let documents: Vec<Document> = documents.collect();
        let total: f64 = documents.iter().map(|document| document.length).sum();
        let average_length = (total / count(documents.len())).max(1.0);
        let mut frequencies: BTreeMap<String, usize> = BTreeMap::new();
        for stem in documents.iter().flat_map(|document| document.stems.keys()) {
            if let Some(known) = frequencies.get_mut(stem) {
                *known += 1;
            } else {
                frequencies.insert(stem.clone(), 1);
            }
        }
        Self {
            documents,
            sources,
            average_length,
            frequencies,
        }
    }

    fn score(&self, document: &Document, terms: &[Term], verbs: Verbs) -> f64 {
        let length = 1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * document.length / self.average_length;
        let gain = |(stem, rarity): &(String, f64)| {
            let frequency = document.stems.get(stem).copied().unwrap_or_default();
            rarity * frequency * (SATURATION + 1.0) / (frequency + SATURATION * length)
        };
        let of = |meaning: &Meaning| meaning.weight * meaning.stems.iter().map(gain).sum::<f64>();
        let best = |term: &Term| term.weight * term.meanings.iter().map(of).fold(0.0, f64::max);
        let score: f64 = terms.iter().map(best).sum();
        let fit = document.verbs.fit(verbs);
        score * (1.0 + NAME_GAIN * self.asked(document, terms, verbs)) * (1.0 + VERB_GAIN * fit)
    }

    /// How much of the name is asked for, from 0 to 1.
    fn asked(&self, document: &Document, terms: &[Term], verbs: Verbs) -> f64 {
        let (mut asked, mut all) = (0.0, 0.0);
        for stem in &document.name {
            let weights = terms.iter().flat_map(|term| {
                let is_meant = |it: &&Meaning| it.stems.iter().any(|(meant, _)| meant == stem);
                let meanings = term.meanings.iter().filter(is_meant);
                meanings.map(|meaning| meaning.weight * term.weight)
            });
            let rarity = self.rarity_of(stem);
            let least = if verbs.has(stem) { VERB_ASKED } else { 0.0 };
            asked += rarity * weights.fold(least, f64::max).min(1.0);
            all += rarity;
        }
        if all > 0.0 { asked / all } else { 0.0 }
    }

    /// How surely the source of `tool` is named, from 0 to 1.
    fn named(&self, tool: &Tool, terms: &[Term]) -> f64 {
        let Some(words) = self.sources.words(tool) else {
            return 0.0;
        };
        let weights = terms.iter().flat_map(|term| {
            let is_named = |it: &&Meaning| it.stems.iter().any(|(stem, _)| words.contains(stem));
            let meanings = term.meanings.iter().filter(is_named);
            meanings.map(|meaning| meaning.weight * term.weight)
        });
        weights.fold(0.0, f64::max).min(1.0)
    }

    /// What the parameters for the values of the query are worth: the most of one of them.
    fn value_score(&self, document: &Document, query: &Query) -> f64 {
        let stems = query.values.iter().flat_map(|value| &value.stems);
        let taken = stems.filter(|stem| document.parameters.contains(*stem));
        let rarities = taken.map(|stem| self.rarity_of(stem));
        VALUE_WEIGHT * rarities.fold(0.0, f64::max)
    }

    /// The rarity of `stem`. A word of sources tells them apart, not their tools.
    fn rarity_of(&self, stem: &str) -> f64 {
        let having = self.frequencies.get(stem).copied().unwrap_or_default();
        let own = rarity(having, self.documents.len());
        match self.sources.having(stem) {
            Some(having) => own.min(rarity(having, self.sources.count())),
            None => own,
        }
    }
}

/// The rarity of what this many of `all` have.
fn rarity(having: usize, all: usize) -> f64 {
    let (all, having) = (count(all), count(having));
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the number of tools fits in a double's mantissa"
)]
const fn count(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests;
