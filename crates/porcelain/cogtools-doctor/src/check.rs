//! The list of checks, in the order in which a host meets the things they examine.

use crate::checks;
use crate::context::Context;
use crate::finding::{Finding, State};

/// A check.
struct Check {
    /// Its name in the report and in the manual.
    name: &'static str,
    run: fn(&Context) -> Vec<Finding>,
}

/// The name of a check and its findings.
pub(crate) struct Result {
    pub(crate) name: &'static str,
    pub(crate) findings: Vec<Finding>,
}

/// Every check.
const ALL: [Check; 15] = [
    Check {
        name: "configuration",
        run: checks::configuration::check,
    },
    Check {
        name: "sources",
        run: checks::sources::check,
    },
    Check {
        name: "gemini",
        run: checks::gemini::check,
    },
    Check {
        name: "settings",
        run: checks::settings::check,
    },
    Check {
        name: "commands",
        run: checks::commands::check,
    },
    Check {
        name: "trust",
        run: checks::trust::check,
    },
    Check {
        name: "discovery",
        run: checks::discovery::check,
    },
    Check {
        name: "call",
        run: checks::call::check,
    },
    Check {
        name: "headless",
        run: checks::headless::check,
    },
    Check {
        name: "mcp",
        run: checks::mcp::check,
    },
    Check {
        name: "tools",
        run: checks::tools::check,
    },
    Check {
        name: "sandbox",
        run: checks::sandbox::check,
    },
    Check {
        name: checks::editor::NAME,
        run: checks::editor::check,
    },
    Check {
        name: "manual",
        run: checks::manual::check,
    },
    Check {
        name: "budget",
        run: checks::budget::check,
    },
];

/// Runs every check on `cx`.
pub(crate) fn run_all(cx: &Context) -> Vec<Result> {
    ALL.iter()
        .map(|check| Result {
            name: check.name,
            findings: (check.run)(cx),
        })
        // Few projects ask an editor.
        .filter(|result| result.name != checks::editor::NAME || !result.findings.is_empty())
        .collect()
}

/// The number of findings in `state`.
pub(crate) fn count(results: &[Result], state: State) -> usize {
    let findings = results.iter().flat_map(|result| &result.findings);
    findings.filter(|finding| finding.state == state).count()
}
