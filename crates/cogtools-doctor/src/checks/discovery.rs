//! The discovery command, run as Gemini CLI runs it.

use crate::discovery::Discovery;
use crate::finding::Finding;
use crate::process::first_line;
use crate::scene::Scene;

pub(crate) fn check(scene: &Scene) -> Vec<Finding> {
    let (names, stderr) = match &scene.discovery {
        Discovery::NotRun(why) => {
            return vec![
                Finding::warning(format!("was not run: {why}"))
                    .fix("mend what is named above, then run cogtools doctor again"),
            ];
        }
        Discovery::Failed(why) => {
            let command = scene.discovery_command().unwrap_or_default();
            let message = format!("`{command}` {why}: Gemini CLI does not start");
            return vec![Finding::problem(message).fix(command)];
        }
        Discovery::Done { names, stderr } => (names, stderr),
    };
    let mut findings = vec![Finding::ok(declared(names))];
    let ours = scene.tools.valid().map(|tool| tool.name().as_str());
    let lost: Vec<&str> = ours
        .filter(|name| !names.iter().any(|declared| declared == name))
        .collect();
    if !lost.is_empty() {
        let message = format!("the discovery command leaves out {}", lost.join(", "));
        let fix = "set the discovery command to \"cogtools-discover\"";
        findings.push(Finding::problem(message).fix(fix));
    }
    if !stderr.is_empty() {
        let said = first_line(stderr);
        let message = format!("says on stderr, where Gemini CLI shows it to nobody: {said}");
        let command = scene.discovery_command().unwrap_or_default();
        findings.push(Finding::warning(message).fix(format!("{command} > /dev/null")));
    }
    findings
}

fn declared(names: &[String]) -> String {
    match names {
        [] => "runs, and declares no tools".into(),
        [one] => format!("runs, and declares 1 tool: {one}"),
        [first, .., last] => format!(
            "runs, and declares {} tools, {first} to {last}",
            names.len()
        ),
    }
}
