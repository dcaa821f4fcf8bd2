//! The settings of a provider, as configured.

use std::time::Duration;

use super::Server;
use crate::digest;
use crate::sandbox::Sandbox;

/// The settings of a provider, as configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The provider's name in messages and as a toolset.
    pub name: String,
    /// The discovery command: a program and its arguments.
    pub discover: Vec<String>,
    /// The call command: a program and its arguments; the name of the tool is added at
    /// the end.
    pub call: Vec<String>,
    /// The prefix of its tools' names here, which the provider does not know.
    pub prefix: String,
    /// The environment variables that it may see.
    pub env: Vec<String>,
    /// How long its discovery and a call may take.
    pub timeout: Option<Duration>,
    /// How long a list waits for its declarations.
    pub wait: Option<Duration>,
    /// How long a session with it stays open without a request.
    pub idle: Option<Duration>,
    /// How long its declarations may be cached on disk.
    pub cache: Option<Duration>,
    /// Whether the user has named it, rather than the author of the project.
    pub user_configured: bool,
    /// Whether the user wants it to start in the project, where it may run the project's
    /// code. Providers that the project names always do.
    pub in_project: bool,
    /// What its programs may reach, if the configuration says so.
    pub sandbox: Option<Sandbox>,
    /// Its digest as text, for approvals.
    pub(crate) sandbox_digest: Option<String>,
    /// The MCP server, if it is one.
    pub server: Option<Server>,
}

impl Settings {
    /// How long a list waits for its declarations by default. With the time to end a program,
    /// a list takes less than two seconds.
    pub const LIST_WAIT: Duration = Duration::from_millis(1500);

    /// Whether it starts outside the project, and cannot run its code by name.
    pub(crate) const fn is_neutral(&self) -> bool {
        self.user_configured && !self.in_project
    }

    /// Everything that approval covers: the command lines, and the variables they see.
    pub(crate) fn approved_parts(&self) -> Vec<&[String]> {
        let mut lines = vec![self.discover.as_slice(), &self.call, &self.env];
        if let Some(server) = &self.server {
            lines.push(std::slice::from_ref(&server.description));
            lines.push(server.command());
        }
        // A provider without one keeps its approval.
        lines.extend(self.sandbox_digest.as_ref().map(std::slice::from_ref));
        if self.user_configured && self.in_project {
            // Approval of a provider that starts elsewhere does not cover this.
            lines.push(&[]);
        }
        lines
    }

    /// Sets what its programs may reach.
    pub(crate) fn set_sandbox(&mut self, sandbox: Option<Sandbox>) {
        let digest = |sandbox: &Sandbox| format!("sandbox {}", digest::value(&sandbox.to_json()));
        self.sandbox_digest = sandbox.as_ref().map(digest);
        self.sandbox = sandbox;
    }

    /// The command lines that run programs of its own.
    pub fn lines(&self) -> Vec<&[String]> {
        match &self.server {
            Some(server) => vec![server.command()],
            None => vec![&self.discover, &self.call],
        }
    }

    /// The command lines and addresses that it uses and the variables it sees, each
    /// with a label: what the user reviews before approval.
    pub fn describe(&self) -> Vec<(&'static str, &[String])> {
        let mut runs = match &self.server {
            Some(server) => server.describe(),
            None => vec![("discover", &*self.discover), ("call", &*self.call)],
        };
        runs.push(("sees", &self.env));
        runs.retain(|(_, values)| !values.is_empty());
        runs
    }

    /// How long a list waits for its declarations.
    pub(crate) fn list_wait(&self) -> Duration {
        self.wait.unwrap_or(Self::LIST_WAIT)
    }

    /// How long one run may take, `default` unless configured.
    pub(crate) fn timeout_or(&self, default: Duration) -> Duration {
        let time = self.timeout.unwrap_or(default);
        if self.server.is_some() {
            Server::client_timeout(time)
        } else {
            time
        }
    }
}
