//! Packages and providers that wait for the user's word: until it is given, their
//! tools are declared and denied, or not declared at all.

use cogtools_core::trust::{Subject, Verdict, subjects};
use cogtools_core::{Surroundings, trust::Standing};
use cogtools_program::Io;
use cogtools_program::project::{cancellable_context, config, project};

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
    let around = cancellable_context(io, &project, config.env_priority);
    let subjects = subjects(&config, &around);
    let findings = subjects
        .iter()
        .filter_map(|subject| finding(subject, &around));
    findings.collect()
}

fn finding(subject: &Subject, around: &Surroundings) -> Option<Finding> {
    let (noun, name) = (subject.noun(), &subject.name);
    let Standing { verdict, fault } = subject.standing(around);
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
        Verdict::Unknown => format!("the {noun} `{name}` runs programs and is not allowed yet"),
    };
    let word = cogtools_program::call::quote(name);
    Some(Finding::problem(message).fix(format!("cogtools trust {word}")))
}
