//! Whether any text matches several patterns and has a permitted length.

use std::collections::HashSet;

use super::Automaton;

/// A longer search is given up: then there may be such a text.
const MAX_STEPS: usize = 60_000;
/// Texts of more characters are not counted exactly.
const MAX_LENGTH: usize = 400;

/// Where all automata are after some characters of a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    states: Vec<Option<usize>>,
    length: usize,
}

/// Whether it is certain that no text of `least` to `most` characters matches all
/// `patterns`.
pub(crate) fn no_common_text(patterns: &[Automaton], least: usize, most: Option<usize>) -> bool {
    if patterns.is_empty() || least > MAX_LENGTH {
        return false;
    }
    // Beyond this, lengths make no difference.
    let cap = most.map_or(least.max(1), |most| most.min(MAX_LENGTH) + 1);
    let search = Search {
        patterns,
        least,
        most: most.filter(|most| *most < cap),
        cap,
    };
    search.is_empty()
}

struct Search<'p> {
    patterns: &'p [Automaton],
    least: usize,
    most: Option<usize>,
    cap: usize,
}

impl Search<'_> {
    fn is_empty(&self) -> bool {
        let first = Place {
            states: self.patterns.iter().map(|one| Some(one.start)).collect(),
            length: 0,
        };
        let mut seen: HashSet<Place> = HashSet::new();
        let mut open = vec![first];
        while let Some(place) = open.pop() {
            if !seen.insert(place.clone()) {
                continue;
            }
            if seen.len() + open.len() > MAX_STEPS || self.is_match(&place) {
                return false;
            }
            self.follow(&place, &mut open);
        }
        true
    }

    /// Whether the text so far matches.
    fn is_match(&self, place: &Place) -> bool {
        let fits = place.length >= self.least && self.most.is_none_or(|it| place.length <= it);
        let both = self.patterns.iter().zip(&place.states);
        fits && both
            .into_iter()
            .all(|(one, state)| one.accepts(*state, place.length == 0, true))
    }

    /// Adds the places after one more character.
    fn follow(&self, place: &Place, open: &mut Vec<Place>) {
        if self.most.is_some_and(|most| place.length >= most) {
            return;
        }
        let length = (place.length + 1).min(self.cap);
        let mut partial: Vec<(Vec<&super::Class>, Vec<Option<usize>>)> = vec![(vec![], vec![])];
        for (one, state) in self.patterns.iter().zip(&place.states) {
            let choices = one.choices(*state, place.length == 0);
            let mut next = Vec::new();
            for (classes, states) in &partial {
                for (class, target) in &choices {
                    let read = class.iter().copied();
                    if read
                        .clone()
                        .any(|it| classes.iter().any(|other| !other.meets(it)))
                    {
                        continue;
                    }
                    let classes = classes.iter().copied().chain(read).collect();
                    let states = states.iter().copied().chain([*target]).collect();
                    next.push((classes, states));
                }
            }
            partial = next;
        }
        open.extend(
            partial
                .into_iter()
                .map(|(_, states)| Place { states, length }),
        );
    }
}

impl Automaton {
    /// Whether it matches, now or already; `None` is the state after a match.
    fn accepts(&self, state: Option<usize>, at_start: bool, at_end: bool) -> bool {
        state.is_none_or(|state| self.closure(state, at_start, at_end).contains(&self.accept))
    }

    /// What it can do with one more character: read it, skip it before the match begins, or
    /// skip it after a match.
    fn choices(
        &self,
        state: Option<usize>,
        at_start: bool,
    ) -> Vec<(Option<&super::Class>, Option<usize>)> {
        let Some(state) = state else {
            return vec![(None, None)];
        };
        let reached = self.closure(state, at_start, false);
        let mut choices: Vec<(Option<&super::Class>, Option<usize>)> = reached
            .iter()
            .filter_map(|state| self.states[*state].reads.as_ref())
            .map(|(class, target)| (Some(class), Some(*target)))
            .collect();
        if state == self.start {
            choices.push((None, Some(self.start)));
        }
        if reached.contains(&self.accept) {
            choices.push((None, None));
        }
        choices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_match_all_patterns() {
        for (patterns, least, most, expected) in [
            (&["^[a-z]+$"][..], 0, None, false),
            (&["^[a-z]+$"], 0, Some(0), true),
            (&["^[a-z]{3}$"], 4, None, true),
            (&["^[a-z]{3}$"], 3, Some(3), false),
            (&["[a-z]{3}"], 9, Some(9), false),
            (&["^[a-z]+$", "[0-9]"], 0, None, true),
            (&["^[a-z]", "[0-9]$"], 0, None, false),
            (&["^[a-z]", "[0-9]$"], 0, Some(1), true),
            (&["^(a|b)$", "^(b|c)$"], 0, None, false),
            (&["^a", "^b"], 0, None, true),
            (&["a^b"], 0, None, true),
            (&["^$"], 1, None, true),
        ] {
            let patterns: Vec<Automaton> = patterns
                .iter()
                .map(|one| Automaton::of(one).unwrap())
                .collect();
            assert_eq!(
                no_common_text(&patterns, least, most),
                expected,
                "{patterns:?}"
            );
        }
    }
}
