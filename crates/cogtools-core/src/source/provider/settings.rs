//! How a provider is asked, as the configuration says it.

use std::time::Duration;

use super::Server;

/// How a provider is asked, as the configuration says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The provider's name in messages and as a toolset.
    pub name: String,
    /// The program, and its arguments, that declares.
    pub discover: Vec<String>,
    /// The program, and its arguments, that calls the tool whose name comes last.
    pub call: Vec<String>,
    /// What its tools' names begin with here, and not for the provider.
    pub prefix: String,
    /// The environment variables that it may see.
    pub env: Vec<String>,
    /// How long it may take to declare, and to answer.
    pub timeout: Option<Duration>,
    /// How long its declarations may be kept on disk.
    pub cache: Option<Duration>,
    /// Whether whoever runs us has named it, and not whoever wrote the project.
    pub user_configured: bool,
    /// The MCP server that it is, if it is one.
    pub server: Option<Server>,
}

impl Settings {
    /// All that the user's word is about: the command lines, and what they may see.
    pub(crate) fn approved_parts(&self) -> Vec<&[String]> {
        let mut lines = vec![self.discover.as_slice(), &self.call, &self.env];
        if let Some(server) = &self.server {
            lines.push(std::slice::from_ref(&server.description));
            lines.push(server.command());
        }
        lines
    }

    /// What of others it runs or asks, and what that may see, each with what it is:
    /// what has to be looked at before it is allowed.
    pub fn describe(&self) -> Vec<(&'static str, &[String])> {
        let mut runs = match &self.server {
            Some(server) => server.describe(),
            None => vec![("discover", &*self.discover), ("call", &*self.call)],
        };
        runs.push(("sees", &self.env));
        runs.retain(|(_, words)| !words.is_empty());
        runs
    }

    /// How long one run may take, unless told otherwise `usual`.
    pub(crate) fn timeout_or(&self, usual: Duration) -> Duration {
        let time = self.timeout.unwrap_or(usual);
        if self.server.is_some() {
            Server::client_timeout(time)
        } else {
            time
        }
    }
}
