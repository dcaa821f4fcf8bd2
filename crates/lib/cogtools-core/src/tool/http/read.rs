//! The keys of `http`, each with its own rules.

use std::str::FromStr as _;

use super::url::UrlTemplate;
use super::{Body, FormPart, Http, Response, Secret, Select, place};
use crate::environment::is_variable;
use crate::http::{HostRule, HttpAuth, HttpKind, HttpPages, NextPage, Retry};
use crate::text::Span;
use crate::tool::DefinitionError;
use crate::tool::error::HttpToolError;
use crate::tool::error::METHODS;
use crate::tool::reader::Reader;
use crate::tool::template::{Template, ValueTemplate};
use crate::yaml::{Entry, Node};
use crate::{Expected, quoted};

/// The keys of the map.
const KEYS: [&str; 12] = [
    "url",
    "method",
    "query",
    "headers",
    "body",
    "auth",
    "hosts",
    "ok",
    "retry",
    "paginate",
    "response",
    "max_bytes",
];
/// Headers of the connection.
const OWN_HEADERS: [&str; 5] = [
    "host",
    "connection",
    "cookie",
    "content-length",
    "transfer-encoding",
];
/// The longest body unless the file says otherwise: 16 MiB.
const MAX_BYTES: u64 = 16 << 20;
const MAX_PAGES: u64 = 100;

impl Http {
    /// Reads the map under `http`; errors go to the reader.
    pub(in crate::tool) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Self> {
        let errors = reader.diagnostics.len();
        let [
            url,
            method,
            query,
            headers,
            body,
            auth,
            hosts,
            ok,
            retry,
            paginate,
            response,
            max,
        ] = reader.fields(entry, KEYS)?;
        let url = reader.required(url, "url", entry.span);
        let url = url.and_then(|entry| reader.url(entry));
        let has_body = body.is_some();
        let method = match method {
            Some(entry) => reader.method(entry)?,
            None if has_body => "POST".to_owned(),
            None => "GET".to_owned(),
        };
        if let Some(entry) = body.filter(|_| matches!(method.as_str(), "GET" | "HEAD")) {
            reader.report(HttpToolError::Body(method.clone()), entry.span);
        }
        let named_hosts: Vec<(String, Span)> =
            hosts.map(|entry| reader.texts(entry)).unwrap_or_default();
        let auth_entry = auth;
        let http = Self {
            query: query.map(|entry| reader.values(entry)).unwrap_or_default(),
            headers: headers
                .map(|entry| reader.headers(entry))
                .unwrap_or_default(),
            body: body.and_then(|entry| reader.body(entry)),
            auth: auth.map(|entry| reader.auths(entry)).unwrap_or_default(),
            hosts: reader.hosts(&named_hosts),
            named_hosts: named_hosts.into_iter().map(|(name, _)| name).collect(),
            ok: ok.map(|entry| reader.statuses(entry)).unwrap_or_default(),
            retry: retry
                .map(|entry| reader.retry(entry, &method))
                .unwrap_or_default(),
            paginate: paginate.and_then(|entry| reader.paginate(entry)),
            response: response
                .map(|entry| reader.response(entry))
                .unwrap_or_default(),
            max_bytes: max
                .and_then(|entry| reader.positive(entry))
                .unwrap_or(MAX_BYTES),
            url: url?,
            method,
            alternatives: Vec::new(),
        };
        let is_rendered = http.url.literal_host().is_none();
        if is_rendered && http.hosts.is_empty() {
            reader.report(HttpToolError::NoHosts, entry.span);
        }
        let is_wildcard = http.hosts.iter().any(HostRule::is_wildcard);
        if let Some(entry) = auth_entry.filter(|_| is_rendered && is_wildcard) {
            reader.report(HttpToolError::Wildcard, entry.span);
        }
        (reader.diagnostics.len() == errors).then_some(http)
    }
}

impl Reader<'_> {
    /// Returns the only entry of a map, which has one of `keys`.
    fn one_of<'n, const N: usize>(
        &mut self,
        entry: &'n Entry,
        keys: [&'static str; N],
    ) -> Option<&'n Entry> {
        let found = self.fields(entry, keys)?;
        let mut found = found.into_iter().flatten();
        if let (Some(only), None) = (found.next(), found.next()) {
            return Some(only);
        }
        let error = HttpToolError::OneOf(entry.key.clone(), quoted(keys));
        self.report(error, entry.span);
        None
    }

    fn url(&mut self, entry: &Entry) -> Option<UrlTemplate> {
        self.expect(entry, Expected::String, entry.value.text())?;
        let read = UrlTemplate::read(&entry.value, self.text());
        read.map_err(|error| self.report(error, entry.value.span))
            .ok()
    }

    fn method(&mut self, entry: &Entry) -> Option<String> {
        let method = self.string(entry)?;
        if METHODS.contains(&method.as_str()) {
            return Some(method);
        }
        self.report(HttpToolError::Method(method), entry.value.span);
        None
    }

    fn value(&self, node: &Node) -> ValueTemplate {
        ValueTemplate::read(node, self.text())
    }

    fn values(&mut self, entry: &Entry) -> Vec<(String, ValueTemplate)> {
        let entries = self.entries(entry, Expected::Map).unwrap_or_default();
        let value = |entry: &Entry| (entry.key.clone(), self.value(&entry.value));
        entries.iter().map(value).collect()
    }

    fn header_name(&mut self, name: &str, span: Span) {
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if name.is_empty() || !name.chars().all(is_token) {
            self.report(HttpToolError::HeaderName(name.to_owned()), span);
        } else if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
            self.report(HttpToolError::Header(name.to_owned()), span);
        }
    }

    fn headers(&mut self, entry: &Entry) -> Vec<(String, ValueTemplate)> {
        for entry in entry.value.entries().unwrap_or_default() {
            self.header_name(&entry.key, entry.span);
        }
        self.values(entry)
    }

    fn body(&mut self, entry: &Entry) -> Option<Body> {
        let kind = self.one_of(entry, ["json", "form", "multipart", "text"])?;
        Some(match kind.key.as_str() {
            "json" => Body::Json(self.value(&kind.value)),
            "form" => Body::Form(self.values(kind)),
            "text" => {
                self.expect(kind, Expected::String, kind.value.text())?;
                Body::Text(self.value(&kind.value))
            }
            _ => {
                let mut parts = Vec::new();
                for entry in self.entries(kind, Expected::Map)? {
                    let part = if entry.value.entries().is_some() {
                        self.file(entry)?
                    } else {
                        FormPart::Value(self.value(&entry.value))
                    };
                    parts.push((entry.key.clone(), part));
                }
                Body::Multipart(parts)
            }
        })
    }

    fn file(&mut self, entry: &Entry) -> Option<FormPart> {
        let [path, filename, media_type] = self.fields(entry, ["file", "filename", "type"])?;
        let path = self.required(path, "file", entry.span)?;
        let value = |entry: &Entry| self.value(&entry.value);
        Some(FormPart::File {
            path: value(path),
            filename: filename.map(value),
            media_type: media_type.map(value),
        })
    }

    /// Reads credentials, or a list of those that are sent together.
    fn auths(&mut self, entry: &Entry) -> Vec<HttpAuth<Secret>> {
        let Some(items) = entry.value.items() else {
            return self.auth(entry).into_iter().collect();
        };
        let mut all: Vec<HttpAuth<Secret>> = Vec::new();
        for item in items {
            let item = Entry {
                key: entry.key.clone(),
                span: item.span,
                value: item.clone(),
            };
            let Some(auth) = self.auth(&item) else {
                continue;
            };
            if all.iter().any(|other| place(other) == place(&auth)) {
                self.report(HttpToolError::SamePlace(place(&auth)), item.span);
            }
            all.push(auth);
        }
        all
    }

    fn auth(&mut self, entry: &Entry) -> Option<HttpAuth<Secret>> {
        let kind = self.one_of(entry, ["bearer", "basic", "api_key", "oauth", "login"])?;
        Some(match kind.key.as_str() {
            "bearer" => HttpAuth::Bearer(self.variable_in(kind)?),
            "basic" => {
                let [user, password] = self.fields(kind, ["user", "password"])?;
                let user = self.required(user, "user", kind.span)?;
                let user = match user.value.text() {
                    Some(text) => Secret::Text(text.to_owned()),
                    None => self.variable_in(user)?,
                };
                // Some services take a key as the user, without a password.
                let password = if let (Secret::Variable(_), None) = (&user, password) {
                    Secret::Text(String::new())
                } else {
                    let password = self.required(password, "password", kind.span)?;
                    self.variable_in(password)?
                };
                HttpAuth::Basic(user, password)
            }
            "api_key" => return self.api_key(kind),
            "oauth" => {
                let keys = ["token_url", "client_id", "client_secret", "scope"];
                let [token_url, client_id, client_secret, scope] = self.fields(kind, keys)?;
                let token_url = self.required(token_url, "token_url", kind.span)?;
                let client_id = self.required(client_id, "client_id", kind.span)?;
                let client_secret = self.required(client_secret, "client_secret", kind.span)?;
                HttpAuth::Oauth(
                    self.text_or_variable(token_url)?,
                    self.text_or_variable(client_id)?,
                    self.variable_in(client_secret)?,
                    scope.and_then(|entry| self.text_or_variable(entry)),
                )
            }
            _ => HttpAuth::Login(self.string(kind)?),
        })
    }

    fn api_key(&mut self, entry: &Entry) -> Option<HttpAuth<Secret>> {
        let [header, query, env, prefix] =
            self.fields(entry, ["header", "query", "env", "prefix"])?;
        let env = self.required(env, "env", entry.span)?;
        let key = self.variable(env)?;
        let prefix = prefix.map(|entry| self.string(entry)).unwrap_or_default();
        let prefix = prefix.unwrap_or_default();
        match (header, query) {
            (Some(header), None) => {
                let name = self.string(header)?;
                self.header_name(&name, header.value.span);
                Some(HttpAuth::Header(name, prefix, key))
            }
            (None, Some(query)) => Some(HttpAuth::Query(self.string(query)?, prefix, key)),
            _ => {
                let list = "`header`, `query`".to_owned();
                self.report(HttpToolError::OneOf(entry.key.clone(), list), entry.span);
                None
            }
        }
    }

    /// Reads the variable in `{env: NAME}`.
    fn variable_in(&mut self, entry: &Entry) -> Option<Secret> {
        if entry.value.text().is_some() {
            let error = HttpToolError::Variable(entry.key.clone());
            self.report(error, entry.value.span);
            return None;
        }
        let [env] = self.fields(entry, ["env"])?;
        let env = self.required(env, "env", entry.span)?;
        self.variable(env)
    }

    fn variable(&mut self, entry: &Entry) -> Option<Secret> {
        let name = self.string(entry)?;
        if !is_variable(&name) {
            self.report(DefinitionError::Variable(name), entry.value.span);
            return None;
        }
        Some(Secret::Variable(name))
    }

    fn text_or_variable(&mut self, entry: &Entry) -> Option<Secret> {
        match entry.value.text() {
            Some(text) => Some(Secret::Text(text.to_owned())),
            None => self.variable_in(entry),
        }
    }

    fn hosts(&mut self, names: &[(String, Span)]) -> Vec<HostRule> {
        let mut rules = Vec::new();
        for (name, span) in names {
            match HostRule::parse(name) {
                Some(rule) => rules.push(rule),
                None => self.report(HttpToolError::Host(name.clone()), *span),
            }
        }
        rules
    }

    fn statuses(&mut self, entry: &Entry) -> Vec<u16> {
        let items = self.expect(entry, Expected::Values, entry.value.items());
        let mut statuses = Vec::new();
        for item in items.unwrap_or_default() {
            let value = item.to_json();
            let status = value.as_u64().and_then(|status| u16::try_from(status).ok());
            match status.filter(|status| (400..600).contains(status)) {
                Some(status) => statuses.push(status),
                None => self.report(HttpToolError::Ok(value.to_string()), item.span),
            }
        }
        statuses
    }

    fn retry(&mut self, entry: &Entry, method: &str) -> Retry {
        if matches!(method, "POST" | "PATCH") && !self.is_idempotent {
            self.report(HttpToolError::Retry(method.to_owned()), entry.span);
        }
        let mut retry = Retry {
            times: 0,
            delay: 0.5,
            backoff: 2.0,
        };
        if entry.value.entries().is_none() {
            retry.times = self.count(entry).unwrap_or_default();
            return retry;
        }
        let Some([times, delay, backoff]) = self.fields(entry, ["times", "delay", "backoff"])
        else {
            return retry;
        };
        if let Some(entry) = self.required(times, "times", entry.span) {
            retry.times = self.count(entry).unwrap_or_default();
        }
        let mut number = |entry: Option<&Entry>, slot: &mut f64| {
            let Some(entry) = entry else { return };
            let number = entry.value.number().filter(|it| *it >= 0.0);
            *slot = self
                .expect(entry, Expected::Number, number)
                .unwrap_or(*slot);
        };
        number(delay, &mut retry.delay);
        number(backoff, &mut retry.backoff);
        retry
    }

    fn pointer(&mut self, entry: &Entry) -> Option<String> {
        let pointer = self.string(entry)?;
        if pointer.is_empty() || pointer.starts_with('/') {
            return Some(pointer);
        }
        self.report(HttpToolError::Pointer(pointer), entry.value.span);
        None
    }

    fn paginate(&mut self, entry: &Entry) -> Option<HttpPages> {
        let [next, items, pages] = self.fields(entry, ["next", "items", "pages"])?;
        let items = match items {
            Some(entry) => self.pointer(entry)?,
            None => String::new(),
        };
        let pages = match pages {
            None => 10,
            Some(entry) => {
                let count = entry.value.to_json().as_u64();
                let count = count.filter(|count| (1..=MAX_PAGES).contains(count));
                let Some(count) = count.and_then(|count| u32::try_from(count).ok()) else {
                    self.report(HttpToolError::Pages, entry.span);
                    return None;
                };
                count
            }
        };
        let next = self.required(next, "next", entry.span)?;
        Some(HttpPages {
            next: self.next_page(next)?,
            items,
            pages,
        })
    }

    fn next_page(&mut self, entry: &Entry) -> Option<NextPage> {
        if entry.value.text() == Some("link") {
            return Some(NextPage::Link);
        }
        let keys = ["pointer", "query", "url", "page", "first"];
        match self.fields(entry, keys)? {
            [Some(pointer), Some(query), None, None, None] => Some(NextPage::Cursor(
                self.pointer(pointer)?,
                self.string(query)?,
            )),
            [None, None, Some(url), None, None] => Some(NextPage::Url(self.pointer(url)?)),
            [None, None, None, Some(page), first] => {
                let first = match first {
                    None => 1,
                    Some(entry) => {
                        self.expect(entry, Expected::Number, entry.value.to_json().as_i64())?
                    }
                };
                Some(NextPage::Page(self.string(page)?, first))
            }
            _ => {
                let list = "`link`, `{pointer, query}`, `{url}`, `{page, first}`".to_owned();
                self.report(HttpToolError::OneOf(entry.key.clone(), list), entry.span);
                None
            }
        }
    }

    fn response(&mut self, entry: &Entry) -> Response {
        let Some([select, template, kind]) = self.fields(entry, ["select", "template", "as"])
        else {
            return Response::default();
        };
        let template = template.and_then(|entry| {
            let template = Template::read(&entry.value, self.text());
            self.expect(entry, Expected::String, template)
        });
        Response {
            select: select.and_then(|entry| self.select(entry)),
            template,
            kind: kind.and_then(|entry| {
                let name = self.string(entry)?;
                let kind = HttpKind::from_str(&name).ok();
                if kind.is_none() {
                    self.report(HttpToolError::Kind(name), entry.value.span);
                }
                kind
            }),
        }
    }

    fn select(&mut self, entry: &Entry) -> Option<Select> {
        let text = self.string(entry)?;
        if text.starts_with('/') {
            return Some(Select::Pointer(text));
        }
        let expression = ValueTemplate::expression(&entry.value, self.text());
        if expression.is_none() {
            self.report(HttpToolError::Select, entry.value.span);
        }
        expression.map(Select::Expression)
    }
}
