//! Values of variables that are kept out of outputs, sessions and logs.
//!
//! A name says that a value is secret, but most names say nothing. So a value that a tool declares
//! is masked unless it is one that outputs have by chance, or that a user sees anyway.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::env;

/// Words in the names of variables with secrets.
const SECRET_WORDS: [&str; 8] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "COOKIE",
];
/// Ends of such names.
const SECRET_ENDS: [&str; 4] = ["_PASS", "_PWD", "_PAT", "_AUTH"];
/// Names of variables that describe the machine and its user.
const ORDINARY: [&str; 17] = [
    "COLORTERM",
    "DISPLAY",
    "EDITOR",
    "HOME",
    "HOSTNAME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "PATH",
    "PWD",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "USERNAME",
    "VISUAL",
];
/// The shortest value that is masked: replacing shorter ones would garble the text.
const MIN_BYTES: usize = 6;
/// The longest word of letters alone that is not masked, such as `production`.
const MAX_WORD_BYTES: usize = 12;

/// Returns true if a variable of that name has a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
        || SECRET_ENDS.iter().any(|end| name.ends_with(end))
}

/// Returns true if `text` describes a connection with a password, or is a command that looks alike.
pub fn has_password(text: &str) -> bool {
    text.split(';').any(|part| {
        let (key, value) = part.split_once('=').unwrap_or_default();
        let is = |name: &str| key.trim().eq_ignore_ascii_case(name);
        (is("password") || is("pwd")) && !value.is_empty()
    })
}

/// The texts that outputs may not have because of these variables, the longest first: a part of
/// another one must not be replaced before it, as the rest would stay.
pub fn texts<'v>(variables: impl Iterator<Item = (&'v str, &'v str)>) -> Vec<String> {
    let mut texts = Vec::new();
    for secret in variables.flat_map(|(name, value)| secrets(name, value)) {
        // Its form in JSON, without quotes.
        let quoted = serde_json::Value::from(secret).to_string();
        texts.push(quoted[1..quoted.len() - 1].to_owned());
        texts.push(secret.to_owned());
        // An output may have some lines of a key.
        texts.extend(secret.lines().map(|line| line.trim().to_owned()));
    }
    texts.retain(|text| text.len() >= MIN_BYTES);
    texts.sort_unstable_by(|one, other| {
        (Reverse(one.len()), one).cmp(&(Reverse(other.len()), other))
    });
    texts.dedup();
    texts
}

/// `text` with stars in the place of each of `secrets`.
pub fn mask<'t>(text: &'t str, secrets: &[String]) -> Cow<'t, str> {
    let mut masked = Cow::Borrowed(text);
    for secret in secrets {
        if masked.contains(secret.as_str()) {
            masked = masked.replace(secret.as_str(), "***").into();
        }
    }
    masked
}

/// The parts of `value` that are secret.
fn secrets<'v>(name: &str, value: &'v str) -> Vec<&'v str> {
    if is_secret_name(name) {
        return vec![value];
    }
    if let Some((_, rest)) = value.split_once("://") {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let path = &rest[authority.len()..];
        if let Some((user, _)) = authority.rsplit_once('@') {
            let password = user.split_once(':').map(|(_, password)| password);
            let password = password.or_else(|| Some(user).filter(|user| !is_common(user)));
            // Outputs have names of databases for other reasons.
            let is_secret = |part: &str| !part.is_empty() && !is_common(part);
            let path = Some(path).filter(|path| path.split(['/', '?', '#']).any(is_secret));
            return password.into_iter().chain(path).collect();
        }
        // The address of a webhook is a secret, but an origin is none.
        let is_secret = !matches!(path, "" | "/");
        return is_secret.then_some(value).into_iter().collect();
    }
    let is_machine =
        ORDINARY.contains(&name) || name.starts_with("LC_") || name.starts_with("XDG_");
    let is_secret = !is_machine && !is_common(value);
    is_secret.then_some(value).into_iter().collect()
}

/// Returns true if outputs have `value` for other reasons: it is a number, a short word, or paths
/// of this machine.
fn is_common(value: &str) -> bool {
    let is_word = value.len() <= MAX_WORD_BYTES && value.chars().all(char::is_alphabetic);
    let paths: Vec<_> = env::split_paths(value).collect();
    let is_path =
        paths.iter().all(|path| path.is_absolute()) && paths.iter().any(|path| path.exists());
    is_word || is_path || value.parse::<f64>().is_ok()
}

/// A URL for display: its user name may be followed by a password, and its query may
/// contain a key.
pub fn without_secrets(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let (user, host) = host.rsplit_once('@').unwrap_or(("", host));
    let user = if user.is_empty() { "" } else { "…@" };
    let (path, query) = match path.find(['?', '#']) {
        Some(end) => (&path[..end], "?…"),
        None => (path, ""),
    };
    format!("{scheme}://{user}{host}{path}{query}")
}

/// Returns true if a line of a configuration may have a secret: a value with the name of one, or a
/// URL with a user or a query.
pub fn may_have_secret(line: &str) -> bool {
    let mut urls = line.split_whitespace().filter(|word| word.contains("://"));
    let is_named = |before: &str| {
        let before = before.trim_end_matches(['"', '\'', ' ']);
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let name = &before[before.trim_end_matches(is_word).len()..];
        is_secret_name(name) || name.to_ascii_lowercase().ends_with("authorization")
    };
    line.match_indices([':', '='])
        .any(|(at, _)| is_named(&line[..at]))
        || urls.any(|url| without_secrets(url) != url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_urls_are_redacted() {
        for (url, display_path) in [
            ("https://a.example/mcp", "https://a.example/mcp"),
            ("http://a:8080", "http://a:8080"),
            (
                "https://me:s@a.example/mcp?key=s#s",
                "https://…@a.example/mcp?…",
            ),
            ("https://a.example?key=s@b", "https://a.example?…"),
        ] {
            assert_eq!(without_secrets(url), display_path);
        }
    }

    #[test]
    fn lines_with_secrets_are_not_shown() {
        for (line, expected) in [
            ("headers: {Authorization: \"Bearer s\", bogus: 1}", true),
            ("  \"X-Api-Key\": s", true),
            ("env: {GITHUB_TOKEN: s}", true),
            ("env: [GITHUB_TOKEN]", false),
            ("url: https://me@a.example/mcp", true),
            ("url: https://a.example/mcp", false),
            ("bogus: 1", false),
        ] {
            assert_eq!(may_have_secret(line), expected, "{line}");
        }
    }

    #[test]
    fn a_declared_value_is_secret_unless_it_is_common() {
        for (name, value, expected) in [
            ("API_TOKEN", "production", &["production"][..]),
            ("API_TOKEN", "short", &[]),
            ("PLACE", "the-usual-place", &["the-usual-place"]),
            ("LOGIN", "s3cr3t", &["s3cr3t"]),
            ("MODE", "production", &[]),
            ("WORDS", "correcthorsebattery", &["correcthorsebattery"]),
            ("SIZE", "1234567.5", &[]),
            ("HOME", "/home/someone-else", &[]),
            ("LC_ALL", "en_US.UTF-8", &[]),
            ("FOLDERS", "/nowhere-at-all:/", &[]),
            ("FOLDER", "/nowhere-at-all", &["/nowhere-at-all"]),
            (
                "DATABASE",
                "postgres://me:hunter2-hunter2@host/db",
                &["hunter2-hunter2"],
            ),
            (
                "DATABASE",
                "postgres://me:hunter2-hunter2@host/inventory",
                &["hunter2-hunter2"],
            ),
            ("DATABASE", "postgres://postgres@localhost/db", &[]),
            (
                "SENTRY",
                "https://0123456789abcdef@host/1",
                &["0123456789abcdef"],
            ),
            (
                "HOOK_OF_USER",
                "https://me:hunter2-hunter2@host/services/T0?x",
                &["hunter2-hunter2", "/services/T0?x"],
            ),
            (
                "HOOK",
                "https://host/services/T0",
                &["https://host/services/T0"],
            ),
            ("API", "https://api.example.com/", &[]),
            (
                "QUOTED",
                "first \"line\"\nsecond line",
                &[
                    r#"first \"line\"\nsecond line"#,
                    "first \"line\"\nsecond line",
                    "first \"line\"",
                    "second line",
                ],
            ),
        ] {
            assert_eq!(texts([(name, value)].into_iter()), expected, "{name}");
        }
    }
}
