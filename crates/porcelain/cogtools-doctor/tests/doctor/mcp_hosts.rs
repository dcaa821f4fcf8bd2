//! Findings about the files of hosts other than Gemini CLI, and trials of the servers in them.

use cogtools_test_support::{assert_text, str};

use crate::files::check;
use crate::fixture::Fixture;

/// Writes the file of each host, with an entry that starts `program`.
fn files(fixture: &Fixture, program: &str) {
    let entry = format!(r#"{{"command": "{program}", "args": ["mcp"]}}"#);
    fixture
        .file(
            ".mcp.json",
            format!(r#"{{"mcpServers": {{"a": {entry}}}}}"#),
        )
        .file(
            ".qwen/settings.json",
            format!(r#"{{"mcpServers": {{"b": {entry}}}}}"#),
        )
        .file(
            ".zed/settings.json",
            format!("{{\"context_servers\": {{\"c\": {entry},}}}}"),
        )
        .file("crush.json", format!(r#"{{"mcp": {{"d": {entry}}}}}"#))
        .file(
            ".opencode/opencode.jsonc",
            format!(r#"{{"mcp": {{"e": {{"command": ["{program}", "mcp"]}}}}}} // Mine."#),
        )
        .file(
            "../home/.config/goose/config.yaml",
            format!("extensions: {{f: {{cmd: {program}, args: [mcp]}}}}\n"),
        );
}

/// The file of each host, and the finding about it.
#[test]
fn the_server_of_every_host_is_tried() {
    let fixture = Fixture::new();
    fixture.serve();
    files(&fixture, "cogtools");
    let report = fixture.run(&[]).stdout;
    let (_, rest) = report.split_once("mcp\n").unwrap();
    let (section, _) = rest.split_once("tools\n  ok       1 tool is").unwrap();
    assert_text(
        section,
        str![[r#"
  ok       no MCP servers in the settings
  ok       `a` in `.mcp.json` serves Claude Code, with 1 tool
  ok       `e` in `.opencode/opencode.jsonc` serves opencode, with 1 tool
  ok       `b` in `.qwen/settings.json` serves Qwen Code, with 1 tool
  ok       `d` in `crush.json` serves Crush, with 1 tool
  ok       `c` in `.zed/settings.json` serves Zed, with 1 tool
  ok       `f` in `~/.config/goose/config.yaml` serves Goose, with 1 tool

"#]],
    );
}

#[test]
fn a_server_that_does_not_work() {
    let fixture = Fixture::new();
    fixture.serve();
    files(&fixture, "cogtools");
    fixture.replace_program("cogtools", "echo hello");
    check(
        &fixture,
        "mcp",
        str![[r#"
  problem  the server `a` in .mcp.json prints what is not a message of MCP: hello
           hint: to see it, run: cogtools mcp < /dev/null
  problem  the server `e` in .opencode/opencode.jsonc prints what is not a message of MCP: hello
           hint: to see it, run: cogtools mcp < /dev/null
  problem  the server `b` in .qwen/settings.json prints what is not a message of MCP: hello
           hint: to see it, run: cogtools mcp < /dev/null
  problem  the server `d` in crush.json prints what is not a message of MCP: hello
           hint: to see it, run: cogtools mcp < /dev/null
  problem  the server `c` in .zed/settings.json prints what is not a message of MCP: hello
           hint: to see it, run: cogtools mcp < /dev/null
  problem  the server `f` in ~/.config/goose/config.yaml prints what is not a message of MCP: hello
           hint: to see it, run: cogtools mcp < /dev/null

"#]],
    );
    fixture.replace_program("cogtools", "echo broken >&2; exit 3");
    check(
        &fixture,
        "mcp",
        str![[r#"
  problem  the server `a` in .mcp.json exited with status 3 before it answered: broken
           hint: to see it, run: cogtools mcp < /dev/null
  problem  the server `e` in .opencode/opencode.jsonc exited with status 3 before it answered: broken
           hint: to see it, run: cogtools mcp < /dev/null
  problem  the server `b` in .qwen/settings.json exited with status 3 before it answered: broken
           hint: to see it, run: cogtools mcp < /dev/null
  problem  the server `d` in crush.json exited with status 3 before it answered: broken
           hint: to see it, run: cogtools mcp < /dev/null
  problem  the server `c` in .zed/settings.json exited with status 3 before it answered: broken
           hint: to see it, run: cogtools mcp < /dev/null
  problem  the server `f` in ~/.config/goose/config.yaml exited with status 3 before it answered: broken
           hint: to see it, run: cogtools mcp < /dev/null

"#]],
    );
}

#[test]
fn only_our_own_program_is_started_and_only_from_path() {
    let fixture = Fixture::new();
    fixture.serve();
    fixture
        .project
        .program("./cogtools", "#!/bin/sh\necho > ran\n");
    files(&fixture, "./cogtools");
    check(&fixture, "mcp", str![[""]]);
    assert!(!fixture.project.path("ran").exists());
}

#[test]
fn what_a_host_cannot_read() {
    let fixture = Fixture::new();
    fixture
        .file("crush.json", "{\"mcp\": {}} // cogtools")
        .file(".zed/settings.json", "{\"context_servers\": {} // cogtools")
        .file(".qwen/settings.json", "{\"theme\": }")
        .file(
            "opencode.json",
            r#"{"mcp": {"a": {"command": ["cogtools", "list"]}}}"#,
        )
        .file(
            "../home/.config/goose/config.yaml",
            "extensions: cogtools: 1\n",
        );
    check(
        &fixture,
        "mcp",
        str![[r#"
  problem  the server `a` in opencode.json starts `cogtools` without `mcp`
           hint: set its `command` in opencode.json to ["cogtools", "mcp"]
  problem  crush.json:1:13: not JSON with comments: comments are not allowed: Crush has no tools
           hint: correct crush.json
  problem  .zed/settings.json:1:35: not JSON with comments: unterminated object: Zed has no tools
           hint: correct .zed/settings.json
  problem  [HERE]/home/.config/goose/config.yaml:1:21: not YAML: mapping values are not allowed in this context: Goose has no tools
           hint: correct ~/.config/goose/config.yaml

"#]],
    );
}
