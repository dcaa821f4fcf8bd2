//! The configuration of each host: new, existing, and conflicting.

use cogtools_test_support::{assert_text, outcome, str};
use std::fs;
use std::path::Path;

use crate::cases::{CASES, Case};
use crate::project::{Project, success};

fn summary(word: &str, file: &str) -> String {
    let golden = if word == "created" {
        "created tools/hello.1.golden\ncreated tools/hello.2.golden\n"
    } else {
        ""
    };
    format!("{word} .cogtoolrc.yaml\n{word} tools/hello.yaml\n{golden}{word} {file}\n")
}

#[test]
fn a_new_file() {
    for case in CASES {
        let project = Project::new();
        let expected = Case::expected(case.new, &project);
        outcome!(case.run(&project, &["--print"])).outputs(&expected);
        assert!(project.files().is_empty() && !case.path(&project).exists());
        let output = case.run(&project, &[]);
        let created = summary("created", &case.display_path(&project));
        assert!(output.stdout.starts_with(&created), "{output:?}");
        assert_eq!((output.status, output.stderr.as_str()), (0, ""));
        assert_eq!(fs::read_to_string(case.path(&project)).unwrap(), expected);
        let unchanged = summary("unchanged", &case.display_path(&project));
        let again = success(format!(
            "{unchanged}\nnothing to do: everything is set up already\n"
        ));
        assert_eq!(case.run(&project, &[]), again);
        outcome!(case.run(&project, &["--print"])).outputs(expected);
    }
}

#[test]
fn an_existing_file_keeps_every_byte() {
    for case in CASES {
        let project = Project::new();
        case.write(&project, case.before);
        let expected = Case::expected(case.after, &project);
        outcome!(case.run(&project, &["--print"])).outputs(&expected);
        assert_eq!(
            fs::read_to_string(case.path(&project)).unwrap(),
            case.before
        );
        assert_eq!(case.run(&project, &[]).status, 0);
        assert_eq!(fs::read_to_string(case.path(&project)).unwrap(), expected);
        let again = case.run(&project, &["--dry-run"]);
        outcome!(again).outputs("");
    }
}

#[test]
fn a_conflicting_entry_is_an_error() {
    for case in CASES {
        let project = Project::new();
        case.write(&project, case.conflicting);
        let output = case.run(&project, &[]);
        let lines: Vec<&str> = output.stderr.lines().collect();
        let first = format!(
            "cogtools-init: error[INVALID_CONFIG]: {}:{}: another entry already has this name",
            case.display_path(&project),
            case.location
        );
        assert_eq!(lines[0], first);
        let hints: Vec<&str> = lines
            .into_iter()
            .filter(|line| line.starts_with("hint"))
            .collect();
        let is_shared = case.display_path(&project).ends_with(".codex/config.toml");
        let expected = [
            "hint: remove or rename it, then run this again",
            if is_shared {
                "hint: or choose another name with --name; if it starts cogtools, remove `--project` from it instead"
            } else {
                "hint: or choose another name with --name"
            },
            "hint: no file was written",
        ];
        assert_eq!(hints, expected);
        assert_eq!((output.status, output.stdout.as_str()), (78, ""));
        assert_eq!(
            fs::read_to_string(case.path(&project)).unwrap(),
            case.conflicting
        );
        assert!(!project.path("tools").exists());

        assert_eq!(case.run(&project, &["--name", "tools-2"]).status, 0);
        let text = fs::read_to_string(case.path(&project)).unwrap();
        // Goose has the name in the entry, too.
        let count = if case.host == "goose" { 2 } else { 1 };
        assert_eq!(text.matches("tools-2").count(), count, "{text}");
    }
}

#[test]
fn a_customised_entry_of_ours_is_preserved() {
    let project = Project::new();
    let text = "{\"mcpServers\": {\"cogtools\": {\"command\": \"/opt/cogtools-mcp\", \"env\": {\"A\": \"b\"}}}}";
    project.write(".mcp.json", text);
    outcome!(project.run(&["--host=claude-code", "--print"])).outputs(text);
    assert_eq!(project.run(&["--host=claude-code"]).status, 0);
    assert_eq!(project.read(".mcp.json"), text);
}

#[test]
fn codex_has_one_entry_for_all_projects() {
    let project = Project::new();
    let file = project.home_path(".codex/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let shared = "[mcp_servers.cogtools]\ncommand = \"cogtools\"\nargs = [\"mcp\"]\n";
    fs::write(&file, shared).unwrap();
    assert_eq!(project.run(&["--host=codex"]).status, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), shared);
    // One that serves a single project would have its tools in all others.
    let one = shared.replace("\"mcp\"", "\"mcp\", \"--project\", \"/one\"");
    fs::write(&file, &one).unwrap();
    let failed = project.run(&["--host=codex"]);
    assert_eq!(failed.status, 78);
    assert_eq!(fs::read_to_string(&file).unwrap(), one);
}

#[test]
fn the_file_that_exists_is_the_one() {
    for (host, first, second) in [
        ("opencode", ".opencode/opencode.jsonc", "opencode.json"),
        ("copilot", ".github/mcp.json", ".mcp.json"),
        ("crush", "crush.json", ".crush.json"),
    ] {
        let project = Project::new();
        project.write(first, "{}\n");
        assert_eq!(project.run(&["--host", host]).status, 0);
        assert!(project.read(first).contains("\"mcp\""), "{host}");
        assert!(!project.path(second).exists(), "{host}");
    }
}

#[test]
fn a_user_file_of_yaml_that_cannot_be_edited() {
    for (text, expected) in [
        (
            "extensions: [\n",
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: [HOME]/.config/goose/config.yaml:1:13: not YAML: the list is not closed
hint: fix the file by hand, then run this again
hint: no file was written

"#]],
        ),
        (
            "extensions: [a]\n",
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: [HOME]/.config/goose/config.yaml:1:13: /extensions: must be an object, but is a list
hint: make it an object or remove it, then run this again
hint: no file was written

"#]],
        ),
        (
            "extensions: {a: {envs: {SECRET: hunter2}}, cogtools: {cmd: evil}}\n",
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: [HOME]/.config/goose/config.yaml:1:54: /extensions/cogtools: another entry already has this name
hint: remove or rename it, then run this again
hint: or choose another name with --name
hint: no file was written

"#]],
        ),
        (
            "- a\n",
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: [HOME]/.config/goose/config.yaml:1:1: must be an object, but is a list
hint: make it an object or remove it, then run this again
hint: no file was written

"#]],
        ),
    ] {
        let project = Project::new();
        let file = project.home_path(".config/goose/config.yaml");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        let mut output = project.run(&["--host=goose"]);
        let home = project.home_path("").display().to_string();
        output.stderr = output.stderr.replace(home.trim_end_matches('/'), "[HOME]");
        outcome!(output).fails(78, expected);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

const SEVERAL: [&str; 4] = [
    "--host",
    "gemini-commands,gemini-mcp",
    "--host",
    "claude-code,gemini",
];

#[test]
fn next_steps_of_several_hosts() {
    let mut output = Project::new().run(&SEVERAL);
    assert_text(
        std::mem::take(&mut output.stderr),
        str![[r#"
cogtools-init: warning[INVALID_CONFIG]: .gemini/settings.json: Gemini CLI will declare every tool twice: by its commands and by the MCP server
hint: keep one: --host gemini-mcp for version 0.35 and later, else --host gemini-commands

"#]],
    );
    outcome!(output).outputs(str![[r#"
created .cogtoolrc.yaml
created tools/hello.yaml
created tools/hello.1.golden
created tools/hello.2.golden
created .gemini/settings.json
created .mcp.json

next steps:
- print the tools as Gemini CLI will see them (cogtools-discover and cogtools-call
  must be on PATH, or Gemini CLI cannot start here):
    cogtools-discover
- call the example:
    echo '{"person": "Ada"}' | cogtools-call hello
- start gemini in this directory, and trust the folder when it asks
- in headless mode (gemini -p), trust the folder with the environment variable
  GEMINI_CLI_TRUST_WORKSPACE=true (--skip-trust leaves the settings unread), and
  allow each tool by name in a user-level policy file, such as
  ~/.gemini/policies/cogtools.toml, or Gemini CLI denies its calls:
    [[rule]]
    toolName = ["discovered_tool_hello"]
    decision = "allow"
    priority = 100
  or, for a single run: gemini --allowed-tools discovered_tool_hello -p '...'
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
- start claude in this directory, approve the server when it asks, and check /mcp
- no gemini was found, so its settings are for version 0.35 or later; an older one
  shows tools without their parameters: for that,
  cogtools init --host gemini-commands in a new project

"#]]);
}

#[test]
fn several_hosts_at_once() {
    let project = Project::new();
    assert_eq!(project.run(&SEVERAL).status, 0);
    assert_eq!(
        project.files(),
        [
            ".cogtoolrc.yaml",
            ".gemini/",
            ".gemini/settings.json",
            ".mcp.json",
            "tools/",
            "tools/hello.1.golden",
            "tools/hello.2.golden",
            "tools/hello.yaml"
        ]
    );
    let settings = project.read(".gemini/settings.json");
    assert_text(
        &settings,
        str![[r#"
{
  "toolDiscoveryCommand": "cogtools-discover",
  "toolCallCommand": "cogtools-call",
  "tools": {
    "discoveryCommand": "cogtools-discover",
    "callCommand": "cogtools-call"
  },
  "mcpServers": {
    "cogtools": {
      "command": "cogtools",
      "args": ["mcp"]
    }
  }
}

"#]],
    );
    let path = |file: &str| project.path(file).display().to_string();
    let printed = format!(
        "==> {} <==\n{}\n==> {} <==\n{settings}",
        path(".mcp.json"),
        project.read(".mcp.json"),
        path(".gemini/settings.json"),
    );
    outcome!(project.run(&["--print", "--host=claude-code,gemini-mcp"])).outputs(printed);
}

#[test]
fn an_extension() {
    let project = Project::new();
    let manifest = str![[r#"
{
  "name": "my-tools",
  "version": "0.1.0",
  "contextFileName": "COGTOOLS.md",
  "mcpServers": {
    "my-tools": {
      "command": "cogtools",
      "args": ["mcp", "--project", "${extensionPath}"]
    }
  }
}

"#]];
    let args = ["--host=gemini-extension", "--name=my-tools"];
    assert_eq!(project.run(&args).status, 0);
    assert_text(project.read("gemini-extension.json"), manifest);
    assert!(
        project
            .read("COGTOOLS.md")
            .starts_with("# Tools of this extension\n")
    );
    let text = "{\"name\": \"theirs\", \"version\": \"7\", \"contextFileName\": \"GEMINI.md\"}";
    let project = Project::new();
    project.write("gemini-extension.json", text);
    outcome!(project.run(&[&args[..], &["--print"]].concat())).outputs(str![[r#"{"name": "theirs", "version": "7", "contextFileName": "GEMINI.md", "mcpServers": {"my-tools": {"command": "cogtools", "args": ["mcp", "--project", "${extensionPath}"]}}}"#]]);
}

#[test]
fn invalid_hosts_and_names() {
    let project = Project::new();
    let output = project.run(&["--host", "vim"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    let output = project.run(&["--name", "a_b"]);
    outcome!(output).fails(2, str![[r#"
cogtools-init: error[USAGE]: invalid value 'a_b' for '--name <NAME>': a name has 1 to 32 letters from a to z, digits and `-`
hint: usage: cogtools-init [OPTIONS]
hint: --help explains every option

"#]]);
    for flag in ["--dry-run", "--format=json"] {
        assert_eq!(project.run(&["--print", flag]).status, 2, "{flag}");
    }
    assert!(project.files().is_empty());
    assert!(!Path::new(&project.home_path(".codex")).exists());
}

#[test]
fn no_line_of_a_file_of_a_host_is_shown() {
    for (text, expected) in [
        (
            r#"{"mcpServers":{"cogtools":{"command":"evil","env":{"SECRET":"hunter2"}}}}"#,
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: .cursor/mcp.json:1:27: /mcpServers/cogtools: another entry already has this name
hint: remove or rename it, then run this again
hint: or choose another name with --name
hint: no file was written

"#]],
        ),
        (
            r#"{"mcpServers":{"a":{"env":{"SECRET":"hunter2"}}"#,
            str![[r#"
cogtools-init: error[INVALID_CONFIG]: .cursor/mcp.json:1:48: not JSON with comments: unterminated object
hint: fix the file by hand, then run this again
hint: no file was written

"#]],
        ),
    ] {
        let project = Project::new();
        project.write(".cursor/mcp.json", text);
        outcome!(project.run(&["--defaults", "--host", "cursor"])).fails(78, expected);
    }
}

#[test]
fn a_file_that_its_host_cannot_read_is_refused() {
    const MARK: &str = "begins with a byte order mark";
    const COMMENT: &str = "not JSON: comments are not allowed";
    const COMMA: &str = "not JSON: trailing commas are not allowed";
    for (host, file, text, expected) in [
        (
            "antigravity",
            ".agents/mcp_config.json",
            "{} // mine",
            COMMENT,
        ),
        (
            "antigravity",
            ".agents/mcp_config.json",
            "{\"a\": {\"b\": 1,}}",
            COMMA,
        ),
        ("antigravity", ".agents/mcp_config.json", "\u{feff}{}", MARK),
        ("cursor", ".cursor/mcp.json", "\u{feff}{}", MARK),
        ("gemini-mcp", ".gemini/settings.json", "\u{feff}{}", MARK),
        (
            "gemini-commands",
            ".gemini/settings.json",
            "\u{feff}{}",
            MARK,
        ),
    ] {
        let project = Project::new();
        project.write(file, text);
        let run = project.run(&["--defaults", "--host", host]);
        assert_eq!(run.status, 78, "{host}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{host}: {}", run.stderr);
        assert_eq!(project.read(file), text);
    }
}
