//! Each command that the doctor prints as a fix fixes what it reports.

mod cases;

use cogtools_test_support::{Project, Run};
use serde_json::Value;

use crate::programs;
use crate::pseudo_terminal::Terminal;
use cases::CASES;

/// A fault of a project, and the command that fixes it.
#[derive(Clone, Copy)]
struct Case {
    /// Files, each with its content; executable in `bin`.
    files: &'static [(&'static str, &'static str)],
    /// Links, each with its target.
    links: &'static [(&'static str, &'static str)],
    /// Variables of the environment.
    variables: &'static [(&'static str, &'static str)],
    /// True if the programs are on PATH.
    is_installed: bool,
    /// A part of the message.
    message: &'static str,
    /// The command, with `PROGRAMS` for their folder.
    fix: &'static str,
}

/// Nothing is wrong.
const WELL: Case = Case {
    files: &[],
    links: &[],
    variables: &[],
    is_installed: true,
    message: "",
    fix: "",
};

impl Case {
    fn project(&self) -> Project {
        let project = Project::new();
        project.dir("tools").dir("../bin");
        for (file, content) in self.files {
            if file.starts_with("../bin") {
                project.program(file, content);
            } else {
                project.file(file, content);
            }
        }
        for (link, target) in self.links {
            project.link(link, target);
        }
        project
    }

    /// The findings with the message after `command` in the same shell.
    fn findings_after(&self, command: &str, project: &Project) -> Vec<Value> {
        let doctor = programs().join("cogtools-doctor");
        let line = format!("{command}\nexec {} --format json", doctor.display());
        let mut shell = Run::new("/bin/sh").project(project);
        shell = shell.path(project.path("../bin"));
        for (name, value) in self.variables {
            shell = shell.env(name, value);
        }
        if self.is_installed {
            shell = shell.path(programs());
        }
        let outcome = shell.args(["-c", &line]).run();
        outcome.stderr_is("");
        // What the command prints comes first.
        let stdout = String::from_utf8_lossy(&outcome.stdout);
        let at = if stdout.starts_with('{') {
            0
        } else {
            stdout.find("\n{\n").expect("JSON")
        };
        findings(&stdout[at..], self.message)
    }
}

/// The findings in `report` that contain `message` and are not good news.
fn findings(report: &str, message: &str) -> Vec<Value> {
    let report: Value = serde_json::from_str(report).expect("JSON");
    let findings = report["findings"].as_array().expect("a list");
    let has_message = |finding: &&Value| {
        let text = finding["message"].as_str();
        finding["state"] != "ok" && text.is_some_and(|text| text.contains(message))
    };
    findings.iter().filter(has_message).cloned().collect()
}

#[test]
fn each_fix_makes_its_finding_vanish() {
    for case in CASES {
        let project = case.project();
        let fix = case
            .fix
            .replace("PROGRAMS", &programs().display().to_string());
        let found = case.findings_after(":", &project);
        assert_eq!(found.len(), 1, "{}: {found:?}", case.message);
        assert_eq!(found[0]["fix"], fix.as_str(), "{}", case.message);
        assert_eq!(found[0]["hint"], Value::Null, "{}", case.message);
        let left = case.findings_after(&fix, &project);
        assert_eq!(left, Vec::<Value>::new(), "{}", case.message);
    }
}

/// Only the user knows the values, so this is not a fix.
#[test]
fn what_no_program_can_know_is_a_hint() {
    let case = Case {
        files: &[
            (".env", "OTHER=x"),
            (
                "tools/a.yaml",
                "name: a\ndescription: d\nenv: [A_KEY, B_KEY]\nimplementation: {exec: [ls]}\n",
            ),
        ],
        message: "tools/a.yaml needs what is not set: A_KEY, B_KEY",
        ..WELL
    };
    let project = case.project();
    let found = case.findings_after(":", &project);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["fix"], Value::Null);
    let hint = found[0]["hint"].as_str().unwrap_or_default();
    let command = hint
        .strip_prefix("set them: ")
        .expect("a template of a command");
    assert_eq!(command, "printf '\\nA_KEY=…\\nB_KEY=…\\n' >> .env");
    assert_eq!(case.findings_after(command, &project), Vec::<Value>::new());
}

/// The user's own answer at a terminal fixes a missing approval.
#[test]
#[cfg(target_os = "linux")]
fn trust_is_a_fix_at_a_terminal() {
    for (file, content, message, name, question) in [
        (
            "tools/a.yaml",
            "name: a\ndescription: d\nimplementation: {exec: [ls]}\n",
            "the project has tools that run programs and is not trusted",
            ".",
            "trust this project",
        ),
        (
            ".cogtoolrc.yaml",
            "tool_sources: [{local: tools}, {command: {discover: [echo, '[]'], call: [ls], name: p}}]\n",
            "the provider `p` runs programs and is not approved",
            "p",
            "approve this provider",
        ),
    ] {
        let case = Case { message, ..WELL };
        let project = Project::untrusted();
        project.dir("tools").dir("../bin").file(file, content);
        let found = case.findings_after(":", &project);
        assert_eq!(found.len(), 1, "{message}: {found:?}");
        let fix = format!("cogtools trust {name}");
        assert_eq!(found[0]["fix"], fix.as_str());
        let mut terminal = Terminal::open(&project, &fix);
        terminal.answer(question, "y\n");
        assert_eq!(terminal.end("").0, Some(0));
        assert_eq!(case.findings_after(":", &project), Vec::<Value>::new());
    }
}
