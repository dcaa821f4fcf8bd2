//! `cogtools add`, `remove` and `search`: packages of npm with tools.
//!
//! npm does what npm does; these programs keep it from running the scripts of packages, and
//! make the tools known.

mod npm;
mod remove;

use std::fmt::Write as _;
use std::process::Command as Child;

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::approval::{Kind, TrustableSource, trustable_sources};
use cogtools_core::hint::Command as HintCommand;
use cogtools_core::source::{GlobalModules, Package, Packages, Plugin};
use cogtools_core::tool::ToolError;
use cogtools_core::{
    Code, Context, Diagnostic, Hint, Origin, Project, Setting, Source, SourceError, Tool,
};
use cogtools_edit::{ConfigChange, ConfigFile, ConfigFileError};
use cogtools_program::args::{self, RegistryArgs};
use cogtools_program::documents::project_config;
use cogtools_program::format::FormatArg;
use cogtools_program::project::{config, context, file_registry, project};
use cogtools_program::terminal::{Column, Stream, Table, pluralize, sanitize, truncate};
use cogtools_program::{Failure, Io, Program, Severity, Stdin, dirs, man};
use serde_json::{Value, json};

use npm::{Npm, PackageName};
pub use remove::REMOVE;

/// `cogtools add`.
pub const ADD: Program = Program {
    name: "cogtools-add",
    command: AddArgs::command,
    run: add,
    stdin: Stdin::Ignored,
    codes: &[&[
        Code::ToolFailed,
        Code::Denied,
        Code::InvalidConfig,
        Code::ToolNotFound,
    ]],
    variables: man::SOURCES,
    manual: ADD_MANUAL,
};

const ADD_MANUAL: &[(&str, &str)] = &[
    (
        "WHAT IT DOES",
        "npm installs the package among the project's development dependencies, unless package.json has it \
already; scripts of packages never run, and a package that depends on a git repository is refused. A \
package that declares no tools is not installed, or removed again. Then node_modules is added to \
tool_sources in .cogtoolrc.yaml, unless it is there, and the tools are listed.

Tools that run programs must be approved. At a terminal, `cogtools-trust(1)` shows what they run and \
asks; with --yes it approves without a question. Otherwise they are declared, and calls are denied.

A folder in the project, such as ./vendor/other, is an Agent Plugin: it is added to tool_sources. \
Its servers are sources that must be approved, and agents read its skills.

npm is searched for on PATH, but never in the project. Since the project's .npmrc and package.json \
tell npm what to do, the project must be trusted.",
    ),
    (
        "JSON",
        "One object: package; tools, an array of objects with name, file, is_valid, runs_programs and, if another tool of the name is found instead, its file as shadowed_by; and configured, true if node_modules was added to tool_sources. For a plugin: plugin, its name; servers and skills, arrays of names; and configured. Nothing is approved: `cogtools trust --yes package:NAME --json` does.",
    ),
    (
        "EXAMPLES",
        "    cogtools search review\n\n    cogtools add @team/checks\n\n    cogtools add --yes checks@1.2.0\n\n    cogtools add ./checks-1.2.0.tgz\n\n    cogtools add ./vendor/other",
    ),
];

/// Install an npm package and use its tools
#[derive(Parser)]
#[command(
    long_about = "Install a package with npm, without running its scripts, and make its tools \
        known to the project that contains the current directory."
)]
struct AddArgs {
    /// Its name in the npm registry, with @VERSION if needed, an archive: ./NAME.tgz,
    /// or the folder of a plugin in the project: ./NAME
    package: String,
    /// Approve its programs without a question: you have reviewed them
    #[arg(long, conflicts_with_all = ["format", "json"])]
    yes: bool,
    #[command(flatten)]
    format: FormatArg,
}

fn add(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: AddArgs = args::parse(matches)?;
    let project = project(io);
    if args.package.starts_with(['.', '/']) && io.cwd.join(&args.package).is_dir() {
        return add_plugin(&args, &project, io);
    }
    let named = PackageName::parse(&args.package).map_err(|error| error.diagnostic());
    // An address that is neither is refused before anything is asked of npm.
    if !npm::is_archive(&args.package) {
        named.clone()?;
    }
    let npm = Npm::in_project(&project, io)?;
    let (name, spec) = match PackageName::of_archive(&args.package, &npm, io)? {
        Some(archive) => archive,
        None => named.map(|name| (name.clone(), name.spec()))?,
    };
    // Before anything is installed, because it could not be used.
    let is_packages = |source: &Source| matches!(source, Source::Packages(_));
    let listing = list_source(&project, MODULES, is_packages, io)?;
    let is_needed = is_dependency(&project, &name.name);
    let modules = project.root().join(MODULES);
    let was_there = is_needed || modules.join(&name.name).exists();
    let manifest = manifest(&npm, &spec);
    if manifest.as_ref().is_some_and(is_server) {
        let message = "it is an MCP server, and no package with tools";
        let diagnostic = Diagnostic::new(Code::ToolNotFound, message).with_subject(&*name.name);
        let hint = format!("cogtools mcp add NAME -- npx -y {spec}");
        return Err(diagnostic.hint(hint).into());
    }
    if manifest.is_some_and(|it| it["cogtools"].is_null()) {
        return Err(without_tools(&name.name, "cogtools search finds packages with tools").into());
    }
    // npm keeps a dependency in its group.
    let save = (!is_needed).then_some("--save-dev");
    let install: Vec<&str> = std::iter::once("install").chain(save).collect();
    npm.run(&install, &[&spec])?;
    let (packages, errors) = installed(&project, io);
    let mut packages = packages.into_iter();
    let Some(package) = packages.find(|package| package.name == name.name) else {
        let mut hint = "it is still installed, and no source of tools";
        if !was_there {
            npm.run(&["uninstall"], &[&name.name])?;
            hint = "it was removed again; cogtools search finds packages with tools";
        }
        let is_its = |error: &&SourceError| error.source() == name.name;
        let error = errors.iter().find(is_its).map(SourceError::diagnostic);
        let diagnostic = error.map(|error| error.hint(hint));
        return Err(diagnostic
            .unwrap_or_else(|| without_tools(&name.name, hint))
            .into());
    };
    let is_listed = listing.is_none();
    write(listing)?;
    let added = Added::new(&package, io)?;
    if args.format.is_json() {
        io.show_json(&format!("{:#}\n", added.json(&package, !is_listed)))?;
    } else {
        io.print(added.text(&package, &project, !is_listed).as_bytes())?;
    }
    for diagnostic in &added.diagnostics {
        io.report(Severity::Warning, diagnostic);
    }
    // A program that reads JSON approves by `cogtools trust`.
    if added.runs_programs() && !args.format.is_json() {
        return approve(vec![format!("package:{}", package.name)], args.yes, io);
    }
    Ok(())
}

/// Makes the plugin in a folder of the project a source.
fn add_plugin(args: &AddArgs, project: &Project, io: &mut Io<'_>) -> Result<(), Failure> {
    let subject = args.package.as_str();
    let failed = |message: &str, hint: &str| {
        let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
        Failure::from(diagnostic.with_subject(subject).hint(hint))
    };
    let path = io.cwd.join(subject).canonicalize().ok();
    let root = project.root().canonicalize().ok();
    let below = path.zip(root);
    let below = below.and_then(|(path, root)| Some(path.strip_prefix(root).ok()?.to_path_buf()));
    let below = below
        .filter(|below| !below.as_os_str().is_empty())
        .ok_or_else(|| {
            failed(
                "it is not a folder in the project",
                "copy the plugin, as to ./vendor",
            )
        })?;
    let (path, display_path) = project.resolve(&below);
    let plugin = Plugin::read(&path, &display_path, &project.read_scope(), false);
    if let Some(error) = plugin.error() {
        let hint = "an Agent Plugin 1.0.0 has a plugin.json; npm installs packages by their names";
        return Err(failed(&format!("it is not a plugin: {error}"), hint));
    }
    let source = format!("./{}", below.display());
    let is_it = |known: &Source| matches!(known, Source::Plugin(it) if it.root == plugin.root);
    let listing = list_source(project, json!({ "plugin": source }), is_it, io)?;
    let is_new = listing.is_some();
    write(listing)?;
    let (servers, skills) = plugin.content();
    if args.format.is_json() {
        let report = json!({
            "plugin": plugin.name, "servers": servers, "skills": skills, "configured": is_new,
        });
        io.show_json(&format!("{report:#}\n"))?;
    } else {
        let (servers, skills) = (
            pluralize(servers.len(), "server"),
            pluralize(skills.len(), "skill"),
        );
        let mut text = format!("added {}: {servers}, {skills}\n", plugin.name);
        if is_new {
            text.push_str(&updated(project, "has", &source));
        }
        io.print(text.as_bytes())?;
    }
    for error in plugin.errors() {
        io.report(Severity::Warning, &error.diagnostic());
    }
    let (sources, _) = plugin_sources(&plugin, project, io)?;
    let sources: Vec<String> = sources
        .iter()
        .map(TrustableSource::qualified_name)
        .collect();
    if sources.is_empty() || args.format.is_json() {
        return Ok(());
    }
    approve(sources, args.yes, io)
}

/// Finds what the user approves of `plugin`, which is a source: its servers, and its scripts.
fn plugin_sources(
    plugin: &Plugin,
    project: &Project,
    io: &Io<'_>,
) -> Result<(Vec<TrustableSource>, Context), Failure> {
    let config = config(project, io)?;
    let cx = context(io, project, config.env_priority, config.bounds());
    let own = plugin.content().0;
    let is_its = |source: &TrustableSource| match &source.kind {
        Kind::Package { package, .. } => package.root == plugin.root,
        _ => own.contains(&source.name),
    };
    let sources = trustable_sources(&config, &cx).into_iter().filter(is_its);
    Ok((sources.collect(), cx))
}

/// Packages that MCP servers are made with.
const SERVER_PACKAGES: [&str; 3] = [
    "@modelcontextprotocol/sdk",
    "@modelcontextprotocol/server",
    "fastmcp",
];

/// The newest `package.json` of `spec` in the registry; none of an archive.
fn manifest(npm: &Npm, spec: &str) -> Option<Value> {
    let printed = npm.run(&["view", "--json"], &[spec]).ok()?;
    match serde_json::from_slice(&printed).ok()? {
        Value::Array(versions) => versions.into_iter().next_back(),
        manifest => Some(manifest),
    }
}

/// Returns true if the package with this `package.json` is an MCP server: a program that is made with
/// a package for servers, and has no tools.
fn is_server(manifest: &Value) -> bool {
    let needs = |name: &&str| manifest["dependencies"].get(name).is_some();
    let has_tools = !manifest["cogtools"].is_null();
    !has_tools && manifest.get("bin").is_some() && SERVER_PACKAGES.iter().any(needs)
}

/// The groups of dependencies in `package.json`.
const GROUPS: [&str; 4] = [
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
];

/// Returns true if the `package.json` of the project names `package`.
fn is_dependency(project: &Project, package: &str) -> bool {
    let text = std::fs::read(project.root().join("package.json")).unwrap_or_default();
    let manifest: Value = serde_json::from_slice(&text).unwrap_or_default();
    GROUPS.iter().any(|it| manifest[it].get(package).is_some())
}

fn without_tools(name: &str, hint: &str) -> Diagnostic {
    let message = "its package.json names no folders of tools";
    let diagnostic = Diagnostic::new(Code::ToolNotFound, message).with_subject(name);
    diagnostic.hint(hint)
}

/// The tools of a package that was added.
struct Added {
    tools: Vec<AddedTool>,
    diagnostics: Vec<Diagnostic>,
}

struct AddedTool {
    name: String,
    file: String,
    is_valid: bool,
    runs_programs: bool,
    /// The tool that is found instead of it.
    winner: Option<String>,
}

impl Added {
    fn new(package: &Package, io: &Io<'_>) -> Result<Self, Failure> {
        let registry = file_registry(&RegistryArgs::default(), io)?;
        let shadowed = registry.files().shadowed;
        let mut diagnostics = Vec::new();
        let folders = package.folders.iter();
        let entries = folders.flat_map(|folder| folder.list().entries);
        let tools = entries.map(|entry| {
            let tool = entry.load();
            let mut hidden = shadowed.iter();
            let hidden = hidden.find(|hidden| hidden.file == entry.display_path);
            let added = AddedTool {
                name: entry.name.to_string_lossy().into_owned(),
                file: entry.display_path.display().to_string(),
                is_valid: tool.is_ok(),
                runs_programs: tool.as_ref().is_ok_and(Tool::runs_programs),
                winner: hidden.map(|hidden| hidden.winner.display().to_string()),
            };
            diagnostics.extend(tool.err().map(ToolError::diagnostics));
            added
        });
        Ok(Self {
            tools: tools.collect(),
            diagnostics: diagnostics.concat(),
        })
    }

    fn runs_programs(&self) -> bool {
        self.tools.iter().any(|tool| tool.runs_programs)
    }

    fn json(&self, package: &Package, is_configured: bool) -> Value {
        let tools = self.tools.iter().map(|tool| {
            let mut object = json!({
                "name": tool.name,
                "file": tool.file,
                "is_valid": tool.is_valid,
                "runs_programs": tool.runs_programs,
            });
            if let Some(winner) = &tool.winner {
                object["shadowed_by"] = winner.as_str().into();
            }
            object
        });
        let tools: Value = tools.collect();
        json!({"package": package.name, "tools": tools, "configured": is_configured})
    }

    fn text(&self, package: &Package, project: &Project, is_configured: bool) -> String {
        let count = pluralize(self.tools.len(), "tool");
        let mut text = format!("added {}: {count}\n", package.name);
        for tool in &self.tools {
            let winner = tool.winner.as_ref();
            let notes = [
                tool.runs_programs.then(|| "runs programs".to_owned()),
                (!tool.is_valid).then(|| "invalid".to_owned()),
                winner.map(|winner| format!("shadowed by {winner}")),
            ];
            let notes: Vec<String> = notes.into_iter().flatten().collect();
            let notes = match notes.as_slice() {
                [] => String::new(),
                notes => format!(" ({})", notes.join("; ")),
            };
            let _ = writeln!(text, "  {}{}", sanitize(&tool.name), sanitize(&notes));
        }
        if is_configured {
            text.push_str(&updated(project, "has", MODULES));
        }
        text
    }
}

/// Continues as `cogtools trust` for `sources`, if that can ask or need not.
fn approve(sources: Vec<String>, yes: bool, io: &mut Io<'_>) -> Result<(), Failure> {
    if !yes && !io.is_person() {
        let mut text = String::new();
        for source in sources {
            let before = "approve what it runs, after a review: ";
            let hint = Hint::run(before, HintCommand::Trust(source), "");
            let _ = writeln!(text, "{}", io.reporter.hint(&hint));
        }
        return io.print(text.as_bytes());
    }
    let mut trust = Child::new(&io.program);
    trust
        .arg("trust")
        .args(yes.then_some("--yes"))
        .args(sources);
    trust.current_dir(&io.cwd);
    Err(Failure::Exec(trust.into()))
}

/// The keyword in the `package.json` of packages with tools.
const KEYWORD: &str = "cogtools-tool";
/// The maximum number of packages asked for.
const LIMIT: &str = "--searchlimit=20";
/// The maximum number of characters shown of a description.
const MAX_DESCRIPTION_CHARS: usize = 72;

/// `cogtools search`.
pub const SEARCH: Program = Program {
    name: "cogtools-search",
    command: SearchArgs::command,
    run: search,
    stdin: Stdin::Ignored,
    codes: &[&[Code::ToolFailed]],
    variables: man::SHARED,
    manual: SEARCH_MANUAL,
};

const SEARCH_MANUAL: &[(&str, &str)] = &[
    (
        "WHAT IS FOUND",
        "Packages of the npm registry with the keyword cogtools-tool in their package.json, as npm \
search returns them: the first 20. Anybody can publish such a package; a search says nothing about \
its quality. In a project that is not trusted, its .npmrc is not used.",
    ),
    (
        "JSON",
        "An array of objects with name, version and description.",
    ),
    (
        "EXAMPLES",
        "    cogtools search code review\n\n    cogtools search --format json review | jq -r '.[].name'",
    ),
];

/// Search the npm registry for packages with tools
#[derive(Parser)]
#[command(
    mut_arg("format", |arg| arg.help("Output format: a table, or JSON")),
    long_about = "Search the npm registry for packages with the keyword cogtools-tool."
)]
struct SearchArgs {
    /// Words in the name, the description or the keywords
    #[arg(value_name = "TERM", required = true)]
    term: Vec<String>,
    #[command(flatten)]
    format: FormatArg,
}

/// A package in the registry.
struct Hit {
    name: String,
    version: String,
    description: String,
}

fn search(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: SearchArgs = args::parse(matches)?;
    let keyword = format!("keywords:{KEYWORD}");
    let terms = args.term.iter().map(String::as_str);
    let words: Vec<&str> = std::iter::once(keyword.as_str()).chain(terms).collect();
    let output = Npm::for_search(io)?.run(&["search", "--json", LIMIT], &words)?;
    let hits = hits(&output)?;
    if args.format.is_json() {
        let json = |hit: &Hit| json!({"name": hit.name, "version": hit.version, "description": hit.description});
        let hits: Vec<Value> = hits.iter().map(json).collect();
        return io.show_json(&format!("{:#}\n", Value::from(hits)));
    }
    if hits.is_empty() {
        let diagnostic = Diagnostic::new(Code::ToolNotFound, "no package with tools was found")
            .hint("search for fewer or other words");
        io.report(Severity::Warning, &diagnostic);
        return Ok(());
    }
    let mut table = Table::new([
        Column::text("NAME"),
        Column::text("VERSION"),
        Column::text("DESCRIPTION"),
    ]);
    for hit in hits {
        let description = truncate(&hit.description, MAX_DESCRIPTION_CHARS).into_owned();
        table.row([hit.name, hit.version, description]);
    }
    let colour = io.colour(Stream::Stdout);
    io.print(table.render(colour).as_bytes())
}

/// The packages in the output of npm. Those without the keyword and those with other names
/// than `cogtools add` takes are left out.
fn hits(output: &[u8]) -> Result<Vec<Hit>, Failure> {
    let packages: Vec<Value> = serde_json::from_slice(output).map_err(|error| {
        let message = format!("what npm has printed is not a list of packages: {error}");
        Diagnostic::new(Code::ToolFailed, message)
            .with_subject("npm")
            .hint("check that npm works: npm search --json cogtools-tool")
    })?;
    Ok(packages.iter().filter_map(Hit::read).collect())
}

impl Hit {
    fn read(package: &Value) -> Option<Self> {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        let keywords = package["keywords"].as_array()?;
        let name = PackageName::parse(package["name"].as_str()?).ok()?;
        let is_ours = name.version.is_none() && keywords.iter().any(|word| word == KEYWORD);
        is_ours.then(|| Self {
            name: name.name,
            version: text("version"),
            description: text("description"),
        })
    }
}

/// The key of the configuration, and the source that all packages of a project are.
const KEY: &[&str] = &["tool_sources"];
const MODULES: &str = "node_modules";

/// The packages with tools that the project has installed, without the global ones, and the errors
/// of the others.
fn installed(project: &Project, io: &Io<'_>) -> (Vec<Package>, Vec<SourceError>) {
    let owners = dirs::config_paths(io).owners;
    let (root, display_path) = (project.root(), project.display_path());
    let packages = Packages::new(
        root.to_path_buf(),
        display_path.to_path_buf(),
        GlobalModules::default(),
        owners,
    );
    packages.packages()
}

/// Plans to add `source` to the sources of `project`; nothing if it is there. A failure if the list is
/// in a file that is not edited here.
fn list_source(
    project: &Project,
    source: impl Into<Value>,
    is_it: impl Fn(&Source) -> bool,
    io: &Io<'_>,
) -> Result<Option<ConfigChange>, Failure> {
    let source = source.into();
    // Colleagues do not have the user's own configuration.
    let (own, all) = (project_config(project, io)?, config(project, io)?);
    let [in_own, in_all] = [&own, &all].map(|config| config.sources.iter().any(&is_it));
    if in_own && in_all {
        return Ok(None);
    }
    let mut settings = if in_all { &own } else { &all }.settings.iter();
    let setting = settings.find(|setting| setting.key == KEY[0]);
    let is_elsewhere = |origin: &Origin| {
        let is_edited = matches!(origin, Origin::Project(_) | Origin::BuiltIn);
        let is_users = matches!(origin, Origin::System(_) | Origin::Home(_));
        !is_edited && !is_users
    };
    let mut origins = setting.into_iter().flat_map(Setting::origins);
    if let Some((origin, _)) = origins.find(|(origin, _)| is_elsewhere(origin)) {
        let source = match &source {
            Value::String(text) => text.clone(),
            source => source.to_string(),
        };
        let message = format!("`tool_sources` is set in {origin}, without `{source}`");
        let hint = format!("add `{source}` to that list, then run this again");
        return Err(Diagnostic::new(Code::InvalidConfig, message)
            .hint(hint)
            .into());
    }
    let file = ConfigFile::project(project).map_err(failure)?;
    let mut items = match file.value(KEY).map_err(failure)? {
        Some(Value::Array(items)) => items,
        _ => vec![json!({"local": "./tools"})],
    };
    items.push(source);
    let change = file.plan_set(project, KEY, &items.into());
    Ok(Some(change.map_err(failure)?))
}

fn write(change: Option<ConfigChange>) -> Result<(), Failure> {
    change
        .map_or(Ok(()), |change| change.write().map(drop))
        .map_err(failure)
}

/// Says that the list of sources in the project's configuration now has, or no longer has, `source`.
fn updated(project: &Project, has: &str, source: &str) -> String {
    let (_, file) = project.resolve(Project::CONFIG.as_ref());
    let file = file.display().to_string();
    let (file, source) = (sanitize(&file), sanitize(source));
    format!("updated {file}: tool_sources {has} {source}\n")
}

fn failure(error: ConfigFileError) -> Failure {
    let diagnostics: Vec<Diagnostic> = error.diagnostics();
    diagnostics.into()
}
