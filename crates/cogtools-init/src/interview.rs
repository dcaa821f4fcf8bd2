//! The questions of `init` at a terminal, and the command line with the same result.

use cogtools_program::call::quote;
use cogtools_program::{Failure, Io};
use cogtools_prompt::Prompt;

use crate::gemini;
use crate::host::Host;
use crate::setup_context::SetupContext;
use crate::survey::Survey;

/// A section of the man page.
pub(crate) const MANUAL: &str = "At a terminal, unless --defaults or --non-interactive is given, questions \
with arrow keys ask for the hosts and, if installed packages have tools, whether to use them. The \
changes are shown before anything is written, and afterwards the command line with the same \
result. Escape or Ctrl-C writes nothing. Without a terminal, nothing is asked.";

/// The answers.
#[derive(Clone, Debug)]
pub(crate) struct Answers {
    pub(crate) hosts: Vec<Host>,
    /// Whether the configuration names `node_modules`.
    pub(crate) packages: bool,
}

impl Answers {
    /// Asks what is not certain; `self` has the default answers.
    pub(crate) fn ask(self, prompt: &Prompt, survey: &Survey) -> Result<Self, Failure> {
        let options: Vec<String> = Host::ALL
            .iter()
            .map(|(name, host)| format!("{name}: {}", title(*host)))
            .collect();
        let is_default = |host: &Host| self.hosts.contains(host);
        let defaults: Vec<usize> = Host::ALL
            .iter()
            .enumerate()
            .filter(|(_, (_, host))| is_default(host))
            .map(|(index, _)| index)
            .collect();
        let question = "Which hosts should have the tools of this directory?";
        let chosen = prompt.select_many(question, &options, &defaults)?;
        let hosts = chosen.into_iter().map(|index| Host::ALL[index].1).collect();
        let packages = match &survey.unused {
            Some(unused) if survey.creates_configuration => {
                let names = unused.names.join(", ");
                prompt.confirm(&format!("Use the tools of the packages {names}, too?"))?
            }
            _ => self.packages,
        };
        Ok(Self { hosts, packages })
    }

    /// The same with the connection of Gemini CLI that `gemini` means here.
    pub(crate) fn resolve(self, cx: &SetupContext, io: &Io<'_>) -> Result<Self, Failure> {
        let hosts = gemini::resolve(self.hosts, cx, &io.vars).map_err(|diagnostic| *diagnostic)?;
        Ok(Self { hosts, ..self })
    }

    /// The command line that gives these answers, with the `name` of the server.
    pub(crate) fn command(&self, name: Option<&str>) -> String {
        let hosts: Vec<&str> = self.hosts.iter().map(|host| host.name()).collect();
        let mut line = format!("cogtools init --defaults --host {}", hosts.join(","));
        if let Some(name) = name {
            line.push_str(" --name ");
            line.push_str(&quote(name));
        }
        if self.packages {
            line.push_str(" --packages");
        }
        line
    }
}

/// What it is, for those who do not know its name here.
const fn title(host: Host) -> &'static str {
    match host {
        Host::Gemini => "Gemini CLI, as its version does best",
        Host::GeminiCommands => "Gemini CLI, with commands",
        Host::GeminiMcp => "Gemini CLI, over MCP",
        Host::GeminiExtension => "an extension of Gemini CLI",
        Host::ClaudeCode => "Claude Code",
        Host::ClaudeDesktop => "Claude Desktop, for you",
        Host::Cursor => "Cursor",
        Host::VsCode => "Visual Studio Code",
        Host::Codex => "Codex, for you",
    }
}
