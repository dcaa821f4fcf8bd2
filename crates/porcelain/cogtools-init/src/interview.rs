//! The questions of `init` at a terminal, and the command line with the same result.

use std::path::Path;

use cogtools_program::call::quote;
use cogtools_program::questions::Prompt;
use cogtools_program::{Failure, Io};

use crate::host::Host;
use crate::refresh::Refresh;
use crate::setup_context::SetupContext;
use crate::survey::Survey;
use crate::{documents, gemini};

/// A section of the man page.
pub(crate) const MANUAL: &str = "At a terminal, unless --defaults or --non-interactive is given, questions \
with arrow keys ask for the hosts; if installed packages have tools, whether to use them; and if a document for \
models has no table of the tools, whether to write it, and what renews it. The changes are shown before anything is written, and afterwards the command line with the same \
result. Escape or Ctrl-C writes nothing. Without a terminal, nothing is asked.";

/// The answers.
#[derive(Clone, Debug)]
pub(crate) struct Answers {
    pub(crate) hosts: Vec<Host>,
    /// True if the configuration names `node_modules`.
    pub(crate) packages: bool,
    /// True if the documents of the hosts get the table of tools.
    pub(crate) docs: bool,
    /// The script or hook that renews that table.
    pub(crate) refresh: Option<Refresh>,
}

impl Answers {
    /// Asks what is not certain; `self` has the default answers.
    pub(crate) fn ask(
        self,
        prompt: &Prompt,
        survey: &Survey,
        root: &Path,
    ) -> Result<Self, Failure> {
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
        let hosts: Vec<Host> = chosen.into_iter().map(|index| Host::ALL[index].1).collect();
        let packages = match &survey.unused {
            Some(unused) if survey.creates_configuration => {
                let names = unused.names.join(", ");
                prompt.confirm(&format!("Use the tools of the packages {names}, too?"))?
            }
            _ => self.packages,
        };
        let documents = documents::without_table(&hosts, survey).join(" and ");
        let question = format!("Write the table of tools into {documents}?");
        let docs = self.docs || !documents.is_empty() && prompt.confirm(&question)?;
        let refresh = match self.refresh {
            None if docs => ask_refresh(prompt, root)?,
            refresh => refresh,
        };
        Ok(Self {
            hosts,
            packages,
            docs,
            refresh,
        })
    }

    /// The answers with the connection of Gemini CLI that `gemini` means here.
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
        if self.docs {
            line.push_str(" --docs");
        }
        if let Some(refresh) = self.refresh {
            line.push_str(" --docs-refresh ");
            line.push_str(refresh.name());
        }
        line
    }
}

/// Asks what renews the table, if something can. Nothing does unless it is chosen.
fn ask_refresh(prompt: &Prompt, root: &Path) -> Result<Option<Refresh>, Failure> {
    let possible = Refresh::possible(root);
    if possible.is_empty() {
        return Ok(None);
    }
    let mut options = vec!["only when I run cogtools docs".to_owned()];
    options.extend(possible.iter().map(|one| one.title().to_owned()));
    let index = prompt.select("When should the table be renewed?", &options)?;
    Ok(index.checked_sub(1).map(|index| possible[index]))
}

/// An explanation of the host.
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
        Host::OpenCode => "opencode",
        Host::Qwen => "Qwen Code",
        Host::Copilot => "GitHub Copilot CLI",
        Host::Goose => "Goose, for you",
        Host::Crush => "Crush",
        Host::Zed => "Zed",
        Host::Antigravity => "Antigravity",
    }
}
