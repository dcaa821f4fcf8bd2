//! Agent Plugins as sources: their servers, their skills, and what they may not do.

use std::os::unix::fs::symlink;

use cogtools_test_support::{FakeGemini, Outcome, Project, Snapshot, Turn, str};
use serde_json::{Value, json};

use crate::mcp::http::Service;
use crate::output_schema::conforms;
use crate::run;

const SCHEMAS: &str = "https://agent-plugins.org/schemas/1.0.0";

/// A server whose tool reports its working directory and what it can reach.
const SERVER: &str = r#"
import json, os, sys
def attempt(path):
    try:
        open(path, "w").close()
        return True
    except OSError:
        return False
def answer(method):
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "demo", "version": "1"}}
    if method == "tools/list":
        return {"tools": [{"name": "where", "description": "Where it runs",
                           "inputSchema": {"type": "object"}}]}
    root, data = os.environ["PLUGIN_ROOT"], os.environ["PLUGIN_DATA"]
    text = json.dumps({
        "cwd": os.getcwd() == os.path.realpath(root), "args": sys.argv[1] == root + "/data",
        "mode": os.environ["MODE"] == "at " + data, "has_manifest": os.path.exists("plugin.json"),
        "writes_data": attempt(data + "/x"), "writes_root": attempt(root + "/x"),
    })
    return {"content": [{"type": "text", "text": text}]}
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = {"jsonrpc": "2.0", "id": message["id"], "result": answer(message["method"])}
        print(json.dumps(result), flush=True)
"#;

fn servers(entries: &Value) -> String {
    json!({"$schema": format!("{SCHEMAS}/mcp.schema.json"), "mcpServers": entries}).to_string()
}

/// A project with the plugin `demo` in `vendor/demo`.
fn project() -> Project {
    let project = Project::new();
    let manifest = json!({"$schema": format!("{SCHEMAS}/plugin.schema.json"), "name": "demo"});
    let server = json!({
        "type": "stdio", "command": "python3",
        "args": ["server.py", "${PLUGIN_ROOT}/data"], "env": {"MODE": "at ${PLUGIN_DATA}"},
    });
    project
        .file("vendor/demo/plugin.json", manifest.to_string())
        .file("vendor/demo/mcp.json", servers(&json!({"main": server})))
        .file("vendor/demo/server.py", SERVER)
        .file(
            "vendor/demo/skills/forms/SKILL.md",
            "---\nname: forms\ndescription: Fills forms\n---\nRun scripts/fill.sh.\n",
        )
        .file(
            "vendor/demo/skills/forms/scripts/fill.sh",
            "echo \"filled $1\"\n",
        );
    project
}

fn add(project: &Project, args: &[&str]) -> Outcome {
    run("cogtools-add", project)
        .args(["./vendor/demo"])
        .args(args)
        .run()
}

fn call(project: &Project, tool: &str) -> Outcome {
    run("cogtools-call", project).arg(tool).stdin("{}").run()
}

#[test]
fn a_plugin_is_added_approved_and_called() {
    let project = project();
    add(&project, &[]).outputs(str![[r#"
added demo: 1 server, 1 skill
updated .cogtoolrc.yaml: tool_sources has ./vendor/demo
approve what it runs, after a review: cogtools trust provider:demo/main
approve what it runs, after a review: cogtools trust package:demo

"#]]);
    let source = "tool_sources: [{local: ./tools}, {plugin: ./vendor/demo}]\n";
    assert_eq!(project.read(".cogtoolrc.yaml"), source);
    // Before the approval, nothing of it has run.
    run("cogtools-discover", &project)
        .run()
        .stdout_is("[]\n")
        .stderr_is(str![[r#"
cogtools-discover: warning[INVALID_CONFIG]: the folder `tools` does not exist
hint: create it, or change `tool_sources` (cogtools config list --show-origin shows where)
cogtools-discover: warning[DENIED]: the provider `demo/main` is not approved yet
hint: review what it runs, then approve it: cogtools trust demo/main

"#]]);
    let sources = ["--yes", "provider:demo/main", "package:demo"];
    run("cogtools-trust", &project)
        .args(sources)
        .run()
        .status(0);
    call(&project, "where").outputs(str![[r#"{"cwd": true, "args": true, "mode": true, "has_manifest": true, "writes_data": true, "writes_root": false}"#]]);
    // A changed file of the plugin is not approved.
    project.file("vendor/demo/other.py", "x = 1\n");
    let refused = call(&project, "where");
    refused
        .stdout_is("")
        .stderr_contains("has changed since it was approved");
    assert!(!project.path("vendor/demo/x").exists());
}

#[test]
fn a_script_of_a_skill_in_a_plugin_runs_after_its_approval() {
    let project = project();
    add(&project, &[]).status(0);
    let ask = |expected: &str| {
        let script = json!({"name": "forms", "script": "fill.sh", "args": ["Ada"]});
        let fake = FakeGemini::start([Turn::call("run_skill_script", script), Turn::text("Done.")]);
        run("cogtools-ask", &project)
            .args(["-q", "--allow=run_skill_script", "Fill"])
            .env("GEMINI_API_KEY", "a-key-for-tests")
            .env("GOOGLE_GEMINI_BASE_URL", fake.url())
            .run()
            .status(0);
        let conversation = fake.finish();
        let requests = conversation.main();
        let system = requests[0].body["systemInstruction"].to_string();
        assert!(system.contains("- forms: Fills forms"), "{system}");
        let response = Value::from(
            requests[1]
                .responses()
                .into_iter()
                .cloned()
                .collect::<Vec<_>>(),
        )
        .to_string();
        assert!(response.contains(expected), "{response}");
    };
    ask("comes from the package `demo`, which is not approved yet");
    run("cogtools-trust", &project)
        .args(["--yes", "package:demo"])
        .run()
        .status(0);
    ask("filled Ada");
    let script = "vendor/demo/skills/forms/scripts/fill.sh";
    project.file(script, "echo changed\n");
    ask("comes from the package `demo`, which has changed since it was approved");
    // It would run what the words are rendered to.
    project.file(script, "#!/bin/{{'s'}}h\necho ran\n");
    ask("the path or the first line of `scripts/fill.sh` looks like a template");
}

#[test]
fn an_invalid_entry_costs_itself() {
    let project = project();
    project.file("secret.sh", "#!/bin/sh\necho secret\n");
    symlink("../../secret.sh", project.path("vendor/demo/linked.sh")).expect("a link");
    let stdio = |command: &str| json!({"type": "stdio", "command": command});
    let with = |key: &str, value: Value| {
        let mut server = stdio("python3");
        server[key] = value;
        server
    };
    project.file(
        "vendor/demo/mcp.json",
        servers(&json!({
            "absolute": stdio("/bin/sh"),
            "above": stdio("./../x"),
            "linked": stdio("./linked.sh"),
            "typed": {"command": "python3"},
            "extra": with("shell", true.into()),
            "number": with("env", json!({"PORT": 1})),
            "preload": with("env", json!({"LD_PRELOAD": "./x.so"})),
            "off": with("env", json!({"COGTOOLS_SANDBOX": "off"})),
            "reserved": with("env", json!({"PLUGIN_ROOT": "/"})),
            "cwd": with("cwd", "${PLUGIN_ROOT}/..".into()),
            "data": with("cwd", "${PLUGIN_DATA}/../..".into()),
            "neighbour": with("cwd", "${PLUGIN_DATA}x".into()),
            "sse": {"type": "sse", "url": "https://a.example/sse"},
            "file": {"type": "streamable-http", "url": "file:///etc/passwd"},
            "good": {"type": "streamable-http", "url": "https://a.example/mcp"},
            "good\u{1}": {"type": "streamable-http", "url": "https://a.example/mcp"},
            "good_": {"type": "streamable-http", "url": "https://b.example/mcp"},
        })),
    );
    let added = add(&project, &["--json"]);
    added.stderr_is(str![[r#"
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `above`: `command` is neither a name nor a file of the plugin
hint: report this to its author
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `absolute`: `command` is neither a name nor a file of the plugin
hint: report this to its author
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `cwd`: `cwd` is not a folder of the plugin
hint: report this to its author
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `data`: `cwd` is not a folder of the plugin
hint: report this to its author
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `extra`: unknown field `shell`, expected one of `command`, `args`, `env`, `cwd`
hint: report this to its author
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `file`: `url` begins with neither https:// nor http://
hint: report this to its author
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `good_`: another is the source `demo/good_`
hint: report this to its author
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `linked`: `command` is neither a name nor a file of the plugin
hint: report this to its author
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `neighbour`: `cwd` is not a folder of the plugin
hint: report this to its author
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `number`: invalid type: integer `1`, expected a string
hint: report this to its author
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `off`: `env` may not set COGTOOLS_SANDBOX
hint: report this to its author
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `preload`: `env` may not set LD_PRELOAD
hint: report this to its author
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `reserved`: `env` may not set PLUGIN_ROOT
hint: report this to its author
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `sse`: the transport sse is not supported, only stdio and streamable-http
hint: report this to its author
cogtools-add: warning[INVALID_CONFIG]: `vendor/demo/mcp.json` of a plugin: the server `typed`: missing field `type`
hint: report this to its author

"#]]);
    let added: Value = serde_json::from_slice(&added.stdout).expect("JSON");
    conforms("add", &added);
    assert_eq!(
        added,
        json!({
            "plugin": "demo", "servers": ["demo/good", "demo/good_"], "skills": ["forms"], "configured": true,
        })
    );
}

#[test]
fn a_folder_that_is_no_plugin_is_not_added() {
    let project = project();
    let check = |manifest: &str, expected: Snapshot| {
        project.file("vendor/demo/plugin.json", manifest);
        add(&project, &[]).fails(78, expected);
        assert!(!project.path(".cogtoolrc.yaml").exists());
    };
    check(
        "{}",
        str![[r#"
cogtools-add: error[INVALID_CONFIG]: ./vendor/demo: it is not a plugin: missing field `$schema` at line 1 column 2
hint: an Agent Plugin 1.0.0 has a plugin.json; npm installs packages by their names

"#]],
    );
    let manifest = |name: &str, more: &str| {
        format!(r#"{{"$schema": "{SCHEMAS}/plugin.schema.json", "name": "{name}"{more}}}"#)
    };
    check(
        &manifest("De mo", ""),
        str![[r#"
cogtools-add: error[INVALID_CONFIG]: ./vendor/demo: it is not a plugin: `name` is not one that the standard permits
hint: an Agent Plugin 1.0.0 has a plugin.json; npm installs packages by their names

"#]],
    );
    check(
        &manifest("demo", r#", "hooks": "x""#),
        str![[r#"
cogtools-add: error[INVALID_CONFIG]: ./vendor/demo: it is not a plugin: unknown field `hooks`, expected one of `$schema`, `name`, `version`, `description`, `author`, `homepage`, `repository`, `license`, `keywords`, `extensions` at line 1 column 97
hint: an Agent Plugin 1.0.0 has a plugin.json; npm installs packages by their names

"#]],
    );
    run("cogtools-add", &project).arg("./..").run().fails(
        78,
        str![[r#"
cogtools-add: error[INVALID_CONFIG]: ./..: it is not a folder in the project
hint: copy the plugin, as to ./vendor

"#]],
    );
}

#[test]
fn the_command_that_approves_is_for_the_shell_of_the_user() {
    let project = project();
    let elsewhere = run("cogtools-add", &project).cwd(project.path("vendor"));
    let added = elsewhere.args(["-C", "..", "./vendor/demo"]).run();
    added
        .status(0)
        .stdout_contains("cogtools -C .. trust provider:demo/main\n");
}

#[test]
fn a_plugin_hides_no_sources_of_another_file() {
    let project = project();
    let manifest = "{\"cogtools\": {\"tool_sources\": [{\"local\": \"other\"}]}}\n";
    project.file("package.json", manifest);
    add(&project, &[]).fails(
        78,
        str![[r#"
cogtools-add: error[INVALID_CONFIG]: `tool_sources` is set in package.json, without `{"plugin":"./vendor/demo"}`
hint: add `{"plugin":"./vendor/demo"}` to that list, then run this again

"#]],
    );
    assert!(!project.path(".cogtoolrc.yaml").exists());
}

/// The project has another file of the same name.
#[test]
fn the_review_of_a_plugin_shows_its_own_files() {
    let project = project();
    project.file("server.py", "print('harmless')\n");
    add(&project, &[]).status(0);
    let review = run("cogtools-trust", &project).args(["--dry-run", "demo/main"]);
    let review = review.run();
    review.status(0).stdout_contains("vendor/demo/server.py (");
    assert!(!String::from_utf8_lossy(&review.stdout).contains("harmless"));
}

#[test]
fn a_server_starts_in_a_folder_for_its_data() {
    let project = project();
    let server = json!({
        "type": "stdio", "command": "python3", "cwd": "${PLUGIN_DATA}/work/deep",
        "args": ["${PLUGIN_ROOT}/server.py", "${PLUGIN_ROOT}/data"],
        "env": {"MODE": "at ${PLUGIN_DATA}"},
    });
    let servers = servers(&json!({"main": server}));
    project.file("vendor/demo/mcp.json", servers);
    add(&project, &["--yes"]).status(0);
    call(&project, "where").outputs(str![[r#"{"cwd": false, "args": true, "mode": true, "has_manifest": false, "writes_data": true, "writes_root": false}"#]]);
    // A link that the server has left there is not followed.
    let plugins = project.home().join(".local/state/cogtools/plugins");
    let data = plugins.read_dir().expect("a folder").next();
    let work = data
        .expect("of the server")
        .expect("an entry")
        .path()
        .join("work");
    std::fs::remove_dir_all(&work).expect("it is there");
    symlink(project.root(), &work).expect("a link");
    call(&project, "where")
        .status(74)
        .stderr_contains("/work`, for data of a plugin, cannot be used: not a directory");
    assert!(!project.path("deep").exists());
}

#[test]
fn a_server_of_a_plugin_is_behind_a_url() {
    let elsewhere = Project::new();
    elsewhere.file(
        "tools/hello.yaml",
        "name: hello\ndescription: d\nimplementation: Hello!\n",
    );
    let service = Service::start(&elsewhere, &[]);
    let project = project();
    let server = json!({"type": "streamable-http", "url": service.url, "headers": {"X-A": "b"}});
    project.file("vendor/demo/mcp.json", servers(&json!({"main": server})));
    let refused = add(&project, &[]);
    refused.stdout_contains("cogtools trust provider:demo/main");
    call(&project, "hello")
        .status(127)
        .stderr_contains("not approved yet");
    add(&project, &["--yes"]).status(0);
    call(&project, "hello").outputs("Hello!");
}

#[test]
fn two_plugins_of_one_name_are_reported() {
    let project = project();
    project
        .file(
            "vendor/other/plugin.json",
            project.read("vendor/demo/plugin.json"),
        )
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [plugin: ./vendor/demo, plugin: ./vendor/other]\n",
        );
    run("cogtools-discover", &project)
        .arg("--strict")
        .run()
        .fails(
            78,
            str![[r#"
cogtools-discover: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:39: two plugins are named `demo`
   |
 1 | tool_sources: [plugin: ./vendor/demo, plugin: ./vendor/other]
   |                                       ^^^^^^^^^^^^^^^^^^^^^^
hint: remove one of them

"#]],
        );
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources:\n  - mcp: {name: demo/main, command: x}\n  - plugin: ./vendor/demo\n",
    );
    run("cogtools-discover", &project)
        .arg("--strict")
        .run()
        .fails(
            78,
            str![[r#"
cogtools-discover: error[INVALID_CONFIG]: .cogtoolrc.yaml:3:5: two providers are named `demo/main`
   |
 3 |   - plugin: ./vendor/demo
   |     ^^^^^^^^^^^^^^^^^^^^^
hint: give one of them another `name`

"#]],
        );
}

#[test]
fn a_plugin_is_removed() {
    let project = project();
    let remove = |subject: &str| run("cogtools-remove", &project).arg(subject).run();
    add(&project, &[]).status(0);
    remove("./vendor/demo").outputs(str![[r#"
removed ./vendor/demo
updated .cogtoolrc.yaml: tool_sources no longer has ./vendor/demo

"#]]);
    let config = project.read(".cogtoolrc.yaml");
    assert_eq!(config, "tool_sources: [{local: ./tools}]\n");
    remove("./vendor/demo").fails(
        2,
        str![[r#"
cogtools-remove: error[USAGE]: ./vendor/demo: tool_sources has no plugin in this folder
hint: cogtools config list --show-origin shows the sources

"#]],
    );
    // By a link to it, which is not what the list has.
    symlink("demo", project.path("vendor/link")).expect("a link");
    let link = run("cogtools-add", &project).arg("./vendor/link").run();
    link.status(0)
        .stdout_contains("tool_sources has ./vendor/demo\n");
    remove("./vendor/link").status(0);
    // By its name, and when its files are gone.
    add(&project, &[]).status(0);
    remove("demo").outputs(str![[r#"
removed demo
updated .cogtoolrc.yaml: tool_sources no longer has ./vendor/demo

"#]]);
    add(&project, &[]).status(0);
    std::fs::remove_dir_all(project.path("vendor/demo")).expect("it is there");
    remove("vendor/demo").status(0);
    assert_eq!(project.read(".cogtoolrc.yaml"), config);
}

#[test]
fn a_plugin_that_was_removed_is_not_approved() {
    let project = project();
    add(&project, &["--yes"]).status(0);
    run("cogtools-remove", &project).arg("demo").run().status(0);
    add(&project, &[]).status(0);
    let listed = run("cogtools-trust", &project).arg("--list").run();
    let listed = listed.text();
    assert_eq!(listed.matches("not approved").count(), 2, "{listed}");
}

/// The message was that it is not there, or that npm should remove it.
#[test]
fn a_plugin_in_the_list_of_another_file_is_not_denied() {
    for (file, text) in [
        (
            "package.json",
            r#"{"cogtools": {"tool_sources": [{"plugin": "./vendor/demo"}]}}"#,
        ),
        (
            ".gemini/cogtoolrc.yaml",
            "tool_sources: [{plugin: ../vendor/demo}]\n",
        ),
    ] {
        let project = project();
        project.file(file, text);
        for subject in ["./vendor/demo", "demo"] {
            run("cogtools-remove", &project).arg(subject).run().fails(
                78,
                format!(
                    "cogtools-remove: error[INVALID_CONFIG]: {subject}: `tool_sources` is set in \
                     {file}, with this plugin\nhint: remove it from that list\n"
                ),
            );
        }
    }
}

/// A name from elsewhere could hide the rest of the line.
#[test]
fn a_name_of_a_folder_is_shown_without_its_control_characters() {
    let project = project();
    let folder = "vendor/e\u{1b}[31mred\u{202e}gnp";
    std::fs::rename(project.path("vendor/demo"), project.path(folder)).expect("one folder");
    let added = run("cogtools-add", &project)
        .arg(format!("./{folder}"))
        .run();
    added.status(0);
    let removed = run("cogtools-remove", &project)
        .arg(format!("./{folder}"))
        .run();
    removed.status(0);
    for text in [added.text(), removed.text()] {
        assert!(
            text.contains("red") && !text.contains(['\u{1b}', '\u{202e}']),
            "{text:?}"
        );
    }
}

/// A project with the plugin whose server is started so.
fn started(server: &Value) -> Project {
    let project = project();
    let mut entry = json!({
        "type": "stdio", "command": "python3", "env": {"MODE": "at ${PLUGIN_DATA}"},
    });
    for (key, value) in server.as_object().into_iter().flatten() {
        entry[key] = value.clone();
    }
    project.file("vendor/demo/mcp.json", servers(&json!({"main": entry})));
    project
}

fn refuses(project: &Project, reason: &str) {
    call(project, "where").stdout_is("").stderr_contains(reason);
}

/// The packages that are installed in it are its files, too, whatever names them.
#[test]
fn every_file_of_a_plugin_is_covered() {
    let data = "${PLUGIN_ROOT}/data";
    for (server, file) in [
        (json!(["${PLUGIN_ROOT}/node_modules/x/s.py", data]), "s.py"),
        (json!(["./node_modules/x/s.py", data]), "s.py"),
        (
            json!(["${PLUGIN_ROOT}/node_modules/x/s.py", data]),
            "dependency.py",
        ),
        (json!(["server.py", data]), "new.py"),
    ] {
        let project = started(&json!({"args": server}));
        let folder = "vendor/demo/node_modules/x";
        project
            .file(format!("{folder}/s.py"), SERVER)
            .file(format!("{folder}/dependency.py"), "x = 1\n");
        add(&project, &["--yes"]).status(0);
        call(&project, "where")
            .status(0)
            .stdout_contains("\"args\": true");
        project.file(format!("{folder}/{file}"), "x = 2\n");
        refuses(&project, "has changed since it was approved");
    }
}

#[test]
fn packages_of_a_plugin_that_are_too_many_are_named() {
    let args = json!(["${PLUGIN_ROOT}/node_modules/x/s.py", "${PLUGIN_ROOT}/data"]);
    let project = started(&json!({"args": args}));
    project.file("vendor/demo/node_modules/x/s.py", SERVER);
    for index in 0..4_096 {
        project.file(format!("vendor/demo/node_modules/y/{index}"), "");
    }
    add(&project, &["--yes"])
        .status(0)
        .stdout_contains("  unhashed  files outside `vendor/demo/node_modules/x` (may be loaded");
    call(&project, "where")
        .status(0)
        .stdout_contains("\"args\": true");
    project.file("vendor/demo/node_modules/x/s.py", "x = 2\n");
    refuses(&project, "has changed since it was approved");

    let project = started(&json!({"args": ["server.py", "${PLUGIN_ROOT}/data"]}));
    for index in 0..4_096 {
        project.file(format!("vendor/demo/node_modules/y/{index}"), "");
    }
    // For the server, and for the package with the scripts of its skills.
    let added = add(&project, &["--yes"]);
    let review = String::from_utf8_lossy(&added.stdout);
    let line = "  unhashed  vendor/demo/node_modules (may be loaded from the project)\n";
    assert_eq!(review.matches(line).count(), 2, "{review}");
    added.status(0);
}

#[test]
fn a_plugin_that_is_too_large_does_not_run() {
    let project = project();
    add(&project, &["--yes"]).status(0);
    for index in 0..4_100 {
        project.file(format!("vendor/demo/assets/{index}"), "");
    }
    let reason = "vendor/demo` is too large to be approved: more than 4096 files or 64 MiB";
    refuses(&project, reason);
    add(&project, &["--yes"]).status(77).stderr_contains(reason);
    refuses(&project, reason);
}

/// The command is in the plugin, and its arguments are where it starts.
#[test]
fn the_review_shows_the_files_that_a_plugin_starts() {
    let project = started(&json!({
        "command": "./start", "cwd": "./sub", "args": ["server.py", "${PLUGIN_ROOT}/data"],
    }));
    project
        .program("vendor/demo/start", "#!/bin/sh\nexec python3 \"$@\"\n")
        .file("vendor/demo/server.py", "raise SystemExit(1)\n")
        .file("vendor/demo/sub/server.py", SERVER);
    add(&project, &["--yes"])
        .status(0)
        .stdout_contains("  file      vendor/demo/start (")
        .stdout_contains("  file      vendor/demo/sub/server.py (");
    call(&project, "where")
        .status(0)
        .stdout_contains("\"args\": true");
}

#[test]
fn a_lock_pins_the_programs_of_a_plugin() {
    let project = project();
    project.dir("tools");
    add(&project, &["--yes"]).status(0);
    let lock = |args: &[&str]| run("cogtools-lock", &project).args(args).run();
    lock(&[]).status(0);
    assert!(
        !project
            .read("cogtools.lock")
            .contains(&*project.root().to_string_lossy())
    );
    lock(&["--check"]).status(0);
    project.file("vendor/demo/other.py", "x = 1\n");
    run("cogtools-trust", &project)
        .args(["--yes", "demo/main"])
        .run()
        .status(0);
    lock(&["--check"])
        .status(78)
        .stderr_contains("the implementation has changed");
    let locked = run("cogtools-call", &project).args(["--locked", "where"]);
    let locked = locked.stdin("{}").run();
    locked
        .status(77)
        .stderr_contains("the implementation has changed");
}

#[test]
fn a_plugin_and_a_package_of_one_name_are_two_sources() {
    let project = project();
    project
        .file("package.json", r#"{"dependencies": {"demo": "1"}}"#)
        .file(
            "node_modules/demo/package.json",
            r#"{"cogtools": {"tools": ["tools"]}}"#,
        )
        .file(
            "node_modules/demo/tools/t.yaml",
            "name: t\ndescription: d\nimplementation: {exec: [echo, went]}\n",
        )
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{plugin: ./vendor/demo}, node_modules]\n",
        );
    let config = project.read(".cogtoolrc.yaml");
    let trust = |name: &str| run("cogtools-trust", &project).args(["--yes", name]).run();
    trust("package:demo").fails(
        2,
        str![[r#"
cogtools-trust: error[USAGE]: package:demo: the name is ambiguous: `package:demo@vendor/demo` or `package:demo@node_modules/demo`
hint: review and approve each by its whole name

"#]],
    );
    trust("package:demo@node_modules/demo").status(0);
    call(&project, "t").outputs("went\n");
    run("cogtools-remove", &project).arg("demo").run().fails(
        2,
        str![[r#"
cogtools-remove: error[USAGE]: demo: the name is ambiguous: a plugin and an npm package have it
hint: to remove the plugin, name its folder: cogtools remove ./vendor/demo
hint: to remove the package, run npm uninstall demo

"#]],
    );
    assert_eq!(project.read(".cogtoolrc.yaml"), config);
    run("cogtools-remove", &project)
        .arg("./vendor/demo")
        .run()
        .status(0);
}
