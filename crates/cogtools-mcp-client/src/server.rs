//! Which server is asked, as whoever starts the program describes it.

use std::collections::BTreeMap;
use std::time::Duration;

use ::http::{HeaderName, HeaderValue};
use cogtools_program::Vars;
use serde::Deserialize;

use crate::error::ClientError;

/// A server: a command that speaks over its standard streams, or a URL.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Server {
    /// Its name in messages.
    #[serde(default = "nameless")]
    pub(crate) name: String,
    /// The program and its arguments.
    #[serde(default)]
    pub(crate) command: Vec<String>,
    /// Where it answers over HTTP.
    pub(crate) url: Option<String>,
    /// What is sent to the URL besides; `${NAME}` is the value of a variable.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// How many seconds everything together may take.
    timeout: Option<f64>,
}

/// How a server is reached.
pub(crate) enum Way<'s> {
    Command(&'s str, &'s [String]),
    Url(&'s str),
}

fn nameless() -> String {
    "?".to_owned()
}

impl Server {
    /// Reads a description.
    pub(crate) fn read(text: &str) -> Result<Self, ClientError> {
        let server: Self = serde_json::from_str(text)
            .map_err(|error| ClientError::Description(error.to_string()))?;
        server.way().map(|_| ()).map(|()| server)
    }

    pub(crate) fn way(&self) -> Result<Way<'_>, ClientError> {
        match (self.command.split_first(), &self.url) {
            (Some((program, args)), None) => Ok(Way::Command(program, args)),
            (None, Some(url)) => Ok(Way::Url(url)),
            _ => Err(ClientError::Description(
                "it has either `command` or `url`".to_owned(),
            )),
        }
    }

    /// How long everything together may take, unless told otherwise `usual`.
    pub(crate) fn patience(&self, usual: Duration) -> Duration {
        let said = self.timeout.filter(|seconds| *seconds > 0.0);
        let said = said.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        said.unwrap_or(usual)
    }

    /// What is sent to the URL besides, with the values of `vars`.
    pub(crate) fn headers(
        &self,
        vars: &Vars,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ClientError> {
        let header = |(name, value): (&String, &String)| {
            let wrong = || ClientError::Header(self.name.clone(), name.clone());
            let value = self.expand(value, vars)?;
            let name = HeaderName::try_from(name.as_str()).map_err(|_| wrong())?;
            let mut value = HeaderValue::try_from(value).map_err(|_| wrong())?;
            value.set_sensitive(true);
            Ok((name, value))
        };
        self.headers.iter().map(header).collect()
    }

    /// `text` without the values of variables that headers name: a server may
    /// repeat what it was sent.
    pub(crate) fn hushed(&self, text: &str, vars: &Vars) -> String {
        let pieces = self
            .headers
            .values()
            .flat_map(|text| text.split("${").skip(1));
        let names = pieces.filter_map(|piece| Some(piece.split_once('}')?.0));
        let values = names.filter_map(|name| vars.get(std::ffi::OsStr::new(name))?.to_str());
        // Nothing shorter is a secret, and its absence would garble the text.
        let secrets = values.filter(|value| value.len() >= 4);
        secrets.fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }

    /// `text` with the values of the variables that it names.
    fn expand(&self, text: &str, vars: &Vars) -> Result<String, ClientError> {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, after)) = after.split_once('}') else {
                break;
            };
            let value = vars.get(std::ffi::OsStr::new(name));
            let value = value.and_then(|value| value.to_str());
            let missing = || ClientError::Variable(self.name.clone(), name.to_owned());
            expanded.push_str(before);
            expanded.push_str(value.ok_or_else(missing)?);
            rest = after;
        }
        expanded.push_str(rest);
        Ok(expanded)
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
    fn variables_in_headers_have_values() {
        check("Bearer ${TOKEN}", Ok("Bearer t"));
        check("${TOKEN}${TOKEN}${EMPTY}", Ok("tt"));
        check("$TOKEN ${TOKEN", Ok("$TOKEN ${TOKEN"));
        check(
            "${OTHER}",
            Err(
                "the MCP server `s` cannot be asked: a header needs the environment variable OTHER",
            ),
        );
        check(
            "a\nb",
            Err("the MCP server `s` cannot be asked: `A` is no header, or its value cannot be one"),
        );
    }

    #[test]
    fn values_of_headers_are_hushed() {
        let text = r#"{"url": "u", "headers": {"A": "Bearer ${TOKEN}${NO", "B": "${ONE}${NONE}"}}"#;
        let server = Server::read(text).expect("a server");
        let vars = Vars::from([
            ("TOKEN".into(), "s3cr3t".into()),
            ("ONE".into(), "1".into()),
        ]);
        let hushed = server.hushed("no Bearer s3cr3t, s3cr3t of 1", &vars);
        assert_eq!(hushed, "no Bearer ***, *** of 1");
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
