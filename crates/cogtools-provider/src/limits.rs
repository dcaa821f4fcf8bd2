//! The limits of a run: on the command line, in the configuration, in messages.

use std::time::Duration;

use cogtools_agent::Budget;
use cogtools_core::tool::AgentBudget;
use cogtools_core::{Code, Diagnostic};
use cogtools_log::BudgetLimit;
use cogtools_program::Failure;

/// Reads `turns=10` and its kin over the limits in `budget`.
pub(crate) fn budget(words: &[String], mut budget: Budget) -> Result<Budget, Failure> {
    for word in words {
        let invalid = || {
            let message = format!("invalid value '{word}' for '--budget <LIMIT=NUMBER>'");
            let hint = "limits are turns, calls, tokens, seconds and money, such as turns=20";
            Failure::from(Diagnostic::new(Code::Usage, message).hint(hint))
        };
        let (limit, number) = word.split_once('=').ok_or_else(invalid)?;
        let count = || number.parse().map(Some).map_err(|_| invalid());
        match limit {
            "turns" => budget.turns = count()?,
            "calls" => budget.calls = count()?,
            "tokens" => budget.tokens = count()?,
            "seconds" => budget.time = count()?.map(Duration::from_secs),
            "money" => {
                let amount: f64 = number.parse().map_err(|_| invalid())?;
                budget.money = Some(amount).filter(|amount| amount.is_finite() && *amount >= 0.0);
                budget.money.ok_or_else(invalid)?;
            }
            _ => return Err(invalid()),
        }
    }
    Ok(budget)
}

/// The limits of a file, as those of a run.
pub const fn budget_of(budget: AgentBudget) -> Budget {
    Budget {
        turns: budget.turns,
        calls: budget.calls,
        tokens: budget.tokens,
        time: match budget.seconds {
            Some(seconds) => Some(Duration::from_secs(seconds)),
            None => None,
        },
        money: budget.money,
    }
}

/// The name of a limit, as in `--budget`.
pub const fn limit_name(limit: BudgetLimit) -> &'static str {
    match limit {
        BudgetLimit::Turns => "turns",
        BudgetLimit::Calls => "calls",
        BudgetLimit::Tokens => "tokens",
        BudgetLimit::Seconds => "seconds",
        BudgetLimit::Money => "money",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_of_the_budget_are_those_of_the_loop() {
        assert_eq!(budget_of(AgentBudget::STANDARD), Budget::default());
    }
}
