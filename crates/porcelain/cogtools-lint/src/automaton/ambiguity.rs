//! Patterns that take a matcher forever: it goes through the same text in exponentially many
//! ways before it can say that the text does not match.
//!
//! That is so if a state comes back to itself in two ways that read the same text, and what
//! follows can fail (Weber and Seidl, "On the degree of ambiguity of finite automata", 1991).

use std::collections::{HashMap, HashSet};

use super::{Automaton, Class, Condition};

/// Larger automata are not examined: the search goes through pairs of states.
const MAX_READERS: usize = 120;

/// A pair of states that two ways through the same text reach.
type Pair = (usize, usize);

/// The automaton without moves: from one reading state to another.
struct Readers<'a> {
    classes: Vec<&'a Class>,
    /// The readers that follow each, and whether in more than one way.
    next: Vec<Vec<(usize, bool)>>,
    /// Whether the pattern matches after each, whatever follows.
    accepts: Vec<bool>,
}

impl Automaton {
    /// Whether a matcher that backtracks needs time exponential in the length of a text.
    pub(crate) fn is_exponential(&self) -> bool {
        let Some(readers) = self.readers() else {
            return false;
        };
        (0..readers.classes.len()).any(|reader| readers.is_ambiguous(reader))
    }

    fn readers(&self) -> Option<Readers<'_>> {
        let mut index = HashMap::new();
        let mut classes = Vec::new();
        let mut targets = Vec::new();
        for (state, one) in self.states.iter().enumerate() {
            if let Some((class, target)) = &one.reads {
                index.insert(state, classes.len());
                classes.push(class);
                targets.push(*target);
            }
        }
        if classes.len() > MAX_READERS {
            return None;
        }
        let mut next = Vec::new();
        let mut accepts = Vec::new();
        for target in targets {
            let mut ways = HashMap::new();
            let mut path = Vec::new();
            self.count_ways(target, &mut path, &mut ways, &mut 4_096);
            accepts.push(ways.contains_key(&self.accept));
            let mut found: Vec<(usize, bool)> = ways
                .iter()
                .filter_map(|(state, count)| Some((*index.get(state)?, *count > 1)))
                .collect();
            found.sort_unstable();
            next.push(found);
        }
        Some(Readers {
            classes,
            next,
            accepts,
        })
    }

    /// In how many ways each state is reached from `state` without reading.
    fn count_ways(
        &self,
        state: usize,
        path: &mut Vec<usize>,
        ways: &mut HashMap<usize, usize>,
        budget: &mut usize,
    ) {
        if path.contains(&state) || *budget == 0 {
            return;
        }
        *budget -= 1;
        *ways.entry(state).or_default() += 1;
        path.push(state);
        for (condition, target) in &self.states[state].moves {
            if *condition == Condition::Always {
                self.count_ways(*target, path, ways, budget);
            }
        }
        path.pop();
    }
}

impl Readers<'_> {
    /// Whether `reader` comes back to itself in two ways that read the same text.
    fn is_ambiguous(&self, reader: usize) -> bool {
        if self.accepts[reader] {
            return false;
        }
        let mut seen = HashSet::new();
        let mut open = vec![(reader, reader, false)];
        while let Some((left, right, differs)) = open.pop() {
            for ((left, right), is_double) in self.steps((left, right)) {
                let step = (left, right, differs || is_double || left != right);
                if step == (reader, reader, true) {
                    return true;
                }
                if seen.insert(step) {
                    open.push(step);
                }
            }
        }
        false
    }

    /// The pairs that follow a pair, and whether one of the two ways is double.
    fn steps(&self, (left, right): Pair) -> Vec<(Pair, bool)> {
        let mut steps = Vec::new();
        for (one, is_double) in &self.next[left] {
            for (other, _) in &self.next[right] {
                if self.classes[*one].meets(self.classes[*other]) {
                    let both = *is_double && left == right && one == other;
                    steps.push(((*one, *other), both));
                }
            }
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_patterns() {
        for (pattern, expected) in [
            (r"^(a+)+$", true),
            (r"^(a*)*$", true),
            (r"^(a|a)*$", true),
            (r"^(a|aa)+$", true),
            (r"^([a-z]+\s?)*$", true),
            (r"^(\w+|\d+)*!$", true),
            (r"^(([a-z])+.)+[A-Z]([a-z])+$", true),
            (r"^(.*,)*\d$", true),
            (r"^(a+){2,}$", true),
            // What matches early never goes back.
            (r"^(a+)+", false),
            (r"^[a-z]+(-[a-z]+)*$", false),
            (r"^\d+(\.\d+)*$", false),
            (r"^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$", false),
            (r"^(a?)*$", false),
            (r"^\s*(\w+\s*,\s*)*\w+$", false),
            (r"^[^@\s]+@[^@\s]+\.[^@\s]+$", false),
            (r"^(GET|POST|PUT)( (GET|POST|PUT))*$", false),
            (r".*.*.*x", false),
        ] {
            let automaton = Automaton::of(pattern).unwrap();
            assert_eq!(automaton.is_exponential(), expected, "{pattern}");
        }
    }
}
