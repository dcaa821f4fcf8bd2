//! A call of a tool that makes requests: redirects, further attempts, pages, and what is left out.
//!
//! Arguments come from models, and responses from strangers: every host and every address is
//! checked before it is connected to, and credentials reach the host of the tool's URL only.

mod answer;
pub(crate) mod transport;

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use cogtools_document::text::without_mark;
use cogtools_document::{Code, Diagnostic};
use cogtools_process::http::{HttpAuth, HttpPages, HttpReply, HttpTask, NextPage, percent_encode};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use self::answer::Answer;
use self::transport::{Guarded, Transport};
use crate::client::Vars;
use crate::connections::Clients;
use crate::error::{HttpError, Reason};
use crate::target::shown;

/// Statuses after which the same request may succeed.
const TRANSIENT: [u16; 4] = [429, 502, 503, 504];
/// The number of redirects that are followed.
const MAX_REDIRECTS: usize = 5;
/// The most bytes of all pages, unless one may have more.
const MAX_PAGES_BYTES: u64 = 64 << 20;

/// Why a request has no answer.
pub(crate) enum Failed {
    Client(HttpError),
    Other(Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for Failed {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::Other(diagnostic)
    }
}

/// Makes the requests of `task`, the first one with this `body`, and returns the last response.
/// `vars` are the user's own variables; one of `clients` is used, or added.
///
/// # Errors
///
/// The diagnostic to show; without secrets.
pub async fn run(
    task: HttpTask,
    body: Vec<u8>,
    vars: &Vars,
    clients: &Clients,
) -> Result<(HttpReply, Vec<u8>), Box<Diagnostic>> {
    let limit = Duration::try_from_secs_f64(task.seconds).unwrap_or(Duration::from_mins(1));
    let deadline = Instant::now() + limit;
    let mut exchange = Exchange {
        transport: Transport::new(&task, vars, limit, clients),
        guarded: Guarded::new(&task)?,
        task,
        body,
        deadline,
        exchanges: Vec::new(),
    };
    let ended = timeout(limit, exchange.run()).await;
    let ended = ended.unwrap_or_else(|_| {
        let message = format!("the tool timed out after {} s", limit.as_secs_f64());
        let diagnostic = Diagnostic::new(Code::Timeout, message);
        let hint = "send less, or give the tool more time with `timeout`";
        Err(Box::new(diagnostic.hint(hint)))
    });
    ended.map_err(|mut diagnostic| {
        diagnostic.message = exchange.transport.secrets.redact(&diagnostic.message);
        diagnostic.details = exchange.transport.secrets.redact(&diagnostic.details);
        diagnostic
    })
}

/// A call while it runs.
struct Exchange {
    task: HttpTask,
    body: Vec<u8>,
    transport: Transport,
    guarded: Guarded,
    deadline: Instant,
    exchanges: Vec<Value>,
}

impl Exchange {
    async fn run(&mut self) -> Result<(HttpReply, Vec<u8>), Box<Diagnostic>> {
        self.authorize().await?;
        let (answer, more) = match self.task.paginate.clone() {
            None => {
                let url = self.task.url.clone();
                (self.fetch(&url).await?, false)
            }
            Some(pages) => self.pages(&pages).await?,
        };
        self.transport.end()?;
        let secrets = &self.transport.secrets;
        let (mut reply, body) = answer.reply(self.task.kind, secrets)?;
        reply.more = more;
        if self.task.record {
            reply.exchanges = std::mem::take(&mut self.exchanges);
        }
        Ok((reply, body))
    }

    /// Sets the credentials, which may have to be requested.
    async fn authorize(&mut self) -> Result<(), Box<Diagnostic>> {
        for auth in std::mem::take(&mut self.task.auth) {
            let auth = match auth {
                HttpAuth::Oauth(url, id, secret, scope) => {
                    self.guarded.check_token_url(&url)?;
                    let scope = scope.as_deref();
                    let token = self.transport.client_token(&url, &id, &secret, scope);
                    HttpAuth::Bearer(token.await?)
                }
                auth => auth,
            };
            self.transport.add_auth(auth)?;
        }
        Ok(())
    }

    /// Requests `url`, again if that failed in a way that may pass.
    async fn fetch(&mut self, url: &str) -> Result<Answer, Box<Diagnostic>> {
        let mut attempt = 1;
        loop {
            let result = self.follow(url).await;
            let (may_pass, after) = match &result {
                Ok(answer) => {
                    let is_result = self.task.ok.contains(&answer.status);
                    let may_pass = TRANSIENT.contains(&answer.status) && !is_result;
                    (may_pass, answer.header("retry-after").and_then(retry_after))
                }
                Err(Failed::Client(error)) => (is_transient(&error.reason), None),
                Err(Failed::Other(_)) => (false, None),
            };
            let own = self.task.retry.delay_after(attempt);
            let Some(own) = own.filter(|_| may_pass) else {
                return result.map_err(diagnostic);
            };
            let delay = after.unwrap_or(own);
            if !self.transport.is_recorded() {
                if delay >= self.deadline.saturating_duration_since(Instant::now()) {
                    return result.map_err(diagnostic);
                }
                sleep(delay).await;
            }
            attempt += 1;
        }
    }

    /// Requests `url`, and follows redirects.
    async fn follow(&mut self, url: &str) -> Result<Answer, Failed> {
        let mut url = url.to_owned();
        let mut has_left = false;
        for redirects in 0.. {
            let is_own = self.guarded.is_own(&url) && !has_left;
            has_left = !is_own;
            self.guarded.check(&url, is_own)?;
            let body = if is_own { self.body.as_slice() } else { &[] };
            let sent = self.transport.send(&self.task, &url, body, is_own);
            let sent = sent.await;
            let (answer, exchange) = sent.map_err(|failed| Guarded::explain(failed, &url))?;
            self.exchanges.extend(exchange);
            let is_redirect = matches!(answer.status, 301 | 302 | 303 | 307 | 308);
            let Some(location) = answer.header("location").filter(|_| is_redirect) else {
                return Ok(answer);
            };
            let is_safe = matches!(self.task.method.as_str(), "GET" | "HEAD");
            let next = resolve(&url, location);
            let is_allowed = |next: &String| {
                let stays = is_own && self.guarded.is_own(next);
                stays || self.guarded.is_named(next)
            };
            let Some(next) =
                next.filter(|next| is_safe && redirects < MAX_REDIRECTS && is_allowed(next))
            else {
                let to = resolve(&url, location).unwrap_or_else(|| location.to_owned());
                let message = format!(
                    "HTTP {} {}: the redirect to `{}` is not followed",
                    answer.status,
                    answer.reason(),
                    shown(&to)
                );
                let diagnostic = Diagnostic::new(Code::ToolFailed, message);
                return Err(Failed::Other(Box::new(diagnostic.hint(
                    "at most 5 redirects of GET and HEAD are followed, to the same origin or to `hosts`",
                ))));
            };
            url = next;
        }
        Err(Failed::Other(internal()))
    }

    /// Requests all pages, and returns their items as one array, and true if there are more.
    async fn pages(&mut self, pages: &HttpPages) -> Result<(Answer, bool), Box<Diagnostic>> {
        let failed = |message: String| Box::new(Diagnostic::new(Code::ToolFailed, message));
        let first = self.task.url.clone();
        let mut url = match &pages.next {
            NextPage::Page(name, number) => with_parameter(&first, name, &number.to_string()),
            _ => first.clone(),
        };
        let (mut items, mut bytes) = (Vec::new(), 0);
        let mut seen = HashSet::from([url.clone()]);
        for page in 1_i64.. {
            let answer = self.fetch(&url).await?;
            if answer.status >= 400 {
                return Ok((answer, false));
            }
            bytes += answer.body.len() as u64;
            if bytes > self.task.max_bytes.max(MAX_PAGES_BYTES) {
                return Err(failed(format!("the pages have more than {bytes} bytes")));
            }
            let value: Option<Value> = serde_json::from_slice(without_mark(&answer.body)).ok();
            let found = |pointer: &str| value.as_ref().and_then(|value| value.pointer(pointer));
            let Some(array) = found(&pages.items).and_then(Value::as_array) else {
                let message = format!("page {page} has no array at `{}`", pages.items);
                return Err(failed(message));
            };
            let is_empty = array.is_empty();
            items.extend(array.iter().cloned());
            let text = |pointer: &str| {
                let text = found(pointer).and_then(text_of);
                text.filter(|text| !text.is_empty())
            };
            let next = match &pages.next {
                NextPage::Link => answer.next_link().and_then(|link| resolve(&url, &link)),
                NextPage::Url(pointer) => text(pointer).and_then(|link| resolve(&url, &link)),
                NextPage::Cursor(pointer, name) => {
                    text(pointer).map(|cursor| with_parameter(&first, name, &cursor))
                }
                NextPage::Page(name, start) => {
                    let number = start.saturating_add(page).to_string();
                    (!is_empty).then(|| with_parameter(&first, name, &number))
                }
            };
            let is_last = page >= i64::from(pages.pages);
            let Some(next) = next else {
                return Ok((answer.with_items(items), false));
            };
            if is_last {
                return Ok((answer.with_items(items), true));
            }
            if !seen.insert(next.clone()) {
                return Err(failed(format!(
                    "page {page} names a page that was requested before"
                )));
            }
            url = next;
        }
        Err(internal())
    }
}

fn internal() -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Code::Internal, "no answer"))
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns `url` with a parameter of its query set.
fn with_parameter(url: &str, name: &str, value: &str) -> String {
    let (start, query) = url.split_once('?').unwrap_or((url, ""));
    // The URL may encode a name in another way.
    let is_other = |pair: &&str| {
        let key = pair.split('=').next().unwrap_or_default().replace('+', " ");
        !pair.is_empty() && percent_decode_str(&key).decode_utf8_lossy() != name
    };
    let others = query.split('&').filter(is_other);
    let mut pairs: Vec<String> = others.map(str::to_owned).collect();
    pairs.push(parameter(name, value));
    format!("{start}?{}", pairs.join("&"))
}

/// Encodes a parameter of a query.
fn parameter(name: &str, value: &str) -> String {
    format!("{}={}", percent_encode(name), percent_encode(value))
}

/// Resolves a reference in a response to `url`; a fragment is left out.
fn resolve(url: &str, reference: &str) -> Option<String> {
    let reference = reference.trim().split('#').next().unwrap_or_default();
    let base = fluent_uri::Uri::parse(url.to_owned()).ok()?;
    let reference = fluent_uri::UriRef::parse(reference).ok()?;
    let resolved = reference.resolve_against(&base).ok()?;
    Some(resolved.as_str().to_owned())
}

const fn is_transient(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::Connect(_) | Reason::Reset(_) | Reason::Truncated
    )
}

/// The longest time that a `Retry-After` means: a year, which nobody waits for.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(365 * 24);

/// Reads the header `Retry-After`: seconds, or a date.
pub fn retry_after(text: &str) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        let seconds = seconds.min(MAX_RETRY_AFTER.as_secs_f64());
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text).ok()?;
    let wait = date.duration_since(SystemTime::now()).unwrap_or_default();
    Some(wait.min(MAX_RETRY_AFTER))
}

fn diagnostic(failed: Failed) -> Box<Diagnostic> {
    match failed {
        Failed::Client(error) => Box::new(Diagnostic::new(Code::ToolFailed, error.to_string())),
        Failed::Other(diagnostic) => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_set_however_the_url_spells_it() {
        let check = |url: &str, expected: &str| {
            assert_eq!(with_parameter(url, "page[a b]", "2"), expected, "{url}");
        };
        check("http://a", "http://a?page%5Ba%20b%5D=2");
        check(
            "http://a?x=1&page%5Ba%20b%5D=1",
            "http://a?x=1&page%5Ba%20b%5D=2",
        );
        check("http://a?page[a+b]=1&x=1", "http://a?x=1&page%5Ba%20b%5D=2");
        check(
            "http://a?page%5ba%2Bb%5d=1",
            "http://a?page%5ba%2Bb%5d=1&page%5Ba%20b%5D=2",
        );
    }
}
