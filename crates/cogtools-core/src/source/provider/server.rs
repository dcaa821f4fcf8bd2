//! A server of the Model Context Protocol as a provider: a program of ours speaks
//! the protocol, and is told which server is meant.
//!
//! So nothing of it is linked into what runs for each call. The description goes
//! into a variable, which other users of the machine cannot read.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::environment::Vars;
use crate::process::Output;
use crate::{Code, Context, Diagnostic, Hint};

/// A server, as the configuration says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// What our program is told of it: JSON with name, command or url, and the rest.
    pub description: String,
    /// How it is reached.
    pub transport: Transport,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// The program and its arguments.
    Command(Vec<String>),
    /// The URL, and the names of the headers that it is sent besides.
    Url(String, Vec<String>),
}

/// What servers find besides the variables that are declared, as other hosts have
/// it: those that are started by package managers need a home.
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
/// What our program itself finds besides where it speaks HTTP: whose certificates
/// it trusts. Whoever sets these means every program.
const TLS_VARS: [&str; 2] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];
/// How much longer our program may take than the server, for it tells more.
const OVERHEAD: Duration = Duration::from_secs(3);

impl Server {
    /// Our program.
    pub const PROGRAM: &'static str = "cogtools-mcp-client";
    /// What has it, under which name.
    const WITHIN: (&str, &str) = ("cogtools", "mcp-client");
    /// The variable with the description.
    pub const VARIABLE: &'static str = "COGTOOLS_MCP_SERVER";
    /// How long declarations are kept unless told otherwise: a day.
    pub const CACHE_TTL: Duration = Duration::from_hours(24);
    /// How long a server may take to declare: its package may have to be fetched.
    pub const LIST_TIMEOUT: Duration = Duration::from_secs(30);

    /// The program and its arguments; empty for one behind a URL.
    pub(super) fn command(&self) -> &[String] {
        match &self.transport {
            Transport::Command(line) => line,
            Transport::Url(..) => &[],
        }
    }

    /// What is asked, in the words of whoever has to allow it.
    pub(super) fn describe(&self) -> Vec<(&'static str, &[String])> {
        match &self.transport {
            Transport::Command(line) => vec![("starts", line)],
            Transport::Url(url, headers) => {
                vec![("asks", std::slice::from_ref(url)), ("sends", headers)]
            }
        }
    }

    /// The file that our program is in, and the word that makes it our program: not
    /// every installation has a link that is named for it.
    pub(super) fn program(cx: &Context) -> Option<(PathBuf, &'static str)> {
        let (name, word) = Self::WITHIN;
        let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let file = cx.programs.as_ref()?.join(name);
        file.is_file().then_some((file, word))
    }

    /// Adds to `variables` what it needs besides.
    pub(super) fn add_to(&self, variables: &mut Vars, cx: &Context) {
        let ours: &[&str] = match self.transport {
            Transport::Command(_) => &[],
            Transport::Url(..) => &TLS_VARS,
        };
        for name in INHERITED_VARS.iter().chain(ours) {
            if let Some(value) = cx.environment.process().get(OsStr::new(name)) {
                let name = OsString::from(name);
                variables.entry(name).or_insert_with(|| value.clone());
            }
        }
        variables.insert(Self::VARIABLE.into(), self.description.clone().into());
    }

    /// The time our program has for what a server has `time` for.
    pub(crate) const fn client_timeout(time: Duration) -> Duration {
        time.saturating_add(OVERHEAD)
    }
}

/// What our program said on standard error, which is one fault as JSON.
pub(super) fn parse_client_error(output: &Output) -> Option<Diagnostic> {
    let value: Value = serde_json::from_slice(output.stderr.bytes.trim_ascii()).ok()?;
    let word = |key: &str| value.get(key).and_then(Value::as_str);
    let code = Code::ALL
        .into_iter()
        .find(|code| Some(code.name()) == word("code"))?;
    let mut diagnostic = Diagnostic::new(code, word("message")?);
    let details = word("details").unwrap_or_default();
    details.clone_into(&mut diagnostic.details);
    let hints = value.get("hints").and_then(Value::as_array);
    let hints = hints.into_iter().flatten().filter_map(Value::as_str);
    diagnostic.hints = hints.map(Hint::from).collect();
    Some(diagnostic)
}
