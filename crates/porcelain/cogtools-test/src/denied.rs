//! Tools that may not run, because the project is not trusted.

use cogtools_core::approval::approve;
use cogtools_core::hint::{Command, Hint};
use cogtools_core::trust::Verdict;
use cogtools_core::{Context, Diagnostic, load_all};
use cogtools_program::terminal::pluralize;

use crate::target::Targets;

/// One error for all `targets` whose examples would run programs of a project that is not
/// trusted: each of them would fail alike.
pub(crate) fn check(targets: &Targets, cx: &Context) -> Option<Diagnostic> {
    let verdict = cx.trust.project_verdict(&cx.root);
    if verdict.is_ok_and(|verdict| verdict == Verdict::Approved) {
        return None;
    }
    let errors = load_all(&targets.files, |_, tool| {
        let tool = tool
            .ok()
            .filter(|tool| tool.runs_programs() && tool.has_examples())?;
        approve(&tool, cx).err()
    });
    let mut denied = errors.into_iter().flatten().filter(|error| {
        error.hints.iter().any(|hint| {
            matches!(
                hint,
                Hint::Run {
                    command: Command::TrustProject(_),
                    ..
                }
            )
        })
    });
    let mut first = *denied.next()?;
    let count = 1 + denied.count();
    let verb = if count == 1 { "runs" } else { "run" };
    first.subject.clear();
    first.message = format!(
        "nothing was tested: {} {verb} programs, and the project is not trusted",
        pluralize(count, "tool")
    );
    Some(first)
}
