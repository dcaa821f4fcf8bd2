//! Servers under `mcpServers`: as other hosts write them, added after a trial, and taken over.

use std::os::unix::fs::PermissionsExt as _;

use cogtools_test_support::{Project, Run, assert_text, str};
use serde_json::json;

use crate::run;

/// A server whose tool has its arguments and the variable `MODE` as description. With the argument
/// `writes` it makes a folder at home first, with `more` another one.
pub(super) const SERVER: &str = r#"import json, os, sys
if "writes" in sys.argv:
    for name in ("~/.mine/cache", "~/.other")[:1 + ("more" in sys.argv)]:
        os.makedirs(os.path.expanduser(name), exist_ok=True)
if "fails" in sys.argv:
    sys.exit("no such luck")
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    text = " ".join(sys.argv[1:] + [os.environ.get(name, "-") for name in ("MODE", "API_TOKEN")])
    result = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                       "serverInfo": {"name": "s", "version": "1"}},
        "tools/list": {"tools": [{"name": "t", "description": text, "inputSchema": {"type": "object"}}]},
    }.get(request["method"], {})
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"#;

/// The answer to a question that cannot be asked.
const NO_TERMINAL: &str = "\
cogtools-mcp: error[DENIED]: nothing was written: there is no terminal to ask at
hint: review what is shown, and repeat the command with --yes
";

/// A project with the script.
fn project() -> Project {
    let project = Project::new();
    project.file("server.py", SERVER).file("tools/.keep", "");
    project
}

fn mcp(project: &Project, args: &[&str]) -> Run {
    run("cogtools-mcp", project).args(args)
}

/// The description of the tool that is declared.
fn description(project: &Project) -> String {
    run("cogtools", project)
        .args(["trust", "--yes", "s"])
        .env("TOKEN", "t")
        .run()
        .succeeds();
    let declared = run("cogtools-discover", project)
        .env("TOKEN", "t")
        .arg("--refresh");
    let declared = declared.run().json();
    declared[0]["description"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn entries_of_other_hosts_are_sources() {
    let project = project();
    project.file(
        ".cogtoolrc.yaml",
        json!({"mcpServers": {
            "s": {
                "type": "stdio",
                "command": "python3",
                "args": ["server.py", "${TOKEN}", "${NONE:-default}", "$TOKEN"],
                "env": {"MODE": "<${TOKEN}>"},
                "autoApprove": ["*"],
            },
            "off": {"command": "none", "disabled": true},
        }})
        .to_string(),
    );
    run("cogtools", &project).args(["trust", "--dry-run", "s"]).run().stdout_contains(
        "starts    python3 server.py '${TOKEN}' '${NONE:-default}' '$TOKEN'\n  sets      'MODE=<${TOKEN}>'",
    );
    assert_eq!(description(&project), "t default $TOKEN <t> -");
}

#[test]
fn servers_of_another_host_are_taken_over_without_their_secrets() {
    let project = project();
    project.file(".cogtoolrc.yaml", "# ours\nbudget: 4000 # tokens\n");
    project.file(
        ".mcp.json",
        r#"{ // of Claude Code
          "mcpServers": {
            "s": {"command": "python3", "args": ["server.py"], "env": {"API_TOKEN": "s3cr3t"}, "cwd": "/x"},
            "self": {"command": "cogtools", "args": ["mcp"]},
          }
        }"#,
    );
    mcp(&project, &["import", "claude-code", "--yes"])
        .run()
        .outputs(str![[r#"
+ mcpServers:
+   s:
+     command: python3
+     args: [server.py]
+     env:
+       API_TOKEN: "${API_TOKEN}"
not taken over:
  s in .mcp.json: cwd
  self in .mcp.json: it is cogtools
kept for you, outside the file:
  s: API_TOKEN
updated .cogtoolrc.yaml: 1 server
review what they run, and approve it: cogtools trust

"#]]);
    assert_text(
        project.read(".cogtoolrc.yaml"),
        str![[r#"
# ours
budget: 4000 # tokens
mcpServers:
  s:
    command: python3
    args: [server.py]
    env:
      API_TOKEN: "${API_TOKEN}"

"#]],
    );
    let folder = project.home().join(".local/state/cogtools/variables");
    let kept = std::fs::read_dir(&folder)
        .expect("a folder")
        .flatten()
        .next()
        .expect("a file");
    let mode = kept.metadata().expect("metadata").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(description(&project), "- s3cr3t");
}

#[test]
fn codex_has_its_servers_in_toml() {
    let project = project();
    project.file(
        "config.toml",
        "model = \"x\"\n[mcp_servers.s]\nurl = \"https://example.org/mcp\"\nbearer_token_env_var = \"T\"\n\
         enabled_tools = [\"a\"]\n",
    );
    mcp(&project, &["import", "config.toml"]).run().expect(
        77,
        str![[r#"
+ mcpServers:
+   s:
+     url: "https://example.org/mcp"
+     env: {}
+     headers:
+       Authorization: "Bearer ${T}"
not taken over:
  s in config.toml: enabled_tools
not set here, needed in .env or your environment:
  s: T

"#]],
        NO_TERMINAL,
    );
    assert!(!project.path(".cogtoolrc.yaml").exists());
    mcp(&project, &["import", "nothing"]).run().fails(2, str![[r#"
cogtools-mcp: error[USAGE]: nothing: neither a host nor a file
hint: name a file, or one of claude-code, claude-desktop, cursor, vscode, codex, opencode, qwen, copilot, goose, crush, zed, antigravity, gemini, windsurf

"#]]);
}

#[test]
fn a_server_is_tried_shown_and_added_and_removed() {
    let project = project();
    let add = ["add", "s", "--env", "API_TOKEN=s3cr3t", "--env", "MODE=m"];
    let command = ["--", "python3", "server.py"];
    mcp(&project, &add).args(command).run().expect(
        77,
        str![[r#"
starts python3 server.py
sets 'API_TOKEN=${API_TOKEN}' 'MODE=m'
sees API_TOKEN
may read the project
may write nothing
may use the network
1 tool: t
+ mcpServers:
+   s: {command: python3, args: [server.py], env: {API_TOKEN: "${API_TOKEN}", MODE: m}}

"#]],
        NO_TERMINAL,
    );
    assert!(!project.path(".cogtoolrc.yaml").exists());
    assert!(!project.read(Project::TRUST).contains("command:s"));
    mcp(&project, &add)
        .arg("--yes")
        .args(command)
        .run()
        .outputs(str![[r#"
starts python3 server.py
sets 'API_TOKEN=${API_TOKEN}' 'MODE=m'
sees API_TOKEN
may read the project
may write nothing
may use the network
1 tool: t
+ mcpServers:
+   s: {command: python3, args: [server.py], env: {API_TOKEN: "${API_TOKEN}", MODE: m}}
NAME  TOKENS
t         25
1 tool, about 25 tokens with every request
kept in a file that only you can read: API_TOKEN

"#]]);
    assert_text(
        project.read(".cogtoolrc.yaml"),
        str![[r#"
mcpServers:
  s: {command: python3, args: [server.py], env: {API_TOKEN: "${API_TOKEN}", MODE: m}}

"#]],
    );
    mcp(&project, &["list"]).run().outputs(str![[r#"
NAME  FROM     STATE     RUNS
s     project  approved  python3 server.py

"#]]);
    mcp(&project, &["test", "s"]).run().outputs(str![[r#"
NAME  TOKENS
t         25
1 tool, about 25 tokens with every request

"#]]);
    mcp(&project, &add).args(command).run().fails(
        2,
        str![[r#"
cogtools-mcp: error[USAGE]: s: there is a server of that name
hint: cogtools mcp remove s removes it

"#]],
    );
    mcp(&project, &["remove", "t"]).run().fails(
        2,
        str![[r#"
cogtools-mcp: error[USAGE]: t: `mcpServers` in .cogtoolrc.yaml has no server of that name
hint: one under `tool_sources` is removed there

"#]],
    );
    mcp(&project, &["remove", "s"]).run().outputs(str![[r#"
removed s from .cogtoolrc.yaml

"#]]);
    assert!(!project.read(Project::TRUST).contains("command:s"));
    assert_eq!(project.read(".cogtoolrc.yaml"), "");
}

#[test]
fn what_the_sandbox_denies_is_proposed() {
    let project = project();
    let add = ["add", "s", "--", "python3", "server.py", "writes", "more"];
    mcp(&project, &add).run().expect(
        77,
        str![[r#"
its sandbox denied writing ~/.mine; with it:
starts python3 server.py writes more
may read the project
may write ~/.mine
may use the network

"#]],
        NO_TERMINAL,
    );
    let config = "mcpServers: {s: {command: python3, args: [server.py, writes, more]}}\n";
    project.file(".cogtoolrc.yaml", config);
    let trust = run("cogtools", &project).args(["trust", "--yes", "s"]);
    trust.run().status(1).stderr_contains(
        "hint: its sandbox denies writing ~/.mine: add `sandbox: {write: [~/.mine]}`\n",
    );
    project.remove(".cogtoolrc.yaml");
    mcp(&project, &add[..2])
        .args(["--yes"])
        .args(&add[2..])
        .run()
        .stdout_contains("1 tool,");
    let entry = r#"sandbox: {write: ["~/.mine", "~/.other"]}"#;
    assert!(project.read(".cogtoolrc.yaml").contains(entry));
    project.remove(".cogtoolrc.yaml");
    mcp(&project, &["add", "s", "--yes"])
        .args(["--write", "~/.mine", "--write", "~/.other"])
        .args(&add[2..])
        .run()
        .stdout_is(str![[r#"
starts python3 server.py writes more
may read the project
may write ~/.mine ~/.other
may use the network
1 tool: t
+ mcpServers:
+   s: {command: python3, args: [server.py, writes, more], sandbox: {write: ["~/.mine", "~/.other"]}}
NAME  TOKENS
t         23
1 tool, about 23 tokens with every request

"#]]);
}

/// A server that exits without a message when its sandbox denies a file.
#[test]
#[cfg(target_os = "linux")]
fn what_the_sandbox_denies_to_a_silent_server_is_traced() {
    let project = project();
    let silent = r#"import os, sys
settings = os.path.expanduser("~/.settings")
try:
    os.makedirs(os.path.expanduser("~/.silent/db"), exist_ok=True)
    if os.path.exists(settings) and not open(settings).read():
        raise OSError
    if not os.path.exists(settings):
        raise OSError
except OSError:
    sys.exit(3)
"#;
    project.file("server.py", format!("{silent}{SERVER}"));
    let home = project.home();
    std::fs::write(home.join(".settings"), "x").unwrap();
    let command = ["--", "python3", "server.py"];
    let added = mcp(&project, &["add", "s", "--yes"]).args(command).run();
    added.stdout_contains("its sandbox denied writing ~/.silent; with it:\n");
    added.stdout_contains("its sandbox denied reading ~/.settings; with it:\n");
    added.stdout_contains("1 tool,");
    let entry = r#"sandbox: {write: ["~/.silent"], read: ["~/.settings"]}"#;
    let config = project.read(".cogtoolrc.yaml");
    assert!(config.contains(entry), "{config}");
    let less = config.replace(r#", read: ["~/.settings"]"#, "");
    project.file(".cogtoolrc.yaml", less);
    let trust = run("cogtools", &project).args(["trust", "--yes", "s"]);
    trust.run().status(1);
    mcp(&project, &["test", "s"]).run().fails(
        1,
        str![[r#"
cogtools-mcp: error[TOOL_FAILED]: the MCP server `s` exited with status 3 before it answered `initialize`
hint: its sandbox denies reading ~/.settings: add `sandbox: {read: [~/.settings]}`

"#]],
    );
}

#[test]
fn a_server_fills_in_its_defaults() {
    let project = project();
    let server = SERVER
        .replace(
            r#""inputSchema": {"type": "object"}"#,
            r#""inputSchema": {"type": "object", "properties": {"a": {"type": "string", "default": None}}}"#,
        )
        .replace(
            r#"    }.get("#,
            r#"        "tools/call": {"content": [{"type": "text", "text": str(request["params"].get("arguments"))}]},
    }.get("#,
        );
    project.file("server.py", server);
    mcp(
        &project,
        &["add", "s", "--yes", "--", "python3", "server.py"],
    )
    .run()
    .succeeds();
    let call = run("cogtools-call", &project).args(["t"]).stdin("{}");
    call.run().outputs(str![[r#"
{}
"#]]);
}

#[test]
fn a_server_that_fails_is_not_added() {
    let project = project();
    let add = ["add", "s", "--yes", "--", "python3", "server.py", "fails"];
    mcp(&project, &add).run().fails(1, str![[r#"
cogtools-mcp: error[TOOL_FAILED]: the MCP server `s` exited with status 1 before it answered `initialize`
  | no such luck
hint: its sandbox may be why: --read PATH and --write PATH permit more

"#]]);
    assert!(!project.path(".cogtoolrc.yaml").exists());
}

/// A source of the project with the name of the added server was not shown.
#[test]
fn only_the_server_that_was_shown_is_approved() {
    let project = project();
    project
        .file("../home/server.py", SERVER)
        .file("d", "echo >> ran; echo '[]'\n")
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{command: {discover: [sh, ./d], call: [sh, ./d], name: s, sandbox: {write: [.]}}}]\n",
        );
    let script = project.home().join("server.py").display().to_string();
    mcp(
        &project,
        &["add", "s", "--user", "--yes", "--", "python3", &script],
    )
    .run()
    .stdout_contains("1 tool: t\n");
    run("cogtools-discover", &project).run().status(0);
    assert!(!project.path("ran").exists());
}

/// Files of the project are not for the user's configuration, and a broken one is not in the way.
#[test]
fn the_user_takes_over_the_servers_of_the_user() {
    let project = project();
    project
        .file(
            ".mcp.json",
            r#"{"mcpServers": {"theirs": {"command": "a"}}}"#,
        )
        .file(
            "../home/.cursor/mcp.json",
            r#"{"mcpServers": {"mine": {"command": "b"}}}"#,
        )
        .file(
            "../home/.gemini/settings.json",
            r#"{"mcpServers": {"old": {"type": "sse", "url": "https://example.org/sse"}}}"#,
        )
        .file("../home/.claude.json", "{");
    let outcome = mcp(&project, &["import", "--user", "--yes"]).run();
    outcome.status(78).stdout_contains("+     command: b\n");
    outcome.stdout_contains("the transport `sse` is not supported, only `http`");
    outcome.stderr_contains("[HOME]/.claude.json");
    let config = project.read("../home/.gemini/cogtoolrc.yaml");
    assert_eq!(config, "mcpServers:\n  mine:\n    command: b\n");
}

#[test]
fn a_transport_that_is_not_supported_is_named() {
    let project = project();
    let server = json!({"type": "sse", "url": "http://127.0.0.1:1/sse"});
    let servers = json!({"mcpServers": {"old": server}});
    project.file("../home/.gemini/cogtoolrc.yaml", servers.to_string());
    run("cogtools-discover", &project).run().expect(0, "[]\n", str![[r#"
cogtools-discover: warning[INVALID_CONFIG]: the provider `old` has the type `sse`, a transport that is not supported
hint: name the URL of its streamable HTTP transport, which most servers have at `/mcp`, without `type`

"#]]);
}

/// The doctor writes the key for a file that the sandbox has denied; the server needs another approval.
#[test]
fn the_doctor_permits_what_a_sandbox_has_denied() {
    let project = project();
    let config = "# ours\nmcpServers:\n  s: {command: python3, args: [server.py, writes]}\n";
    project.file(".cogtoolrc.yaml", config);
    let trust = || {
        run("cogtools", &project)
            .args(["trust", "--yes", "s"])
            .run()
    };
    trust().status(1);
    let doctor = |args: &[&str]| run("cogtools-doctor", &project).args(args).run();
    let found = doctor(&[]);
    found.stdout_contains("its sandbox denies writing ~/.mine: add `sandbox: {write: [~/.mine]}`");
    found.stdout_contains("fix: cogtools doctor --fix");
    doctor(&["--fix"]).stdout_contains("fixed .cogtoolrc.yaml");
    assert_text(
        project.read(".cogtoolrc.yaml"),
        str![[r#"
# ours
mcpServers:
  s: {command: python3, args: [server.py, writes], sandbox: {write: ["~/.mine"]}}

"#]],
    );
    run("cogtools-discover", &project)
        .run()
        .stderr_contains("has changed since it was approved");
    trust().succeeds();
}

/// A client without forms cannot answer, and nothing is called.
#[test]
fn a_tool_that_asks_is_not_called_unasked() {
    let project = project();
    project.file("../home/server.py", SERVER);
    let server = project.home().join("server.py").display().to_string();
    let servers = json!({"mcpServers": {"s": {
        "command": "python3", "args": [server], "ask": true, "wait": 30,
    }}});
    project.file("../home/.gemini/cogtoolrc.yaml", servers.to_string());
    let mut session = super::Session::open(&project);
    let id = session.call("t", &json!({}));
    let (text, is_error) = session.text(id);
    assert!(
        is_error && text.contains("its source says `ask: true`"),
        "{text}"
    );
    session.hang_up();
    session.end();
    let list = run("cogtools-list", &project).run();
    list.stdout_contains("asks before each call");
}

/// Keeps one secret in a file, as secret-tool does in the keyring, unless that is locked.
#[cfg(target_os = "linux")]
const SECRET_TOOL: &str = "#!/bin/sh
echo \"$@\" >> \"$HOME/arguments\"
[ -e \"$HOME/locked\" ] && exit 1
case $1 in
store) cat > \"$HOME/secret\" ;;
lookup) cat \"$HOME/secret\" ;;
clear) rm \"$HOME/secret\" ;;
esac
";

/// A run of a program where secret-tool is [`SECRET_TOOL`]: PATH does not count, so it is below `/run`
/// of a mount namespace, where NixOS has it.
#[cfg(target_os = "linux")]
fn with_keyring(project: &Project, program: &str, args: &[&str]) -> Run {
    let script = "mount -t tmpfs none /run && mkdir -p /run/current-system/sw/bin &&\n\
        cp \"$1\" /run/current-system/sw/bin/secret-tool && shift && exec \"$@\"";
    let tool = project.file("secret-tool", SECRET_TOOL).path("secret-tool");
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let [tool, program] =
        [tool, crate::programs().join(program)].map(|it| it.display().to_string());
    Run::new("/usr/bin/unshare")
        .project(project)
        .env("XDG_RUNTIME_DIR", project.home())
        .args(["-rm", "sh", "-c", script, "sh", &tool, &program])
        .args(args)
}

#[cfg(target_os = "linux")]
#[test]
fn secrets_are_in_the_keyring_or_else_in_a_private_file() {
    let project = project();
    let home = |file: &str| project.home().join(file);
    let add = [
        "add",
        "s",
        "--env",
        "API_TOKEN=s3cr3t",
        "--yes",
        "--",
        "python3",
        "server.py",
    ];
    let mcp = |args: &[&str]| with_keyring(&project, "cogtools-mcp", args).run();
    let declared = || {
        let discover = with_keyring(&project, "cogtools-discover", &["--refresh"]);
        discover.run().json()[0]["description"].clone()
    };
    let private = || {
        let folder = std::fs::read_dir(home(".local/state/cogtools/variables"));
        let mut files = folder.expect("a folder").flatten();
        let file = files.next().expect("a file");
        let mode = file.metadata().expect("metadata").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::read_to_string(file.path()).expect("text")
    };

    let added = mcp(&add);
    added
        .status(0)
        .stdout_contains("kept in the keyring: API_TOKEN\n");
    assert_text(
        project.read(".cogtoolrc.yaml"),
        str![[r#"
mcpServers:
  s: {command: python3, args: [server.py], env: {API_TOKEN: "${API_TOKEN}"}}

"#]],
    );
    assert_eq!(project.read("../home/secret"), r#"{"API_TOKEN":"s3cr3t"}"#);
    assert!(!private().contains("s3cr3t"));
    assert_eq!(declared(), "- s3cr3t");
    mcp(&["remove", "s"]).status(0);
    assert!(!home("secret").exists());

    project.file("../home/locked", "");
    let added = mcp(&add);
    added
        .status(0)
        .stdout_contains("kept in a file that only you can read: API_TOKEN\n");
    assert!(private().contains("s3cr3t"));
    assert_eq!(declared(), "- s3cr3t");
    mcp(&["remove", "s"]).status(0);
    let left = std::fs::read_dir(home(".local/state/cogtools/variables"));
    assert_eq!(left.expect("a folder").count(), 0);

    let arguments = project.read("../home/arguments");
    assert!(arguments.starts_with("store --label=cogtools: s service cogtools-mcp server "));
    assert!(!arguments.contains("s3cr3t"), "{arguments}");
}
