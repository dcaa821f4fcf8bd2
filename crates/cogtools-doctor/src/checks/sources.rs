//! Packages and providers that wait for the user's word: until it is given, their
//! tools are declared and denied, or not declared at all.

use cogtools_core::Surroundings;
use cogtools_core::approval::{ApprovalStatus, TrustableSource, trustable_sources};
use cogtools_core::trust::Verdict;
use cogtools_program::Io;
use cogtools_program::project::{config, project, watched};

use crate::finding::Finding;
use crate::scene::Scene;

pub(crate) fn check(scene: &Scene) -> Vec<Finding> {
    if scene.sources.is_empty() {
        return vec![Finding::ok("no source of tools needs your word")];
    }
    scene.sources.clone()
}

/// What is so of the sources of the project around `io`'s working directory;
/// nothing where none needs a word.
pub(crate) fn look(io: &Io<'_>) -> Vec<Finding> {
    let project = project(io);
    let Ok(config) = config(&project, io) else {
        return Vec::new();
    };
    let around = watched(io, &project, config.env_priority);
    let sources = trustable_sources(&config, &around);
    let findings = sources
        .iter()
        .filter_map(|subject| finding(subject, &around));
    findings.collect()
}

fn finding(source: &TrustableSource, around: &Surroundings) -> Option<Finding> {
    let (noun, name) = (source.noun(), &source.name);
    let ApprovalStatus { verdict, fault } = source.status(around);
    if let Some(fault) = fault {
        // What ails a provider that may run is said with the configuration.
        if verdict == Verdict::Allowed {
            return None;
        }
        let fix = fault.hints.first().cloned().unwrap_or_default();
        return Some(Finding::problem(fault.line()).fix(fix));
    }
    let message = match verdict {
        Verdict::Allowed => return Some(Finding::ok(format!("the {noun} `{name}` is allowed"))),
        Verdict::Changed => format!("the {noun} `{name}` has changed since it was allowed"),
        Verdict::NotApproved => format!("the {noun} `{name}` runs programs and is not allowed yet"),
    };
    let word = cogtools_program::call::quote(name);
    Some(Finding::problem(message).fix(format!("cogtools trust {word}")))
}
