//! The branches of a session: each turn below the one that it follows.

use std::collections::{HashMap, HashSet};

use cogtools_log::{Id, Index, Line};
use serde::Serialize;

use crate::respond::PageError;
use crate::session::list::subject;
use crate::session::turn::Turn;
use crate::session::view::begins_turn;

/// The number of lines up to which a page looks for branches.
const MAX_LINES: usize = 5_000;

/// The level that is indented most.
const MAX_LEVEL: usize = 8;

/// The turns of a session with several branches; empty for one without.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Tree(Vec<Branch>);

/// A turn in the tree.
#[derive(Debug, Serialize)]
struct Branch {
    /// The number of its first line.
    line: usize,
    text: String,
    /// The number of branches that it is below.
    level: usize,
    /// True if the session goes on from it.
    is_current: bool,
    /// Its parent, as an index.
    #[serde(skip)]
    parent: Option<usize>,
}

impl Tree {
    /// Reads the branches of a session that is not too long for it.
    pub(crate) fn read(index: &Index) -> Result<Self, PageError> {
        let behind = index.lines() + 1;
        if behind > MAX_LINES {
            return Ok(Self::default());
        }
        Ok(Self::of(&index.read(2..behind)?))
    }

    fn of(lines: &[Line]) -> Self {
        let mut all: Vec<Branch> = Vec::new();
        let mut turns: HashMap<Id, usize> = HashMap::new();
        let mut head = None;
        let mut before: Option<&Line> = None;
        for line in lines {
            let previous = before.replace(line);
            let Ok(entry) = &line.entry else {
                continue;
            };
            let parent = entry.parent.and_then(|parent| turns.get(&parent).copied());
            let begins = previous.is_none_or(|previous| begins_turn(previous, line));
            let turn = if begins || head.is_none() {
                all.push(Branch {
                    line: line.number,
                    text: subject(&entry.event).unwrap_or_default(),
                    level: 0,
                    is_current: false,
                    parent,
                });
                all.len() - 1
            } else {
                // An entry without a turn of its own is one of the turn before it, as on the page.
                parent.or(head).unwrap_or_default()
            };
            turns.insert(entry.id, turn);
            head = Some(turn);
        }
        let siblings =
            |parent: Option<usize>| all.iter().filter(|one| one.parent == parent).count();
        let has_siblings: Vec<bool> = all.iter().map(|one| siblings(one.parent) > 1).collect();
        if !has_siblings.contains(&true) {
            return Self::default();
        }
        for index in 0..all.len() {
            let level = all[index].parent.map_or(0, |parent| all[parent].level);
            all[index].level = (level + usize::from(has_siblings[index])).min(MAX_LEVEL);
        }
        while let Some(index) = head {
            all[index].is_current = true;
            head = all[index].parent;
        }
        Self(in_order(all))
    }

    /// Marks the turns that the session does not go on from.
    pub(crate) fn mark(&self, turns: &mut [Turn]) {
        let branches = self.0.iter().filter(|branch| !branch.is_current);
        let aside: HashSet<usize> = branches.map(|branch| branch.line).collect();
        for turn in turns {
            turn.is_aside = aside.contains(&turn.line);
        }
    }
}

/// Puts each turn behind the one that it follows, and before the next branch there.
fn in_order(all: Vec<Branch>) -> Vec<Branch> {
    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (index, branch) in all.iter().enumerate() {
        children.entry(branch.parent).or_default().push(index);
    }
    let mut waiting = children.remove(&None).unwrap_or_default();
    waiting.reverse();
    let mut places = vec![0; all.len()];
    let mut place = 0;
    while let Some(index) = waiting.pop() {
        places[index] = place;
        place += 1;
        let below = children.remove(&Some(index)).unwrap_or_default();
        waiting.extend(below.into_iter().rev());
    }
    let mut placed: Vec<(usize, Branch)> = places.into_iter().zip(all).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, branch)| branch).collect()
}
