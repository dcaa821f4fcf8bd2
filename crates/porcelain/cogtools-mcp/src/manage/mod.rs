//! `cogtools mcp add`, `remove`, `list`, `test` and `import`: the MCP servers that are sources.

mod foreign;
mod import;

use std::fmt::Write as _;
#[cfg(unix)]
use std::path::PathBuf;
#[cfg(unix)]
use std::time::Duration;

use clap::{Args, Subcommand};
use cogtools_core::approval::{Kind, TrustableSource, trustable_sources};
use cogtools_core::sandbox::{Denial, Sandbox};
use cogtools_core::source::{Provider, RemoteTool, Transport};
use cogtools_core::tool::Author;
use cogtools_core::{Code, Config, Context, Diagnostic, Hint, Origin, Project, Source, Tool};
use cogtools_edit::{ConfigChange, ConfigFile, ConfigFileError};
use cogtools_program::args::RegistryArgs;
use cogtools_program::call::quote;
use cogtools_program::dirs::config_paths;
use cogtools_program::project::{cancellable_context, config, project, registry};
use cogtools_program::terminal::{Column, Stream, Table, pluralize, sanitize, sanitize_lines};
use cogtools_program::{Failure, Io};
use serde_json::{Map, Value, json};

use foreign::Imported;
use import::{ImportArgs, import, keep};

/// The key of the configuration.
const KEY: &str = "mcpServers";

/// Commands for the servers that are sources.
#[derive(Subcommand)]
pub(crate) enum ServersCommand {
    /// Add a server: start it once in its sandbox, show its tools, ask, and approve it
    Add(AddArgs),
    /// Remove a server, its approval and its secrets
    Remove {
        /// Its name
        name: String,
        #[command(flatten)]
        layer: LayerArg,
    },
    /// List the servers of the project and of the user
    List,
    /// Start a server now, and list its tools, or say why there are none
    Test {
        /// Its name
        name: String,
    },
    /// Take over the servers of another host
    Import(ImportArgs),
    /// Serve as the daemon of `--daemon`, which starts it
    #[cfg(unix)]
    #[command(hide = true)]
    Daemon {
        /// Its socket
        socket: PathBuf,
        /// The seconds without a client after which it ends
        idle: u64,
    },
}

/// Options of `add`.
#[derive(Args)]
pub(crate) struct AddArgs {
    /// Its name
    name: String,
    /// Its URL, if it is not started here
    #[arg(long, conflicts_with = "command", required_unless_present = "command")]
    url: Option<String>,
    /// A header for the URL; may be repeated
    #[arg(long, value_name = "NAME: VALUE", conflicts_with = "command")]
    header: Vec<String>,
    /// A variable that it sees, with its value or from the environment; may be repeated
    #[arg(long, value_name = "NAME[=VALUE]")]
    env: Vec<String>,
    /// A file or a folder that it may read, ~/ is your home; may be repeated
    #[arg(long, value_name = "PATH", conflicts_with = "url")]
    read: Vec<String>,
    /// A file or a folder that it may write; may be repeated
    #[arg(long, value_name = "PATH", conflicts_with = "url")]
    write: Vec<String>,
    #[command(flatten)]
    layer: LayerArg,
    /// Start, write and approve without a question
    #[arg(long)]
    yes: bool,
    /// The program and its arguments, after --
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// The file to change.
#[derive(Args, Clone, Copy)]
pub(crate) struct LayerArg {
    /// Use your own configuration, for all projects
    #[arg(long)]
    user: bool,
}

impl LayerArg {
    /// Opens the file.
    fn file(self, project: &Project, io: &Io<'_>) -> Result<ConfigFile, Failure> {
        let file = if self.user {
            let path = config_paths(io).home_file().ok_or(ConfigFileError::NoHome);
            path.and_then(|path| ConfigFile::home(&path))
        } else {
            ConfigFile::project(project)
        };
        file.map_err(failure)
    }
}

/// Runs the command.
pub(crate) fn run(command: &ServersCommand, io: &mut Io<'_>) -> Result<(), Failure> {
    match command {
        ServersCommand::Add(args) => add(args, io),
        ServersCommand::Remove { name, layer } => remove(name, *layer, io),
        ServersCommand::List => list(io),
        ServersCommand::Test { name } => test(name, io),
        ServersCommand::Import(args) => import(args, io),
        #[cfg(unix)]
        ServersCommand::Daemon { socket, idle } => {
            crate::daemon::serve(socket, Duration::from_secs(*idle), io)
        }
    }
}

fn failure(error: ConfigFileError) -> Failure {
    error.diagnostics().into()
}

fn usage(subject: &str, message: &str) -> Diagnostic {
    Diagnostic::new(Code::Usage, message).with_subject(subject)
}

/// Asks `question`, unless `yes` has answered it.
///
/// # Errors
/// There is no terminal to ask at.
fn agrees(question: &str, yes: bool, io: &mut Io<'_>) -> Result<bool, Failure> {
    if yes {
        return Ok(true);
    }
    if !io.is_person() {
        let message = "nothing was written: there is no terminal to ask at";
        let hint = "review what is shown, and repeat the command with --yes";
        return Err(Diagnostic::new(Code::Denied, message).hint(hint).into());
    }
    let answer = io.ask(question, "answer with --yes")?;
    Ok(answer.is_some_and(|answer| matches!(answer.as_str(), "y" | "yes")))
}

/// A line that says where the secrets of a server are, if it has some.
fn kept(imported: &Imported, in_keyring: bool) -> String {
    let names: Vec<&str> = imported.secrets.keys().map(String::as_str).collect();
    if names.is_empty() {
        return String::new();
    }
    let place = if in_keyring {
        "the keyring"
    } else {
        "a file that only you can read"
    };
    format!("kept in {place}: {}\n", names.join(", "))
}

impl AddArgs {
    /// The entry that the command line describes.
    fn entry(&self) -> Result<Imported, Failure> {
        let split = |text: &str, at: char| match text.split_once(at) {
            Some((name, value)) => (name.trim().to_owned(), value.trim().to_owned()),
            None => (text.to_owned(), format!("${{{text}}}")),
        };
        let env: Map<String, Value> = self.env.iter().map(|it| split(it, '=')).map(text).collect();
        let headers = self.header.iter().map(|it| split(it, ':')).map(text);
        let headers: Map<String, Value> = headers.collect();
        let value = match &self.url {
            Some(url) => json!({"url": url, "headers": headers, "env": env}),
            None => json!({"command": self.command, "env": env}),
        };
        // Every name is accepted here, and checked with the configuration.
        let imported = Imported::of(&self.name, &value, None);
        let mut imported =
            imported.ok_or_else(|| usage(&self.name, "it has neither a program nor a URL"))?;
        if let Some(left_out) = imported.left_out.first() {
            let variable = left_out.trim_start_matches("env.");
            let message = format!("`{variable}` is not the name of a variable");
            return Err(usage(&self.name, &message).into());
        }
        for (key, paths) in [("read", &self.read), ("write", &self.write)] {
            for path in paths {
                let path = path.clone();
                Denial { key, path }.permit(&mut imported.entry);
            }
        }
        Ok(imported)
    }
}

fn text((name, value): (String, String)) -> (String, Value) {
    (name, value.into())
}

/// Adds a server.
fn add(args: &AddArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let (name, project) = (args.name.as_str(), project(io));
    let file = args.layer.file(&project, io)?;
    if name.is_empty() || name.contains(':') {
        return Err(usage(name, "not a name: it is empty or has a colon").into());
    }
    if file.value(&[KEY, name]).map_err(failure)?.is_some() {
        let diagnostic = usage(name, "there is a server of that name");
        let hint = format!("cogtools mcp remove {} removes it", quote(name));
        return Err(diagnostic.hint(hint).into());
    }
    let root = (!args.layer.user).then(|| project.root());
    let cx = cx(&project, io)?;
    let mut candidate = Candidate {
        name,
        project: &project,
        origin: file.origin(),
        imported: args.entry()?,
    };
    candidate.server()?;
    let in_keyring = keep(name, Some(&candidate.imported), root, io)?;
    let added = candidate.try_out(args.yes, &cx, io).and_then(|tools| {
        let Some(tools) = tools else { return Ok(()) };
        let value = json!(candidate.imported.entry);
        let change = file
            .plan_set(&project, &[KEY, name], &value)
            .map_err(failure)?;
        io.show(&format!("{tools}{}", sanitize_lines(&change.preview())))?;
        if agrees("Add it, to run as shown? [y/N] ", args.yes, io)? {
            write_and_approve(change, &candidate.server()?, io)?;
            io.show(&kept(&candidate.imported, in_keyring))?;
        }
        Ok(())
    });
    let file = args.layer.file(&project, io)?;
    if file.value(&[KEY, name]).map_err(failure)?.is_none() {
        keep(name, None, root, io)?;
    }
    added
}

/// The number of starts of a server that is added: one that names another file each time ends here.
const MAX_STARTS: usize = 8;

/// A server that is not added yet.
struct Candidate<'c> {
    name: &'c str,
    project: &'c Project,
    origin: Origin,
    imported: Imported,
}

impl Candidate<'_> {
    /// The server, as the configuration would have it.
    fn server(&self) -> Result<Provider, Failure> {
        let entry = json!(self.imported.entry);
        let server = Config::server(self.project, self.name, &entry, self.origin.clone())?;
        server.ok_or_else(|| usage(self.name, "it is disabled").into())
    }

    /// Starts it until it lists its tools, and describes both; nothing if the user does not
    /// permit what its sandbox has denied. What is permitted is added to the entry.
    fn try_out(
        &mut self,
        yes: bool,
        cx: &Context,
        io: &mut Io<'_>,
    ) -> Result<Option<String>, Failure> {
        let mut starts = 0;
        loop {
            starts += 1;
            let server = self.server()?;
            if io.is_person() {
                io.say(&format!("Starting {}", sanitize(self.name)));
            }
            let error = match server.try_out(cx) {
                Ok(tools) => {
                    let names = names_beside_others(&server, &tools, io)?;
                    let (count, names) = (pluralize(names.len(), "tool"), names.join(", "));
                    let described = describe(&server, cx);
                    return Ok(Some(format!("{described}{count}: {}\n", sanitize(&names))));
                }
                Err(error) => error.diagnostic(),
            };
            let denial = server.denial(&error.details, cx);
            if denial.is_none()
                && let Some(hint) = variable_hint(&server, &error, cx)
            {
                return Err(error.hint(hint).into());
            }
            // It may have said nothing.
            let denial = denial.or_else(|| server.trace_trial(cx));
            let permitted =
                denial.filter(|it| starts < MAX_STARTS && it.permit(&mut self.imported.entry));
            let Some(denial) = permitted else {
                let hint = "its sandbox may be why: --read PATH and --write PATH permit more";
                let may_be_denied = matches!(error.code, Code::ToolFailed | Code::Timeout);
                let is_confined = may_be_denied && server.effective_sandbox(cx).is_some();
                return Err(if is_confined { error.hint(hint) } else { error }.into());
            };
            let described = describe(&self.server()?, cx);
            let action = denial.action();
            let action = sanitize(&action);
            io.show(&format!(
                "its sandbox denied {action}; with it:\n{described}"
            ))?;
            if !agrees("Permit it, and start again? [y/N] ", yes, io)? {
                return Ok(None);
            }
        }
    }
}

/// Returns the names that `tools` get: `server` comes last, or after the other sources of the user.
fn names_beside_others(
    server: &Provider,
    tools: &[RemoteTool],
    io: &Io<'_>,
) -> Result<Vec<String>, Failure> {
    let registry = registry(&RegistryArgs::default(), io, None)?;
    let taken = registry.map(|tool| {
        let is_before = |tool: &Tool| {
            !server.settings().user_configured || tool.provenance.author == Author::User
        };
        tool.ok()
            .filter(is_before)
            .map(|tool| tool.name().to_string())
    });
    let name = |tool: &RemoteTool| {
        let is_taken = taken.items.iter().flatten().any(|it| *it == tool.name);
        let named = if is_taken {
            tool.beside()
        } else {
            tool.clone()
        };
        named.name
    };
    Ok(tools.iter().map(name).collect())
}

/// The hint to a variable that `server` lacks, if it has said so.
fn variable_hint(server: &Provider, error: &Diagnostic, cx: &Context) -> Option<String> {
    let name = server.missing_variable(&error.details, cx)?;
    Some(format!(
        "it does not see the variable {name}: add it with --env {name}=VALUE"
    ))
}

/// Describes what `server` runs, and may do.
fn describe(server: &Provider, cx: &Context) -> String {
    let mut text = String::new();
    for (label, words) in server.settings().describe() {
        let words: Vec<_> = words.iter().map(|word| quote(word)).collect();
        let _ = writeln!(text, "{label} {}", sanitize(&words.join(" ")));
    }
    let may = server.effective_sandbox(cx);
    for line in may.iter().flat_map(Sandbox::describe) {
        let _ = writeln!(text, "may {}", sanitize(&line));
    }
    text
}

/// Makes the change, approves `server`, and shows its tools. Another source of its name, which the
/// user has not seen, is not approved.
fn write_and_approve(
    change: ConfigChange,
    server: &Provider,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    change.write().map_err(failure)?;
    let project = project(io);
    let (config, cx) = (config(&project, io)?, cx(&project, io)?);
    let (settings, name) = (server.settings(), server.settings().name.as_str());
    let is_it = |source: &TrustableSource| match &source.kind {
        Kind::Provider(provider) => provider.settings() == settings,
        _ => false,
    };
    if let Some(source) = trustable(name, &config, &cx).filter(is_it) {
        let content = source.content(&cx).map_err(|diagnostic| *diagnostic)?;
        source
            .approve(&content, &cx)
            .map_err(|diagnostic| *diagnostic)?;
    }
    show_tools(name, io)
}

/// The server as a subject of approval, if it needs one.
fn trustable(name: &str, config: &Config, cx: &Context) -> Option<TrustableSource> {
    let wanted = format!("provider:{name}");
    let all = trustable_sources(config, cx).into_iter();
    all.into_iter()
        .find(|source| source.qualified_name() == wanted)
}

/// Lists the tools of the server `name` with their cost.
fn show_tools(name: &str, io: &mut Io<'_>) -> Result<(), Failure> {
    let registry = registry(&RegistryArgs::default(), io, None)?;
    let found = registry.map(|tool| {
        let tool = tool.ok().filter(|tool| tool.provenance.source == name)?;
        Some((tool.name().to_string(), tool.tokens()))
    });
    let tools: Vec<(String, usize)> = found.items.into_iter().flatten().collect();
    let mut table = Table::new([Column::text("NAME"), Column::number("TOKENS")]);
    for (tool, tokens) in &tools {
        table.row([tool.clone(), tokens.to_string()]);
    }
    let total: usize = tools.iter().map(|(_, tokens)| tokens).sum();
    let count = pluralize(tools.len(), "tool");
    let text = table.render(io.colour(Stream::Stdout));
    io.print(format!("{text}{count}, about {total} tokens with every request\n").as_bytes())
}

fn cx(project: &Project, io: &Io<'_>) -> Result<Context, Failure> {
    let config = config(project, io)?;
    Ok(cancellable_context(
        io,
        project,
        config.env_priority,
        config.bounds(),
    ))
}

/// The MCP servers among the sources.
pub(crate) fn servers(config: &Config) -> impl Iterator<Item = &Provider> {
    let providers = config.sources.iter().filter_map(Source::provider);
    providers.filter(|provider| provider.settings().server.is_some())
}

/// The names of the servers that the configuration has, but does not use.
fn disabled(config: &Config) -> impl Iterator<Item = &str> {
    let settings = config.settings.iter().filter(|setting| setting.key == KEY);
    let entries = settings.filter_map(|setting| setting.value.as_object());
    let disabled = entries.flatten().filter(|(_, it)| it["disabled"] == true);
    disabled.map(|(name, _)| name.as_str())
}

/// Removes a server.
fn remove(name: &str, layer: LayerArg, io: &mut Io<'_>) -> Result<(), Failure> {
    let project = project(io);
    let (config, cx) = (config(&project, io)?, cx(&project, io)?);
    let file = layer.file(&project, io)?;
    let present = file.value(&[KEY]).map_err(failure)?;
    let path = file.text().display_path().display().to_string();
    let Some(change) = file.plan_unset(&project, &[KEY, name]).map_err(failure)? else {
        let message = format!("`{KEY}` in {path} has no server of that name");
        let names = present
            .as_ref()
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        let names = names.map(|(name, _)| name.as_str());
        let diagnostic = usage(name, &message).meant(name, names);
        let other = LayerArg { user: !layer.user };
        let file = other.file(&project, io).ok();
        if file.is_some_and(|file| matches!(file.value(&[KEY, name]), Ok(Some(_)))) {
            let option = if other.user { "--user " } else { "" };
            let hint = format!("cogtools mcp remove {option}{} removes it", quote(name));
            return Err(diagnostic.hint(hint).into());
        }
        return Err(diagnostic
            .hint("one under `tool_sources` is removed there")
            .into());
    };
    change.write().map_err(failure)?;
    if let Some(source) = trustable(name, &config, &cx).filter(|_| !layer.user) {
        source.revoke(&cx).map_err(|diagnostic| *diagnostic)?;
    }
    let root = (!layer.user).then(|| project.root());
    keep(name, None, root, io)?;
    io.show(&format!(
        "removed {} from {}\n",
        sanitize(name),
        sanitize(&path)
    ))
}

/// Lists all servers.
fn list(io: &mut Io<'_>) -> Result<(), Failure> {
    let project = project(io);
    let (config, cx) = (config(&project, io)?, cx(&project, io)?);
    let columns = ["NAME", "FROM", "STATE", "RUNS"].map(Column::text);
    let mut table = Table::new(columns);
    for server in servers(&config) {
        let settings = server.settings();
        let state = if server.requires_approval(&cx) {
            let grant = server.command(&cx).map_err(|error| error.diagnostic())?;
            let record = cx.trust.read().map_err(|error| error.diagnostic())?;
            record.verdict(&grant).label()
        } else {
            "yours"
        };
        let runs = match settings.server.as_ref().map(|server| &server.transport) {
            Some(Transport::Command(line)) => line.join(" "),
            Some(Transport::Url(url, _)) => url.clone(),
            None => String::new(),
        };
        let from = if settings.user_configured {
            "user"
        } else {
            "project"
        };
        table.row([
            settings.name.clone(),
            from.to_owned(),
            state.to_owned(),
            runs,
        ]);
    }
    for name in disabled(&config) {
        table.row([name, "", "disabled", ""].map(str::to_owned));
    }
    io.print(table.render(io.colour(Stream::Stdout)).as_bytes())
}

/// Starts a server, and lists its tools.
fn test(name: &str, io: &mut Io<'_>) -> Result<(), Failure> {
    let project = project(io);
    let config = config(&project, io)?;
    let mut cx = cx(&project, io)?;
    cx.list.refresh = true;
    let Some(server) = servers(&config).find(|server| server.settings().name == name) else {
        if disabled(&config).any(|it| it == name) {
            let diagnostic = usage(name, "the MCP server is disabled");
            let hint = "remove `disabled: true` from its entry";
            return Err(diagnostic.hint(hint).into());
        }
        let diagnostic = usage(name, "no MCP server of that name is a source here");
        let names = servers(&config).map(|server| server.settings().name.as_str());
        let diagnostic = diagnostic.meant(name, names);
        return Err(diagnostic.hint("cogtools mcp list lists them").into());
    };
    if let Err(error) = server.tools(&cx) {
        let mut error = error.diagnostic();
        if server.denial(&error.details, &cx).is_none() {
            let hint = variable_hint(server, &error, &cx);
            let traced = || server.trace(&cx).map(|denial| denial.hint());
            let hint = hint.or_else(traced).map(Hint::from);
            error.hints.splice(..0, hint);
        }
        return Err(error.into());
    }
    show_tools(name, io)
}
