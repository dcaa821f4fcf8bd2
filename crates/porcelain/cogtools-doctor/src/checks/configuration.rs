//! `.cogtoolrc.yaml` and the sources that it names: an error there fails
//! discovery, and then Gemini CLI does not start.

use std::path::Path;

use cogtools_core::{Code, Project};
use cogtools_program::packages::UnusedPackages;
use cogtools_program::render_hint;

use super::selection;
use crate::context::Context;
use crate::finding::{Finding, Remedy};
use crate::tools::StrayKind;

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let mut findings = check_content(cx);
    let strays = cx.tools.stray_files.iter();
    for file in strays.filter(|file| file.kind == StrayKind::Configuration) {
        findings.push(Finding::problem(file.message()).remedy(file.remedy()));
    }
    findings
}

fn check_content(cx: &Context) -> Vec<Finding> {
    // Sources that are not approved have a separate check.
    let mut diagnostics = cx
        .tools
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.code != Code::Denied || cx.tools.is_refused)
        .peekable();
    if diagnostics.peek().is_some() {
        let findings = diagnostics.map(|diagnostic| {
            let finding = Finding::problem(diagnostic.summary());
            let otherwise = || Remedy::Advice(format!("correct {}", Project::CONFIG));
            let finding = finding.omitting(diagnostic.omission.as_deref());
            let last = diagnostic.details.lines().last().map(str::to_owned);
            let finding = finding.with_details(last.into_iter().collect());
            let mut denied = cx.tools.denied.iter();
            if denied.any(|it| it.diagnostic == *diagnostic) {
                let hint = diagnostic.hints.first();
                let hint = hint.map(|it| render_hint(it).into_owned());
                return finding.with_details(hint.into_iter().collect()).fixable();
            }
            finding.remedy(Remedy::of(diagnostic).unwrap_or_else(otherwise))
        });
        return findings.collect();
    }
    let file = cx.root().join(Path::new(Project::CONFIG)).is_file();
    let mut findings = vec![Finding::ok(if file {
        format!("`{}` is valid", Project::CONFIG)
    } else {
        format!("no `{}`: tools come from `tools`", Project::CONFIG)
    })];
    if cx.host.cwd != cx.root() {
        let root = cx.root().display();
        let message = format!(
            "the project is `{root}`; a host finds its settings only if it is started there"
        );
        let quoted = cogtools_program::call::quote(&root.to_string());
        findings.push(Finding::warning(message).fix(format!("cd {quoted}")));
    }
    for diagnostic in &cx.tools.unmatched {
        let finding = Finding::warning(diagnostic.summary());
        findings.push(finding.remedy(Remedy::of(diagnostic)));
    }
    findings.extend(selection::unknown_variables(cx));
    findings.extend(selection::missing_packages(cx));
    if let Some(unused) = &cx.unused {
        let names = unused.names.join("`, `");
        let message = format!("installed packages have tools that are not used: `{names}`");
        let finding = Finding::warning(message);
        findings.push(match &unused.command {
            Some(command) => finding.fix(command),
            None => finding.hint(UnusedPackages::advice()),
        });
    }
    if cx.tools.files.is_empty() && cx.tools.has_candidates {
        let finding = Finding::problem("a filter hides every tool of the project");
        findings.push(selection::correct_filter(finding, cx));
    } else if cx.tools.files.is_empty() {
        let finding = Finding::warning("this project has no tools yet");
        findings.push(finding.fix("cogtools new hello"));
    }
    findings
}
