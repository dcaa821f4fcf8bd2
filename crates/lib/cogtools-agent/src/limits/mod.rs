//! The budget of a run, and the guard against a model that repeats itself.
//!
//! Everything that a run calls shares its budget: limits are checked before each request.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cogtools_core::tool::AgentBudget;
use cogtools_log::BudgetLimit;
use cogtools_model::Usage;
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;

pub use self::shared_money::share_money;
use self::shared_money::{Balance, Share, SharedMoney};
use crate::options::budget_of;

mod shared_money;

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

impl Budget {
    /// No limits.
    pub const NONE: Self = Self {
        turns: None,
        calls: None,
        tokens: None,
        time: None,
        money: None,
    };
}

impl Default for Budget {
    fn default() -> Self {
        budget_of(AgentBudget::STANDARD)
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

    /// Returns the most that a request of `sent` tokens with a response of `received` can cost.
    fn most(&self, sent: u64, received: u64) -> f64 {
        self.cost(&Usage {
            prompt: sent,
            written: if self.written > self.input { sent } else { 0 },
            output: received,
            ..Usage::default()
        })
    }

    /// The number of tokens that a model may answer to a request of `sent` tokens for `money`, which
    /// is all that a request can cost: nothing comes from a cache, and all is written to one if
    /// that costs more. `None` if not even one.
    pub(crate) fn affordable_output(&self, sent: u64, money: f64) -> Option<u64> {
        let left = money - self.most(sent, 0);
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
///
/// Agents that run at the same time share the budget of their caller: a request reserves its highest
/// cost before it is sent, so that many agents cannot spend the same money.
#[derive(Clone, Debug)]
pub struct Ledger {
    budget: Budget,
    start: Instant,
    account: Arc<Mutex<Account>>,
    /// The one that it is a part of.
    parent: Option<Box<Self>>,
    /// Money that other processes spend from the budget, too, if it has no parent.
    shared: Option<SharedMoney>,
}

/// The used part of a budget, and the part that requests on their way may use.
#[derive(Debug, Default)]
struct Account {
    spent: Spent,
    /// Number of reservations.
    reservations: usize,
    reserved_tokens: u64,
    reserved_money: f64,
}

/// Why a request cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It would exceed this limit.
    Exceeded(BudgetLimit),
    /// It would, if the requests on their way used what they have reserved.
    Busy,
}

/// The part of a budget that a request may use. It is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    ledger: Ledger,
    tokens: u64,
    money: f64,
    /// The number of tokens of the response that the money pays for, if it is limited.
    pub(crate) affordable: Option<u64>,
    /// True if the request was sent, which counts it.
    pub(crate) is_sent: bool,
    _share: Option<Share>,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        for ledger in self.ledger.chain() {
            let mut account = ledger.lock();
            account.reservations -= 1;
            account.reserved_tokens -= self.tokens;
            // No rounding is left over.
            account.reserved_money = match account.reservations {
                0 => 0.0,
                _ => account.reserved_money - self.money,
            };
            account.spent.turns -= u64::from(!self.is_sent);
        }
    }
}

impl Ledger {
    /// A run that begins now.
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            start: Instant::now(),
            account: Arc::default(),
            parent: None,
            shared: None,
        }
    }

    /// Shares the limit of money with all processes that get the same `folder` in
    /// [`SHARED_MONEY`](cogtools_core::environment::SHARED_MONEY).
    #[must_use]
    pub fn shared_in(self, folder: &OsStr) -> Self {
        Self {
            shared: Some(SharedMoney::new(folder.into())),
            ..self
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
        self.lock().spent
    }

    /// Counts a request that no reservation counts, such as one that is sent again in another form.
    pub fn add_turn(&self) {
        for ledger in self.chain() {
            ledger.lock().spent.turns += 1;
        }
    }

    /// Counts a request of `tokens` that a model answers with up to `wanted` tokens, and reserves
    /// their cost. The check and the reservation are one step under the lock.
    pub(crate) fn reserve(
        &self,
        tokens: u64,
        wanted: u64,
        price: Option<&Price>,
    ) -> Result<Reservation, Refused> {
        if let Some(limit) = self.exceeded() {
            return Err(Refused::Exceeded(limit));
        }
        let broken = |_| Refused::Exceeded(BudgetLimit::Money);
        let root = self.chain().last().unwrap_or(self);
        let shared = root.shared.as_ref().filter(|_| root.budget.money.is_some());
        let balance = shared.map(SharedMoney::balance).transpose();
        let balance: Option<Balance<'_>> = balance.map_err(broken)?;
        let ledgers: Vec<&Self> = self.chain().collect();
        let mut accounts: Vec<_> = ledgers.iter().map(|ledger| ledger.lock()).collect();
        let mut affordable = None;
        for (ledger, account) in ledgers.iter().zip(&accounts) {
            let turns = ledger.budget.turns;
            if turns.is_some_and(|limit| account.spent.turns >= limit) {
                return Err(Refused::Exceeded(BudgetLimit::Turns));
            }
            if let Some(limit) = ledger.budget.tokens {
                let left = limit.saturating_sub(account.spent.usage.total);
                if tokens > left {
                    return Err(Refused::Exceeded(BudgetLimit::Tokens));
                }
                if account.reservations > 0 && tokens.saturating_add(account.reserved_tokens) > left
                {
                    return Err(Refused::Busy);
                }
            }
            let (Some(limit), Some(price)) = (ledger.budget.money, price) else {
                continue;
            };
            let balance = balance.as_ref().filter(|_| ledger.parent.is_none());
            let (spent, reserved, requests) = match balance {
                Some(it) => (it.spent, it.reserved, it.requests),
                None => (
                    account.spent.money,
                    account.reserved_money,
                    account.reservations,
                ),
            };
            let left = limit - spent;
            let alone = price.affordable_output(tokens, left);
            let alone = alone.ok_or(Refused::Exceeded(BudgetLimit::Money))?;
            let now = price.affordable_output(tokens, left - reserved);
            match now {
                // A response that others cut short would be paid for in vain.
                Some(now) if requests == 0 || now >= alone.min(wanted) => {
                    affordable = affordable.into_iter().chain([now]).min();
                }
                _ => return Err(Refused::Busy),
            }
        }
        let output = affordable.map_or(wanted, |affordable| affordable.min(wanted));
        let money = price.map_or(0.0, |price| price.most(tokens, output));
        let share = balance.as_ref().map(|balance| balance.reserve(money));
        let share = share.transpose().map_err(broken)?;
        let tokens = tokens.saturating_add(output);
        for account in &mut accounts {
            account.spent.turns += 1;
            account.reservations += 1;
            account.reserved_tokens += tokens;
            account.reserved_money += money;
        }
        Ok(Reservation {
            ledger: self.clone(),
            tokens,
            money,
            affordable,
            is_sent: false,
            _share: share,
        })
    }

    /// Counts the tokens of a response.
    pub fn add_usage(&self, usage: Usage, price: Option<&Price>) {
        self.add(usage, price.map_or(0.0, |price| price.cost(&usage)));
    }

    /// Counts tokens and their cost.
    pub fn add(&self, usage: Usage, cost: f64) {
        for ledger in self.chain() {
            if let Some(shared) = &ledger.shared {
                // What cannot be added is not forgotten: the next request cannot read it either.
                let _ = shared.balance().and_then(|mut balance| balance.add(cost));
            }
            let spent = &mut ledger.lock().spent;
            spent.usage += usage;
            spent.money += cost;
        }
    }

    /// Counts a call, unless no further one is within the budget.
    pub fn try_add_call(&self) -> bool {
        let spent = &mut self.lock().spent;
        let is_within = self.budget.calls.is_none_or(|limit| spent.calls < limit)
            && self.parent.as_ref().is_none_or(|it| it.try_add_call());
        spent.calls += u64::from(is_within);
        spent.refused_calls += u64::from(!is_within);
        is_within
    }

    /// The number of calls that are within the budget.
    pub fn calls_left(&self) -> usize {
        let left = |ledger: &Self| {
            let limit = ledger.budget.calls?;
            Some(limit.saturating_sub(ledger.spent().calls))
        };
        let left = self.chain().filter_map(left).min().unwrap_or(u64::MAX);
        usize::try_from(left).unwrap_or(usize::MAX)
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

    /// The time that is left, if it is limited.
    pub fn time_left(&self) -> Option<Duration> {
        let limits = self
            .chain()
            .filter_map(|it| Some((it.budget.time?, it.start)));
        limits
            .map(|(limit, start)| limit.saturating_sub(start.elapsed()))
            .min()
    }

    /// This one and all that it is a part of, the nearest first, which is the order of locks.
    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |ledger| ledger.parent.as_deref())
    }

    fn lock(&self) -> MutexGuard<'_, Account> {
        self.account.lock()
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
