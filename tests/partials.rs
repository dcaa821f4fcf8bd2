//! Templates next to a tool: reachable below its folder, and nowhere else.

use cogtools_test_support::{Outcome, Project, str};

use crate::run;

/// A tool whose template is `template`, in a project with some other files.
fn project(template: &str) -> Project {
    let project = Project::new();
    project
        .file(
            "tools/asks.yaml",
            format!("name: asks\ndescription: d\nparameters: {{who: string}}\nimplementation: {template}\n"),
        )
        .file("tools/parts/line.njk", "for {{ who }}\n")
        .file("tools/parts/frame.njk", "[{% block body %}{% endblock %}]\n")
        .file("tools/parts/near.njk", "{% include './line.njk' %}")
        .file("tools/parts/wrong.njk", "one\ntwo {{ who | nosuch }}\n")
        .file("tools/whole.njk", "{% extends 'parts/frame.njk' %}{% block body %}{{ who }}{% endblock %}")
        .file("secret.njk", "SECRET");
    project.link("tools/parts/out.njk", project.path("secret.njk"));
    project
}

fn call(project: &Project) -> Outcome {
    run("cogtools-call", project)
        .arg("asks")
        .stdin(r#"{"who": "Ada"}"#)
        .run()
}

#[test]
fn files_below_the_folder_are_reachable() {
    for (template, expected) in [
        (
            r#""{% include 'parts/line.njk' %}""#,
            str![[r#"
for Ada

"#]],
        ),
        (
            r#""{% include 'parts/near.njk' %}""#,
            str![[r#"
for Ada

"#]],
        ),
        (
            "{njk_file: whole.njk}",
            str![[r#"
[Ada]

"#]],
        ),
        (
            "{njk_file: ./parts/line.njk}",
            str![[r#"
for Ada

"#]],
        ),
    ] {
        call(&project(template)).outputs(expected);
    }
}

#[test]
fn nothing_else_is() {
    let fails = |template: &str, cause: &str| {
        let outcome = call(&project(template));
        outcome.status(70).stdout_is("");
        let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
        let first = stderr.lines().next().unwrap_or_default();
        let start = "cogtools-call: error[TEMPLATE_FAILED]: tools/asks.yaml:4:";
        assert!(
            first.starts_with(start) && first.ends_with(cause),
            "{stderr}"
        );
    };
    fails(
        r#""{% include '../secret.njk' %}""#,
        ": template `../secret.njk` not found",
    );
    fails(
        r#""{% include 'parts/none.njk' %}""#,
        ": template `parts/none.njk` not found",
    );
    let out = "`parts/out.njk` is outside the tool's folder";
    fails(r#""{% include 'parts/out.njk' %}""#, out);
    call(&project("{njk_file: ../secret.njk}")).fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/asks.yaml:4:28: `../secret.njk` is outside the tool's folder
   |
 4 | implementation: {njk_file: ../secret.njk}
   |                            ^^^^^^^^^^^^^
hint: use a file in the tool's folder, or below it

"#]],
    );
    call(&project("{njk_file: parts/out.njk}")).fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/asks.yaml: `parts/out.njk` is outside the tool's folder
hint: `njk_file` takes a file in the tool's folder, or below it

"#]],
    );
}

#[test]
fn diagnostics_point_into_the_failing_file() {
    call(&project(r#""{% include 'parts/wrong.njk' %}""#)).fails(
        70,
        str![[r#"
cogtools-call: error[TEMPLATE_FAILED]: tools/parts/wrong.njk:2:14: unknown filter `nosuch`
   |
 2 | two {{ who | nosuch }}
   |              ^^^^^^

"#]],
    );
}
