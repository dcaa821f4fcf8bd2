//! The verdicts of trials, and the failures that decide about the exit status.

use std::sync::Arc;

use cogtools_core::{Code, Diagnostic, pluralize};

use crate::compare::Comparison;
use crate::report::{Judged, Row, Verdict};
use crate::run::Job;
use crate::trial::{Failed, Record};

/// The failures that decide about the exit status, the most important first.
pub(crate) fn failures(
    rows: &[Row],
    comparisons: &[(String, Comparison)],
    skipped: usize,
    (is_compared, is_cancelled): (bool, bool),
) -> Vec<Diagnostic> {
    let mut failures = Vec::new();
    if skipped > 0 && !is_cancelled {
        let message = format!(
            "{} did not begin: the budget is spent",
            pluralize(skipped, "trial")
        );
        failures
            .push(Diagnostic::new(Code::BudgetSpent, message).hint("a second run does the rest"));
    }
    let failed = rows.iter().filter(|row| row.is_failed()).count();
    if failed > 0 && !is_compared {
        let message = format!("{} of {} failed", failed, pluralize(rows.len(), "case"));
        failures.push(
            Diagnostic::new(Code::EvalFailed, message)
                .hint("the report on standard output names each expectation"),
        );
    }
    for (with, _) in comparisons
        .iter()
        .filter(|(_, comparison)| is_compared && comparison.is_worse)
    {
        failures.push(Diagnostic::new(
            Code::EvalFailed,
            format!("worse than {with}"),
        ));
    }
    let stale = rows
        .iter()
        .flat_map(|row| row.results.iter().map(move |result| (row, result)));
    let stale: Vec<_> = stale
        .filter(|(_, result)| result.verdict == Verdict::Stale)
        .collect();
    if let Some((row, first)) = stale.first() {
        let message = first.message().unwrap_or_default();
        let mut diagnostic =
            Diagnostic::new(Code::StaleRecording, message).with_subject(row.name());
        if stale.len() > 1 {
            diagnostic = diagnostic.hint(format!("{} trials are not current", stale.len()));
        }
        failures.push(diagnostic);
    }
    failures.extend(unavailable(rows));
    for (with, comparison) in comparisons {
        let unavailable = comparison.unavailable.iter().cloned();
        let hint = format!("this is the side of {with} in the comparison");
        failures.extend(unavailable.map(|diagnostic| diagnostic.hint(hint.as_str())));
    }
    let mut empty = comparisons.iter().filter(|(_, with)| with.rows.is_empty());
    if let Some((with, _)) = empty.next()
        && failures.is_empty()
        && !is_cancelled
    {
        let message = format!("no trial can be compared with {with}");
        let hint = "both need a trial of the same file, case, model and number, without an error";
        failures.push(Diagnostic::new(Code::EvalFailed, message).hint(hint));
    }
    Diagnostic::truncate(failures)
}

/// The cases that have nothing but errors.
pub(crate) fn unavailable(rows: &[Row]) -> Vec<Diagnostic> {
    let is_error = |row: &&Row| {
        !row.results.is_empty() && row.count(Verdict::Error) == row.results.len() as u64
    };
    let diagnostic = |row: &Row| {
        let error = row.results.iter().find_map(Judged::message);
        Diagnostic::new(Code::Unavailable, error.unwrap_or_default()).with_subject(row.name())
    };
    rows.iter().filter(is_error).map(diagnostic).collect()
}

/// Judges trials, and joins the trials of a case with a model.
pub(crate) fn rows(results: Vec<(Job, Option<Record>, Option<String>)>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (job, record, stale) in results {
        let lone = |message| vec![Failed::new("", message)];
        let (verdict, failures) = match (&record, stale) {
            (_, Some(message)) => (Verdict::Stale, lone(message)),
            (None, None) => (Verdict::Skipped, Vec::new()),
            (Some(record), None) => {
                if let Some(error) = &record.error {
                    (Verdict::Error, lone(error.clone()))
                } else {
                    let failures = record.judge(&job.case);
                    match record.unknown(&job.case) {
                        _ if !failures.is_empty() => (Verdict::Fail, failures),
                        None => (Verdict::Pass, failures),
                        Some(message) => (Verdict::Error, lone(message)),
                    }
                }
            }
        };
        let judged = Judged {
            trial: job.trial,
            verdict,
            failures,
            record,
        };
        let is_own = |row: &&mut Row| Arc::ptr_eq(&row.case, &job.case) && row.model == job.model;
        match rows.iter_mut().rev().find(is_own) {
            Some(row) => row.results.push(judged),
            None => rows.push(Row {
                case: job.case,
                model: job.model,
                results: vec![judged],
            }),
        }
    }
    for row in &mut rows {
        row.results.sort_by_key(|result| result.trial);
    }
    rows
}
