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
    pub own: bool,
    /// The MCP server that it is, if it is one.
    pub server: Option<Server>,
}

impl Settings {
    /// The command lines that are run of what others have written.
    pub(super) fn lines(&self) -> Vec<&[String]> {
        let server = self.server.iter().flat_map(|server| {
            let description = std::slice::from_ref(&server.description);
            [description, server.line.as_slice(), &self.env]
        });
        let lines = [self.discover.as_slice(), &self.call];
        lines.into_iter().chain(server).collect()
    }

    /// How long one run may take, unless told otherwise `usual`.
    pub(crate) fn time(&self, usual: Duration) -> Duration {
        let time = self.timeout.unwrap_or(usual);
        if self.server.is_some() {
            Server::patience(time)
        } else {
            time
        }
    }
}
