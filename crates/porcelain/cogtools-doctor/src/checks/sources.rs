//! The project, and packages and providers, that require approval: until then, their
//! tools are declared and denied, or not declared at all.

use cogtools_core::approval::{ApprovalStatus, TrustableSource, trustable_sources};
use cogtools_core::trust::Verdict;
use cogtools_core::{Config, Project};
use cogtools_program::Io;
use cogtools_program::call::quote;
use cogtools_program::project::cancellable_context;

use crate::context::Context;
use crate::finding::{Finding, Remedy};

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let findings: Vec<Finding> = cx.sources.iter().filter_map(describe).collect();
    if findings.is_empty() {
        return vec![Finding::ok("no tool source needs approval")];
    }
    findings
}

/// The status of a source; nothing if another check reports it.
fn describe(source: &SourceStatus) -> Option<Finding> {
    let SourceStatus {
        noun,
        name,
        approval: ApprovalStatus {
            verdict,
            diagnostic,
        },
    } = source;
    if let Some(diagnostic) = diagnostic {
        // Errors of an approved provider are reported with the configuration.
        if *verdict == Verdict::Approved {
            return None;
        }
        let problem = Finding::problem(diagnostic.summary());
        return Some(problem.remedy(Remedy::of(diagnostic)));
    }
    let is_project = name == TrustableSource::PROJECT;
    let message = match verdict {
        Verdict::Approved if is_project => return Some(Finding::ok("the project is trusted")),
        Verdict::Changed if is_project => {
            "the project has another owner or origin than when it was trusted".to_owned()
        }
        Verdict::NotApproved if is_project => {
            "the project has tools that run programs and is not trusted".to_owned()
        }
        Verdict::Approved => return Some(Finding::ok(format!("the {noun} `{name}` is approved"))),
        Verdict::Changed => format!("the {noun} `{name}` has changed since it was approved"),
        Verdict::NotApproved => format!("the {noun} `{name}` runs programs and is not approved"),
    };
    Some(Finding::problem(message).fix(format!("cogtools trust {}", quote(name))))
}

/// The project, a package or a provider that requires approval.
#[derive(Debug)]
pub(crate) struct SourceStatus {
    /// The kind of source.
    pub(crate) noun: &'static str,
    /// Its name.
    pub(crate) name: String,
    /// True if it is approved.
    pub(crate) approval: ApprovalStatus,
}

/// The sources of `project`.
pub(crate) fn gather(project: &Project, config: &Config, io: &Io<'_>) -> Vec<SourceStatus> {
    let cx = cancellable_context(io, project, config.env_priority, config.bounds());
    trustable_sources(config, &cx)
        .iter()
        .filter(|source| source.runs_something())
        .map(|source| SourceStatus {
            noun: source.noun(),
            name: source.name.clone(),
            approval: source.status(&cx),
        })
        .collect()
}
