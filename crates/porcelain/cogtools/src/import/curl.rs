//! A command of curl as a tool file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cogtools_core::http::{address, canonical_host, is_public, split_port};
use cogtools_core::source::openapi::{constant, tool_name, variable};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::words;

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
/// Options without a value that say nothing about the request.
const FLAGS: &str = "sSLivkfgNO#a01246";
/// Long options without a value. The value of an unknown option could be taken for the URL.
const LONG_FLAGS: [&str; 22] = [
    "--compressed",
    "--fail",
    "--fail-with-body",
    "--globoff",
    "--http1.0",
    "--http1.1",
    "--http2",
    "--http2-prior-knowledge",
    "--http3",
    "--include",
    "--insecure",
    "--ipv4",
    "--ipv6",
    "--location",
    "--no-buffer",
    "--no-progress-meter",
    "--path-as-is",
    "--progress-bar",
    "--show-error",
    "--silent",
    "--tlsv1.2",
    "--verbose",
];
/// Options with a value that say nothing about the request.
const IGNORED: [&str; 12] = [
    "-o",
    "--output",
    "-w",
    "--write-out",
    "--retry",
    "--connect-timeout",
    "-x",
    "--proxy",
    "--cacert",
    "-c",
    "--cookie-jar",
    "--resolve",
];

/// The parts of a command.
#[derive(Default)]
struct Command {
    url: String,
    method: Option<String>,
    headers: Vec<(String, String)>,
    data: Vec<String>,
    parts: Vec<(String, Value)>,
    user: Option<String>,
    is_query: bool,
    timeout: Option<f64>,
}

/// A tool while it is made.
#[derive(Default)]
struct Draft {
    properties: Map<String, Value>,
    auth: Option<Value>,
    /// The beginning of the names of variables.
    prefix: String,
    notes: Vec<String>,
}

/// Makes a tool file of a command line, and notes about what it does not have.
///
/// # Errors
/// Why it is no request that a tool can make.
pub(super) fn import(line: &str, name: Option<&str>) -> Result<(Value, Vec<String>), String> {
    let command = read(line)?;
    let url = if command.url.contains("://") {
        command.url.clone()
    } else {
        format!("http://{}", command.url)
    };
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let rest = rest.split('#').next().unwrap_or_default();
    let (authority, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (userinfo, host) = match authority.rsplit_once('@') {
        Some((userinfo, host)) => (Some(percent_decoded(userinfo)), host),
        None => (None, authority),
    };
    if host.is_empty() || !matches!(scheme, "http" | "https") {
        return Err("the command has no URL with http: or https:".to_owned());
    }
    let mut draft = Draft {
        prefix: prefix(host),
        ..Draft::default()
    };
    if let Some(user) = command.user.or(userinfo) {
        draft.basic(&user);
    }
    let mut http = Map::new();
    let (headers, content_type) = draft.headers(command.headers);
    let data = command.data.join("&");
    let mut pairs = pairs(query);
    if command.is_query {
        pairs.extend(self::pairs(&data));
    }
    let query = draft.fields(pairs, true);
    let path = if path.contains('{') {
        path.replace('{', "%7B").replace('}', "%7D")
    } else {
        path.to_owned()
    };
    http.insert("url".to_owned(), format!("{scheme}://{host}{path}").into());
    let body = if command.is_query {
        None
    } else {
        draft.body(&data, command.parts, content_type.as_deref())
    };
    let method = command.method.unwrap_or_else(|| {
        let method = if body.is_some() { "POST" } else { "GET" };
        method.to_owned()
    });
    if method != "GET" && !(method == "POST" && body.is_some()) {
        http.insert("method".to_owned(), method.clone().into());
    }
    for (key, map) in [("query", query), ("headers", headers)] {
        if !map.is_empty() {
            http.insert(key.to_owned(), map.into());
        }
    }
    http.extend(body.map(|body| ("body".to_owned(), body)));
    http.extend(draft.auth.map(|auth| ("auth".to_owned(), auth)));
    if scheme == "http" || !is_known_public(host) {
        http.insert("hosts".to_owned(), json!([host]));
    }
    let plain = name.map_or_else(|| default_name(&method, &path, host), str::to_owned);
    let mut document = json!({
        "name": tool_name(&plain),
        "description": format!("{method} {host}{path}"),
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

fn read(line: &str) -> Result<Command, String> {
    // The next word is the last one.
    let mut words = words::split(line)?;
    words.reverse();
    let program = words.pop().unwrap_or_default();
    if !matches!(
        program.rsplit(['/', '\\']).next(),
        Some("curl" | "curl.exe")
    ) {
        return Err("this is no command of curl".to_owned());
    }
    let mut command = Command::default();
    while let Some(word) = words.pop() {
        if !word.starts_with('-') || word == "-" {
            command.url = word;
            continue;
        }
        let (name, joined) = if word.starts_with("--") {
            (word.clone(), None)
        } else {
            let at = word
                .char_indices()
                .skip(1)
                .find(|(_, c)| !FLAGS.contains(*c));
            let Some((at, c)) = at else { continue };
            let rest = &word[at + c.len_utf8()..];
            let rest = Some(rest.to_owned()).filter(|rest| !rest.is_empty());
            if matches!(c, 'G' | 'I') {
                // They have no value: more options may follow in the word.
                words.extend(rest.map(|rest| format!("-{rest}")));
                (format!("-{c}"), None)
            } else {
                (format!("-{c}"), rest)
            }
        };
        let mut value = || {
            let next = joined.clone().or_else(|| words.pop());
            next.ok_or_else(|| format!("`{name}` has no value"))
        };
        match name.as_str() {
            "-X" | "--request" => command.method = Some(value()?.to_ascii_uppercase()),
            "--url" => command.url = value()?,
            "-H" | "--header" => {
                let header = value()?;
                if let Some((name, value)) = header.split_once(':') {
                    command
                        .headers
                        .push((name.trim().to_owned(), value.trim().to_owned()));
                }
            }
            "-A" | "--user-agent" | "-e" | "--referer" => drop(value()?),
            "-b" | "--cookie" => command.headers.push(("Cookie".to_owned(), value()?)),
            "-u" | "--user" => command.user = Some(value()?),
            "-d" | "--data" | "--data-raw" | "--data-ascii" | "--data-binary" => {
                let data = value()?;
                if data.starts_with('@') && name != "--data-raw" {
                    return Err(reads_file(&name, &data));
                }
                command.data.push(data);
            }
            "--data-urlencode" => {
                let data = value()?;
                if data.contains('@') && !data.contains('=') {
                    return Err(reads_file(&name, &data));
                }
                let (key, text) = data.split_once('=').unwrap_or(("", &data));
                let text = cogtools_core::http::percent_encode(text);
                command.data.push(if key.is_empty() {
                    text
                } else {
                    format!("{key}={text}")
                });
            }
            "--json" => {
                command.data.push(value()?);
                command
                    .headers
                    .push(("Content-Type".to_owned(), "application/json".to_owned()));
            }
            "-F" | "--form" | "--form-string" => {
                let part = value()?;
                let (key, text) = part.split_once('=').unwrap_or((&part, ""));
                let text = match text.strip_prefix('@').filter(|_| name != "--form-string") {
                    Some(file) => json!({"file": file.split(';').next().unwrap_or_default()}),
                    None => text.into(),
                };
                command.parts.push((key.to_owned(), text));
            }
            "-G" | "--get" => command.is_query = true,
            "-I" | "--head" => command.method = Some("HEAD".to_owned()),
            "-m" | "--max-time" => command.timeout = value()?.parse().ok(),
            name if IGNORED.contains(&name) => drop(value()?),
            name if LONG_FLAGS.contains(&name) => {}
            name => return Err(format!("the option `{name}` of curl is not known here")),
        }
    }
    Ok(command)
}

fn reads_file(option: &str, data: &str) -> String {
    format!("`{option} {data}` reads a file, which a tool cannot")
}

impl Draft {
    /// Sets the credentials, unless there are some.
    fn authorize(&mut self, auth: Value, what: &str) {
        if self.auth.is_none() {
            self.auth = Some(auth);
        } else {
            self.notes
                .push(format!("left out: {what}, for a tool has one credential"));
        }
    }

    fn variable(&self, kind: &str) -> Value {
        json!({"env": format!("{}_{kind}", self.prefix)})
    }

    fn basic(&mut self, user: &str) {
        let user = user.split(':').next().unwrap_or_default();
        let password = self.variable("PASSWORD");
        self.authorize(
            json!({"basic": {"user": user, "password": password}}),
            "a password",
        );
    }

    /// Returns the headers that say something about the request, and the type of its body.
    fn headers(&mut self, headers: Vec<(String, String)>) -> (Map<String, Value>, Option<String>) {
        let (mut kept, mut content_type) = (Map::new(), None);
        for (name, value) in headers {
            let lower = name.to_ascii_lowercase();
            match lower.as_str() {
                "content-type" => content_type = Some(value),
                "cookie" => self.notes.push("left out: cookies".to_owned()),
                "authorization" => self.authorization(&value),
                "accept" if value == "*/*" => {}
                name if OWN_HEADERS.contains(&name) || name.starts_with("sec-") => {}
                _ if is_secret(&name) => {
                    let key = self.variable("KEY");
                    let auth = json!({"api_key": {"header": name, "env": key["env"]}});
                    self.authorize(auth, &format!("the header {name}"));
                }
                _ => drop(kept.insert(name, constant(&value.into()))),
            }
        }
        (kept, content_type)
    }

    fn authorization(&mut self, value: &str) {
        let (scheme, credentials) = value.split_once(' ').unwrap_or(("", value));
        match scheme.to_ascii_lowercase().as_str() {
            "bearer" => {
                let token = self.variable("TOKEN");
                self.authorize(json!({ "bearer": token }), "a bearer token");
            }
            "basic" => {
                let pair = STANDARD.decode(credentials.trim()).unwrap_or_default();
                self.basic(&String::from_utf8_lossy(&pair));
            }
            _ => {
                let token = self.variable("TOKEN");
                let mut key = json!({"header": "Authorization", "env": token["env"]});
                if !scheme.is_empty() {
                    key["prefix"] = format!("{scheme} ").into();
                }
                self.authorize(json!({ "api_key": key }), "the header Authorization");
            }
        }
    }

    /// Makes parameters of fields, and returns their templates. Keys become credentials.
    fn fields(&mut self, pairs: Vec<(String, Value)>, is_query: bool) -> Map<String, Value> {
        let mut parameters = Map::new();
        for (wire, value) in pairs {
            if is_secret(&wire) {
                if is_query {
                    let key = self.variable("KEY");
                    let auth = json!({"api_key": {"query": wire, "env": key["env"]}});
                    self.authorize(auth, &format!("the parameter {wire}"));
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
        while name.is_empty() || self.properties.contains_key(&name) {
            name.push('_');
        }
        let kind = match value {
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            _ => "string",
        };
        let property =
            json!({"type": kind, "description": format!("The value of {wire}"), "default": value});
        self.properties.insert(name.clone(), property);
        name
    }

    fn body(
        &mut self,
        data: &str,
        parts: Vec<(String, Value)>,
        content_type: Option<&str>,
    ) -> Option<Value> {
        if !parts.is_empty() {
            let mut templates = Map::new();
            for (wire, value) in parts {
                if is_secret(&wire) {
                    self.leave_out(&wire);
                    continue;
                }
                let template = match value.get("file") {
                    Some(path) => json!({"file": template(&self.parameter(&wire, path))}),
                    None => template(&self.parameter(&wire, &value)),
                };
                templates.insert(wire, template);
            }
            return Some(json!({ "multipart": templates }));
        }
        if data.is_empty() {
            return None;
        }
        let is_json = content_type.is_none_or(|kind| kind.contains("json"));
        if let Some(Value::Object(fields)) = serde_json::from_str(data).ok().filter(|_| is_json) {
            let mut body = Map::new();
            for (wire, value) in fields {
                let is_plain =
                    matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_));
                let is_secret = is_secret(&wire);
                if is_plain || is_secret {
                    body.extend(self.fields(vec![(wire, value)], false));
                } else {
                    let value = self.constants(&value);
                    body.insert(wire, value);
                }
            }
            return Some(json!({ "json": body }));
        }
        if let Some(value) = serde_json::from_str::<Value>(data).ok().filter(|_| is_json) {
            return Some(json!({"json": self.constants(&value)}));
        }
        let is_form = content_type.is_none_or(|kind| kind.contains("form"));
        if is_form && data.contains('=') {
            return Some(json!({"form": self.fields(pairs(data), false)}));
        }
        Some(json!({"text": constant(&data.into())}))
    }

    /// Returns a tree of values as constants, without the fields that may be secrets.
    fn constants(&mut self, value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(|item| self.constants(item)).collect(),
            Value::Object(entries) => {
                let mut kept = Map::new();
                for (key, value) in entries {
                    if is_secret(key) {
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

/// Returns true if a value of this name, such as `access_token` or `apiKey`, is likely to be a
/// secret.
fn is_secret(name: &str) -> bool {
    let mut spaced = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && spaced.ends_with(|c: char| c.is_ascii_lowercase()) {
            spaced.push('_');
        }
        spaced.push(c.to_ascii_lowercase());
    }
    let name = spaced.as_str();
    let words: Vec<&str> = name.split(['-', '_', '.']).collect();
    let is = |words: &[&str]| words.contains(&name);
    let has = |word: &str| words.contains(&word);
    is(&["key", "apikey", "appid", "auth", "sig", "pwd"])
        || [
            "token",
            "secret",
            "password",
            "passwd",
            "apikey",
            "signature",
        ]
        .iter()
        .any(|word| has(word))
        || has("key") && (has("api") || has("access") || has("auth") || has("subscription"))
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
    let capital = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    let label: String = label.chars().map(capital).collect();
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
    let is_word = |it: &&str| it.starts_with(|c: char| c.is_ascii_alphabetic());
    let last = path.rsplit('/').find(is_word);
    let last = last.map_or_else(|| prefix(host).to_lowercase(), str::to_owned);
    format!("{}_{last}", method.to_lowercase())
}
