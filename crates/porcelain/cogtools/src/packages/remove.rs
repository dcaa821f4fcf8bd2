//! `cogtools remove`: takes a package or a plugin from the sources of a project.

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::source::Plugin;
use cogtools_core::{Code, Diagnostic, Project, Source, lexical};
use cogtools_edit::{ConfigChange, ConfigFile};
use cogtools_program::args;
use cogtools_program::call::quote;
use cogtools_program::documents::project_config;
use cogtools_program::format::FormatArg;
use cogtools_program::project::project;
use cogtools_program::terminal::sanitize;
use cogtools_program::{Failure, Io, Program, Stdin, man};
use serde_json::{Value, json};

use super::npm::{Npm, PackageName};
use super::{KEY, MODULES, failure, installed, plugin_sources, updated};

/// `cogtools remove`.
pub const REMOVE: Program = Program {
    name: "cogtools-remove",
    command: RemoveArgs::command,
    run: remove,
    stdin: Stdin::Ignored,
    codes: &[&[Code::ToolFailed, Code::Denied, Code::InvalidConfig]],
    variables: man::SHARED,
    manual: REMOVE_MANUAL,
};

const REMOVE_MANUAL: &[(&str, &str)] = &[
    (
        "WHAT IT DOES",
        "npm removes the package and its name from package.json. If no other package of the project \
has tools, node_modules is removed from tool_sources in .cogtoolrc.yaml. An approval of the package \
is kept until `cogtools trust --prune`.

A plugin is removed from tool_sources, with its approvals; its files stay.",
    ),
    (
        "JSON",
        "One object: package; and configured, true if node_modules or a plugin was removed from \
tool_sources.",
    ),
    (
        "EXAMPLES",
        "    cogtools remove @team/checks\n\n    cogtools remove ./vendor/x",
    ),
];

/// Remove an npm package with tools, or a plugin
#[derive(Parser)]
#[command(
    long_about = "Remove a package with tools from the project that contains the current \
        directory: from node_modules, from package.json and, if it was the last one, from \
        tool_sources; or a plugin from tool_sources."
)]
struct RemoveArgs {
    /// The name of the package; of a plugin, also its folder
    package: String,
    #[command(flatten)]
    format: FormatArg,
}

fn remove(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: RemoveArgs = args::parse(matches)?;
    let project = project(io);
    let subject = args.package.as_str();
    let packages = installed(&project, io).0.into_iter();
    let packages: Vec<String> = packages.map(|package| package.name).collect();
    let (_, items) = listed_sources(&project)?;
    let mut plugins = items
        .iter()
        .filter(|item| is_plugin(item, subject, &project, io));
    if let Some(folder) = plugins.find_map(plugin_folder) {
        if packages.iter().any(|name| name == subject) {
            return Err(ambiguous(subject, folder).into());
        }
        // As long as it is a source, its approvals have names. Two plugins of one name have none.
        let (path, display_path) = project.resolve(folder.as_ref());
        let plugin = Plugin::read(&path, &display_path, &project.read_scope(), false);
        let approved = plugin_sources(&plugin, &project, io);
        unlist_sources(&project, |item| is_plugin(item, subject, &project, io))?;
        if let Ok((sources, cx)) = approved {
            for source in sources {
                source.revoke(&cx).map_err(|diagnostic| *diagnostic)?;
            }
        }
        return report_removed(subject, Some(folder), &args, &project, io);
    }
    // A list in another file of the project is not edited here.
    let config = project_config(&project, io)?;
    let given = io.cwd.join(subject).canonicalize().ok();
    let is_it = |source: &Source| matches!(source, Source::Plugin(it) if it.name == subject || given.as_ref() == Some(&it.root));
    let mut settings = config.settings.iter();
    let setting = settings.find(|setting| setting.key == KEY[0]);
    let origin = setting.and_then(|setting| setting.origins().next());
    if let Some((origin, _)) = origin.filter(|_| config.sources.iter().any(is_it)) {
        let message = format!("`tool_sources` is set in {origin}, with this plugin");
        let diagnostic = Diagnostic::new(Code::InvalidConfig, message).with_subject(subject);
        let hint = "remove it from that list";
        return Err(diagnostic.hint(hint).into());
    }
    if subject.starts_with(['.', '/']) {
        let message = "tool_sources has no plugin in this folder";
        let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(subject);
        let hint = "cogtools config list --show-origin shows the sources";
        return Err(diagnostic.hint(hint).into());
    }
    let name = PackageName::parse(subject).map_err(|error| error.diagnostic())?;
    let npm = Npm::in_project(&project, io)?;
    if !packages.contains(&name.name) {
        let message = "no package of that name has tools here";
        let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(name.name.as_str());
        return Err(diagnostic
            .meant(&name.name, packages.iter().map(String::as_str))
            .hint("npm uninstall removes packages without tools")
            .into());
    }
    npm.run(&["uninstall"], &[&name.name])?;
    let is_last = installed(&project, io).0.is_empty();
    let removed = unlist_sources(&project, |item| is_last && item == MODULES)?;
    let source = (!removed.is_empty()).then_some(MODULES);
    report_removed(&name.name, source, &args, &project, io)
}

fn ambiguous(subject: &str, folder: &str) -> Diagnostic {
    let is_path = folder.starts_with(['.', '/']);
    let folder = quote(&format!("{}{folder}", if is_path { "" } else { "./" }));
    let name = quote(subject);
    let message = "the name is ambiguous: a plugin and an npm package have it";
    Diagnostic::new(Code::Usage, message)
        .with_subject(subject)
        .hint(format!(
            "to remove the plugin, name its folder: cogtools remove {folder}"
        ))
        .hint(format!("to remove the package, run npm uninstall {name}"))
}

fn plugin_folder(item: &Value) -> Option<&str> {
    item.get("plugin").and_then(Value::as_str)
}

/// Returns true if `item` of the sources is the plugin of this name or in this folder. The folder
/// may be gone.
fn is_plugin(item: &Value, subject: &str, project: &Project, io: &Io<'_>) -> bool {
    let Some(folder) = plugin_folder(item) else {
        return false;
    };
    let (path, display_path) = project.resolve(folder.as_ref());
    let plugin = || Plugin::read(&path, &display_path, &project.read_scope(), false);
    let given = io.cwd.join(subject);
    // It may have been added by a link to it.
    let is_real = given
        .canonicalize()
        .is_ok_and(|given| path.canonicalize().is_ok_and(|it| it == given));
    let is_folder = lexical(&given) == lexical(&path) || folder == subject;
    is_real || is_folder || plugin().name == subject
}

/// Reports that `name` is removed, and the source that is no longer in the configuration.
fn report_removed(
    name: &str,
    source: Option<&str>,
    args: &RemoveArgs,
    project: &Project,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    if args.format.is_json() {
        let report = json!({"package": name, "configured": source.is_some()});
        return io.show_json(&format!("{report:#}\n"));
    }
    let mut text = format!("removed {}\n", sanitize(name));
    if let Some(source) = source {
        text.push_str(&updated(project, "no longer has", source));
    }
    io.print(text.as_bytes())
}

/// The sources that the configuration of `project` lists, with its file.
fn listed_sources(project: &Project) -> Result<(ConfigFile, Vec<Value>), Failure> {
    let file = ConfigFile::project(project).map_err(failure)?;
    let items = match file.value(KEY).map_err(failure)? {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };
    Ok((file, items))
}

/// Removes the sources of `project` that `is_removed` selects, and returns them.
fn unlist_sources(
    project: &Project,
    is_removed: impl Fn(&Value) -> bool,
) -> Result<Vec<Value>, Failure> {
    let (file, items) = listed_sources(project)?;
    let (removed, items): (Vec<Value>, Vec<Value>) = items.into_iter().partition(is_removed);
    if removed.is_empty() {
        return Ok(removed);
    }
    let change = file.plan_set(project, KEY, &items.into());
    change.and_then(ConfigChange::write).map_err(failure)?;
    Ok(removed)
}
