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
        run.run().outputs(str![[r#"
$schema: schema:agladysh-research.org,2025/cogtools:tool

name: renamePet

description: Rename a pet

parameters:
  id:
    type: integer
  dry:
    type: boolean
    optional: true
  name:
    type: string
  owner:
    type: object
    properties:
      id:
        type: integer
        optional: true
    optional: true

implementation:
  http:
    url: http://127.0.0.1:8080/v1/pets/{{ id }}
    method: POST
    query:
      dry: '{{ dry }}'
    body:
      json:
        name: '{{ name }}'
        owner: '{{ owner }}'
    auth:
      bearer:
        env: API_TOKEN
    hosts:
    - 127.0.0.1:8080

"#]]);
    }
}

#[test]
fn invisible_characters_of_an_operation_are_removed_and_named() {
    let (project, run) = import(&["openapi", "api.yaml", "--operation", "renamePet"]);
    let api = API.replace("Rename a pet", "\"Rename\\u202E a\\u200B pet\"");
    project.file("api.yaml", api);
    let text = run.run().status(0).text();
    let head = "# left out: invisible characters: U+200B, U+202E\n\n\
                $schema: schema:agladysh-research.org,2025/cogtools:tool\n\nname: renamePet\n\n\
                description: Rename a pet\n";
    assert!(text.starts_with(head), "{text}");
}

#[test]
fn an_operation_that_is_not_there_or_no_tool() {
    let (_project, run) = import(&["openapi", "api.yaml", "--operation", "renamPet"]);
    run.run().fails(
        2,
        str![[r#"
cogtools-import: error[USAGE]: renamPet: there is no operation of that name
hint: did you mean `renamePet`?

"#]],
    );
    let (_project, run) = import(&["openapi", "api.yaml", "--operation", "GET /pets/{id}"]);
    run.run().fails(78, str![[r#"
cogtools-import: error[INVALID_TOOL]: GET /pets/{id}: the operation cannot be a tool: `id` in its path is not declared

"#]]);
    let (_project, run) = import(&["openapi", "absent.yaml", "--operation", "x"]);
    run.run().fails(
        78,
        str![[r#"
cogtools-import: error[INVALID_CONFIG]: absent.yaml: No such file or directory (os error 2)
hint: name a file of the project

"#]],
    );
}

#[test]
fn a_command_of_a_browser_becomes_a_tool_without_its_secrets() {
    let command = r#"curl 'https://api.shop.example/v2/search?q=a%20b&per_page=5&tag=x&tag=y' \
  -H 'accept: application/json' -H 'Authorization: Bearer s3cr3t' -H 'cookie: id=s3cr3t' \
  -H 'sec-fetch-mode: cors' -H $'user-agent: it\'s me' -H 'x-api-key: s3cr3t' --compressed -sSL"#;
    let (_project, run) = import(&["curl", command]);
    run.run().outputs(str![[r#"
# left out: cookies
# left out: the headers sec-fetch-mode, user-agent

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: get_search

description: GET api.shop.example/v2/search

parameters:
  q:
    type: string
    description: The value of q
    default: a b
  per_page:
    type: string
    description: The value of per_page
    default: '5'
  tag:
    type: array
    description: The value of tag
    default:
    - x
    - y
    items:
      type: string

implementation:
  http:
    url: https://api.shop.example/v2/search
    query:
      q: '{{ q }}'
      per_page: '{{ per_page }}'
      tag: '{{ tag }}'
    headers:
      accept: application/json
    auth:
    - bearer:
        env: SHOP_TOKEN
    - api_key:
        header: x-api-key
        env: SHOP_KEY

"#]]);
    let command = r#"curl -X PUT http://localhost:8080/items -u me:s3cr3t -m 5 --json '{"name": "a", "n": 3, "tags": ["{{ x }}"], "password": "s3cr3t"}'"#;
    let (_project, run) = import(&["curl", command, "--name", "put item"]);
    run.run().outputs(str![[r##"
# left out: the field password, which may be a secret

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: put_item

description: PUT localhost:8080/items

parameters:
  name:
    type: string
    description: The value of name
    default: a
  n:
    type: integer
    description: The value of n
    default: 3

timeout: 5.0

implementation:
  http:
    url: http://localhost:8080/items
    method: PUT
    headers:
      Accept: application/json
    body:
      json:
        name: '{{ name }}'
        n: '{{ n }}'
        tags:
        - '{{ "{{ x }}" }}'
    auth:
      basic:
        user: me
        password:
          env: LOCALHOST_PASSWORD
    hosts:
    - localhost:8080

"##]]);
}

#[test]
fn a_form_of_a_command_becomes_parameters() {
    let command = "curl https://u:s3cr3t@a.example/up?api_key=s3cr3t -F doc=@notes.txt -F title=x";
    let (_project, run) = import(&["curl", command]);
    run.run().outputs(str![[r#"
$schema: schema:agladysh-research.org,2025/cogtools:tool

name: post_up

description: POST a.example/up

parameters:
  doc:
    type: string
    description: The value of doc
    default: notes.txt
  title:
    type: string
    description: The value of title
    default: x

implementation:
  http:
    url: https://a.example/up
    body:
      multipart:
        doc:
          file: '{{ doc }}'
        title: '{{ title }}'
    auth:
    - basic:
        user: u
        password:
          env: A_PASSWORD
    - api_key:
        query: api_key
        env: A_KEY

"#]]);
}

#[test]
fn a_repeated_field_is_one_parameter_wherever_it_repeats() {
    let command = "curl 'https://a.example/x?a-b=1&c=2&a-b=3'";
    let (_project, run) = import(&["curl", command]);
    run.run().outputs(str![[r#"
$schema: schema:agladysh-research.org,2025/cogtools:tool

name: get_x

description: GET a.example/x

parameters:
  a_b:
    type: array
    description: The value of a-b
    default:
    - '1'
    - '3'
    items:
      type: string
  c:
    type: string
    description: The value of c
    default: '2'

implementation:
  http:
    url: https://a.example/x
    query:
      a-b: '{{ a_b }}'
      c: '{{ c }}'

"#]]);
}

#[test]
fn a_plus_is_a_blank_in_a_query_only() {
    let command = "curl 'https://me+you:s3cr3t@a.example/x?q=a+b' -G --data-urlencode e=@c=d";
    let (_project, run) = import(&["curl", command]);
    run.run().outputs(str![[r#"
$schema: schema:agladysh-research.org,2025/cogtools:tool

name: get_x

description: GET a.example/x

parameters:
  q:
    type: string
    description: The value of q
    default: a b
  e:
    type: string
    description: The value of e
    default: '@c=d'

implementation:
  http:
    url: https://a.example/x
    query:
      q: '{{ q }}'
      e: '{{ e }}'
    auth:
      basic:
        user: me+you
        password:
          env: A_PASSWORD

"#]]);
}

#[test]
fn secrets_are_left_out_at_any_depth() {
    let json = r#"curl -Gd 'q=1' https://a.example/x"#;
    let (_project, run) = import(&["curl", json]);
    run.run().outputs(str![[r#"
$schema: schema:agladysh-research.org,2025/cogtools:tool

name: get_x

description: GET a.example/x

parameters:
  q:
    type: string
    description: The value of q
    default: '1'

implementation:
  http:
    url: https://a.example/x
    query:
      q: '{{ q }}'

"#]]);
    let json = r#"curl https://a.example/x --json '{"login": {"user": "me", "accessToken": "s3cr3t"}, "max_tokens": 5, "clientSecret": "s3cr3t"}'"#;
    let (_project, run) = import(&["curl", json]);
    run.run().outputs(str![[r#"
# left out: the field accessToken, which may be a secret
# left out: the field clientSecret, which may be a secret

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: post_x

description: POST a.example/x

parameters:
  max_tokens:
    type: integer
    description: The value of max_tokens
    default: 5

implementation:
  http:
    url: https://a.example/x
    headers:
      Accept: application/json
    body:
      json:
        login:
          user: me
        max_tokens: '{{ max_tokens }}'

"#]]);
    let form = "curl https://a.example/x -F title=x -F apiKey=s3cr3t";
    let (_project, run) = import(&["curl", form]);
    run.run().outputs(str![[r#"
# left out: the field apiKey, which may be a secret

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: post_x

description: POST a.example/x

parameters:
  title:
    type: string
    description: The value of title
    default: x

implementation:
  http:
    url: https://a.example/x
    body:
      multipart:
        title: '{{ title }}'

"#]]);
    let option = "curl https://a.example/x --proxy-user me:s3cr3t";
    let (_project, run) = import(&["curl", option]);
    run.run().fails(
        2,
        str![[r#"
cogtools-import: error[USAGE]: the option `--proxy-user` of curl is not known here
hint: quote one whole command, without options that are not about the request, as in `cogtools import curl "curl https://…"`

"#]],
    );
}

#[test]
fn what_is_no_request_of_a_tool() {
    for (command, expected) in [
        (
            "wget https://a.example",
            str![[r#"
cogtools-import: error[USAGE]: this is no command of curl
hint: quote one whole command, without options that are not about the request, as in `cogtools import curl "curl https://…"`

"#]],
        ),
        (
            "curl https://a.example -d @file",
            str![[r#"
cogtools-import: error[USAGE]: `-d @file` reads a file, which a tool cannot
hint: quote one whole command, without options that are not about the request, as in `cogtools import curl "curl https://…"`

"#]],
        ),
        (
            "curl https://a.example --json @-",
            str![[r#"
cogtools-import: error[USAGE]: `--json @-` reads a file, which a tool cannot
hint: quote one whole command, without options that are not about the request, as in `cogtools import curl "curl https://…"`

"#]],
        ),
        (
            "curl https://a.example --data-urlencode q@file",
            str![[r#"
cogtools-import: error[USAGE]: `--data-urlencode q@file` reads a file, which a tool cannot
hint: quote one whole command, without options that are not about the request, as in `cogtools import curl "curl https://…"`

"#]],
        ),
        (
            "curl 'https://a.example",
            str![[r#"
cogtools-import: error[USAGE]: the quote ' is not closed
hint: quote one whole command, without options that are not about the request, as in `cogtools import curl "curl https://…"`

"#]],
        ),
        (
            "curl 'https://{{ \"a\" }}.example/x'",
            str![[r#"
cogtools-import: error[USAGE]: the command has no URL with http: or https:
hint: quote one whole command, without options that are not about the request, as in `cogtools import curl "curl https://…"`

"#]],
        ),
        (
            "curl -s",
            str![[r#"
cogtools-import: error[USAGE]: the command has no URL with http: or https:
hint: quote one whole command, without options that are not about the request, as in `cogtools import curl "curl https://…"`

"#]],
        ),
    ] {
        let (_project, run) = import(&["curl", command]);
        run.run().fails(2, expected);
    }
}

#[test]
fn no_secret_of_a_command_is_in_its_tool() {
    let token = "ghp_1234567890abcdefghijklmnopqrstuvwxyz";
    let command = format!(
        "curl https://a.example/x?cursor={token} -u me:s3cr3t -H 'PRIVATE-TOKEN: s3cr3t' \
         -H 'X-Session: s3cr3t' -H 'X-Custom: {token}' -H 'X-Empty;' -H 'X-None:' \
         -H 'Authorization: Bearer s3cr3t'"
    );
    let (_project, run) = import(&["curl", &command]);
    run.run().outputs(str![[r#"
# left out: another value of the header authorization

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: get_x

description: GET a.example/x

implementation:
  http:
    url: https://a.example/x
    headers:
      X-Empty: ''
    auth:
    - api_key:
        header: PRIVATE-TOKEN
        env: A_KEY
    - api_key:
        header: X-Session
        env: A_X_SESSION
    - api_key:
        header: X-Custom
        env: A_X_CUSTOM
    - bearer:
        env: A_TOKEN
    - api_key:
        query: cursor
        env: A_CURSOR

"#]]);
    for command in [
        "curl https://api.pay.example/v1/charges -u sk_test_4eC39HqL:",
        "curl https://api.pay.example/v1/charges -H 'Authorization: Basic c2tfdGVzdF80ZUMzOUhxTDo='",
        "curl https://sk_test_4eC39HqL@api.pay.example/v1/charges",
    ] {
        let (_project, run) = import(&["curl", command]);
        run.run().outputs(str![[r#"
$schema: schema:agladysh-research.org,2025/cogtools:tool

name: get_charges

description: GET api.pay.example/v1/charges

implementation:
  http:
    url: https://api.pay.example/v1/charges
    auth:
      basic:
        user:
          env: PAY_KEY

"#]]);
    }
    let command = format!("curl https://a.example/x -u {token}:s3cr3t");
    let (_project, run) = import(&["curl", &command]);
    run.run().outputs(str![[r#"
$schema: schema:agladysh-research.org,2025/cogtools:tool

name: get_x

description: GET a.example/x

implementation:
  http:
    url: https://a.example/x
    auth:
      basic:
        user:
          env: A_USER
        password:
          env: A_PASSWORD

"#]]);
    let command =
        "curl https://hooks.slack.com/services/T0000000A/B0000000B/abcdEFGH1234ijklMNOP5678 -d a=b";
    let (_project, run) = import(&["curl", command]);
    run.run().outputs(str![[r#"
# left out: a part of the path, which may be a secret: SECRET

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: post_services

description: POST hooks.slack.com/services/SECRET

parameters:
  a:
    type: string
    description: The value of a
    default: b

implementation:
  http:
    url: https://hooks.slack.com/services/SECRET
    body:
      form:
        a: '{{ a }}'

"#]]);
    let option = "curl https://a.example/x --login-options=s3cr3t";
    let (_project, run) = import(&["curl", option]);
    run.run().fails(2, str![[r#"
cogtools-import: error[USAGE]: the option `--login-options` of curl is not known here
hint: quote one whole command, without options that are not about the request, as in `cogtools import curl "curl https://…"`

"#]]);
}

#[test]
fn a_request_is_as_curl_makes_it() {
    for (command, expected) in [
        (
            "curl -X GET https://a.example/x -d '{\"a\": 1}'",
            str![[r#"
# left out: the body, for a request with GET has none

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: get_x

description: GET a.example/x

implementation:
  http:
    url: https://a.example/x

"#]],
        ),
        (
            "curl https://a.example/x -d ''",
            str![[r#"
$schema: schema:agladysh-research.org,2025/cogtools:tool

name: post_x

description: POST a.example/x

implementation:
  http:
    url: https://a.example/x
    method: POST

"#]],
        ),
        (
            "curl https://a.example/x -d '<xml/>' -H 'Content-Type: application/xml'",
            str![[r#"
$schema: schema:agladysh-research.org,2025/cogtools:tool

name: post_x

description: POST a.example/x

implementation:
  http:
    url: https://a.example/x
    headers:
      Content-Type: application/xml
    body:
      text: <xml/>

"#]],
        ),
        (
            "curl https://a.example/x -d '[1]' -H 'Content-Type: application/vnd.api+json'",
            str![[r#"
$schema: schema:agladysh-research.org,2025/cogtools:tool

name: post_x

description: POST a.example/x

implementation:
  http:
    url: https://a.example/x
    headers:
      Content-Type: application/vnd.api+json
    body:
      json:
      - 1

"#]],
        ),
    ] {
        let (_project, run) = import(&["curl", command]);
        run.run().outputs(expected);
    }
}

#[test]
fn what_a_tool_leaves_out_is_named() {
    for (command, expected) in [
        (
            "curl -skA bot -x http://p.example --retry 3 https://a.example/x -H 'Accept-Language: de' 2>&1 | jq .",
            str![[r#"
# left out: the command after >
# left out: -k
# left out: -x
# left out: --retry
# left out: the headers user-agent, accept-language

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: get_x

description: GET a.example/x

implementation:
  http:
    url: https://a.example/x

"#]],
        ),
        (
            "curl \"https://a.example/u/$USER_ID/{owner}/$metadata/{a,b}?\\$top=1&q=$QUERY&id=$USER_ID\" -H \"X-Org: ${ORG}\"",
            str![[r#"
# kept as text: a pattern in the URL, for which curl makes several requests

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: get_u

description: GET a.example/u/{USER_ID}/{owner}/$metadata/%7Ba,b%7D

parameters:
  X_Org:
    type: string
    description: The value of X-Org
  _top:
    type: string
    description: The value of $top
    default: '1'
  q:
    type: string
    description: The value of q
  id:
    type: string
    description: The value of id
  USER_ID:
    type: string
    description: The value of USER_ID
  owner:
    type: string
    description: The value of owner

implementation:
  http:
    url: https://a.example/u/{{ USER_ID }}/{{ owner }}/$metadata/%7Ba,b%7D
    query:
      $top: '{{ _top }}'
      q: '{{ q }}'
      id: '{{ id }}'
    headers:
      X-Org: '{{ X_Org }}'

"#]],
        ),
    ] {
        let (_project, run) = import(&["curl", command]);
        run.run().outputs(expected);
    }
}

#[test]
fn an_optional_cookie_of_an_operation_is_named() {
    let project = Project::new();
    let cookie = "parameters:\n        - {name: seen, in: cookie, schema: {type: string}}\n        - {name: id,";
    project.file(
        "api.yaml",
        API.replacen("parameters:\n        - {name: id,", cookie, 1),
    );
    let args = ["openapi", "api.yaml", "--operation", "renamePet"];
    let tool = run("cogtools-import", &project).args(args).run();
    tool.stdout_contains("# left out: seen: a tool sends no cookies\n\n$schema:");
}

#[test]
fn bodies_are_as_curl_sends_them() {
    for (command, expected) in [
        (
            "curl https://a.example/x -d 'hello world'",
            str![[r#"
$schema: schema:agladysh-research.org,2025/cogtools:tool

name: post_x

description: POST a.example/x

implementation:
  http:
    url: https://a.example/x
    headers:
      Content-Type: application/x-www-form-urlencoded
    body:
      text: hello world

"#]],
        ),
        (
            "curl https://a.example/x -d '[1]'",
            str![[r#"
# changed: the type of the body is application/json, and with curl that of a form

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: post_x

description: POST a.example/x

implementation:
  http:
    url: https://a.example/x
    body:
      json:
      - 1

"#]],
        ),
        (
            "curl https://a.example/x https://b.example/y",
            str![[r#"
# left out: another URL, for a tool makes one request

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: get_x

description: GET a.example/x

implementation:
  http:
    url: https://a.example/x

"#]],
        ),
    ] {
        let (_project, run) = import(&["curl", command]);
        run.run().outputs(expected);
    }
}

#[test]
fn parts_and_headers_are_as_curl_sends_them() {
    for (command, expected) in [
        (
            "curl https://a.example/x -F 'j=[1];type=application/json' \
             -F 'd=@a.txt;type=text/plain;filename=\"b;c.txt\"' -F j=2",
            str![[r#"
# left out: the type of the part j
# left out: another part of the name j

$schema: schema:agladysh-research.org,2025/cogtools:tool

name: post_x

description: POST a.example/x

parameters:
  j:
    type: string
    description: The value of j
    default: '[1]'
  d:
    type: string
    description: The value of d
    default: a.txt

implementation:
  http:
    url: https://a.example/x
    body:
      multipart:
        j: '{{ j }}'
        d:
          file: '{{ d }}'
          type: text/plain
          filename: b;c.txt

"#]],
        ),
        (
            "curl https://a.example/x -H 'Accept: text/plain' --json '[1' --json ', 2]'",
            str![[r#"
$schema: schema:agladysh-research.org,2025/cogtools:tool

name: post_x

description: POST a.example/x

implementation:
  http:
    url: https://a.example/x
    headers:
      Accept: text/plain
    body:
      json:
      - 1
      - 2

"#]],
        ),
    ] {
        let (_project, run) = import(&["curl", command]);
        run.run().outputs(expected);
    }
    for (option, expected) in [
        (
            "-F a=<notes.txt",
            str![[r#"
cogtools-import: error[USAGE]: `-F a=<notes.txt` reads a file, which a tool cannot
hint: quote one whole command, without options that are not about the request, as in `cogtools import curl "curl https://…"`

"#]],
        ),
        (
            "-H @headers.txt",
            str![[r#"
cogtools-import: error[USAGE]: `-H @headers.txt` reads a file, which a tool cannot
hint: quote one whole command, without options that are not about the request, as in `cogtools import curl "curl https://…"`

"#]],
        ),
    ] {
        let (_project, run) = import(&["curl", &format!("curl https://a.example/x {option}")]);
        run.run().fails(2, expected);
    }
}
