//! `--fix`: changes files of the project only, and loses nothing in them.

use std::path::PathBuf;

use cogtools_edit::{ApplyError, Plan, Step};
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
    let Some(change) = planned_change(cx) else {
        return Ok(Vec::new());
    };
    let file = change.file.clone();
    let plan = Plan {
        steps: vec![Step::Write(change)],
    };
    plan.apply()
        .map_err(ApplyError::diagnostic)
        .map_err(Failure::from)?;
    Ok(vec![file])
}
