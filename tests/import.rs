//! Tool files that `cogtools import` makes: valid, readable, without secrets.

use cogtools_test_support::{Project, Run, str};

use crate::run;

const API: &str = r#"
openapi: 3.0.3
servers: [{url: "http://127.0.0.1:8080/v1"}]
security: [{token: []}]
components: {securitySchemes: {token: {type: http, scheme: bearer}}}
paths:
  /pets/{id}:
    post:
      operationId: renamePet
      summary: Rename a pet
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
        - {name: dry, in: query, schema: {type: boolean}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [name]
              properties:
                name: {type: string}
                owner: {type: object, properties: {id: {type: integer}}}
    get: {summary: Get a pet, parameters: [{name: other, in: path, schema: {type: string}}]}
"#;

fn import(args: &[&str]) -> (Project, Run) {
    let project = Project::new();
    project.file("api.yaml", API);
    let run = run("cogtools-import", &project).args(args);
    (project, run)
}

#[test]
fn an_operation_becomes_a_readable_file() {
    for operation in ["renamePet", "POST /pets/{id}"] {
        let (_project, run) = import(&["openapi", "api.yaml", "--operation", operation]);
        run.run().outputs(str![[r#""#]]);
    }
}

#[test]
fn an_operation_that_is_not_there_or_no_tool() {
    let (_project, run) = import(&["openapi", "api.yaml", "--operation", "renamPet"]);
    run.run().fails(2, str![[r#""#]]);
    let (_project, run) = import(&["openapi", "api.yaml", "--operation", "GET /pets/{id}"]);
    run.run().fails(78, str![[r#""#]]);
    let (_project, run) = import(&["openapi", "absent.yaml", "--operation", "x"]);
    run.run().fails(78, str![[r#""#]]);
}

#[test]
fn a_command_of_a_browser_becomes_a_tool_without_its_secrets() {
    let command = r#"curl 'https://api.shop.example/v2/search?q=a%20b&per_page=5&tag=x&tag=y' \
  -H 'accept: application/json' -H 'Authorization: Bearer s3cr3t' -H 'cookie: id=s3cr3t' \
  -H 'sec-fetch-mode: cors' -H $'user-agent: it\'s me' -H 'x-api-key: s3cr3t' --compressed -sSL"#;
    let (_project, run) = import(&["curl", command]);
    run.run().outputs(str![[r#""#]]);
    let command = r#"curl -X PUT http://localhost:8080/items -u me:s3cr3t -m 5 --json '{"name": "a", "n": 3, "tags": ["{{ x }}"], "password": "s3cr3t"}'"#;
    let (_project, run) = import(&["curl", command, "--name", "put item"]);
    run.run().outputs(str![[r#""#]]);
    let command = "curl https://u:s3cr3t@a.example/up?api_key=s3cr3t -F doc=@notes.txt -F title=x";
    let (_project, run) = import(&["curl", command]);
    run.run().outputs(str![[r#""#]]);
}

#[test]
fn what_is_no_request_of_a_tool() {
    for (command, expected) in [
        ("wget https://a.example", str![[r#""#]]),
        ("curl https://a.example -d @file", str![[r#""#]]),
        ("curl 'https://a.example", str![[r#""#]]),
        ("curl -s", str![[r#""#]]),
    ] {
        let (_project, run) = import(&["curl", command]);
        run.run().fails(2, expected);
    }
}
