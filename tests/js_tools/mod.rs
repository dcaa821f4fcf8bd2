//! Tools in JavaScript: `implementation: {js: |…}`.

mod programs;

use cogtools_test_support::{Outcome, Project, str};

use crate::run;

const ADD: &str = "\
name: add
description: Add two numbers
parameters:
  a: {type: number, description: The first}
  b: {type: number, default: 1, description: The second}
examples:
  - {a: 1, b: 2}
implementation:
  js: |

    const sum = args.a + args.b;
    console.log(`${args.a}`, \"and\", args.b);
    if (sum > 100) throw new RangeError(\"too much\");
    return sum;
";

/// A tool with `code`, each line of which is indented as in a block.
fn tool(code: &str) -> String {
    let code = code.lines().collect::<Vec<_>>().join("\n    ");
    format!("name: t\ndescription: d\nimplementation:\n  js: |\n    {code}\n")
}

fn call(project: &Project, name: &str, arguments: &str) -> Outcome {
    run("cogtools-call", project)
        .arg(name)
        .stdin(arguments)
        .run()
}

#[track_caller]
fn returns(code: &str, expected: &str) {
    let project = Project::untrusted();
    project.file("tools/t.yaml", tool(code));
    call(&project, "t", "").outputs(expected);
}

#[test]
fn a_string_is_text_and_the_rest_is_json() {
    returns("return 'two\\nlines'", "two\nlines");
    returns("return ''", "");
    returns(
        "return {b: 1, a: [1.5, null, 'x']}",
        "{\"b\":1,\"a\":[1.5,null,\"x\"]}",
    );
    returns("return 5n", "5");
    returns("return new Date(0)", "1970-01-01T00:00:00.000Z");
}

#[test]
fn what_has_content_shows_it() {
    returns(
        "return {m: new Map([['a', new Set([1])]]), e: new RangeError('no'), b: new Uint8Array([1])}",
        r#"{"m":{"a":[1]},"e":{"name":"RangeError","message":"no"},"b":[1]}"#,
    );
    let project = Project::untrusted();
    project.file(
        "tools/t.yaml",
        tool("console.log({a: [1]}, new Map([[1, 2]]), new Error('no'), 'x'); return 1"),
    );
    let outcome = run("cogtools-call", &project)
        .args(["t", "--verbose"])
        .run();
    outcome.stderr_contains("| {\"a\":[1]} [[1,2]] Error: no x\n");
}

#[test]
fn nothing_is_no_result() {
    let project = Project::untrusted();
    for (code, expected) in [
        ("return", "returned nothing: add `return`"),
        ("const a = 1;", "returned nothing: add `return`"),
        (
            "const o = {}; o.o = o; return o",
            "the result has a cycle or no JSON, so it is no value",
        ),
        (
            "return {d: new Date(NaN)}",
            "the value at `/d` is an invalid date",
        ),
        (
            "return 0 / 0",
            "the result is NaN, which is no number in JSON",
        ),
        (
            "return {n: [-1 / 0]}",
            "the value at `/n/0` is -Infinity, which is no number in JSON",
        ),
    ] {
        project.file("tools/t.yaml", tool(code));
        let message = format!("error[TOOL_FAILED]: t: {expected}\n");
        call(&project, "t", "").status(1).stderr_contains(&message);
    }
}

#[test]
fn arguments_are_those_that_were_accepted() {
    let project = Project::untrusted();
    project.file("tools/add.yaml", ADD);
    call(&project, "add", r#"{"a": 1.5}"#).outputs("2.5");
    call(&project, "add", r#"{"a": "1"}"#).fails(
        65,
        str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: add: /a: expected number, got string "1"
hint: send a (number): The first

"#]],
    );
    run("cogtools-call", &project)
        .args(["add", "--verbose"])
        .stdin(r#"{"a": 1}"#)
        .run()
        .expect(
            0,
            "2",
            str![[r#"
cogtools-call: add: tools/add.yaml
cogtools-call: add: the tool logged:
  | 1 and 1

"#]],
        );
}

#[test]
fn an_error_is_at_its_line() {
    let project = Project::untrusted();
    project.file("tools/add.yaml", ADD);
    call(&project, "add", r#"{"a": 100}"#).fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: tools/add.yaml:13:30: RangeError: too much
    |
 13 |     if (sum > 100) throw new RangeError("too much");
    |                              ^
  | 100 and 1

"#]],
    );
    let fails = |code: &str| {
        project.file("tools/t.yaml", tool(code));
        call(&project, "t", "")
    };
    fails("const é = '😀';\n\n  null.x;").fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: tools/t.yaml:7:7: TypeError: cannot read property 'x' of null
   |
 7 |       null.x;
   |       ^

"#]],
    );
    fails("return [\n  1 2\n];").fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:6:9: unexpected number
   |
 6 |       1 2
   |         ^
hint: write the body of a function that takes `args`, such as `return args.a + 1`

"#]],
    );
    fails("return 1 +").fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:5:15: unexpected end of the code
   |
 5 |     return 1 +
   |               ^
hint: write the body of a function that takes `args`, such as `return args.a + 1`

"#]],
    );
}

#[test]
fn an_error_says_what_to_do() {
    let project = Project::untrusted();
    let fails = |code: &str| {
        project.file("tools/t.yaml", tool(code));
        call(&project, "t", "")
    };
    fails("return () => 1").fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: the result is a function, which is not JSON
hint: return text, numbers, booleans, null, arrays or plain objects

"#]],
    );
    fails("fetch('http://localhost')").fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: tools/t.yaml:5:5: fetch is forbidden
   |
 5 |     fetch('http://localhost')
   |     ^
hint: compute with `args` alone: there is no network and no storage

"#]],
    );
    fails("const a = []; for (;;) a.push('x'.repeat(1e6) + a.length)").fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: t: exceeded 64 MiB of memory
hint: build smaller values, and fewer at a time

"#]],
    );
    project.file(
        "tools/t.yaml",
        "name: t\ndescription: d\nimplementation: {js: \"\\n\\n x()\"}\n",
    );
    call(&project, "t", "").fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: tools/t.yaml:3:28: ReferenceError: x is not defined
   |
 3 | implementation: {js: "\n\n x()"}
   |                            ^

"#]],
    );
}

#[test]
fn a_timeout_ends_it() {
    let project = Project::untrusted();
    let code = tool("console.log('before'); for (;;);");
    project.file("tools/t.yaml", format!("{code}timeout: 0.2\n"));
    call(&project, "t", "").fails(
        124,
        str![[r#"
cogtools-call: error[TIMEOUT]: t: the tool timed out after 0.2 s
  | before
hint: send less, or give the tool more time with `timeout`

"#]],
    );
    let code = tool("return (7n ** 300000n).toString()");
    project.file("tools/t.yaml", format!("{code}timeout: 0.2\n"));
    call(&project, "t", "").fails(
        124,
        str![[r#"
cogtools-call: error[TIMEOUT]: t: the tool timed out after 0.2 s
hint: send less, or give the tool more time with `timeout`

"#]],
    );
}

#[test]
fn a_file_that_is_not_such_a_tool() {
    let project = Project::untrusted();
    let fails = |implementation: &str| {
        let text = format!("name: t\ndescription: d\nimplementation: {implementation}\n");
        project.file("tools/t.yaml", text);
        call(&project, "t", "")
    };
    fails("{js: \" \"}").fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:3:18: `js` is empty
   |
 3 | implementation: {js: " "}
   |                  ^^
hint: write something under `js`

"#]],
    );
    fails("{js: [1]}").fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:3:22: `js` takes code in JavaScript, not a list
   |
 3 | implementation: {js: [1]}
   |                      ^^^
hint: write the code under `js: |`, such as `return args.a + 1`

"#]],
    );
    fails("{js: x, exec: [x]}").fails(78, str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:3:1: an implementation needs exactly one of `njk_file`, `js`, `exec`, `script`, `http`, `agent` or `flow`
   |
 3 | implementation: {js: x, exec: [x]}
   | ^^^^^^^^^^^^^^
hint: write a template as text, or a map such as `{exec: [echo, "{{ text }}"]}`

"#]]);
    fails("{jss: x}").fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:3:18: unknown key `jss`
   |
 3 | implementation: {jss: x}
   |                  ^^^
hint: did you mean `js`?

"#]],
    );
    fails("| # js\n  return 1").fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:3:21: `js` is not a supported template language
   |
 3 | implementation: | # js
   |                     ^^
hint: write the code under `implementation: {js: …}`

"#]],
    );
    fails(&format!("{{js: {}}}", "x".repeat((64 << 10) + 1))).fails(78, str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/t.yaml:3:18: `js` is longer than 64 KiB
   |
 3 | implementation: {js: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
   |                  ^^
hint: shorten it, and pass data as arguments

"#]]);
}

#[test]
fn the_linter_runs_the_examples() {
    let project = Project::new();
    let tool = |code: &str| {
        format!(
            "$schema: schema:agladysh-research.org,2025/cogtools:tool\nname: day\n\
             description: The day of a date, as text\nparameters:\n  \
             date: {{type: string, description: The date}}\nexamples:\n  - date: \"2026-01-02\"\n  \
             - {{arguments: {{date: none}}, fails: TOOL_FAILED}}\nimplementation:\n  js: |\n    \
             return new Date(args.date).toISOString().{code};\n"
        )
    };
    project
        .dir(".gemini")
        .file("tools/day.yaml", tool("spilt(\"T\")[0]"));
    let stdout = str![[r#"
tools/day.yaml:11:46: error[js-error]: a call like an example fails: TypeError: not a function
    |
 11 |     return new Date(args.date).toISOString().spilt("T")[0];
    |                                              ^
why: the call fails; the model can do nothing about it
fix: correct the code; an example of a call that has to fail says so with `fails`

1 file: 1 error

"#]];
    run("cogtools-lint", &project).run().expect(78, stdout, "");
    // What is found in the code is not said twice.
    project.file("tools/day.yaml", tool("splt(args.dat)"));
    let stdout = str![[r#"
tools/day.yaml:11:56: error[js-undeclared-name]: no parameter is named `dat`
    |
 11 |     return new Date(args.date).toISOString().splt(args.dat);
    |                                                        ^^^
why: a call fails when it reaches the name: only the language itself exists; no call can set the property
fix: did you mean `date`?

1 file: 1 error

"#]];
    run("cogtools-lint", &project).run().expect(78, stdout, "");
    project.file("tools/day.yaml", tool("split(\"T\")[0]"));
    run("cogtools-lint", &project)
        .run()
        .outputs("1 file: nothing to report\n");
}

/// The linter knows the names that exist, and TypeScript as JavaScript.
#[test]
fn the_linter_knows_the_language() {
    let project = Project::new();
    let tool = |code: &str| {
        format!(
            "$schema: schema:agladysh-research.org,2025/cogtools:tool\nname: sum\n\
             description: The sum of the prices, as a number\nparameters:\n  \
             prices: {{type: array, items: {{type: number}}, description: The prices}}\n\
             examples:\n  - prices: [1, 2]\nimplementation:\n  js: |\n    {code}\n"
        )
    };
    let names = "return Object.getOwnPropertyNames(globalThis).join(' ')";
    project.dir(".gemini").file("tools/sum.yaml", tool(names));
    let outcome = call(&project, "sum", r#"{"prices": []}"#);
    let names = String::from_utf8(outcome.stdout).expect("names are text");
    let forbidden = [
        "fetch",
        "XMLHttpRequest",
        "WebSocket",
        "importScripts",
        "indexedDB",
        "caches",
    ];
    let names = names
        .split_whitespace()
        .filter(|name| !forbidden.contains(name));
    let uses = format!(
        "return [args.prices, {}]",
        names.collect::<Vec<_>>().join(", ")
    );
    assert!(uses.contains("URLSearchParams"), "{uses}");
    project.file("tools/sum.yaml", tool(&uses));
    let found = String::from_utf8(run("cogtools-lint", &project).run().stdout).expect("text");
    assert!(!found.contains("is not declared"), "{found}");
    let typed = "const sum = (a: number, b: number): number => a + b;\n    \
                 return (args.prices as number[]).reduce(sum, 0);";
    project.file("tools/sum.yaml", tool(typed));
    run("cogtools-lint", &project)
        .run()
        .outputs("1 file: nothing to report\n");
    let wrong = "enum Kind { Sum }\n    return args.prices.length;";
    project.file("tools/sum.yaml", tool(wrong));
    let stdout = str![[r#"
tools/sum.yaml:10:5: error[js-error]: `enum` is more than a type: write an object, such as `const Colour = { Red: "red" }`
    |
 10 |     enum Kind { Sum }
    |     ^^^^^^^^^^^^^^^^^
why: the call fails; the model can do nothing about it
fix: correct the code; an example of a call that has to fail says so with `fails`

1 file: 1 error

"#]];
    run("cogtools-lint", &project).run().expect(78, stdout, "");
    let wrong = "const prices: number[] = args.prices;\n    return (prices as number[]).lenght;";
    project.file("tools/sum.yaml", tool(wrong));
    let stdout = str![[r#"
tools/sum.yaml:11:33: error[js-unknown-member]: `(prices as number[])` is a list, which has no member `lenght`
    |
 11 |     return (prices as number[]).lenght;
    |                                 ^^^^^^
why: it is undefined, or the call fails; the schema says that no call can have it
fix: did you mean `length`?

1 file: 1 error

"#]];
    run("cogtools-lint", &project).run().expect(78, stdout, "");
}

/// A tool with branches of all kinds.
const BRANCHES: &str = "\
name: sum
description: d
parameters:
  n: {type: integer}
  note: {type: string, optional: true}
examples: [{n: 1}, {n: 3, note: x}]
implementation:
  js: |
    let text = args.note || 'none';
    if (args.n > 2) text += '!'
    if (args.n > 9) return 'many';
    else if (args.note) text += '?';
    switch (args.n) {
      case 0:
      case 1: text += 'a'; break;
      case 2: text += 'b';
      default: text += 'c';
    }
    const last: string = args.n === 7 ? 'seven' : args.n > 2 && 'x';
    return [1, 2].map((n) => (n > args.n ? n : text)).join('') + last;
";

#[test]
fn branches_that_no_example_takes() {
    let project = Project::new();
    let fails = "name: bad\ndescription: d\nparameters: {n: {type: integer}}\n\
                 examples: [{arguments: {n: 1}, fails: TOOL_FAILED}]\nimplementation:\n  js: |\n    \
                 if (args.n) throw new Error('x');\n    return 1;\n";
    project
        .file("tools/sum.yaml", BRANCHES)
        .file("tools/bad.yaml", fails);
    run("cogtools-test", &project)
        .arg("--update")
        .run()
        .status(0);
    assert_eq!(project.read("tools/sum.1.golden"), "nonea2false");
    run("cogtools-test", &project)
        .arg("--coverage")
        .run()
        .outputs(str![[r#"
ok bad (1 example)
  tools/bad.yaml:7: no example takes `else of if args.n`
ok sum (2 examples)
  tools/sum.yaml:11: no example takes `if args.n > 9`
  tools/sum.yaml:16: no example takes `case 2`
  tools/sum.yaml:19: no example takes `args.n === 7 ?`

2 tools, 3 examples: all passed
branches taken: 13 of 17; optional properties set: 1 of 1; values of enums used: 0 of 0

"#]]);
}

/// A double would be another number.
#[test]
fn an_integer_that_javascript_lacks_is_refused() {
    let project = Project::new();
    let id = tool("return args.a.id").replace("js: |", "js: |\n");
    let id = id.replace(
        "description: d\n",
        "description: d\nparameters: {a: object}\n",
    );
    project.file("tools/t.yaml", id);
    call(&project, "t", r#"{"a": {"id": 9007199254740991}}"#).outputs("9007199254740991");
    call(&project, "t", r#"{"a": {"id": 9007199254740993}}"#).fails(
        65,
        str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: t: /a/id: JavaScript has no number 9007199254740993, only ones near it
hint: declare a parameter with such numbers as a string

"#]],
    );
}
