//! `--budget`: fewer declarations, and two tools that lead to the others.

use clap::{Arg, ArgMatches, value_parser};
use cogtools_core::{Budget, BudgetError, Code, Diagnostic, Registry, Tool};

/// What the man page says of it.
pub const MANUAL: &str = "A host sends every declaration to the model with every request. With --budget, or the key \
     budget of `cogtoolrc(5)`, the declarations together cost at most that many tokens, as counted \
     by `cogtools list`. If all tools fit, nothing changes. Otherwise, each tool that still \
     fits is declared, in the order of sources and names, followed by two built-in tools: find_tool \
     searches all tools of the project and returns their descriptions and parameters; call_tool \
     calls one of them, exactly as a direct call would. `cogtools-call` accepts both without any \
     option. Their names are reserved: a tool file with either name is invalid. A budget too small \
     for these two is an error, which states the minimum.";

/// The option.
pub fn arg() -> Arg {
    Arg::new("budget")
        .long("budget")
        .value_name("TOKENS")
        .value_parser(value_parser!(u32))
        .help("Declare tools up to this many tokens, and a search for the rest")
}

/// The value of `--budget`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BudgetArg(Option<Budget>);

/// A budget, and who has set it.
#[derive(Clone, Copy, Debug)]
pub struct BudgetOption {
    budget: Budget,
    is_option: bool,
}

impl BudgetArg {
    /// The value of [`arg`].
    pub fn from_matches(matches: &ArgMatches) -> Self {
        let tokens = matches.get_one::<u32>("budget");
        let tokens = tokens.and_then(|tokens| usize::try_from(*tokens).ok());
        Self(tokens.map(Budget::new))
    }

    /// The budget of this run: that of the command line, or of the configuration.
    pub fn or_configured(self, registry: &Registry) -> Option<BudgetOption> {
        let budget = self.0.or_else(|| registry.budget())?;
        Some(BudgetOption {
            budget,
            is_option: self.0.is_some(),
        })
    }
}

impl BudgetOption {
    /// What the budget has room for of `all`, each with its tokens, and what `index`
    /// makes of the two tools that lead to the others.
    pub fn keep<T>(
        self,
        all: Vec<(T, usize)>,
        registry: &Registry,
        index: impl FnMut(&Tool) -> T,
    ) -> Result<Vec<T>, Vec<Diagnostic>> {
        let costs: Vec<usize> = all.iter().map(|(_, tokens)| *tokens).collect();
        let two = registry
            .index()
            .map_err(cogtools_core::FindError::diagnostics)?;
        let cost = two.iter().map(Tool::tokens).sum();
        let selection = self.budget.select(&costs, cost);
        let selection = selection.map_err(|error| vec![self.diagnostic(error)])?;
        let kept = all.into_iter().zip(selection.declared);
        let kept = kept.filter(|(_, kept)| *kept).map(|((one, _), _)| one);
        let two = two.iter().filter(|_| selection.with_search);
        Ok(kept.chain(two.map(index)).collect())
    }

    fn diagnostic(self, error: BudgetError) -> Diagnostic {
        let (code, subject) = if self.is_option {
            (Code::Usage, "--budget")
        } else {
            (Code::InvalidConfig, "budget")
        };
        let diagnostic = Diagnostic::new(code, error.to_string()).with_subject(subject);
        diagnostic.hint(format!("the least that works here is {}", error.minimum))
    }
}
