//! Findings about the files of hosts that belong to the user.

use cogtools_test_support::{Expected, str};

use crate::files::check;
use crate::fixture::Fixture;

/// The user's own files are examined if they name cogtools, and are never repaired.
#[track_caller]
fn check_user_file(file: &str, content: &str, expected: impl Into<Expected>) {
    let fixture = Fixture::new();
    fixture.file(file, content);
    check(&fixture, "mcp", expected);
    fixture.run(&["--fix"]);
    assert_eq!(fixture.project.read(file), content);
}

#[test]
fn codex() {
    const CODEX: &str = "../home/.codex/config.toml";
    for (content, expected) in [
        ("[mcp_servers.other\n".to_owned(), str![[""]]),
        ("[mcp_servers.cogtools\n".to_owned(), str![[r#"
  problem  [HERE]/home/.codex/config.toml:1:22: not TOML: unclosed table, expected `]`: Codex has no tools
           hint: correct ~/.codex/config.toml

"#]]),
        ("[mcp_servers.mine]\ncommand = \"cogtools\"\nargs = [\"list\"]\n".to_owned(),
            str![[r#"
  problem  the server `mine` in ~/.codex/config.toml starts `cogtools` without `mcp`
           hint: set its `args` in ~/.codex/config.toml to ["mcp"]

"#]],
        ),
        ("[mcpServers.mine]\ncommand = \"cogtools\"\nargs = [\"mcp\"]\n".to_owned(),
            str![[r#"
  problem  ~/.codex/config.toml has `mcpServers`, but Codex reads `mcp_servers`
           fix: cogtools init --host codex

"#]],
        ),
        ("[mcp_servers.mine]\ncommand = \"cogtools\"\nargs = [\"mcp\", \"--project\", \"/gone\"]\n"
                .to_owned(),
            str![[r#"
  warning  the server `mine` in ~/.codex/config.toml serves the project in /gone, which does not exist
           hint: correct it, or remove `mine`

"#]],
        ),
        ("[mcp_servers.mine]\ncommand = \"cogtools\"\nargs = [\"mcp\", \"--project=/gone\"]\n".to_owned(),
            str![[r#"
  warning  the server `mine` in ~/.codex/config.toml serves the project in /gone, which does not exist
           hint: correct it, or remove `mine`

"#]],
        ),
        ("[mcp_servers.mine]\ncommand = \"cogtools\"\nargs = [\"mcp\", \"--project\", \"/\"]\n"
                .to_owned(),
            str![[r#"
  warning  the server `mine` in ~/.codex/config.toml serves the project in /, in every directory
           hint: remove `--project` and the folder from its arguments

"#]],
        ),
    ] {
        check_user_file(CODEX, &content, expected);
    }
}

#[test]
fn claude_desktop() {
    const DESKTOP: &str = "../home/.config/Claude/claude_desktop_config.json";
    let desktop = |server: &str| format!("{{\"mcpServers\": {{\"mine\": {server}}}}}");
    for (content, expected) in [
        (
            desktop(r#"{"command": "/gone/cogtools", "args": ["mcp"]}"#),
            str![[r#"
  problem  the server `mine` in ~/.config/Claude/claude_desktop_config.json: `/gone/cogtools` does not exist
           hint: name a program that exists in ~/.config/Claude/claude_desktop_config.json

"#]],
        ),
        (
            desktop(r#"{"command": "cogtools", "args": []}"#),
            str![[r#"
  problem  the server `mine` in ~/.config/Claude/claude_desktop_config.json starts `cogtools` without `mcp`
           hint: set its `args` in ~/.config/Claude/claude_desktop_config.json to ["mcp", "--project", FOLDER]

"#]],
        ),
        (
            "\u{feff}{\"cogtools\": {}}".to_owned(),
            str![[r#"
  problem  [HERE]/home/.config/Claude/claude_desktop_config.json:1:1: begins with a byte order mark: Claude Desktop has no tools
           hint: correct ~/.config/Claude/claude_desktop_config.json

"#]],
        ),
        (
            "[\"cogtools\"]".to_owned(),
            str![[r#"
  problem  ~/.config/Claude/claude_desktop_config.json is not an object: Claude Desktop has no tools
           hint: make ~/.config/Claude/claude_desktop_config.json an object

"#]],
        ),
    ] {
        check_user_file(DESKTOP, &content, expected);
    }
}

#[test]
fn a_file_serves_the_project_that_an_entry_names() {
    const SERVED: &str = "not checked: other hosts have the tools";
    let fixture = Fixture::new();
    fixture.project.remove(".gemini/settings.json");
    let root = fixture.project.root().display().to_string();
    let file = "../home/.config/Claude/claude_desktop_config.json";
    for args in [
        format!(r#"["mcp", "--project", "{root}"]"#),
        format!(r#"["mcp", "--project={root}"]"#),
    ] {
        let entry =
            format!(r#"{{"mcpServers": {{"mine": {{"command": "cogtools", "args": {args}}}}}}}"#);
        fixture.file(file, entry);
        let report = fixture.run(&[]).stdout;
        assert!(report.contains(SERVED), "{report}");
    }
    let other =
        r#"{"mcpServers": {"mine": {"command": "cogtools", "args": ["mcp", "--project=/"]}}}"#;
    fixture.file(file, other);
    let report = fixture.run(&[]).stdout;
    assert!(!report.contains(SERVED), "{report}");
}
