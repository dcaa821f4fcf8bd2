//! Specifications in OpenAPI as sources of tools: in a file, and at a URL.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use cogtools_test_support::Project;
use serde_json::{Value, json};

use crate::http::{Seen, Server, response};
use crate::run;

/// A server with a specification of itself, whose text can be changed.
struct Api {
    server: Server,
    text: Arc<Mutex<String>>,
}

impl Api {
    fn new(description: &str) -> Self {
        let text = Arc::new(Mutex::new(String::new()));
        let served = Arc::clone(&text);
        let server = Server::new(move |request| {
            let target = request.split(' ').nth(1).unwrap_or_default();
            match target.split('?').next() {
                Some("/api.json") => {
                    let text = served.lock().expect("no panic");
                    if text.is_empty() {
                        return response("503 Service Unavailable", "", "");
                    }
                    response("200 OK", "Content-Type: application/json\r\n", &text)
                }
                _ => response("200 OK", "", target),
            }
        });
        let api = Self { server, text };
        api.set(description);
        api
    }

    /// Serves a specification with a description, or nothing for an empty one.
    fn set(&self, description: &str) {
        let port = self.server.port;
        let text = json!({
            "openapi": "3.1.0",
            "servers": [{"url": format!("http://127.0.0.1:{port}/v1")}],
            "security": [{"token": []}, {}],
            "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
            "paths": {"/pets/{id}": {"get": {
                "operationId": "getPet", "summary": description,
                "parameters": [{"name": "id", "in": "path", "schema": {"type": "string"}}],
            }}},
        });
        let text = if description.is_empty() {
            String::new()
        } else {
            text.to_string()
        };
        *self.text.lock().expect("no panic") = text;
    }

    fn config(&self, more: &str) -> String {
        let port = self.server.port;
        format!(
            "tool_sources:\n  - openapi: {{url: \"http://127.0.0.1:{port}/api.json\", hosts: [\"127.0.0.1:{port}\"]{more}}}\n"
        )
    }
}

fn declared(project: &Project) -> (Vec<String>, String) {
    let outcome = run("cogtools-discover", project).run();
    let tools: Value = serde_json::from_slice(&outcome.stdout).unwrap_or_default();
    let tools = tools.as_array().cloned().unwrap_or_default();
    let text = |tool: &Value| tool["description"].as_str().unwrap_or_default().to_owned();
    (tools.iter().map(text).collect(), Seen::of(&outcome).stderr)
}

fn call(project: &Project) -> Seen {
    let run = run("cogtools-call", project).arg("getPet");
    Seen::of(&run.stdin("{\"id\": \"a/b\"}").run())
}

fn trust(project: &Project) -> Seen {
    Seen::of(&run("cogtools-trust", project).args(["--yes", "api"]).run())
}

#[test]
fn a_url_is_approved_by_its_content() {
    let api = Api::new("one");
    let project = Project::new();
    project.file(".cogtoolrc.yaml", api.config(", cache: 0"));
    let (tools, warning) = declared(&project);
    assert!(tools.is_empty(), "{tools:?}");
    assert!(warning.contains("`api` is not approved yet"), "{warning}");
    call(&project).ends(127).says("not approved yet");
    // Nothing is requested before the user says so.
    assert!(api.server.requests().is_empty());
    let port = api.server.port;
    trust(&project).ends(0).says(&format!(
        "specification api\n  url       http://127.0.0.1:{port}/api.json\n  declares  1 tool\n  requests  GET 127.0.0.1:{port} with API_TOKEN\napproved specification api\n"
    ));
    assert_eq!(declared(&project).0, ["one"]);
    call(&project).outputs("/v1/pets/a%2Fb");
    api.set("two");
    let (tools, warning) = declared(&project);
    assert!(
        tools.is_empty() && warning.contains("has changed since it was approved"),
        "{warning}"
    );
    call(&project)
        .ends(127)
        .says("has changed since it was approved");
    trust(&project).ends(0);
    assert_eq!(declared(&project).0, ["two"]);
    // The options decide where requests go.
    project.file(".cogtoolrc.yaml", api.config(", cache: 0, timeout: 5"));
    call(&project)
        .ends(127)
        .says("has changed since it was approved");
    Seen::of(
        &run("cogtools-trust", &project)
            .args(["--revoke", "api"])
            .run(),
    )
    .ends(0);
    call(&project).ends(127).says("not approved yet");
}

#[test]
fn a_url_is_cached_and_locked() {
    let api = Api::new("one");
    let project = Project::new();
    project.file(".cogtoolrc.yaml", api.config(""));
    trust(&project).ends(0);
    let before = api.server.requests().len();
    assert_eq!(declared(&project).0, ["one"]);
    call(&project).outputs("/v1/pets/a%2Fb");
    let requests = api.server.requests();
    let fetched = requests[before..].iter();
    assert_eq!(fetched.filter(|it| it.contains("/api.json")).count(), 0);
    Seen::of(&run("cogtools-lock", &project).run()).ends(0);
    let lock = project.read("cogtools.lock");
    assert!(lock.contains("\"api\": {\n      \"getPet\": "), "{lock}");
    // Without a network, what is cached is used, however old it is.
    api.set("");
    let short = api.config(", cache: 0.001");
    project.file(".cogtoolrc.yaml", &short);
    run("cogtools-trust", &project)
        .args(["--yes", "api"])
        .run()
        .succeeds();
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!(declared(&project).0, ["one"]);
    call(&project).outputs("/v1/pets/a%2Fb");
    // Another specification drifts from the lock, even if it is approved.
    api.set("two");
    trust(&project).ends(0);
    let check = Seen::of(&run("cogtools-lock", &project).arg("--check").run());
    check.ends(78).says("getPet");
    let locked = run("cogtools-call", &project).args(["--locked", "getPet"]);
    Seen::of(&locked.stdin("{\"id\": \"a\"}").run()).ends(77);
}

#[test]
fn a_relative_server_is_where_the_specification_is() {
    let id = json!([{"name": "id", "in": "query", "schema": {"type": "string"}}]);
    let paths = json!({"/pets": {"get": {"operationId": "getPet", "parameters": id}}});
    let cases = [
        (
            json!({"openapi": "3.1.0", "servers": [{"url": "../v2"}]}),
            "/v2",
        ),
        (
            json!({"openapi": "3.1.0", "servers": [{"url": "/v3/"}]}),
            "/v3",
        ),
        (json!({"openapi": "3.1.0"}), ""),
        (json!({"swagger": "2.0", "basePath": "/v4"}), "/v4"),
    ];
    for (mut specification, path) in cases {
        let api = Api::new("one");
        specification["paths"] = paths.clone();
        *api.text.lock().expect("no panic") = specification.to_string();
        let project = Project::new();
        project.file(".cogtoolrc.yaml", api.config(""));
        trust(&project).ends(0);
        call(&project).outputs(&format!("{path}/pets?id=a%2Fb"));
    }
}

#[test]
fn the_server_of_an_entry_needs_a_host_if_it_is_private() {
    let api = Api::new("one");
    let port = api.server.port;
    let project = Project::new();
    project.file("api.json", api.text.lock().expect("no panic").clone());
    let config = |hosts: &str| {
        let options = format!("file: api.json, server: \"http://127.0.0.1:{port}/v2\"{hosts}");
        project.file(
            ".cogtoolrc.yaml",
            format!("tool_sources: [{{openapi: {{{options}}}}}]\n"),
        );
    };
    config("");
    call(&project).ends(77).says(&format!("127.0.0.1:{port}"));
    assert!(api.server.requests().is_empty());
    config(&format!(", hosts: [\"127.0.0.1:{port}\"]"));
    call(&project).outputs("/v2/pets/a%2Fb");
}

#[test]
fn a_url_of_the_user_needs_no_approval() {
    let api = Api::new("one");
    let project = Project::untrusted();
    project.file("../home/.gemini/cogtoolrc.yaml", api.config(""));
    call(&project).outputs("/v1/pets/a%2Fb");
    assert_eq!(declared(&project), (vec!["one".to_owned()], String::new()));
}

#[test]
fn a_url_that_is_not_a_specification() {
    let api = Api::new("one");
    let project = Project::new();
    let port = api.server.port;
    for (place, message) in [
        (
            format!("http://127.0.0.1:{port}/api.json"),
            "is not a public address",
        ),
        (
            "https://me:s3cr3t@a.example/api.json".to_owned(),
            "a user name or a password",
        ),
    ] {
        project.file(
            ".cogtoolrc.yaml",
            format!("tool_sources: [{{openapi: \"{place}\"}}]\n"),
        );
        trust(&project).says(message);
    }
    project.file(".cogtoolrc.yaml", "tool_sources: [{openapi: {name: a}}]\n");
    Seen::of(&run("cogtools-discover", &project).run()).says("needs `file` or `url`");
    assert!(api.server.requests().is_empty());
}

#[test]
fn the_first_alternative_that_is_set_is_sent() {
    let server = Server::new(|request| {
        let lines = request
            .lines()
            .filter(|line| line.starts_with("authorization"));
        let lines = lines.chain(request.lines().take(1));
        response("200 OK", "", &lines.collect::<Vec<_>>().join(" "))
    });
    let port = server.port;
    let project = Project::new();
    project.file(
        "api.yaml",
        format!(
            "openapi: 3.0.3
servers: [{{url: 'http://127.0.0.1:{port}'}}]
components: {{securitySchemes: {{token: {{type: http, scheme: bearer}}, key: {{type: apiKey, in: query, name: key}}}}}}
paths: {{/x: {{get: {{operationId: x, security: [{{token: []}}, {{key: []}}]}}}}}}\n"
        ),
    );
    let config =
        format!("tool_sources: [{{openapi: {{file: api.yaml, hosts: ['127.0.0.1:{port}']}}}}]\n");
    project.file(".cogtoolrc.yaml", config);
    let call = |variable: &str| {
        let run = run("cogtools-call", &project).arg("x");
        Seen::of(&run.env(variable, "s3cr3t").run())
    };
    call("API_TOKEN").outputs("authorization: Bearer [redacted] GET /x HTTP/1.1");
    call("API_KEY").outputs("GET /x?key=[redacted] HTTP/1.1");
    call("OTHER").ends(78).says("API_TOKEN");
}

/// Before: only the texts of providers lost them.
#[test]
fn what_a_specification_hides_in_its_texts_is_removed_and_shown() {
    let project = Project::new();
    let specification = json!({
        "openapi": "3.1.0",
        "servers": [{"url": "http://127.0.0.1:1/v1"}],
        "paths": {"/pets": {"get": {
            "operationId": "pets", "summary": "List\u{202e} pets",
            "parameters": [{
                "name": "id", "in": "query", "description": "A\u{200b}B", "schema": {"type": "string"},
            }],
        }}},
    });
    project
        .file("api.json", specification.to_string())
        .file(".cogtoolrc.yaml", "tool_sources:\n  - openapi: api.json\n");
    let discovered = run("cogtools-discover", &project).run();
    discovered.stdout_contains(r#""description":"List pets""#);
    discovered.stdout_contains(r#""description":"AB""#);
    let listed = run("cogtools-list", &project).run();
    listed.stdout_contains("removed hidden characters U+200B, U+202E");
    // A review shows them before the approval.
    let api = Api::new("Get\u{2066} it");
    let project = Project::new();
    project.file(".cogtoolrc.yaml", api.config(""));
    trust(&project).ends(0).says("  hidden    U+2066\n");
    assert_eq!(declared(&project).0, ["Get it"]);
}

/// A project with a specification of the server `port`, and further options of the source.
fn specified(port: u16, paths: &Value, more: &str) -> Project {
    let project = Project::new();
    let servers = json!([{"url": format!("http://127.0.0.1:{port}")}]);
    let specification = json!({"openapi": "3.1.0", "servers": servers, "paths": paths});
    project.file("api.json", specification.to_string());
    let hosts = format!("file: api.json, hosts: [\"127.0.0.1:{port}\"]{more}");
    let config = format!("tool_sources: [{{openapi: {{{hosts}}}}}]\n");
    project.file(".cogtoolrc.yaml", config);
    project
}

#[test]
fn only_what_a_call_names_is_sent() {
    let server = Server::new(|request| {
        let body = request.split("\r\n\r\n").nth(1).unwrap_or_default();
        let target = request.split(' ').nth(1).unwrap_or_default();
        response("200 OK", "", &format!("{target} {body}"))
    });
    let flag = json!({"type": "boolean", "default": false});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let query = |name: &str, schema: &Value, style: &str, explode: bool| json!({"name": name, "in": "query", "schema": schema, "style": style, "explode": explode});
    let map = json!({"type": "object", "additionalProperties": true});
    let items = json!({"type": "array", "items": {"type": "object"}});
    let path = |name: &str, schema: &Value| json!({"name": name, "in": "path", "required": true, "schema": schema});
    let paths = json!({
        "/repo/{owner}": {"parameters": [path("owner", &json!({"type": "string"}))], "patch": {
            "operationId": "patch",
            "requestBody": {"content": {"application/json": {"schema": {
                "type": "object",
                "properties": {"description": {"type": "string"}, "private": flag, "archived": flag},
            }}}},
        }},
        "/body": {"patch": {"operationId": "whole", "requestBody": {"content": {"application/json": {
            "schema": {"type": "array", "items": {"type": "integer"}},
        }}}}},
        "/list/{ids}": {"get": {"operationId": "list", "parameters": [
            path("ids", &texts), query("args", &json!({"type": "string"}), "form", true),
            query("csv", &texts, "form", false), query("object", &map, "form", false),
            query("metadata", &map, "deepObject", true), query("items", &items, "deepObject", true),
        ]}},
    });
    let project = specified(server.port, &paths, "");
    let call = |tool: &str, arguments: &Value| {
        let run = run("cogtools-call", &project).arg(tool);
        Seen::of(&run.stdin(arguments.to_string()).run())
    };
    call("patch", &json!({"owner": "a", "description": "new"}))
        .outputs("/repo/a {\"description\":\"new\"}");
    call("whole", &json!({"body": [1]})).outputs("/body [1]");
    call("whole", &json!({})).outputs("/body ");
    assert!(!server.requests()[2].to_lowercase().contains("content-type"));
    call("list", &json!({"ids": ["x,y", "z"]})).outputs("/list/x%2Cy,z ");
    call("list", &json!({"ids": ["x"], "csv": []})).outputs("/list/x ");
    let arguments = json!({
        "ids": ["a"], "csv": ["a,b", "c"], "object": {"b": 1, "a": "x"},
        "metadata": {"k": {"l": "v"}}, "items": [{"price": 5}, {"tags": ["t"]}],
    });
    call("list", &arguments).outputs(
        "/list/a?csv=a%2Cb,c&object=a,x,b,1&metadata%5Bk%5D%5Bl%5D=v&items%5B0%5D%5Bprice%5D=5&items%5B1%5D%5Btags%5D%5B%5D=t ",
    );
    let project = specified(
        server.port,
        &paths,
        ", overrides: {patch: {set: {owner: \"..\"}}}",
    );
    let run = run("cogtools-call", &project).arg("patch").stdin("{}");
    let seen = Seen::of(&run.run());
    seen.says("a segment of the path of `url` would be `..`");
}

#[test]
fn each_file_of_a_list_is_a_part() {
    let server = Server::new(|request| {
        let body = request.split_once("\r\n\r\n").unwrap_or_default().1;
        let own = |line: &&str| !line.starts_with("--");
        let lines: Vec<&str> = body.lines().filter(own).collect();
        response("200 OK", "", &lines.join("\n"))
    });
    let binary = json!({"type": "string", "format": "binary"});
    let content = json!({"multipart/form-data": {"schema": {"type": "object", "properties": {
        "files": {"type": "array", "items": binary},
        "tags": {"type": "array", "items": {"type": "string"}},
    }}}});
    let operation = json!({"operationId": "upload", "requestBody": {"content": content}});
    let project = specified(server.port, &json!({"/u": {"post": operation}}), "");
    project.file("a.txt", "A").file("b.txt", "B");
    let run = run("cogtools-call", &project).arg("upload");
    let arguments = json!({"files": ["a.txt", "b.txt"], "tags": ["x", "y"]});
    let file = |name: &str| {
        format!(
            "Content-Disposition: form-data; name=\"files\"; filename=\"{}.txt\"\nContent-Type: application/octet-stream\n\n{name}",
            name.to_lowercase()
        )
    };
    let tag = |value: &str| format!("Content-Disposition: form-data; name=\"tags\"\n\n{value}");
    let parts = [file("A"), file("B"), tag("x"), tag("y")];
    Seen::of(&run.stdin(arguments.to_string()).run()).outputs(&parts.join("\n"));
}

#[test]
fn what_is_left_out_has_a_warning() {
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let filter = json!({"name": "filter", "in": "query", "schema": map});
    let paths = json!({
        "/ext": {"$ref": "./ext.yaml"},
        "/x": {"get": {"operationId": "x", "parameters": [filter]}},
    });
    let project = specified(1, &paths, ", include: [x, '* /ext', nope]");
    let (tools, warnings) = declared(&project);
    assert_eq!(tools, ["GET /x"]);
    for warning in [
        "`/ext` of `api` is left out: `./ext.yaml` is in another file",
        "`filter` of `x` of `api` is left out: `filter` has the style `form` and `explode`, which cannot be sent",
        "`nope` in `include` of `api` matches no operation",
    ] {
        assert!(warnings.contains(warning), "{warnings}");
    }
}

/// Before: a message of the reader's library, at the first key.
#[test]
fn a_wrong_option_is_named_at_its_place() {
    let project = Project::new();
    for (option, message) in [
        ("bogus: 1", "2:32: unknown key `bogus`"),
        (
            "timeout: -1",
            "2:41: `timeout` takes a number of seconds greater than 0, not `-1`",
        ),
        ("hosts: a", "2:39: `hosts` takes a list of strings, not `a`"),
        (
            "prefix: 1x",
            "2:40: `prefix` takes the beginning of a tool name",
        ),
        (
            "server: x",
            "2:40: `server` takes a URL that begins with https://",
        ),
        (
            "url: 'https://a.example'",
            "`openapi` has both `file` and `url`",
        ),
        ("overrides: {x: {nam: y}}", "2:48: unknown key `nam`"),
    ] {
        let config = format!("tool_sources:\n- openapi: {{file: api.json,    {option}}}\n");
        project.file(".cogtoolrc.yaml", config);
        Seen::of(&run("cogtools-discover", &project).run()).says(message);
    }
    project.file(
        ".cogtoolrc.yaml",
        "mcpServers:\n  a: {command: x, env: {PORT: 3000, ON: true}}\n  b: {command: x, url: 'http://y'}\n  c: {command: x, disabled: \"true\"}\n  d: {command: x, env: {A: [1]}}\n",
    );
    let listed = run("cogtools-mcp", &project).arg("list").run();
    let seen = Seen::of(&listed);
    seen.says("a     project  not approved  x")
        .says("`b` has both `command` and `url`");
    seen.says("`disabled` takes `true` or `false`, not the text `true`\n");
    seen.says("`env` takes a text for each variable, not a map\n");
    assert!(!seen.stderr.contains("memory"), "{}", seen.stderr);
}
