//! Selection of the turns to send: rules over the kinds of turns.
//!
//! A turn is the smallest thing that is kept or left out: a task, an answer, the calls of one
//! response, the result of one call, a summary.

/// A turn of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnKind {
    /// A task of the user.
    Task,
    /// An answer of the model.
    Answer,
    /// A response of the model with calls.
    Calls,
    /// The result of a call that succeeded.
    Result,
    /// The result of a call that failed.
    FailedResult,
    /// A summary of earlier turns.
    Summary,
}

impl TurnKind {
    const fn is_result(self) -> bool {
        matches!(self, Self::Result | Self::FailedResult)
    }
}

/// Returns true if each turn is sent whole: of the results only the newest `max_results`.
pub fn is_whole(turns: &[TurnKind], max_results: usize) -> Vec<bool> {
    let mut newer = 0;
    let mut whole: Vec<bool> = turns
        .iter()
        .rev()
        .map(|turn| {
            newer += usize::from(turn.is_result());
            !turn.is_result() || newer <= max_results
        })
        .collect();
    whole.reverse();
    whole
}

/// The results that are older than the last `tasks` tasks. Failures stay: a model repeats a
/// mistake that it cannot see any more.
pub fn expired_results(turns: &[TurnKind], tasks: usize) -> Vec<usize> {
    let of_kind = |kind| {
        let turns = turns.iter().enumerate();
        turns.filter(move |(_, turn)| **turn == kind)
    };
    let starts: Vec<usize> = of_kind(TurnKind::Task).map(|(index, _)| index).collect();
    let first = starts.len().checked_sub(tasks);
    let Some(first) = first.and_then(|index| starts.get(index)) else {
        return Vec::new();
    };
    let results = of_kind(TurnKind::Result).map(|(index, _)| index);
    results.take_while(|index| index < first).collect()
}

/// Where a conversation is cut into cached and buffered turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Number of cached turns.
    pub cached: usize,
    /// True if the cache should be renewed, with these turns.
    pub is_due: bool,
}

/// The tokens of the last request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SentTokens {
    /// All of them.
    pub prompt: u64,
    /// Tokens that came from a cache.
    pub cached: u64,
}

impl Split {
    /// Cuts `turns` turns. A cache is due when `threshold` tokens of the last request were not
    /// cached; then all turns but the last belong in it. Otherwise the cache covers the share of
    /// turns that it covered of the tokens. Without a threshold nothing is cached.
    pub fn new(turns: usize, sent: SentTokens, threshold: Option<u64>) -> Self {
        let Some(threshold) = threshold.filter(|_| turns > 0) else {
            return Self {
                cached: 0,
                is_due: false,
            };
        };
        // A provider may count more cached tokens than it counted in the prompt.
        let buffered = sent.prompt.checked_sub(sent.cached);
        let is_due = buffered.is_some_and(|buffered| buffered >= threshold);
        let share = || {
            let count = u128::try_from(turns).unwrap_or(u128::MAX);
            let covered = count * u128::from(sent.cached);
            let covered = covered.checked_div(u128::from(sent.prompt)).unwrap_or(0);
            usize::try_from(covered).unwrap_or(usize::MAX)
        };
        Self {
            cached: if is_due {
                turns - 1
            } else {
                share().min(turns - 1)
            },
            is_due,
        }
    }
}

/// Counts the `turns` of the history: all but a task at the end, to which the model reacts.
pub fn history_len(turns: &[TurnKind]) -> usize {
    turns.len() - usize::from(turns.last() == Some(&TurnKind::Task))
}

/// The largest cut that is not after `cut` and parts no calls from their results.
pub fn call_border(turns: &[TurnKind], cut: usize) -> usize {
    border(turns, cut, |turn| {
        !turn.is_some_and(|turn| turn.is_result())
    })
}

/// The largest cut that is not after `cut` and before a task: the calls of a model and their
/// results are never parted.
pub fn task_border(turns: &[TurnKind], cut: usize) -> usize {
    border(turns, cut, |turn| turn == Some(&TurnKind::Task))
}

fn border(turns: &[TurnKind], cut: usize, is_border: fn(Option<&TurnKind>) -> bool) -> usize {
    let mut cuts = (0..=cut.min(turns.len())).rev();
    cuts.find(|index| is_border(turns.get(*index))).unwrap_or(0)
}
