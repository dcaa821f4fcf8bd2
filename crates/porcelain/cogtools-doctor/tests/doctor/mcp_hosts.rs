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
  problem  crush.json:1:13: not JSON: comments are not allowed: Crush has no tools
           hint: correct crush.json
  problem  .zed/settings.json:1:35: not JSON with comments: unterminated object: Zed has no tools
           hint: correct .zed/settings.json
  problem  [HERE]/home/.config/goose/config.yaml:1:21: not YAML: `: ` stands in text without quotes: Goose has no tools
           hint: correct ~/.config/goose/config.yaml

"#]],
    );
}

/// The settings of Gemini CLI with the server, and `more` in the entry and beside it.
fn settings(entry: &str, beside: &str) -> String {
    format!(
        "{{\"mcpServers\": {{\"cogtools\": {{\"command\": \"cogtools\", \"args\": [\"mcp\"]{entry}}}}}{beside}}}"
    )
}

#[test]
fn what_hides_a_server_or_its_tools_is_named() {
    let cases = [
        (
            r#", "excludeTools": ["hello"]"#,
            "",
            "problem  `excludeTools` of the server `cogtools` in .gemini/settings.json hides every tool: hello",
        ),
        (
            r#", "includeTools": ["other"]"#,
            "",
            "problem  `includeTools` of the server `cogtools` in .gemini/settings.json hides every tool: hello",
        ),
        (
            r#", "disabledTools": ["hello"]"#,
            "",
            "problem  `disabledTools` of the server `cogtools` in .gemini/settings.json hides every tool: hello",
        ),
        (
            r#", "disabled": true"#,
            "",
            "problem  the server `cogtools` in .gemini/settings.json is switched off",
        ),
        (
            "",
            r#", "mcp": {"allowed": ["other"]}"#,
            "problem  `mcp.allowed` in .gemini/settings.json does not list `cogtools`: Gemini CLI does not start the server",
        ),
        (
            "",
            r#", "mcp": {"excluded": ["cogtools"]}"#,
            "problem  `mcp.excluded` in .gemini/settings.json lists `cogtools`: Gemini CLI does not start the server",
        ),
    ];
    for (entry, beside, expected) in cases {
        let fixture = Fixture::new();
        fixture.serve();
        fixture.file(".gemini/settings.json", settings(entry, beside));
        let report = fixture.run(&[]).stdout;
        assert!(report.contains(expected), "{expected}\n{report}");
    }
}

#[test]
fn a_misspelt_subcommand_is_named_in_the_settings_too() {
    let fixture = Fixture::new();
    fixture.serve();
    fixture.file(
        ".gemini/settings.json",
        r#"{"mcpServers": {"cogtools": {"command": "cogtools", "args": ["mpc"]}}}"#,
    );
    let report = fixture.run(&[]).stdout;
    let expected =
        "  problem  the server `cogtools` in .gemini/settings.json starts `cogtools` without `mcp`
           hint: set its `args` in .gemini/settings.json to [\"mcp\"]
";
    assert!(report.contains(expected), "{report}");
}

#[test]
fn a_variable_that_hides_every_tool_is_named() {
    let fixture = Fixture::new();
    fixture.serve();
    fixture
        .file(".mcp.json", r#"{"mcpServers": {"a": {"command": "cogtools", "args": ["mcp"]}}}"#)
        .file(".env", "COGTOOLS_TOOLS=nothing\nCOGTOOLS_TOOL=x\n")
        .replace_program(
            "cogtools",
            "read -r a; echo '{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}'\n\
             read -r a; read -r a; echo '{\"jsonrpc\": \"2.0\", \"id\": 2, \"result\": {\"tools\": []}}'",
        );
    let report = fixture.run(&[]).stdout;
    for expected in [
        "  problem  a filter hides every tool of the project
           hint: correct the variable `COGTOOLS_TOOLS`\n",
        "  warning  .env:2: `COGTOOLS_TOOL` sets nothing
           hint: did you mean `COGTOOLS_TOOLS`",
    ] {
        assert!(report.contains(expected), "{report}");
    }
}

#[test]
fn packages_that_are_not_installed_are_a_problem() {
    let fixture = Fixture::new();
    fixture
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{local: ./tools}, node_modules]\n",
        )
        .file("package.json", "{}");
    let report = fixture.run(&[]).stdout;
    let expected = "  problem  tools of packages are used, but no packages are installed: there is no node_modules
           fix: npm install
";
    assert!(report.contains(expected), "{report}");
}
