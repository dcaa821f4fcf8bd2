//! `--host gemini`, the default, never connects Gemini CLI in two ways at once.

use cogtools_test_support::{assert_text, outcome, str};

use crate::project::Project;

const SETTINGS: &str = ".gemini/settings.json";
const SERVER: &str = r#"{"mcpServers": {"mine": {"command": "cogtools", "args": ["mcp"]}}}"#;
const NESTED: &str =
    r#"{"tools": {"discoveryCommand": "cogtools-discover", "callCommand": "cogtools-call"}}"#;

/// The connections in the settings of `project`.
fn connections(project: &Project) -> [bool; 2] {
    let settings = project.read(SETTINGS);
    [
        settings.contains("discoveryCommand"),
        settings.contains("mcpServers"),
    ]
}

#[test]
fn the_installed_version_decides() {
    for (version, expected) in [
        (None, [false, true]),
        (Some("0.61.0"), [false, true]),
        (Some("0.35.0"), [false, true]),
        (Some("0.34.1"), [true, false]),
        (Some("0.3.4"), [true, false]),
        (Some("0.1.5"), [true, false]),
    ] {
        let project = Project::new();
        if let Some(version) = version {
            project.install_gemini(version);
        }
        assert_eq!(project.run_bare(&["--defaults"]).status, 0);
        assert_eq!(connections(&project), expected, "{version:?}");
    }
}

#[test]
fn the_server_of_a_new_project() {
    let project = Project::new();
    outcome!(project.run_bare(&[])).outputs(str![[r#"
created .cogtoolrc.yaml
created tools/hello.yaml
created tools/hello.1.golden
created tools/hello.2.golden
created .gemini/settings.json

next steps:
- call the example:
    echo '{"person": "Ada"}' | cogtools-call hello
- start gemini in this directory, trust the folder when it asks, and check /mcp
  (cogtools must be on PATH; for the discovery and call commands instead of the MCP
  server, run cogtools init --host gemini-commands in a new project)
- in headless mode (gemini -p), trust the folder with the environment variable
  GEMINI_CLI_TRUST_WORKSPACE=true (--skip-trust leaves the settings unread), and
  allow the tools in a user-level policy file, such as
  ~/.gemini/policies/cogtools.toml, or Gemini CLI denies their calls:
    [[rule]]
    toolName = "mcp_cogtools_*"
    decision = "allow"
    priority = 100
- no gemini was found, so its settings are for version 0.35 or later; an older one
  shows tools without their parameters: for that,
  cogtools init --host gemini-commands in a new project

"#]]);
    assert_text(
        project.read(SETTINGS),
        str![[r#"
{
  "mcpServers": {
    "cogtools": {
      "command": "cogtools",
      "args": ["mcp"]
    }
  }
}

"#]],
    );
    outcome!(project.run_bare(&[])).outputs(str![[r#"
unchanged .cogtoolrc.yaml
unchanged tools/hello.yaml
unchanged .gemini/settings.json

nothing to do: everything is set up already

"#]]);
}

#[test]
fn what_is_set_up_already_stays() {
    for (settings, version) in [(SERVER, "0.3.4"), (NESTED, "0.61.0")] {
        let project = Project::with_settings(settings);
        project.install_gemini(version);
        let before = connections(&project);
        assert_eq!(project.run_bare(&["--defaults"]).status, 0);
        assert_eq!(connections(&project), before, "{settings}");
    }
    // Settings of the user are settings of this project, too.
    let project = Project::new();
    std::fs::create_dir(project.home_path(".gemini")).unwrap();
    std::fs::write(project.home_path(SETTINGS), NESTED).unwrap();
    assert_eq!(project.run_bare(&["--defaults"]).status, 0);
    assert_eq!(connections(&project), [true, false]);
}

#[test]
fn commands_of_another_program_stay_beside_the_server() {
    let text = r#"{"tools": {"discoveryCommand": "other list", "callCommand": "other"}}"#;
    let project = Project::with_settings(text);
    assert_eq!(project.run_bare(&[]).status, 0);
    assert_eq!(connections(&project), [true, true]);
    assert!(!project.read(SETTINGS).contains("cogtools-discover"));
}

#[test]
fn a_second_connection_needs_both_names() {
    let project = Project::with_settings(NESTED);
    outcome!(project.run_bare(&["--host=gemini-mcp"])).fails(78, str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json: the settings already name the commands of cogtools: Gemini CLI would declare every tool twice
hint: remove `tools`, `toolDiscoveryCommand` and `toolCallCommand` first
hint: or name both: --host gemini-commands,gemini-mcp
hint: no file was written

"#]]);
    assert_eq!(project.read(SETTINGS), NESTED);
    let both = "--host=gemini-commands,gemini-mcp";
    assert_eq!(project.run_bare(&[both]).status, 0);
    assert_eq!(connections(&project), [true, true]);

    let project = Project::with_settings(SERVER);
    outcome!(project.run_bare(&["--host=gemini-commands"])).fails(78, str![[r#"
cogtools-init: error[INVALID_CONFIG]: .gemini/settings.json: the settings already start the MCP server of cogtools: Gemini CLI would declare every tool twice
hint: remove its entry in `mcpServers` first
hint: or name both: --host gemini-commands,gemini-mcp
hint: no file was written

"#]]);
    assert_eq!(project.read(SETTINGS), SERVER);
}
