//! The connection of Gemini CLI to the tools: the one in its settings, or else the best for
//! its version.

use cogtools_core::{Code, Diagnostic};
use cogtools_edit::host::settings::Settings;
use cogtools_edit::host::{Connection, Paths, Vars, Version, install};

use crate::host::Host;
use crate::setup_context::SetupContext;

/// `hosts` with the connection that `gemini` means here. With two connections Gemini CLI
/// would declare every tool twice, so only a command line that names both makes both.
pub(crate) fn resolve(
    hosts: Vec<Host>,
    cx: &SetupContext,
    vars: &Vars,
) -> Result<Vec<Host>, Box<Diagnostic>> {
    let settings = Settings::read(&Paths::new(&cx.root, vars), vars);
    let present = Connection::of_settings(&settings);
    let wants = |host: Host| hosts.contains(&host);
    match (wants(Host::GeminiCommands), wants(Host::GeminiMcp)) {
        (true, false) if present == [Connection::Server] => return Err(second(Host::GeminiMcp)),
        (false, true) if present == [Connection::Commands] => {
            return Err(second(Host::GeminiCommands));
        }
        _ => {}
    }
    let chosen = [Host::GeminiCommands, Host::GeminiMcp]
        .into_iter()
        .find(|host| wants(*host));
    let chosen = chosen.unwrap_or_else(|| match present.first() {
        Some(connection) => host(*connection),
        None => host(Connection::recommended(
            version(cx, vars).unwrap_or(Version::KNOWN),
        )),
    });
    let mut resolved = Vec::new();
    for host in hosts {
        let host = if host == Host::Gemini { chosen } else { host };
        if !resolved.contains(&host) {
            resolved.push(host);
        }
    }
    Ok(resolved)
}

/// The warning that `hosts` connect Gemini CLI in two ways.
pub(crate) fn duplicate(hosts: &[Host]) -> Option<Diagnostic> {
    let both = [Host::GeminiCommands, Host::GeminiMcp];
    let message = "Gemini CLI will declare every tool twice: by its commands and by the MCP server";
    both.iter().all(|host| hosts.contains(host)).then(|| {
        Diagnostic::new(Code::InvalidConfig, message)
            .with_subject(Paths::settings().display().to_string())
            .hint("keep one: --host gemini-mcp for version 0.35 and later, else --host gemini-commands")
    })
}

const fn host(connection: Connection) -> Host {
    match connection {
        Connection::Commands => Host::GeminiCommands,
        Connection::Server => Host::GeminiMcp,
    }
}

/// The version of the `gemini` that starts here: on `PATH`, in `node_modules` or in npx's cache.
fn version(cx: &SetupContext, vars: &Vars) -> Option<Version> {
    let mut installations = install::find(&cx.root, vars).into_iter();
    installations.find_map(|found| found.version)
}

/// The advice for settings that were chosen without a `gemini` to look at.
pub(crate) fn assumption(cx: &SetupContext, hosts: &[Host], vars: &Vars) -> &'static str {
    if !hosts.contains(&Host::GeminiMcp) || version(cx, vars).is_some() {
        return "";
    }
    ASSUMPTION
}

const ASSUMPTION: &str = "\
- no gemini was found, so its settings are for version 0.35 or later; an older one
  shows tools without their parameters: for that,
  cogtools init --host gemini-commands in a new project
";

/// The error of a command line that would add a second connection to `present`.
fn second(present: Host) -> Box<Diagnostic> {
    let (what, remove) = match present {
        Host::GeminiMcp => (
            "start the MCP server of cogtools",
            "its entry in `mcpServers`",
        ),
        _ => (
            "name the commands of cogtools",
            "`tools`, `toolDiscoveryCommand` and `toolCallCommand`",
        ),
    };
    let message = format!("the settings already {what}: Gemini CLI would declare every tool twice");
    Box::new(
        Diagnostic::new(Code::InvalidConfig, message)
            .with_subject(Paths::settings().display().to_string())
            .hint(format!("remove {remove} first"))
            .hint("or name both: --host gemini-commands,gemini-mcp")
            .hint("no file was written"),
    )
}
