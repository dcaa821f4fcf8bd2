//! The tool files of the project, each loaded once for all checks.

use std::path::{Path, PathBuf};

use cogtools_core::sandbox::Denial;
use cogtools_core::source::ProviderError;
use cogtools_core::text::Text;
use cogtools_core::tool::Author;
use cogtools_core::trust::Verdict;
use cogtools_core::{
    self as core, Candidate, Code, Config, Cost, Diagnostic, Folder, Project, Shadowed, Source,
    SourceError, Target, Tool, shebang,
};
use cogtools_edit::{ConfigFile, ConfigFileError};
use cogtools_program::Io;
use cogtools_program::budget::BudgetArg;
use cogtools_program::call::quote;
use cogtools_program::project::{config, config_warnings, context, project, unfiltered_registry};
use serde_json::Value;

use crate::finding::Remedy;

/// The tool files, and errors found while loading them.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    /// Every tool file, in the order of sources and names.
    pub(crate) files: Vec<ToolFile>,
    /// Files that are not tools, and were probably meant to be.
    pub(crate) stray_files: Vec<StrayFile>,
    /// Shadowed files, each with the file that shadows it.
    pub(crate) shadowed: Vec<Shadowed>,
    /// True if folders of the project have tool files; a filter may hide them all.
    pub(crate) has_candidates: bool,
    /// True if no source was loaded, for example because the project belongs to another user.
    pub(crate) is_refused: bool,
    /// The tokens of each declaration, if a budget leaves out tools.
    pub(crate) declared_tokens: Option<Vec<usize>>,
    /// Errors of the configuration or of a source.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The errors of servers whose sandbox has denied a file.
    pub(crate) denied: Vec<Denied>,
    /// The parts of the configuration that have no effect.
    pub(crate) unmatched: Vec<Diagnostic>,
}

/// An error of a server under `mcpServers` of the project, whose sandbox has denied a file.
#[derive(Debug)]
pub(crate) struct Denied {
    pub(crate) diagnostic: Diagnostic,
    /// The key of the server.
    server: String,
    denial: Denial,
}

impl Denied {
    /// Permits the file in the configuration of `project`; the server needs another approval then.
    ///
    /// # Errors
    /// The file cannot be changed.
    pub(crate) fn permit(&self, project: &Project) -> Result<(), ConfigFileError> {
        let file = ConfigFile::project(project)?;
        let path = [SERVERS, &self.server];
        let Some(Value::Object(mut entry)) = file.value(&path)? else {
            return Ok(());
        };
        self.denial.permit(&mut entry);
        let path = [SERVERS, &self.server, "sandbox"];
        file.plan_set(project, &path, &entry["sandbox"])?.write()
    }

    /// The errors in `errors` that a key of the project's file can mend.
    fn of(
        errors: &[SourceError],
        config: &Config,
        project: &Project,
        cx: &core::Context,
    ) -> Vec<Self> {
        let file = ConfigFile::project(project).ok();
        let one = |error: &SourceError| {
            let diagnostic = error.diagnostic();
            let mut providers = config.sources.iter().filter_map(Source::provider);
            let provider = providers.find(|it| it.settings().name == error.source())?;
            let server = &provider.settings().name;
            file.as_ref()?.value(&[SERVERS, server]).ok()??;
            if provider.settings().user_configured {
                return None;
            }
            let said = provider.denial(&diagnostic.details, cx);
            // It may have said nothing.
            let may_be_denied = matches!(diagnostic.code, Code::ToolFailed | Code::Timeout);
            let traced = || provider.trace(cx).filter(|_| may_be_denied);
            Some(Self {
                denial: said.or_else(traced)?,
                server: server.clone(),
                diagnostic,
            })
        };
        errors.iter().filter_map(one).collect()
    }
}

/// The key with MCP servers.
const SERVERS: &str = "mcpServers";

/// A tool file, valid or not.
#[derive(Debug)]
pub(crate) struct ToolFile {
    /// Its stem.
    pub(crate) name: String,
    /// Its path, as shown.
    pub(crate) display_path: PathBuf,
    /// True if it is a link to nothing.
    pub(crate) is_dangling: bool,
    /// True if it begins with our first line, and cannot be run by it.
    pub(crate) lacks_permission: bool,
    /// The variables that a call needs and that are not set.
    pub(crate) unset_variables: Vec<String>,
    /// Why no call can start its program.
    pub(crate) unstartable: Option<Diagnostic>,
    /// The tool, or why it is not declared to Gemini CLI.
    pub(crate) tool: Result<Tool, Vec<Diagnostic>>,
    /// True if it is valid, and only the Gemini API rejects it.
    pub(crate) is_rejected: bool,
}

impl Tools {
    /// Loads the tools of the project that contains `io`'s working directory, as
    /// they are declared to Gemini CLI.
    pub(crate) fn load(io: &Io<'_>) -> Self {
        let registry = match unfiltered_registry(io, Some(Target::Gemini)) {
            Ok(registry) => registry,
            Err(failure) => {
                return Self {
                    is_refused: true,
                    diagnostics: failure.diagnostics().to_vec(),
                    ..Self::default()
                };
            }
        };
        let project = project(io);
        let Ok(config) = config(&project, io) else {
            return Self::default();
        };
        let cx = context(io, &project, config.env_priority, config.bounds());
        let loaded = registry.map_files(|entry, tool| {
            let tool = tool.map_err(core::tool::ToolError::diagnostics);
            ToolFile::new(entry, tool, &cx)
        });
        let uses = registry.uses().read();
        let tools = loaded.items.iter().filter_map(|it| it.tool.as_ref().ok());
        let costs: Vec<(usize, Cost)> = tools
            .map(|tool| tool.cost().with_uses(tool.name().as_str(), &uses))
            .map(|cost| (cost.tokens, cost))
            .collect();
        let count = costs.len();
        let budget = BudgetArg::default().or_configured(&registry);
        // An error of the budget is one of the discovery.
        let declared = budget.and_then(|it| it.select(costs, &registry, Tool::tokens).ok());
        Self {
            declared_tokens: declared.filter(|declared| declared.len() != count),
            denied: Denied::of(&loaded.source_errors, &config, &project, &cx),
            is_refused: false,
            files: loaded.items,
            has_candidates: config
                .folders()
                .any(|folder| !folder.list().entries.is_empty()),
            stray_files: find_stray_files(&project, config.folders()),
            shadowed: loaded.shadowed,
            unmatched: loaded
                .unmatched
                .into_iter()
                .chain(config_warnings(io))
                .collect(),
            diagnostics: loaded.source_errors.iter().map(diagnostic).collect(),
        }
    }

    /// The tools that can be declared.
    pub(crate) fn valid(&self) -> impl Iterator<Item = &Tool> {
        self.files.iter().filter_map(|file| file.tool.as_ref().ok())
    }

    /// The names of the tools that can be declared.
    pub(crate) fn valid_names(&self) -> Vec<String> {
        self.valid().map(|tool| tool.name().to_string()).collect()
    }

    /// The first of `names` that has no side effects because it runs no program, and
    /// arguments for it. A tool with an example is preferred.
    pub(crate) fn pure_template(&self, names: &[String]) -> Option<(&Tool, String)> {
        let pure: Vec<&Tool> = self
            .valid()
            .filter(|tool| names.iter().any(|name| name == tool.name().as_str()))
            .filter(|tool| !tool.runs_programs())
            .collect();
        let example = |tool: &Tool| Some(Value::Object(tool.examples().next()?).to_string());
        let with_example = pure.iter().find_map(|tool| Some((*tool, example(tool)?)));
        with_example.or_else(|| pure.iter().find_map(|tool| Some((*tool, tool.skeleton()?))))
    }
}

/// The diagnostic of `error`. A server that has failed without a hint is seen alone.
fn diagnostic(error: &SourceError) -> Diagnostic {
    let mut diagnostic = error.diagnostic();
    if let SourceError::Provider(name, error) = error
        && let ProviderError::Server(_, cause) | ProviderError::Remembered(_, cause) = &**error
        && cause.hints.is_empty()
    {
        let hint = format!("to see more, run: cogtools mcp test {}", quote(name));
        diagnostic.hints.insert(0, hint.into());
    }
    diagnostic
}

impl ToolFile {
    fn new(file: &Candidate, tool: Result<Tool, Vec<Diagnostic>>, cx: &core::Context) -> Self {
        let rejections = tool.as_ref().map(|tool| Target::Gemini.rejections(tool));
        let rejections = rejections.unwrap_or_default();
        let is_rejected = !rejections.is_empty();
        let tool = if is_rejected { Err(rejections) } else { tool };
        let runnable = tool.as_ref().ok().filter(|tool| tool.starts_process());
        // A call that is not approved fails for that reason, which has its own check.
        let runnable = runnable.filter(|tool| !tool.runs_programs() || is_approved(file, cx));
        let unset_variables = runnable.map_or_else(Vec::new, |tool| unset_variables(tool, cx));
        Self {
            name: file.name.to_string_lossy().into_owned(),
            display_path: file.display_path.clone(),
            is_dangling: is_dangling(&file.path),
            lacks_permission: tool.as_ref().is_ok_and(|tool| {
                shebang::parse(tool.source()).is_some_and(shebang::runs_tools)
                    && file.path.starts_with(&cx.root)
                    && !shebang::is_executable(&file.path)
            }),
            unstartable: runnable
                .filter(|_| unset_variables.is_empty())
                .and_then(|tool| tool.check_program(cx)),
            unset_variables,
            tool,
            is_rejected,
        }
    }
}

/// Returns true if the tool in `file` is the user's, or belongs to a project which the user
/// trusts. Tools of packages are for their authors to examine.
fn is_approved(file: &Candidate, cx: &core::Context) -> bool {
    if file.provenance.author == Author::User {
        return true;
    }
    let verdict = cx.trust.project_verdict(&cx.root);
    let is_package = file
        .path
        .components()
        .any(|part| part.as_os_str() == "node_modules");
    file.path.starts_with(&cx.root)
        && !is_package
        && verdict.is_ok_and(|it| it == Verdict::Approved)
}

/// Returns true if `path` is a link to nothing.
pub(crate) fn is_dangling(path: &Path) -> bool {
    path.is_symlink() && !path.exists()
}

/// The variables that `tool` declares and that neither the environment nor `.env` sets.
fn unset_variables(tool: &Tool, cx: &core::Context) -> Vec<String> {
    // An error in the file has its own message.
    let Ok(file) = cx.environment.file() else {
        return Vec::new();
    };
    let names = tool.env.iter();
    names
        .filter(|name| cx.environment.lookup(name, file.as_ref()).is_none())
        .cloned()
        .collect()
}

/// A file that is not read.
#[derive(Debug)]
pub(crate) struct StrayFile {
    /// Its path, as shown.
    pub(crate) display_path: PathBuf,
    pub(crate) kind: StrayKind,
    /// True if the file that it was meant to be exists.
    is_taken: bool,
}

/// Why a file is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StrayKind {
    /// A tool whose extension is `yml`.
    Tool,
    /// A configuration with another name.
    Configuration,
    /// A link to nothing.
    Link,
}

/// Names that users give the configuration by mistake.
const CONFIGURATIONS: [&str; 3] = [".cogtoolrc.yml", "cogtoolrc.yaml", "cogtoolrc.yml"];

/// The text by which a file is probably a tool.
const TOOL_KEY: &str = "\nimplementation:";

/// The number of unread files that are looked at in a folder.
const MAX_FILES: usize = 1000;

/// The stray files of `project`, whose tools are in `folders`.
pub(crate) fn find_stray_files<'f>(
    project: &Project,
    folders: impl Iterator<Item = &'f Folder>,
) -> Vec<StrayFile> {
    let mut found = configurations(project);
    for folder in folders.flat_map(Folder::toolsets) {
        let entries = std::fs::read_dir(folder.path()).into_iter().flatten();
        let mut names: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.file_name()))
            .take(MAX_FILES)
            .collect();
        names.sort_unstable();
        for name in names {
            let path = folder.path().join(&name);
            found.extend(classify(&path, &folder).map(|kind| StrayFile {
                display_path: folder.display_path().join(&name),
                kind,
                is_taken: path.with_extension("yaml").symlink_metadata().is_ok(),
            }));
        }
    }
    found
}

fn configurations(project: &Project) -> Vec<StrayFile> {
    let (path, _) = project.resolve(Path::new(Project::CONFIG));
    let is_taken = path.symlink_metadata().is_ok();
    let found = CONFIGURATIONS.map(|name| project.resolve(Path::new(name)));
    let found = found.into_iter().filter(|(path, _)| path.is_file());
    let stray = found.map(|(_, display_path)| StrayFile {
        display_path,
        kind: StrayKind::Configuration,
        is_taken,
    });
    stray.collect()
}

fn classify(path: &Path, folder: &Folder) -> Option<StrayKind> {
    let extension = path.extension();
    // Links in place of tools are reported with the tools.
    if extension.is_none_or(|extension| extension != "yaml") && is_dangling(path) {
        return Some(StrayKind::Link);
    }
    if extension? != "yml" {
        return None;
    }
    let text = Text::read(path, path, folder.scope()).ok()?;
    let text = format!("\n{}", text.as_str());
    text.contains(TOOL_KEY).then_some(StrayKind::Tool)
}

impl StrayFile {
    /// The message of the finding.
    pub(crate) fn message(&self) -> String {
        let file = self.display_path.display();
        match self.kind {
            StrayKind::Tool => {
                format!("{file} is not read: the names of tool files end in `.yaml`")
            }
            StrayKind::Configuration => {
                format!(
                    "{file} is not read: the configuration is `{}`",
                    Project::CONFIG
                )
            }
            StrayKind::Link => format!("{file} is a link to a file that does not exist"),
        }
    }

    /// The remedy of the finding.
    pub(crate) fn remedy(&self) -> Remedy {
        let file = self.display_path.display().to_string();
        let right = match self.kind {
            StrayKind::Tool => self.display_path.with_extension("yaml"),
            StrayKind::Configuration => self.display_path.with_file_name(Project::CONFIG),
            StrayKind::Link => return Remedy::Command(format!("rm {}", quote(&file))),
        };
        let right = right.display().to_string();
        if self.is_taken {
            Remedy::Advice(format!(
                "move what you need from {file} to {right}, and remove it"
            ))
        } else {
            Remedy::Command(format!("mv {} {}", quote(&file), quote(&right)))
        }
    }
}
