//! What `.cogtoolrc.yaml` says of rules.

use cogtools_test_support::Project;

use crate::project::{CapturedRun, run, said};

const BARE: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: say
description: Say something
parameters:
  text: {type: string, description: What to say}
implementation: \"{{ text }}\"
";

fn check(configuration: &str, expected: &CapturedRun) {
    let project = Project::new();
    project
        .file(".cogtoolrc.yaml", configuration)
        .file("tools/say.yaml", BARE);
    assert_eq!(
        &run(&project, &["--format", "json"]),
        expected,
        "{configuration}"
    );
}

fn finding(severity: &str) -> String {
    let rule = cogtools_lint::find("no-examples").unwrap();
    format!(
        "[\n{{\"rule\":\"no-examples\",\"severity\":\"{severity}\",\"file\":\"tools/say.yaml\",\
         \"line\":2,\"column\":1,\"endColumn\":5,\"message\":\"no examples\",\"why\":\"{}\",\
         \"fix\":\"{}\",\"fixable\":false,\"fixed\":false}}\n]\n",
        rule.why, rule.fix,
    )
}

fn refused(stderr: &str) -> CapturedRun {
    CapturedRun {
        status: 78,
        stdout: String::new(),
        stderr: stderr.to_owned(),
    }
}

#[test]
fn a_rule_weighs_what_the_project_says() {
    check("", &said(0, finding("warning")));
    check("lint:\n", &said(0, finding("warning")));
    check(
        "lint: {rules: {no-examples: warn}}\n",
        &said(0, finding("warning")),
    );
    check(
        "lint: {rules: {no-examples: error}}\n",
        &said(78, finding("error")),
    );
    check("lint: {rules: {no-examples: off}}\n", &said(0, "[]\n"));
}

#[test]
fn what_configures_nothing_is_refused_at_its_place() {
    check(
        "lint: {rules: {no-example: off}}\n",
        &refused(
            "cogtools-lint: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:16: there is no rule `no-example`\n   \
             |\n 1 | lint: {rules: {no-example: off}}\n   |                ^^^^^^^^^^\n\
             hint: did you mean `no-examples` or `invalid-example`?\n",
        ),
    );
    check(
        "lint: {rules: {no-examples: warning}}\n",
        &refused(
            "cogtools-lint: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:29: a rule is set to off, warn or error, not `warning`\n   \
             |\n 1 | lint: {rules: {no-examples: warning}}\n   |                             ^^^^^^^\n\
             hint: did you mean `warn`?\n",
        ),
    );
    check(
        "lint: {rule: {}}\n",
        &refused(
            "cogtools-lint: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:8: unknown key `rule`\n   \
             |\n 1 | lint: {rule: {}}\n   |        ^^^^\nhint: did you mean `rules`?\n",
        ),
    );
    check(
        "lint: [no-examples]\n",
        &refused(
            "cogtools-lint: error[INVALID_CONFIG]: .cogtoolrc.yaml:1:7: `lint` takes a map, not a list\n   \
             |\n 1 | lint: [no-examples]\n   |       ^^^^^^^^^^^^^\nhint: write `lint: {rules: {no-examples: off}}`\n",
        ),
    );
}
