//! What the words and phrases of a query can stand for.

use super::Index;
use crate::search::query::{Query, Word};
use crate::search::tokens::similarity;
use crate::search::verb::Verbs;
use crate::search::words::WORDS;
use crate::suggest::nearest;

/// The weight of what a phrase means.
const PHRASE_WEIGHT: f64 = 0.8;
/// The weight of the words of a phrase on their own.
const PART_WEIGHT: f64 = 0.4;
/// The weight of a quoted word, which is more probably a part of a value.
const QUOTED_WEIGHT: f64 = 0.25;
/// The weight of a word for a kind of operation, besides what the kind says.
const VERB_WEIGHT: f64 = 0.5;
/// The weight of a word that is only similar to the query's.
const SIMILAR_WEIGHT: f64 = 0.5;
/// How similar a misspelt word is at least.
const MIN_SIMILARITY: f64 = 0.75;

/// One word or phrase of the query.
#[derive(Debug)]
pub(super) struct Term {
    pub(super) meanings: Vec<Meaning>,
    /// How much it matters.
    pub(super) weight: f64,
    /// Whether a tool without it fits less.
    pub(super) is_needed: bool,
}

/// Stems that some tools have.
#[derive(Debug)]
pub(super) struct Meaning {
    /// With how rare each is among the tools.
    pub(super) stems: Vec<(String, f64)>,
    /// How surely it is meant.
    pub(super) weight: f64,
}

impl Term {
    /// Whether tools have this word or phrase itself, or one that is nearly the same.
    pub(super) fn is_known(&self) -> bool {
        let mut weights = self.meanings.iter().map(|meaning| meaning.weight);
        weights.any(|weight| weight >= SIMILAR_WEIGHT)
    }
}

impl Index {
    /// What the `query` asks for.
    pub(super) fn terms(&self, query: &Query) -> Vec<Term> {
        let (mut terms, parts) = self.phrases(query);
        let mut seen: Vec<&str> = Vec::new();
        for word in query.words.iter().filter(|word| !word.is_stop) {
            if !seen.contains(&word.stem.as_str()) {
                seen.push(&word.stem);
                terms.push(self.word(word, parts.contains(&word.stem)));
            }
        }
        terms
    }

    /// The phrases of the `query` that mean what tools have, and the stems in them.
    fn phrases(&self, query: &Query) -> (Vec<Term>, Vec<String>) {
        let (mut terms, mut parts) = (Vec::new(), Vec::<String>::new());
        let words = query.said();
        let stems = query.stems();
        let operations = Verbs::places(&stems).into_iter();
        parts.extend(operations.map(|place| stems[place].to_owned()));
        for (places, senses) in WORDS.phrases(&stems) {
            let meant = senses
                .iter()
                .filter_map(|sense| self.meaning(&sense.stems, 1.0));
            let mut meanings: Vec<Meaning> = meant.collect();
            if meanings.is_empty() {
                continue;
            }
            let own = places.iter().map(|place| stems[*place].to_owned());
            let own: Vec<String> = own.collect();
            if places.iter().all(|place| !words[*place].is_stop) {
                meanings.extend(self.meaning(&own, 1.0));
            }
            parts.extend(own);
            terms.push(Term {
                meanings,
                weight: PHRASE_WEIGHT,
                is_needed: true,
            });
        }
        (terms, parts)
    }

    /// One word; it counts less on its own if it is a part of a phrase.
    fn word(&self, word: &Word, is_part: bool) -> Term {
        let is_verb = Verbs::is_verb(&word.stem);
        let own = self.meaning(
            std::slice::from_ref(&word.stem),
            if is_verb { VERB_WEIGHT } else { 1.0 },
        );
        let mut meanings: Vec<Meaning> = own.into_iter().collect();
        if !word.is_quoted {
            let senses = WORDS.of(&word.stem).iter();
            meanings.extend(senses.filter_map(|sense| self.meaning(&sense.stems, sense.weight)));
            if meanings.is_empty() && !is_verb {
                meanings = self.similar(&word.stem);
            }
        }
        Term {
            weight: if word.is_quoted {
                QUOTED_WEIGHT
            } else if is_part {
                PART_WEIGHT
            } else {
                1.0
            },
            // A name or an operation that no tool has says nothing against them.
            is_needed: !word.is_quoted
                && !is_part
                && !(meanings.is_empty() && (word.is_name || is_verb)),
            meanings,
        }
    }

    /// `stems` with this weight, if tools have all of them.
    fn meaning(&self, stems: &[String], weight: f64) -> Option<Meaning> {
        let is_known = |stem: &String| self.frequencies.contains_key(stem);
        let known = stems.iter().all(is_known).then(|| {
            let rarities = stems.iter().map(|stem| self.rarity_of(stem));
            stems.iter().cloned().zip(rarities).collect()
        });
        known.map(|stems| Meaning { stems, weight })
    }

    /// The stems of the tools that are longer or shorter forms of `stem`, or else misspelt.
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
