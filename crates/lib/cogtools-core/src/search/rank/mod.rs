//! The ranking of tools for a request.
//!
//! Okapi BM25 over weighted fields: a stem counts more if it is rare among the tools, if it is
//! in the name, and if the rest is short. To it comes the kind of operation. A tool that only
//! looks like the right one is not returned, since a model would call it.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use crate::Tool;
use crate::search::words::{Verbs, WORDS};
use crate::search::{Word, each_token, is_stop_word, parse, similarity, stem};
use crate::suggest::nearest;

/// BM25's `k1`: how soon repetitions of a stem stop to matter.
const SATURATION: f64 = 1.2;
/// BM25's `b`: how much a long description counts against a tool.
const LENGTH_WEIGHT: f64 = 0.25;
/// The weight of a parameter for a value of the request.
const VALUE_WEIGHT: f64 = 0.6;
/// The gain of a tool all of whose name is asked for.
const NAME_GAIN: f64 = 1.0;
/// The part of a verb of the name that is asked for by another for the same kind of operation.
const VERB_ASKED: f64 = 0.65;
/// The gain of a tool that does what is asked for, and the loss of one that does not.
const VERB_GAIN: f64 = 0.15;
/// The part of the best score below which a tool is not shown.
const MIN_PART: f64 = 0.2;
/// The part of the score of a perfect match below which a tool does not fit.
const MIN_FIT: f64 = 0.6;
/// The number of words of the request that a tool needs in its name, its title or the beginning of
/// its description: at least, and for each word that no tool has.
const MIN_OWN: f64 = 0.9;
const FOREIGN: f64 = 0.9;
/// The number of tools from which on a word that none has counts as much against the best one.
const MAX_UNKNOWN: usize = 600;
/// The number of words up to which a request is a list of keywords.
const MAX_KEYWORDS: usize = 3;
/// The weight from which on a stem of a tool is its own: one of its name, title or beginning.
const OWN: f64 = 1.0;

/// The weights of the parts of a tool. They were chosen by trial, with questions about the
/// tools of a dozen servers.
const NAME: f64 = 4.0;
const TITLE: f64 = 2.0;
const BEGINNING: f64 = 2.0;
const DESCRIPTION: f64 = 0.5;
const PARAMETER: f64 = 0.3;
const PARAMETER_DESCRIPTION: f64 = 0.2;
/// The sizes of the beginning of a description, which names the purpose of the tool, and of the
/// rest that is read; in bytes.
const BEGINNING_BYTES: usize = 80;
const DESCRIPTION_BYTES: usize = 600;
const PARAMETER_BYTES: usize = 200;
/// The number of values of an enum that are read.
const MAX_VALUES: usize = 40;
/// The number of parameters that are read.
const MAX_PARAMETERS: usize = 40;

/// One tool.
struct Document {
    /// The stems of the name.
    name: Vec<usize>,
    /// The stems of the names of the parameters.
    parameters: BTreeSet<usize>,
    /// The kinds of its operation.
    verbs: Verbs,
    /// The sum of the weights of its stems.
    length: f64,
}

/// Tools, prepared for searches. It takes a hundredth of a second for a thousand tools.
pub struct ToolIndex {
    documents: Vec<Document>,
    average_length: f64,
    stems: Stems,
    /// The tools that have each stem, in their order, with its weight.
    postings: Vec<Vec<(usize, f64)>>,
}

/// The stems of the tools, by number.
#[derive(Default)]
struct Stems {
    numbers: HashMap<String, usize>,
    /// The number of the stem of each word; `None` for a stop word.
    of_words: HashMap<String, Option<usize>>,
}

impl Stems {
    /// Returns the number of `stem`, a new one if it is unknown.
    fn add(&mut self, stem: String) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(stem).or_insert(next)
    }

    /// Calls `add` with the stems of the words of `text` that are no stop words.
    fn of(&mut self, text: &str, is_name: bool, mut add: impl FnMut(usize)) {
        each_token(text, is_name, |word| {
            let number = self.of_words.get(word).copied().unwrap_or_else(|| {
                let stem = (!is_stop_word(word)).then(|| stem(word));
                let number = stem.map(|stem| self.add(stem));
                self.of_words.insert(word.to_owned(), number);
                number
            });
            number.into_iter().for_each(&mut add);
        });
    }
}

/// Calls `add` with the parts of `tool` that are searched: true for a name, and its weight.
fn fields(tool: &Tool, mut add: impl FnMut(&str, bool, f64)) {
    add(tool.name().as_str(), true, NAME);
    add(tool.title.as_deref().unwrap_or_default(), false, TITLE);
    for capability in tool.capabilities() {
        add(&capability, true, TITLE);
    }
    let (beginning, rest) = split(&tool.description, BEGINNING_BYTES);
    add(beginning, false, BEGINNING);
    add(split(rest, DESCRIPTION_BYTES).0, false, DESCRIPTION);
    for (name, schema) in properties(tool) {
        add(name, true, PARAMETER);
        let description = schema.get("description").and_then(Value::as_str);
        let (description, _) = split(description.unwrap_or_default(), PARAMETER_BYTES);
        add(description, false, PARAMETER_DESCRIPTION);
        let values = schema
            .get("enum")
            .or_else(|| schema.get("items")?.get("enum"));
        let values = values.and_then(Value::as_array).into_iter().flatten();
        for value in values.filter_map(Value::as_str).take(MAX_VALUES) {
            add(split(value, PARAMETER_BYTES).0, true, PARAMETER);
        }
    }
}

/// Returns the parameters of `tool` that are searched: their names and schemas.
fn properties(tool: &Tool) -> impl Iterator<Item = (&str, &Value)> {
    let properties = tool.schema.as_object().get("properties");
    let properties = properties.and_then(Value::as_object).into_iter().flatten();
    let properties = properties.take(MAX_PARAMETERS);
    properties.map(|(name, schema)| (split(name, PARAMETER_BYTES).0, schema))
}

impl ToolIndex {
    /// Prepares the `tools`.
    pub fn new(tools: &[impl Borrow<Tool>]) -> Self {
        let mut index = Self {
            documents: Vec::new(),
            average_length: 1.0,
            stems: Stems::default(),
            postings: Vec::new(),
        };
        for tool in tools {
            index.add(tool.borrow());
        }
        let total: f64 = index.documents.iter().map(|document| document.length).sum();
        index.average_length = (total / count(tools.len())).max(1.0);
        index
    }

    fn add(&mut self, tool: &Tool) {
        let number = self.documents.len();
        let (mut all, mut parameters) = (BTreeMap::new(), BTreeSet::new());
        fields(tool, |text, is_name, weight| {
            let add = |stem| *all.entry(stem).or_default() += weight;
            self.stems.of(text, is_name, add);
        });
        for (name, _) in properties(tool) {
            self.stems.of(name, true, |stem| parameters.extend([stem]));
        }
        let mut name: Vec<String> = Vec::new();
        each_token(tool.name().as_str(), true, |token| name.push(stem(token)));
        let verbs = Verbs::of_tool(tool, &name);
        name.dedup();
        self.documents.push(Document {
            name: name.into_iter().map(|stem| self.stems.add(stem)).collect(),
            parameters,
            verbs,
            length: all.values().sum(),
        });
        self.postings
            .resize_with(self.stems.numbers.len(), Vec::new);
        for (stem, weight) in all {
            self.postings[stem].push((number, weight));
        }
    }

    /// Returns the indices of the tools that match `request`, best first. Ties keep their order, as
    /// do all tools for a request without words.
    pub fn rank(&self, request: &str) -> Vec<usize> {
        let mut words = parse(request);
        if words.is_empty() {
            return (0..self.documents.len()).collect();
        }
        self.mark_names(&mut words);
        let words = words.as_slice();
        let terms = self.terms(words);
        let scores = self.scores(&terms, words);
        let mut ranked: Vec<usize> = (0..scores.len())
            .filter(|index| scores[*index] > 0.0)
            .collect();
        ranked.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
        match ranked.first().copied() {
            Some(best) if self.fits(best, scores[best], &terms, words) => {
                ranked.retain(|index| scores[*index] >= MIN_PART * scores[best]);
                ranked
            }
            _ => Vec::new(),
        }
    }

    /// Makes values of names, such as `New York`, of which a word is unknown to the tools.
    fn mark_names(&self, words: &mut [Word]) {
        for name in words.chunk_by_mut(|one, other| one.is_name && other.is_name) {
            let is_unknown = |word: &Word| {
                let number = self.stems.numbers.get(&word.stem);
                let tools = number.map_or(&[][..], |number| &self.postings[*number]);
                tools.iter().all(|(_, weight)| *weight < OWN)
            };
            if name.iter().all(|word| word.is_name) && name.iter().any(is_unknown) {
                for word in name {
                    word.is_value = true;
                }
            }
        }
    }

    /// Returns the score of each tool.
    fn scores(&self, terms: &[Term], words: &[Word]) -> Vec<f64> {
        let mut scores = vec![0.0; self.documents.len()];
        for term in terms {
            let mut best = vec![0.0_f64; scores.len()];
            for meaning in &term.meanings {
                let mut gains: HashMap<usize, f64> = HashMap::new();
                for (stem, rarity) in &meaning.stems {
                    for (tool, frequency) in &self.postings[*stem] {
                        *gains.entry(*tool).or_default() += rarity * self.gain(*tool, *frequency);
                    }
                }
                for (tool, gain) in gains {
                    best[tool] = best[tool].max(meaning.weight * gain);
                }
            }
            for (score, best) in scores.iter_mut().zip(best) {
                *score += term.weight * best;
            }
        }
        let verbs = Verbs::of_request(&said(words));
        let meant = self.meant(terms, verbs);
        for (score, document) in scores.iter_mut().zip(&self.documents) {
            if *score > 0.0 {
                *score *= 1.0 + NAME_GAIN * self.asked(document, &meant);
                *score *= 1.0 + VERB_GAIN * document.verbs.fit(verbs);
            }
            *score += self.value_score(document, words);
        }
        scores
    }

    /// Returns the worth of a stem with this weight in `tool`, from 0 to `k1` + 1.
    fn gain(&self, tool: usize, weight: f64) -> f64 {
        let length = self.documents[tool].length / self.average_length;
        let length = 1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length;
        weight * (SATURATION + 1.0) / (weight + SATURATION * length)
    }

    /// Returns how certainly each stem is meant, from 0 to 1.
    fn meant(&self, terms: &[Term], verbs: Verbs) -> HashMap<usize, f64> {
        let mut meant = HashMap::new();
        let mut add = |stem: usize, weight: f64| {
            let known: &mut f64 = meant.entry(stem).or_default();
            *known = known.max(weight.min(1.0));
        };
        for (stem, number) in &self.stems.numbers {
            if verbs.has(stem) {
                add(*number, VERB_ASKED);
            }
        }
        for term in terms {
            for meaning in &term.meanings {
                for (stem, _) in &meaning.stems {
                    add(*stem, meaning.weight * term.weight);
                }
            }
        }
        meant
    }

    /// Returns how much of the name is asked for, from 0 to 1.
    fn asked(&self, document: &Document, meant: &HashMap<usize, f64>) -> f64 {
        let (mut asked, mut all) = (0.0, 0.0);
        for stem in &document.name {
            let rarity = self.rarity_of(*stem);
            asked += rarity * meant.get(stem).copied().unwrap_or_default();
            all += rarity;
        }
        if all > 0.0 { asked / all } else { 0.0 }
    }

    /// Returns the worth of the parameters for values of the request: the most of one of them.
    fn value_score(&self, document: &Document, words: &[Word]) -> f64 {
        let stems = words.iter().flat_map(|word| word.parameters);
        let stems = stems.filter_map(|stem| self.stems.numbers.get(*stem));
        let taken = stems.filter(|stem| document.parameters.contains(stem));
        let rarities = taken.map(|stem| self.rarity_of(*stem));
        VALUE_WEIGHT * rarities.fold(0.0, f64::max)
    }

    /// Returns the rarity of `stem`.
    fn rarity_of(&self, stem: usize) -> f64 {
        rarity(self.postings[stem].len(), self.documents.len())
    }

    /// Returns true if `tool`, with this score, is what the `terms` ask for.
    fn fits(&self, tool: usize, score: f64, terms: &[Term], words: &[Word]) -> bool {
        let document = &self.documents[tool];
        let said: Vec<&Word> = words.iter().filter(|word| !word.is_stop).collect();
        let number = |word: &&Word| self.stems.numbers.get(&word.stem);
        let is_said = |stem: &usize| said.iter().any(|word| number(word) == Some(stem));
        // A few words are a list of keywords, in which a name stands for itself.
        if said.len() <= MAX_KEYWORDS.min(2 * document.name.len())
            && document.name.iter().all(is_said)
        {
            return true;
        }
        let foreign = terms
            .iter()
            .filter(|term| term.is_needed && !term.is_known());
        let foreign: f64 = foreign.map(|term| term.weight).sum();
        // A request of one word is a search for it.
        let needed = if words.len() == 1 {
            0.0
        } else {
            MIN_OWN.max(FOREIGN * foreign)
        };
        let is_meant = self.value_score(document, words) > 0.0 || self.owned(tool, terms) >= needed;
        is_meant && score >= MIN_FIT * self.perfect(terms)
    }

    /// Returns the number of `terms` that are in the name, the title or the beginning of the
    /// description of `tool`, each as far as it is certain.
    fn owned(&self, tool: usize, terms: &[Term]) -> f64 {
        let has = |stem: usize| {
            let tools = &self.postings[stem];
            let found = tools.binary_search_by_key(&tool, |(tool, _)| *tool);
            found.is_ok_and(|at| tools[at].1 >= OWN)
        };
        let is_in = |meaning: &&Meaning| meaning.stems.iter().all(|(stem, _)| has(*stem));
        let best = |term: &Term| {
            let meant = term.meanings.iter().filter(is_in);
            term.weight * meant.map(|meaning| meaning.weight).fold(0.0, f64::max)
        };
        terms.iter().map(best).sum()
    }

    /// Returns the score of a tool that has each term once; a word that only has a part in common
    /// with words of the tools is an unknown one.
    fn perfect(&self, terms: &[Term]) -> f64 {
        let unknown = rarity(0, self.documents.len().min(MAX_UNKNOWN));
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

/// Returns the stems of the `words` outside values.
fn said(words: &[Word]) -> Vec<&str> {
    let words = words.iter().filter(|word| !word.is_value);
    words.map(|word| word.stem.as_str()).collect()
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
/// The part of the weight of a meaning of such a word.
const VERB_SENSE: f64 = 0.85;
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
    stems: Vec<(usize, f64)>,
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

impl ToolIndex {
    /// Returns the terms of a request of these `words`.
    fn terms(&self, words: &[Word]) -> Vec<Term> {
        let phrases = WORDS.phrases(&said(words)).into_iter().map(|senses| {
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
        let mut terms: Vec<Term> = phrases.collect();
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
            let part = if is_verb { VERB_SENSE } else { 1.0 };
            meanings
                .extend(senses.filter_map(|sense| self.meaning(&sense.stems, part * sense.weight)));
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
        let known = stems.iter().map(|stem| {
            let number = *self.stems.numbers.get(stem)?;
            (!self.postings[number].is_empty()).then(|| (number, self.rarity_of(number)))
        });
        let stems = known.collect::<Option<_>>()?;
        Some(Meaning { stems, weight })
    }

    /// Returns the stems of the tools that are longer or shorter forms of `stem`, or else misspelt.
    fn similar(&self, stem: &str) -> Vec<Meaning> {
        let all = || self.stems.numbers.keys().map(String::as_str);
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
