//! The budget of a run, and the guard against a model that repeats itself.
//!
//! Everything that a run calls shares its budget: limits are checked before each request.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cogtools_log::BudgetLimit;
use cogtools_model::Usage;
use serde_json::Value;

/// The limits of a run; an absent one does not limit it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Requests to a model.
    pub turns: Option<u64>,
    /// Calls of tools.
    pub calls: Option<u64>,
    /// Tokens, sent and received.
    pub tokens: Option<u64>,
    /// Time.
    pub time: Option<Duration>,
    /// Money, in the currency of the user's prices.
    pub money: Option<f64>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            turns: Some(50),
            calls: Some(200),
            tokens: None,
            time: None,
            money: None,
        }
    }
}

/// The prices of a model, for a million tokens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Price {
    /// The currency, such as `USD`.
    pub currency: String,
    /// Tokens that are sent.
    pub input: f64,
    /// Tokens that come from a cache.
    pub cached: f64,
    /// Tokens that are written to a cache, if the provider counts them.
    pub written: f64,
    /// Tokens that are received, thoughts included.
    pub output: f64,
}

impl Price {
    /// Returns the cost of `usage`.
    pub fn cost(&self, usage: &Usage) -> f64 {
        // Counts of tokens are far below the precision of a double.
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let price = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        let plain = usage.prompt.saturating_sub(usage.cached + usage.written);
        price(plain, self.input)
            + price(usage.cached, self.cached)
            + price(usage.written, self.written)
            + price(usage.output + usage.thoughts, self.output)
    }

    /// The number of tokens that a model may answer to a request of `sent` tokens for `money`, which
    /// is all that a request can cost: nothing comes from a cache, and all is written to one if
    /// that costs more. `None` if not even one.
    pub(crate) fn affordable_output(&self, sent: u64, money: f64) -> Option<u64> {
        let input = self.cost(&Usage {
            prompt: sent,
            written: if self.written > self.input { sent } else { 0 },
            ..Usage::default()
        });
        let left = money - input;
        let tokens = left * 1e6 / self.output;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it saturates, and is at least one"
        )]
        (left >= 0.0 && (self.output <= 0.0 || tokens >= 1.0)).then_some(tokens as u64)
    }
}

/// The tokens, calls and money that a run has used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Requests.
    pub turns: u64,
    /// Calls.
    pub calls: u64,
    /// Calls that were not run, because they were beyond the budget.
    pub refused_calls: u64,
    /// Tokens.
    pub usage: Usage,
    /// Money, if prices are known.
    pub money: f64,
}

/// A budget and what is used of it. Copies share both.
#[derive(Clone, Debug)]
pub struct Ledger {
    budget: Budget,
    start: Instant,
    spent: Arc<Mutex<Spent>>,
    /// The one that it is a part of.
    parent: Option<Box<Self>>,
}

impl Ledger {
    /// A run that begins now.
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            start: Instant::now(),
            spent: Arc::default(),
            parent: None,
        }
    }

    /// A part of this one with a `budget` of its own: what is used of it is used of both.
    #[must_use]
    pub fn within(&self, budget: Budget) -> Self {
        Self {
            parent: Some(Box::new(self.clone())),
            ..Self::new(budget)
        }
    }

    /// Resumes the ledger after a pause, which does not count as time of the run.
    #[must_use]
    pub fn after_pause(self, pause: Duration) -> Self {
        Self {
            start: self.start + pause,
            ..self
        }
    }

    /// The limits.
    pub const fn budget(&self) -> Budget {
        self.budget
    }

    /// Working time of the run.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Returns what was used.
    pub fn spent(&self) -> Spent {
        *self.lock()
    }

    /// Counts a request.
    pub fn add_turn(&self) {
        self.lock().turns += 1;
        if let Some(parent) = &self.parent {
            parent.add_turn();
        }
    }

    /// Counts the tokens of a response.
    pub fn add_usage(&self, usage: Usage, price: Option<&Price>) {
        let mut spent = self.lock();
        spent.usage += usage;
        spent.money += price.map_or(0.0, |price| price.cost(&usage));
        if let Some(parent) = &self.parent {
            parent.add_usage(usage, price);
        }
    }

    /// Counts a call, unless no further one is within the budget.
    pub fn try_add_call(&self) -> bool {
        let mut spent = self.lock();
        let is_within = self.budget.calls.is_none_or(|limit| spent.calls < limit)
            && self
                .parent
                .as_ref()
                .is_none_or(|parent| parent.try_add_call());
        spent.calls += u64::from(is_within);
        spent.refused_calls += u64::from(!is_within);
        is_within
    }

    /// The limit that the next request would exceed.
    pub fn exceeded(&self) -> Option<BudgetLimit> {
        let spent = self.spent();
        let is_spent = |limit: Option<u64>, spent: u64| limit.is_some_and(|limit| spent >= limit);
        if is_spent(self.budget.turns, spent.turns) {
            return Some(BudgetLimit::Turns);
        }
        // A model that has made all its calls may still answer; it has had its chance when it
        // wants more of them.
        if spent.refused_calls > 0 {
            return Some(BudgetLimit::Calls);
        }
        if is_spent(self.budget.tokens, spent.usage.total) {
            return Some(BudgetLimit::Tokens);
        }
        if self.time_left().is_some_and(|left| left.is_zero()) {
            return Some(BudgetLimit::Seconds);
        }
        if self.budget.money.is_some_and(|limit| spent.money >= limit) {
            return Some(BudgetLimit::Money);
        }
        self.parent.as_ref()?.exceeded()
    }

    /// The tokens that are left, if they are limited.
    pub fn tokens_left(&self) -> Option<u64> {
        let spent = self.spent().usage.total;
        let own = self.budget.tokens.map(|limit| limit.saturating_sub(spent));
        let parents = self.parent.as_ref().and_then(|parent| parent.tokens_left());
        own.into_iter().chain(parents).min()
    }

    /// The money that is left, if it is limited.
    pub fn money_left(&self) -> Option<f64> {
        let spent = self.spent().money;
        let own = self.budget.money.map(|limit| limit - spent);
        let parents = self.parent.as_ref().and_then(|parent| parent.money_left());
        own.into_iter().chain(parents).reduce(f64::min)
    }

    /// The time that is left, if it is limited.
    pub fn time_left(&self) -> Option<Duration> {
        let own = self
            .budget
            .time
            .map(|limit| limit.saturating_sub(self.start.elapsed()));
        let parents = self.parent.as_ref().and_then(|parent| parent.time_left());
        own.into_iter().chain(parents).min()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The longest cycle that is looked for.
const MAX_CYCLE: usize = 5;
/// Number of repetitions that make a cycle.
const REPETITIONS: usize = 5;

/// The verdict about a response.
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

    /// Returns true if the last steps are a cycle of `length` steps, repeated.
    fn repeats(&self, length: usize) -> bool {
        let Some(start) = self.steps.len().checked_sub(length * REPETITIONS) else {
            return false;
        };
        let end = self.steps.len() - length;
        (start..end).all(|index| self.steps[index] == self.steps[index + length])
    }
}
