//! Whether the best tool fits at all: a model would call a look-alike.

use super::term::{Meaning, Term};
use super::{Index, rarity};
use crate::search::document::Document;

/// The part of the score of a perfect match below which a tool does not fit.
const MIN_FIT: f64 = 0.5;
/// The part from which on it fits without a word of its own.
const SURE_FIT: f64 = 1.35;
/// The weight from which on a stem of a tool is its own: one of its name, title or beginning.
const OWN: f64 = 1.0;
/// The weight from which on a meaning is the word itself, or the same.
const SAME: f64 = 0.9;
/// The most that a word that no tool has can cost a match.
const MAX_RARITY: f64 = 6.0;

impl Index {
    /// Whether `document`, with this score, is what the `terms` ask for; `is_taken` if it has a
    /// parameter for a value.
    pub(super) fn fits(
        &self,
        document: &Document,
        score: f64,
        terms: &[Term],
        is_taken: bool,
    ) -> bool {
        let perfect = self.perfect(terms);
        let needed = if is_taken || has_evidence(document, terms) {
            MIN_FIT
        } else {
            SURE_FIT
        };
        score >= needed * perfect
    }

    /// The score of a tool that has each term once; a word that only has a part in common with
    /// those of the tools is an unknown one.
    fn perfect(&self, terms: &[Term]) -> f64 {
        let unknown = rarity(0, self.documents.len());
        let rarest = |meaning: &Meaning| {
            let rarities = meaning.stems.iter().map(|(_, rarity)| *rarity);
            meaning.weight * rarities.fold(0.0, f64::max)
        };
        let of = |term: &Term| {
            let least = if term.is_known() { 0.0 } else { unknown };
            let rarities = term.meanings.iter().map(rarest);
            term.weight * rarities.fold(least, f64::max).min(MAX_RARITY)
        };
        terms.iter().filter(|term| term.is_needed).map(of).sum()
    }
}

/// Whether more than one synonym speaks for a tool: a word of its own, or two terms.
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
