//! Limits on the declarations of a project: the tokens that they cost, and their number.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::file::create_private_folder;
use crate::{Name, cached};

/// The number of tokens that all declarations together may cost per request, as
/// estimated by [`Tool::tokens`](crate::Tool::tokens), and the number of declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    tokens: usize,
    tools: usize,
}

/// The cost of a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Its tokens.
    pub tokens: usize,
    /// True if it is declared before others, and whatever it costs.
    pub is_pinned: bool,
    /// The number of its calls, as far as they are counted.
    pub uses: u32,
}

impl Cost {
    /// Returns the cost of the tool `name` with its number of calls in `uses`.
    #[must_use]
    pub fn with_uses(self, name: &str, uses: &HashMap<String, u32>) -> Self {
        let uses = uses.get(name).copied();
        Self {
            uses: uses.unwrap_or_default(),
            ..self
        }
    }

    /// The order of magnitude of its calls: a single call seldom changes a list, which a host would
    /// send to the model anew.
    const fn frequency(self) -> u32 {
        u32::BITS - self.uses.leading_zeros()
    }
}

/// The calls of the user by tool, in all projects with a budget. The file has a line for each call; it
/// is halved when it is full, so that what is no longer used loses its place.
#[derive(Clone, Debug)]
pub struct Uses {
    file: Option<PathBuf>,
}

impl Uses {
    /// The size from which the file is halved.
    const MAX_BYTES: u64 = 64 << 10;

    /// The calls that are counted in the folder `state` of the user.
    pub fn of(state: Option<&Path>) -> Self {
        Self {
            file: state.map(|state| state.join("uses")),
        }
    }

    /// Counts a call of the tool `name`; a call does not fail because it is not counted.
    pub(crate) fn record(&self, name: &Name) {
        let Some(file) = &self.file else {
            return;
        };
        let is_full = file
            .metadata()
            .is_ok_and(|meta| meta.len() >= Self::MAX_BYTES);
        if is_full && let Some(text) = cached::read(file, Self::MAX_BYTES) {
            let text = String::from_utf8_lossy(&text);
            let kept = text.lines().skip(text.lines().count() / 2);
            let kept: String = kept.flat_map(|line| [line, "\n"]).collect();
            cached::write(Some(file), kept.as_bytes());
        }
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let folder = file.parent().map_or(Ok(()), create_private_folder);
        let opened = folder.and_then(|()| options.open(file));
        // One write, so that lines of several processes stay whole.
        let _ = opened.and_then(|mut file| file.write_all(format!("{name}\n").as_bytes()));
    }

    /// Returns the number of calls by name.
    pub fn read(&self) -> HashMap<String, u32> {
        let file = self.file.as_ref().filter(|file| file.is_file());
        let text = file.and_then(|file| cached::read(file, 2 * Self::MAX_BYTES));
        let mut counts = HashMap::new();
        for line in String::from_utf8_lossy(&text.unwrap_or_default()).lines() {
            *counts.entry(line.to_owned()).or_default() += 1;
        }
        counts
    }
}

/// The tools declared within a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// For each tool, whether it is declared.
    pub declared: Vec<bool>,
    /// True if the tools of [`Name::RESERVED`] are declared, to find and call the others.
    pub with_search: bool,
    /// The cost of all declarations.
    pub tokens: usize,
}

/// A budget that is too small for any declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a budget of {budget} tokens is too small: {} and {}, which find and call the tools that do \
     not fit, cost {minimum}",
    Name::FIND,
    Name::CALL
)]
pub struct BudgetError {
    /// The budget.
    pub budget: usize,
    /// The smallest sufficient budget.
    pub minimum: usize,
}

impl Budget {
    /// A budget without limits.
    pub const UNLIMITED: Self = Self::new(usize::MAX);

    /// A budget of this many tokens.
    pub const fn new(tokens: usize) -> Self {
        let tools = usize::MAX;
        Self { tokens, tools }
    }

    /// Limits the budget to at most this many tools, at least the two of [`Name::RESERVED`].
    #[must_use]
    pub const fn with_max_tools(self, tools: usize) -> Self {
        Self { tools, ..self }
    }

    /// Selects among tools with these `costs`: all of them if they fit; otherwise the search tools,
    /// which cost `search`, those that are pinned, and of the others as many as fit: those that are
    /// called most often first, by powers of two, then small ones.
    pub fn select(self, costs: &[Cost], search: usize) -> Result<Selection, BudgetError> {
        let all = costs.iter().map(|cost| cost.tokens).sum();
        if all <= self.tokens && costs.len() <= self.tools {
            return Ok(Selection {
                declared: vec![true; costs.len()],
                with_search: false,
                tokens: all,
            });
        }
        if search > self.tokens {
            return Err(BudgetError {
                budget: self.tokens,
                minimum: search.min(all),
            });
        }
        let mut tokens = search;
        let mut tools = Name::RESERVED.len();
        let mut declared = vec![false; costs.len()];
        let mut order: Vec<(usize, &Cost)> = costs.iter().enumerate().collect();
        order.sort_by_key(|(_, cost)| (!cost.is_pinned, Reverse(cost.frequency()), cost.tokens));
        for (index, cost) in order {
            let fits = cost.is_pinned || tokens + cost.tokens <= self.tokens;
            if fits && tools < self.tools {
                tokens += cost.tokens;
                tools += 1;
                declared[index] = true;
            }
        }
        Ok(Selection {
            declared,
            with_search: true,
            tokens,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(budget: usize, costs: &[usize], expected: Result<(&[usize], bool, usize), usize>) {
        check_budget(Budget::new(budget), costs, expected);
    }

    #[track_caller]
    fn check_budget(
        budget: Budget,
        costs: &[usize],
        expected: Result<(&[usize], bool, usize), usize>,
    ) {
        let costs: Vec<Cost> = costs.iter().map(|tokens| cost(*tokens)).collect();
        let found = budget.select(&costs, 20);
        let found = found.map(|selection| {
            let declared = selection.declared.iter().enumerate();
            let indices: Vec<usize> = declared.filter(|(_, d)| **d).map(|(i, _)| i).collect();
            (indices, selection.with_search, selection.tokens)
        });
        let expected =
            expected.map(|(declared, search, tokens)| (declared.to_vec(), search, tokens));
        assert_eq!(
            found.map_err(|error| error.minimum),
            expected,
            "{budget:?} {costs:?}"
        );
    }

    fn cost(tokens: usize) -> Cost {
        Cost {
            tokens,
            ..Cost::default()
        }
    }

    #[test]
    fn tools_that_are_called_most_often_come_before_small_ones() {
        let mut costs = [5, 20, 20, 4].map(cost);
        let declared = |costs: &[Cost]| {
            let selection = Budget::new(45).select(costs, 20);
            selection.map(|it| it.declared)
        };
        assert_eq!(declared(&costs), Ok(vec![true, false, false, true]));
        costs[2].uses = 4;
        assert_eq!(declared(&costs), Ok(vec![false, false, true, true]));
        // As often as the other, as far as it matters.
        costs[1].uses = 7;
        assert_eq!(declared(&costs), Ok(vec![false, true, false, true]));
        costs[2].uses = 8;
        assert_eq!(declared(&costs), Ok(vec![false, false, true, true]));
    }

    #[test]
    fn calls_are_counted_and_old_ones_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let uses = Uses::of(Some(&folder.path().join("state")));
        assert_eq!(uses.read(), HashMap::new());
        let (old, new) = (Name::new("old"), Name::new("new"));
        let (old, new) = (old.expect("a name"), new.expect("a name"));
        for _ in 0..3 {
            uses.record(&old);
        }
        uses.record(&new);
        let expected = [("old".to_owned(), 3), ("new".to_owned(), 1)];
        assert_eq!(uses.read(), HashMap::from(expected));
        for _ in 0..Uses::MAX_BYTES / 4 {
            uses.record(&new);
        }
        assert!(!uses.read().contains_key("old"));
        assert!(uses.read()["new"] > 8000);
        Uses::of(None).record(&new);
    }

    #[test]
    fn pinned_tools_are_declared_whatever_they_cost() {
        let mut costs = [5, 4, 90, 3].map(cost);
        costs[2].is_pinned = true;
        let selection = Budget::new(50).select(&costs, 20);
        let declared = selection.map(|it| (it.declared, it.tokens));
        assert_eq!(declared, Ok((vec![false, false, true, false], 110)));
        let two = Budget::UNLIMITED.with_max_tools(2);
        let selection = two.select(&costs, 20).map(|it| it.declared);
        assert_eq!(selection, Ok(vec![false; 4]));
        costs[0].is_pinned = true;
        let selection = two.with_max_tools(3).select(&costs, 20);
        let declared = selection.map(|it| it.declared);
        assert_eq!(declared, Ok(vec![true, false, false, false]));
        let selection = Budget::new(118).select(&costs[1..], 20);
        assert_eq!(selection.map(|it| it.declared), Ok(vec![true, true, true]));
    }

    #[test]
    fn small_tools_are_declared_first() {
        check(0, &[], Ok((&[], false, 0)));
        check(60, &[10, 20, 30], Ok((&[0, 1, 2], false, 60)));
        check(59, &[10, 20, 30], Ok((&[0, 1], true, 50)));
        check(40, &[30, 10, 20], Ok((&[1], true, 30)));
        check(59, &[30, 20, 10], Ok((&[1, 2], true, 50)));
        check(20, &[10, 20], Ok((&[], true, 20)));
        check(19, &[10, 20], Err(20));
        check(5, &[6], Err(6));
    }

    #[test]
    fn the_search_tools_count() {
        let four = Budget::UNLIMITED.with_max_tools(4);
        check_budget(four, &[1; 4], Ok((&[0, 1, 2, 3], false, 4)));
        check_budget(four, &[1; 5], Ok((&[0, 1], true, 22)));
        let small = Budget::new(30).with_max_tools(4);
        check_budget(small, &[20, 3, 3, 3, 3], Ok((&[1, 2], true, 26)));
        check_budget(small.with_max_tools(2), &[1; 3], Ok((&[], true, 20)));
    }
}
