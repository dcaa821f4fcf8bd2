//! The limits of a run on the command line.

use std::time::Duration;

use cogtools_agent::Budget;
use cogtools_core::{Code, Diagnostic};
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
