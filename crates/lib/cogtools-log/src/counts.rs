//! Counts of the calls of each tool: which it rejects, and what is wrong with them.

use std::collections::{BTreeMap, BTreeSet};

use cogtools_document::estimate_tokens;

use crate::{CallEvent, Event, Mistake, Outcome, Session, rejected_arguments};

/// Counts of the calls of one tool.
#[derive(Clone, Debug, Default)]
pub struct ToolCounts {
    /// Sessions with a call.
    pub sessions: u64,
    /// Calls, with the rejected ones.
    pub calls: u64,
    /// Calls whose arguments the tool did not take.
    pub rejected: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Calls that were denied.
    pub denied: u64,
    /// Rejected calls after which the tool took another in the same session.
    pub repaired: u64,
    /// Tokens of the results, as estimated.
    pub tokens: u64,
    /// Calls with a rejected argument, by its pointer and its mistake.
    pub mistakes: BTreeMap<(String, Mistake), u64>,
    /// Tools that were called next, after a call that was rejected or failed.
    pub then: BTreeMap<String, u64>,
}

impl ToolCounts {
    /// Adds the calls of all branches of `session` to the counts of each tool.
    pub fn add(session: &Session, all: &mut BTreeMap<String, Self>) {
        let mut open: Vec<&CallEvent> = Vec::new();
        let mut rejected: BTreeSet<&str> = BTreeSet::new();
        let mut called: BTreeSet<&str> = BTreeSet::new();
        let mut last_failed: Option<&str> = None;
        for entry in session.nodes() {
            match &entry.event {
                Event::Call(call) => {
                    open.push(call);
                    let tool = &call.tool;
                    let counts = all.entry(tool.clone()).or_default();
                    counts.calls += 1;
                    counts.sessions += u64::from(called.insert(tool));
                    if let Some(before) = last_failed.take().filter(|before| before != tool)
                        && let Some(counts) = all.get_mut(before)
                    {
                        *counts.then.entry(tool.clone()).or_default() += 1;
                    }
                }
                Event::Result(result) => {
                    let found = open.iter().rfind(|open| open.call == result.call);
                    let tool = found.map_or("", |open| &open.tool);
                    let Some(counts) = all.get_mut(tool) else {
                        continue;
                    };
                    counts.tokens += estimate_tokens(&result.content.to_string()) as u64;
                    match &result.outcome {
                        outcome if outcome.is_rejection() => {
                            counts.rejected += 1;
                            rejected.insert(tool);
                            let wrong = rejected_arguments(tool, &result.content).into_iter();
                            for wrong in wrong.collect::<BTreeSet<_>>() {
                                *counts.mistakes.entry(wrong).or_default() += 1;
                            }
                            last_failed = Some(tool);
                        }
                        Outcome::Failed { .. } | Outcome::TimedOut => {
                            counts.failed += 1;
                            last_failed = Some(tool);
                        }
                        Outcome::Denied => counts.denied += 1,
                        Outcome::Succeeded => counts.repaired += u64::from(rejected.remove(tool)),
                        Outcome::Cancelled => {}
                    }
                }
                _ => {}
            }
        }
    }

    /// Calls with a rejected argument, by its pointer.
    pub fn wrong(&self) -> BTreeMap<&str, u64> {
        let mut wrong = BTreeMap::new();
        for ((pointer, _), count) in &self.mistakes {
            *wrong.entry(pointer.as_str()).or_default() += count;
        }
        wrong
    }
}
