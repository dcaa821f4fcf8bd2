//! `cogtools package`: the project's tools as one folder that agents install, an Agent Plugin.
//!
//! The server of a plugin has the tools of the plugin and works in the project of its user: hosts
//! start it there, and the variable `COGTOOLS_TOOL_SOURCES` names the plugin's folders of tools.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::file::{self, Mode, ReadScope, WritePath, descends};
use cogtools_core::shebang::is_executable;
use cogtools_core::{Code, Diagnostic, Folder, Project, Setting, Source, fail_on, text};
use cogtools_edit::host::McpHost;
use cogtools_edit::yaml::render;
use cogtools_program::documents::skill::{self, Skill};
use cogtools_program::documents::{file_lines, file_values, project_config};
use cogtools_program::format::FormatArg;
use cogtools_program::project::project;
use cogtools_program::terminal::sanitize;
use cogtools_program::{Failure, Io, Program, Severity, Stdin, args, man};
use serde_json::{Map, Value, json};

use crate::skill::Packaged;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-package",
    command: PackageArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Program::PROJECT_CODES, &[Code::Stale, Code::ToolNotFound]],
    variables: man::SHARED,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "CONTENT",
        "plugin.json, mcp.json\n  An Agent Plugin 1.0.0, which every agent that follows the standard can install.\n\n.claude-plugin/plugin.json, gemini-extension.json\n  The same server for Claude Code and as an extension of Gemini CLI.\n\n.antigravity-plugin/plugin.json, mcp_config.json\n  The same for Antigravity, by its documentation: it replaces no variables, and so the server looks for the tools where `agy plugin install` copies them.\n\nskills\n  The tools as skills, as `cogtools-skill(1)` writes them.\n\nThe folders of tools\n  The project's own sources that are folders, with templates, scripts and golden files. The server offers none that `filter` hides: variables of it say so. Files whose name begins with a dot are left out; tools of packages, providers and specifications are named in a warning.\n\nIn DIR, other files stay, such as a README; files in these folders that are no longer written are removed. The same project always gives the same bytes.",
    ),
    (
        "WHERE TOOLS RUN",
        "The host starts `cogtools mcp`, which must be on its PATH, with COGTOOLS_TOOL_SOURCES. Claude Code and Gemini CLI start it in the project of the user, and so tools run there. By the standard, a server starts in the plugin: where the host has roots, tools run in the first folder that it names; else, as in Codex, they run in PLUGIN_DATA, the folder for data of the plugin, and see the user's files by absolute paths only. The skills run the tools in the agent's shell, and so in the project of the user.",
    ),
    (
        "SECRETS",
        "A file that may hold secrets by its name, such as id_rsa, and a text that looks like a key is an error, and nothing is written.",
    ),
    (
        "CHECK",
        "With --check, nothing is written. If a file would change, it is named on standard error and the exit status is 1. A folder under `cogtools.tools` in package.json that is not under `files`, or does not exist, is an error, too.",
    ),
    (
        "JSON",
        "One object: plugin, its name; files, an array of objects with file and action (created, updated, unchanged or removed); and skills, an array of objects with name, description and tools.",
    ),
    ("FILES", man::FILES),
    (
        "EXAMPLES",
        "    cogtools package dist/plugin\n\n    cogtools package --check dist/plugin\n\n    claude --plugin-dir dist/plugin\n\n    gemini extensions install ./dist/plugin",
    ),
];

/// Pack the project's tools as a plugin for agents
#[derive(Parser)]
#[command(
    long_about = "Write the project's tools into one folder that agents install: an Agent Plugin \
        with a server and skills, which is also a plugin of Claude Code and of Antigravity, and an \
        extension of Gemini CLI."
)]
struct PackageArgs {
    /// The folder of the plugin, in the project
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The name of the plugin (default: the name in package.json, or of the project's folder)
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Write nothing, and fail if a file would change
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    format: FormatArg,
}

/// The identifiers of the standard's schemas.
const SCHEMAS: &str = "https://agent-plugins.org/schemas/1.0.0";
/// The file that describes the server.
const SERVERS: &str = "mcp.json";
/// The variable with the sources of the server.
const SOURCES: &str = "COGTOOLS_TOOL_SOURCES";
/// The variables that hosts replace with the plugin's folder.
const STANDARD_ROOT: &str = "${PLUGIN_ROOT}";
const CLAUDE_ROOT: &str = "${CLAUDE_PLUGIN_ROOT}";
const GEMINI_ROOT: &str = "${extensionPath}";
/// The working folder by the standard. In the default, the plugin's own, its programs would be those
/// of a project that nobody has approved.
const STANDARD_CWD: &str = "${PLUGIN_DATA}";
/// The folder of installed plugins in Antigravity.
const ANTIGRAVITY_PLUGINS: &str = "~/.gemini/config/plugins";
/// The largest file that is packed, and the most files.
const MAX_BYTES: usize = 4 << 20;
const MAX_FILES: usize = 10_000;

/// A file of the plugin.
struct PluginFile {
    content: Vec<u8>,
    mode: Mode,
}

impl PluginFile {
    fn is_program(&self) -> bool {
        self.mode == Mode::Program
    }
}

/// The content of a plugin.
struct Plugin {
    name: String,
    version: String,
    description: String,
    /// The package.json of the project.
    manifest: Value,
    /// The folders of tools, relative to the plugin's.
    folders: Vec<PathBuf>,
    /// The variables of the server that hide what the project hides.
    filter: Map<String, Value>,
    /// The files, by their paths in the plugin.
    files: BTreeMap<PathBuf, PluginFile>,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: PackageArgs = args::parse(matches)?;
    let project = project(io);
    let mut config = project_config(&project, io)?;
    let mut plugin = Plugin::new(&project, args.name.as_deref());
    plugin.filter = config.settings.iter().filter_map(filter).collect();
    for source in &config.sources {
        match source {
            Source::Folder(folder) if !folder.is_users() => {
                plugin.add_folder(folder, &args.dir, &project)?;
            }
            other => io.report(Severity::Warning, &left_out(other)),
        }
    }
    let is_own = |source: &Source| matches!(source, Source::Folder(it) if !it.is_users());
    config.sources.retain(is_own);
    let sources = plugin.sources("$PLUGIN", &['\\', '$', '`', '"']);
    let packaged = Packaged::new(&plugin.name, config, &sources, &project, io);
    if !packaged.diagnostics.is_empty() {
        return Err(packaged.diagnostics.into());
    }
    if packaged.skills.is_empty() {
        let message = "this project has no tools of its own yet";
        let diagnostic = Diagnostic::new(Code::ToolNotFound, message);
        return Err(diagnostic.hint("cogtools new NAME creates one").into());
    }
    plugin.add_texts(&packaged);
    let target = Target::new(&args.dir, &project)?;
    let actions = target.actions(&plugin)?;
    if args.check {
        let is_stale = |action: &&(PathBuf, &str)| action.1 != "unchanged";
        let mut stale: Vec<Diagnostic> = actions.iter().filter(is_stale).map(stale).collect();
        stale.extend(plugin.missing(&project));
        fail_on(stale)?;
    } else {
        // After an interruption, it says whose folder this is.
        let mut order: Vec<_> = actions.iter().collect();
        order.sort_by_key(|(file, _)| file != Path::new(SERVERS));
        for (file, action) in order {
            target.apply(file, action, &plugin)?;
        }
    }
    let files = actions.iter();
    let files = files.map(|(file, action)| (*action, target.shown.join(file)));
    if args.format.is_json() {
        let skills: Value = packaged.skills.iter().map(Skill::report).collect();
        let files = file_values(files);
        let report = json!({"plugin": plugin.name, "files": files, "skills": skills});
        return io.show_json(&format!("{report:#}\n"));
    }
    let mut text = file_lines(files.filter(|(action, _)| *action != "unchanged"));
    let count = plugin.files.len();
    let _ = writeln!(text, "plugin {}: {count} files", sanitize(&plugin.name));
    io.print(text.as_bytes())
}

impl Plugin {
    /// The plugin of `project`, as its package.json describes it.
    fn new(project: &Project, name: Option<&str>) -> Self {
        let scope = ReadScope::project(project.root());
        let manifest = project.root().join("package.json");
        let manifest = text::bytes(&manifest, &manifest, MAX_BYTES, &scope).ok();
        let manifest: Value = manifest
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let word = |key: &str| manifest[key].as_str().map(str::to_owned);
        let folder = project.root().file_name().unwrap_or_default();
        let name = name.map(str::to_owned).or_else(|| word("name"));
        let name = name.unwrap_or_else(|| folder.to_string_lossy().into_owned());
        Self {
            name: skill::name_of(&name),
            version: word("version").unwrap_or_else(|| "0.1.0".to_owned()),
            description: word("description").unwrap_or_default(),
            manifest,
            folders: Vec::new(),
            filter: Map::new(),
            files: BTreeMap::new(),
        }
    }

    /// Finds the folders of tools that package.json does not publish, or that do not exist.
    fn missing(&self, project: &Project) -> Vec<Diagnostic> {
        let list = |value: &Value| -> Vec<String> {
            let texts = value.as_array().into_iter().flatten();
            let texts = texts.filter_map(Value::as_str).map(str::to_owned);
            texts.filter(|text| !text.starts_with('!')).collect()
        };
        let folder = |text: &String| -> PathBuf {
            let parts = text.split('/').filter(|part| !matches!(*part, "" | "."));
            // A pattern names folders up to its first sign.
            parts
                .take_while(|part| !part.contains(['*', '?', '[', '{']))
                .collect()
        };
        let files = &self.manifest["files"];
        let publishes_all = self.manifest["private"] == true || !files.is_array();
        let files: Vec<PathBuf> = list(files).iter().map(folder).collect();
        let named = list(&self.manifest["cogtools"]["tools"]).into_iter();
        let wrong = named.filter_map(|shown| {
            let path = folder(&shown);
            if !project.root().join(&path).is_dir() {
                let message = format!("`cogtools.tools` names `{shown}`, which is no folder");
                return Some((message, "correct the path, or remove it"));
            }
            let names_it = |file: &PathBuf| path.starts_with(file) || file.starts_with(&path);
            let is_published = publishes_all || files.iter().any(names_it);
            let message = format!("`files` leaves out `{shown}`: npm does not publish its tools");
            (!is_published).then_some((message, "add the folder to `files`"))
        });
        let diagnostic = |(message, hint): (String, &str)| {
            let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
            diagnostic.with_subject("package.json").hint(hint)
        };
        wrong.map(diagnostic).collect()
    }

    /// Adds the files of a source; `out` is the folder of the plugin, which is not a part of it.
    fn add_folder(
        &mut self,
        folder: &Folder,
        out: &Path,
        project: &Project,
    ) -> Result<(), Failure> {
        let shown = folder.display_path();
        let Some(below) = folder.path_below(project.root()) else {
            let message = format!("the folder `{}` is not in the project", shown.display());
            let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
            return Err(diagnostic
                .hint("a plugin has the project's own folders only")
                .into());
        };
        if below.as_os_str().is_empty() {
            let message = "the project's folder itself is a source of tools";
            let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
            return Err(diagnostic
                .hint("move the tools to a folder of their own")
                .into());
        }
        let name = below.to_string_lossy();
        if name.contains("${") || name.contains(char::is_control) {
            let message = format!("hosts cannot name the folder `{name}`");
            let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
            return Err(diagnostic
                .hint("rename it, without `${` and control characters")
                .into());
        }
        let (root, (out, _)) = (project.root(), project.resolve(out));
        let mut waiting = vec![below.clone()];
        while let Some(current) = waiting.pop() {
            if root.join(&current) == out || !root.join(&current).is_dir() {
                continue;
            }
            let entries =
                fs::read_dir(root.join(&current)).map_err(|error| unread(&current, &error))?;
            for entry in entries {
                let entry = entry.map_err(|error| unread(&current, &error))?;
                let name = entry.file_name();
                let is_hidden = name.as_encoded_bytes().starts_with(b".");
                let path = current.join(&name);
                if is_hidden || name == "node_modules" {
                    continue;
                }
                // Links to folders may lead in circles.
                let kind = entry.file_type().map_err(|error| unread(&path, &error))?;
                if kind.is_symlink() && root.join(&path).is_dir() {
                    let message = format!("`{}` is a link to a folder", path.display());
                    let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
                    return Err(diagnostic
                        .hint("a plugin has no links: copy the folder")
                        .into());
                }
                if kind.is_dir() {
                    waiting.push(path);
                } else {
                    let packed = read(&path, project)?;
                    self.files.insert(path, packed);
                }
                if self.files.len() > MAX_FILES {
                    let message = format!("`{}` has too many files", shown.display());
                    return Err(Diagnostic::new(Code::InvalidConfig, message)
                        .hint("keep only tools and what they need in the folder")
                        .into());
                }
            }
        }
        self.folders.push(below);
        Ok(())
    }

    /// The value of `COGTOOLS_TOOL_SOURCES` for a plugin at `root`: YAML, in which a backslash in
    /// single quotes is itself. There is a backslash before each of `escaped`, for a shell.
    fn sources(&self, root: &str, escaped: &[char]) -> String {
        let folders = self.folders.iter().map(|folder| {
            let parts = folder.components().map(Component::as_os_str);
            let parts: Vec<_> = parts.map(|part| part.to_string_lossy()).collect();
            let path = parts.join("/").replace('\'', "''");
            let path = path.chars().flat_map(|c| {
                let escape = escaped.contains(&c).then_some('\\');
                escape.into_iter().chain([c])
            });
            format!("{{local: '{root}/{}'}}", path.collect::<String>())
        });
        format!("[{}]", folders.collect::<Vec<_>>().join(", "))
    }

    /// Adds skills and the files that describe the plugin to hosts.
    fn add_texts(&mut self, packaged: &Packaged) {
        if self.description.is_empty() {
            let first = &packaged.skills[0].description;
            self.description.clone_from(first);
        }
        let server = |root: &str, mut entry: Value, options: &[String]| {
            entry["command"] = "cogtools".into();
            entry["args"] = json!([&["mcp".to_owned()], options].concat());
            let mut variables = self.filter.clone();
            variables.insert(SOURCES.to_owned(), self.sources(root, &[]).into());
            entry["env"] = variables.into();
            json!({ self.name.as_str(): entry })
        };
        let about = json!({
            "name": self.name, "version": self.version, "description": self.description,
        });
        let with = |extra: Value| {
            let mut all = about.clone();
            if let (Some(all), Value::Object(extra)) = (all.as_object_mut(), extra) {
                all.extend(extra);
            }
            all
        };
        let antigravity_root = format!("{ANTIGRAVITY_PLUGINS}/{}", self.name);
        let antigravity = McpHost::of_key("antigravity").map_or(Vec::new(), |host| host.options());
        let documents = [
            (
                "plugin.json",
                with(json!({"$schema": format!("{SCHEMAS}/plugin.schema.json")})),
            ),
            (
                SERVERS,
                json!({
                    "$schema": format!("{SCHEMAS}/mcp.schema.json"),
                    "mcpServers": server(STANDARD_ROOT, json!({"type": "stdio", "cwd": STANDARD_CWD}), &[]),
                }),
            ),
            (
                ".claude-plugin/plugin.json",
                with(json!({"mcpServers": server(CLAUDE_ROOT, json!({}), &[])})),
            ),
            (
                "gemini-extension.json",
                with(json!({"mcpServers": server(GEMINI_ROOT, json!({}), &[])})),
            ),
            (
                ".antigravity-plugin/plugin.json",
                json!({"name": self.name, "description": self.description}),
            ),
            (
                "mcp_config.json",
                json!({"mcpServers": server(&antigravity_root, json!({}), &antigravity)}),
            ),
        ];
        let documents = documents.map(|(file, value)| (file.into(), format!("{value:#}\n")));
        let texts: Vec<(PathBuf, String)> = documents.into_iter().chain(packaged.files()).collect();
        for (path, text) in texts {
            let file = PluginFile {
                content: text.into_bytes(),
                mode: Mode::Data,
            };
            self.files.insert(path, file);
        }
    }

    /// Returns true if everything at `path` in the plugin is written by the program.
    fn owns(&self, path: &Path) -> bool {
        path.starts_with("skills") || self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

/// Returns the variable that is a filter of tools like `setting`.
fn filter(setting: &Setting) -> Option<(String, Value)> {
    let key = setting.key.strip_prefix("filter.")?.to_ascii_uppercase();
    Some((format!("COGTOOLS_{key}"), render(&setting.value).into()))
}

/// Reads a file that is packed.
fn read(path: &Path, project: &Project) -> Result<PluginFile, Failure> {
    let (full, shown) = project.resolve(path);
    let refused = |what: &str| {
        let message = format!("`{}` {what}", shown.display());
        let diagnostic = Diagnostic::new(Code::Denied, message);
        diagnostic.hint("a plugin is public: keep secrets in variables, and name them under `env`")
    };
    if file::is_secret(path) {
        return Err(refused("may hold secrets").into());
    }
    let scope = ReadScope::project(project.root());
    let content = text::bytes(&full, &shown, MAX_BYTES, &scope)
        .map_err(|error| error.diagnostic(Code::IoFailed))?;
    let secrets = cogtools_lint::secrets(&String::from_utf8_lossy(&content));
    if let Some((_, what)) = secrets.first() {
        return Err(refused(&format!("contains {what}")).into());
    }
    let mode = if is_executable(&full) {
        Mode::Program
    } else {
        Mode::Data
    };
    Ok(PluginFile { content, mode })
}

/// The folder of a plugin.
struct Target<'p> {
    project: &'p Project,
    /// Its path relative to the project, and as shown.
    dir: PathBuf,
    shown: PathBuf,
}

impl<'p> Target<'p> {
    /// The folder `dir`: one that does not exist, is empty, or was written by this program.
    fn new(dir: &Path, project: &'p Project) -> Result<Self, Failure> {
        let (full, shown) = project.resolve(dir);
        if !descends(dir) || full == project.root() {
            let message = format!("`{}` is no relative path below the project", dir.display());
            let diagnostic = Diagnostic::new(Code::Usage, message);
            return Err(diagnostic.hint("cogtools package dist/plugin").into());
        }
        let target = Self {
            project,
            dir: dir.to_path_buf(),
            shown,
        };
        let mut entries = fs::read_dir(&full).into_iter().flatten();
        if entries.next().is_some() && !target.is_ours() {
            let shown = target.shown.display();
            let message = format!("`{shown}` has files, and is no plugin of this program");
            let diagnostic = Diagnostic::new(Code::Usage, message);
            return Err(diagnostic.hint("choose a new folder").into());
        }
        Ok(target)
    }

    /// Returns true if the plugin's server is one that this program has described. Another plugin
    /// may have skills and tools that an author has written.
    fn is_ours(&self) -> bool {
        let path = self.path(Path::new(SERVERS));
        let text = text::bytes(&path.full(), &path.full(), MAX_BYTES, &path.read_scope());
        let manifest = text
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok());
        let manifest: Value = manifest.unwrap_or_default();
        let servers = manifest["mcpServers"].as_object();
        let mut servers = servers.into_iter().flat_map(Map::values);
        servers.any(|server| server["env"][SOURCES].is_string())
    }

    fn path(&self, file: &Path) -> WritePath {
        let (full, _) = self.project.resolve(&self.dir.join(file));
        WritePath::in_project(self.project.root(), &full)
    }

    /// The action for each file, by path: created, updated, unchanged or removed.
    fn actions(&self, plugin: &Plugin) -> Result<Vec<(PathBuf, &'static str)>, Failure> {
        let mut actions: BTreeMap<PathBuf, &str> = BTreeMap::new();
        for (path, packed) in &plugin.files {
            let target = self.path(path);
            let full = target.full();
            let scope = target.read_scope();
            let action = match text::bytes(&full, path, MAX_BYTES, &scope) {
                Ok(content) if content == packed.content => {
                    if is_executable(&full) == packed.is_program() {
                        "unchanged"
                    } else {
                        "updated"
                    }
                }
                Ok(_) => "updated",
                Err(_) if full.exists() => "updated",
                Err(_) => "created",
            };
            actions.insert(path.clone(), action);
        }
        for path in self.present()? {
            if plugin.owns(&path) && !plugin.files.contains_key(&path) {
                actions.insert(path, "removed");
            }
        }
        Ok(actions.into_iter().collect())
    }

    /// The files that are there.
    fn present(&self) -> Result<BTreeSet<PathBuf>, Failure> {
        let (root, _) = self.project.resolve(&self.dir);
        let (mut found, mut waiting) = (BTreeSet::new(), vec![PathBuf::new()]);
        while let Some(current) = waiting.pop() {
            let folder = root.join(&current);
            if !folder.is_dir() {
                continue;
            }
            for entry in fs::read_dir(&folder).map_err(|error| unread(&current, &error))? {
                let entry = entry.map_err(|error| unread(&current, &error))?;
                let path = current.join(entry.file_name());
                // A link is a file, whatever it leads to.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    waiting.push(path);
                } else {
                    found.insert(path);
                }
            }
        }
        Ok(found)
    }

    fn apply(&self, file: &Path, action: &str, plugin: &Plugin) -> Result<(), Failure> {
        let path = self.path(file);
        let done = match (action, plugin.files.get(file)) {
            ("removed", _) => file::remove(&path),
            ("created", Some(packed)) => file::create(&path, &packed.content, packed.mode),
            ("updated", Some(packed)) if is_executable(&path.full()) == packed.is_program() => {
                file::write(&path, &packed.content)
            }
            // A new file has the mode.
            ("updated", Some(packed)) => {
                file::remove(&path).and_then(|()| file::create(&path, &packed.content, packed.mode))
            }
            _ => Ok(()),
        };
        done.map_err(|error| {
            let otherwise = "free disk space, or make the file and its folder writable";
            let diagnostic = error.diagnostic(&self.shown.join(file), "written", otherwise);
            diagnostic.into()
        })
    }
}

/// The warning about a source that is no folder of the project.
fn left_out(source: &Source) -> Diagnostic {
    let what = match source {
        Source::Folder(folder) => {
            format!("the user's folder `{}`", folder.display_path().display())
        }
        Source::Packages(_) => "packages".to_owned(),
        Source::Provider(_) => "a provider".to_owned(),
        Source::OpenApi(_) => "a specification".to_owned(),
        Source::BuiltIn => "the built-in tools".to_owned(),
        Source::Editor => "the editor".to_owned(),
        Source::Plugin(_) | Source::Skills(_) => "a plugin".to_owned(),
    };
    let message = format!("the plugin is without the tools of {what}");
    Diagnostic::new(Code::InvalidConfig, message)
        .hint("a plugin has the project's own folders only")
}

fn stale((file, action): &(PathBuf, &str)) -> Diagnostic {
    let message = match *action {
        "created" => "missing in the plugin",
        "removed" => "no longer a part of the plugin",
        _ => "out of date in the plugin",
    };
    Diagnostic::new(Code::Stale, message)
        .with_subject(file.display().to_string())
        .hint("run `cogtools package` without --check")
}

fn unread(folder: &Path, error: &std::io::Error) -> Diagnostic {
    let message = format!("the folder `{}` cannot be read: {error}", folder.display());
    Diagnostic::new(Code::IoFailed, message).hint("grant permission to read it")
}
