//! Findings about files that are not read or not usable, of cogtools and of other hosts.

use cogtools_test_support::{Expected, assert_text, str};
use serde_json::Value;

use crate::fixture::{Fixture, HELLO};

/// Asserts the problems and warnings in the section `name`, with their fixes.
#[track_caller]
pub(crate) fn check(fixture: &Fixture, name: &str, expected: impl Into<Expected>) {
    let report = fixture.run(&[]).stdout;
    let (_, rest) = report.split_once(&format!("{name}\n")).unwrap();
    let section = rest.lines().take_while(|line| line.starts_with(' '));
    let mut found = String::new();
    let mut is_shown = false;
    for line in section {
        if !line.starts_with("     ") {
            is_shown = !line.starts_with("  ok ");
        }
        if is_shown {
            found.push_str(line);
            found.push('\n');
        }
    }
    assert_text(found, expected);
}

#[test]
fn configurations_with_another_name() {
    let fixture = Fixture::new();
    fixture
        .file(".cogtoolrc.yml", "")
        .file("cogtoolrc.yaml", "");
    check(
        &fixture,
        "configuration",
        str![[r#"
  problem  .cogtoolrc.yml is not read: the configuration is `.cogtoolrc.yaml`
           hint: move what you need from .cogtoolrc.yml to .cogtoolrc.yaml, and remove it
  problem  cogtoolrc.yaml is not read: the configuration is `.cogtoolrc.yaml`
           hint: move what you need from cogtoolrc.yaml to .cogtoolrc.yaml, and remove it

"#]],
    );
    fixture
        .project
        .remove(".cogtoolrc.yaml")
        .remove("cogtoolrc.yaml");
    check(
        &fixture,
        "configuration",
        str![[r#"
  problem  .cogtoolrc.yml is not read: the configuration is `.cogtoolrc.yaml`
           fix: mv .cogtoolrc.yml .cogtoolrc.yaml

"#]],
    );
}

#[test]
fn tools_with_another_extension() {
    let fixture = Fixture::new();
    fixture
        .file("tools/hello.yml", HELLO)
        .file("tools/deep/other one.yml", HELLO)
        .file("tools/compose.yml", "services: {}\n");
    check(
        &fixture,
        "tools",
        str![[r#"
  warning  tools/hello.yml is not read: the names of tool files end in `.yaml`
           hint: move what you need from tools/hello.yml to tools/hello.yaml, and remove it
  warning  tools/deep/other one.yml is not read: the names of tool files end in `.yaml`
           fix: mv 'tools/deep/other one.yml' 'tools/deep/other one.yaml'

"#]],
    );
}

#[test]
fn links_to_nothing() {
    let fixture = Fixture::new();
    fixture
        .project
        .link("tools/gone.yaml", "nowhere/gone.yaml")
        .link("tools/more", "nowhere");
    check(
        &fixture,
        "tools",
        str![[r#"
  problem  tools/gone.yaml is a link to a file that does not exist: no host sees the tool
           fix: rm tools/gone.yaml
  warning  tools/more is a link to a file that does not exist
           fix: rm tools/more

"#]],
    );
}

#[test]
fn a_tool_that_is_not_executable() {
    let fixture = Fixture::new();
    fixture.file(
        "tools/hello.yaml",
        format!("#! /usr/bin/env cogtools-yaml\n{HELLO}"),
    );
    check(
        &fixture,
        "tools",
        str![[r#"
  warning  tools/hello.yaml begins with `#!` but is not executable
           fix: chmod +x tools/hello.yaml

"#]],
    );
}

/// A tool that runs something.
fn tool(name: &str, rest: &str) -> String {
    format!("name: {name}\ndescription: Run it\n{rest}")
}

#[test]
fn programs_that_cannot_be_started() {
    let fixture = Fixture::new();
    fixture
        .file(
            "tools/a.yaml",
            tool("a", "implementation: {exec: [nothing, x]}\n"),
        )
        .file(
            "tools/b.yaml",
            tool("b", "implementation: {exec: [./gone.sh]}\n"),
        )
        .file(
            "tools/c.yaml",
            tool(
                "c",
                "implementation: {script: \"#!/usr/bin/env nothing\\n\"}\n",
            ),
        )
        .file(
            "tools/d.yaml",
            tool("d", "implementation: {exec: [./d.sh]}\n"),
        )
        .file("tools/d.sh", "#!/bin/sh\n")
        // Only a call knows the program.
        .file(
            "tools/e.yaml",
            tool(
                "e",
                "parameters: {p: string}\nimplementation: {exec: ['{{ p }}']}\n",
            ),
        );
    check(
        &fixture,
        "tools",
        str![[r#"
  problem  tools/a.yaml: the program `nothing` was not found: every call of the tool fails
           hint: install `nothing`, or add its directory to PATH; write `./nothing` for a file next to the tool
  problem  tools/b.yaml: the program `./gone.sh` does not exist: every call of the tool fails
           hint: a path that begins with `./` or `../` is relative to the tool's folder
  problem  tools/c.yaml: the program `nothing` was not found: every call of the tool fails
           hint: install `nothing`, or add its directory to PATH; write `./nothing` for a file next to the tool
  problem  tools/d.yaml: the program `[HERE]/project/tools/d.sh` cannot be started: permission denied: every call of the tool fails
           hint: make it executable: chmod +x [HERE]/project/tools/d.sh

"#]],
    );
}

#[test]
fn variables_that_are_not_set() {
    let mut fixture = Fixture::new();
    fixture.vars.insert("HERE".into(), "x".into());
    let run = "implementation: {exec: [cogtools-call]}\n";
    fixture
        .file(".env", "IN_FILE=x\n")
        .file(
            "tools/a.yaml",
            tool("a", &format!("env: [HERE, IN_FILE]\n{run}")),
        )
        .file(
            "tools/b.yaml",
            tool("b", &format!("env: [GONE, HERE, AWAY]\n{run}")),
        )
        .file(
            "tools/c.yaml",
            tool("c", &format!("env: [LD_PRELOAD]\n{run}")),
        );
    check(
        &fixture,
        "tools",
        str![[r#"
  problem  tools/b.yaml needs what is not set: GONE, AWAY: every call of the tool fails
           hint: set them: printf '\nGONE=…\nAWAY=…\n' >> .env
  problem  tools/c.yaml needs what is not set: LD_PRELOAD: every call of the tool fails
           hint: set them: export LD_PRELOAD=…

"#]],
    );
}

#[test]
fn tools_of_a_project_that_is_not_trusted_are_not_examined() {
    let fixture = Fixture::new();
    fixture
        .file(
            "tools/a.yaml",
            tool("a", "implementation: {exec: [nothing]}\n"),
        )
        .file("sub/x", "");
    fixture
        .project
        .remove("../home/.gemini/trustedFolders.json")
        .trust("sub");
    check(&fixture, "tools", "");
}

#[test]
fn files_of_other_hosts() {
    let fixture = Fixture::new();
    let good = r#"{"mcpServers": {"cogtools": {"command": "cogtools", "args": ["mcp"]}}}"#;
    fixture
        .file(".mcp.json", good)
        .file(".cursor/mcp.json", "{\"mcpServers\": {},}")
        .file(".vscode/mcp.json", good);
    check(
        &fixture,
        "mcp",
        str![[r#"
  problem  the server `cogtools` in .mcp.json: `cogtools` is not on PATH
           fix: export PATH=[HERE]/prefix/bin:"$PATH"
  problem  .cursor/mcp.json:1:18: not JSON with comments: trailing commas are not allowed: Cursor has no tools
           fix: cogtools doctor --fix
  problem  .vscode/mcp.json has `mcpServers`, but VS Code reads `servers`
           fix: cogtools init --host vscode

"#]],
    );
    fixture
        .file(
            ".mcp.json",
            r#"{"mcpServers": {"mine": {"command": "cogtools"}, "other": {}}}"#,
        )
        .file(".cursor/mcp.json", "{\"mcpServers\": ")
        .file(".vscode/mcp.json", "[]");
    check(
        &fixture,
        "mcp",
        str![[r#"
  problem  the server `mine` in .mcp.json starts `cogtools` without `mcp`
           hint: set its `args` in .mcp.json to ["mcp"]
  problem  .cursor/mcp.json:1:1: not JSON with comments: unexpected end of input: Cursor has no tools
           hint: correct .cursor/mcp.json
  problem  .vscode/mcp.json is not an object: VS Code has no tools
           hint: make .vscode/mcp.json an object

"#]],
    );
}

#[test]
fn a_file_of_another_host_is_repaired() {
    let fixture = Fixture::new();
    fixture
        .file(
            ".cursor/mcp.json",
            "{\n  // Mine.\n  \"mcpServers\": {},\n}\n",
        )
        .file(".mcp.json", "\u{feff}{}\n");
    let ended = fixture.run(&["--fix"]);
    assert_eq!(ended.status, 0, "{}", ended.stdout);
    let head = "fixed .mcp.json\nfixed .cursor/mcp.json\n\n";
    assert!(ended.stdout.starts_with(head), "{}", ended.stdout);
    assert_eq!(
        fixture.project.read(".cursor/mcp.json"),
        "{\n  // Mine.\n  \"mcpServers\": {}\n}\n"
    );
    assert_eq!(fixture.project.read(".mcp.json"), "{}\n");
}

#[test]
fn without_the_program_that_limits_others_there_is_a_warning() {
    let fixture = Fixture::new();
    fixture.project.remove("../prefix/bin/cogtools-confine");
    check(
        &fixture,
        "sandbox",
        str![[r#"
  warning  `cogtools-confine` is not installed beside cogtools: programs of tools run without limits
           hint: install all programs of cogtools in one folder

"#]],
    );
}

/// A project that another host has been set up for is healthy, whatever Gemini CLI lacks.
#[test]
fn a_project_for_another_host_needs_nothing_of_gemini() {
    for (file, is_for_gemini) in [
        (".mcp.json", false),
        ("gemini-extension.json", false),
        ("other.json", true),
    ] {
        let fixture = Fixture::new();
        fixture.serve();
        fixture.project.remove(".gemini/settings.json");
        let server = r#"{"mcpServers": {"cogtools": {"command": "cogtools", "args": ["mcp"]}}}"#;
        fixture.file(file, server);
        let report = fixture.run(&["--json"]);
        let report: Value = serde_json::from_str(&report.stdout).expect("JSON");
        let checks: Vec<&str> = report["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .filter_map(|finding| finding["check"].as_str())
            .collect();
        assert_eq!(checks.contains(&"settings"), is_for_gemini, "{file}");
        assert_eq!(report["problems"] == 0, !is_for_gemini, "{report:#}");
        fixture.run(&["--fix"]);
        let settings = fixture.project.path(".gemini/settings.json");
        assert_eq!(settings.exists(), is_for_gemini, "{file}");
    }
}
