//! Entries of MCP servers in the files of other hosts, as our configuration writes them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use cogtools_core::environment::{has_password, is_dangerous, is_secret_name, is_variable};
use cogtools_core::source::references;
use cogtools_edit::host::mcp_host;
use serde_json::{Map, Value, json};

/// An entry in our form.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Imported {
    /// The entry, with the names of its secrets.
    pub(super) entry: Map<String, Value>,
    /// The secrets, by the names of their variables.
    pub(super) secrets: BTreeMap<String, String>,
    /// The keys that have no counterpart.
    pub(super) left_out: Vec<String>,
}

/// Keys whose values are read in [`Imported::of`], or say what others say already.
const READ: [&str; 26] = [
    "args",
    "bearer_token_env_var",
    "cmd",
    "command",
    "cwd",
    "disabled",
    "enabled",
    "env",
    "env_http_headers",
    "env_vars",
    "environment",
    "envs",
    "headers",
    "httpUrl",
    "http_headers",
    "name",
    "prefix",
    "sandbox",
    "serverUrl",
    "source",
    "timeout",
    "tool_timeout_sec",
    "transport",
    "type",
    "uri",
    "url",
];
/// The begins of the tokens of GitHub, GitLab, Slack, Linear, Notion, Hugging Face, Tavily, AWS, and of
/// providers of models.
const TOKENS: [&str; 13] = [
    "AKIA",
    "gho_",
    "ghp_",
    "github_pat_",
    "glpat-",
    "hf_",
    "lin_api_",
    "ntn_",
    "sk-",
    "tvly-",
    "xapp-",
    "xoxb-",
    "xoxp-",
];
/// Ends of the names of variables that have no secret, whatever the word before.
const SETTINGS: &str = "_DIR _FILE _HOST _LEVEL _MODE _PATH _PORT _PROFILE _REGION _URL";
/// A timeout from here on is in milliseconds.
const MILLISECONDS: f64 = 1000.0;

impl Imported {
    /// Reads the entry `value` of the server `name` for the project at `root`, or for the user;
    /// `None` if it names neither a program nor a URL.
    pub(super) fn of(name: &str, value: &Value, root: Option<&Path>) -> Option<Self> {
        let mut imported = Self::default();
        let value = &flat(value);
        let words: Vec<String> = mcp_host::words(value).into_iter().map(rewritten).collect();
        let words = mcp_host::without_shell(words);
        let text = |keys: &[&str]| {
            let found = keys.iter().find_map(|key| value.get(*key)?.as_str());
            found.map(with_braces)
        };
        let url = text(&["httpUrl", "serverUrl", "url", "uri"]);
        let entry = &mut imported.entry;
        match (words.split_first(), url) {
            (Some((program, args)), _) => {
                entry.insert("command".to_owned(), json!(program));
                if !args.is_empty() {
                    entry.insert("args".to_owned(), json!(args));
                }
            }
            (None, Some(url)) => drop(entry.insert("url".to_owned(), url.into())),
            (None, None) => return None,
        }
        imported.read_maps(value, root.is_some());
        imported.read_options(value, root);
        let others = value.as_object().into_iter().flatten();
        let nothing = [Value::Null, json!(false), json!([]), json!({})];
        let others = others.filter(|(_, value)| !nothing.contains(value));
        let others = others.filter(|(key, _)| !READ.contains(&key.as_str()));
        imported.left_out.extend(others.map(|(key, _)| key.clone()));
        imported.take_secrets(name);
        Some(imported)
    }

    /// Reads variables and headers.
    fn read_maps(&mut self, value: &Value, is_project: bool) {
        let texts = |keys: &[&str]| -> BTreeMap<String, String> {
            let maps = keys.iter().filter_map(|key| value.get(*key)?.as_object());
            let entries = maps.flatten().filter_map(|(key, value)| {
                let text = match value {
                    Value::String(text) => text.clone(),
                    Value::Number(_) | Value::Bool(_) => value.to_string(),
                    _ => return None,
                };
                Some((key.clone(), with_braces(&text)))
            });
            entries.collect()
        };
        let reference = |name: &str| format!("${{{name}}}");
        let mut env = texts(&["env", "environment", "envs"]);
        for key in ["env", "env_vars"] {
            let names = value
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            let names = names.filter_map(Value::as_str);
            env.extend(names.map(|name| (name.to_owned(), reference(name))));
        }
        env.retain(|name, _| {
            let is_refused = is_project && is_dangerous(name) || !is_variable(name);
            if is_refused {
                self.left_out.push(format!("env.{name}"));
            }
            !is_refused
        });
        let mut headers = texts(&["headers", "http_headers"]);
        let of_variables = texts(&["env_http_headers"]).into_iter();
        headers.extend(of_variables.map(|(header, name)| (header, reference(&name))));
        if let Some(name) = value.get("bearer_token_env_var").and_then(Value::as_str) {
            headers.insert(
                "Authorization".to_owned(),
                format!("Bearer {}", reference(name)),
            );
        }
        // The references in a map are the variables that the server sees.
        let refers = self
            .entry
            .values()
            .any(|value| value.to_string().contains("${"));
        if !env.is_empty() || !headers.is_empty() || refers {
            self.entry.insert("env".to_owned(), json!(env));
        }
        if !headers.is_empty() {
            self.entry.insert("headers".to_owned(), json!(headers));
        }
    }

    fn read_options(&mut self, value: &Value, root: Option<&Path>) {
        let is = |key: &str, expected: bool| value.get(key) == Some(&Value::Bool(expected));
        if is("disabled", true) || is("enabled", false) {
            self.entry.insert("disabled".to_owned(), true.into());
        }
        let seconds = value.get("tool_timeout_sec").and_then(Value::as_f64);
        let timeout = value
            .get("timeout")
            .and_then(Value::as_f64)
            .map(|time| match time {
                MILLISECONDS.. => time / MILLISECONDS,
                _ => time,
            });
        if let Some(seconds) = seconds.or(timeout).filter(|seconds| *seconds > 0.0) {
            self.entry.insert("timeout".to_owned(), json!(seconds));
        }
        for key in ["prefix", "sandbox"] {
            let value = value.get(key).map(|value| (key.to_owned(), value.clone()));
            self.entry.extend(value);
        }
        // A server of a project starts in it.
        let cwd = value.get("cwd").and_then(Value::as_str).map(rewritten);
        let is_root = |cwd: &String| root.is_some_and(|root| root.join(cwd) == root.join("."));
        self.left_out
            .extend(cwd.filter(|cwd| !is_root(cwd)).map(|_| "cwd".to_owned()));
    }

    /// Returns the variables that the entry needs a value of, besides its secrets.
    pub(super) fn variables(&self) -> BTreeSet<String> {
        let text = Value::Object(self.entry.clone()).to_string();
        let needed = references(&text).filter(|it| it.default.is_none());
        let names = needed.map(|it| it.name.to_owned());
        let reference = |name: &String| format!("${{{name}}}");
        let own = |name: &String| self.entry.get("env")?.get(name)?.as_str();
        let is_set = |name: &String| own(name).is_some_and(|it| !it.contains(&reference(name)));
        let is_known = |name: &String| self.secrets.contains_key(name) || is_set(name);
        names.filter(|name| !is_known(name)).collect()
    }

    /// Replaces literal secrets with references to variables.
    pub(super) fn take_secrets(&mut self, name: &str) {
        let Self { entry, secrets, .. } = self;
        let texts = |entry: &mut Map<String, Value>, key: &str| match entry.get_mut(key) {
            Some(Value::Object(map)) => std::mem::take(map),
            _ => Map::new(),
        };
        let mut keep = |variable: String, secret: &str| {
            let is_free = |name: &String| secrets.get(name).is_none_or(|it| it == secret);
            let others = (2..).map(|number| format!("{variable}_{number}"));
            let mut names = std::iter::once(variable.clone()).chain(others);
            let variable = names.find(is_free).unwrap_or_default();
            let reference = format!("${{{variable}}}");
            secrets.insert(variable, secret.to_owned());
            reference
        };
        let is_literal = |text: &str| !text.is_empty() && references(text).next().is_none();
        let mut env = texts(entry, "env");
        for (variable, value) in &mut env {
            let is_setting = SETTINGS.split(' ').any(|end| variable.ends_with(end));
            if let Some(text) = value.as_str().filter(|text| is_literal(text))
                && (is_secret_name(variable) && !is_setting
                    || password(text).is_some()
                    || has_password(text)
                    || is_secret(text))
            {
                *value = keep(variable.clone(), text).into();
            } else if let Some(text) = value.as_str().filter(|text| text.contains("://")) {
                *value = without_query_secrets(text, name, &mut keep).into();
            }
        }
        let mut headers = texts(entry, "headers");
        for (header, value) in &mut headers {
            let is_secret = header.eq_ignore_ascii_case("authorization") || is_secret_name(header);
            if let Some(text) = value.as_str().filter(|text| is_secret && is_literal(text)) {
                let (scheme, secret) = text.rsplit_once(' ').unwrap_or(("", text));
                let reference = keep(variable(name, header), secret);
                *value = format!("{scheme} {reference}").trim_start().into();
            }
        }
        let args = entry.get_mut("args").and_then(Value::as_array_mut);
        let mut flag = None;
        for arg in args.into_iter().flatten() {
            let text = arg.as_str().unwrap_or_default().to_owned();
            let (option, value) = text.split_once('=').unwrap_or((&text, ""));
            let is_option = option.starts_with('-') && is_secret_name(&option.replace('-', "_"));
            match flag.take() {
                Some(flag) if is_literal(&text) && !text.starts_with('-') => {
                    *arg = keep(variable(name, flag), &text).into();
                }
                _ if is_option && is_literal(value) => {
                    *arg = format!("{option}={}", keep(variable(name, option), value)).into();
                }
                _ => {
                    flag = is_option.then(|| option.to_owned());
                    if let Some((of, place)) = hidden(&text).filter(|_| is_literal(&text)) {
                        let reference = keep(variable(name, of), &text[place.clone()]);
                        let mut word = text.clone();
                        word.replace_range(place, &reference);
                        *arg = word.into();
                    } else if is_literal(&text) && is_secret(&text) {
                        *arg = keep(variable(name, "secret"), &text).into();
                    } else if text.contains("://") {
                        *arg = without_query_secrets(&text, name, &mut keep).into();
                    }
                }
            }
        }
        if let Some(Value::String(url)) = entry.get_mut("url") {
            if let Some(place) = password(url).filter(|place| is_literal(&url[place.clone()])) {
                let reference = keep(variable(name, "password"), &url[place.clone()]);
                url.replace_range(place, &reference);
            }
            *url = without_query_secrets(url, name, &mut keep);
        }
        if !env.is_empty() || !secrets.is_empty() || entry.contains_key("env") {
            entry.insert("env".to_owned(), env.into());
        }
        if !headers.is_empty() {
            entry.insert("headers".to_owned(), headers.into());
        }
    }
}

/// Returns `url` with references to the secrets in its query, which `keep` keeps.
fn without_query_secrets(
    url: &str,
    name: &str,
    mut keep: impl FnMut(String, &str) -> String,
) -> String {
    let Some((before, query)) = url.split_once('?') else {
        return url.to_owned();
    };
    let parts = query.split('&').map(|part| match part.split_once('=') {
        Some((key, value))
            if is_secret_name(key) && !value.is_empty() && references(value).next().is_none() =>
        {
            format!("{key}={}", keep(variable(name, key), value))
        }
        _ => part.to_owned(),
    });
    format!("{before}?{}", parts.collect::<Vec<String>>().join("&"))
}

/// Returns true if the form of `text` says that it is a secret: a token, credentials after their
/// scheme, a connection with a password, or JSON with one. It is never code that a shell would run.
fn is_secret(text: &str) -> bool {
    let rest = |prefix: &str| text.strip_prefix(prefix).filter(|rest| rest.len() >= 8);
    let is_token = TOKENS
        .iter()
        .find_map(|prefix| rest(prefix))
        .is_some_and(is_plain);
    let mut schemes = ["Bearer ", "Basic "].iter();
    let has_scheme = schemes
        .find_map(|scheme| rest(scheme))
        .is_some_and(is_plain);
    let has_password = has_password(text) && text.split(';').all(is_plain);
    // As a command, JSON on one line runs nothing without these.
    let json = Some(text).filter(|text| !text.contains(['$', '`', '\n', '\r']));
    let json = json.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
    is_token || has_scheme || has_password || json.is_some_and(|it| has_secret(&it.into()))
}

/// Returns true if an entry in `value` has the name of a secret.
fn has_secret(value: &Value) -> bool {
    match value {
        Value::Object(entries) => entries.iter().any(|(name, value)| {
            let is_named = is_secret_name(name) || name.eq_ignore_ascii_case("authorization");
            is_named && value.is_string() || has_secret(value)
        }),
        Value::Array(items) => items.iter().any(has_secret),
        _ => false,
    }
}

/// Returns true if `text` has only what keys and tokens have. Of anything else, such as a command
/// for `bash -c`, nothing may be hidden from the person who approves it.
fn is_plain(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-._~+/=:@#,^*!".contains(c);
    text.chars().all(is_part)
}

/// Returns the place of the password in `text`, if it is a URL with one.
fn password(text: &str) -> Option<Range<usize>> {
    let start = text.find("://")? + "://".len();
    let end = text[start..].find(['/', '?', '#']);
    let end = end.map_or(text.len(), |end| start + end);
    let at = start + text[start..end].rfind('@')?;
    let colon = start + text[start..at].find(':')?;
    (colon + 1 < at).then(|| colon + 1..at)
}

/// Returns the name and the place of the secret in a word of a command line that is no option: a
/// header (`Authorization: Bearer …`), a variable (`API_KEY=…`), or a URL with a password.
fn hidden(word: &str) -> Option<(&str, Range<usize>)> {
    if let Some(place) = password(word) {
        return Some(("password", place));
    }
    let (name, value) = word.split_once([':', '='])?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let is_header = word[name.len()..].starts_with(':');
    let is_secret = is_secret_name(&name.replace('-', "_"))
        || is_header && name.eq_ignore_ascii_case("authorization");
    // After the scheme of a header.
    let secret = if is_header {
        value.trim().rsplit(' ').next()?
    } else {
        value
    };
    let is_value = !secret.is_empty() && is_plain(secret);
    let is_hidden = is_secret && name.chars().all(is_name) && is_value;
    let end = word.trim_end().len();
    is_hidden.then(|| (name, end - secret.len()..end))
}

/// Returns `value` with the entries of its `command`, if that is a map, as Zed writes it, and with
/// the texts of other values in lists.
fn flat(value: &Value) -> Value {
    let mut flat = value.clone();
    if let Some(Value::Object(command)) = value.get("command")
        && let Some(entries) = flat.as_object_mut()
    {
        entries.extend(command.clone());
        let program = entries.remove("path").unwrap_or_default();
        entries.insert("command".to_owned(), program);
    }
    let entries = flat.as_object_mut().into_iter().flatten();
    for word in entries.filter_map(|(_, it)| it.as_array_mut()).flatten() {
        if word.is_number() || word.is_boolean() {
            *word = word.to_string().into();
        }
    }
    flat
}

/// The name of a variable for the secret `of` of the server `name`.
fn variable(name: &str, of: impl AsRef<str>) -> String {
    let text = format!("{name}_{}", of.as_ref().trim_start_matches('-'));
    let is_part = |c: char| c.is_ascii_alphanumeric();
    let text = text.to_ascii_uppercase().replace(|c| !is_part(c), "_");
    if is_variable(&text) {
        text
    } else {
        format!("_{text}")
    }
}

/// Returns `text` with the references of other hosts in our form.
fn rewritten(text: &str) -> String {
    let mut text = text
        .replace("${workspaceFolder}/", "./")
        .replace("${workspaceFolder}", ".")
        .replace("${CLAUDE_PROJECT_DIR:-.}", ".")
        .replace("${CLAUDE_PROJECT_DIR}", ".")
        .replace("${userHome}", "${HOME}")
        .replace("${env:", "${")
        .replace("{env:", "${");
    while let Some(start) = text.find("${input:") {
        let end = text[start..]
            .find('}')
            .map_or(text.len(), |end| start + end);
        let name = variable("", &text[start + "${input:".len()..end]);
        text.replace_range(start..end, &format!("${{{}", name.trim_start_matches('_')));
    }
    text
}

/// Returns `text` with the references of other hosts in our form, also `$NAME`, which no shell reads
/// here, in upper case: a password may begin with a `$`.
fn with_braces(text: &str) -> String {
    let words = rewritten(text);
    let words = words.split(' ').map(|word| match word.strip_prefix('$') {
        Some(name) if is_variable(name) && name == name.to_ascii_uppercase() => {
            format!("${{{name}}}")
        }
        _ => word.to_owned(),
    });
    words.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_other_hosts_are_read() {
        for (entry, expected) in [
            (
                json!({"command": "npx", "args": ["-y", "x", "${workspaceFolder}/d"], "type": "stdio",
                    "env": {"API_TOKEN": "s", "MODE": "${env:MODE}", "PATH": "/x"}, "cwd": "."}),
                json!([
                    {"command": "npx", "args": ["-y", "x", "./d"],
                        "env": {"API_TOKEN": "${API_TOKEN}", "MODE": "${MODE}"}},
                    {"API_TOKEN": "s"}, ["env.PATH"],
                ]),
            ),
            (
                json!({"httpUrl": "https://x/mcp?api_key=k&a=b", "headers": {"Authorization": "Bearer t"},
                    "timeout": 60000, "trust": true, "includeTools": ["a"]}),
                json!([
                    {"url": "https://x/mcp?api_key=${S_1_API_KEY}&a=b", "timeout": 60.0,
                        "env": {}, "headers": {"Authorization": "Bearer ${S_1_AUTHORIZATION}"}},
                    {"S_1_API_KEY": "k", "S_1_AUTHORIZATION": "t"}, ["includeTools", "trust"],
                ]),
            ),
            (
                json!({"url": "https://x", "bearer_token_env_var": "T", "enabled": false,
                    "env_http_headers": {"X-A": "A"}, "tool_timeout_sec": 5, "enabled_tools": ["a"]}),
                json!([
                    {"url": "https://x", "disabled": true, "timeout": 5.0, "env": {},
                        "headers": {"Authorization": "Bearer ${T}", "X-A": "${A}"}},
                    {}, ["enabled_tools"],
                ]),
            ),
            (
                json!({"command": ["a", "--api-key", "k", "--token=t"], "environment": {"B": "$B"}}),
                json!([
                    {"command": "a", "args": ["--api-key", "${S_1_API_KEY}", "--token=${S_1_TOKEN}"],
                        "env": {"B": "${B}"}},
                    {"S_1_API_KEY": "k", "S_1_TOKEN": "t"}, [],
                ]),
            ),
            (
                json!({"command": "a", "args": [
                    "postgresql://me:p@ss@localhost:5432/db", "--header", "Authorization: Bearer t",
                    "--header", "X-API-Key:k", "-e", "API_TOKEN=v", "https://x:8080/@y", "MODE=fast",
                    "-H", "Authorization: Bearer ${T}",
                ], "env": {"DATABASE_URL": "redis://:p@localhost"}}),
                json!([
                    {"command": "a", "args": [
                        "postgresql://me:${S_1_PASSWORD}@localhost:5432/db",
                        "--header", "Authorization: Bearer ${S_1_AUTHORIZATION}",
                        "--header", "X-API-Key:${S_1_X_API_KEY}", "-e", "API_TOKEN=${S_1_API_TOKEN}",
                        "https://x:8080/@y", "MODE=fast", "-H", "Authorization: Bearer ${T}",
                    ], "env": {"DATABASE_URL": "${DATABASE_URL}"}},
                    {"DATABASE_URL": "redis://:p@localhost", "S_1_API_TOKEN": "v",
                        "S_1_AUTHORIZATION": "t", "S_1_PASSWORD": "p@ss", "S_1_X_API_KEY": "k"},
                    [],
                ]),
            ),
            (
                json!({"url": "https://me:p@x/mcp?token=a", "headers": {"X-Token": "b", "X_TOKEN": "c"}}),
                json!([
                    {"url": "https://me:${S_1_PASSWORD}@x/mcp?token=${S_1_TOKEN}", "env": {},
                        "headers": {"X-Token": "${S_1_X_TOKEN}", "X_TOKEN": "${S_1_X_TOKEN_2}"}},
                    {"S_1_PASSWORD": "p", "S_1_TOKEN": "a", "S_1_X_TOKEN": "b", "S_1_X_TOKEN_2": "c"},
                    [],
                ]),
            ),
            (
                json!({"command": "a", "args": ["${CLAUDE_PROJECT_DIR}/b", "${CLAUDE_PROJECT_DIR:-.}/c"]}),
                json!([{"command": "a", "args": ["./b", "./c"]}, {}, []]),
            ),
            (
                json!({"command": "a", "args": ["${input:my-key}"], "cwd": "/elsewhere"}),
                json!([{"command": "a", "args": ["${MY_KEY}"], "env": {}}, {}, ["cwd"]]),
            ),
            (
                json!({"source": "custom", "command": {"path": "/a", "args": ["b"], "env": {"C": "d"}}}),
                json!([{"command": "/a", "args": ["b"], "env": {"C": "d"}}, {}, []]),
            ),
            (json!({"name": "x"}), Value::Null),
        ] {
            check(&entry, &expected);
        }
    }

    fn check(entry: &Value, expected: &Value) {
        let found = Imported::of("s-1", entry, Some(Path::new("/p")));
        let found = found.map(|mut it| {
            it.left_out.sort();
            json!([it.entry, it.secrets, it.left_out])
        });
        assert_eq!(found.unwrap_or_default(), *expected, "{entry}");
    }

    #[test]
    fn secrets_are_known_by_their_form_and_code_is_none() {
        let entry = json!({"command": "a", "args": [
                    "--config", "{\"exaApiKey\": \"k\"}", "https://x/?tavilyApiKey=t&a=b", "sk-12345678",
                    "-c", "API_KEY=x touch y", "TOKEN=a;b", "{\"key\": \"$(touch y)\"}",
                    "{\"key\":\n\"./run\"\n}", "Authorization: $(touch y)",
                ], "env": {"HEADERS": "{\"Authorization\": \"Bearer t\"}", "AUTH": "Basic dXNlcjpw",
                    "ADO": "Server=h;Password=pw1;", "P": "$ecret"}});
        let expected = json!([
            {"command": "a", "args": [
                "--config", "${S_1_SECRET}", "https://x/?tavilyApiKey=${S_1_TAVILYAPIKEY}&a=b",
                "${S_1_SECRET_2}", "-c", "API_KEY=x touch y", "TOKEN=a;b",
                "{\"key\": \"$(touch y)\"}", "{\"key\":\n\"./run\"\n}",
                "Authorization: $(touch y)",
            ], "env": {"HEADERS": "${HEADERS}", "AUTH": "${AUTH}", "ADO": "${ADO}",
                "P": "$ecret"}},
            {"ADO": "Server=h;Password=pw1;", "AUTH": "Basic dXNlcjpw",
                "HEADERS": "{\"Authorization\": \"Bearer t\"}", "S_1_SECRET": "{\"exaApiKey\": \"k\"}",
                "S_1_SECRET_2": "sk-12345678", "S_1_TAVILYAPIKEY": "t"},
            [],
        ]);
        check(&entry, &expected);
    }

    #[test]
    fn a_shell_of_windows_stays_on_windows() {
        for (words, expected) in [
            (["cmd", "/c", "npx", "x"], &["npx", "x"][..]),
            (["CMD.EXE", "/C", "npx", "x"], &["npx", "x"]),
            (["cmd", "/k", "npx", "x"], &["cmd", "/k", "npx", "x"]),
        ] {
            let expected = if cfg!(windows) { &words[..] } else { expected };
            let entry = json!({"command": words[0], "args": words[1..]});
            let found = Imported::of("s", &entry, None).expect("it names a program");
            let found = mcp_host::words(&Value::Object(found.entry.clone())).join(" ");
            assert_eq!(found, expected.join(" "));
        }
    }

    #[test]
    fn a_reference_without_a_value_is_needed() {
        let entry = json!({
            "url": "https://${HOST:-x}/${input:a-b}", "headers": {"Authorization": "Bearer literal"},
            "env": {"MODE": "${env:MODE}", "OWN": "x", "URL": "${OWN}"},
        });
        let found = Imported::of("s", &entry, None).expect("it names a URL");
        let found: Vec<String> = found.variables().into_iter().collect();
        assert_eq!(found, ["A_B", "MODE"]);
    }
}
