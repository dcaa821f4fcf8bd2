//! Which directory is the project, and what its configuration may contain.

use std::process::Command;

use cogtools_test_support::str;

use crate::{project_with, run};

const OK: &str = "name: ok\ndescription: d\nimplementation: fine\n";
const DECLARED: &str = "[\n{\"name\":\"ok\",\"description\":\"d\",\"parametersJsonSchema\":{\"type\":\"object\",\"properties\":{}}}\n]\n";

#[test]
fn configuration_that_cannot_be_used() {
    let project = project_with("ok", OK);
    project.file(".cogtoolrc.yaml", "tool_source:\n  - local: tools\ntool_sources:\n  - tools\n  - mcp: {}\n  - lokal: x\n  - local: [a]\n  - mcp: {command: x}\n    tools: {}\n");
    let diagnostic = str![[r#"
PROGRAM: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:1: unknown key `tool_source`
   |
 1 | tool_source:
   | ^^^^^^^^^^^
hint: did you mean `tool_sources`?
PROGRAM: error[INVALID_CONFIG]: .cogtoolrc.yaml:4:5: a source must be a map such as `local: ./tools`, not a string
   |
 4 |   - tools
   |     ^^^^^
hint: write `- local: ./tools`
PROGRAM: error[INVALID_CONFIG]: .cogtoolrc.yaml:5:5: `mcp` needs `command` or `url`
   |
 5 |   - mcp: {}
   |     ^^^
hint: write `mcp: {command: npx, args: [-y, some-server]}` or `mcp: {url: https://…}`
PROGRAM: error[INVALID_CONFIG]: .cogtoolrc.yaml:6:5: `lokal` is not a kind of source
   |
 6 |   - lokal: x
   |     ^^^^^
hint: did you mean `local`?
PROGRAM: error[INVALID_CONFIG]: .cogtoolrc.yaml:7:12: `local` takes the path of a folder, not a list
   |
 7 |   - local: [a]
   |            ^^^
hint: write `- local: ./tools`
PROGRAM: error[INVALID_CONFIG]: .cogtoolrc.yaml:8:5: a source has one key
   |
 8 |   - mcp: {command: x}
   |     ^^^^^^^^^^^^^^^^^
hint: indent the others, to put them below `mcp`

"#]];
    for (program, arg) in [
        ("cogtools-discover", "--strict"),
        ("cogtools-list", "--json"),
    ] {
        let run = run(program, &project).arg(arg);
        run.redact(program, "PROGRAM").run().fails(78, diagnostic);
    }
}

#[test]
fn project_is_the_nearest_that_is_marked() {
    let project = project_with("ok", OK);
    let deep = |marker: &str| {
        run("cogtools-discover", &project)
            .args(["-C", "a/b"])
            .run()
            .outputs(marker);
    };
    project
        .dir("a/b")
        .file("package.json", "{\"cogtools\": {}}");
    deep(DECLARED);
    project.file("a/package.json", "{\"name\": \"cogtools\"}");
    deep(DECLARED);
    project.file("a/b/package.json", "{\"cogtools\": {}}");
    deep("[]\n");
    project.file("a/b/package.json", "{\"cogtools\": ");
    deep(DECLARED);
    project.remove("a/b/package.json");
    let made = Command::new("/usr/bin/mkfifo")
        .arg(project.path("a/b/package.json"))
        .status();
    assert!(made.expect("mkfifo is there").success());
    deep(DECLARED);
    project.dir("a/.gemini");
    deep("[]\n");
    run("cogtools-discover", &project)
        .home(project.path("a"))
        .args(["-C", "a/b"])
        .run()
        .outputs(DECLARED);
}

#[test]
fn a_report_about_another_folder_says_where_its_commands_run() {
    let project = project_with("ok", OK);
    project.dir("a b/tools");
    let report = |args: &[&str]| {
        let outcome = run("cogtools-doctor", &project).args(args).run();
        String::from_utf8(outcome.stdout.clone()).expect("text")
    };
    let place = "to run the commands below: cd 'a b'\n\n";
    let elsewhere = report(&["-C", "a b"]);
    assert!(elsewhere.starts_with(place), "{elsewhere}");
    let here = report(&[]);
    assert!(here.starts_with("configuration\n"), "{here}");
}

#[test]
fn a_folder_link_is_judged_by_its_target() {
    let project = project_with("ok", OK);
    project
        .file(".cogtoolrc.yaml", "")
        .file("src/.cogtoolrc.yaml", "tool_sources: []\n")
        .dir("other");
    run("cogtools-discover", &project)
        .cwd(project.path("src"))
        .args(["-C", "../other"])
        .run()
        .outputs(DECLARED);
}
