//! The elements of `exec` that become no argument or several: conditions and arrays.

use cogtools_test_support::{Outcome, str};
use serde_json::{Value, json};

use crate::{project_with, run};

/// A call of a tool that prints each of its arguments in angle brackets; `rest` has its
/// parameters and the elements after the first argument.
fn call(parameters: &str, elements: &str, arguments: &Value) -> Outcome {
    let tool = format!(
        "name: t\ndescription: d\nparameters: {parameters}\nimplementation:\n  exec: [printf, '<%s>', \
         first, {elements}]\n"
    );
    let project = project_with("t", &tool);
    let run = run("cogtools-call", &project).arg("t");
    run.stdin(arguments).run()
}

/// The elements become these arguments.
#[track_caller]
fn become_(parameters: &str, elements: &str, arguments: &Value, expected: &[&str]) {
    let all = format!("<first><{}>", expected.join("><"));
    let all = if expected.is_empty() {
        "<first>".to_owned()
    } else {
        all
    };
    call(parameters, elements, arguments).outputs(all);
}

#[test]
fn a_condition_leaves_arguments_out() {
    let parameters = "{path: {type: string, optional: true}}";
    let elements = "{when: path, args: [--, '{{ path }}']}, last";
    let check = |arguments: &Value, expected: &[&str]| {
        become_(parameters, elements, arguments, expected);
    };
    check(&json!({"path": "a b"}), &["--", "a b", "last"]);
    check(&json!({"path": "-x"}), &["--", "-x", "last"]);
    check(
        &json!({"path": "$(id) %}{{ 1 }}"}),
        &["--", "$(id) %}{{ 1 }}", "last"],
    );
    check(&json!({"path": ""}), &["last"]);
    check(&json!({}), &["last"]);
}

#[test]
fn a_condition_is_an_expression_with_the_truth_of_templates() {
    let parameters = "{n: {type: integer, optional: true}, list: {type: array, items: string, optional: true}, yes: {type: boolean, default: false}}";
    for (condition, arguments, holds) in [
        ("n > 1 and not yes", json!({"n": 2}), true),
        ("n > 1 and not yes", json!({"n": 2, "yes": true}), false),
        ("n > 1 and not yes", json!({"n": 1}), false),
        ("n", json!({"n": 0}), false),
        ("n is defined", json!({"n": 0}), true),
        ("n is defined", json!({}), false),
        ("yes", json!({"yes": true}), true),
        ("yes", json!({}), false),
        ("list", json!({"list": []}), true),
        ("list.length", json!({"list": []}), false),
        ("list | length", json!({"list": ["a"]}), true),
        ("list", json!({}), false),
        ("'a' in list", json!({"list": ["a"]}), true),
        ("list[0] == '%}'", json!({"list": ["%}"]}), true),
    ] {
        let elements = format!("{{when: \"{condition}\", args: [x]}}");
        let expected: &[&str] = if holds { &["x"] } else { &[] };
        become_(parameters, &elements, &arguments, expected);
    }
}

#[test]
fn an_array_alone_becomes_its_items() {
    let parameters = "{files: {type: array, items: {}, optional: true}}";
    for element in ["'{{ files }}'", "'{{files}}'", "'{{- files -}}'"] {
        let check = |files: &Value, expected: &[&str]| {
            become_(parameters, element, &json!({"files": files}), expected);
        };
        check(
            &json!(["a", "b c", "-x", "", "$(id)", "{{ 1 }}"]),
            &["a", "b c", "-x", "", "$(id)", "{{ 1 }}"],
        );
        check(
            &json!([1, 1.0, 2.5, 1e21, true, null]),
            &["1", "1", "2.5", "1e+21", "true", ""],
        );
        check(&json!([["a", "b"]]), &["a,b"]);
        check(&json!([]), &[]);
    }
    become_(parameters, "'{{ files }}'", &json!({}), &[]);
    become_(
        parameters,
        "{when: files.length, args: [-e, '{{ files }}']}",
        &json!({"files": ["a", "b"]}),
        &["-e", "a", "b"],
    );
}

#[test]
fn nested_and_referenced_arrays_become_their_items() {
    let nested = "{options: {type: object, properties: {files: 'string[]'}}}";
    let arguments = json!({"options": {"files": ["a", "b"]}});
    become_(nested, "'{{ options.files }}'", &arguments, &["a", "b"]);
    let referenced = "{one: 'string[]', files: {$ref: '#/properties/one'}}";
    let arguments = json!({"one": [], "files": ["a", "b"]});
    become_(referenced, "'{{ files }}'", &arguments, &["a", "b"]);
}

#[test]
fn everything_else_remains_one_argument() {
    let list = "{files: 'string[]'}";
    let arguments = json!({"files": ["a", "b"]});
    become_(list, "'x{{ files }}'", &arguments, &["xa,b"]);
    become_(list, "'{{ files }} '", &arguments, &["a,b "]);
    become_(list, "'{{ files | join(\" \") }}'", &arguments, &["a b"]);
    become_(list, "'{{ files.length }}'", &arguments, &["2"]);
    // The model, not the author, would decide how many arguments this becomes.
    become_("{files: {}}", "'{{ files }}'", &arguments, &["a,b"]);
    become_(
        "{files: {anyOf: [string, 'string[]']}}",
        "'{{ files }}'",
        &arguments,
        &["a,b"],
    );
    become_(
        "{files: {type: string, optional: true}}",
        "'{{ files }}'",
        &json!({}),
        &[""],
    );
}

#[test]
fn the_program_is_never_left_out() {
    let project = project_with(
        "t",
        "name: t\ndescription: d\nparameters: {p: 'string[]'}\nimplementation: {exec: ['{{ p }}', echo, evil]}\n",
    );
    let call = run("cogtools-call", &project).arg("t");
    call.stdin(json!({"p": []})).run().fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: t: the command names no program
hint: name a program, as in `exec: [echo, hello]`

"#]],
    );
}

#[test]
fn objects_are_no_arguments() {
    let parameters = "{files: {type: array, items: {}}}";
    call(
        parameters,
        "'{{ files }}'",
        &json!({"files": ["a", {"b": 1}]}),
    )
    .fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: tools/t.yaml:5:33: item 2 of `files` is or contains an object, which cannot be an argument of a program
   |
 5 |   exec: [printf, '<%s>', first, '{{ files }}']
   |                                 ^^^^^^^^^^^^^
hint: send text or numbers; the program can read objects from standard input

"#]]);
    call(parameters, "'{{ files }}'", &json!({"files": [["a", {}]]})).fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: tools/t.yaml:5:33: item 1 of `files` is or contains an object, which cannot be an argument of a program
   |
 5 |   exec: [printf, '<%s>', first, '{{ files }}']
   |                                 ^^^^^^^^^^^^^
hint: send text or numbers; the program can read objects from standard input

"#]]);
    call(parameters, "'{{ files }}'", &json!({"files": ["a\u{0}"]})).fails(1, str![[r#"
cogtools-call: error[TOOL_FAILED]: t: element 4 of the command contains a NUL character, which no program accepts
hint: send text without the character U+0000

"#]]);
}

/// The list of elements is rejected.
#[track_caller]
fn is_invalid(elements: &str, stderr: impl Into<cogtools_test_support::Expected>) {
    call("{a: string}", elements, &json!({"a": "x"})).fails(78, stderr);
}

#[test]
#[expect(clippy::too_many_lines, reason = "expected texts")]
fn invalid_elements() {
    is_invalid(
        "5",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:33: `exec` takes a list of strings, not 5
   |
 5 |   exec: [printf, '<%s>', first, 5]
   |                                 ^
hint: put it in quotes to make it a string

"#]],
    );
    is_invalid(
        "[a]",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:33: `exec` takes a list of strings, not a list
   |
 5 |   exec: [printf, '<%s>', first, [a]]
   |                                 ^^^
hint: put it in quotes to make it a string

"#]],
    );
    is_invalid(
        "{}",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:33: `when` is missing
   |
 5 |   exec: [printf, '<%s>', first, {}]
   |                                 ^^
hint: add `when: …`
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:33: `args` is missing
   |
 5 |   exec: [printf, '<%s>', first, {}]
   |                                 ^^
hint: add `args: …`

"#]],
    );
    is_invalid(
        "{wenn: a, args: [x]}",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:33: `when` is missing
   |
 5 |   exec: [printf, '<%s>', first, {wenn: a, args: [x]}]
   |                                 ^^^^^^^^^^^^^^^^^^^^
hint: add `when: …`
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:34: unknown key `wenn`
   |
 5 |   exec: [printf, '<%s>', first, {wenn: a, args: [x]}]
   |                                  ^^^^

"#]],
    );
    is_invalid(
        "{when: a, args: []}",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:49: `args` takes a list of arguments, not an empty list
   |
 5 |   exec: [printf, '<%s>', first, {when: a, args: []}]
   |                                                 ^^
hint: write a list such as `[--, "{{ path }}"]`

"#]],
    );
    is_invalid(
        "{when: a, args: x}",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:49: `args` takes a list of arguments, not a string
   |
 5 |   exec: [printf, '<%s>', first, {when: a, args: x}]
   |                                                 ^
hint: write a list such as `[--, "{{ path }}"]`

"#]],
    );
    is_invalid(
        "{when: a, args: [5]}",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:50: `args` takes a list of strings, not 5
   |
 5 |   exec: [printf, '<%s>', first, {when: a, args: [5]}]
   |                                                  ^
hint: put it in quotes to make it a string

"#]],
    );
    is_invalid(
        "{when: a, args: [{when: a, args: [x]}]}",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:50: `args` takes a list of arguments, not a map
   |
 5 |   exec: [printf, '<%s>', first, {when: a, args: [{when: a, args: [x]}]}]
   |                                                  ^^^^^^^^^^^^^^^^^^^^
hint: write a list such as `[--, "{{ path }}"]`

"#]],
    );
    is_invalid(
        "{when: true, args: [x]}",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:40: `when` takes an expression over the arguments, not a boolean
   |
 5 |   exec: [printf, '<%s>', first, {when: true, args: [x]}]
   |                                        ^^^^
hint: write an expression such as `path` or `count > 1`

"#]],
    );
    is_invalid(
        "{when: ' ', args: [x]}",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:40: `when` is empty
   |
 5 |   exec: [printf, '<%s>', first, {when: ' ', args: [x]}]
   |                                        ^^^
hint: write something under `when`

"#]],
    );
    is_invalid(
        "{when: '{{ a }}', args: [x]}",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:40: `{{ a }}` is a template, but `when` takes an expression
   |
 5 |   exec: [printf, '<%s>', first, {when: '{{ a }}', args: [x]}]
   |                                        ^^^^^^^^^
hint: write it without braces, as in `when: path`

"#]],
    );
}

#[test]
fn invalid_conditions_are_shown_where_they_are() {
    is_invalid(
        "{when: a b, args: [x]}",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:42: expected `%}` at the end of `if`, found `b`
   |
 5 |   exec: [printf, '<%s>', first, {when: a b, args: [x]}]
   |                                          ^

"#]],
    );
    let unknown = call(
        "{a: string}",
        "{when: 'a | nofilter', args: [x]}",
        &json!({"a": "x"}),
    );
    unknown.fails(
        70,
        str![[r#"
cogtools-call: error[TEMPLATE_FAILED]: tools/t.yaml:5:45: unknown filter `nofilter`
   |
 5 |   exec: [printf, '<%s>', first, {when: 'a | nofilter', args: [x]}]
   |                                             ^^^^^^^^

"#]],
    );
    let project = project_with(
        "t",
        "name: t\ndescription: d\nparameters: {a: string}\nimplementation:\n  exec:\n    - echo\n    - when: |\n        a and\n        b c\n      args: [x]\n    - when: |\n        a +* b\n      args: [x]\n    - {when: 'a %}1{% endif %}{% if a', args: [x]}\n",
    );
    let lint = run("cogtools-lint", &project).run();
    lint.status(78).stdout_is(str![[r#"
tools/t.yaml:1:1: warning[no-examples]: no examples
   |
 1 | name: t
   | ^^^^
why: a model sees no complete call, and `cogtools test` has nothing to run
fix: add `examples` with one map of arguments as a model would send them

tools/t.yaml:1:1: warning[no-schema]: no `$schema`
   |
 1 | name: t
   | ^^^^
why: editors and other programs cannot tell that it is a tool, nor which version of the format it uses
fix: add `$schema: schema:agladysh-research.org,2025/cogtools:tool` before the first key (`--fix` does it)

tools/t.yaml:3:14: warning[missing-description]: `a` has no description
   |
 3 | parameters: {a: string}
   |              ^
why: a model then knows only the name; it guesses, and calls fail or give misleading results
fix: add `description`: what to send, in which format, with an example where that helps

tools/t.yaml:4:1: note[no-sandbox]: its program has all rights of its caller
   |
 4 | implementation:
   | ^^^^^^^^^^^^^^
why: its program has all rights of whoever calls the tool: it reads their keys, writes their files and uses the network
fix: add `sandbox: workspace`, or name what the program needs, such as `sandbox: {net: [api.example.com]}`

tools/t.yaml:9:11: error[template-error]: expected `%}` at the end of `if`, found `c`
   |
 9 |         b c
   |           ^
why: every call fails, or fails when it reaches that line; the model can do nothing about it
fix: correct what is marked; the reference of templates lists the tags, filters and tests

1 file: 1 error, 3 warnings, 1 note, `--fix` can fix 1

"#]]);
}

#[test]
fn the_first_element_is_the_program() {
    let project = project_with(
        "t",
        "name: t\ndescription: d\nimplementation: {exec: [{when: a, args: [echo]}, echo]}\n",
    );
    let call = run("cogtools-call", &project).arg("t");
    call.stdin(json!({})).run().fails(78, str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:3:25: `exec` takes a program's name as its first element, not a map
   |
 3 | implementation: {exec: [{when: a, args: [echo]}, echo]}
   |                         ^^^^^^^^^^^^^^^^^^^^^^^
hint: begin the list with the program, as in `[git, log]`

"#]]);
}

#[test]
fn the_linter_reads_conditions() {
    let project = project_with(
        "t",
        "$schema: schema:agladysh-research.org,2025/cogtools:tool\nname: t\ndescription: Print the words\nparameters:\n  a: {type: string, optional: true, description: The first word}\n  b: {type: string, optional: true, description: The second word}\n  l: {type: array, items: string, optional: true, description: More words}\nexamples: [{}, {a: x, l: [x]}]\nimplementation:\n  exec: [echo, {when: a, args: ['{{ a }}', '{{ b }}']}, '{{ l }}', {when: c, args: [x]}]\n",
    );
    let lint = run("cogtools-lint", &project).run();
    lint.status(78).stdout_is(str![[r#"
tools/t.yaml:6:3: warning[uncovered-parameter]: no example sets `b`
   |
 6 |   b: {type: string, optional: true, description: The second word}
   |   ^
why: one of the two paths through the template is never tested
fix: add an example that sets it, and one that omits it

tools/t.yaml:9:1: note[no-sandbox]: its program has all rights of its caller
   |
 9 | implementation:
   | ^^^^^^^^^^^^^^
why: its program has all rights of whoever calls the tool: it reads their keys, writes their files and uses the network
fix: add `sandbox: workspace`, or name what the program needs, such as `sandbox: {net: [api.example.com]}`

tools/t.yaml:10:48: warning[unguarded-optional]: `b` may be missing, and the template does not check
    |
 10 |   exec: [echo, {when: a, args: ['{{ a }}', '{{ b }}']}, '{{ l }}', {when: c, args: [x]}]
    |                                                ^
why: if a call omits it, it renders as nothing, and the heading or sentence around it remains
fix: put it under `{% if b %}`, write `{{ b or "…" }}`, or give it a default

tools/t.yaml:10:75: error[undeclared-variable]: no parameter is named `c`
    |
 10 |  {when: a, args: ['{{ a }}', '{{ b }}']}, '{{ l }}', {when: c, args: [x]}]
    |                                                             ^
why: no call can set it: undeclared arguments are rejected, and the variable renders as nothing
fix: declare the parameter, or correct the name

1 file: 1 error, 2 warnings, 1 note

"#]]);
}

#[test]
fn a_loop_repeats_its_arguments() {
    let parameters = "{labels: {type: array, items: string, optional: true}, fields: {type: array, \
                      optional: true, items: {type: object, properties: {name: string, value: \
                      string}}}}";
    let check = |elements: &str, arguments: &Value, expected: &[&str]| {
        become_(parameters, elements, arguments, expected);
    };
    let labels = "{for: label in labels, args: [--label, '{{ label }}']}, last";
    check(
        labels,
        &json!({"labels": ["a b", "-x", "$(id)", "", "\",\"{{ 1 }}", "{% endset %}", "é\n"]}),
        &[
            "--label",
            "a b",
            "--label",
            "-x",
            "--label",
            "$(id)",
            "--label",
            "",
            "--label",
            "\",\"{{ 1 }}",
            "--label",
            "{% endset %}",
            "--label",
            "é\n",
            "last",
        ],
    );
    check(labels, &json!({"labels": []}), &["last"]);
    check(labels, &json!({}), &["last"]);
    let fields =
        "{for: field in fields, when: field.value, args: ['{{ field.name }}={{ field.value }}']}";
    let arguments = json!({"fields": [{"name": "a", "value": "1"}, {"name": "b", "value": ""}]});
    check(fields, &arguments, &["a=1"]);
    let nested = "{for: 'x in labels | reverse', args: ['{{ loop.index }}{{ x }}']}";
    check(nested, &json!({"labels": ["a", "b"]}), &["1b", "2a"]);
}

#[test]
fn a_loop_that_is_none_is_an_error() {
    is_invalid(
        "{for: labels, args: [x]}",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:39: `for` takes a name and a list, not a string
   |
 5 |   exec: [printf, '<%s>', first, {for: labels, args: [x]}]
   |                                       ^^^^^^
hint: write `NAME in LIST`, such as `label in labels`

"#]],
    );
    is_invalid(
        "{for: x in a, args: ['{% endset %}{% set b %}{{ x }}']}",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:58: `endset` does not belong here
   |
 5 |   exec: [printf, '<%s>', first, {for: x in a, args: ['{% endset %}{% set b %}{{ x }}']}]
   |                                                          ^^^^^^
hint: remove it, or begin the block with `{% set … %}`

"#]],
    );
    let nul = call(
        "{a: 'string[]'}",
        "{for: x in a, args: ['{{ x }}']}",
        &json!({"a": ["\u{0}"]}),
    );
    nul.fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: element 4 of the command contains a NUL character, which no program accepts
hint: send text without the character U+0000

"#]],
    );
}

#[test]
fn the_linter_reads_loops() {
    let project = project_with(
        "t",
        "$schema: schema:agladysh-research.org,2025/cogtools:tool\nname: t\ndescription: Print the words\nsandbox: workspace\nparameters:\n  files: {type: array, items: {type: object, properties: {name: {type: string, description: Its name}}}, description: The files}\nexamples: [{files: [{name: x}]}]\nimplementation:\n  exec: [cat, {for: file in files, args: ['{{ file.name }}', '{{ file.nam }}', '{{ fil }}']}, {for: x in file, args: ['{{ x }}']}]\n",
    );
    let lint = run("cogtools-lint", &project).run();
    lint.status(78).stdout_is(str![[r#"
tools/t.yaml:9:43: warning[argument-as-option]: the program takes it for an option if it begins with `-`
   |
 9 |   exec: [cat, {for: file in files, args: ['{{ file.name }}', '{{ file.nam }}', '{{ fil }}']}, {for: x in file, args: ['{{ x }}']}]
   |                                           ^^^^^^^^^^^^^^^^^
why: the program takes it for an option: `--output=…` or `--upload-pack=…` write files and run programs
fix: write `--` before it, or the option that it is the value of; or declare a `pattern` that excludes `-` at the beginning

tools/t.yaml:9:71: error[unknown-member]: `file` has no member `nam`
   |
 9 | at, {for: file in files, args: ['{{ file.name }}', '{{ file.nam }}', '{{ fil }}']}, {for: x in file, args: ['{{ x }}']}]
   |                                                             ^^^
why: it renders as nothing, or the call fails; the schema says that no call can have it
fix: did you mean `name`?

tools/t.yaml:9:84: error[undeclared-variable]: no parameter is named `fil`
   |
 9 | e in files, args: ['{{ file.name }}', '{{ file.nam }}', '{{ fil }}']}, {for: x in file, args: ['{{ x }}']}]
   |                                                             ^^^
why: no call can set it: undeclared arguments are rejected, and the variable renders as nothing
fix: did you mean `files`?

tools/t.yaml:9:106: error[undeclared-variable]: no parameter is named `file`
   |
 9 |  file.name }}', '{{ file.nam }}', '{{ fil }}']}, {for: x in file, args: ['{{ x }}']}]
   |                                                             ^^^^
why: no call can set it: undeclared arguments are rejected, and the variable renders as nothing
fix: did you mean `files`?

1 file: 3 errors, 1 warning

"#]]);
}

#[test]
fn a_program_gets_a_text_and_runs_in_the_folder_of_its_tool() {
    let tool = |exec: &str| {
        format!(
            "name: t\ndescription: d\nparameters: {{text: string}}\nimplementation: {{{exec}}}\n"
        )
    };
    let check = |exec: &str, expected: &str| {
        let project = project_with("t", &tool(exec));
        project.file("tools/note", "in the folder");
        let call = run("cogtools-call", &project).arg("t");
        call.stdin(json!({"text": "a\"b\n"}))
            .run()
            .outputs(expected);
    };
    check("exec: [cat], stdin: '<{{ text }}>'", "<a\"b\n>");
    check("exec: [cat], stdin: ''", "");
    check("exec: [cat, note], cwd: tool", "in the folder");
    check("exec: [cat, tools/note], cwd: project", "in the folder");
    let own = format!("exec: {{{}: [echo, yes]}}", std::env::consts::OS);
    check(&own, "yes\n");
    let both = "exec: {linux: [echo, yes], macos: [echo, yes], windows: [echo, yes]}, stdin: x";
    check(both, "yes\n");
    let fails = |exec: &str, stderr: cogtools_test_support::Expected| {
        let project = project_with("t", &tool(exec));
        let call = run("cogtools-call", &project).arg("t");
        call.stdin(json!({"text": "a"})).run().fails(78, stderr);
    };
    fails(
        "exec: [cat], cwd: /",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:4:36: `cwd` takes `tool` or `project`, not a string
   |
 4 | implementation: {exec: [cat], cwd: /}
   |                                    ^
hint: write `cwd: tool` or `cwd: project`

"#]]
        .into(),
    );
    fails(
        "exec: [cat], stdni: x",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:4:31: unknown key `stdni`
   |
 4 | implementation: {exec: [cat], stdni: x}
   |                               ^^^^^
hint: did you mean `stdin`?

"#]]
        .into(),
    );
    fails(
        "exec: {linus: [cat]}",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:4:25: unknown key `linus`
   |
 4 | implementation: {exec: {linus: [cat]}}
   |                         ^^^^^
hint: did you mean `linux`?

"#]]
        .into(),
    );
    fails(
        "exec: {}",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:4:24: `exec` takes a list of a program and its arguments, not a map
   |
 4 | implementation: {exec: {}}
   |                        ^^
hint: write a list such as `[echo, "{{ text }}"]`

"#]]
        .into(),
    );
    fails(
        "script: '#!/bin/sh', cwd: tool",
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:4:1: an implementation needs exactly one of `njk_file`, `js`, `exec`, `script`, `http`, `agent` or `flow`
   |
 4 | implementation: {script: '#!/bin/sh', cwd: tool}
   | ^^^^^^^^^^^^^^
hint: write a template as text, or a map such as `{exec: [echo, "{{ text }}"]}`

"#]]
        .into(),
    );
    let other = if cfg!(windows) { "linux" } else { "windows" };
    let project = project_with("t", &tool(&format!("exec: {{{other}: [cat]}}")));
    let call = run("cogtools-call", &project).arg("t");
    let outcome = call.stdin(json!({"text": "a"})).run();
    let stderr = String::from_utf8_lossy(&outcome.status(78).stderr).into_owned();
    assert!(stderr.contains("the tool has no command for"), "{stderr}");
}
