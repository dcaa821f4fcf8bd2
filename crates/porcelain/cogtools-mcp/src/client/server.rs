//! The description of a server, as the caller passes it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cogtools_core::process::{Confinement, Policy};
use cogtools_http::http::{HeaderName, HeaderValue};
use cogtools_program::Vars;
use serde::Deserialize;

use crate::client::connector::ClientError;

/// A server: a command that uses its standard streams, or a URL.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Server {
    /// Its name in messages.
    #[serde(default = "default_name")]
    pub(crate) name: String,
    /// The program and its arguments.
    #[serde(default)]
    pub(crate) command: Vec<String>,
    /// Its URL, if it is reached over HTTP.
    pub(crate) url: Option<String>,
    /// Additional headers for the URL; `${NAME}` is replaced with a variable's value.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// The limit for the whole run, in seconds.
    timeout: Option<f64>,
    /// The reach of the program; everything, if there is none.
    sandbox: Option<Sandbox>,
    /// Texts that no message may show, besides the values of variables.
    #[serde(skip)]
    pub(crate) secrets: Secrets,
}

/// Texts that no message may show.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Arc<Mutex<BTreeSet<String>>>);

/// A policy, as the caller passes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sandbox {
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    network: bool,
    required: bool,
}

/// The way to a server.
pub(crate) enum Transport<'s> {
    Command(&'s str, &'s [String]),
    Url(&'s str),
}

/// The shortest value of a variable that is redacted: shorter ones are not secrets,
/// and replacing them would garble the text.
const MIN_SECRET_BYTES: usize = 4;

fn default_name() -> String {
    "?".to_owned()
}

impl Server {
    /// Reads a description.
    pub(crate) fn read(text: &str) -> Result<Self, ClientError> {
        let server: Self = serde_json::from_str(text)
            .map_err(|error| ClientError::Description(error.to_string()))?;
        server.transport()?;
        Ok(server)
    }

    pub(crate) fn transport(&self) -> Result<Transport<'_>, ClientError> {
        match (self.command.split_first(), &self.url) {
            (Some((program, args)), None) => Ok(Transport::Command(program, args)),
            (None, Some(url)) => Ok(Transport::Url(url)),
            _ => Err(ClientError::Description(
                "specify either `command` or `url`".to_owned(),
            )),
        }
    }

    /// Returns `confinement` with the reach of the program; everything, if the caller says nothing.
    pub(crate) fn confine(&self, confinement: Confinement) -> Confinement {
        let Some(sandbox) = self.sandbox.clone() else {
            return confinement;
        };
        confinement.with_policy(Policy {
            read: sandbox.read,
            write: sandbox.write,
            network: sandbox.network,
            required: sandbox.required,
        })
    }

    /// Returns the limit for the whole run; `default` if the description has none.
    pub(crate) fn timeout_or(&self, default: Duration) -> Duration {
        self.timeout
            .filter(|seconds| *seconds > 0.0)
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .unwrap_or(default)
    }

    /// Returns the additional headers for the URL, with the values of `vars`.
    pub(crate) fn headers(
        &self,
        vars: &Vars,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ClientError> {
        let header = |(name, value): (&String, &String)| {
            let invalid = || ClientError::Header(self.name.clone(), name.clone());
            let value = self.expand(value, vars)?;
            let name = HeaderName::try_from(name.as_str()).map_err(|_| invalid())?;
            let mut value = HeaderValue::try_from(value).map_err(|_| invalid())?;
            value.set_sensitive(true);
            Ok((name, value))
        };
        self.headers.iter().map(header).collect()
    }

    /// Returns `text` without the values of variables that headers refer to: a server may
    /// repeat a request.
    pub(crate) fn redact(&self, text: &str, vars: &Vars) -> String {
        let text = self.secrets.redact(text);
        self.headers
            .values()
            .flat_map(|header| header.split("${").skip(1))
            .filter_map(|piece| Some(piece.split_once('}')?.0))
            .filter_map(|name| vars.get(OsStr::new(name))?.to_str())
            .filter(|value| value.len() >= MIN_SECRET_BYTES)
            .fold(text, |text, secret| text.replace(secret, "***"))
    }

    /// Returns true if the source itself says who the user is.
    pub(crate) fn has_own_token(&self) -> bool {
        let mut names = self.headers.keys();
        names.any(|name| name.eq_ignore_ascii_case("authorization"))
    }

    /// Returns `text` with its variables replaced by their values.
    fn expand(&self, text: &str, vars: &Vars) -> Result<String, ClientError> {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, after)) = after.split_once('}') else {
                break;
            };
            let value = vars
                .get(OsStr::new(name))
                .and_then(|value| value.to_str())
                .ok_or_else(|| ClientError::Variable(self.name.clone(), name.to_owned()))?;
            expanded.push_str(before);
            expanded.push_str(value);
            rest = after;
        }
        expanded.push_str(rest);
        Ok(expanded)
    }
}

impl Secrets {
    /// Adds some.
    pub(crate) fn add<'t>(&self, texts: impl Iterator<Item = &'t str>) {
        let texts = texts.filter(|text| text.len() >= MIN_SECRET_BYTES);
        if let Ok(mut secrets) = self.0.lock() {
            secrets.extend(texts.map(str::to_owned));
        }
    }

    fn redact(&self, text: &str) -> String {
        let secrets = self.0.lock().map(|secrets| secrets.clone());
        let secrets = secrets.unwrap_or_default().into_iter();
        secrets.fold(text.to_owned(), |text, secret| text.replace(&secret, "***"))
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(header: &str, expected: Result<&str, &str>) {
        let text = serde_json::json!({"name": "s", "url": "http://x", "headers": {"A": header}});
        let server = Server::read(&text.to_string()).expect("a server");
        let vars = Vars::from([("TOKEN".into(), "t".into()), ("EMPTY".into(), "".into())]);
        let headers = server.headers(&vars).map_err(|error| error.to_string());
        let value = headers.map(|all| all[0].1.to_str().expect("text").to_owned());
        assert_eq!(value, expected.map(str::to_owned).map_err(str::to_owned));
    }

    #[test]
    fn variables_in_headers_are_expanded() {
        check("Bearer ${TOKEN}", Ok("Bearer t"));
        check("${TOKEN}${TOKEN}${EMPTY}", Ok("tt"));
        check("$TOKEN ${TOKEN", Ok("$TOKEN ${TOKEN"));
        check(
            "${OTHER}",
            Err(
                "the MCP server `s` cannot be contacted: a header needs the environment variable OTHER",
            ),
        );
        check(
            "a\nb",
            Err(
                "the MCP server `s` cannot be contacted: `A` is not a valid header, or its value is not",
            ),
        );
    }

    #[test]
    fn values_of_variables_are_redacted() {
        let text = r#"{"url": "u", "headers": {"A": "Bearer ${TOKEN}${NO", "B": "${ONE}${NONE}"}}"#;
        let server = Server::read(text).expect("a server");
        let vars = Vars::from([
            ("TOKEN".into(), "s3cr3t".into()),
            ("ONE".into(), "1".into()),
        ]);
        let redacted = server.redact("no Bearer s3cr3t, s3cr3t of 1", &vars);
        assert_eq!(redacted, "no Bearer ***, *** of 1");
    }

    #[test]
    fn a_server_is_a_command_or_a_url() {
        for text in [
            "{}",
            "[]",
            r#"{"url": "u", "command": ["c"]}"#,
            r#"{"uri": ""}"#,
        ] {
            assert!(Server::read(text).is_err(), "{text}");
        }
        assert!(Server::read(r#"{"command": ["c"]}"#).is_ok());
    }
}
