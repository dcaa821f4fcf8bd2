//! One request and its response: over the network, or from a recording.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cogtools_document::{Code, Diagnostic};
use cogtools_process::http::{
    self as guard, HostRule, HttpAuth, HttpTask, address, canonical_host, percent_encode,
};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method, Request};
use hyper::body::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::{Failed, parameter};
use crate::client::{Client, Vars};
use crate::connections::Clients;
use crate::error::Reason;
use crate::secrets::Secrets;
use crate::target::{Target, in_authority};

/// The limit of the response with a token, in bytes.
const MAX_TOKEN_BYTES: u64 = 1 << 20;
/// The parts of a recorded request.
const PARTS: [&str; 3] = ["method", "url", "body"];
/// The most characters of a line that differs from the recorded one.
const MAX_SHOWN: usize = 200;

/// The way to responses.
pub(super) struct Transport {
    client: Option<Client>,
    /// True if a connection of an earlier call may be used, which the server may have closed.
    was_used: bool,
    recorded: VecDeque<Value>,
    /// The recorded request that was answered last.
    last: Option<Value>,
    pub(super) secrets: Secrets,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// The parameters of the query with credentials, encoded.
    parameters: Vec<String>,
}

/// A recorded response.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    request: Option<Value>,
    response: Option<Value>,
    #[serde(default = "ok")]
    status: u16,
    #[serde(default)]
    headers: Map<String, Value>,
    #[serde(default)]
    body: Value,
}

const fn ok() -> u16 {
    200
}

impl Transport {
    /// Makes the client of `task`, or reads its recording.
    pub(super) fn new(task: &HttpTask, vars: &Vars, limit: Duration, clients: &Clients) -> Self {
        let mut transport = Self {
            client: None,
            was_used: false,
            recorded: VecDeque::new(),
            last: None,
            secrets: Secrets::default(),
            headers: Vec::new(),
            parameters: Vec::new(),
        };
        if let Some(recorded) = &task.replay {
            transport.recorded = recorded.iter().cloned().collect();
            return transport;
        }
        let limits = (limit, task.max_bytes.max(MAX_TOKEN_BYTES));
        let (client, was_used) = clients.find(&task.hosts, limits, vars);
        transport.client = Some(client);
        transport.was_used = was_used;
        transport
    }

    /// Returns true if it makes no requests.
    pub(super) const fn is_recorded(&self) -> bool {
        self.client.is_none()
    }

    /// Adds credentials to requests for the tool's own host.
    pub(super) fn add_auth(&mut self, auth: HttpAuth) -> Result<(), Box<Diagnostic>> {
        let (name, value) = match auth {
            HttpAuth::Bearer(token) => {
                self.secrets.add(&token);
                (AUTHORIZATION, format!("Bearer {token}"))
            }
            HttpAuth::Basic(user, password) => {
                let pair = format!("{user}:{password}");
                // Without a password, the user is the key.
                let secret = if password.is_empty() {
                    &user
                } else {
                    &password
                };
                self.secrets.add(secret);
                self.secrets.add(&pair);
                (AUTHORIZATION, format!("Basic {}", STANDARD.encode(pair)))
            }
            HttpAuth::Header(name, prefix, key) => {
                self.secrets.add(&key);
                let name = HeaderName::try_from(name).map_err(|_| unsendable())?;
                (name, format!("{prefix}{key}"))
            }
            HttpAuth::Query(name, prefix, key) => {
                self.secrets.add(&key);
                self.parameters.push(parameter(&name, &(prefix + &key)));
                return Ok(());
            }
            HttpAuth::Oauth(..) | HttpAuth::Login(_) => return Ok(()),
        };
        let mut value = HeaderValue::try_from(value).map_err(|_| unsendable())?;
        value.set_sensitive(true);
        self.headers.push((name, value));
        Ok(())
    }

    /// Requests a token for client credentials: first as RFC 6749 has it, then in the body.
    pub(super) async fn client_token(
        &mut self,
        url: &str,
        id: &str,
        secret: &str,
        scope: Option<&str>,
    ) -> Result<String, Box<Diagnostic>> {
        self.secrets.add(secret);
        let basic = STANDARD.encode(format!("{}:{}", percent_encode(id), percent_encode(secret)));
        self.secrets.add(&basic);
        let scope = scope.map(|scope| format!("&{}", parameter("scope", scope)));
        let form = format!("grant_type=client_credentials{}", scope.unwrap_or_default());
        let (id, secret) = (
            parameter("client_id", id),
            parameter("client_secret", secret),
        );
        let in_body = format!("{form}&{id}&{secret}");
        let failed = |what: String| {
            let message = format!("no token of OAuth: {what}");
            Box::new(Diagnostic::new(Code::ToolFailed, message))
        };
        let mut last = String::new();
        for (form, authorization) in [(form, Some(format!("Basic {basic}"))), (in_body, None)] {
            let mut request = Request::builder()
                .method(Method::POST)
                .uri(url)
                .header(ACCEPT, "application/json")
                .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
            if let Some(authorization) = authorization {
                request = request.header(AUTHORIZATION, authorization);
            }
            let request = request.body(Bytes::from(form));
            let request = request.map_err(|error| failed(error.to_string()))?;
            let target = Target::new(request.uri()).map_err(|error| failed(error.to_string()))?;
            let client = self.client.as_ref();
            let client = client.ok_or_else(|| failed("not recorded".to_owned()))?;
            let sent = client.send_once(&target, &request).await;
            let response = sent.map_err(|error| failed(error.to_string()))?;
            let answer = Answer::read(response, MAX_TOKEN_BYTES).await;
            let answer = answer.map_err(|error| match error {
                Failed::Client(error) => failed(error.to_string()),
                Failed::Other(diagnostic) => diagnostic,
            })?;
            let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            if let Some(token) = body["access_token"]
                .as_str()
                .filter(|_| answer.status < 300)
            {
                return Ok(token.to_owned());
            }
            let error = body["error"].as_str().unwrap_or_default();
            last = format!("HTTP {}: {error}", answer.status);
            if !matches!(answer.status, 400 | 401) {
                break;
            }
        }
        Err(failed(last))
    }

    /// Sends the request of `task` to `url`, with credentials and headers only if `is_own`, and
    /// returns the response, and both as they are recorded.
    pub(super) async fn send(
        &mut self,
        task: &HttpTask,
        url: &str,
        body: &[u8],
        is_own: bool,
    ) -> Result<(Answer, Option<Value>), Failed> {
        let described = json!({
            "method": task.method,
            "url": self.secrets.redact(url),
            "body": self.secrets.redact(&String::from_utf8_lossy(body)),
        });
        let Some(client) = &self.client else {
            let answer = self.replay(&described)?;
            return Ok((answer, None));
        };
        let mut full = url.to_owned();
        for parameter in self.parameters.iter().filter(|_| is_own) {
            full.push(if full.contains('?') { '&' } else { '?' });
            full.push_str(parameter);
        }
        let request = request(task, &full, body, is_own.then_some(&*self.headers));
        let request = request.map_err(|_| Failed::Other(unsendable()))?;
        let target = Target::new(request.uri()).map_err(Failed::Client)?;
        let is_repeatable = !matches!(task.method.as_str(), "POST" | "PATCH");
        let mut sent = client.send_once(&target, &request).await;
        if is_repeatable
            && std::mem::take(&mut self.was_used)
            && let Err(error) = &sent
            && matches!(error.reason, Reason::Reset(_))
        {
            sent = client.send_once(&target, &request).await;
        }
        let response = sent.map_err(Failed::Client)?;
        let answer = Answer::read(response, task.max_bytes).await?;
        let exchange = task
            .record
            .then(|| json!({"request": described, "response": answer.recorded(&self.secrets)}));
        Ok((answer, exchange))
    }

    /// Returns the next recorded response, if it is one to this request.
    fn replay(&mut self, described: &Value) -> Result<Answer, Failed> {
        let read = |value: Value| {
            serde_json::from_value::<Recorded>(value).map_err(|error| {
                Failed::Other(Box::new(Diagnostic::new(
                    Code::InvalidTool,
                    format!("a recorded response is invalid: {error}"),
                )))
            })
        };
        let Some(next) = self.recorded.pop_front() else {
            let message = format!("no response is recorded for {}", line(described));
            let last = self.last.as_ref();
            let details = last.map(|last| format!("the last recorded request: {}", line(last)));
            return Err(Failed::Other(stale(message, details.unwrap_or_default())));
        };
        let recorded = read(next)?;
        if let Some(request) = &recorded.request
            && request != described
        {
            let rest = self.recorded.iter().filter_map(|it| it.get("request"));
            let is_equal = |it: &Value, key: &str| it[key] == described[key];
            let equal = |it: &&Value| PARTS.iter().filter(|key| is_equal(it, key)).count();
            let nearest = rest.rev().chain([request]).max_by_key(equal);
            let nearest = nearest.unwrap_or(request);
            let mut parts = PARTS.to_vec();
            parts.retain(|&key| nearest[key] != described[key]);
            let (line, details) = (line(described), difference(nearest, described));
            let message = match parts.as_slice() {
                [] => format!("{line} is recorded after requests that are not made any more"),
                [part] => format!("the {part} of {line} differs from the nearest recorded request"),
                parts => format!(
                    "the {} of {line} differ from the nearest recorded request",
                    parts.join(" and ")
                ),
            };
            return Err(Failed::Other(stale(message, details)));
        }
        self.last.clone_from(&recorded.request);
        let recorded = match recorded.response {
            Some(response) => read(response)?,
            None => recorded,
        };
        Ok(Answer::of(recorded.status, recorded.headers, recorded.body))
    }

    /// Fails if there are recorded requests that were not made.
    pub(super) fn end(&self) -> Result<(), Box<Diagnostic>> {
        let rest = self.recorded.iter().filter_map(|it| it.get("request"));
        let lines: Vec<String> = rest.map(line).collect();
        match lines.as_slice() {
            [] => Ok(()),
            [one] => {
                let message = format!("{one} is recorded and is not made any more");
                Err(stale(message, String::new()))
            }
            all => {
                let message = format!("{} recorded requests are not made any more", all.len());
                Err(stale(message, all.join("\n")))
            }
        }
    }
}

fn stale(message: String, details: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Code::StaleRecording, message).with_details(details))
}

/// The method and the URL of a request as it is recorded.
fn line(described: &Value) -> String {
    let text = |key: &str| described[key].as_str().unwrap_or_default();
    format!("{} {}", text("method"), text("url"))
}

/// The lines in which two requests differ: of the recorded one, and of the new one.
fn difference(recorded: &Value, new: &Value) -> String {
    let lines = |it: &Value| [line(it), it["body"].as_str().unwrap_or_default().to_owned()];
    let pairs = lines(recorded).into_iter().zip(lines(new));
    let shown = pairs.filter(|(old, new)| old != new).map(|(old, new)| {
        let mut same = old.chars().zip(new.chars());
        let start = same.position(|(a, b)| a != b).unwrap_or_default();
        let start = if old.len().max(new.len()) > MAX_SHOWN {
            start.saturating_sub(MAX_SHOWN / 4)
        } else {
            0
        };
        let part = |text: &str| {
            let cut: String = text.chars().skip(start).take(MAX_SHOWN).collect();
            cut.replace('\n', " ")
        };
        format!("- {}\n+ {}", part(&old), part(&new))
    });
    shown.collect::<Vec<_>>().join("\n")
}

fn request(
    task: &HttpTask,
    url: &str,
    body: &[u8],
    own: Option<&[(HeaderName, HeaderValue)]>,
) -> Result<Request<Bytes>, http::Error> {
    let mut request = Request::builder()
        .method(Method::from_bytes(task.method.as_bytes())?)
        .uri(url)
        .body(Bytes::copy_from_slice(body))?;
    let headers = request.headers_mut();
    headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
    let Some(auth) = own else {
        return Ok(request);
    };
    if let Some(kind) = &task.content_type {
        headers.insert(CONTENT_TYPE, HeaderValue::try_from(kind)?);
    }
    for (name, value) in &task.headers {
        headers.insert(HeaderName::try_from(name)?, HeaderValue::try_from(value)?);
    }
    for (name, value) in auth {
        headers.insert(name, value.clone());
    }
    Ok(request)
}

fn unsendable() -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(Code::SchemaViolation, "the URL or a header cannot be sent");
    Box::new(diagnostic.hint("send text without spaces and control characters"))
}

/// The host of a tool's URL, and the rules of `hosts`.
pub(super) struct Guarded {
    own: Target,
    is_host_rendered: bool,
    hosts: Vec<HostRule>,
}

impl Guarded {
    /// Reads the hosts of `task`.
    pub(super) fn new(task: &HttpTask) -> Result<Self, Box<Diagnostic>> {
        let own = target(&task.url).ok_or_else(|| {
            let diagnostic = Diagnostic::new(Code::SchemaViolation, "`url` is not a valid URL");
            Box::new(diagnostic.hint("send other arguments, or correct the tool's `url`"))
        })?;
        Ok(Self {
            own,
            is_host_rendered: task.is_host_rendered,
            hosts: task.hosts.clone(),
        })
    }

    /// Returns true if `url` is at the scheme, host and port of the tool's URL.
    pub(super) fn is_own(&self, url: &str) -> bool {
        target(url).is_some_and(|target| self.own.is_same_server(&target))
    }

    /// Returns true if `hosts` names the host of `url`.
    pub(super) fn is_named(&self, url: &str) -> bool {
        target(url).is_some_and(|target| is_named(&self.hosts, &target))
    }

    /// Checks a request for `url`, as far as its address is not needed.
    pub(super) fn check(&self, url: &str, is_own: bool) -> Result<(), Box<Diagnostic>> {
        let Some(target) = target(url) else {
            let message = "a page is not at a valid URL";
            return Err(Box::new(Diagnostic::new(Code::ToolFailed, message)));
        };
        let named = is_named(&self.hosts, &target);
        let place = place(&target);
        let denied = |message: String| Err(denied(message, &place));
        if !named && (!is_own || self.is_host_rendered) {
            return denied(format!("`{place}` is not one of the hosts of this tool"));
        }
        if let Some(address) = address(&canonical_host(&target.host))
            && !permits(&self.hosts, &target, address)
        {
            return denied(format!("`{place}` is not a public address"));
        }
        if !named && !target.is_https {
            return denied(format!("`{place}` would be reached without TLS"));
        }
        Ok(())
    }

    /// Checks the URL of the token of OAuth.
    pub(super) fn check_token_url(&self, url: &str) -> Result<(), Box<Diagnostic>> {
        let Some(target) = target(url) else {
            let diagnostic = Diagnostic::new(Code::InvalidConfig, "`token_url` is not a valid URL");
            return Err(Box::new(
                diagnostic.hint("write it as in `https://a.example/token`"),
            ));
        };
        if target.is_https || is_named(&self.hosts, &target) {
            return Ok(());
        }
        let place = place(&target);
        Err(denied(
            format!("`{place}` would be reached without TLS"),
            &place,
        ))
    }

    /// Explains a connection that was not made because of its address.
    pub(super) fn explain(failed: Failed, url: &str) -> Failed {
        match (failed, target(url)) {
            (Failed::Client(error), Some(target)) => match error.reason {
                Reason::Forbidden(_) => Failed::Other(denied(error.to_string(), &place(&target))),
                _ => Failed::Client(error),
            },
            (failed, _) => failed,
        }
    }
}

fn target(url: &str) -> Option<Target> {
    Target::parse(url).filter(|target| target.authorization.is_none())
}

fn is_named(hosts: &[HostRule], target: &Target) -> bool {
    guard::is_named(hosts, &canonical_host(&target.host), target.port)
}

/// Returns true if `target` may be at this address.
pub(crate) fn permits(hosts: &[HostRule], target: &Target, found: IpAddr) -> bool {
    guard::permits(hosts, &canonical_host(&target.host), target.port, found)
}

/// Returns the host with its port, unless that is the one of a scheme, as `hosts` writes it.
fn place(target: &Target) -> String {
    let host = in_authority(canonical_host(&target.host));
    match target.port {
        80 | 443 => host,
        port => format!("{host}:{port}"),
    }
}

fn denied(message: String, place: &str) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(Code::Denied, message);
    let hint = format!("if the tool may reach it, its author writes `hosts: [\"{place}\"]`");
    Box::new(diagnostic.hint(hint))
}
