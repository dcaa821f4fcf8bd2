//! Folder trust, policies, and MCP servers.

use crate::fixture::Fixture;

const ALLOW: &str = "           fix: mkdir -p ~/.gemini/policies && cogtools doctor --policy >> ~/.gemini/policies/cogtools.toml\n";
const HIDDEN: &str = "  warning  headless mode (gemini -p) hides 1 of 1 tool: hello\n";

#[test]
fn trust() {
    let check = |list: &str, section: &str, summary: &str| {
        let fixture = Fixture::new();
        let here = fixture
            .project
            .root()
            .parent()
            .unwrap()
            .display()
            .to_string();
        let list = list.replace("HERE", &here);
        fixture.file("../home/.gemini/trustedFolders.json", list);
        fixture.check(&[("trust", section)], summary);
    };
    let trusted = "  ok       the folder is trusted: listed in ~/.gemini/trustedFolders.json\n";
    check(
        "{\"HERE\": \"TRUST_FOLDER\"}",
        trusted,
        "no problems, no warnings",
    );
    check(
        "{\"HERE/other\": \"TRUST_PARENT\"} // c",
        trusted,
        "no problems, no warnings",
    );
    check(
        "{\"HERE\": \"TRUST_FOLDER\", \"HERE/project\": \"DO_NOT_TRUST\"}",
        "  problem  the folder is not trusted (marked DO_NOT_TRUST in ~/.gemini/trustedFolders.json), so Gemini CLI does not read the project's settings
           fix: export GEMINI_CLI_TRUST_WORKSPACE=true\n",
        "1 problem, no warnings",
    );
    check(
        "{,}",
        "  problem  ~/.gemini/trustedFolders.json: not JSON with comments: unexpected token in object: Gemini CLI does not start
           hint: correct that file\n",
        "1 problem, no warnings",
    );
}

#[test]
fn trust_by_variable() {
    let mut fixture = Fixture::new();
    fixture
        .vars
        .insert("GEMINI_CLI_TRUST_WORKSPACE".into(), "true".into());
    let trust = "  ok       the folder is trusted: GEMINI_CLI_TRUST_WORKSPACE is true\n";
    fixture.check(&[("trust", trust)], "no problems, no warnings");
}

#[test]
fn policies() {
    let check = |policy: &str, section: &str| {
        let fixture = Fixture::new();
        fixture.file("../home/.gemini/policies/mine.toml", policy);
        let warnings = section.matches("warning").count();
        let s = if warnings == 1 { "" } else { "s" };
        fixture.check(
            &[("headless", section)],
            &format!("no problems, {warnings} warning{s}"),
        );
        let rule = "[[rule]]\ntoolName = [\n  \"discovered_tool_hello\",\n]\ndecision = \"allow\"\npriority = 100\n";
        assert_eq!(fixture.run(&["--policy"]).stdout, rule);
        // It prints exactly the missing rule.
        fixture.file("../home/.gemini/policies/zz.toml", rule);
        assert_eq!(fixture.run(&["--policy"]).stdout, "");
    };
    let rule = |name: &str| {
        format!("[[rule]]\ntoolName = \"{name}\"\ndecision = \"allow\"\npriority = 9\n")
    };
    let hidden = format!("{HIDDEN}{ALLOW}");
    check("", &hidden);
    check(&rule("hello"), &hidden);
    check(
        &rule("discovered_tool_*"),
        &format!(
            "  warning  `discovered_tool_*` in ~/.gemini/policies/mine.toml matches nothing: Gemini CLI compares full names\n           hint: remove it from ~/.gemini/policies/mine.toml; cogtools doctor --policy prints rules with full names\n{hidden}"
        ),
    );
    check(
        "[[rule]]\ntoolName = 'x'\n",
        &format!(
            "  warning  ~/.gemini/policies/mine.toml: rule 1: `decision` must be allow, deny or ask_user: Gemini CLI ignores the file
           hint: correct ~/.gemini/policies/mine.toml, or remove it\n{hidden}"
        ),
    );
    check(
        &rule("discovered_tool_hello")
            .replace("allow", "deny")
            .replace('9', "1"),
        &hidden,
    );
}

#[test]
fn servers() {
    let fixture = Fixture::new();
    let servers = "{\"mcpServers\": {
      \"far\": {\"httpUrl\": \"https://x\"},
      \"ours\": {\"command\": \"cogtools-call\", \"args\": [\"cogtools-mcp\"]},
      \"my_own\": {\"command\": \"nowhere\"},
      \"odd\": {}
    }}";
    fixture.file("../home/.gemini/settings.json", servers);
    let settings = "  ok       `~/.gemini/settings.json` (user) can be read
  ok       `.gemini/settings.json` (project) can be read
  ok       `tools.discoveryCommand` in `.gemini/settings.json` is \"cogtools-discover\"
  ok       `tools.callCommand` in `.gemini/settings.json` is \"cogtools-call\"\n";
    let mcp = "  ok       `far` is a remote server, not contacted here
  ok       `ours` is started by `[HERE]/prefix/bin/cogtools-call`, not tried here
  warning  the server `ours` in ~/.gemini/settings.json serves the tools that discovery declares: every tool is declared twice
           hint: remove `ours` from ~/.gemini/settings.json
  problem  the server `my_own` in ~/.gemini/settings.json: `nowhere` is not on PATH
           hint: install nowhere, or name another program in ~/.gemini/settings.json
  warning  the server `my_own` in ~/.gemini/settings.json has a `_` in its name, which Gemini CLI takes for the end of the name
           hint: rename it in ~/.gemini/settings.json
  problem  the server `odd` in ~/.gemini/settings.json has no `command` and no `url`
           hint: add one of them in ~/.gemini/settings.json\n";
    fixture.check(
        &[("settings", settings), ("mcp", mcp)],
        "2 problems, 2 warnings",
    );
}
