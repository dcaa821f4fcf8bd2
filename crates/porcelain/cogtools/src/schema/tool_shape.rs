//! Maps with fixed keys in tool files, as types. Editors show the first paragraph of their doc
//! comments, and the manual all of them.

use cogtools_core::Code;
use cogtools_core::tool::{self, AgentBudget, METHODS};
use schemars::JsonSchema;
use serde_json::{Map, Value};

use crate::schema::flow::Flow;

/// An example with what a test expects of it.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Example {
    /// The example's name, unique in the tool: its golden file is TOOL.NAME.golden.
    #[schemars(regex(pattern = "^[a-zA-Z_][a-zA-Z0-9_-]{0,46}$"))]
    pub name: Option<String>,
    /// The arguments of the call.
    pub arguments: Map<String, Value>,
    /// Answers of tools that a flow or code calls, by name or capability; the tools do not run.
    pub with: Option<Map<String, Value>>,
    /// Texts in the result, or in the message of a failure.
    pub contains: Option<Texts>,
    /// Regular expressions that match in the result, or in the message of a failure.
    pub matches: Option<Texts>,
    /// Regular expressions of what differs between calls; it is not compared.
    pub redact: Option<Texts>,
    /// The code that the call fails with.
    #[schemars(extend("enum" = tool::Example::CODES.map(Code::name)))]
    pub fails: Option<String>,
}

/// One text or several.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Texts {
    /// One.
    One(#[schemars(length(min = 1))] String),
    /// Several.
    Several(Vec<String>),
}

/// An implementation other than an inline template: exactly one of these keys, and tools beside js.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields, extend("minProperties" = 1))]
pub struct ImplementationMap {
    /// A file with a Nunjucks template, in the tool's folder or below it.
    #[schemars(regex(pattern = r"^(?!/)(?!(.*/)?\.\.(/|$))."))]
    pub njk_file: Option<String>,
    /// JavaScript: the body of a strict function that takes args and returns the result. It
    /// runs in a confined process and reaches nothing else.
    #[schemars(regex(pattern = r"\S"))]
    pub js: Option<String>,
    /// With js: the tools that the code calls, by name, pattern or toolset. The code is the body of an
    /// async function then, with `tools.NAME(args)`, parallel and print.
    #[schemars(length(min = 1))]
    pub tools: Option<Vec<String>>,
    /// A program and its arguments, each a Nunjucks template; no shell is involved. An
    /// element that is only {{ name }} of an array becomes an argument for each item. The
    /// arguments of the call are on its standard input, as JSON.
    pub exec: Option<Exec>,
    /// With exec: a template of the text on standard input, instead of the arguments as JSON.
    pub stdin: Option<String>,
    /// With exec: the working directory, the root of the project (the default) or the folder of the
    /// tool.
    #[schemars(extend("enum" = ["project", "tool"]))]
    pub cwd: Option<String>,
    /// A script that begins with #! and its interpreter. The arguments of the call are on
    /// its standard input, as JSON.
    #[schemars(regex(pattern = r"^#!"))]
    pub script: Option<String>,
    /// A request; each text in it may be a Nunjucks template.
    pub http: Option<Http>,
    /// A model with instructions and tools.
    pub agent: Option<Agent>,
    /// Nodes that use each other's results.
    pub flow: Option<Flow>,
}

/// A request and its response.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Http {
    /// The URL, as in `https://a.example/{{ id }}`. Each value is percent-encoded.
    ///
    /// A value in the path is a part of one segment, and an array is several (in another array, one
    /// with commas); one in the query is one value. All but letters, digits, `-`, `.`, `_` and `~`
    /// is percent-encoded. A segment that becomes empty, `.` or `..` is `SCHEMA_VIOLATION`.
    #[schemars(regex(pattern = r"^\s*[Hh][Tt][Tt][Pp][Ss]?://"))]
    pub url: String,
    /// The method; by default GET, or POST with a body.
    #[schemars(extend("enum" = METHODS))]
    pub method: Option<String>,
    /// Parameters of the query. A value that is missing, null or an empty list is left out.
    ///
    /// A list is repeated, and in another list joined with commas. Below a name that ends with
    /// `[]`, maps are in brackets, as in `filter[a]=1`.
    pub query: Option<Map<String, Value>>,
    /// Headers. A value that is missing or null is left out.
    pub headers: Option<Map<String, Value>>,
    /// The body: one of json, form, multipart and text.
    ///
    /// Members of json without a value are left out. multipart has texts, or files of the project
    /// as {file: PATH, filename, type}; a list is a part for each item.
    #[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
    pub body: Option<HttpBody>,
    /// Credentials, from variables, or a list of those that are sent together.
    ///
    /// One of bearer: {env: NAME}, basic: {user, password}, `api_key`: {header or query, env,
    /// prefix}, oauth: {`token_url`, `client_id`, `client_secret`, scope} and login: SOURCE. A user
    /// of basic that is itself the key needs no password. Credentials reach the host of url only,
    /// and are `[redacted]` in results and messages.
    pub auth: Option<HttpAuths>,
    /// Other hosts that may be reached: a.example, *.a.example or 127.0.0.1:8080.
    ///
    /// Ports are 80 and 443 unless a host says another. Only an entry of its own permits http: and
    /// addresses that are not public. Redirects of GET and HEAD are followed on the origin, and to
    /// these hosts without credentials.
    pub hosts: Option<Vec<String>>,
    /// Statuses from 400 that are results.
    ///
    /// Others are `TOOL_FAILED`, with the message of the response.
    #[schemars(inner(range(min = 400, max = 599)))]
    pub ok: Option<Vec<u16>>,
    /// Further attempts: their number, or a map of times, delay and backoff.
    ///
    /// They follow 429, 502, 503, 504 and refused connections; `Retry-After` wins. POST and PATCH
    /// need annotations: {idempotent: true}.
    pub retry: Option<Value>,
    /// The way to further pages, whose items become one array.
    ///
    /// {next, items, pages}. next is link, {pointer, query} for a cursor, {url: POINTER} or {page:
    /// NAME, first: 1}; items is the pointer to the array of a page. The result is one array.
    pub paginate: Option<Paginate>,
    /// The part of the response that is the result.
    ///
    /// select is a JSON pointer or an expression, template a template; both see status, headers,
    /// body, args and more. as is text, json, image or markdown. Without them, the body is the
    /// result.
    pub response: Option<HttpResponse>,
    /// The longest decoded body, in bytes; by default, 16777216.
    #[schemars(range(min = 1))]
    pub max_bytes: Option<u64>,
}

/// The body of a request.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HttpBody {
    /// JSON; members without a value are left out.
    pub json: Option<Value>,
    /// Fields of a form, as in query.
    pub form: Option<Map<String, Value>>,
    /// Parts: texts, or maps of file, filename and type.
    pub multipart: Option<Map<String, Value>>,
    /// Text.
    pub text: Option<String>,
}

/// The credentials of a request.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum HttpAuths {
    /// One of them.
    One(Box<HttpAuth>),
    /// Several that are sent together.
    All(Vec<HttpAuth>),
}

/// One of the keys.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields, extend("minProperties" = 1, "maxProperties" = 1))]
pub struct HttpAuth {
    /// A token: {env: NAME}.
    pub bearer: Option<Map<String, Value>>,
    /// The keys user and password; without a password, the user is a key.
    pub basic: Option<Map<String, Value>>,
    /// The keys header or query, env, and prefix.
    pub api_key: Option<Map<String, Value>>,
    /// Client credentials of OAuth.
    pub oauth: Option<Map<String, Value>>,
    /// The source whose stored login is used.
    pub login: Option<String>,
}

/// The way to further pages.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Paginate {
    /// The next page: link, {pointer, query}, {url} or {page, first}.
    pub next: Value,
    /// The pointer to the array of a page; by default, the whole page.
    pub items: Option<String>,
    /// The largest number of pages; by default, 10.
    #[schemars(range(min = 1, max = 100))]
    pub pages: Option<u32>,
}

/// The part of a response that is the result.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HttpResponse {
    /// A JSON pointer, or an expression over status, headers, body, args and more.
    pub select: Option<String>,
    /// A template over the same variables.
    pub template: Option<String>,
    /// The kind of content.
    #[schemars(rename = "as", extend("enum" = ["text", "json", "image", "markdown"]))]
    pub kind: Option<String>,
}

/// A model with instructions and tools. It has a system, a behaviour or both.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Agent {
    /// The identity of the agent: a Nunjucks template over the arguments.
    ///
    /// system, behaviour or both are required.
    pub system: Option<String>,
    /// Its way of working: a template.
    pub behaviour: Option<String>,
    /// Rules that it always follows, over its system and its behaviour: one template or several.
    pub rules: Option<Texts>,
    /// The question: a template. By default, the arguments as JSON.
    pub prompt: Option<String>,
    /// The tools of the project that it may call, by name; * and ? match any characters. With
    /// `run_code`, its model calls the others by programs. By default, none.
    ///
    /// With `run_code` among them, and no tool of the project that has this name, it writes them as
    /// with `cogtools-ask(1)` --code.
    pub tools: Option<Vec<String>>,
    /// The model; by default, the one that the user asks.
    ///
    /// It and the following are as for `cogtools-ask(1)`.
    #[schemars(regex(pattern = r"\S"))]
    pub model: Option<String>,
    /// The temperature, for more or less varied answers.
    #[schemars(range(min = 0, max = 2))]
    pub temperature: Option<f64>,
    /// Makes its answers repeatable; by default, it is derived from the model and the prompt.
    pub seed: Option<i32>,
    /// The limit of tokens of a response.
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u32>,
    /// Texts at which a response ends.
    pub stop: Option<Vec<String>>,
    /// The limits of a call: turns, calls, tokens, seconds and money. What it uses also counts for an
    /// agent that calls it.
    ///
    /// They add to the limits of the user.
    pub budget: Option<AgentBudget>,
    /// The form of its answer; by default, the key output of the tool.
    ///
    /// {schema: SCHEMA}. An answer that does not match goes back to the model once.
    pub output: Option<AgentOutput>,
}

/// The form of an agent's answer.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AgentOutput {
    /// The OpenAPI 3.0 Schema Object of the JSON that it answers.
    pub schema: Option<Map<String, Value>>,
}

/// A command for all platforms, or one for each.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Exec {
    /// A program and its arguments.
    All(#[schemars(length(min = 1))] Vec<ExecElement>),
    /// Commands by platform.
    Platforms(ExecPlatforms),
}

/// Commands by platform.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields, extend("minProperties" = 1))]
pub struct ExecPlatforms {
    /// The command on Linux.
    #[schemars(length(min = 1))]
    pub linux: Option<Vec<ExecElement>>,
    /// The command on macOS.
    #[schemars(length(min = 1))]
    pub macos: Option<Vec<ExecElement>>,
    /// The command on Windows.
    #[schemars(length(min = 1))]
    pub windows: Option<Vec<ExecElement>>,
}

/// An element of exec.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum ExecElement {
    /// A template, which becomes one argument.
    Word(String),
    /// Arguments that are left out unless a condition holds, or repeated for each item of a list.
    Map(ExecMap),
}

/// Arguments that are left out unless a condition holds, or repeated for each item of a list; not
/// the first element.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(deny_unknown_fields, extend("anyOf" = [{"required": ["for"]}, {"required": ["when"]}]))]
pub struct ExecMap {
    /// The name of an item and a list, such as label in labels.
    #[schemars(regex(pattern = r"\S in \S"))]
    pub r#for: Option<String>,
    /// An expression over the arguments, without braces, such as path or count > 1.
    #[schemars(regex(pattern = r"\S"))]
    pub when: Option<String>,
    /// The arguments, each a template.
    #[schemars(length(min = 1))]
    pub args: Vec<String>,
}
