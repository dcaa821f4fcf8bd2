//! Operations as tool files.

use serde_json::json;

use super::*;

fn tools(root: &Value, options: &Options) -> Vec<Operation> {
    operations(root, options, &|_| true, None).expect("a server with a host")
}

/// Returns the tool file of the operation `name`, after it was read as one.
fn document(operations: &[Operation], name: &str) -> Value {
    let operation = operations.iter().find(|it| it.name == name).expect(name);
    let document = operation.document.clone().expect(name);
    let text = Text::new("t", document.to_string().into_bytes()).expect("it is text");
    Tool::parse(text)
        .map_err(ToolError::diagnostics)
        .expect(name);
    document
}

fn options() -> Options {
    Options {
        name: "api".to_owned(),
        ..Options::default()
    }
}

fn root(paths: &Value) -> Value {
    json!({
        "openapi": "3.0.3",
        "servers": [{"url": "https://{zone}.a.example/v1", "variables": {"zone": {"default": "eu"}}}],
        "security": [{"token": []}],
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "paths": paths,
    })
}

#[test]
fn names_that_are_taken_get_their_place() {
    let id = |place: &str| json!({"name": "id", "in": place, "required": true, "schema": {"type": "integer"}});
    let root = root(&json!({"/t/{id}": {"put": {
        "parameters": [id("query"), id("path")],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["id", "made"],
            "properties": {
                "id": {"type": "string"}, "made": {"type": "string", "readOnly": true},
            },
        }}}},
    }}}));
    let document = document(&tools(&root, &options()), "put_t_id");
    let properties = document["parameters_schema"]["properties"]
        .as_object()
        .expect("a map");
    assert_eq!(
        properties.keys().collect::<Vec<_>>(),
        ["id", "id_query", "id_body"]
    );
    let http = &document["implementation"]["http"];
    assert_eq!(http["url"], "https://eu.a.example/v1/t/{{ id }}");
    assert_eq!(http["query"], json!({"id": "{{ id_query }}"}));
    assert_eq!(http["body"], json!({"json": {"id": "{{ id_body }}"}}));
    assert_eq!(http["auth"], json!({"bearer": {"env": "API_TOKEN"}}));
}

#[test]
fn a_listed_tool_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.json");
    let root = root(&json!({"/list": {"get": {"operationId": "list"}}}));
    std::fs::write(&path, root.to_string()).expect("a file");
    let cx = Context::default();
    for prefix in ["", "gh_", "gh__", "_", &"long".repeat(10)] {
        let options = Options {
            prefix: prefix.to_owned(),
            ..options()
        };
        let path = path.clone();
        let specification = Specification::new(path, "a".into(), ReadScope::User, true, options);
        let listed = specification.list(&cx).entries.remove(0).name;
        let listed = listed.to_str().expect("a word");
        let name = Name::new(listed).expect("a name");
        let found = specification.find(&name, &cx, &mut Vec::new());
        assert!(matches!(found, Ok(Some(_))), "{prefix}: {listed}");
    }
}

#[test]
fn operations_are_included_and_excluded() {
    let root = root(&json!({
        "/pets": {"get": {"operationId": "listPets", "tags": ["pets"]}},
        "/pets/{id}": {"delete": {"operationId": "deletePet", "tags": ["pets"]}},
        "/users/me": {"get": {"operationId": "getMe"}},
        "/other": {"get": {"operationId": "other"}},
    }));
    let options = Options {
        include: vec!["tag:pets".to_owned(), "GET /users/*".to_owned()],
        exclude: vec!["delete*".to_owned()],
        ..options()
    };
    let names = tools(&root, &options).into_iter().map(|it| it.name);
    assert_eq!(names.collect::<Vec<_>>(), ["listPets", "getMe"]);
}

#[test]
fn credentials_are_those_of_the_first_alternative_that_is_set() {
    let root = json!({
        "openapi": "3.1.0", "servers": [{"url": "https://a.example"}],
        "components": {"securitySchemes": {
            "token": {"type": "http", "scheme": "bearer"},
            "app": {"type": "apiKey", "in": "header", "name": "X-App"},
            "key": {"type": "apiKey", "in": "query", "name": "key"},
            "user": {"type": "http", "scheme": "basic"},
        }},
        "paths": {"/": {
            "get": {"operationId": "both", "security": [{"app": [], "token": []}, {"key": []}]},
            "put": {"operationId": "same", "security": [{"token": [], "user": []}]},
            "post": {"operationId": "open", "security": [{"token": []}, {}]},
        }},
    });
    let auth = |variables: &[&str], name: &str| {
        let has = |names: &[String]| names.iter().all(|it| variables.contains(&it.as_str()));
        let found = operations(&root, &options(), &has, Some(name)).expect("a host");
        let document = found[0].document.clone();
        document.map(|it| it["implementation"]["http"]["auth"].clone())
    };
    let both = json!([
        {"api_key": {"header": "X-App", "env": "API_APP"}}, {"bearer": {"env": "API_TOKEN"}},
    ]);
    let key = json!({"api_key": {"query": "key", "env": "API_KEY"}});
    assert_eq!(auth(&["API_APP", "API_TOKEN"], "both"), Ok(both.clone()));
    assert_eq!(auth(&["API_APP", "API_KEY"], "both"), Ok(key));
    assert_eq!(auth(&["API_APP"], "both"), Ok(both));
    assert_eq!(auth(&[], "open"), Ok(Value::Null));
    let same = "it needs two credentials at once in the header `authorization`";
    assert_eq!(auth(&[], "same"), Err(same.to_owned()));
}

#[test]
fn braces_of_a_specification_are_no_template() {
    let body = json!({"content": {"text/{% include 'x' %}": {"schema": {"type": "string"}}}});
    let mut root = root(&json!({"/": {"post": {"operationId": "media", "requestBody": body}}}));
    let media = document(&tools(&root, &options()), "media");
    let headers = &media["implementation"]["http"]["headers"];
    let expected = json!({"Content-Type": "{{ \"text/{% include 'x' %}\" }}"});
    assert_eq!(*headers, expected);
    root["servers"] = json!([{"url": "https://a.example/{{ r/\"/ }}{% include \"x\" %}"}]);
    let server = tools(&root, &options()).remove(0);
    let document = server.document.expect("a tool file").to_string();
    let text = Text::new("t", document.into_bytes()).expect("it is text");
    assert!(Tool::parse(text).is_err());
    // What the user writes may be one.
    let own = Options {
        server: Some("https://a.example/{{ x }}".to_owned()),
        ..options()
    };
    let url = &self::document(&tools(&root, &own), "media")["implementation"]["http"]["url"];
    assert_eq!(*url, "https://a.example/{{ x }}/");
}

#[test]
fn broken_operations_say_why() {
    let body = |schema: &Value| json!({"operationId": "x", "requestBody": {"content": {"application/json": {"schema": schema}}}});
    for (operation, reason) in [
        (
            body(&json!({"$ref": "#/absent"})),
            "`#/absent` does not exist",
        ),
        (
            body(&json!({"$ref": "other.yaml#/a"})),
            "`other.yaml#/a` is in another file",
        ),
        (body(&json!({"$ref": "#/loop"})), "`#/loop` contains itself"),
        (
            json!({"operationId": "x", "requestBody": {"content": {"image/png": {}}}}),
            "its body has the media type `image/png`",
        ),
    ] {
        let mut root = root(&json!({"/x": {"post": operation}}));
        root["loop"] = json!({"type": "object", "properties": {"a": {"$ref": "#/loop"}}});
        let found = tools(&root, &options()).remove(0).document;
        assert_eq!(found, Err(reason.to_owned()));
    }
}

#[test]
fn an_operation_without_a_host_does_not_hide_the_others() {
    let root = root(&json!({
        "/a": {"get": {"operationId": "a", "servers": [{"url": "/v2"}]}},
        "/b": {"get": {"operationId": "b"}},
    }));
    let found = tools(&root, &options());
    assert_eq!(found[0].document, Err(NO_HOST.to_owned()));
    document(&found, "b");
}

#[test]
fn names_of_parameters_are_words() {
    let header = json!({"name": "x-request-id", "in": "header", "schema": {"type": "string"}});
    let body = json!({"content": {"application/json": {"schema": {"type": "object", "properties": {
        "x_request_id": {"type": "string"}, "2fa": {"type": "string"}, "in": {"type": "string"},
    }}}}});
    let root = root(&json!({"/x": {"post": {
        "operationId": "x", "parameters": [header], "requestBody": body,
    }}}));
    let document = document(&tools(&root, &options()), "x");
    let http = &document["implementation"]["http"];
    assert_eq!(
        http["headers"],
        json!({"x-request-id": "{{ x_request_id }}"})
    );
    assert_eq!(
        http["body"]["json"],
        json!({
            "x_request_id": "{{ x_request_id_body }}", "2fa": "{{ _2fa }}",
            "in": "{{ args[\"in\"] }}",
        })
    );
}

#[test]
fn objects_are_spread_as_their_style_says() {
    let object = json!({"type": "object", "properties": {
        "a": {"type": "string"}, "b": {"type": "array", "items": {"type": "string"}},
    }});
    let either = json!({"anyOf": [
        {"type": "object", "properties": {"gt": {"type": "integer"}}}, {"type": "integer"},
    ]});
    let at = |name: &str, style: &str, explode: bool| json!({"name": name, "in": "query", "style": style, "explode": explode, "schema": object});
    let form = json!({"schema": {"type": "object", "properties": {
        "to": object, "x": {"type": "string"},
    }}, "encoding": {"to": {"style": "deepObject", "explode": true}}});
    let root = root(&json!({"/x/{p}/{q}": {"post": {
        "operationId": "x",
        "parameters": [
            at("f", "form", true), at("d", "deepObject", true), at("j", "form", false),
            {"name": "e", "in": "query", "style": "deepObject", "schema": either},
            {"name": "p", "in": "path", "style": "matrix", "schema": {"type": "string"}},
            {"name": "q", "in": "path", "style": "label", "schema": {"type": "string"}},
        ],
        "requestBody": {"content": {"application/x-www-form-urlencoded": form}},
    }}}));
    let document = document(&tools(&root, &options()), "x");
    let http = &document["implementation"]["http"];
    assert_eq!(
        http["query"],
        json!({
            "a": "{{ f[\"a\"] }}", "b": "{{ f[\"b\"] }}",
            "d[a]": "{{ d[\"a\"] }}", "d[b][]": "{{ d[\"b\"] }}",
            "j": "{{ j }}", "e": "{{ e if e is not mapping else none }}",
            "e[gt]": "{{ e[\"gt\"] }}",
        })
    );
    assert_eq!(
        http["body"]["form"],
        json!({
            "to[a]": "{{ to[\"a\"] }}", "to[b][]": "{{ to[\"b\"] }}",
            "x": "{{ x }}",
        })
    );
    assert_eq!(http["url"], "https://eu.a.example/v1/x/;p={{ p }}/.{{ q }}");
}

#[test]
fn a_form_without_fields_is_no_body() {
    let body = json!({"content": {"application/x-www-form-urlencoded": {"schema": {
        "type": "object", "properties": {}, "additionalProperties": false,
    }}}});
    let root = root(&json!({"/x": {"post": {"operationId": "x", "requestBody": body}}}));
    let document = document(&tools(&root, &options()), "x");
    assert_eq!(document["implementation"]["http"].get("body"), None);
}

#[test]
fn swagger_2_and_styles() {
    let root = json!({
        "swagger": "2.0", "host": "a.example", "basePath": "/v2",
        "paths": {"/p": {"get": {"operationId": "find", "parameters": [
            {"name": "ids", "in": "query", "type": "array", "items": {"type": "string"}},
            {"name": "X-Id", "in": "header", "type": "string"},
        ]}}},
    });
    let document = document(&tools(&root, &options()), "find");
    let http = &document["implementation"]["http"];
    assert_eq!(http["url"], "https://a.example/v2/p");
    assert_eq!(
        http["query"]["ids"],
        "{{ ids | join(\",\") if ids is defined else none }}"
    );
    assert_eq!(http["headers"]["X-Id"], "{{ X_Id }}");
}
