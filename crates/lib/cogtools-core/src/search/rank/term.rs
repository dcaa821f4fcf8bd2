//! Meanings of the words and phrases of a request.

use super::Index;
use crate::search::query::Word;
use crate::search::text::similarity;
use crate::search::verb::Verbs;
use crate::search::words::WORDS;
use crate::suggest::nearest;

/// The weight of a phrase.
const PHRASE_WEIGHT: f64 = 0.8;
/// The weight of a word in a value.
const VALUE_WEIGHT: f64 = 0.25;
/// The weight of a word for a kind of operation, besides what the kind says.
const VERB_WEIGHT: f64 = 0.5;
/// The weight of a word that is only similar to the request's.
const SIMILAR_WEIGHT: f64 = 0.5;
/// The least similarity of a misspelt word.
const MIN_SIMILARITY: f64 = 0.75;

/// One word or phrase of the request.
#[derive(Debug)]
pub(super) struct Term {
    pub(super) meanings: Vec<Meaning>,
    /// Its importance.
    pub(super) weight: f64,
    /// True if a tool without it fits less.
    pub(super) is_needed: bool,
}

/// Stems that some tools have.
#[derive(Debug)]
pub(super) struct Meaning {
    /// The stems, each with its rarity among the tools.
    pub(super) stems: Vec<(String, f64)>,
    /// The certainty that it is meant.
    pub(super) weight: f64,
}

impl Term {
    /// Returns true if tools have this word or phrase itself, or one that is nearly the same.
    pub(super) fn is_known(&self) -> bool {
        let mut weights = self.meanings.iter().map(|meaning| meaning.weight);
        weights.any(|weight| weight >= SIMILAR_WEIGHT)
    }
}

impl Index {
    /// Returns the terms of a request of these `words`.
    pub(super) fn terms(&self, words: &[Word]) -> Vec<Term> {
        let said = words.iter().filter(|word| !word.is_value);
        let said: Vec<&str> = said.map(|word| word.stem.as_str()).collect();
        let phrases = WORDS.phrases(&said).into_iter().map(|senses| {
            let meant = senses.iter().filter_map(|it| self.meaning(&it.stems, 1.0));
            Term {
                meanings: meant.collect(),
                weight: PHRASE_WEIGHT,
                is_needed: true,
            }
        });
        let mut terms: Vec<Term> = phrases.filter(|it| !it.meanings.is_empty()).collect();
        let mut seen: Vec<&str> = Vec::new();
        for word in words.iter().filter(|word| !word.is_stop) {
            if !seen.contains(&word.stem.as_str()) {
                seen.push(&word.stem);
                terms.push(self.word(word));
            }
        }
        terms
    }

    fn word(&self, word: &Word) -> Term {
        let is_verb = Verbs::is_verb(&word.stem);
        let weight = if is_verb { VERB_WEIGHT } else { 1.0 };
        let own = self.meaning(std::slice::from_ref(&word.stem), weight);
        let mut meanings: Vec<Meaning> = own.into_iter().collect();
        if !word.is_value {
            let senses = WORDS.of(&word.stem).iter();
            meanings.extend(senses.filter_map(|sense| self.meaning(&sense.stems, sense.weight)));
            if meanings.is_empty() && !is_verb {
                meanings = self.similar(&word.stem);
            }
        }
        Term {
            weight: if word.is_value { VALUE_WEIGHT } else { 1.0 },
            // An operation that no tool has says nothing against them.
            is_needed: !(word.is_value || meanings.is_empty() && is_verb),
            meanings,
        }
    }

    /// Returns `stems` with this weight, if tools have all of them.
    fn meaning(&self, stems: &[String], weight: f64) -> Option<Meaning> {
        let is_known = |stem: &String| self.frequencies.contains_key(stem);
        let known = stems.iter().all(is_known).then(|| {
            let rarities = stems.iter().map(|stem| self.rarity_of(stem));
            stems.iter().cloned().zip(rarities).collect()
        });
        known.map(|stems| Meaning { stems, weight })
    }

    /// Returns the stems of the tools that are longer or shorter forms of `stem`, or else misspelt.
    fn similar(&self, stem: &str) -> Vec<Meaning> {
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
            .filter_map(|(other, weight)| self.meaning(&[other.to_owned()], weight))
            .collect()
    }
}
