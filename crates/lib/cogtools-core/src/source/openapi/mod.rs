//! A specification in OpenAPI 3 or Swagger 2, whose operations are tools.
//!
//! An operation becomes a tool file in memory, with `implementation: {http: …}`: everything else is
//! as for a tool of the project, its approval too.

mod name;
mod operation;
mod schema;
mod server;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

pub use self::name::{constant, name as tool_name, variable};
pub use self::operation::Operation;

use super::{Candidate, Declared, Listing, SourceError};
use crate::file::{self, ReadScope};
use crate::text::Text;
use crate::tool::{Author, Provenance, ToolError};
use crate::{Code, Context, Name, Tool, yaml};

/// The largest file, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Why an operation with a relative URL is no tool.
const NO_HOST: &str = "its server has no host";

/// The options of a specification, but not its place.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Its name in messages and in variables.
    pub name: String,
    /// The prefix of the names of its tools.
    pub prefix: String,
    /// The URL of the server, instead of that in the file.
    pub server: Option<String>,
    /// Variables in the URL of the server.
    pub variables: BTreeMap<String, String>,
    /// Credentials by scheme.
    pub auth: Map<String, Value>,
    /// Further hosts.
    pub hosts: Vec<String>,
    /// Further headers.
    pub headers: Map<String, Value>,
    /// The time limit of a call, in seconds.
    pub timeout: Option<f64>,
    /// The operations that are tools; all if there are none.
    pub include: Vec<String>,
    /// The operations that are not.
    pub exclude: Vec<String>,
    /// Changes by operation.
    pub overrides: BTreeMap<String, Override>,
}

/// Changes of one operation.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Override {
    /// The name of the tool.
    pub name: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Its annotations.
    pub annotations: Option<Value>,
    /// Values that are sent, and not declared.
    pub set: Map<String, Value>,
    /// The part of the response that is the result.
    pub response: Option<Value>,
    /// Statuses from 400 that are results.
    pub ok: Vec<u16>,
    /// The time limit of a call, in seconds.
    pub timeout: Option<f64>,
}

/// A specification in a file.
#[derive(Clone, Debug)]
pub struct Specification {
    path: PathBuf,
    display_path: PathBuf,
    scope: ReadScope,
    is_users: bool,
    options: Arc<Options>,
    root: Arc<OnceLock<Result<Value, Unusable>>>,
    operations: Arc<OnceLock<Result<Vec<Operation>, Unusable>>>,
}

/// Why a specification, or one of its operations, is not used: the message, and the hint.
type Unusable = (String, &'static str);

impl Specification {
    /// Makes the specification in the file at `path` in `scope`.
    pub fn new(
        path: PathBuf,
        display_path: PathBuf,
        scope: ReadScope,
        is_users: bool,
        options: Options,
    ) -> Self {
        Self {
            path,
            display_path,
            scope,
            is_users,
            options: Arc::new(options),
            root: Arc::default(),
            operations: Arc::default(),
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.options.name
    }

    /// Returns true if the user has configured it.
    pub const fn is_users(&self) -> bool {
        self.is_users
    }

    pub(super) fn find(
        &self,
        name: &Name,
        cx: &Context,
        errors: &mut Vec<SourceError>,
    ) -> Result<Option<Tool>, ToolError> {
        if !name.as_str().starts_with(&self.options.prefix) {
            return Ok(None);
        }
        // A call needs one operation of thousands.
        let read = self.read(cx, Some(name.as_str()));
        match read {
            Ok(operations) => {
                let found = operations.iter().find(|it| it.document.is_ok());
                found.map(|operation| self.load(operation)).transpose()
            }
            Err(error) => {
                errors.push(self.unusable(&error));
                Ok(None)
            }
        }
    }

    pub(super) fn list(&self, cx: &Context) -> Listing {
        let mut listing = Listing::default();
        let operations = match self.operations(cx) {
            Ok(operations) => operations,
            Err(error) => {
                listing.errors.push(error);
                return listing;
            }
        };
        for operation in operations {
            match &operation.document {
                Ok(_) => listing.entries.push(Candidate {
                    name: operation.name.clone().into(),
                    path: PathBuf::new(),
                    display_path: self.shown(operation),
                    provenance: Arc::new(self.provenance()),
                    scope: ReadScope::User,
                    declared: Some(Declared::Operation(
                        self.clone(),
                        Box::new(operation.clone()),
                    )),
                }),
                Err(reason) => listing.errors.push(SourceError::Operation {
                    name: self.options.name.clone(),
                    operation: operation.id.clone(),
                    reason: reason.clone(),
                }),
            }
        }
        listing
            .entries
            .sort_by(|one, other| one.name.cmp(&other.name));
        listing
    }

    /// Makes the tool of an operation.
    pub(super) fn load(&self, operation: &Operation) -> Result<Tool, ToolError> {
        let document = operation.document.clone().unwrap_or_default();
        let text = Text::new(self.shown(operation), document.to_string().into_bytes());
        let tool = Tool::parse(text.map_err(ToolError::Text)?)?;
        let tool = tool.from(Arc::new(self.provenance()));
        Ok(tool.with_advisory_output(operation.output.as_ref()))
    }

    fn shown(&self, operation: &Operation) -> PathBuf {
        PathBuf::from(format!("{}: {}", self.options.name, operation.id))
    }

    fn provenance(&self) -> Provenance {
        Provenance {
            source: self.options.name.clone(),
            toolset: Some(self.options.name.clone()),
            author: if self.is_users {
                Author::User
            } else {
                Author::Project
            },
        }
    }

    fn operations(&self, cx: &Context) -> Result<&[Operation], SourceError> {
        let operations = self.operations.get_or_init(|| self.read(cx, None)).as_ref();
        let operations = operations.map(Vec::as_slice);
        operations.map_err(|error| self.unusable(error))
    }

    /// Reads all operations, or those that are named `only`.
    fn read(&self, cx: &Context, only: Option<&str>) -> Result<Vec<Operation>, Unusable> {
        let root = self.root.get_or_init(|| read(&self.path, &self.scope));
        let root = root.as_ref().map_err(Clone::clone)?;
        let has = |names: &[String]| {
            let found = if self.is_users {
                cx.environment.user_env(names)
            } else {
                cx.child_env(names)
            };
            found.is_ok()
        };
        operations(root, &self.options, &has, only)
    }

    fn unusable(&self, (message, hint): &Unusable) -> SourceError {
        SourceError::Specification(self.display_path.clone(), message.clone(), hint)
    }
}

/// Reads the specification in the file at `path` in `scope`, in YAML or JSON.
///
/// # Errors
///
/// The message and the hint.
pub fn read(path: &Path, scope: &ReadScope) -> Result<Value, Unusable> {
    const READABLE: &str = "name a file of the project";
    let (file, _) = file::open(path, scope).map_err(|error| (error.to_string(), READABLE))?;
    let mut bytes = Vec::new();
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| (error.to_string(), READABLE))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(("it is larger than 64 MiB".to_owned(), "split it"));
    }
    let is_json = bytes.trim_ascii_start().starts_with(b"{");
    let root = if is_json {
        serde_json::from_slice(&bytes).map_err(|error| error.to_string())
    } else {
        let text = Text::new(path, bytes).map_err(|error| error.to_string());
        text.and_then(|text| {
            let parsed = yaml::parse(&text).map(|node| node.to_json());
            parsed.map_err(|error| error.diagnostic(Code::InvalidConfig, &text).summary())
        })
    };
    let root: Value = root.map_err(|error| (error, "convert it to JSON, or correct it"))?;
    let version = root.get("openapi").or(root.get("swagger"));
    let version = version.map(|it| it.to_string().trim_matches('"').to_owned());
    let is_known = |version: &String| version.starts_with("3.") || version.starts_with("2.");
    match version.filter(is_known) {
        Some(_) => Ok(root),
        None => Err((
            "it is no specification in OpenAPI 3 or Swagger 2".to_owned(),
            "it begins with `openapi: 3.1.0`, `openapi: 3.0.3` or `swagger: \"2.0\"`",
        )),
    }
}

/// Finds the operations of the specification `root`, as tools: all, or those that are named `only`.
///
/// # Errors
///
/// The message and the hint.
pub fn operations(
    root: &Value,
    options: &Options,
    has: &dyn Fn(&[String]) -> bool,
    only: Option<&str>,
) -> Result<Vec<Operation>, Unusable> {
    let mut operations = operation::operations(root, options, has, only);
    let has_host = |operation: &Operation| {
        let document = operation.document.as_ref().ok()?;
        let url = document.pointer("/implementation/http/url")?.as_str()?;
        Some(url.contains("://"))
    };
    let hosts: Vec<bool> = operations.iter().filter_map(has_host).collect();
    if !hosts.is_empty() && !hosts.contains(&true) {
        return Err((
            NO_HOST.to_owned(),
            "name it, as in `server: https://api.example.com/v1`",
        ));
    }
    for operation in &mut operations {
        if has_host(operation) == Some(false) {
            operation.document = Err(NO_HOST.to_owned());
        }
    }
    Ok(operations)
}

#[cfg(test)]
mod tests {
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
}
