//! `cogtools mcp import`: the servers that are in the files of other hosts.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args;
use cogtools_core::environment::{PrivateVariable, PrivateVariables};
use cogtools_core::text;
use cogtools_core::{Code, Config, Diagnostic, Project, fail_on};
use cogtools_edit::host::McpHost;
use cogtools_edit::jsonc::Dialect;
use cogtools_edit::{ConfigFile, Format};
use cogtools_program::dirs::{home, state_dir};
use cogtools_program::project::{project, read_scope};
use cogtools_program::terminal::{pluralize, sanitize, sanitize_lines};
use cogtools_program::{Failure, Io};
use serde_json::{Map, Value, json};

use super::foreign::Imported;
use super::{KEY, LayerArg, agrees};
use crate::auth::Store;

/// Options of `import`.
#[derive(Args)]
pub(crate) struct ImportArgs {
    /// The host: claude-code, claude-desktop, codex, cursor, gemini, vscode or another one that
    /// cogtools init knows; or a file. By default, all hosts
    #[arg(value_name = "HOST|FILE")]
    from: Option<String>,
    #[command(flatten)]
    layer: LayerArg,
    /// Write without a question
    #[arg(long)]
    yes: bool,
}

/// Files of hosts below the home directory, besides the files of [`McpHost`], and of Gemini CLI.
const FILES: [(&str, &str); 7] = [
    ("antigravity", ".gemini/antigravity/mcp_config.json"),
    ("claude-code", ".claude.json"),
    ("cursor", ".cursor/mcp.json"),
    ("gemini", ".gemini/settings.json"),
    ("vscode", ".config/Code/User/mcp.json"),
    ("windsurf", ".codeium/windsurf/mcp_config.json"),
    ("zed", ".config/zed/settings.json"),
];
/// Where a file has its servers.
const TABLES: [&str; 8] = [
    "/mcpServers",
    "/servers",
    "/mcp_servers",
    "/mcp/servers",
    "/mcp",
    "/context_servers",
    "/extensions",
    "/mcp/mcpServers",
];
/// The largest file: some hosts keep their history in it.
const MAX_BYTES: usize = 64 << 20;

/// Servers that are taken over, and a line for everything that is not.
#[derive(Default)]
struct Found {
    servers: BTreeMap<String, Imported>,
    notes: Vec<String>,
    broken: Vec<Diagnostic>,
}

/// Takes over the servers of another host.
pub(super) fn import(args: &ImportArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let project = project(io);
    let mut found = Found::default();
    let file = args.layer.file(&project, io)?;
    let present = file
        .value(&[KEY])
        .map_err(|error| Failure::from(error.diagnostics()))?;
    let all = present
        .as_ref()
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let root = (!args.layer.user).then(|| project.root());
    for path in files(args, &project, io)? {
        let display_path = path
            .strip_prefix(project.root())
            .unwrap_or(&path)
            .to_path_buf();
        if let Err(failure) = found.read(&path, &display_path, root, &all, io) {
            found.broken.extend_from_slice(failure.diagnostics());
        }
    }
    found.check(&project, &file);
    let broken = std::mem::take(&mut found.broken);
    if found.servers.is_empty() && found.notes.is_empty() && !broken.is_empty() {
        return Err(broken.into());
    }
    take_over(args, found, (file, &project), io)?;
    Ok(fail_on(broken)?)
}

/// Writes the servers in `found` beside the others, if the user agrees.
fn take_over(
    args: &ImportArgs,
    Found { servers, notes, .. }: Found,
    (file, project): (ConfigFile, &Project),
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let root = (!args.layer.user).then(|| project.root());
    let mut text = String::new();
    let count = pluralize(servers.len(), "server");
    let (mut all, mut secrets, mut needed) = (Map::new(), Vec::new(), Vec::new());
    for (name, imported) in &servers {
        let unset = imported.variables().into_iter();
        let unset = unset.filter(|variable| !io.vars.contains_key(OsStr::new(variable)));
        needed.extend(unset.map(|variable| format!("{name}: {variable}")));
        all.insert(name.clone(), imported.entry.clone().into());
        secrets.extend(
            imported
                .secrets
                .keys()
                .map(|secret| format!("{name}: {secret}")),
        );
    }
    let change = (!servers.is_empty()).then(|| file.plan_add(project, KEY, &json!(all)));
    let change = change.transpose();
    let change = change.map_err(|error| Failure::from(error.diagnostics()))?;
    if let Some(change) = &change {
        text.push_str(&sanitize_lines(&change.preview()));
    }
    for (title, lines) in [
        ("not taken over:", &notes),
        ("kept for you, outside the file:", &secrets),
        ("not set here, needed in .env or your environment:", &needed),
    ] {
        if !lines.is_empty() {
            let lines: String = lines.iter().flat_map(|line| ["  ", line, "\n"]).collect();
            let _ = write!(text, "{title}\n{lines}");
        }
    }
    let Some(change) = change else {
        text.push_str("nothing to take over\n");
        return io.show(&text);
    };
    io.show(&text)?;
    let name = sanitize(&change.file()).into_owned();
    if !agrees(&format!("Write {count} to {name}? [y/N] "), args.yes, io)? {
        return Ok(());
    }
    for (name, imported) in &servers {
        keep(name, Some(imported), root, io)?;
    }
    change
        .write()
        .map_err(|error| Failure::from(error.diagnostics()))?;
    let next = root.map_or(
        "",
        |_| "review what they run, and approve it: cogtools trust\n",
    );
    io.show(&format!("updated {name}: {count}\n{next}"))
}

/// The files that `args` mean; all that exist, if they name a host or nothing. Files of the project are
/// not for the configuration of the user.
fn files(args: &ImportArgs, project: &Project, io: &Io<'_>) -> Result<Vec<PathBuf>, Failure> {
    let (from, home) = (args.from.as_deref(), home(io));
    let is_meant = |key: &str| from.is_none_or(|from| from == key);
    let hosts = McpHost::ALL.into_iter().filter(|host| is_meant(host.key));
    let listed = hosts.flat_map(|host| host.files(&io.vars));
    let gemini = is_meant("gemini").then(|| PathBuf::from(".gemini/settings.json"));
    let others = FILES.iter().filter(|(key, _)| is_meant(key));
    let others = others.filter_map(|(_, file)| Some(home.as_ref()?.join(file)));
    let files: Vec<PathBuf> = listed.chain(gemini).chain(others).collect();
    let is_file = files.is_empty();
    let is_wanted = |file: &PathBuf| !args.layer.user || file.is_absolute();
    let files = files.into_iter().filter(is_wanted);
    let mut files: Vec<PathBuf> = files.map(|file| project.root().join(file)).collect();
    // Several hosts read some of them.
    let mut known = BTreeSet::new();
    files.retain(|file| known.insert(file.clone()));
    match from {
        Some(from) if is_file => {
            let path = io.cwd.join(from);
            if !path.is_file() {
                let hosts = McpHost::ALL.iter().map(|host| host.key);
                let hosts: Vec<&str> = hosts.chain(["gemini", "windsurf"]).collect();
                let diagnostic = Diagnostic::new(Code::Usage, "neither a host nor a file");
                let hint = format!("name a file, or one of {}", hosts.join(", "));
                return Err(diagnostic.with_subject(from).hint(hint).into());
            }
            Ok(vec![path])
        }
        _ => {
            let is_absent = |error: &io::Error| {
                matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
            };
            files.retain(|file| {
                !file
                    .symlink_metadata()
                    .is_err_and(|error| is_absent(&error))
            });
            Ok(files)
        }
    }
}

impl Found {
    /// Adds the servers of a file, unless they are there already.
    fn read(
        &mut self,
        path: &Path,
        display_path: &Path,
        root: Option<&Path>,
        present: &Map<String, Value>,
        io: &Io<'_>,
    ) -> Result<(), Failure> {
        let scope = read_scope(path, io);
        let bytes = text::bytes(path, display_path, MAX_BYTES, &scope);
        let bytes = bytes.map_err(|error| Failure::from(error.diagnostic(Code::IoFailed)))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            let diagnostic = Diagnostic::new(Code::IoFailed, "not UTF-8 text");
            Failure::from(diagnostic.with_subject(display_path.display().to_string()))
        })?;
        let text = text.trim_start_matches('\u{feff}');
        let value = Format::of(path).read(Dialect::Commas, display_path, text);
        let value = value.map_err(|conflict| Failure::from(conflict.diagnostic()))?;
        let tables = TABLES.iter().filter_map(|table| value.pointer(table));
        // These win over those of the project's own file, and all others.
        let local = root.and_then(|_| project_servers(&value, io));
        let all = local.map(|it| (true, it)).into_iter();
        let all = all.chain(tables.map(|it| (false, it)));
        let entries = all.filter_map(|(is_local, it)| Some((is_local, it.as_object()?)));
        let entries = entries.flat_map(|(is_local, it)| it.iter().map(move |it| (is_local, it)));
        for (is_local, (name, entry)) in entries.filter(|(_, (_, entry))| entry.is_object()) {
            let name = name.replace(':', "_");
            let at = format!("{} in {}", sanitize(&name), display_path.display());
            let Some(imported) = Imported::of(&name, entry, root) else {
                if !["servers", "mcpServers"].contains(&&*name) {
                    self.notes
                        .push(format!("{at}: it names neither a program nor a URL"));
                }
                continue;
            };
            let command = imported.entry.get("command").and_then(Value::as_str);
            let program = command.and_then(|it| Path::new(it).file_stem());
            let earlier = self.servers.get(&name).map(|it| json!(it.entry));
            let earlier = earlier.filter(|_| !is_local);
            let kind = entry.get("type").or_else(|| entry.get("transport"));
            let kind = kind.and_then(Value::as_str).unwrap_or_default();
            if kind.eq_ignore_ascii_case("sse") {
                let why = "the transport `sse` is not supported, only `http`";
                self.notes.push(format!("{at}: {why}"));
            } else if program.is_some_and(|it| it == "cogtools") {
                self.notes.push(format!("{at}: it is cogtools"));
            } else if let Some(other) = present.get(&name).cloned().or(earlier) {
                if other != json!(imported.entry) {
                    self.notes
                        .push(format!("{at}: there is another server of that name"));
                }
            } else {
                let left_out = imported.left_out.iter();
                self.notes
                    .extend(left_out.map(|key| format!("{at}: {}", sanitize(key))));
                self.servers.insert(name, imported);
            }
        }
        Ok(())
    }

    /// Removes the servers that the configuration cannot have, with a reason for each.
    fn check(&mut self, project: &Project, file: &ConfigFile) {
        let Self {
            servers, broken, ..
        } = self;
        servers.retain(|name, it| {
            let checked = Config::server(project, name, &json!(it.entry), file.origin());
            let mistakes = checked.err().unwrap_or_default();
            let is_valid = mistakes.is_empty();
            broken.extend(mistakes);
            is_valid
        });
    }
}

/// The servers that Claude Code has for this project alone.
fn project_servers<'v>(value: &'v Value, io: &Io<'_>) -> Option<&'v Value> {
    let root = project(io).root().display().to_string();
    value.get("projects")?.get(root)?.get("mcpServers")
}

/// Keeps the secrets of a server of the project at `root`, or of the user, outside the
/// configuration: in the keyring, or else in a file that nobody else can read. Words of a command
/// line are in the file, because they decide what is started. Without secrets, the last ones are
/// forgotten. Returns true if the keyring has some.
pub(super) fn keep(
    name: &str,
    imported: Option<&Imported>,
    root: Option<&Path>,
    io: &Io<'_>,
) -> Result<bool, Failure> {
    let Some(state) = state_dir(io) else {
        let diagnostic = Diagnostic::new(Code::Usage, "the home directory is unknown");
        return Err(diagnostic.hint("set HOME").into());
    };
    let own = PrivateVariables::of(&state, root, name);
    let is_kept = |value: &PrivateVariable| matches!(value, PrivateVariable::Keyring { .. });
    let had_keyring = own.read().values().any(is_kept);
    let store = Store::of(io);
    let (mut secret, mut values) = (BTreeMap::new(), BTreeMap::new());
    for (variable, value) in imported.iter().flat_map(|it| &it.secrets) {
        let reference = format!("${{{variable}}}");
        let words = imported.map(|it| json!([it.entry.get("command"), it.entry.get("args")]));
        if words.is_some_and(|words| words.to_string().contains(&reference)) {
            let value = PrivateVariable::Value(value.clone());
            values.insert(variable.clone(), value);
        } else {
            secret.insert(variable.clone(), value.clone());
        }
    }
    let save = |store: &Store| store.save_secrets(own.key(), name, &secret);
    let in_keyring = !secret.is_empty() && store.as_ref().is_some_and(save);
    if let Some(store) = store.filter(|_| had_keyring && !in_keyring) {
        store.remove_secrets(own.key());
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let changed = now.map_or_else(|_| String::new(), |time| time.as_nanos().to_string());
    values.extend(secret.into_iter().map(|(variable, value)| {
        let value = if in_keyring {
            PrivateVariable::Keyring {
                changed: changed.clone(),
            }
        } else {
            PrivateVariable::Value(value)
        };
        (variable, value)
    }));
    own.write(&values).map_err(|error| {
        let message = format!("its secrets cannot be kept: {error}");
        Diagnostic::new(Code::IoFailed, message).with_subject(name)
    })?;
    Ok(in_keyring)
}
