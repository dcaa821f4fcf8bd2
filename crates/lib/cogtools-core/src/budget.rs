//! Limits on the declarations of a project: the tokens that they cost, and their number.

use crate::Name;

/// The number of tokens that all declarations together may cost per request, as
/// estimated by [`Tool::tokens`](crate::Tool::tokens), and the number of declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    tokens: usize,
    tools: usize,
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

    /// Selects among tools with these `costs`: all of them if they fit; otherwise the
    /// search tools, which cost `search`, and each tool in turn that still fits.
    pub fn select(self, costs: &[usize], search: usize) -> Result<Selection, BudgetError> {
        let all = costs.iter().sum();
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
        let mut take = |cost: &usize| {
            let fits = tokens + cost <= self.tokens && tools < self.tools;
            if fits {
                tokens += cost;
                tools += 1;
            }
            fits
        };
        let declared = costs.iter().map(&mut take).collect();
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
        let found = budget.select(costs, 20);
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

    #[test]
    fn tools_that_fit_are_declared_in_order() {
        check(0, &[], Ok((&[], false, 0)));
        check(60, &[10, 20, 30], Ok((&[0, 1, 2], false, 60)));
        check(59, &[10, 20, 30], Ok((&[0, 1], true, 50)));
        check(40, &[30, 10, 20], Ok((&[1], true, 30)));
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
