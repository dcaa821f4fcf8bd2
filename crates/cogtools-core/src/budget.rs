//! How many tokens the declarations of a project may cost.

use crate::Name;

/// The tokens that all declarations together may cost with every request, as
/// [`Tool::tokens`](crate::Tool::tokens) estimates them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget(usize);

/// What is declared within a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// For each tool, whether it is declared.
    pub declared: Vec<bool>,
    /// Whether the tools of [`Name::RESERVED`] are declared, to lead to the others.
    pub with_search: bool,
    /// What all that is declared costs.
    pub tokens: usize,
}

/// A budget that nothing fits into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a budget of {budget} tokens is too small: {} and {}, which lead to the tools that do not \
     fit, cost {minimum}",
    Name::FIND,
    Name::CALL
)]
pub struct BudgetError {
    /// The budget.
    pub budget: usize,
    /// The least that would do.
    pub minimum: usize,
}

impl Budget {
    /// A budget of so many tokens.
    pub const fn new(tokens: usize) -> Self {
        Self(tokens)
    }

    /// The tokens.
    pub const fn tokens(self) -> usize {
        self.0
    }

    /// Chooses among tools that cost so much each: all of them if they fit; else each
    /// in turn that still fits beside the two that lead to the others, which cost
    /// `index`.
    pub fn select(self, costs: &[usize], index: usize) -> Result<Selection, BudgetError> {
        let all = costs.iter().sum();
        if all <= self.0 {
            return Ok(Selection {
                declared: vec![true; costs.len()],
                with_search: false,
                tokens: all,
            });
        }
        if index > self.0 {
            return Err(BudgetError {
                budget: self.0,
                minimum: index.min(all),
            });
        }
        let mut tokens = index;
        let declared = costs.iter().map(|cost| {
            let fits = tokens + cost <= self.0;
            if fits {
                tokens += cost;
            }
            fits
        });
        let declared = declared.collect();
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
        let found = Budget::new(budget).select(costs, 20);
        let found = found.map(|selection| {
            let declared = selection.declared.iter().enumerate();
            let declared: Vec<usize> = declared.filter(|(_, d)| **d).map(|(i, _)| i).collect();
            (declared, selection.with_search, selection.tokens)
        });
        let expected = expected.map(|(declared, index, tokens)| (declared.to_vec(), index, tokens));
        assert_eq!(
            found.map_err(|error| error.minimum),
            expected,
            "{budget} {costs:?}"
        );
    }

    #[test]
    fn what_fits_is_declared_in_order() {
        check(0, &[], Ok((&[], false, 0)));
        check(60, &[10, 20, 30], Ok((&[0, 1, 2], false, 60)));
        check(59, &[10, 20, 30], Ok((&[0, 1], true, 50)));
        check(40, &[30, 10, 20], Ok((&[1], true, 30)));
        check(20, &[10, 20], Ok((&[], true, 20)));
        check(19, &[10, 20], Err(20));
        check(5, &[6], Err(6));
    }
}
