//! Faults of a project, each with its fix.

use super::{Case, WELL};

const TOOL: &str = "name: a\ndescription: d\nimplementation: x\n";
/// Gemini CLI is to run the commands.
const COMMANDS: &str =
    r#"{"tools": {"discoveryCommand": "cogtools-discover", "callCommand": "cogtools-call"}}"#;
/// Claude Code is to start the server.
const SERVER: &str = r#"{"mcpServers": {"cogtools": {"command": "cogtools", "args": ["mcp"]}}}"#;

pub(super) const CASES: &[Case] = &[
    Case {
        files: &[(".cogtoolrc.yml", "tool_sources: [{local: tools}]\n")],
        message: ".cogtoolrc.yml is not read",
        fix: "mv .cogtoolrc.yml .cogtoolrc.yaml",
        ..WELL
    },
    Case {
        files: &[("tools/a.yml", TOOL)],
        message: "tools/a.yml is not read",
        fix: "mv tools/a.yml tools/a.yaml",
        ..WELL
    },
    Case {
        links: &[("tools/a.yaml", "gone.yaml")],
        message: "tools/a.yaml is a link to a file that does not exist",
        fix: "rm tools/a.yaml",
        ..WELL
    },
    Case {
        files: &[(
            "tools/a.yaml",
            "#! /usr/bin/env cogtools-yaml\nname: a\ndescription: d\nimplementation: x\n",
        )],
        message: "tools/a.yaml begins with `#!` but is not executable",
        fix: "chmod +x tools/a.yaml",
        ..WELL
    },
    Case {
        files: &[(
            ".cursor/mcp.json",
            r#"{"servers": {"cogtools": {"command": "cogtools", "args": ["mcp"]}}}"#,
        )],
        message: ".cursor/mcp.json has `servers`, but Cursor reads `mcpServers`",
        fix: "cogtools init --host cursor",
        ..WELL
    },
    Case {
        files: &[(".mcp.json", "\u{feff}{\"mcpServers\": {},}\n")],
        message: ".mcp.json:1:1: begins with a byte order mark",
        fix: "cogtools doctor --fix",
        ..WELL
    },
    Case {
        files: &[(".gemini/settings.json", "{\"tools\": {},}\n")],
        message: "trailing commas are not allowed: Gemini CLI does not start",
        fix: "cogtools doctor --fix",
        ..WELL
    },
    Case {
        files: &[(".gemini/settings.json", "{}\n")],
        message: "no settings file sets `tools.discoveryCommand`",
        fix: "cogtools doctor --fix",
        ..WELL
    },
    Case {
        files: &[(".gemini/settings.json", COMMANDS)],
        is_installed: false,
        message: "`cogtools-discover` is not on PATH in the project",
        fix: "export PATH=PROGRAMS:\"$PATH\"",
        ..WELL
    },
    Case {
        files: &[(".mcp.json", SERVER)],
        is_installed: false,
        message: "the server `cogtools` in .mcp.json: `cogtools` is not on PATH",
        fix: "export PATH=PROGRAMS:\"$PATH\"",
        ..WELL
    },
    Case {
        message: "it is not set whether the folder is trusted",
        fix: "export GEMINI_CLI_TRUST_WORKSPACE=true",
        ..WELL
    },
    Case {
        variables: &[("GEMINI_RESTRICTED_MODE", "true")],
        message: "the folder is not trusted",
        fix: "unset GEMINI_RESTRICTED_MODE; export GEMINI_CLI_TRUST_WORKSPACE=true",
        ..WELL
    },
    Case {
        files: &[(".gemini/settings.json", COMMANDS), ("tools/a.yaml", TOOL)],
        message: "headless mode (gemini -p) hides 1 of 1 tool: a",
        fix: "mkdir -p ~/.gemini/policies && cogtools doctor --policy >> \
              ~/.gemini/policies/cogtools.toml",
        ..WELL
    },
    Case {
        files: &[(
            "tools/a.yaml",
            "name: a\ndescription: d\nparameters: {n: {type: int}}\nimplementation: x\n",
        )],
        message: "no host sees the tool",
        fix: "cogtools lint --fix tools/a.yaml",
        ..WELL
    },
    Case {
        files: &[
            (
                "tools/a.yaml",
                "name: a\ndescription: d\nimplementation: {exec: [rg, x]}\n",
            ),
            (
                "../bin/brew",
                "#!/bin/sh\n[ \"$*\" = 'install ripgrep' ] && cp \"$0\" \"${0%brew}rg\"\n",
            ),
        ],
        message: "the program `rg` was not found: every call of the tool fails",
        fix: "brew install ripgrep",
        ..WELL
    },
    Case {
        files: &[
            (
                ".mcp.json",
                r#"{"mcpServers": {"n": {"command": "cogtools", "args": ["mcp"]}}}"#,
            ),
            (
                ".gemini/settings.json",
                r#"{"mcpServers": {"n": {"command": "rg"}}}"#,
            ),
            (
                "../bin/brew",
                "#!/bin/sh\n[ \"$*\" = 'install ripgrep' ] && cp \"$0\" \"${0%brew}rg\"\n",
            ),
        ],
        message: "the server `n` in .gemini/settings.json: `rg` is not on PATH",
        fix: "brew install ripgrep",
        ..WELL
    },
    Case {
        files: &[
            ("package.json", r#"{"dependencies": {"pk": "1"}}"#),
            (
                "node_modules/pk/package.json",
                r#"{"name": "pk", "cogtools": {"tools": ["t"]}}"#,
            ),
            (
                "node_modules/pk/t/pk.yaml",
                "name: pk\ndescription: d\nimplementation: x\n",
            ),
        ],
        message: "installed packages have tools that are not used: `pk`",
        fix: "cogtools config set tool_sources '[{local: ./tools}, node_modules]'",
        ..WELL
    },
    Case {
        files: &[(
            "GEMINI.md",
            "<!-- cogtools:begin -->\nold\n<!-- cogtools:end -->\n",
        )],
        message: "the table of tools is out of date: GEMINI.md",
        fix: "cogtools docs",
        ..WELL
    },
    Case {
        message: "this project has no tools yet",
        fix: "cogtools new hello",
        ..WELL
    },
];
