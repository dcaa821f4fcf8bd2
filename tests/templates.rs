//! Malicious templates: limits on steps, depth and output, and no side effects.

use std::time::Duration;

use cogtools_test_support::{Outcome, Project, str};
use serde_json::{Value, json};

use crate::run;

const STATUS: i32 = 70;
/// The line of the tool file on which its template begins.
const FIRST: usize = 6;

fn call(template: &str, arguments: &Value) -> Outcome {
    let project = Project::new();
    let indented = template.replace('\n', "\n  ");
    project.file(
        "tools/hurt.yaml",
        format!(
            "name: hurt\ndescription: d\nparameters:\n  a: {{optional: true}}\nimplementation: | # njk\n  {indented}\n"
        ),
    );
    run("cogtools-call", &project)
        .arg("hurt")
        .stdin(arguments)
        .limit(Duration::from_mins(1))
        .run()
}

/// The call fails on `line` of the tool file for this `cause`; nothing is
/// printed, and the line is shown under a caret.
#[track_caller]
fn fails(template: &str, line: usize, cause: &str) {
    let outcome = call(template, &json!({}));
    outcome.status(STATUS).stdout_is("");
    let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
    let start = format!("cogtools-call: error[TEMPLATE_FAILED]: tools/hurt.yaml:{line}:");
    let mut lines = stderr.lines();
    let first = lines.next().unwrap_or_default();
    assert!(first.starts_with(&start), "{start}\n{stderr}");
    assert!(first.ends_with(&format!(": {cause}")), "{cause}\n{stderr}");
    let source = template.lines().nth(line - FIRST).unwrap_or_default();
    assert_eq!(
        lines.nth(1),
        Some(format!(" {line} |   {source}").as_str()),
        "{stderr}"
    );
    let carets = lines.next().unwrap_or_default();
    assert_eq!(carets.trim_matches([' ', '^']), "|", "{stderr}");
}

#[test]
fn loop_without_end() {
    fails(
        "{% for a in range(100000000) %}{% for b in range(100000000) %}{% endfor %}{% endfor %}",
        6,
        "the template runs too long",
    );
}

#[test]
fn recursion_without_end() {
    fails(
        "{% macro again(n) %}{{ again(n + 1) }}{% endmacro %}{{ again(0) }}",
        6,
        "the template calls itself too deeply",
    );
}

#[test]
fn output_without_end() {
    fails(
        "{% set text = 'x' %}\n{% for a in range(60) %}{% set text = text + text %}{% endfor %}\n{{ text }}",
        7,
        "the template builds too long a string",
    );
}

#[test]
fn undefined_values() {
    call("<{{ nothing }}{{ a }}>", &json!({})).outputs(str![[r#"
<>

"#]]);
    call("<{{ nothing.deep.down }}{{ a.b }}>", &json!({})).outputs(str![[r#"
<>

"#]]);
    call("<{{ a.b.c }}>", &json!({"a": {}})).outputs(str![[r#"
<>

"#]]);
}

#[test]
fn division_by_zero_is_what_javascript_makes_of_it() {
    call("{{ 1 / 0 }} {{ 0 / 0 }}", &json!({})).outputs(str![[r#"
Infinity NaN

"#]]);
}

#[test]
fn templates_cannot_read_anything_outside() {
    call("{{ env }}{{ HOME }}{{ process }}", &json!({})).outputs(str![[r#"


"#]]);
    fails(
        "x\n{% include '/etc/passwd' %}",
        7,
        "template `/etc/passwd` cannot be loaded: `/etc/passwd` is outside the tool's folder",
    );
}

#[test]
fn diagnostics_point_into_the_tool_file() {
    fails("ok\n\n{{ a | nosuch }}", 8, "unknown filter `nosuch`");
    fails(
        "\n\nok\n{{ nosuch() }}",
        9,
        "`nosuch` is undefined and cannot be called",
    );
}
