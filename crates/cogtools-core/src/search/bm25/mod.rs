//! The ranking of tools for a query.
//!
//! Okapi BM25 over weighted fields: a stem counts more if it is rare among the tools, if it is
//! in the name, and if the rest is short. Synonyms of the query's words count less. A word that
//! no tool has is replaced by the most similar words of the tools.

use std::collections::BTreeMap;

use super::document::Document;
use super::stem::stem;
use super::synonyms::{is_stop_word, meanings, synonyms};
use super::tokens::{similarity, tokens};
use crate::Tool;
use crate::suggest::nearest;

/// BM25's `k1`: how soon repetitions of a stem stop to matter.
const SATURATION: f64 = 1.2;
/// BM25's `b`: how much a long description counts against a tool.
const LENGTH_WEIGHT: f64 = 0.4;
/// The weight of a synonym.
const SYNONYM_WEIGHT: f64 = 0.55;
/// The weight of what a phrase means.
const MEANING_WEIGHT: f64 = 0.8;
/// The weight of a word that is only similar to the query's.
const SIMILAR_WEIGHT: f64 = 0.5;
/// The gain of a tool all of whose name is in the query.
const NAME_GAIN: f64 = 1.2;
/// How similar a misspelt word is at least.
const MIN_SIMILARITY: f64 = 0.75;
/// How many words of a query are used.
const MAX_QUERY_TOKENS: usize = 32;
/// The part of the score of a perfect match below which a tool does not fit.
const MIN_FIT: f64 = 0.35;
/// The part of the best score below which a tool is not shown.
const MIN_PART: f64 = 0.2;
/// The most that a word that no tool has can cost a match.
const MAX_RARITY: f64 = 6.0;

/// One word of the query: the stems that it can stand for.
type Term = Vec<Meaning>;

/// A stem that some tool has.
struct Meaning {
    stem: String,
    /// How surely it is meant.
    weight: f64,
    /// How rare it is among the tools.
    rarity: f64,
}

/// The indices of the `tools` that match `query`, best first. Ties keep their order,
/// as do all tools for a query without words.
pub(super) fn rank(query: &str, tools: &[Tool]) -> Vec<usize> {
    let mut words = tokens(query);
    words.truncate(MAX_QUERY_TOKENS);
    if words.is_empty() {
        return (0..tools.len()).collect();
    }
    let index = Index::new(tools);
    let terms = index.terms(&words);
    let scores: Vec<f64> = index
        .documents
        .iter()
        .map(|document| index.score(document, &terms))
        .collect();
    let best = scores.iter().copied().fold(0.0, f64::max);
    if best < MIN_FIT * index.perfect(&terms) {
        return Vec::new();
    }
    let mut ranked: Vec<usize> = (0..tools.len())
        .filter(|index| scores[*index] > 0.0 && scores[*index] >= MIN_PART * best)
        .collect();
    ranked.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
    ranked
}

struct Index {
    documents: Vec<Document>,
    average_length: f64,
    /// How many tools have each stem.
    frequencies: BTreeMap<String, usize>,
}

impl Index {
    fn new(tools: &[Tool]) -> Self {
        let documents: Vec<Document> = tools.iter().map(Document::of).collect();
        let total: f64 = documents.iter().map(|document| document.length).sum();
        let average_length = (total / count(documents.len())).max(1.0);
        let mut frequencies: BTreeMap<String, usize> = BTreeMap::new();
        for stem in documents.iter().flat_map(|document| document.stems.keys()) {
            *frequencies.entry(stem.clone()).or_default() += 1;
        }
        Self {
            documents,
            average_length,
            frequencies,
        }
    }

    /// What the `words` of a query ask for.
    fn terms(&self, words: &[String]) -> Vec<Term> {
        let synonyms = synonyms();
        let mut stems: Vec<String> = Vec::new();
        let meaningful: Vec<&String> = words.iter().filter(|word| !is_stop_word(word)).collect();
        // A query of stop words only is taken literally.
        let literal = words.iter().filter(|_| meaningful.is_empty());
        for word in meaningful.iter().copied().chain(literal) {
            let stem = stem(word);
            if !stems.contains(&stem) {
                stems.push(stem);
            }
        }
        let mut terms: Vec<Term> = Vec::new();
        for stem in &stems {
            let others = synonyms.get(stem).into_iter().flatten();
            let mut term: Term = self.meaning(stem, 1.0).into_iter().collect();
            term.extend(others.filter_map(|other| self.meaning(other, SYNONYM_WEIGHT)));
            terms.push(if term.is_empty() {
                self.similar(stem)
            } else {
                term
            });
        }
        for stem in meanings(words) {
            let mut all = terms.iter().flatten();
            let is_known = all.any(|it| it.stem == stem && it.weight >= MEANING_WEIGHT);
            let meaning = self.meaning(&stem, MEANING_WEIGHT);
            terms.extend(meaning.filter(|_| !is_known).map(|meaning| vec![meaning]));
        }
        terms
    }

    /// `stem` with this weight, if a tool has it.
    fn meaning(&self, stem: &str, weight: f64) -> Option<Meaning> {
        let having = *self.frequencies.get(stem)?;
        Some(Meaning {
            stem: stem.to_owned(),
            weight,
            rarity: self.rarity(having),
        })
    }

    /// The stems of the tools that are longer or shorter forms of `stem`, or else misspelt.
    fn similar(&self, stem: &str) -> Term {
        let all = || self.frequencies.keys().map(String::as_str);
        let forms = all().map(|other| (other, similarity(stem, other)));
        let mut found: Vec<(&str, f64)> = forms.filter(|(_, weight)| *weight > 0.0).collect();
        if found.is_empty() {
            let is_near = |other: &&str| {
                strsim::normalized_damerau_levenshtein(stem, other) >= MIN_SIMILARITY
            };
            let nearest = nearest(stem, all()).into_iter().filter(is_near);
            found = nearest.map(|other| (other, SIMILAR_WEIGHT)).collect();
        }
        let meanings = found.into_iter();
        meanings
            .filter_map(|(other, weight)| self.meaning(other, weight))
            .collect()
    }

    fn score(&self, document: &Document, terms: &[Term]) -> f64 {
        let length = 1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * document.length / self.average_length;
        let best = |term: &Term| {
            let scores = term.iter().map(|meaning| {
                let frequency = document
                    .stems
                    .get(&meaning.stem)
                    .copied()
                    .unwrap_or_default();
                let gain = frequency * (SATURATION + 1.0) / (frequency + SATURATION * length);
                meaning.weight * meaning.rarity * gain
            });
            scores.fold(0.0, f64::max)
        };
        let score: f64 = terms.iter().map(best).sum();
        let is_asked = |stem: &&String| terms.iter().flatten().any(|it| it.stem == **stem);
        let asked = count(document.name.iter().filter(is_asked).count());
        score * (1.0 + NAME_GAIN * asked / count(document.name.len().max(1)))
    }

    /// The score of a tool that has each term once; a word that only has a part in common with
    /// those of the tools is an unknown one.
    fn perfect(&self, terms: &[Term]) -> f64 {
        let rarest = |term: &Term| {
            let is_known = term.iter().any(|it| it.weight >= SIMILAR_WEIGHT);
            let unknown = if is_known { 0.0 } else { self.rarity(0) };
            let rarities = term.iter().map(|meaning| meaning.rarity);
            rarities.fold(unknown, f64::max).min(MAX_RARITY)
        };
        terms.iter().map(rarest).sum()
    }

    /// The rarity of a stem that this many tools have.
    fn rarity(&self, having: usize) -> f64 {
        let (all, having) = (count(self.documents.len()), count(having));
        (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
    }
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
