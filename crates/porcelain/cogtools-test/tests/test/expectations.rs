//! Examples with a name, and with expectations besides a golden file.

use cogtools_test_support::{Project, outcome, str};

use crate::{run, run_as_user};

/// A project with the tool `say` with these examples; it greets, fails for `nobody`, and
/// rejects what is not a string.
fn project(examples: &str) -> Project {
    let project = Project::new();
    project.file(
        "tools/say.yaml",
        format!(
            "name: say\ndescription: d\nparameters: {{who: string}}\nexamples:\n{examples}\
             implementation: |\n  hello {{{{ who }}}}{{% if who == 'nobody' %}}{{% include who %}}{{% endif %}}\n"
        ),
    );
    project
}

#[test]
fn a_name_replaces_the_number() {
    let project = project("  - {name: ada, arguments: {who: Ada}}\n  - who: Bob\n");
    outcome!(run(&project, &["--update"])).outputs(str![[r#"
ok say (2 examples)
  wrote tools/say.ada.golden
  wrote tools/say.2.golden

1 tool, 2 examples: all passed; 2 golden files written

"#]]);
    assert_eq!(project.read("tools/say.ada.golden"), "hello Ada\n");
    assert_eq!(project.read("tools/say.2.golden"), "hello Bob\n");

    // A new example before a named one changes nothing for that.
    let more = project.read("tools/say.yaml").replace(
        "examples:\n",
        "examples:\n  - {name: eve, arguments: {who: Eve}}\n",
    );
    project
        .file("tools/say.yaml", more)
        .file("tools/say.ada.golden", "hello Eda\n");
    outcome!(run(&project, &[])).expect(
        1,
        str![[r#"
FAILED say (3 examples)
  tools/say.yaml: stale: `tools/say.2.golden` has no example
    hint: `cogtools test --update say` removes it
  tools/say.yaml:5:5: example eve: missing: `tools/say.eve.golden` does not exist
    hint: cogtools test --update say
  tools/say.yaml:6:5: example ada: golden: the result differs from `tools/say.ada.golden`
    --- tools/say.ada.golden
    +++ the result
    @@ -1 +1 @@
    -hello Eda
    +hello Ada
    hint: if the result is right: cogtools test --update say
  tools/say.yaml:7:5: example 3: missing: `tools/say.3.golden` does not exist
    hint: cogtools test --update say

1 tool, 3 examples: 4 failures

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 4 failures
hint: the report on standard output shows what to fix
hint: cogtools test --update accepts the current results as golden files

"#]],
    );
}

#[test]
fn a_golden_file_whose_name_has_no_example_is_stale() {
    let project = project("  - {name: ada, arguments: {who: Ada}}\n");
    project
        .file("tools/say.ada.golden", "hello Ada\n")
        .file("tools/say.eve.golden", "hello Eve\n")
        .file("tools/say.1.golden", "hello Ada\n");
    outcome!(run(&project, &["--update"])).outputs(str![[r#"
ok say (1 example)
  removed tools/say.1.golden
  removed tools/say.eve.golden

1 tool, 1 example: all passed; 2 golden files removed

"#]]);
    assert!(!project.path("tools/say.eve.golden").exists());
    assert!(!project.path("tools/say.1.golden").exists());
}

#[test]
fn what_differs_between_calls_is_redacted() {
    let project = Project::new();
    project.file(
        "tools/now.yaml",
        "name: now\ndescription: d\nexamples:\n  - name: any\n    arguments: {}\n    \
         redact: ['[0-9]+', 'bc?']\nannotations: {read_only: true}\n\
         implementation: {exec: [sh, -c, 'echo a $$ b c']}\n",
    );
    outcome!(run_as_user(&project, &["--update"])).outputs(str![[r#"
ok now (1 example)
  wrote tools/now.any.golden

1 tool, 1 example: all passed; 1 golden file written

"#]]);
    let golden = project.read("tools/now.any.golden");
    assert_eq!(golden, "a [redacted] [redacted] c\n");
    assert_eq!(run_as_user(&project, &[]).status, 0);
}

#[test]
fn expected_failures() {
    let project = project(
        "  - {name: number, arguments: {who: 7}, fails: SCHEMA_VIOLATION, contains: [got number, who]}\n  \
         - {name: undefined, arguments: {who: nobody}, fails: TEMPLATE_FAILED, matches: 'no.ody'}\n",
    );
    outcome!(run(&project, &[])).outputs(str![[r#"
ok say (2 examples)

1 tool, 2 examples: all passed

"#]]);
}

#[test]
fn unexpected_failures_and_results() {
    let project = project(
        "  - {name: fine, arguments: {who: Ada}, fails: TOOL_FAILED}\n  \
         - {name: other, arguments: {who: 7}, fails: TOOL_FAILED}\n  \
         - {name: message, arguments: {who: 7}, fails: SCHEMA_VIOLATION, contains: at most 3}\n  \
         - {name: text, arguments: {who: Ada}, contains: [hello, Eve], matches: ['^hello \\w+$', '^\\d']}\n  \
         - {name: pattern, arguments: {who: Ada}, matches: '('}\n  \
         - {name: redact, arguments: {who: Ada}, redact: '('}\n",
    );
    outcome!(run(&project, &[])).expect(
        1,
        str![[r#"
FAILED say (6 examples)
  tools/say.yaml:5:5: example fine: assertion: the call succeeds, and the example expects TOOL_FAILED
    | hello Ada
  tools/say.yaml:6:5: example other: assertion: the call fails with SCHEMA_VIOLATION, and the example expects TOOL_FAILED
    say: /who: expected string, got number 7
    hint: send who (string)
  tools/say.yaml:7:5: example message: assertion: the message does not contain `at most 3`
    | say: /who: expected string, got number 7
    | hint: send who (string)
  tools/say.yaml:8:5: example text: assertion: the result does not contain `Eve`
    | hello Ada
  tools/say.yaml:8:5: example text: assertion: the result does not match `^\d`
    | hello Ada
  tools/say.yaml:9:5: example pattern: broken: matches: `(` is not a valid regular expression: Parsing error at position 1: Opening parenthesis without closing parenthesis
  tools/say.yaml:10:5: example redact: broken: redact: `(` is not a valid regular expression: Parsing error at position 1: Opening parenthesis without closing parenthesis

1 tool, 6 examples: 7 failures

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 7 failures
hint: the report on standard output shows what to fix

"#]],
    );
    assert!(!project.path("tools/say.text.golden").exists());
}

#[test]
fn invalid_expectations() {
    let project = project(
        "  - {name: a b, arguments: {who: Ada}}\n  \
         - {name: ada, arguments: []}\n  \
         - {name: ADA, arguments: {who: Ada}, fails: USAGE}\n  \
         - {arguments: {who: Ada}, contains: [], matches: '', fail: TIMEOUT}\n  \
         - {arguments: {who: Ada}, redact: [1]}\n",
    );
    outcome!(run(&project, &[])).expect(
        1,
        str![[r#"
FAILED say (no examples)
  tools/say.yaml: broken: the file is not a valid tool
    tools/say.yaml:5:12: `a b` is not the name of an example: a name may only contain letters from a to z, digits, `_` and `-`, not ' '
       |
     5 |   - {name: a b, arguments: {who: Ada}}
       |            ^^^
    hint: use a name such as `short_text`
    tools/say.yaml:6:28: `arguments` takes a map, not an empty list
       |
     6 |   - {name: ada, arguments: []}
       |                            ^^
    hint: write a map such as `{key: value}`
    tools/say.yaml:7:12: two examples are named `ADA`
       |
     7 |   - {name: ADA, arguments: {who: Ada}, fails: USAGE}
       |            ^^^
    hint: give each example its own name; upper and lower case are the same
    tools/say.yaml:7:47: `USAGE` is not a code that a call fails with
       |
     7 |   - {name: ADA, arguments: {who: Ada}, fails: USAGE}
       |                                               ^^^^^
    hint: write one of TOOL_FAILED, SCHEMA_VIOLATION, TEMPLATE_FAILED, TIMEOUT
    tools/say.yaml:8:52: `matches` is empty
       |
     8 |   - {arguments: {who: Ada}, contains: [], matches: '', fail: TIMEOUT}
       |                                                    ^^
    hint: write something under `matches`
    tools/say.yaml:8:56: unknown key `fail`
       |
     8 |   - {arguments: {who: Ada}, contains: [], matches: '', fail: TIMEOUT}
       |                                                        ^^^^
    hint: did you mean `fails`?
    tools/say.yaml:9:38: `redact` takes text or a list of texts, not 1
       |
     9 |   - {arguments: {who: Ada}, redact: [1]}
       |                                      ^
    hint: write text in quotes, or a list such as `['one', 'two']`

1 tool, 0 examples: 1 failure

"#]],
        str![[r#"
cogtools-test: error[TEST_FAILED]: 1 failure
hint: the report on standard output shows what to fix

"#]],
    );
}

#[test]
fn a_parameter_named_arguments_is_an_argument() {
    let project = Project::new();
    project.file(
        "tools/x.yaml",
        "name: x\ndescription: d\nparameters: {arguments: string, name: string}\n\
         examples: [{arguments: a, name: b}]\nimplementation: '{{ arguments }} {{ name }}'\n",
    );
    assert_eq!(run(&project, &["--update"]).status, 0);
    assert_eq!(project.read("tools/x.1.golden"), "a b");
}

/// A key that is not a parameter makes the map an example with expectations.
#[test]
fn a_tool_with_a_parameter_named_arguments_can_have_expectations() {
    for (parameters, golden) in [
        ("{arguments: string}", "x.a.golden"),
        // The map could be arguments, so it is.
        (
            "{type: object, properties: {arguments: {}}, additionalProperties: true}",
            "x.1.golden",
        ),
    ] {
        let project = Project::new();
        let key = if golden == "x.a.golden" {
            "parameters"
        } else {
            "parameters_schema"
        };
        project.file(
            "tools/x.yaml",
            format!(
                "name: x\ndescription: d\n{key}: {parameters}\n\
                 examples: [{{name: a, arguments: {{arguments: b}}}}]\n\
                 implementation: '{{{{ arguments | dump }}}}'\n"
            ),
        );
        assert_eq!(run(&project, &["--update"]).status, 0);
        let expected = if golden == "x.a.golden" {
            "\"b\""
        } else {
            "{\"arguments\":\"b\"}"
        };
        assert_eq!(project.read(format!("tools/{golden}")), expected);
    }
}
