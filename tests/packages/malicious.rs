//! Malicious npm packages: misleading manifests, and files that change.

use std::process::Command;
use std::time::{Duration, Instant};

use cogtools_test_support::{Project, str};

use crate::run;

const OK: &str = "name: ok\ndescription: d\nimplementation: fine\n";
const DECLARED: &str = "[\n{\"name\":\"ok\",\"description\":\"d\",\"parametersJsonSchema\":{\"type\":\"object\",\"properties\":{}}}\n]\n";

/// A project with its own tool after the package `pk`, which has this file.
fn project(manifest: &str) -> Project {
    let project = Project::new();
    project
        .file("tools/ok.yaml", OK)
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [node_modules, {local: tools}]\n",
        )
        .file(
            "package.json",
            r#"{"dependencies": {"pk": "1", "gone": "1"}}"#,
        )
        .file("node_modules/pk/package.json", manifest);
    project
}

/// The project's own tool is declared and called, whatever the package does.
#[track_caller]
fn costs_nobody(project: &Project, diagnostic: &str) {
    let begin = Instant::now();
    let warnings = if diagnostic.is_empty() {
        String::new()
    } else {
        format!("cogtools-discover: warning{diagnostic}")
    };
    run("cogtools-discover", project)
        .run()
        .expect(0, DECLARED, warnings);
    run("cogtools-call", project)
        .arg("ok")
        .run()
        .outputs(str!["fine"]);
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[test]
fn packages_that_lie() {
    let hint = "hint: `\"cogtools\": {\"tools\": [\"tools\"]}` names folders of the package; report this to its author, or remove it\n";
    let unusable = |what: &str| {
        format!(
            "[INVALID_CONFIG]: the package `pk` cannot be used: `node_modules/pk/package.json`: {what}\n{hint}"
        )
    };
    let folder = |path: &str| unusable(&format!("`\"{path}\"` is not a folder inside the package"));
    for (manifest, diagnostic) in [
        ("", String::new()),
        ("{", String::new()),
        (r#"{"cogtools": {"tools": []}}"#, String::new()),
        (r#"{"cogtools": {}}"#, String::new()),
        (
            r#"{"cogtools": "#,
            unusable("not JSON: EOF while parsing a value at line 1 column 13"),
        ),
        (
            r#"{"cogtools": {"tools": "tools"}}"#,
            unusable("`cogtools.tools` is not a list of folders"),
        ),
        (
            r#"{"cogtools": {"tools": ["../../tools"]}}"#,
            folder("../../tools"),
        ),
        (r#"{"cogtools": {"tools": ["/etc"]}}"#, folder("/etc")),
        (
            r#"{"cogtools": {"tools": ["missing"]}}"#,
            unusable("the folder `missing` does not exist"),
        ),
    ] {
        costs_nobody(&project(manifest), &diagnostic);
    }
}

#[test]
fn a_manifest_of_twenty_megabytes_and_one_that_never_ends() {
    let large = format!(
        "{{\"cogtools\": {{\"tools\": [\"{}\"]}}}}",
        "x".repeat(20_000_000)
    );
    let project = project(&large);
    let outcome = run("cogtools-discover", &project).run();
    outcome.expect(0, DECLARED, str![[r#"
cogtools-discover: warning[INVALID_CONFIG]: the package `pk` cannot be used: `node_modules/pk/package.json`: larger than 4 MiB
hint: `"cogtools": {"tools": ["tools"]}` names folders of the package; report this to its author, or remove it

"#]]);
    project.remove("node_modules/pk/package.json");
    let made = Command::new("/usr/bin/mkfifo")
        .arg(project.path("node_modules/pk/package.json"))
        .status();
    assert!(made.expect("mkfifo is there").success());
    costs_nobody(&project, "");
}

#[test]
fn a_source_that_is_gone_at_the_call() {
    let project = project(r#"{"cogtools": {"tools": ["."]}}"#);
    let say = OK.replace("ok", "say");
    project.file("node_modules/pk/say.yaml", &say);
    run("cogtools-call", &project)
        .arg("say")
        .run()
        .outputs(str!["fine"]);
    project.file("node_modules/pk/say.yaml", say.replace("fine", "changed"));
    run("cogtools-call", &project)
        .arg("say")
        .run()
        .outputs(str!["changed"]);
    project.remove("node_modules/pk/say.yaml");
    run("cogtools-call", &project).arg("say").run().fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: say: no such tool
hint: cogtools-discover lists all tools

"#]],
    );
    costs_nobody(&project, "");
}

#[test]
fn the_first_tool_of_a_name_counts() {
    let project = project(r#"{"cogtools": {"tools": ["."]}}"#);
    project.file("node_modules/pk/ok.yaml", OK.replace("fine", "theirs"));
    run("cogtools-discover", &project)
        .arg("--verbose")
        .run()
        .expect(
            0,
            DECLARED,
            str![[r#"
cogtools-discover: tools/ok.yaml is shadowed by node_modules/pk/ok.yaml
cogtools-discover: 1 tool declared

"#]],
        );
    run("cogtools-call", &project)
        .arg("ok")
        .run()
        .outputs(str!["theirs"]);
}

/// Before: only the texts of providers lost them.
#[test]
fn what_a_package_hides_in_its_texts_is_removed_and_shown() {
    let project = project(r#"{"name": "pk", "cogtools": {"tools": ["tools"]}}"#);
    project.file(
        "node_modules/pk/tools/sly.yaml",
        "name: sly\ndescription: \"Say\\u202e \\U000e0041it\"\nparameters:\n  a: {type: string, \
         description: \"A\\u200bB\"}\nimplementation: \"{{ a }}\"\n",
    );
    let declared = run("cogtools-discover", &project).run();
    declared.stdout_contains(r#""description":"Say it""#);
    declared.stdout_contains(r#""description":"AB""#);
    let listed = run("cogtools-list", &project).run();
    listed.stdout_contains("removed hidden characters U+200B, U+202E, U+E0041");

    project.file(
        "node_modules/pk/tools/runs.yaml",
        "name: runs\ndescription: \"Run\\u2066 it\"\nimplementation: {exec: [echo]}\n",
    );
    let trust = || run("cogtools-trust", &project).args(["--dry-run", "pk"]);
    trust().run().stdout_contains("hidden    U+2066\n");
    trust()
        .arg("--json")
        .run()
        .stdout_contains("\"hidden\": [\n        \"U+2066\"");
}
