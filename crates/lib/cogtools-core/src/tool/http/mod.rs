//! `implementation: {http: …}`: a request, whose parts are templates, and its response.
//!
//! The request is rendered here, and carried out by `cogtools http`, so that the programs that run
//! for each call link no TLS. Nothing of a template can leave its place: see [`url`].

mod body;
mod read;
mod reply;
mod url;

use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;

use serde_json::{Map, Value};

use body::present_all;
use reply::{described, image, read_tape, status_message, unrecorded, write_tape};
use url::{UrlTemplate, impossible};

use super::agent::{OwnProgram, variables_of_user};
use super::call::{RunError, ToolCall, ToolOutput};
use super::command::CommandError;
use super::template::{Template, TemplateScope, TemplateSource, ValueTemplate, printed};
use super::{Annotations, Author, Definition, Output};
use crate::environment::Vars;
use crate::http::{HostRule, HttpAuth, HttpKind, HttpPages, HttpReply, HttpTask, Retry};
use crate::process::Exit;
use crate::text::Text;
use crate::{Code, Context, Diagnostic, Tape, http};

/// The subcommand that makes requests, and its options.
const ARGS: [&str; 2] = ["http", "--error-format=json"];
/// The variables of `response`.
pub const RESPONSE_VARIABLES: [&str; 5] = ["body", "status", "headers", "args", "more"];
/// The key of recorded responses in an example's `with`.
const PRESET: &str = "http";
/// Time after a call's limit until the program is killed.
const GRACE: Duration = Duration::from_millis(500);

/// A request and its response.
#[derive(Debug)]
pub(crate) struct Http {
    method: String,
    url: UrlTemplate,
    query: Vec<(String, ValueTemplate)>,
    headers: Vec<(String, ValueTemplate)>,
    body: Option<Body>,
    auth: Vec<HttpAuth<Secret>>,
    hosts: Vec<HostRule>,
    /// The hosts as the file writes them.
    named_hosts: Vec<String>,
    ok: Vec<u16>,
    retry: Retry,
    paginate: Option<HttpPages>,
    response: Response,
    max_bytes: u64,
    /// Variables whose values may be sent instead of its own, for reviews.
    pub(in crate::tool) alternatives: Vec<String>,
}

/// The body of a request.
#[derive(Debug)]
enum Body {
    Json(ValueTemplate),
    Form(Vec<(String, ValueTemplate)>),
    Multipart(Vec<(String, FormPart)>),
    Text(ValueTemplate),
}

/// A part of a multipart body.
#[derive(Debug)]
enum FormPart {
    Value(ValueTemplate),
    File {
        path: ValueTemplate,
        filename: Option<ValueTemplate>,
        media_type: Option<ValueTemplate>,
    },
}

/// A text, or the variable with it.
#[derive(Clone, Debug)]
enum Secret {
    Text(String),
    Variable(String),
}

/// The part of a response that is the result.
#[derive(Debug, Default)]
struct Response {
    select: Option<Select>,
    template: Option<Template>,
    kind: Option<HttpKind>,
}

/// A part of a response.
#[derive(Debug)]
enum Select {
    Pointer(String),
    Expression(ValueTemplate),
}

impl Http {
    /// Sets the hints that the method implies, unless the file says otherwise.
    pub(super) fn annotate(&self, annotations: &mut Annotations) {
        let method = self.method.as_str();
        let mut imply = |slot: fn(&mut Annotations) -> &mut Option<bool>, holds: bool| {
            if holds {
                slot(annotations).get_or_insert(true);
            }
        };
        imply(|it| &mut it.read_only, matches!(method, "GET" | "HEAD"));
        imply(|it| &mut it.destructive, method == "DELETE");
        imply(|it| &mut it.idempotent, matches!(method, "PUT" | "DELETE"));
        imply(|it| &mut it.open_world, true);
    }

    /// Describes the request in one line, for reviews: the method, the hosts and the variables.
    pub(super) fn summary(&self) -> String {
        let own = self.url.literal_host();
        let others = self.named_hosts.iter();
        let others = others.filter(|host| own.as_ref() != Some(host));
        let hosts: Vec<&str> = own.iter().chain(others).map(String::as_str).collect();
        let mut line = format!("{} {}", self.method, hosts.join(" "));
        let mut names = self.variables();
        let others = self.alternatives.iter().map(String::as_str);
        names.extend(others);
        let mut known = HashSet::new();
        names.retain(|name| known.insert(*name));
        if !names.is_empty() {
            line.push_str(" with ");
            line.push_str(&names.join(" "));
        }
        line
    }

    /// The variables with credentials.
    pub(super) fn variables(&self) -> Vec<&str> {
        self.auth.iter().flat_map(variables_of).collect()
    }

    /// Returns true if a call in `cx` has recorded responses, or none, instead of the network.
    pub(crate) fn is_recorded(cx: &Context) -> bool {
        let has_tape = || matches!(cx.call.tape, Some(Tape::Replay(_)));
        cx.is_offline() || cx.call.presets.contains_key(PRESET) || has_tape()
    }

    /// Makes the request, and returns the result of its response.
    pub(super) fn call(&self, call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
        self.answer(call).map_err(|mut error| {
            if error.subject.is_empty() && error.location.is_none() {
                call.name().clone_into(&mut error.subject);
            }
            error
        })
    }

    fn answer(&self, call: &ToolCall<'_>) -> Result<ToolOutput, RunError> {
        let (task, body) = self.task(call)?;
        let is_recorded = task.record;
        let mut own = call.cx.clone();
        let tape = own.call.tape.take();
        let (reply, body) = exchange(task, body, call.name(), &own)?;
        if let Some(Tape::Record(path)) = tape.filter(|_| is_recorded) {
            write_tape(&path, &reply.exchanges, call.cx)?;
        }
        self.result(reply, String::from_utf8_lossy(&body).into_owned(), call)
    }

    fn task(&self, call: &ToolCall<'_>) -> Result<(HttpTask, Vec<u8>), RunError> {
        let (tool, cx) = (call.tool, call.cx);
        let scope = TemplateScope::of(&tool.text);
        let arguments = &variables(call);
        let present = |value: &ValueTemplate| value.present(&scope, arguments);
        let query = present_all(&self.query, &present)?;
        let url = self.url.render(&scope, arguments, &query)?;
        let mut headers = Vec::new();
        for (name, value) in &self.headers {
            let value = present(value)?.filter(|value| !value.is_null());
            if let Some(value) = value {
                headers.push((name.clone(), header(name, printed(&value))?));
            }
        }
        let body = self.body.as_ref();
        let body = body.map(|body| body.render(&present, cx)).transpose()?;
        let (content_type, body) = body.flatten().unzip();
        let body = body.unwrap_or_default();
        let replay = match (cx.call.presets.get(PRESET), &cx.call.tape) {
            (Some(Value::Array(all)), _) => Some(all.clone()),
            (Some(one), _) => Some(vec![one.clone()]),
            (None, Some(Tape::Replay(path))) => Some(read_tape(path, cx)?),
            _ if cx.is_offline() => return Err(unrecorded()),
            _ => None,
        };
        let sent = self.auth.iter().filter(|_| replay.is_none());
        let auth = sent.map(|auth| resolve(auth, tool, cx));
        let auth = auth.collect::<Result<_, _>>()?;
        let task = HttpTask {
            method: self.method.clone(),
            url,
            headers,
            content_type,
            auth,
            hosts: self.hosts.clone(),
            is_host_rendered: self.url.literal_host().is_none(),
            ok: self.ok.clone(),
            retry: self.retry,
            paginate: self.paginate.clone(),
            kind: self.response.kind,
            max_bytes: self.max_bytes,
            seconds: tool.timeout.as_secs_f64(),
            record: replay.is_none() && matches!(cx.call.tape, Some(Tape::Record(_))),
            replay,
        };
        Ok((task, body))
    }

    fn result(
        &self,
        reply: HttpReply,
        body: String,
        call: &ToolCall<'_>,
    ) -> Result<ToolOutput, RunError> {
        if reply.status >= 400 && !self.ok.contains(&reply.status) {
            return Err(failed(status_message(&reply, &body)));
        }
        if self.response.kind == Some(HttpKind::Image) {
            return image(&reply, &body);
        }
        if !reply.is_text {
            let kind = described(&reply);
            return Err(failed(format!("the response is not text: {kind}")));
        }
        let is_json_wanted = matches!(call.tool.output, Output::Json(_) | Output::Content);
        let parsed = self.response.parse(&reply, &body)?;
        let text = if self.response.select.is_none() && self.response.template.is_none() {
            match body {
                empty if empty.is_empty() && is_json_wanted => "null".to_owned(),
                body => body,
            }
        } else {
            let mut variables = Map::new();
            let value = parsed.unwrap_or(Value::String(body));
            variables.insert("status".to_owned(), reply.status.into());
            variables.insert("headers".to_owned(), reply.headers.into());
            variables.insert("body".to_owned(), value);
            variables.insert("args".to_owned(), call.arguments.clone().into());
            variables.insert("more".to_owned(), reply.more.into());
            self.response.render(variables, call.tool, is_json_wanted)?
        };
        let mut output = ToolOutput::new(text);
        output.cut();
        Ok(output)
    }

    /// Finds the reason why every call would fail.
    pub(super) fn check(&self, scope: &TemplateScope<'_>) -> Result<(), RunError> {
        let request = self.url.templates().chain(self.part_templates());
        let mut all = request.chain(self.response_templates());
        all.try_for_each(|it| it.check(scope))
    }

    /// Returns the templates, for a tool whose file is `text`.
    pub(super) fn sources(&self, text: &Text) -> Vec<TemplateSource> {
        let inline = |template| TemplateSource::inline(template, text);
        let parts = self.part_templates().map(|template| TemplateSource {
            is_left_out: template.is_lone_value(),
            ..inline(template)
        });
        let response = self.response_templates().map(|template| TemplateSource {
            reads_response: true,
            ..inline(template)
        });
        let url = self.url.templates().map(inline);
        url.chain(parts).chain(response).collect()
    }

    /// The templates of the request, without the URL.
    fn part_templates(&self) -> impl Iterator<Item = &Template> {
        let pairs = self.query.iter().chain(&self.headers);
        let body: Vec<&Template> = match &self.body {
            None => Vec::new(),
            Some(Body::Json(value) | Body::Text(value)) => value.templates(),
            Some(Body::Form(pairs)) => pairs.iter().flat_map(|(_, it)| it.templates()).collect(),
            Some(Body::Multipart(parts)) => parts
                .iter()
                .flat_map(|(_, part)| part.templates())
                .collect(),
        };
        let pairs = pairs.flat_map(|(_, value)| value.templates());
        pairs.chain(body)
    }

    fn response_templates(&self) -> impl Iterator<Item = &Template> {
        let select = self.response.select.iter().flat_map(|select| match select {
            Select::Pointer(_) => Vec::new(),
            Select::Expression(value) => value.templates(),
        });
        select.chain(&self.response.template)
    }
}

/// Returns the header or the parameter that has the credentials.
fn place(auth: &HttpAuth<Secret>) -> String {
    match auth {
        HttpAuth::Header(name, ..) => format!("the header `{}`", name.to_ascii_lowercase()),
        HttpAuth::Query(name, ..) => format!("the parameter `{name}`"),
        _ => "the header `authorization`".to_owned(),
    }
}

/// Returns the credentials with the values of the variables that `tool` may see.
fn resolve(auth: &HttpAuth<Secret>, tool: &Definition, cx: &Context) -> Result<HttpAuth, RunError> {
    let names: Vec<String> = variables_of(auth).map(str::to_owned).collect();
    let variables = cx.env_of(tool.provenance.author == Author::User, &names);
    let variables = variables.map_err(|error| Box::new(error.diagnostic()))?;
    auth.try_map(|secret| secret.value(&variables))
}

/// Returns the variables with the credentials.
fn variables_of(auth: &HttpAuth<Secret>) -> impl Iterator<Item = &str> {
    let mut names = Vec::new();
    let Ok(_) = auth.try_map(|secret| {
        if let Secret::Variable(name) = secret {
            names.push(name.as_str());
        }
        Ok::<_, Infallible>(())
    });
    names.into_iter()
}

impl Secret {
    /// Returns the text. A variable is printable ASCII or other text without control characters.
    fn value(&self, variables: &Vars) -> Result<String, RunError> {
        let name = match self {
            Self::Text(text) => return Ok(text.clone()),
            Self::Variable(name) => name,
        };
        let invalid = |what: &str| {
            let message = format!("the environment variable `{name}` {what}");
            let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
            Box::new(diagnostic.hint("set it again, without quotes and line breaks"))
        };
        let value = variables.get(name.as_ref() as &std::ffi::OsStr);
        let value = value.and_then(|value| value.to_str());
        match value {
            None => Err(invalid("is not text")),
            Some("") => Err(invalid("is empty")),
            Some(text) if text.chars().any(char::is_control) => {
                Err(invalid("has control characters"))
            }
            Some(text) => Ok(text.to_owned()),
        }
    }
}

/// Makes the requests of `task` for `name` in this process, if it stays, or else in one of its own.
fn exchange(
    task: HttpTask,
    body: Vec<u8>,
    name: &str,
    cx: &Context,
) -> Result<(HttpReply, Vec<u8>), RunError> {
    let timeout = Duration::try_from_secs_f64(task.seconds).unwrap_or(Duration::from_mins(1));
    // A stored login is read, and renewed, by the program.
    let is_login = task.auth.iter().any(|it| matches!(it, HttpAuth::Login(_)));
    if let Some(requests) = cx.requests.as_ref().filter(|_| !is_login) {
        let ended = requests.run(task, body, &variables_of_user(cx), &cx.cancel);
        return ended.map_err(|diagnostic| match diagnostic {
            Some(diagnostic) => Box::new(diagnostic.with_subject(name)),
            None => CommandError::of(Exit::Cancelled, timeout).diagnostic(name),
        });
    }
    let max_output = task.max_bytes.saturating_mul(4);
    let program = OwnProgram {
        args: &ARGS,
        input: http::encode(&task, &body),
        timeout: timeout.saturating_add(GRACE),
        runs_agents: false,
        max_output: usize::try_from(max_output).unwrap_or(usize::MAX),
        lines: None,
    };
    let answer = program.run(name, cx)?;
    match http::decode::<HttpReply>(&answer) {
        Some((reply, body)) => Ok((reply, body.to_vec())),
        None => Err(failed("the response is too large".to_owned())),
    }
}

/// Requests the text at `url`, of at most `max_bytes`, without credentials. `hosts` may be reached
/// besides its own.
///
/// # Errors
///
/// The failure, or the status of the response.
pub(crate) fn fetch(
    url: &str,
    hosts: Vec<HostRule>,
    max_bytes: u64,
    limit: Duration,
    cx: &Context,
) -> Result<Vec<u8>, RunError> {
    let task = HttpTask {
        method: "GET".to_owned(),
        url: url.to_owned(),
        hosts,
        max_bytes,
        seconds: limit.as_secs_f64(),
        ..HttpTask::default()
    };
    let mut cx = cx.clone();
    cx.call.tape = None;
    let (reply, body) = exchange(task, Vec::new(), "", &cx)?;
    if reply.status != 200 || !reply.is_text {
        let text = String::from_utf8_lossy(&body);
        return Err(failed(status_message(&reply, &text)));
    }
    Ok(body)
}

/// Evaluates the value of a part of a request.
type Present<'p> = dyn Fn(&ValueTemplate) -> Result<Option<Value>, RunError> + 'p;

/// Returns the variables of a request: the arguments, and all of them as `args`, for names that are
/// no variables, unless it is a parameter.
fn variables(call: &ToolCall<'_>) -> Map<String, Value> {
    let mut variables = call.arguments.clone();
    if !call.tool.schema.has_property("args") {
        let all = || call.arguments.clone().into();
        variables.entry("args").or_insert_with(all);
    }
    variables
}

/// Returns the value of a header, unless it cannot be sent.
fn header(name: &str, value: String) -> Result<String, RunError> {
    let is_sent = |c: char| c == '\t' || c == ' ' || c.is_ascii_graphic();
    if value.chars().all(is_sent) {
        return Ok(value);
    }
    Err(impossible(
        format!("the header `{name}` would have a line break or a character that is not ASCII"),
        "send printable ASCII in one line",
    ))
}

fn failed(message: String) -> RunError {
    Box::new(Diagnostic::new(Code::ToolFailed, message))
}
