//! Which files are checked, how a run ends, and what is never printed.

use cogtools_test_support::{Project, outcome, str};

use crate::project::{CapturedRun, run};

const GOOD: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: say
description: Say something out loud
parameters:
  text: {type: string, description: What to say}
examples:
  - text: Hello
implementation: \"{{ text }}\"
";

fn project(files: &[(&str, &str)]) -> Project {
    let project = Project::new();
    project.dir(".gemini");
    for (name, text) in files {
        project.file(name, text);
    }
    project
}

/// The `file:line:column: severity[rule]` of every finding, and the status.
fn findings(project: &Project, args: &[&str]) -> (u8, Vec<String>) {
    let args: Vec<&str> = args.iter().copied().chain(["--format", "json"]).collect();
    let ended = run(project, &args);
    assert_eq!(ended.stderr, "");
    let found: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let line = |it: &serde_json::Value| {
        let text = |key: &str| it[key].as_str().unwrap().to_owned();
        format!(
            "{}:{}:{}: {}[{}]",
            text("file"),
            it["line"],
            it["column"],
            text("severity"),
            text("rule")
        )
    };
    (
        ended.status,
        found.as_array().unwrap().iter().map(line).collect(),
    )
}

#[test]
fn a_good_project_has_nothing_to_report() {
    let good = project(&[
        ("tools/say.yaml", GOOD),
        ("tools/notes.yml", "a: 1\n"),
        ("tools/.hidden.yml", GOOD),
    ]);
    outcome!(run(&good, &[])).expect(
        0,
        str![[r#"
1 file: nothing to report

"#]],
        "",
    );
    outcome!(run(&good, &["--format", "json"])).expect(
        0,
        str![[r#"
[]

"#]],
        "",
    );
}

#[test]
fn a_folder_without_tools_is_a_warning_and_with_strict_a_failure() {
    let warning = "\
cogtools-lint: warning[TOOL_NOT_FOUND]: this project has no tools yet
hint: cogtools new NAME creates one
hint: in a script, --strict makes this an error
";
    outcome!(run(&project(&[]), &[])).expect(0, str![""], warning);
    let error = warning.replace("warning", "error");
    outcome!(run(&project(&[]), &["--strict"])).expect(127, str![""], error);
}

#[test]
fn tools_of_a_specification_have_no_files() {
    let project = project(&[]);
    project.file(".cogtoolrc.yaml", "tool_sources: [{openapi: ./api.yaml}]\n");
    let warning = "\
cogtools-lint: warning[TOOL_NOT_FOUND]: this project has no tool files
hint: the tools of specifications and servers have none
";
    outcome!(run(&project, &[])).expect(0, str![""], warning);
    let error = "\
cogtools-lint: error[TOOL_NOT_FOUND]: `find` is neither a file nor a tool with a file in this project
hint: `cogtools list` names the tools: those of specifications and servers have no files
";
    outcome!(run(&project, &["find"])).expect(127, str![""], error);
}

#[test]
fn the_tools_of_this_repository_break_no_rule() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tools");
    let copy = project(&[]);
    let mut files = 0;
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_yaml = path.extension().is_some_and(|it| it == "yaml");
        // Cases are no tools.
        if is_yaml && !name.ends_with(".evals.yaml") {
            copy.program(format!("tools/{name}"), std::fs::read(&path).unwrap());
            files += 1;
        }
    }
    let plural = if files == 1 { "" } else { "s" };
    outcome!(run(&copy, &[])).outputs(format!("{files} file{plural}: nothing to report\n"));
}

#[test]
fn warnings_fail_only_when_denied() {
    let warned = project(&[(
        "tools/say.yaml",
        &GOOD.replace("examples:\n  - text: Hello\n", ""),
    )]);
    let expected = vec!["tools/say.yaml:2:1: warning[no-examples]".to_owned()];
    assert_eq!(findings(&warned, &[]), (0, expected.clone()));
    assert_eq!(findings(&warned, &["--deny-warnings"]), (78, expected));
}

#[test]
fn paths_are_files_and_folders() {
    let bad = GOOD
        .replace("name: say", "name: bad")
        .replacen("description:", "desciption:", 1);
    let project = project(&[("tools/say.yaml", GOOD), ("other/bad.yaml", &bad)]);
    assert_eq!(findings(&project, &[]), (0, vec![]));
    let expected = ["1:1", "3:1"].map(|at| format!("other/bad.yaml:{at}: error[invalid-tool]"));
    let expected = (78, expected.to_vec());
    assert_eq!(findings(&project, &["other"]), expected);
    assert_eq!(
        findings(&project, &["tools/say.yaml", "other/bad.yaml"]),
        expected
    );
    assert_eq!(
        run(&project, &["absent.yaml", "tools"]),
        CapturedRun {
            status: 74,
            stdout: "1 file: nothing to report\n".to_owned(),
            stderr: "cogtools-lint: error[IO_FAILED]: `absent.yaml` does not exist\n\
                     hint: check the path; the file may have been removed meanwhile\n"
                .to_owned(),
        },
    );
}

#[test]
fn a_file_without_text_is_an_invalid_tool() {
    let project = project(&[("tools/say.yaml", GOOD)]);
    project
        .file("tools/raw.yaml", [0xff, 0xfe])
        .dir("tools/folder.yaml");
    let expected =
        ["folder", "raw"].map(|name| format!("tools/{name}.yaml:1:1: error[invalid-tool]"));
    assert_eq!(findings(&project, &[]), (78, expected.to_vec()));
}

#[test]
fn a_specific_rule_replaces_invalid_tool_unless_it_is_off() {
    let project = project(&[("tools/tell.yaml", GOOD)]);
    let expected = |rule: &str| (78, vec![format!("tools/tell.yaml:2:7: error[{rule}]")]);
    assert_eq!(findings(&project, &[]), expected("stem-differs"));
    project.file(".cogtoolrc.yaml", "lint: {rules: {stem-differs: off}}\n");
    assert_eq!(findings(&project, &[]), expected("invalid-tool"));
}

#[test]
fn secrets_and_invisible_characters_are_never_printed() {
    let secret = "ghp_1234567890abcdefghijklmnopqrstuvwxyz";
    let text = GOOD
        .replace("Hello", &format!("{secret}\u{202e}"))
        .replace("{type: string", "{type: int");
    let project = project(&[("tools/say.yaml", &text)]);
    for format in ["human", "json", "sarif"] {
        let ended = run(&project, &["--format", format]);
        assert_eq!((ended.status, ended.stderr.as_str()), (78, ""));
        assert!(
            !ended.stdout.contains(secret) && !ended.stdout.contains('\u{202e}'),
            "{}",
            ended.stdout
        );
    }
}

#[test]
fn template_files_are_checked() {
    let tool = GOOD.replace(
        "implementation: \"{{ text }}\"",
        "implementation: {njk_file: say.njk}",
    );
    let project = project(&[
        ("tools/say.yaml", &tool),
        (
            "tools/say.njk",
            "{% include \"part.njk\" %}\n{% include \"gone.njk\" %}\n{{ txt }}\u{200b}\n",
        ),
        ("tools/part.njk", "{{ text }}\n"),
    ]);
    let expected = [
        "tools/say.njk:2:13: error[template-error]",
        "tools/say.njk:3:4: error[undeclared-variable]",
        "tools/say.njk:3:10: error[hidden-character]",
    ];
    assert_eq!(
        findings(&project, &[]),
        (78, expected.map(str::to_owned).to_vec())
    );
}

#[test]
fn included_templates_are_checked() {
    let secret = ["ghp", "_", &"a1B2".repeat(9)].concat();
    let tool = GOOD.replace(
        "implementation: \"{{ text }}\"",
        "implementation: '{% set line = text %}{% for word in [line] %}{% include \"./a.njk\" %}{% endfor %}'",
    );
    let project = project(&[
        ("tools/say.yaml", &tool),
        (
            "tools/a.njk",
            "{{ word }} {{ line }} {{ loop.index }} {{ txt }}\u{200b}{% include \"b.njk\" %}\n",
        ),
        (
            "tools/b.njk",
            &format!(
                "{{% include \"a.njk\" %}}{{{{ text | uper }}}}\n{secret}\n{{% include \"c.njk\" %}}{{% include \"gone.njk\" %}}\n"
            ),
        ),
        ("tools/c.njk", "{% if %}\n"),
    ]);
    let expected = [
        "tools/a.njk:1:43: error[undeclared-variable]",
        "tools/a.njk:1:49: error[hidden-character]",
        "tools/a.njk:1:61: error[unsafe-include]",
        "tools/b.njk:1:12: error[unsafe-include]",
        "tools/b.njk:1:32: error[template-error]",
        "tools/b.njk:2:1: error[secret]",
        "tools/b.njk:3:34: error[template-error]",
        "tools/c.njk:1:7: error[template-error]",
    ];
    assert_eq!(
        findings(&project, &[]),
        (78, expected.map(str::to_owned).to_vec())
    );
}

#[test]
fn explain_prints_the_section_of_a_rule() {
    let project = project(&[]);
    let ended = run(&project, &["--explain", "no-shebang"]);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    let first = "## no-shebang\n\nA tool file without `#! /usr/bin/env cogtools-yaml` as its first line. \
                 Off by default. `--fix` fixes it where that is safe.\n";
    assert!(ended.stdout.starts_with(first), "{}", ended.stdout);
    outcome!(run(&project, &["--explain", "all"])).expect(0, cogtools_lint::reference(), "");
    assert_eq!(
        run(&project, &["--explain", "no-example"]),
        CapturedRun {
            status: 2,
            stdout: String::new(),
            stderr: "cogtools-lint: error[USAGE]: --explain: there is no rule `no-example`\n\
                     hint: did you mean `no-examples`, `empty-example` or `invalid-example`?\n\
                     hint: `cogtools lint --explain all` lists the rules\n"
                .to_owned(),
        },
    );
}
