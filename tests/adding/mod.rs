//! `cogtools add`, `remove` and `search`, with the real npm and a registry on this machine.

mod registry;

use std::path::Path;
use std::process::Command;

use cogtools_test_support::{Project, Status, assert_text, str};
use serde_json::{Value, json};

use crate::distribution::directory_of;
use crate::output_schema::conforms;
use crate::pseudo_terminal::Terminal;
use registry::Registry;

const FACTS: (&str, &str) = (
    "tools/facts.yaml",
    "name: facts\ndescription: d\nimplementation: how do you know?\n",
);
const RUNS: (&str, &str) = (
    "tools/runs.yaml",
    "name: runs\ndescription: d\nimplementation: {exec: [echo, ran]}\n",
);

fn project() -> Project {
    let project = Project::new();
    project.file(".cogtoolrc.yaml", "# ours\nenv_priority: process\n");
    let own = "name: own\ndescription: d\nimplementation: own\n";
    project.file("tools/own.yaml", own);
    project
}

#[test]
fn a_package_is_added_and_removed() {
    let mut registry = Registry::new(project());
    registry.publish("@team/checks", &json!({}), &[FACTS]);
    registry
        .run(&["add", "@team/checks"])
        .run()
        .outputs(str![[r#"
added @team/checks: 1 tool
  facts
updated .cogtoolrc.yaml: tool_sources has node_modules

"#]]);
    assert_eq!(registry.tools(), "own facts");
    let config = registry.project.read(".cogtoolrc.yaml");
    assert_text(
        &config,
        str![[r#"
# ours
env_priority: process
tool_sources: [{local: ./tools}, node_modules]

"#]],
    );
    let manifest: Value =
        serde_json::from_str(&registry.project.read("package.json")).expect("JSON");
    assert_eq!(
        manifest,
        json!({"devDependencies": {"@team/checks": "^1.0.0"}})
    );
    // A second time changes nothing.
    registry
        .run(&["add", "@team/checks@1.0.0"])
        .run()
        .outputs(str![[r#"
added @team/checks: 1 tool
  facts

"#]]);
    assert_eq!(registry.project.read(".cogtoolrc.yaml"), config);

    registry.run(&["remove", "@team/check"]).run().fails(
        2,
        str![[r#"
cogtools-remove: error[USAGE]: @team/check: no package of that name has tools here
hint: did you mean `@team/checks`?
hint: npm uninstall removes packages without tools

"#]],
    );
    registry
        .run(&["remove", "@team/checks"])
        .run()
        .outputs(str![[r#"
removed @team/checks
updated .cogtoolrc.yaml: tool_sources no longer has node_modules

"#]]);
    assert_eq!(registry.tools(), "own");
    // What remains may be the user's own list.
    assert_eq!(
        registry.project.read(".cogtoolrc.yaml"),
        "# ours\nenv_priority: process\ntool_sources: [{local: ./tools}]\n"
    );
    assert!(!registry.project.path("node_modules/@team/checks").exists());
    let manifest: Value =
        serde_json::from_str(&registry.project.read("package.json")).expect("JSON");
    assert_eq!(manifest["devDependencies"], Value::Null);
}

#[test]
fn what_runs_programs_must_be_approved() {
    let mut registry = Registry::new(project());
    registry.publish("runner", &json!({}), &[RUNS]);
    registry.run(&["add", "runner"]).run().outputs(str![[r#"
added runner: 1 tool
  runs (runs programs)
updated .cogtoolrc.yaml: tool_sources has node_modules
approve what it runs, after a review: cogtools trust package:runner

"#]]);
    registry.run(&["run", "runs"]).run().fails(77, str![[r#"
cogtools-run: error[DENIED]: runs: it runs commands and comes from the package `runner`, which is not approved yet
hint: only the user can approve it, after reviewing what it runs: cogtools trust runner

"#]]);
    registry
        .run(&["add", "--yes", "runner"])
        .run()
        .outputs(str![[r#"
added runner: 1 tool
  runs (runs programs)
package runner, 1 tool running programs
  tool      runs (node_modules/runner/tools/runs.yaml)
  runs      echo ran
  program   /usr/bin/echo
  may       read the project; write nothing; not use the network
  file      package.json
  file      tools/runs.yaml
approved package runner

"#]]);
    registry.run(&["run", "runs"]).run().outputs(str![[r#"
ran

"#]]);
}

#[test]
fn scripts_of_packages_never_run() {
    let mut registry = Registry::new(project());
    let marker = registry.project.path("../home/ran");
    let touch = format!("touch {}", marker.display());
    let names = [
        "preinstall",
        "install",
        "postinstall",
        "prepare",
        "preuninstall",
        "uninstall",
    ];
    let scripts: Value = names.iter().map(|name| (*name, touch.clone())).collect();
    registry.publish("scripts", &json!({"scripts": scripts}), &[FACTS]);
    // Neither the user's nor the project's settings allow them.
    registry
        .project
        .file(".npmrc", "ignore-scripts=false\nforeground-scripts=true\n");
    registry.run(&["add", "scripts"]).run().succeeds();
    assert_eq!(registry.tools(), "own facts");
    registry.run(&["remove", "scripts"]).run().succeeds();
    assert!(!marker.exists());
}

#[test]
fn a_package_without_tools_is_not_installed() {
    let mut registry = Registry::new(project());
    registry.publish("plain", &json!({"cogtools": null}), &[]);
    let before = registry.project.files();
    registry.run(&["add", "plain"]).run().fails(
        127,
        str![[r#"
cogtools-add: error[TOOL_NOT_FOUND]: plain: its package.json names no folders of tools
hint: cogtools search finds packages with tools

"#]],
    );
    assert_eq!(registry.project.files(), before);
    // An archive is installed before it is read.
    let archive = registry.project.path("../home/registry/tarballs/plain.tgz");
    let bytes = std::fs::read(archive).expect("the archive");
    registry.project.file("plain.tgz", bytes);
    registry.run(&["add", "./plain.tgz"]).run().fails(
        127,
        str![[r#"
cogtools-add: error[TOOL_NOT_FOUND]: plain: its package.json names no folders of tools
hint: it was removed again; cogtools search finds packages with tools

"#]],
    );
    assert!(!registry.project.path("node_modules/plain").exists());
    let config = registry.project.read(".cogtoolrc.yaml");
    assert_eq!(config, "# ours\nenv_priority: process\n");
    registry
        .run(&["add", "absent"])
        .run()
        .status(1)
        .stderr_contains("npm: npm install exited with status 1");
}

#[test]
fn a_package_without_the_folder_that_it_names_says_so() {
    let mut registry = Registry::new(project());
    registry.publish("broken", &json!({"cogtools": {"tools": ["nope"]}}), &[]);
    registry.run(&["add", "broken"]).run().fails(
        78,
        str![[r#"
cogtools-add: error[INVALID_CONFIG]: the package `broken` cannot be used: `node_modules/broken/package.json`: the folder `nope` does not exist
hint: `"cogtools": {"tools": ["tools"]}` names folders of the package; report this to its author, or remove it
hint: it was removed again; cogtools search finds packages with tools

"#]],
    );
    assert!(!registry.project.path("node_modules/broken").exists());
}

/// A colleague has another configuration.
#[test]
fn the_users_own_list_does_not_configure_the_project() {
    let mut registry = Registry::new(project());
    registry.publish("checks", &json!({}), &[FACTS]);
    let own = "tool_sources: [node_modules]\n";
    registry.project.file("../home/.gemini/cogtoolrc.yaml", own);
    registry.run(&["add", "checks"]).run().outputs(str![[r#"
added checks: 1 tool
  facts
updated .cogtoolrc.yaml: tool_sources has node_modules

"#]]);
    let config = registry.project.read(".cogtoolrc.yaml");
    assert!(
        config.contains("tool_sources: [{local: ./tools}, node_modules]"),
        "{config}"
    );
}

/// Also in a fresh clone, which has no `node_modules`.
#[test]
fn a_dependency_of_the_user_stays_where_it_is() {
    let mut registry = Registry::new(project());
    registry.publish("checks", &json!({}), &[FACTS]).publish(
        "plain",
        &json!({"cogtools": {}}),
        &[],
    );
    let manifest = json!({"dependencies": {"checks": "^1.0.0", "plain": "^1.0.0"}});
    registry.project.file("package.json", manifest.to_string());
    registry
        .run(&["add", "plain"])
        .run()
        .status(127)
        .stderr_contains("hint: it is still installed, and no source of tools\n");
    registry.run(&["add", "checks"]).run().succeeds();
    let found = registry.project.read("package.json");
    let found: Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!(found, manifest);
}

/// A clone would be packed by a second npm, for which its own settings hold.
#[test]
fn a_dependency_in_a_git_repository_is_refused() {
    let mut registry = Registry::new(project());
    let project = &registry.project;
    let (clone, marker) = (project.path("../home/clone"), project.path("../home/ran"));
    let script = format!("#!/bin/sh\ntouch '{}'\nexec git \"$@\"\n", marker.display());
    let manifest = json!({
        "name": "cloned", "version": "1.0.0", "scripts": {"prepare": "true"},
        "devDependencies": {"other": format!("git+file://{}", clone.display())},
    });
    project
        .file("../home/clone/package.json", manifest.to_string())
        .file("../home/clone/.npmrc", "git=./evil.sh\n")
        .program("../home/clone/evil.sh", script);
    for args in [
        &["init", "-q"][..],
        &["add", "-A"],
        &[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "commit",
            "-qm",
            "1",
        ],
    ] {
        let git = Command::new("git")
            .arg("-C")
            .arg(&clone)
            .args(args)
            .status();
        assert!(git.expect("git is there").success());
    }
    let needs = json!({"cloned": format!("git+file://{}", clone.display())});
    registry.publish("checks", &json!({"dependencies": needs}), &[FACTS]);
    let before = registry.project.files();
    registry
        .run(&["add", "checks"])
        .run()
        .status(1)
        .stderr_contains("EALLOWGIT");
    assert!(!marker.exists());
    assert_eq!(registry.project.files(), before);
}

#[test]
fn a_list_that_cannot_be_changed_is_an_error_before_anything_is_installed() {
    let mut registry = Registry::new(project());
    registry.publish("checks", &json!({}), &[FACTS]);
    let config = "tool_sources: [\n  {local: ./tools}, # ours\n]\n";
    registry.project.file(".cogtoolrc.yaml", config);
    let before = registry.project.files();
    let add = registry.run(&["add", "checks"]).run();
    add.status(2).stderr_contains("nothing was written");
    assert_eq!(registry.project.files(), before);
}

#[test]
fn an_mcp_server_is_not_installed() {
    let mut registry = Registry::new(project());
    let sdk = json!({"@modelcontextprotocol/sdk": "^1.0.0"});
    let server = json!({"cogtools": null, "bin": "server.js", "dependencies": sdk});
    registry.publish("server", &server, &[("server.js", "#!/usr/bin/env node\n")]);
    let before = registry.project.files();
    registry.run(&["add", "server"]).run().fails(
        127,
        str![[r#"
cogtools-add: error[TOOL_NOT_FOUND]: server: it is an MCP server, and no package with tools
hint: cogtools mcp add NAME -- npx -y server

"#]],
    );
    assert_eq!(registry.project.files(), before);
}

#[test]
fn a_list_of_sources_elsewhere_is_not_replaced() {
    let registry = Registry::new(project());
    let manifest = "{\"cogtools\": {\"tool_sources\": [{\"local\": \"tools\"}]}}\n";
    registry.project.file("package.json", manifest);
    registry.run(&["add", "checks"]).run().fails(
        78,
        str![[r#"
cogtools-add: error[INVALID_CONFIG]: `tool_sources` is set in package.json, without `node_modules`
hint: add `node_modules` to that list, then run this again

"#]],
    );
    assert_eq!(registry.project.read("package.json"), manifest);
}

#[test]
fn tools_of_the_same_name_are_reported() {
    let mut registry = Registry::new(project());
    let own = (
        "tools/own.yaml",
        "name: own\ndescription: d\nimplementation: theirs\n",
    );
    let broken = ("tools/broken.yaml", "name: \u{1b}[2J\n");
    registry.publish("collides", &json!({}), &[FACTS, own, broken]);
    registry
        .run(&["add", "collides"])
        .run()
        .expect(0, str![[r#"
added collides: 3 tools
  broken (invalid)
  facts
  own (shadowed by tools/own.yaml)
updated .cogtoolrc.yaml: tool_sources has node_modules

"#]], str![[r#"
cogtools-add: warning[INVALID_TOOL]: node_modules/collides/tools/broken.yaml:1:7: unexpected character: `\u{1b}'
   |
 1 | name: ·[2J
   |       ^
hint: put text that begins with a special character in quotes

"#]]);
    registry.run(&["run", "own"]).run().outputs("own");
}

#[test]
fn only_names_of_packages_reach_npm() {
    let registry = Registry::new(project());
    for name in [
        "../x",
        "--prefix=/",
        "-g",
        "git+ssh://h/x",
        "http://h/x.tgz",
        "a b",
        "\u{1b}[2J",
    ] {
        let outcome = registry.run(&["add", "--", name]).run();
        let shown = name.escape_debug();
        outcome.fails(
            2,
            format!(
                "cogtools-add: error[USAGE]: `{shown}` is not the name of an npm package\n\
                 hint: write NAME or @SCOPE/NAME, with @VERSION if needed, or a path: ./NAME.tgz, \
                 or the folder of a plugin\n"
            ),
        );
    }
    // npm would install the file.
    registry.project.file("x.tgz", "").file("x.tar.gz", "");
    for (name, file) in [
        ("x.tgz", "x.tgz"),
        ("foo@x.tgz", "x.tgz"),
        ("@team/foo@x.tar.gz", "x.tar.gz"),
    ] {
        registry.run(&["add", name]).run().fails(
            2,
            format!(
                "cogtools-add: error[USAGE]: `{name}` is not the name of an npm package\n\
                 hint: did you mean `./{file}`?\n"
            ),
        );
    }
    assert!(!registry.project.path("package.json").exists());
}

#[test]
fn an_archive_is_added_by_its_path() {
    let mut registry = Registry::new(project());
    registry.publish("checks", &json!({}), &[FACTS]);
    let archive = registry
        .project
        .path("../home/registry/tarballs/checks.tgz");
    let bytes = std::fs::read(archive).expect("the archive");
    registry.project.file("checks.tar.gz", &bytes);
    registry.project.file("checks.tgz", bytes);
    let add = |path: &str| registry.run(&["add", path]).run();
    add("./checks.tgz").outputs(str![[r#"
added checks: 1 tool
  facts
updated .cogtoolrc.yaml: tool_sources has node_modules

"#]]);
    let manifest: Value =
        serde_json::from_str(&registry.project.read("package.json")).expect("JSON");
    assert_eq!(manifest["devDependencies"]["checks"], "file:checks.tgz");
    assert_eq!(registry.tools(), "own facts");
    add("./checks.tar.gz").status(0);
    add("./none.tgz").fails(
        74,
        str![[r#"
cogtools-add: error[IO_FAILED]: `./none.tgz` cannot be read: No such file or directory (os error 2)
hint: npm pack makes an archive of a package

"#]],
    );
}

#[test]
fn a_project_chooses_neither_npm_nor_its_settings() {
    let mut registry = Registry::new(project());
    registry.publish("checks", &json!({}), &[FACTS]);
    let evil = "#!/bin/sh\ntouch started\n";
    registry
        .project
        .program("node_modules/.bin/npm", evil)
        .program("bin/npm", evil);
    let bin = registry.project.path("bin");
    let modules = registry.project.path("node_modules/.bin");
    let add = || {
        registry
            .run(&["add", "checks"])
            .path(&bin)
            .path(&modules)
            .path("bin")
    };
    add().run().succeeds();
    assert!(!registry.project.path("started").exists());
    // Without trust npm does not even start.
    registry.project.file(
        "../home/.local/state/cogtools/trust.json",
        "{\"version\": 1, \"allowed\": {}}",
    );
    registry
        .project
        .file(".npmrc", "registry=http://127.0.0.1:9/\n");
    add().run().fails(77, str![[r#"
cogtools-add: error[DENIED]: the project is not trusted: its .npmrc and package.json tell npm what to do
hint: only the user can trust it, after a review: cogtools trust .

"#]]);
    registry.run(&["remove", "checks"]).run().fails(77, str![[r#"
cogtools-remove: error[DENIED]: the project is not trusted: its .npmrc and package.json tell npm what to do
hint: only the user can trust it, after a review: cogtools trust .

"#]]);
    registry.run(&["search", "checks"]).run().outputs(str![[r#"
NAME    VERSION  DESCRIPTION
checks  1.0.0    d

"#]]);
}

#[test]
fn packages_are_found_by_their_keyword() {
    let mut registry = Registry::new(project());
    let long = "\u{1b}]0;title\u{7}\u{202e}evil ".repeat(9);
    registry
        .publish("checks", &json!({"description": "Checks facts"}), &[FACTS])
        .publish(
            "hostile",
            &json!({"description": long, "version": "1\u{1b}[2J"}),
            &[FACTS],
        )
        .publish("other", &json!({"keywords": ["tool"]}), &[FACTS])
        .publish("$(touch x)", &json!({}), &[FACTS]);
    registry
        .run(&["search", "facts", "--", "--global"])
        .run()
        .outputs(str![[r#"
NAME     VERSION     DESCRIPTION
checks   1.0.0       Checks facts
hostile  1\u{1b}[2J  \u{1b}]0;title\u{7}\u{202e}evil \u{1b}]0;title\u{7}\u{202e}evil \u{1b}]0;title\u{7}\u{202e}evil \u{1b}]0;title\u{7}\u{202e}evil \u{1b}]0;titl…

"#]]);
    let found = registry
        .run(&["search", "--format", "json", "facts"])
        .run()
        .json();
    assert_eq!(
        found[0],
        json!({"name": "checks", "version": "1.0.0", "description": "Checks facts"})
    );
    let npm = registry.project.path("../home/.npmrc");
    std::fs::write(npm, "registry=http://127.0.0.1:9/\nfetch-retries=0\n").expect("written");
    let failed = registry.run(&["search", "facts"]).run();
    failed.status(1).stderr_contains(
        "cogtools-search: error[TOOL_FAILED]: npm: npm search exited with status 1",
    );
}

/// At a terminal, what the package runs is shown, and only `y` after that approves it.
#[test]
#[cfg(target_os = "linux")]
fn the_approval_is_asked_for_at_a_terminal() {
    for (early, answer, state, called) in [
        ("", "n\n", "not approved", false),
        ("y\n", "\n", "not approved", false),
        ("", "y\n", "approved", true),
    ] {
        let mut registry = Registry::new(project());
        registry.publish("runs", &json!({}), &[RUNS]);
        let folders = [directory_of("npm"), directory_of("node")];
        let folders: Vec<&Path> = folders.iter().map(AsRef::as_ref).collect();
        let mut terminal = Terminal::open_with(&registry.project, "cogtools add runs", &folders);
        terminal.type_keys(early).answer(
            "approve this package to run with your rights? [y/N]",
            answer,
        );
        let (_, text) = terminal.end("");
        let shown = text.find("runs      echo ran");
        let asked = text.find("approve this package");
        assert!(shown.is_some() && shown < asked, "{text}");
        assert!(
            text.contains("added runs: 1 tool\n  runs (runs programs)\n"),
            "{text}"
        );
        let list = registry.run(&["trust", "--format=json"]).run().json();
        let package = &list["sources"][1];
        assert_eq!(package["name"], "runs", "{list}");
        assert_eq!(package["state"], state, "{early:?} {answer:?}");
        let call = registry.run(&["run", "runs"]).run();
        assert_eq!(
            call.status == Status::Exit(0),
            called,
            "{early:?} {answer:?}"
        );
    }
}

#[test]
fn the_reports_for_programs_are_as_the_schema_says() {
    let mut registry = Registry::new(project());
    registry.publish("runner", &json!({}), &[RUNS]);
    let added = registry.run(&["add", "runner", "--json"]).run().json();
    conforms("add", &added);
    assert_eq!(added["tools"][0]["runs_programs"], true, "{added:#}");
    let found = registry.run(&["search", "runner", "--json"]).run().json();
    conforms("search", &found);
    let listed = registry.run(&["trust", "--list", "--json"]).run().json();
    conforms("trust", &listed);
    let removed = registry.run(&["remove", "runner", "--json"]).run().json();
    conforms("remove", &removed);
}
