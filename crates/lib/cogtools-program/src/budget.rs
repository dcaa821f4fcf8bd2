//! `--budget` and `--max-tools`: fewer declarations, plus two tools that find and call the others.

use clap::{Args, value_parser};
use cogtools_core::{Budget, BudgetError, Code, Cost, Diagnostic, Registry, Selection, Tool};

/// The section of the man page.
pub const MANUAL: &str = "A host sends every declaration to the model with every request. With --budget, or the key \
     budget of `cogtoolrc(5)`, the declarations together cost at most that many tokens, as counted \
     by `cogtools list`. If all tools fit, nothing changes. Otherwise, each with `pin` under `tools` of its \
     source is declared, whatever it costs, and of the others as many as fit: first those that are called \
     most often, then small ones; `cogtools list --budget` says why each is kept. With a budget, calls \
     are counted for all projects of the user, in `~/.local/state/cogtools/uses`, and compared by powers \
     of two: the list is the same until a tool is called twice as often as before. Two built-in tools follow: \
     find_tool searches all tools of the project and returns their descriptions and parameters; call_tool \
     calls one of them, exactly as a direct call would. --max-tools does the same for a number of tools, \
     the two and those with `pin` included, since some hosts refuse a server with more: Antigravity takes 100 of all \
     servers. `cogtools-call` accepts both without any \
     option. Their names are reserved: a tool file with either name is invalid. A budget too small \
     for these two is an error, which states the minimum.";

/// `--budget` and `--max-tools`.
#[derive(Args, Clone, Copy, Debug, Default)]
#[group(skip)]
pub struct BudgetArg {
    /// Declare tools up to this many tokens, and a search for the rest
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u32>,
    /// Declare up to this many tools, and a search for the rest
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(2..))]
    max_tools: Option<u32>,
}

/// A budget; `is_option` is true if an option set it.
#[derive(Clone, Copy, Debug)]
pub struct BudgetOption {
    budget: Budget,
    is_option: bool,
}

impl BudgetArg {
    /// Returns true if one of the options is there.
    pub const fn is_set(self) -> bool {
        self.budget.is_some() || self.max_tools.is_some()
    }

    /// The budget of the command line, or else of the configuration.
    pub fn or_configured(self, registry: &Registry) -> Option<BudgetOption> {
        let number = |option: Option<u32>| option.and_then(|number| number.try_into().ok());
        let tokens = number(self.budget).map(Budget::new);
        let tokens = tokens.or_else(|| registry.budget());
        let budget = match number(self.max_tools) {
            Some(tools) => tokens.unwrap_or(Budget::UNLIMITED).with_max_tools(tools),
            None => tokens?,
        };
        Some(BudgetOption {
            budget,
            is_option: self.budget.is_some(),
        })
    }
}

impl BudgetOption {
    /// Returns true if the configuration has it, and no option.
    pub const fn is_configured(self) -> bool {
        !self.is_option
    }

    /// Returns true for each tool with these `costs` that is declared.
    pub fn declared(
        self,
        costs: &[Cost],
        registry: &Registry,
    ) -> Result<Vec<bool>, Vec<Diagnostic>> {
        Ok(self.selection(costs, registry)?.1.declared)
    }

    fn selection(
        self,
        costs: &[Cost],
        registry: &Registry,
    ) -> Result<(Vec<Tool>, Selection), Vec<Diagnostic>> {
        let search_tools = registry
            .search_tools()
            .map_err(cogtools_core::FindError::diagnostics)?;
        let search_cost = search_tools.iter().map(Tool::tokens).sum();
        let selection = self.budget.select(costs, search_cost);
        let selection = selection.map_err(|error| vec![self.diagnostic(error)])?;
        Ok((search_tools, selection))
    }

    /// The items of `all`, each with its cost, that fit the budget; if any is left out, also
    /// the result of `declare` for the two built-in tools that find and call the others.
    pub fn select<T>(
        self,
        all: Vec<(T, Cost)>,
        registry: &Registry,
        declare: impl FnMut(&Tool) -> T,
    ) -> Result<Vec<T>, Vec<Diagnostic>> {
        let costs: Vec<Cost> = all.iter().map(|(_, cost)| *cost).collect();
        let (search_tools, selection) = self.selection(&costs, registry)?;
        let all = all.into_iter().zip(selection.declared);
        let declared = all.filter(|(_, is_declared)| *is_declared);
        let mut selected: Vec<T> = declared.map(|((item, _), _)| item).collect();
        if selection.with_search {
            selected.extend(search_tools.iter().map(declare));
        }
        Ok(selected)
    }

    fn diagnostic(self, error: BudgetError) -> Diagnostic {
        let (code, subject) = if self.is_option {
            (Code::Usage, "--budget")
        } else {
            (Code::InvalidConfig, "budget")
        };
        let diagnostic = Diagnostic::new(code, error.to_string()).with_subject(subject);
        diagnostic.hint(format!("the minimum here is {}", error.minimum))
    }
}
