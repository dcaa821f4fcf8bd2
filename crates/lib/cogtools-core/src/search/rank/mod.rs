//! The ranking of tools for a request.
//!
//! Okapi BM25 over weighted fields: a stem counts more if it is rare among the tools, if it is
//! in the name, and if the rest is short. To it comes the kind of operation. A tool that only
//! looks like the right one is not returned, since a model would call it.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::Tool;
use crate::search::words::{Verbs, WORDS};
use crate::search::{Word, is_stop_word, parse, similarity, stem, tokens};
use crate::suggest::nearest;

/// BM25's `k1`: how soon repetitions of a stem stop to matter.
const SATURATION: f64 = 1.2;
/// BM25's `b`: how much a long description counts against a tool.
const LENGTH_WEIGHT: f64 = 0.4;
/// The weight of a parameter for a value of the request.
const VALUE_WEIGHT: f64 = 0.6;
/// The gain of a tool all of whose name is asked for.
const NAME_GAIN: f64 = 1.0;
/// The part of a verb of the name that is asked for by another for the same kind of operation.
const VERB_ASKED: f64 = 0.5;
/// The gain of a tool that does what is asked for, and the loss of one that does not.
const VERB_GAIN: f64 = 0.3;
/// The part of the best score below which a tool is not shown.
const MIN_PART: f64 = 0.2;
/// The part of the score of a perfect match below which a tool does not fit.
const MIN_FIT: f64 = 0.7;
/// The number of words up to which a request is a list of keywords.
const MAX_KEYWORDS: usize = 3;
/// The part from which on it fits without a word of its own.
const SURE_FIT: f64 = 1.35;
/// The weight from which on a stem of a tool is its own: one of its name, title or beginning.
const OWN: f64 = 1.0;
/// The weight from which on a meaning is the word itself, or the same.
const SAME: f64 = 0.9;

/// The weights of the parts of a tool. They were chosen by trial, with questions about the
/// tools of a dozen servers.
const NAME: f64 = 4.0;
const TITLE: f64 = 2.0;
const BEGINNING: f64 = 2.0;
const DESCRIPTION: f64 = 0.5;
const PARAMETER: f64 = 0.4;
const PARAMETER_DESCRIPTION: f64 = 0.2;
/// The sizes of the beginning of a description, which names the purpose of the tool, and of the
/// rest that is read; in bytes.
const BEGINNING_BYTES: usize = 80;
const DESCRIPTION_BYTES: usize = 600;
const PARAMETER_BYTES: usize = 200;
/// The number of parameters that are read.
const MAX_PARAMETERS: usize = 40;

/// The stems of one tool.
struct Document {
    /// All stems with their weights.
    stems: BTreeMap<String, f64>,
    /// The stems of the name.
    name: Vec<String>,
    /// The stems of the names of the parameters.
    parameters: BTreeSet<String>,
    /// The kinds of its operation.
    verbs: Verbs,
    length: f64,
}

/// The tools that are ranked.
struct Index {
    documents: Vec<Document>,
    average_length: f64,
    /// The number of tools that have each stem.
    frequencies: BTreeMap<String, usize>,
    /// The stems that are a tool's own.
    own: BTreeSet<String>,
}

/// Returns the indices of the `tools` that match `request`, best first. Ties keep their order,
/// as do all tools for a request without words.
pub(super) fn rank(request: &str, tools: &[impl Borrow<Tool>]) -> Vec<usize> {
    let words = parse(request);
    if words.is_empty() {
        return (0..tools.len()).collect();
    }
    Index::new(tools).rank(words)
}

impl Document {
    fn of(tool: &Tool) -> Self {
        let name = tokens(tool.name().as_str()).into_iter();
        let mut name: Vec<String> = name.map(|token| stem(&token)).collect();
        let verbs = Verbs::of_tool(tool, &name);
        name.dedup();
        let mut document = Self {
            stems: BTreeMap::new(),
            name,
            parameters: BTreeSet::new(),
            verbs,
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
            let (name, _) = split(name, PARAMETER_BYTES);
            let stems = tokens(name).into_iter().map(|token| stem(&token));
            document.parameters.extend(stems);
            document.add(name, PARAMETER);
            let description = schema.get("description").and_then(Value::as_str);
            let (description, _) = split(description.unwrap_or_default(), PARAMETER_BYTES);
            document.add(description, PARAMETER_DESCRIPTION);
        }
        document.length = document.stems.values().sum();
        document
    }

    fn add(&mut self, text: &str, weight: f64) {
        for token in tokens(text).iter().filter(|token| !is_stop_word(token)) {
            *self.stems.entry(stem(token)).or_default() += weight;
        }
    }
}

impl Index {
    fn new(tools: &[impl Borrow<Tool>]) -> Self {
        let documents: Vec<Document> = tools
            .iter()
            .map(|tool| Document::of(tool.borrow()))
            .collect();
        let total: f64 = documents.iter().map(|document| document.length).sum();
        let average_length = (total / count(documents.len())).max(1.0);
        let mut frequencies: BTreeMap<String, usize> = BTreeMap::new();
        for stem in documents.iter().flat_map(|document| document.stems.keys()) {
            match frequencies.get_mut(stem) {
                Some(known) => *known += 1,
                None => drop(frequencies.insert(stem.clone(), 1)),
            }
        }
        let own = documents.iter().flat_map(|document| &document.stems);
        let own = own.filter(|(_, weight)| **weight >= OWN);
        Self {
            own: own.map(|(stem, _)| stem.clone()).collect(),
            documents,
            average_length,
            frequencies,
        }
    }

    /// Returns the indices of the tools that match a request of these `words`, best first.
    fn rank(&self, mut words: Vec<Word>) -> Vec<usize> {
        self.mark_names(&mut words);
        let words = words.as_slice();
        let terms = self.terms(words);
        let said = words.iter().filter(|word| !word.is_value);
        let said: Vec<&str> = said.map(|word| word.stem.as_str()).collect();
        let verbs = Verbs::of_request(&said);
        let score = |document: &Document| {
            self.score(document, &terms, verbs) + self.value_score(document, words)
        };
        let scores: Vec<f64> = self.documents.iter().map(score).collect();
        let mut ranked: Vec<usize> = (0..scores.len())
            .filter(|index| scores[*index] > 0.0)
            .collect();
        ranked.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
        match ranked.first().copied() {
            Some(best) if self.fits(&self.documents[best], scores[best], &terms, words) => {
                ranked.retain(|index| scores[*index] >= MIN_PART * scores[best]);
                ranked
            }
            _ => Vec::new(),
        }
    }

    /// Makes values of names, such as `New York`, of which a word is unknown to the tools.
    fn mark_names(&self, words: &mut [Word]) {
        for name in words.chunk_by_mut(|one, other| one.is_name && other.is_name) {
            let is_unknown = |word: &Word| !self.own.contains(&word.stem);
            if name.iter().all(|word| word.is_name) && name.iter().any(is_unknown) {
                for word in name {
                    word.is_value = true;
                }
            }
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

    /// Returns how much of the name is asked for, from 0 to 1.
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

    /// Returns the worth of the parameters for values of the request: the most of one of them.
    fn value_score(&self, document: &Document, words: &[Word]) -> f64 {
        let stems = words.iter().flat_map(|word| word.parameters);
        let taken = stems.filter(|stem| document.parameters.contains(**stem));
        let rarities = taken.map(|stem| self.rarity_of(stem));
        VALUE_WEIGHT * rarities.fold(0.0, f64::max)
    }

    /// Returns the rarity of `stem`.
    fn rarity_of(&self, stem: &str) -> f64 {
        let having = self.frequencies.get(stem).copied().unwrap_or_default();
        rarity(having, self.documents.len())
    }

    /// Returns true if `document`, with this score, is what the `terms` ask for.
    fn fits(&self, document: &Document, score: f64, terms: &[Term], words: &[Word]) -> bool {
        let said: Vec<&Word> = words.iter().filter(|word| !word.is_stop).collect();
        let is_said = |stem: &String| said.iter().any(|word| word.stem == *stem);
        // A few words are a list of keywords, in which a name stands for itself.
        if said.len() <= MAX_KEYWORDS && document.name.iter().all(is_said) {
            return true;
        }
        let perfect = self.perfect(terms);
        let is_taken = self.value_score(document, words) > 0.0;
        let needed = if is_taken || has_evidence(document, terms) {
            MIN_FIT
        } else {
            SURE_FIT
        };
        score >= needed * perfect
    }

    /// Returns the score of a tool that has each term once; a word that only has a part in common with
    /// words of the tools is an unknown one.
    fn perfect(&self, terms: &[Term]) -> f64 {
        let unknown = rarity(0, self.documents.len());
        let rarest = |meaning: &Meaning| {
            let rarities = meaning.stems.iter().map(|(_, rarity)| *rarity);
            meaning.weight * rarities.fold(0.0, f64::max)
        };
        let of = |term: &Term| {
            let least = if term.is_known() { 0.0 } else { unknown };
            let rarities = term.meanings.iter().map(rarest);
            term.weight * rarities.fold(least, f64::max)
        };
        terms.iter().filter(|term| term.is_needed).map(of).sum()
    }
}

/// Returns the rarity of a stem that this many of `all` have.
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

/// Returns true if more than one synonym speaks for a tool: a word of its own, or two terms.
/// A request of one word is a search for it.
fn has_evidence(document: &Document, terms: &[Term]) -> bool {
    let has = |stem: &str| {
        let weight = document.stems.get(stem);
        weight.is_some_and(|weight| *weight >= OWN)
    };
    let is_in = |meaning: &Meaning| meaning.stems.iter().all(|(stem, _)| has(stem));
    let is_own = |meaning: &Meaning| meaning.weight >= SAME && is_in(meaning);
    let is_in_part = |term: &&Term| term.meanings.iter().any(is_in);
    terms.len() == 1
        || terms.iter().any(|term| term.meanings.iter().any(is_own))
        || terms.iter().filter(is_in_part).count() > 1
}

/// Splits `text` after at most this many bytes.
fn split(text: &str, bytes: usize) -> (&str, &str) {
    text.split_at(text.floor_char_boundary(bytes))
}

/// The weight of a phrase.
const PHRASE_WEIGHT: f64 = 0.8;
/// The weight of a word in a value.
const SAID_IN_VALUE_WEIGHT: f64 = 0.25;
/// The weight of a word for a kind of operation, besides what the kind says.
const VERB_WEIGHT: f64 = 0.5;
/// The weight of a word that is only similar to the request's.
const SIMILAR_WEIGHT: f64 = 0.5;
/// The size from which on a word can be a misspelt one.
const MIN_MISSPELT_BYTES: usize = 5;
/// The least similarity of a misspelt word.
const MIN_SIMILARITY: f64 = 0.75;

/// One word or phrase of the request.
#[derive(Debug)]
struct Term {
    meanings: Vec<Meaning>,
    /// Its importance.
    weight: f64,
    /// True if a tool without it fits less.
    is_needed: bool,
}

/// Stems that some tools have.
#[derive(Debug)]
struct Meaning {
    /// The stems, each with its rarity among the tools.
    stems: Vec<(String, f64)>,
    /// The certainty that it is meant.
    weight: f64,
}

impl Term {
    /// Returns true if tools have this word or phrase itself, or one that is nearly the same.
    fn is_known(&self) -> bool {
        let mut weights = self.meanings.iter().map(|meaning| meaning.weight);
        weights.any(|weight| weight >= SIMILAR_WEIGHT)
    }
}

impl Index {
    /// Returns the terms of a request of these `words`.
    fn terms(&self, words: &[Word]) -> Vec<Term> {
        let said = words.iter().filter(|word| !word.is_value);
        let said: Vec<&str> = said.map(|word| word.stem.as_str()).collect();
        let phrases = WORDS.phrases(&said).into_iter().map(|senses| {
            let weight = |stems: &[String]| {
                let are_verbs = stems.iter().all(|stem| Verbs::is_verb(stem));
                if are_verbs { VERB_WEIGHT } else { 1.0 }
            };
            let meant = senses
                .iter()
                .filter_map(|it| self.meaning(&it.stems, weight(&it.stems)));
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
            weight: if word.is_value {
                SAID_IN_VALUE_WEIGHT
            } else {
                1.0
            },
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
        if found.is_empty() && stem.len() >= MIN_MISSPELT_BYTES {
            let is_near = |other: &&str| {
                other.as_bytes().first() == stem.as_bytes().first()
                    && strsim::normalized_damerau_levenshtein(stem, other) >= MIN_SIMILARITY
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

#[cfg(test)]
mod tests;
