//! Operations as tool files.

use serde_json::json;

use super::*;

pub(super) fn tools(root: &Value, options: &Options) -> Vec<Operation> {
    operations(root, options, &|_| true, None).expect("a server with a host")
}

/// Returns the tool file of the operation `name`, after it was read as one.
pub(super) fn document(operations: &[Operation], name: &str) -> Value {
    let operation = operations.iter().find(|it| it.name == name).expect(name);
    let document = operation.document.clone().expect(name);
    let text = Text::new("t", document.to_string().into_bytes()).expect("it is text");
    Tool::parse(text)
        .map_err(ToolError::diagnostics)
        .expect(name);
    document
}

pub(super) fn options() -> Options {
    Options {
        name: "api".to_owned(),
        ..Options::default()
    }
}

pub(super) fn root(paths: &Value) -> Value {
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
        let found = specification.find(&name, &cx);
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
            "head": {"operationId": "late", "security": [{}, {"key": []}]},
        }},
    });
    let auth = |variables: &[&str], name: &str| {
        let has = |names: &[String]| names.iter().all(|it| variables.contains(&it.as_str()));
        let o = Options {
            server: Some("https://a.example".into()),
            ..options()
        };
        let found = operations(&root, &o, &has, Some(name)).expect("a host");
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
    // Credentials that are set win over none.
    let key = json!({"api_key": {"query": "key", "env": "API_KEY"}});
    assert_eq!(auth(&["API_KEY"], "late"), Ok(key));
    assert_eq!(auth(&[], "late"), Ok(Value::Null));
    let found = operations(&root, &options(), &|_| false, Some("both")).expect("a host");
    assert_eq!(found[0].variables, ["API_APP", "API_TOKEN", "API_KEY"]);
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
    let nested = "e is mapping or e is iterable and e is not string";
    assert_eq!(
        http["query"],
        json!({
            "a": "{{ f[\"a\"] }}", "b": "{{ f[\"b\"] }}",
            "d[]": "{{ d }}", "j": "{{ [j | dictsort] if j is defined else none }}",
            "e": format!("{{{{ e if not ({nested}) else none }}}}"),
            "e[]": format!("{{{{ e if {nested} else none }}}}"),
        })
    );
    assert_eq!(
        http["body"]["form"],
        json!({"to[]": "{{ to }}", "x": "{{ x }}"})
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
        "{{ [ids] if ids is defined else none }}"
    );
    assert_eq!(http["headers"]["X-Id"], "{{ X_Id }}");
}

#[test]
fn a_default_is_described_and_not_declared() {
    let schema = json!({"type": "object", "properties": {
        "private": {"type": "boolean", "default": false, "description": "Hidden."},
        "default": {"type": "object", "properties": {"a": {"type": "string", "default": "b"}}},
    }});
    let root = root(&json!({"/x": {"patch": {
        "operationId": "x",
        "parameters": [{"name": "n", "in": "query", "schema": {"type": "integer", "default": 3}}],
        "requestBody": {"content": {"application/json": {"schema": schema}}},
    }}}));
    let document = document(&tools(&root, &options()), "x");
    let properties = &document["parameters_schema"]["properties"];
    assert_eq!(
        *properties,
        json!({
            "n": {"type": "integer", "description": "By default, 3."},
            "private": {"type": "boolean", "description": "Hidden. By default, false."},
            "default": {"type": "object", "properties": {
                "a": {"type": "string", "description": "By default, \"b\"."},
            }},
        })
    );
}

#[test]
fn statuses_need_no_quotes() {
    let text = "openapi: 3.1.0\npaths: {/x: {get: {responses: {200: {description: d}}}}}\n";
    let root = parse(Path::new("a.yaml"), text.into()).expect("a specification");
    let found = root.pointer("/paths/~1x/get/responses/200");
    assert_eq!(found, Some(&json!({"description": "d"})));
}

#[test]
fn a_specification_has_a_bound_for_its_schemas() {
    let reference = |level: usize| json!({"$ref": format!("#/components/schemas/L{level}")});
    let level = |level: usize| {
        let next = match level {
            9 => json!({"type": "string"}),
            _ => reference(level + 1),
        };
        let properties = (0..10).map(|it| (format!("p{it}"), next.clone()));
        json!({"type": "object", "properties": properties.collect::<Map<_, _>>()})
    };
    let operation = |first: usize| {
        let content = json!({"application/json": {"schema": reference(first)}});
        json!({"requestBody": {"content": content}, "responses": {"200": {"content": content}}})
    };
    let paths = |first| -> Value {
        let all = (0..300).map(|it| (format!("/{it}"), json!({"post": operation(first)})));
        all.collect::<Map<_, _>>().into()
    };
    for (first, reason) in [(0, "its schema is too large"), (8, "")] {
        let mut root = root(&paths(first));
        let levels = (0..10).map(|it| (format!("L{it}"), level(it)));
        root["components"]["schemas"] = levels.collect::<Map<_, _>>().into();
        let found = tools(&root, &options());
        let reasons = found.iter().map(|it| it.document.as_ref().err());
        let (last, others) = found.split_last().expect("operations");
        if reason.is_empty() {
            assert_eq!((reasons.flatten().count(), found.len()), (0, 300));
            continue;
        }
        // One warning for all operations after the bound.
        assert!(
            reasons
                .take(others.len())
                .all(|it| it.is_some_and(|it| it == reason))
        );
        assert_eq!(found.len() + last.followers, 300);
        assert!(last.followers > 200, "{}", last.followers);
        assert_ne!(last.document, Err(reason.to_owned()));
    }
}

#[test]
fn paths_that_cannot_be_read_are_left_out() {
    let root = root(&json!({
        "/ext": {"$ref": "./ext.yaml"},
        "/loop": {"$ref": "#/paths/~1loop"},
        "/x": {"get": {"operationId": "x"}},
    }));
    let found = |options: &Options| -> Vec<(String, Result<Value, String>)> {
        let all = tools(&root, options).into_iter();
        all.map(|it| (it.id, it.document.map(|_| Value::Null)))
            .collect()
    };
    let ext = "`./ext.yaml` is in another file".to_owned();
    let circle = "its references lead in a circle".to_owned();
    assert_eq!(
        found(&options()),
        [
            ("/ext".to_owned(), Err(ext)),
            ("/loop".to_owned(), Err(circle)),
            ("x".to_owned(), Ok(Value::Null)),
        ]
    );
    let own = Options {
        exclude: vec!["* /ext".to_owned(), "* /loop".to_owned()],
        ..options()
    };
    assert_eq!(found(&own).len(), 1);
}

#[test]
fn options_that_match_nothing_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.json");
    let query = json!([{"name": "q", "in": "query", "schema": {"type": "string"}}]);
    let operation = json!({"operationId": "list", "parameters": query});
    let root =
        root(&json!({"/r/{x}": {"get": {"operationId": "lost"}}, "/list": {"get": operation}}));
    std::fs::write(&path, root.to_string()).expect("a file");
    let set = |name: &str| Override {
        set: Map::from_iter([(name.to_owned(), json!(5))]),
        ..Override::default()
    };
    let options = Options {
        include: vec!["GET /list".to_owned(), "get /r/*".to_owned()],
        exclude: vec!["lost".to_owned()],
        overrides: BTreeMap::from([
            ("list".to_owned(), set("nope")),
            ("no".to_owned(), set("q")),
        ]),
        ..options()
    };
    let specification = Specification::new(path, "a".into(), ReadScope::User, true, options);
    let errors = specification.list(&Context::default()).errors;
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "`get /r/*` in `include` of `api` matches no operation",
            "`no` in `overrides` of `api` matches no operation",
            "`nope` in `set` of `api` matches no parameter",
        ]
    );
}

#[test]
fn parts_are_files_and_lists() {
    let binary = json!({"type": "string", "format": "binary"});
    let schema = json!({"type": "object", "properties": {
        "files": {"type": "array", "items": binary}, "file": binary,
        "media": {"type": "string", "contentMediaType": "application/octet-stream"},
        "text": {"type": "string", "contentMediaType": "text/plain"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "any": {},
    }});
    let content = json!({"multipart/form-data": {
        "schema": schema, "encoding": {"any": {"contentType": "image/png"}},
    }});
    let root = root(&json!({"/x": {"post": {
        "operationId": "x", "requestBody": {"content": content},
    }}}));
    let document = document(&tools(&root, &options()), "x");
    assert_eq!(
        document["implementation"]["http"]["body"]["multipart"],
        json!({
            "files": {"file": "{{ files }}"}, "file": {"file": "{{ file }}"},
            "media": {"file": "{{ media }}"}, "text": "{{ text }}", "tags": "{{ tags }}",
            "any": {"file": "{{ any }}"},
        })
    );
    let files = &document["parameters_schema"]["properties"]["files"];
    assert_eq!(files["items"]["description"], "A file of the project");
}

/// Returns the templates of the parameter `p`, or why it is left out.
fn template(parameter: &Value) -> Result<Value, String> {
    let mut parameter = parameter.clone();
    parameter["name"] = "p".into();
    let path = if parameter["in"] == "path" {
        "/x/{p}"
    } else {
        "/x"
    };
    let root = root(&json!({path: {"get": {"operationId": "x", "parameters": [parameter]}}}));
    let found = tools(&root, &options()).remove(0);
    let http = found.document?["implementation"]["http"].clone();
    if let Some((_, reason)) = found.left_out.first() {
        return Err(reason.clone());
    }
    let url = http["url"].as_str().unwrap_or_default();
    let own = url
        .strip_prefix("https://eu.a.example/v1/x/")
        .map(Value::from);
    let maps = [&http["query"], &http["headers"]];
    let map = maps.into_iter().find(|it| it.is_object());
    let map = map.map(|map| map.get("p").unwrap_or(map).clone());
    Ok(own.or(map).unwrap_or_default())
}

#[test]
fn styles_are_sent_or_left_out() {
    let array = json!({"type": ["array", "null"], "items": {"type": "string"}});
    let object = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let either = |value: &str| format!("{{{{ {value} if p is defined else none }}}}");
    let styled = |place: &str, schema: &Value, style: &str, explode: bool| json!({"in": place, "schema": schema, "style": style, "explode": explode});
    for (parameter, expected) in [
        (
            json!({"in": "path", "schema": array}),
            "{{ [p] }}".to_owned(),
        ),
        (
            styled("path", &array, "matrix", false),
            ";p={{ [p] }}".to_owned(),
        ),
        (
            styled("path", &array, "label", true),
            ".{{ p | join(\".\") }}".to_owned(),
        ),
        (
            styled("path", &object, "simple", false),
            "{{ [p | dictsort] }}".to_owned(),
        ),
        (styled("query", &array, "form", false), either("[p]")),
        (
            styled("query", &array, "pipeDelimited", false),
            either("p | join(\"|\")"),
        ),
        (
            styled("query", &object, "form", false),
            either("[p | dictsort]"),
        ),
        (
            styled("header", &object, "simple", false),
            either("p | dictsort | join(\",\")"),
        ),
        (
            json!({"in": "query", "content": {"application/json": {"schema": array}}}),
            either("p | dump"),
        ),
        (
            json!({"in": "header", "type": "array", "items": {"type": "string"}, "collectionFormat": "pipes"}),
            either("p | join(\"|\")"),
        ),
    ] {
        assert_eq!(template(&parameter), Ok(expected.into()), "{parameter}");
    }
    let deep = template(&styled("query", &map, "deepObject", true));
    assert_eq!(deep, Ok(json!({"p[]": "{{ p }}"})));
    for (parameter, style) in [
        (
            styled("path", &array, "matrix", true),
            "`matrix` and `explode`",
        ),
        (
            styled("path", &object, "simple", true),
            "`simple` and `explode`",
        ),
        (styled("query", &map, "form", true), "`form` and `explode`"),
        (
            styled("query", &object, "pipeDelimited", false),
            "`pipeDelimited`",
        ),
        (
            styled("header", &object, "simple", true),
            "`simple` and `explode`",
        ),
    ] {
        let reason = format!("`p` has the style {style}, which cannot be sent");
        assert_eq!(template(&parameter), Err(reason), "{parameter}");
    }
    let xml = json!({"in": "query", "content": {"application/xml": {"schema": {}}}});
    let reason = "`p` has the media type `application/xml`".to_owned();
    assert_eq!(template(&xml), Err(reason));
}

#[test]
fn names_of_the_language_and_of_the_client() {
    let query = |name: &str| json!({"name": name, "in": "query", "schema": {"type": "string"}});
    let header = |name: &str| json!({"name": name, "in": "header", "schema": {"type": "string"}});
    let names = ["Cookie", "Connection", "Transfer-Encoding"].map(header);
    let mut parameters = vec![query("args"), query("if")];
    parameters.extend(names);
    let body = json!({"content": {"application/*+json": {"schema": {"type": "string"}}}});
    let root = root(&json!({"/x/{owner}": {"post": {
        "operationId": "x", "requestBody": body, "parameters": parameters,
    }, "parameters": [{"name": "owner", "in": "path", "schema": {"type": "string"}}]}}));
    let set = Map::from_iter([("owner".to_owned(), json!("../{a"))]);
    let own = Override {
        set,
        ..Override::default()
    };
    let options = Options {
        overrides: BTreeMap::from([("x".to_owned(), own)]),
        ..options()
    };
    let document = document(&tools(&root, &options), "x");
    let http = &document["implementation"]["http"];
    let query = json!({"args": "{{ args_query }}", "if": "{{ args[\"if\"] }}"});
    assert_eq!(http["query"], query);
    assert_eq!(http.get("headers"), None);
    assert_eq!(http["url"], "https://eu.a.example/v1/x/{{ \"../{a\" }}");
}
