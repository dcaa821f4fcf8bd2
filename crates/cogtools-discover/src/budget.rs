//! `--budget`: fewer declarations, and two tools that lead to the others.

use clap::{Arg, ArgMatches, value_parser};
use cogtools_core::{Budget, BudgetError, Code, Fault, Registry, Target};
use cogtools_program::Failure;

use crate::Declared;

/// What the man page says of it.
pub(crate) const MANUAL: &str = "A host sends every declaration to the model with every request. With --budget, or the key \
     budget of cogtoolrc(5), the declarations together cost at most so many tokens, as cogtools \
     list counts them. When all tools fit, nothing changes. Else each tool is declared that \
     still fits, in the order of sources and names, and two tools of cogtools' own are declared \
     after them: find_tool searches all tools of the project by words, and answers with their \
     descriptions and parameters; call_tool calls one of them as a call of its own would. \
     cogtools-call knows both without any option. Their names are taken: a tool file of such a \
     name is broken. A budget that has no room for the two is an error, which tells the least.";

/// The option.
pub(crate) fn arg() -> Arg {
    Arg::new("budget")
        .long("budget")
        .value_name("TOKENS")
        .value_parser(value_parser!(u32))
        .help("Declare what costs at most so many tokens, and a search for the rest")
}

/// A budget, and who has set it.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    budget: Budget,
    option: bool,
}

/// The budget of this run: that of the command line, or of the configuration.
pub(crate) fn of(matches: &ArgMatches, registry: &Registry) -> Option<Asked> {
    let tokens = matches.get_one::<u32>("budget");
    let tokens = tokens.and_then(|tokens| usize::try_from(*tokens).ok());
    let option = tokens.map(Budget::new);
    let budget = option.or_else(|| registry.budget())?;
    Some(Asked {
        budget,
        option: option.is_some(),
    })
}

impl Asked {
    /// The declarations that the budget has room for.
    pub(crate) fn keep(
        self,
        all: Vec<Declared>,
        registry: &Registry,
        target: Target,
    ) -> Result<Vec<String>, Failure> {
        let costs: Vec<usize> = all.iter().map(|one| one.tokens).collect();
        let index = registry.index().map_err(|error| error.faults())?;
        let cost = index.iter().map(|tool| tool.tokens()).sum();
        let selection = self.budget.select(&costs, cost);
        let selection = selection.map_err(|error| self.fault(error))?;
        let kept = all.into_iter().zip(selection.declared);
        let kept = kept.filter(|(_, kept)| *kept).map(|(one, _)| one.text);
        let index = index.iter().filter(|_| selection.index);
        Ok(kept.chain(index.map(|tool| target.print(tool))).collect())
    }

    fn fault(self, error: BudgetError) -> Fault {
        let (code, subject) = if self.option {
            (Code::Usage, "--budget")
        } else {
            (Code::InvalidConfig, "budget")
        };
        let fault = Fault::new(code, error.to_string()).about(subject);
        fault.hint(format!("the least that works here is {}", error.least))
    }
}
