//! Overviews of a conversation: its tools, and what is spent of its budget.

use std::fmt::Write as _;

use cogtools_agent::{AgentTool, Ledger};
use cogtools_core::Pattern;
use cogtools_program::terminal::truncate;

/// How much of a description is shown, in characters.
const MAX_DESCRIPTION_CHARS: usize = 60;

/// The tools whose names match `pattern`, with the beginnings of their descriptions.
pub(crate) fn tools(tools: &[AgentTool], pattern: Option<&str>) -> String {
    let pattern = pattern.map(Pattern::new);
    let is_shown = |tool: &&AgentTool| match &pattern {
        Some(pattern) => pattern.matches(&tool.name),
        None => true,
    };
    let shown: Vec<&AgentTool> = tools.iter().filter(is_shown).collect();
    if shown.is_empty() {
        return "no tool".to_owned();
    }
    let width = shown.iter().map(|tool| tool.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for tool in shown {
        let description = tool.declaration["description"].as_str().unwrap_or_default();
        let line = description.trim().lines().next().unwrap_or_default();
        let line = truncate(line, MAX_DESCRIPTION_CHARS);
        let _ = writeln!(text, "{:width$}  {line}", tool.name);
    }
    text
}

/// What is spent of each limit.
pub(crate) fn budget(ledger: &Ledger) -> String {
    let (spent, budget) = (ledger.spent(), ledger.budget());
    let line = |name: &str, spent: u64, limit: Option<u64>| {
        let limit = limit.map(|limit| format!(" of {limit}"));
        format!("{name:<8} {spent}{}\n", limit.unwrap_or_default())
    };
    let seconds = budget.time.map(|time| time.as_secs());
    let mut text = [
        line("turns", spent.turns, budget.turns),
        line("calls", spent.calls, budget.calls),
        line("tokens", spent.usage.total, budget.tokens),
    ]
    .concat();
    if seconds.is_some() {
        text.push_str(&line("seconds", ledger.elapsed().as_secs(), seconds));
    }
    if spent.money > 0.0 || budget.money.is_some() {
        let limit = budget.money.map(|limit| format!(" of {limit}"));
        let limit = limit.unwrap_or_default();
        let _ = writeln!(text, "{:<8} {:.4}{limit}", "money", spent.money);
    }
    text
}
