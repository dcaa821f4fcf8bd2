//! An MCP server as a provider: a separate program speaks the protocol, and receives
//! the description of the server.
//!
//! So no client code is linked into the programs that run for each call. The
//! description is passed in a variable, because other users of the machine can read
//! command lines.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::Context;
use crate::environment::Vars;

/// An MCP server, as configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its description for the client: JSON with name, command or url, and the other
    /// settings.
    pub description: String,
    /// Its transport.
    pub transport: Transport,
}

/// The transport of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// The program and its arguments.
    Command(Vec<String>),
    /// The URL, and the names of the additional headers.
    Url(String, Vec<String>),
}

/// Variables that servers inherit in addition to the declared ones, as in other hosts:
/// servers started by package managers need a home directory.
const INHERITED_VARS: &[&str] = if cfg!(windows) {
    &[
        "APPDATA",
        "LOCALAPPDATA",
        "USERPROFILE",
        "USERNAME",
        "HOMEDRIVE",
        "HOMEPATH",
    ]
} else {
    &["HOME", "USER", "LOGNAME"]
};
/// Variables that the client itself inherits for HTTP: which certificates to trust,
/// and which proxies to use. They are set for every program on the system.
const HTTP_VARS: [&str; 9] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "http_proxy",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
];
/// Variables that say where the client finds the tokens of logins: in the user's state, or in the
/// keyring of the session.
const LOGIN_VARS: [&str; 3] = [
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];
/// How much longer the client may take than the server, so that it can report a
/// timeout.
const OVERHEAD: Duration = Duration::from_secs(3);

impl Server {
    /// The client.
    pub const PROGRAM: &'static str = "cogtools-mcp-client";
    /// The program that contains the client, and the subcommand.
    const EXECUTABLE: (&str, &str) = ("cogtools", "mcp-client");
    /// The variable with the description.
    pub const VARIABLE: &'static str = "COGTOOLS_MCP_SERVER";
    /// The default lifetime of cached declarations: a day.
    pub const CACHE_TTL: Duration = Duration::from_hours(24);
    /// How long a session stays open without a request by default: a quarter of an hour.
    pub const IDLE: Duration = Duration::from_mins(15);
    /// The timeout of discovery: the server's package may have to be downloaded.
    pub const LIST_TIMEOUT: Duration = Duration::from_secs(30);

    /// The program and its arguments; empty for a server behind a URL.
    pub(crate) fn command(&self) -> &[String] {
        match &self.transport {
            Transport::Command(line) => line,
            Transport::Url(..) => &[],
        }
    }

    /// Its description for the client, with another command line.
    pub(super) fn description_with(&self, line: &[String]) -> String {
        let mut description: Value = serde_json::from_str(&self.description).unwrap_or_default();
        description["command"] = line.into();
        description.to_string()
    }

    /// What it runs or connects to, as shown to the user before approval.
    pub(super) fn describe(&self) -> Vec<(&'static str, &[String])> {
        match &self.transport {
            Transport::Command(line) => vec![("starts", line)],
            Transport::Url(url, headers) => {
                vec![("asks", std::slice::from_ref(url)), ("sends", headers)]
            }
        }
    }

    /// The program file that contains the client, and its subcommand: not every
    /// installation has a link with the client's name.
    pub(super) fn program(cx: &Context) -> Option<(PathBuf, &'static str)> {
        let (name, subcommand) = Self::EXECUTABLE;
        let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let file = cx.programs.as_ref()?.join(name);
        file.is_file().then_some((file, subcommand))
    }

    /// Adds the variables that the client and the server need to `variables`.
    pub(super) fn add_to(&self, variables: &mut Vars, cx: &Context) {
        let ours: &[&[&str]] = match self.transport {
            Transport::Command(_) => &[],
            Transport::Url(..) => &[&HTTP_VARS, &LOGIN_VARS],
        };
        // A project's `.env` decides neither whom they trust nor where their files are.
        let names = INHERITED_VARS.iter().chain(ours.iter().copied().flatten());
        for (name, value) in cx.environment.user_vars(names.copied()) {
            variables.entry(name).or_insert(value);
        }
        variables.insert(Self::VARIABLE.into(), self.description.clone().into());
    }

    /// The timeout of the client when the server has `time`.
    pub(crate) const fn client_timeout(time: Duration) -> Duration {
        time.saturating_add(OVERHEAD)
    }
}
