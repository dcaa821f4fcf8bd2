//! Each command that the doctor prints as a fix fixes what it reports.

use cogtools_test_support::{Project, Run};
use serde_json::Value;

use crate::{programs, run};

/// What is wrong in a project, and the command that fixes it.
struct Case {
    /// Files, each with its content.
    files: &'static [(&'static str, &'static str)],
    /// Links, each with its target.
    links: &'static [(&'static str, &'static str)],
    /// A part of the message.
    message: &'static str,
    fix: &'static str,
}

const TOOL: &str = "name: a\ndescription: d\nimplementation: x\n";

const CASES: &[Case] = &[
    Case {
        files: &[(".cogtoolrc.yml", "tool_sources: [{local: tools}]\n")],
        links: &[],
        message: ".cogtoolrc.yml is not read",
        fix: "mv .cogtoolrc.yml .cogtoolrc.yaml",
    },
    Case {
        files: &[("tools/a.yml", TOOL)],
        links: &[],
        message: "tools/a.yml is not read",
        fix: "mv tools/a.yml tools/a.yaml",
    },
    Case {
        files: &[],
        links: &[("tools/a.yaml", "gone.yaml")],
        message: "tools/a.yaml is a link to a file that does not exist",
        fix: "rm tools/a.yaml",
    },
    Case {
        files: &[(
            "tools/a.yaml",
            "#! /usr/bin/env cogtools-yaml\nname: a\ndescription: d\nimplementation: x\n",
        )],
        links: &[],
        message: "tools/a.yaml begins with `#!` but is not executable",
        fix: "chmod +x tools/a.yaml",
    },
    Case {
        files: &[
            (".env", "OTHER=x"),
            (
                "tools/a.yaml",
                "name: a\ndescription: d\nenv: [A_KEY, B_KEY]\nimplementation: {exec: [ls]}\n",
            ),
        ],
        links: &[],
        message: "tools/a.yaml needs what is not set: A_KEY, B_KEY",
        fix: "printf '\\nA_KEY=…\\nB_KEY=…\\n' >> .env",
    },
    Case {
        files: &[(
            ".cursor/mcp.json",
            r#"{"servers": {"cogtools": {"command": "cogtools", "args": ["mcp"]}}}"#,
        )],
        links: &[],
        message: ".cursor/mcp.json has `servers`, but Cursor reads `mcpServers`",
        fix: "cogtools init --host cursor",
    },
    Case {
        files: &[(".mcp.json", "\u{feff}{\"mcpServers\": {},}\n")],
        links: &[],
        message: ".mcp.json:1:1: begins with a byte order mark",
        fix: "cogtools doctor --fix",
    },
    Case {
        files: &[(".gemini/settings.json", "{\"tools\": {},}\n")],
        links: &[],
        message: "trailing commas are not allowed: Gemini CLI does not start",
        fix: "cogtools doctor --fix",
    },
    Case {
        files: &[(".gemini/settings.json", "{}\n")],
        links: &[],
        message: "no settings file sets `tools.discoveryCommand`",
        fix: "cogtools doctor --fix",
    },
];

/// The findings of a project that contain `message`.
fn findings(project: &Project, message: &str) -> Vec<Value> {
    let doctor = run("cogtools-doctor", project).args(["--format", "json"]);
    let outcome = doctor.path(programs()).run();
    let report: Value = serde_json::from_slice(&outcome.stdout).expect("JSON");
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
        let project = Project::new();
        project.dir("tools");
        for (file, content) in case.files {
            project.file(file, content);
        }
        for (link, target) in case.links {
            project.link(link, target);
        }
        let found = findings(&project, case.message);
        assert_eq!(found.len(), 1, "{}: {found:?}", case.message);
        assert_eq!(found[0]["fix"], case.fix, "{}", case.message);

        let shell = Run::new("/bin/sh").project(&project).path(programs());
        shell.args(["-c", case.fix]).run().stderr_is("");
        let left = findings(&project, case.message);
        assert_eq!(left, Vec::<Value>::new(), "{}", case.message);
    }
}
