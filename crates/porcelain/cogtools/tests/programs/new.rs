//! Whole runs of `cogtools new`, and the resulting files.

use std::path::{Path, PathBuf};

use cogtools::new::PROGRAM;
use cogtools_core::Tool;
use cogtools_core::file::ReadScope;
use cogtools_program::{CapturedRun, Terminals};
use cogtools_test_support::{Project, Snapshot, outcome, str};

const NJK: Snapshot = str![[r#"
created tools/check_plan.yaml
created tools/check_plan.1.golden
created tools/check_plan.2.golden
created .cogtools/schema/tool.json

next steps:
- edit it; its comments explain each part
- print the declaration that a model sees:
    cogtools expand check_plan
- call it:
    echo '{"plan":"Rename the column in one migration","doubt":"The old release still reads the old name while it is being replaced"}' | cogtools-call check_plan

"#]];

const EXEC: Snapshot = str![[r#"
created far/away/log.yaml

next steps:
- edit it; its comments explain each part
- print the declaration that a model sees:
    cogtools expand far/away/log.yaml
- call it:
    echo '{"text":"name: log"}' | cogtools-yaml far/away/log.yaml

"#]];

const EXISTS: Snapshot = str![[r#"
cogtools-new: error[USAGE]: `tools/mine.yaml` already exists
hint: choose another name, or move the file away first

"#]];

fn run(project: &Project, args: &[&str]) -> CapturedRun {
    let home = ("HOME".into(), project.home().into());
    PROGRAM.run_captured_with([home].into(), &project.root(), Terminals::default(), args)
}

fn load(project: &Project, file: &str) -> Tool {
    Tool::load(&project.path(file), Path::new(file), &ReadScope::User).expect("a tool")
}

/// A project with no marker of a project in a directory above it.
fn project() -> Project {
    let project = Project::new();
    project.file(".cogtoolrc.yaml", "");
    project
}

#[test]
fn a_template_that_works() {
    let project = project();
    outcome!(run(&project, &["check_plan"])).outputs(NJK);
    load(&project, "tools/check_plan.yaml")
        .check()
        .expect("examples fit and the template compiles");
    let text = project.read("tools/check_plan.yaml");
    let lines: Vec<&str> = text.lines().take(3).collect();
    assert_eq!(
        lines,
        [
            "#! /usr/bin/env cogtools-yaml",
            "# yaml-language-server: $schema=../.cogtools/schema/tool.json",
            "$schema: schema:agladysh-research.org,2025/cogtools:tool",
        ]
    );
    assert_eq!(
        project.read(".cogtools/schema/tool.json"),
        include_str!("../../../../../docs/schema/tool.json")
    );
}

#[test]
fn every_template_loads_and_passes() {
    let project = project();
    for template in ["njk", "js", "exec", "script"] {
        let name = format!("try_{template}");
        let output = run(&project, &[&name, "--template", template]);
        assert_eq!(
            (output.status, output.stderr.as_str()),
            (0, ""),
            "{template}"
        );
        let tool = load(&project, &format!("tools/{name}.yaml"));
        tool.check().unwrap_or_else(|error| panic!("{error:?}"));
    }
}

#[test]
fn json() {
    let project = project();
    let json = str![[r#"
{
  "name": "log",
  "created": [
    "tools/log.yaml",
    ".cogtools/schema/tool.json"
  ],
  "example": {
    "text": "name: log"
  }
}

"#]];
    let args = ["log", "--template", "exec", "--format", "json"];
    outcome!(run(&project, &args)).outputs(json);
}

#[test]
fn another_folder() {
    let project = project();
    project.file(".cogtools/schema/tool.json", "mine");
    let args = ["log", "--template", "exec", "--dir", "./far/away"];
    outcome!(run(&project, &args)).outputs(EXEC);
    assert_eq!(project.read(".cogtools/schema/tool.json"), "mine");
    let text = project.read("far/away/log.yaml");
    let modeline = "# yaml-language-server: $schema=../../.cogtools/schema/tool.json";
    assert_eq!(text.lines().nth(1), Some(modeline));
}

#[test]
fn in_a_subdirectory_the_first_source_is_used() {
    let project = project();
    project
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{local: mine}, {local: more}]",
        )
        .file(
            "more/a.yaml",
            "name: a\ndescription: A\nimplementation: a\n",
        )
        .dir("src");
    let root = project.root();
    let root = root.display();
    let output = run(&project, &["-C", "src", "a", "--template", "script"]);
    let stdout = format!(
        "\
created {root}/mine/a.yaml
created {root}/mine/a.1.golden
created {root}/.cogtools/schema/tool.json
`{root}/more/a.yaml` has the same name and is now shadowed: its source comes later in `tool_sources`

next steps:
- edit it; its comments explain each part
- print the declaration that a model sees:
    cogtools expand a
- call it:
    echo '{{\"text\":\"Count these four words\"}}' | cogtools-call a
"
    );
    outcome!(output).outputs(stdout);
}

#[test]
fn another_tool_of_the_same_name_is_reported() {
    let check = |dir: &str, rival: &str, (words, key): (&str, &str)| {
        let project = project();
        project
            .file(
                ".cogtoolrc.yaml",
                "tool_sources: [{local: one}, {local: two}]",
            )
            .file(rival, "name: a\ndescription: A\nimplementation: a\n")
            .dir("one");
        let output = run(&project, &["a", "--dir", dir]);
        let found = output.stdout.lines().nth(4).unwrap_or_default();
        assert_eq!(found, format!("`{rival}` has the same name and {words}"));
        project.remove(PathBuf::from(dir).join("a.yaml"));
        let output = run(&project, &["a", "--dir", dir, "--format", "json"]);
        let line = format!("\n  \"{key}\": \"{rival}\"\n}}\n");
        assert!(output.stdout.ends_with(&line), "{}", output.stdout);
    };
    let first = "is called instead: its source comes first in `tool_sources`";
    check("two", "one/a.yaml", (first, "shadowed_by"));
    check("two/b", "one/c/a.yaml", (first, "shadowed_by"));
    let later = "is now shadowed: its source comes later in `tool_sources`";
    check("one", "two/a.yaml", (later, "shadows"));
    let first = "is called instead: it comes first in the same source";
    check("one/b", "one/a.yaml", (first, "shadowed_by"));
    check("one/c", "one/b/a.yaml", (first, "shadowed_by"));
    let later = "is now shadowed: it comes later in the same source";
    check("one", "one/b/a.yaml", (later, "shadows"));
    check("one/b", "one/c/a.yaml", (later, "shadows"));
}

#[test]
fn nothing_is_overwritten() {
    let project = project();
    project.file("tools/mine.yaml", "mine");
    outcome!(run(&project, &["mine"])).fails(2, EXISTS);
    assert_eq!(project.read("tools/mine.yaml"), "mine");
    let files = [".cogtoolrc.yaml", "tools/mine.yaml"].map(PathBuf::from);
    assert_eq!(project.files(), files);
}

#[test]
fn names_that_a_host_would_refuse() {
    let project = project();
    let long = "x".repeat(50);
    let shown = format!("try `{}`", "x".repeat(47));
    for (name, message, hints) in [
        (
            "check.facts",
            "a name may only contain letters from a to z, digits, `_` and `-`, not '.'",
            [
                "OpenAI and Anthropic allow no others; only Gemini also accepts a dot or a colon",
                "try `check_facts`",
            ],
        ),
        (
            "1st",
            "a name must begin with a letter from a to z or an underscore, not with '1'",
            [
                "Gemini accepts nothing else as the first character",
                "try `_1st`",
            ],
        ),
        (
            "äöü",
            "a name must begin with a letter from a to z or an underscore, not with 'ä'",
            [
                "Gemini accepts nothing else as the first character",
                "try a name such as `check_facts`",
            ],
        ),
        (
            &long,
            "a name has at most 47 characters, not 50",
            [
                "hosts allow 64 characters, and Gemini CLI puts `discovered_tool_` before the name",
                &shown,
            ],
        ),
    ] {
        let stderr = format!(
            "cogtools-new: error[USAGE]: {name}: not a name that all hosts accept: {message}\nhint: {}\nhint: {}\n",
            hints[0], hints[1]
        );
        outcome!(run(&project, &[name])).fails(2, stderr);
    }
    assert_eq!(project.files(), [PathBuf::from(".cogtoolrc.yaml")]);
}

#[test]
fn a_project_without_a_folder() {
    let project = project();
    project.file(".cogtoolrc.yaml", "tool_sources: []");
    let stderr = str![[r#"
cogtools-new: error[INVALID_CONFIG]: the project has no local folder of tools
hint: add `- local: ./tools` to `tool_sources` in `.cogtoolrc.yaml`
hint: or name a folder with --dir

"#]];
    outcome!(run(&project, &["a"])).fails(78, stderr);
}

#[cfg(unix)]
#[test]
fn a_tool_is_a_program() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = project();
    run(&project, &["a"]);
    let mode = |file| {
        let meta = std::fs::metadata(project.path(file)).expect("a file");
        meta.permissions().mode() & 0o100
    };
    assert_eq!(mode("tools/a.yaml"), 0o100);
    assert_eq!(mode(".cogtools/schema/tool.json"), 0);
}

#[test]
fn wrong_usage() {
    let project = project();
    outcome!(run(&project, &[])).fails(
        2,
        str![[r#"
cogtools-new: error[USAGE]: the following required arguments were not provided: <NAME>
hint: usage: cogtools-new [OPTIONS] [NAME]
hint: --help explains every option

"#]],
    );
    outcome!(run(&project, &["a", "--template", "perl"])).fails(2, str![[r#"
cogtools-new: error[USAGE]: invalid value 'perl' for '--template <TEMPLATE>' [possible values: njk, js, exec, script]
hint: usage: cogtools-new [OPTIONS] [NAME]
hint: --help explains every option

"#]]);
}

/// The name is replaced where it is written, and nothing else changes.
#[test]
fn a_copy_has_the_new_name_only() {
    let rest = "description: q, @NAME@ and @SCHEMA@\nimplementation: ü\n";
    for (text, expected) in [
        (format!("name: q\n{rest}"), format!("name: q2\n{rest}")),
        (
            format!("\"name\": q\n{rest}"),
            format!("\"name\": q2\n{rest}"),
        ),
        (
            format!("\u{feff}# é\r\nname: \"q\" # mine\r\n{rest}"),
            format!("\u{feff}# é\r\nname: \"q2\" # mine\r\n{rest}"),
        ),
        (
            "{description: q, name: q, implementation: x}\n".to_owned(),
            "{description: q, name: q2, implementation: x}\n".to_owned(),
        ),
        (
            "{\"name\":\"q\",\"description\":\"d\",\"implementation\":\"x\"}\n".to_owned(),
            "{\"name\":\"q2\",\"description\":\"d\",\"implementation\":\"x\"}\n".to_owned(),
        ),
    ] {
        let project = project();
        project.file("q.yaml", &text);
        let output = run(&project, &["--from", "q.yaml", "q2"]);
        assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{text}");
        assert_eq!(project.read("tools/q2.yaml"), expected);
        load(&project, "tools/q2.yaml");
    }
    let project = project();
    project.file(
        "q.yaml",
        "name: \"\\x71\"\ndescription: d\nimplementation: x\n",
    );
    outcome!(run(&project, &["--from", "q.yaml", "q2"])).fails(
        78,
        str![[r#"
cogtools-new: error[INVALID_TOOL]: the name in `q.yaml` cannot be replaced
hint: write it there as `name: NAME`, on a line of its own

"#]],
    );
    assert!(!project.path("tools").exists());
}

/// A copy without its templates could not run.
#[test]
fn a_copy_has_its_templates() {
    let project = project();
    project
        .file(
            "from/q.yaml",
            "name: q\ndescription: d\nimplementation: {njk_file: lib/q.njk}\n",
        )
        .file("from/lib/q.njk", "{% include \"./part.njk\" %}")
        .file("from/lib/part.njk", "Hello")
        .file("from/q.1.golden", "Hello");
    outcome!(run(&project, &["--from", "from/q.yaml", "q2"])).status(0);
    for file in ["lib/q.njk", "lib/part.njk"] {
        assert_eq!(
            project.read(format!("tools/{file}")),
            project.read(format!("from/{file}"))
        );
    }
    assert_eq!(project.read("tools/q2.1.golden"), "Hello");
    // A second copy uses them, but not those of another tool.
    outcome!(run(&project, &["--from", "from/q.yaml", "q3"])).status(0);
    project.file("tools/lib/part.njk", "mine");
    outcome!(run(&project, &["--from", "from/q.yaml", "q4"])).fails(
        2,
        str![[r#"
cogtools-new: error[USAGE]: `tools/lib/part.njk` already exists
hint: choose another name, or move the file away first

"#]],
    );
    assert_eq!(project.read("tools/lib/part.njk"), "mine");
    assert!(!project.path("tools/q4.yaml").exists());
}
