//! The strict mode of `OpenAI`: an optional parameter is declared as one that may be null, and null
//! is read as an absent one.

use cogtools_test_support::{Outcome, Project, str};
use serde_json::{Value, json};

use crate::{project_with, run};

const BOOK: &str = "\
name: book
description: Book a trip
parameters:
  city: string
  days: {type: integer, default: 3}
  note: {type: string, nullable: true, optional: true}
  stops:
    type: array
    optional: true
    items:
      type: object
      properties:
        name: string
        nights: {type: integer, minimum: 1, optional: true}
implementation: \"{{ [city, days, note, stops] | dump }}\"
";

fn book() -> Project {
    project_with("book", BOOK)
}

fn call(project: &Project, args: &[&str], arguments: &Value) -> Outcome {
    let call = run("cogtools-call", project).args(args);
    call.arg("book").stdin(arguments).run()
}

/// All arguments, as a model in strict mode sends them.
fn arguments() -> Value {
    json!({
        "city": "Oslo", "days": null, "note": null,
        "stops": [{"name": "Moss", "nights": null}, {"name": "Ski", "nights": 2}],
    })
}

#[test]
fn null_is_absent_for_those_who_have_the_strict_declaration() {
    let project = book();
    let strict = ["--format", "openai-strict"];
    let result = r#"["Oslo",3,null,[{"name":"Moss"},{"name":"Ski","nights":2}]]"#;
    call(&project, &strict, &arguments()).outputs(result);
    let words = ["book", "city=Oslo", "days:=null", "stops:=null"];
    let run_strict = run("cogtools-run", &project).args(strict).args(words);
    run_strict.run().outputs(r#"["Oslo",3,null,null]"#);
    let file = run("cogtools-yaml", &project)
        .args(strict)
        .arg("tools/book.yaml");
    file.stdin(arguments()).run().outputs(result);
}

#[test]
fn null_is_a_value_for_all_others() {
    let project = book();
    for args in [&[][..], &["--format", "openai"]] {
        call(&project, args, &arguments()).fails(
            65,
            str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: book: /days: expected integer, got null
hint: leave it out, or send days (integer)
cogtools-call: error[SCHEMA_VIOLATION]: book: /stops/0/nights: expected integer, got null
hint: leave it out, or send nights (integer, at least 1)

"#]],
        );
    }
}

#[test]
fn null_for_a_required_parameter_is_an_error() {
    let arguments = json!({
        "city": null, "days": null, "note": null, "stops": [{"name": null, "nights": null}],
    });
    call(&book(), &["--format", "openai-strict"], &arguments).fails(
        65,
        str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: book: /city: expected string, got null
hint: send city (string)
cogtools-call: error[SCHEMA_VIOLATION]: book: /stops/0/name: expected string, got null
hint: send name (string)

"#]],
    );
}

#[test]
fn what_strict_mode_cannot_say_is_declared_without_it() {
    let project = project_with(
        "label",
        "name: label\ndescription: Label it\nparameters:\n  labels: {type: object, \
         additionalProperties: string}\n  name: {type: string, optional: true}\nimplementation: x\n",
    );
    let declared = run("cogtools-discover", &project).args(["--format", "openai-strict"]);
    declared
        .run()
        .outputs_json(&json!([{"type": "function", "function": {
            "name": "label", "description": "Label it", "strict": false,
            "parameters": {
                "type": "object",
                "properties": {
                    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                    "name": {"type": "string"},
                },
                "required": ["labels"],
                "additionalProperties": false,
            },
        }}]));
}

/// The filter and the budget of OpenAI hold for both of its forms.
#[test]
fn the_configuration_of_openai_holds() {
    let project = book();
    project.file(".cogtoolrc.yaml", "hosts: {openai: {exclude: [book]}}\n");
    let declared = run("cogtools-discover", &project).args(["--format", "openai-strict"]);
    declared.run().outputs("[]\n");
}
