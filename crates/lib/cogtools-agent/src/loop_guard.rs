//! Detects a model that repeats itself: the same cycle of calls and results.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::Value;

/// The longest cycle that is looked for.
const MAX_CYCLE: usize = 5;
/// How often a cycle must have occurred.
const REPETITIONS: usize = 5;

/// What to do about a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// Nothing.
    None,
    /// Tell the model, once.
    Warn,
    /// End the run.
    End,
}

/// The last steps of a run. A step is the calls of one response, with their results.
#[derive(Debug, Default)]
pub struct LoopGuard {
    steps: VecDeque<u64>,
    has_warned: bool,
}

impl LoopGuard {
    /// Records a step: the name, the arguments and the result of each call.
    pub fn record<'c>(
        &mut self,
        calls: impl IntoIterator<Item = (&'c str, &'c Value, &'c Value)>,
    ) -> Repetition {
        let mut hasher = DefaultHasher::new();
        for (name, arguments, result) in calls {
            name.hash(&mut hasher);
            arguments.to_string().hash(&mut hasher);
            result.to_string().hash(&mut hasher);
        }
        self.steps.push_back(hasher.finish());
        if self.steps.len() > MAX_CYCLE * REPETITIONS {
            self.steps.pop_front();
        }
        if !(1..=MAX_CYCLE).any(|length| self.repeats(length)) {
            return Repetition::None;
        }
        self.steps.clear();
        if std::mem::replace(&mut self.has_warned, true) {
            Repetition::End
        } else {
            Repetition::Warn
        }
    }

    /// Whether the last steps are a cycle of `length` steps, repeated.
    fn repeats(&self, length: usize) -> bool {
        let Some(start) = self.steps.len().checked_sub(length * REPETITIONS) else {
            return false;
        };
        let end = self.steps.len() - length;
        (start..end).all(|index| self.steps[index] == self.steps[index + length])
    }
}
