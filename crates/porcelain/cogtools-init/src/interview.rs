//! The questions of `init` at a terminal, and the command line with the same result.

use std::path::Path;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use cogtools_edit::host::McpHost;
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

/// The answers, as options of the command line.
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub(crate) struct Answers {
    /// Host to configure; can be given several times
    #[arg(id = "host", long, value_name = "HOST", value_delimiter = ',', value_parser = host())]
    #[arg(default_value = "gemini")]
    pub(crate) hosts: Vec<Host>,
    /// Use the tools of installed packages, too: `node_modules` in a new .cogtoolrc.yaml
    #[arg(long)]
    pub(crate) packages: bool,
    /// Write the table of tools into GEMINI.md, CLAUDE.md or AGENTS.md, as the hosts read
    #[arg(long)]
    pub(crate) docs: bool,
    /// Also renew that table: with a script of package.json, or before each commit
    #[arg(
        id = "docs-refresh",
        long,
        value_name = "WHAT",
        requires = "docs",
        value_enum
    )]
    pub(crate) refresh: Option<Refresh>,
}

fn host() -> impl TypedValueParser<Value = Host> {
    PossibleValuesParser::new(Host::all().into_iter().map(Host::name)).try_map(|name| {
        let mut all = Host::all().into_iter();
        all.find(|host| host.name() == name).ok_or("unknown host")
    })
}

impl Answers {
    /// Leaves out hosts that were named before.
    pub(crate) fn deduplicate(&mut self) {
        let mut known = Vec::new();
        self.hosts.retain(|host| {
            let is_new = !known.contains(host);
            known.push(*host);
            is_new
        });
    }

    /// Asks what is not certain; `self` has the default answers.
    pub(crate) fn ask(
        self,
        prompt: &Prompt,
        survey: &Survey,
        root: &Path,
    ) -> Result<Self, Failure> {
        let all = Host::all();
        let options: Vec<String> = all
            .iter()
            .map(|host| format!("{}: {}", host.name(), title(*host)))
            .collect();
        let is_default = |index: &usize| self.hosts.contains(&all[*index]);
        let defaults: Vec<usize> = (0..all.len()).filter(is_default).collect();
        let question = "Which hosts should have the tools of this directory?";
        let chosen = prompt.select_many(question, &options, &defaults)?;
        let hosts: Vec<Host> = chosen.into_iter().map(|index| all[index]).collect();
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
            line.push_str(&refresh.name());
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
fn title(host: Host) -> String {
    let title = match host {
        Host::Gemini => "Gemini CLI, as its version does best",
        Host::GeminiCommands => "Gemini CLI, with commands",
        Host::GeminiMcp => "Gemini CLI, over MCP",
        Host::GeminiExtension => "an extension of Gemini CLI",
        Host::Client(key) => {
            let title = |host: McpHost| {
                [host.name, if host.is_users() { ", for you" } else { "" }].concat()
            };
            return McpHost::of_key(key).map_or_else(String::new, title);
        }
        Host::Agents => "agents that read AGENTS.md and .agents/skills",
    };
    title.to_owned()
}
