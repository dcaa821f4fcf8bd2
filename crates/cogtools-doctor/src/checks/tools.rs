//! Tool files that are broken or never reached.

use std::path::Path;

use cogtools_core::{Fault, Tool};
use cogtools_program::render_hint;

use super::vanished;
use crate::finding::Finding;
use crate::scene::Scene;

pub(crate) fn check(scene: &Scene) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut sound = 0;
    for file in &scene.tools.files {
        let (faults, end) = match &file.tool {
            Ok(tool) => {
                let faults: Vec<Fault> = tool.check_implementation().into_iter().collect();
                (faults, "every call of the tool fails")
            }
            Err(faults) => (faults.clone(), "no host is told of the tool"),
        };
        sound += usize::from(faults.is_empty());
        let more = faults.len().saturating_sub(1);
        findings.extend(
            faults
                .first()
                .map(|fault| broken(fault, more, end, &scene.cwd)),
        );
    }
    findings.extend(scene.tools.valid().filter_map(misleading));
    for (hidden, winner) in &scene.tools.shadowed {
        let (hidden, winner) = (hidden.display(), winner.display());
        let message = format!("{hidden} is never reached: {winner} has the same name");
        findings.push(Finding::warning(message).fix(format!("rename or remove {hidden}")));
    }
    findings.extend(vanished::check(scene));
    let count = match sound {
        1 => "1 tool is sound".to_owned(),
        sound => format!("{sound} tools are sound"),
    };
    findings.insert(0, Finding::ok(count));
    findings
}

/// The first of a file's faults; how many `more` there are, the linter tells.
fn broken(fault: &Fault, more: usize, end: &str, cwd: &Path) -> Finding {
    let line = fault.line();
    let message = match more {
        0 => format!("{line}: {end}"),
        more => format!("{line} (and {more} more): {end}"),
    };
    let file = fault
        .place
        .as_ref()
        .map(|place| place.file.display().to_string());
    let file = file.unwrap_or_else(|| fault.subject.clone());
    // What a provider declares has no file to look at.
    let lint = cwd.join(&file).is_file();
    let lint = lint.then(|| format!("cogtools lint {file}"));
    let fix: Vec<String> = fault
        .hints
        .first()
        .map(|hint| render_hint(hint).into_owned())
        .into_iter()
        .chain(lint)
        .collect();
    Finding::problem(message).fix(fix.join("; "))
}

/// An example that the tool itself would refuse: the model learns it all the same.
fn misleading(tool: &Tool) -> Option<Finding> {
    let faults = tool.check_examples();
    let line = faults.first()?.line();
    let file = tool.file().display();
    Some(Finding::warning(line).fix(format!("cogtools lint {file}")))
}
