//! The automaton of a regular expression: what it can match, and whether a matcher that
//! backtracks can take forever.
//!
//! A pattern that an automaton cannot express (look-around, back-references, word
//! boundaries) has none, and nothing is said about it.

mod ambiguity;
mod build;
mod class;
mod intersection;

use class::Class;

pub(crate) use intersection::no_common_text;

/// The automaton of a pattern.
#[derive(Debug)]
pub(crate) struct Automaton {
    states: Vec<State>,
    start: usize,
    accept: usize,
}

/// A state: what it reads and where that leads, and where it leads without reading.
#[derive(Debug, Default)]
struct State {
    reads: Option<(Class, usize)>,
    moves: Vec<(Condition, usize)>,
}

/// When a move without reading is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    Always,
    /// `^`
    AtStart,
    /// `$`
    AtEnd,
}

impl Automaton {
    /// The states that `state` reaches without reading a character, itself included.
    fn closure(&self, state: usize, at_start: bool, at_end: bool) -> Vec<usize> {
        let mut reached = vec![state];
        let mut next = 0;
        while let Some(&state) = reached.get(next) {
            next += 1;
            for (condition, target) in &self.states[state].moves {
                let is_possible = match condition {
                    Condition::Always => true,
                    Condition::AtStart => at_start,
                    Condition::AtEnd => at_end,
                };
                if is_possible && !reached.contains(target) {
                    reached.push(*target);
                }
            }
        }
        reached
    }
}
