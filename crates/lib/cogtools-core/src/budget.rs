//! Limits on the declarations of a project: the tokens that they cost, and their number.

use crate::Name;

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
    /// True if it is declared whatever the budget is.
    pub is_pinned: bool,
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

    /// The tokens.
    pub const fn tokens(self) -> usize {
        self.tokens
    }

    /// Selects among tools with these `costs`: all of them if they fit; otherwise the search tools,
    /// which cost `search`, those that are pinned, and of the others as many as fit, small ones first.
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
        order.sort_by_key(|(_, cost)| (!cost.is_pinned, cost.tokens));
        for (index, cost) in order {
            let fits = tokens + cost.tokens <= self.tokens && tools < self.tools;
            if fits || cost.is_pinned {
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
            is_pinned: false,
        }
    }

    #[test]
    fn pinned_tools_are_declared_whatever_they_cost() {
        let mut costs = [5, 4, 90, 3].map(cost);
        costs[2].is_pinned = true;
        let selection = Budget::new(50).select(&costs, 20);
        let declared = selection.map(|it| (it.declared, it.tokens));
        assert_eq!(declared, Ok((vec![false, false, true, false], 110)));
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
