//! `--fix`: changes files of the project only, and loses nothing in them.

use std::path::PathBuf;

use cogtools_edit::{ApplyError, Change, Plan, Step};
use cogtools_program::Failure;

use crate::check;
use crate::context::Context;
use crate::finding::State;
use crate::settings::planned_change;

/// Fixes the fixable findings in `results`, and returns the files that were written.
pub(crate) fn apply(results: &[check::Result], cx: &Context) -> Result<Vec<PathBuf>, Failure> {
    let mut findings = results.iter().flat_map(|result| &result.findings);
    if !findings.any(|finding| finding.fixable && finding.state != State::Ok) {
        return Ok(Vec::new());
    }
    let repairs = cx.host_files.iter().filter_map(|file| file.repair.clone());
    let changes: Vec<Change> = planned_change(cx).into_iter().chain(repairs).collect();
    let files = changes.iter().map(|change| change.file.clone()).collect();
    let plan = Plan {
        steps: changes.into_iter().map(Step::Write).collect(),
    };
    plan.apply()
        .map_err(ApplyError::diagnostic)
        .map_err(Failure::from)?;
    Ok(files)
}
