//! A command of curl as a tool file.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cogtools_core::http::{address, canonical_host, is_public, split_port};
use cogtools_core::source::openapi::{constant, tool_name, variable};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::words::{Command, has_glob, is_secret, is_secret_header, is_secret_value, placeholder};

/// The word in the place of a secret in a path.
const SECRET: &str = "SECRET";
/// The place of most credentials.
const AUTHORIZATION: &str = "the header authorization";

/// Headers that the client or the browser writes.
const OWN_HEADERS: [&str; 17] = [
    "accept-encoding",
    "accept-language",
    "cache-control",
    "connection",
    "content-length",
    "dnt",
    "expect",
    "host",
    "origin",
    "pragma",
    "priority",
    "proxy-authorization",
    "referer",
    "te",
    "transfer-encoding",
    "upgrade-insecure-requests",
    "user-agent",
];
/// The type of fields in a body, which curl sends unless a header says otherwise.
const FORM: &str = "application/x-www-form-urlencoded";

/// A tool while it is made.
#[derive(Default)]
struct Draft {
    properties: Map<String, Value>,
    /// The credentials, by their places in the request.
    auth: Vec<(String, Value)>,
    /// The beginning of the names of variables.
    prefix: String,
    variables: BTreeSet<String>,
    notes: Vec<String>,
}

/// Makes a tool file of a command line, and notes about what it does not have.
///
/// # Errors
/// Why it is no request that a tool can make.
pub(super) fn import(line: &str, name: Option<&str>) -> Result<(Value, Vec<String>), String> {
    let command = Command::read(line)?;
    let mut urls = command.urls.iter();
    let url = urls.next().map(String::as_str).unwrap_or_default();
    let url = if url.contains("://") {
        url.to_owned()
    } else {
        format!("http://{url}")
    };
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let rest = rest.split('#').next().unwrap_or_default();
    let (authority, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (userinfo, host) = match authority.rsplit_once('@') {
        Some((userinfo, host)) => (Some(percent_decoded(userinfo)), host),
        None => (None, authority),
    };
    // Braces would be those of a template.
    if host.is_empty() || host.contains(['{', '}', '$']) || !matches!(scheme, "http" | "https") {
        return Err("the command has no URL with http: or https:".to_owned());
    }
    let mut draft = Draft {
        prefix: prefix(host),
        notes: command.notes,
        ..Draft::default()
    };
    let others = urls.map(|_| "left out: another URL, for a tool makes one request".to_owned());
    draft.notes.extend(others);
    if has_glob(rest) {
        let note = "kept as text: a pattern in the URL, for which curl makes several requests";
        draft.notes.push(note.to_owned());
    }
    let (mut headers, content_type) = draft.headers(command.headers);
    // curl sends the header `Authorization` of `-H`, and asks for the password of `-u`.
    match (command.user, userinfo) {
        (Some(user), _) => draft.basic(&user, true),
        (None, Some(user)) => draft.basic(&user, false),
        (None, None) => {}
    }
    let mut pairs = pairs(query);
    let mut data = command.data;
    if command.is_query {
        pairs.extend(self::pairs(&data.take().unwrap_or_default()));
    }
    let query = draft.fields(pairs, true);
    let path = draft.path(scheme, host, path);
    let mut http = Map::new();
    http.insert("url".to_owned(), format!("{scheme}://{host}{path}").into());
    let has_body = data.is_some() || !command.parts.is_empty();
    let method = command.method.unwrap_or_else(|| {
        let method = if has_body { "POST" } else { "GET" };
        method.to_owned()
    });
    let body = if has_body && matches!(method.as_str(), "GET" | "HEAD") {
        draft.notes.push(format!(
            "left out: the body, for a request with {method} has none"
        ));
        None
    } else {
        let data = data.unwrap_or_default();
        let (body, other) = draft.body(&data, command.parts, content_type);
        headers.extend(other.map(|kind| ("Content-Type".to_owned(), constant(&kind.into()))));
        body
    };
    if method != "GET" && !(method == "POST" && body.is_some()) {
        http.insert("method".to_owned(), method.clone().into());
    }
    for (key, map) in [("query", query), ("headers", headers)] {
        if !map.is_empty() {
            http.insert(key.to_owned(), map.into());
        }
    }
    http.extend(body.map(|body| ("body".to_owned(), body)));
    let mut auth: Vec<Value> = draft.auth.into_iter().map(|(_, auth)| auth).collect();
    match auth.len() {
        0 => None,
        1 => auth.pop(),
        _ => Some(auth.into()),
    }
    .and_then(|auth| http.insert("auth".to_owned(), auth));
    if scheme == "http" || !is_known_public(host) {
        http.insert("hosts".to_owned(), json!([host]));
    }
    let plain = name.map_or_else(|| default_name(&method, &path, host), str::to_owned);
    let mut document = json!({
        "name": tool_name(&plain),
        "description": format!("{method} {host}{}", path.replace("{{ ", "{").replace(" }}", "}")),
    });
    if !draft.properties.is_empty() {
        document["parameters"] = draft.properties.into();
    }
    if let Some(seconds) = command.timeout {
        document["timeout"] = seconds.into();
    }
    document["implementation"] = json!({"http": http});
    Ok((document, draft.notes))
}

impl Draft {
    /// Adds credentials, unless there are some in the same place.
    fn authorize(&mut self, auth: Value, place: String) {
        if self.auth.iter().any(|(other, _)| *other == place) {
            self.notes
                .push(format!("left out: another value of {place}"));
        } else {
            self.auth.push((place, auth));
        }
    }

    /// Adds the key in a header or a parameter of the query.
    fn api_key(&mut self, place: &str, name: &str) {
        let env = self.variable("KEY", name);
        let auth = json!({"api_key": {place: name, "env": env}});
        let place = match place {
            "query" => format!("the parameter {name}"),
            _ => format!("the header {}", name.to_ascii_lowercase()),
        };
        self.authorize(auth, place);
    }

    /// Returns the name of a new variable: with this end, or the one of the credential's `name`.
    fn variable(&mut self, end: &str, name: &str) -> String {
        let own = format!("{}_{}", self.prefix, capitals(name));
        let numbered = (2..).map(|number| format!("{own}_{number}"));
        let mut names = [format!("{}_{end}", self.prefix), own.clone()]
            .into_iter()
            .chain(numbered);
        let free = names.find(|name| self.variables.insert(name.clone()));
        free.unwrap_or_default()
    }

    /// Adds a user with the password after a colon. Without a colon, there is one if curl `asks`
    /// for it. A user without a password is a key.
    fn basic(&mut self, user: &str, asks: bool) {
        let (user, has_password) = match user.split_once(':') {
            Some((user, password)) => (user, !password.is_empty()),
            None => (user, asks),
        };
        if user.is_empty() && !has_password {
            return;
        }
        let mut basic = Map::new();
        let user = if !has_password {
            json!({"env": self.variable("KEY", "user")})
        } else if is_secret_value("key", user) {
            json!({"env": self.variable("USER", "user")})
        } else {
            user.into()
        };
        basic.insert("user".to_owned(), user);
        if has_password {
            let env = self.variable("PASSWORD", "password");
            basic.insert("password".to_owned(), json!({ "env": env }));
        }
        self.authorize(json!({ "basic": basic }), AUTHORIZATION.to_owned());
    }

    /// Returns the headers that say something about the request, and the type of its body.
    fn headers(&mut self, headers: Vec<(String, String)>) -> (Map<String, Value>, Option<String>) {
        let (mut kept, mut content_type) = (Map::new(), None);
        let mut own = Vec::new();
        for (name, value) in headers {
            let lower = name.to_ascii_lowercase();
            match lower.as_str() {
                "content-type" => content_type = Some(value),
                "cookie" => self.notes.push("left out: cookies".to_owned()),
                "authorization" => self.authorization(&value),
                "accept" if value == "*/*" => {}
                name if OWN_HEADERS.contains(&name) || name.starts_with("sec-") => own.push(lower),
                "accept" => drop(kept.insert(name, constant(&value.into()))),
                _ if is_secret_header(&name) || is_secret_value("key", &value) => {
                    self.api_key("header", &name);
                }
                _ => {
                    let value = match placeholder(&value) {
                        Some((_, "")) => template(&self.parameter(&name, &value.into())),
                        _ => constant(&value.into()),
                    };
                    kept.insert(name, value);
                }
            }
        }
        if !own.is_empty() {
            self.notes
                .push(format!("left out: the headers {}", own.join(", ")));
        }
        (kept, content_type)
    }

    fn authorization(&mut self, value: &str) {
        let (scheme, credentials) = value.split_once(' ').unwrap_or(("", value));
        let lower = scheme.to_ascii_lowercase();
        let pair = STANDARD.decode(credentials.trim()).ok();
        if let Some(pair) = pair.filter(|_| lower == "basic") {
            return self.basic(&String::from_utf8_lossy(&pair), false);
        }
        let env = self.variable("TOKEN", "authorization");
        let auth = if lower == "bearer" {
            json!({"bearer": {"env": env}})
        } else {
            let mut key = json!({"header": "Authorization", "env": env});
            if !scheme.is_empty() && !is_secret_value("key", scheme) {
                key["prefix"] = format!("{scheme} ").into();
            }
            json!({ "api_key": key })
        };
        self.authorize(auth, AUTHORIZATION.to_owned());
    }

    /// Returns the path as the text of a template, with a word in the place of its secrets, and a
    /// parameter for each placeholder.
    fn path(&mut self, scheme: &str, host: &str, path: &str) -> String {
        let before = format!("{scheme}://{host}");
        let mut url = format!("{before}{path}");
        for (range, _) in cogtools_lint::secrets(&url).into_iter().rev() {
            if range.start >= before.len() {
                url.replace_range(range, SECRET);
                let note = format!("left out: a part of the path, which may be a secret: {SECRET}");
                self.notes.push(note);
            }
        }
        let (mut path, mut known) = (String::new(), BTreeMap::new());
        let mut rest = &url[before.len()..];
        while let Some(c) = rest.chars().next() {
            if let Some((wire, after)) = placeholder(rest) {
                let name = known
                    .entry(wire)
                    .or_insert_with(|| self.parameter(wire, &Value::Null));
                path.extend(["{{ ", &variable(name), " }}"]);
                rest = after;
                continue;
            }
            match c {
                '{' => path.push_str("%7B"),
                '}' => path.push_str("%7D"),
                c => path.push(c),
            }
            rest = &rest[c.len_utf8()..];
        }
        path
    }

    /// Makes parameters of fields, and returns their templates. Keys become credentials.
    fn fields(&mut self, pairs: Vec<(String, Value)>, is_query: bool) -> Map<String, Value> {
        let mut parameters = Map::new();
        for (wire, value) in pairs {
            if is_secret(&wire) || is_secret_value(&wire, value.as_str().unwrap_or_default()) {
                if is_query {
                    self.api_key("query", &wire);
                } else {
                    self.leave_out(&wire);
                }
                continue;
            }
            if let Some(name) = parameters.get(&wire).and_then(Value::as_str) {
                let known = self.properties.get_mut(name);
                let default = known.and_then(|it| it.get_mut("default"));
                if let Some(default) = default {
                    let mut all = match default.take() {
                        Value::Array(all) => all,
                        one => vec![one],
                    };
                    all.push(value);
                    *default = all.into();
                }
            } else {
                let name = self.parameter(&wire, &value);
                parameters.insert(wire, name.into());
            }
        }
        for property in self.properties.values_mut() {
            if property["default"].is_array() && property["type"] != "array" {
                let kind = property["type"].take();
                property["type"] = "array".into();
                property["items"] = json!({ "type": kind });
            }
        }
        for value in parameters.values_mut() {
            *value = template(value.as_str().unwrap_or_default());
        }
        parameters
    }

    /// Makes a parameter with this default, and returns its name.
    fn parameter(&mut self, wire: &str, value: &Value) -> String {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        };
        let mut name: String = wire.chars().map(plain).collect();
        // All arguments are `args`.
        while name.is_empty() || name == "args" || self.properties.contains_key(&name) {
            name.push('_');
        }
        let kind = match value {
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            _ => "string",
        };
        let mut property = json!({"type": kind, "description": format!("The value of {wire}")});
        let is_placeholder = matches!(value.as_str().and_then(placeholder), Some((_, "")));
        if !is_placeholder && !value.is_null() {
            property["default"] = value.clone();
        }
        self.properties.insert(name.clone(), property);
        name
    }

    /// Returns the body, and its type unless a tool sends it without a header.
    fn body(
        &mut self,
        data: &str,
        parts: Vec<(String, Map<String, Value>)>,
        content_type: Option<String>,
    ) -> (Option<Value>, Option<String>) {
        if !parts.is_empty() {
            // The type has the boundary of the parts.
            let other = content_type.filter(|kind| essence(kind) != "multipart/form-data");
            let note = other.map(|kind| format!("left out: the type {kind} of the parts"));
            self.notes.extend(note);
            return (Some(self.multipart(parts)), None);
        }
        if data.is_empty() {
            return (None, content_type);
        }
        let kind = content_type.as_deref().map(essence);
        let is_json = kind.as_deref().is_none_or(|kind| {
            matches!(kind, "application/json" | "text/json") || kind.ends_with("+json")
        });
        let is_form = kind.as_deref().is_none_or(|kind| kind == FORM);
        let json = serde_json::from_str::<Value>(data).ok();
        let (body, own) = if let Some(value) = json.filter(|_| is_json) {
            let value = match value {
                Value::Object(fields) => self.object(fields),
                value => self.constants(&value),
            };
            if kind.is_none() {
                let note = "changed: the type of the body is application/json, and with curl \
                            that of a form";
                self.notes.push(note.to_owned());
                return (Some(json!({ "json": value })), None);
            }
            (json!({ "json": value }), "application/json")
        } else if is_form && data.contains('=') {
            (json!({"form": self.fields(pairs(data), false)}), FORM)
        } else if is_secret_value("", data) {
            self.notes
                .push("left out: the body, which may have a secret".to_owned());
            return (None, content_type);
        } else {
            (json!({"text": constant(&data.into())}), "text/plain")
        };
        let kind = content_type.unwrap_or_else(|| FORM.to_owned());
        let plain = kind.to_ascii_lowercase().replace([' ', '"'], "");
        let is_own = plain.strip_suffix(";charset=utf-8").unwrap_or(&plain) == own;
        (Some(body), (!is_own).then_some(kind))
    }

    fn multipart(&mut self, parts: Vec<(String, Map<String, Value>)>) -> Value {
        let mut templates = Map::new();
        for (wire, part) in parts {
            let text = part.get("text").and_then(Value::as_str);
            if is_secret(&wire) || text.is_some_and(|text| is_secret_value(&wire, text)) {
                self.leave_out(&wire);
                continue;
            }
            if templates.contains_key(&wire) {
                self.notes
                    .push(format!("left out: another part of the name {wire}"));
                continue;
            }
            let is_file = part.contains_key("file");
            let mut file = Map::new();
            for (key, value) in part {
                match key.as_str() {
                    "text" | "file" => {
                        let value = template(&self.parameter(&wire, &value));
                        file.insert(key, value);
                    }
                    "type" | "filename" if is_file => drop(file.insert(key, constant(&value))),
                    _ => self
                        .notes
                        .push(format!("left out: the {key} of the part {wire}")),
                }
            }
            let text = file.remove("text");
            templates.insert(wire, text.unwrap_or_else(|| file.into()));
        }
        json!({ "multipart": templates })
    }

    /// Returns the fields of a body in JSON, with parameters for those that are no lists or objects.
    fn object(&mut self, fields: Map<String, Value>) -> Value {
        let mut body = Map::new();
        for (wire, value) in fields {
            let is_plain = matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_));
            if is_plain || is_secret(&wire) {
                body.extend(self.fields(vec![(wire, value)], false));
            } else {
                let value = self.constants(&value);
                body.insert(wire, value);
            }
        }
        body.into()
    }

    /// Returns a tree of values as constants, without the fields that may be secrets.
    fn constants(&mut self, value: &Value) -> Value {
        match value {
            Value::Array(items) => {
                let mut kept = Vec::new();
                for item in items {
                    if item.as_str().is_some_and(|it| is_secret_value("", it)) {
                        self.leave_out("in a list");
                    } else {
                        kept.push(self.constants(item));
                    }
                }
                kept.into()
            }
            Value::Object(entries) => {
                let mut kept = Map::new();
                for (key, value) in entries {
                    if is_secret(key) || is_secret_value(key, value.as_str().unwrap_or_default()) {
                        self.leave_out(key);
                    } else {
                        kept.insert(key.clone(), self.constants(value));
                    }
                }
                kept.into()
            }
            value => constant(value),
        }
    }

    fn leave_out(&mut self, field: &str) {
        self.notes.push(format!(
            "left out: the field {field}, which may be a secret"
        ));
    }
}

/// Returns the template of the value of a parameter.
fn template(name: &str) -> Value {
    format!("{{{{ {} }}}}", variable(name)).into()
}

fn pairs(query: &str) -> Vec<(String, Value)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs
        .map(|(name, value)| (decoded(name), decoded(value).into()))
        .collect()
}

fn decoded(text: &str) -> String {
    percent_decoded(&text.replace('+', " "))
}

fn percent_decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Returns a media type in lower case, without its parameters.
fn essence(kind: &str) -> String {
    let essence = kind.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Returns a name in capitals, as variables have them.
fn capitals(name: &str) -> String {
    let capital = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    name.chars().map(capital).collect()
}

/// The beginning of the names of variables: the name of the host in capitals.
fn prefix(host: &str) -> String {
    let name = host.split(':').next().unwrap_or_default();
    let parts: Vec<&str> = name.split('.').collect();
    let is_address = address(name).is_some();
    let label = match parts.as_slice() {
        [.., label, _] if !is_address => label,
        [label] if !is_address => label,
        _ => "API",
    };
    let label = capitals(label);
    if label.starts_with(|c: char| c.is_ascii_alphabetic()) {
        label
    } else {
        format!("API_{label}")
    }
}

/// Returns true if `host` is a name with a dot, or a public address, at a port of a scheme.
fn is_known_public(host: &str) -> bool {
    let Some((name, port)) = split_port(host) else {
        return false;
    };
    let name = canonical_host(name);
    let is_public = match address(&name) {
        Some(address) => is_public(address),
        None => name.contains('.') && !name.ends_with(".localhost"),
    };
    is_public && port.is_none_or(|port| port == 443)
}

/// The method and the last word of the path.
fn default_name(method: &str, path: &str, host: &str) -> String {
    let is_word = |it: &&str| it.starts_with(|c: char| c.is_ascii_alphabetic()) && *it != SECRET;
    let last = path.rsplit('/').find(is_word);
    let last = last.map_or_else(|| prefix(host).to_lowercase(), str::to_owned);
    format!("{}_{last}", method.to_lowercase())
}
