//! Mistakes that models have made with a tool, as the sessions of the project have them.

use cogtools_core::{Level, pluralize};
use cogtools_log::Mistake;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};

/// The number of sessions after which a tool that no model has called is reported.
const MIN_SESSIONS: usize = 10;
/// The number of characters of a name that are shown.
const MAX_NAME: usize = 80;

pub(super) static RULES: &[Rule] = &[Rule {
    name: "models-err",
    level: Level::Note,
    summary: "an argument that models get wrong, a tool that they take for another, or never call, \
        in the sessions of the project; only with `--sessions`",
    why: "each rejected call costs a turn, and a tool that is never called costs its tokens in \
        every request",
    fix: "say it in the description of the argument or the tool, or give it a default",
    example: example!("models-err": ["tools/convert.yaml"], ["tools/convert.yaml"]),
    check: models_err,
}];

fn models_err(file: &LintFile, findings: &mut Findings<'_>) {
    let (Some(usage), Some(tool)) = (&file.usage, &file.tool) else {
        return;
    };
    let counts = &usage.counts;
    if counts.calls == 0 && usage.sessions >= MIN_SESSIONS {
        let sessions = pluralize(usage.sessions, "session");
        findings.report_file(format!("no model called it in {sessions}"));
    }
    let calls = counts.calls;
    for ((pointer, mistake), count) in &counts.mistakes {
        // Models name it, not the tool.
        let name: String = pointer.chars().skip(1).take(MAX_NAME).collect();
        let top = name.split('/').next().unwrap_or_default();
        let required = file.parameters();
        let is_required = required
            .iter()
            .any(|(name, required, _)| *name == top && *required);
        let what = match mistake {
            // It has a default now.
            Mistake::Missing if name == top && !is_required => continue,
            Mistake::Missing => format!("left out `{name}`"),
            Mistake::Unknown => format!("sent `{name}`, which is no parameter,"),
            Mistake::Type => format!("sent `{name}` with a wrong type"),
            Mistake::Choice => format!("sent `{name}` with a value that is none of the choices"),
            Mistake::Other => format!("sent a wrong `{name}`"),
        };
        let span = file.locate(&format!("/properties/{top}"));
        findings.report(span, format!("models {what} in {count} of {calls} calls"));
    }
    for (other, count) in &counts.then {
        let other: String = other.chars().take(MAX_NAME).collect();
        let name = tool.name();
        findings.report_file(format!(
            "after a failure of `{name}`, models called `{other}` {}",
            pluralize(*count, "time"),
        ));
    }
}
