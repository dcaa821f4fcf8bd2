//! `cogtools run`: arguments as words, the same call as `cogtools-call`.

use cogtools_test_support::{Outcome, Project, Run, str};
use serde_json::json;

use crate::{project_with, run};

const TRIP: &str = "\
name: trip
description: Plan a trip
parameters:
  city: {type: string, minLength: 2, description: Where to go}
  days: {type: integer, minimum: 1, default: 3}
  wild: {type: boolean, optional: true}
  tags: {type: array, items: string, optional: true}
  stop:
    type: object
    optional: true
    properties: {name: string, nights: {type: integer, default: 1}}
implementation: \"{{ city }}, {{ days }}, {{ wild }}, {{ tags }}, {{ stop.name }} {{ stop.nights }}\"
";

fn trip(words: &[&str]) -> Outcome {
    let project = project_with("trip", TRIP);
    run("cogtools", &project)
        .args(["run", "trip"])
        .args(words)
        .run()
}

#[test]
fn words_are_typed_arguments() {
    let words = [
        "city=Oslo",
        "days=2",
        "wild=false",
        "tags=a",
        "tags=7",
        "stop.name=Moss",
    ];
    trip(&words).outputs(str!["Oslo, 2, false, a,7, Moss 1"]);
    trip(&["city=77", "stop:={\"name\": \"7\"}"]).outputs(str!["77, 3, , , 7 1"]);
    trip(&["{\"city\": \"Oslo\"}", "days=1"]).outputs(str!["Oslo, 1, , ,  "]);
}

#[test]
fn violations_are_those_of_any_call() {
    let words = ["days=none", "wild=yes", "mood=calm", "stop.nights=x"];
    let arguments = json!({
        "days": "none", "wild": "yes", "mood": "calm", "stop": {"nights": "x"},
    });
    let project = project_with("trip", TRIP);
    let call = run("cogtools-call", &project)
        .arg("trip")
        .stdin(&arguments)
        .run();
    call.fails(
        65,
        str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: trip: /mood: not a parameter of this tool
hint: the parameters are `city`, `days`, `wild`, `tags`, `stop`
cogtools-call: error[SCHEMA_VIOLATION]: trip: /city: required but missing
hint: send city (string, at least 2 characters): Where to go
cogtools-call: error[SCHEMA_VIOLATION]: trip: /days: expected integer, got string "none"
hint: send days (integer, at least 1)
cogtools-call: error[SCHEMA_VIOLATION]: trip: /wild: expected boolean, got string "yes"
hint: send wild (boolean)
cogtools-call: error[SCHEMA_VIOLATION]: trip: /stop/name: required but missing
hint: send name (string)
cogtools-call: error[SCHEMA_VIOLATION]: trip: /stop/nights: expected integer, got string "x"
hint: send nights (integer)
hint: the least that is valid: {"city":"……"}

"#]],
    );
    trip(&words).fails(
        65,
        str![[r#"
cogtools-run: error[SCHEMA_VIOLATION]: trip: /mood: not a parameter of this tool
hint: the parameters are `city`, `days`, `wild`, `tags`, `stop`
cogtools-run: error[SCHEMA_VIOLATION]: trip: /city: required but missing
hint: send city (string, at least 2 characters): Where to go
cogtools-run: error[SCHEMA_VIOLATION]: trip: /days: expected integer, got string "none"
hint: send days (integer, at least 1)
cogtools-run: error[SCHEMA_VIOLATION]: trip: /wild: expected boolean, got string "yes"
hint: send wild (boolean)
cogtools-run: error[SCHEMA_VIOLATION]: trip: /stop/name: required but missing
hint: send name (string)
cogtools-run: error[SCHEMA_VIOLATION]: trip: /stop/nights: expected integer, got string "x"
hint: send nights (integer)
hint: the least that is valid: {"city":"……"}

"#]],
    );
}

#[test]
fn what_is_not_an_argument_says_what_to_write() {
    trip(&["Oslo"]).fails(
        2,
        str![[r#"
cogtools-run: error[USAGE]: trip: `Oslo` is not KEY=VALUE
hint: write it as one word: city=Oslo

"#]],
    );
    trip(&["city=Oslo", "days:=two", "city=Bergen", "{city: Oslo}"]).fails(
        65,
        str![[r#"
cogtools-run: error[INVALID_ARGUMENTS_SYNTAX]: trip: /days: not valid JSON: expected ident
hint: write JSON after `:=`, or `=` for a plain value
cogtools-run: error[USAGE]: trip: /city: set more than once
hint: only a parameter that is an array takes several values
cogtools-run: error[INVALID_ARGUMENTS_SYNTAX]: trip: not valid JSON: key must be a string
hint: quote the object for the shell: '{"name": "value"}'

"#]],
    );
    let project = Project::new();
    run("cogtools", &project).arg("run").run().fails(
        2,
        str![[r#"
cogtools-run: error[USAGE]: the following required arguments were not provided: <TOOL>
hint: usage: cogtools-run [OPTIONS] <TOOL> [KEY=VALUE]...
hint: --help explains every option

"#]],
    );
    run("cogtools", &project).args(["run", "trip"]).run().fails(
        127,
        str![[r#"
cogtools-run: error[TOOL_NOT_FOUND]: trip: no such tool
hint: cogtools-discover lists all tools

"#]],
    );
}

#[test]
fn a_program_needs_the_same_approval() {
    let tool = "name: w\ndescription: d\nparameters: {word: string}\n\
                implementation: {exec: [echo, '{{ word }}']}\n";
    let project = Project::untrusted();
    project.file("tools/w.yaml", tool);
    let run = || {
        run("cogtools", &project)
            .args(["run", "w", "word=hi"])
            .run()
    };
    run().fails(
        77,
        str![[r#"
cogtools-run: error[DENIED]: w: it runs a program, and its project is not trusted yet
hint: only the user can trust it, after reviewing its tools: cogtools trust .

"#]],
    );
    project.trust(".");
    run().outputs(str![[r#"
hi

"#]]);
}

#[test]
fn standard_input_is_for_cogtools_call() {
    let project = project_with("trip", TRIP);
    let call =
        |args: &[&str], stdin: &str| run("cogtools-call", &project).args(args).stdin(stdin).run();
    call(&["trip", "{\"city\": \"Oslo\"}"], "").fails(2, str![[r#"
cogtools-call: error[USAGE]: unexpected argument '{"city": "Oslo"}': arguments are read from standard input
hint: echo '{"city": "Oslo"}' | cogtools-call trip sends them
hint: cogtools run trip '{"city": "Oslo"}' takes them from the command line
hint: --help explains every option

"#]]);
    call(&["trip", "city=Oslo", "days=2"], "").fails(
        2,
        str![[r#"
cogtools-call: error[USAGE]: unexpected argument 'city=Oslo': arguments are read from standard input
hint: cogtools run trip city=Oslo days=2 takes them from the command line
hint: --help explains every option

"#]],
    );
    call(&["trip", "Oslo"], "").fails(
        2,
        str![[r#"
cogtools-call: error[USAGE]: unexpected argument 'Oslo': arguments are read from standard input
hint: --help explains every option

"#]],
    );
    call(&["trip"], "city: Oslo\n").fails(
        65,
        str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:1: not valid JSON: expected value
   |
 1 | city: Oslo
   | ^
hint: this is YAML, which cogtools-call --yaml trip reads
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
    );
    call(&["trip"], "Oslo\n").fails(
        65,
        str![[r#"
cogtools-call: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:1: not valid JSON: expected value
   |
 1 | Oslo
   | ^
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
    );
}

#[test]
fn standard_input_is_for_cogtools_yaml() {
    let project = project_with("trip", TRIP);
    let file = |args: &[&str], stdin: &str| {
        let yaml = run("cogtools-yaml", &project).arg("tools/trip.yaml");
        yaml.args(args).stdin(stdin).run()
    };
    file(&["{}"], "").fails(
        2,
        str![[r#"
cogtools-yaml: error[USAGE]: unexpected argument '{}': arguments are read from standard input
hint: echo '{}' | cogtools-yaml tools/trip.yaml sends them
hint: --help explains every option

"#]],
    );
    file(&["city=Oslo"], "").fails(
        2,
        str![[r#"
cogtools-yaml: error[USAGE]: unexpected argument 'city=Oslo': arguments are read from standard input
hint: --help explains every option

"#]],
    );
    file(&[], "city: Oslo\n").fails(
        65,
        str![[r#"
cogtools-yaml: error[INVALID_ARGUMENTS_SYNTAX]: <stdin>:1:1: not valid JSON: expected value
   |
 1 | city: Oslo
   | ^
hint: this is YAML, which cogtools-yaml --yaml tools/trip.yaml reads
hint: send one JSON object on standard input, such as {"name": "value"}

"#]],
    );
}

/// A value can come from another program.
#[test]
fn an_argument_is_read_from_standard_input() {
    let project = project_with("trip", TRIP);
    let trip = |words: &[&str], stdin: &str| {
        run("cogtools", &project)
            .args(["run", "trip"])
            .args(words)
            .stdin(stdin)
            .run()
    };
    trip(&["city=@-"], "Oslo = \"O\"\n").outputs("Oslo = \"O\", 3, , ,  ");
    // One line end belongs to the program that printed it.
    trip(&["city=@-", "days=2"], "Oslo\n\r\n").outputs("Oslo\n, 2, , ,  ");
    trip(&["city=Oslo", "days=@-"], "7\n").outputs("Oslo, 7, , ,  ");
    trip(&["city=Oslo", "stop:=@-"], "{\"name\": \"Moss\"}\n").outputs("Oslo, 3, , , Moss 1");
    trip(&["city=Oslo", "tags=@-", "tags=b"], "[\"a\"]").outputs("Oslo, 3, , a,b,  ");
    // Only the whole value means it.
    trip(&["city=@-x"], "Oslo").outputs("@-x, 3, , ,  ");
    trip(&["city:=\"@-\""], "Oslo").outputs("@-, 3, , ,  ");
    trip(&["city=@-", "days=@-"], "7").fails(
        2,
        str![[r#"
cogtools-run: error[USAGE]: trip: `city` and `days` cannot both be read from standard input
hint: write one of the values on the command line

"#]],
    );
    trip(&["city=Oslo", "stop:=@-"], "{").fails(65, str![[r#"
cogtools-run: error[INVALID_ARGUMENTS_SYNTAX]: trip: /stop: not valid JSON: EOF while parsing an object
hint: write JSON after `:=`, or `=` for a plain value

"#]]);
}

#[test]
fn results_go_through_a_pipe() {
    let project = project_with("trip", TRIP);
    let pipe = "cogtools run trip city=Oslo days=1 | cogtools run trip city=@- | cogtools run trip city=@-";
    let path = std::env::join_paths([crate::programs(), "/usr/bin".as_ref(), "/bin".as_ref()]);
    Run::new("/bin/sh")
        .args(["-c", pipe])
        .project(&project)
        .env("PATH", path.expect("a path"))
        .run()
        .outputs("Oslo, 1, , ,  , 3, , ,  , 3, , ,  ");
}
