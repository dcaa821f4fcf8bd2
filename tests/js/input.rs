//! Inputs, and messages of failures.

use cogtools_test_support::{Project, str};

use crate::run;

fn evaluate(input: &str) -> cogtools_test_support::Outcome {
    run("cogtools-js", &Project::new()).stdin(input).run()
}

#[test]
fn a_request_that_is_not_one() {
    evaluate("").fails(
        65,
        str![[r#"
cogtools-js: error[SCHEMA_VIOLATION]: request: /code: required but missing
hint: send the body of a function, as in {"code": "return 1 + 1"}

"#]],
    );
    evaluate("[]").fails(65, str![[r#"
cogtools-js: error[INVALID_ARGUMENTS_SYNTAX]: request: the arguments must be one object, not an array
hint: send one object with a key per parameter, such as {"name": "value"}

"#]]);
    evaluate("{\"code\": ").fails(
        65,
        str![[r#"
cogtools-js: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:9: not valid JSON: EOF while parsing a value
   |
 1 | {"code":
   |         ^
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
    );
    evaluate(r#"{"code": 5, "args": [1]}"#).fails(
        65,
        str![[r#"
cogtools-js: error[SCHEMA_VIOLATION]: request: /code: not a string
hint: send the body of a function, as in {"code": "return 1 + 1"}
cogtools-js: error[SCHEMA_VIOLATION]: request: /args: not an object
hint: send an object, as in {"args": {"a": 1}}

"#]],
    );
    evaluate(&format!(r#"{{"code": "{}"}}"#, "x".repeat(1_001))).fails(
        65,
        str![[r#"
cogtools-js: error[SCHEMA_VIOLATION]: request: /code: 1001 UTF-16 units long, 1000 at most
hint: send the body of a function, as in {"code": "return 1 + 1"}

"#]],
    );
}

#[test]
fn a_failure_shows_where_and_what_was_logged() {
    evaluate(r#"{"code": "console.log('one\\ntwo', {});\n  args.a.b;"}"#).fails(
        1,
        str![[r#"
cogtools-js: error[JS_RUNTIME]: <code>:2:3: TypeError: cannot read property 'b' of undefined
   |
 2 |   args.a.b;
   |   ^
  | one
  | two [object Object]

"#]],
    );
    evaluate(r#"{"code": "return 1 +"}"#).fails(
        1,
        str![[r#"
cogtools-js: error[JS_SYNTAX]: <code>:1:11: unexpected end of the code
   |
 1 | return 1 +
   |           ^
hint: write the body of a function that takes `args`, such as `return args.a + 1`

"#]],
    );
    evaluate(r#"{"code": "const é = '😀'; null.x"}"#).fails(
        1,
        str![[r#"
cogtools-js: error[JS_RUNTIME]: <code>:1:20: TypeError: cannot read property 'x' of null
   |
 1 | const é = '😀'; null.x
   |                    ^

"#]],
    );
    evaluate(r#"{"code": "fetch('http://localhost')"}"#).fails(
        1,
        str![[r#"
cogtools-js: error[JS_FORBIDDEN]: <code>:1:1: fetch is forbidden
   |
 1 | fetch('http://localhost')
   | ^
hint: compute with `args` alone: there is no network and no storage

"#]],
    );
    evaluate(r#"{"code": "console.log('\u001b[2J\u202e'); for (;;);", "timeoutMs": 1}"#).fails(
        124,
        str![[r#"
cogtools-js: error[JS_TIMEOUT]: exceeded 50 ms
  | \u{1b}[2J\u{202e}
hint: compute less, in fewer steps

"#]],
    );
    evaluate(r#"{"code": "return {a: [1, () => 1]}"}"#).fails(
        1,
        str![[r#"
cogtools-js: error[JS_RESULT]: the value at `/a/1` is a function, which is not JSON
hint: return text, numbers, booleans, null, arrays or plain objects

"#]],
    );
}

#[test]
fn a_failure_as_json() {
    let failure = |code: &str| {
        let request = serde_json::json!({"code": code}).to_string();
        run("cogtools-js", &Project::new())
            .args(["--error-format", "json"])
            .stdin(request)
            .run()
    };
    failure("console.log(1); console.warn('a', [2, 3]); x").fails(1, str![[r#"
{"severity":"error","code":"JS_RUNTIME","program":"cogtools-js","file":"<code>","line":1,"column":44,"message":"ReferenceError: x is not defined","logs":["1","a 2,3"],"hints":[]}

"#]]);
    failure("").fails(65, str![[r#"
{"severity":"error","code":"SCHEMA_VIOLATION","program":"cogtools-js","subject":"request","pointer":"/code","message":"empty","hints":["send the body of a function, as in {\"code\": \"return 1 + 1\"}"]}

"#]]);
}

#[test]
fn without_its_program_nothing_is_evaluated() {
    let project = Project::new();
    project.copy("../bin/cogtools", crate::whole("cogtools"));
    cogtools_test_support::Run::new(project.path("../bin/cogtools"))
        .project(&project)
        .arg("js")
        .stdin(r#"{"code": "return 1"}"#)
        .run()
        .fails(
            74,
            str![[r#"
cogtools-js: error[IO_FAILED]: `cogtools-js` is not installed
hint: install it in the folder of the other programs of cogtools

"#]],
        );
}

#[test]
fn the_porcelain_runs_it() {
    let project = Project::new();
    let outcome = run("cogtools", &project)
        .arg("js")
        .stdin(r#"{"code": "return args.a + 1", "args": {"a": 1}}"#)
        .run();
    let mut found = outcome.json();
    found["ms"] = 0.into();
    assert_eq!(
        found.to_string(),
        r#"{"result":2,"logs":[],"stringified":false,"ms":0}"#
    );
}
