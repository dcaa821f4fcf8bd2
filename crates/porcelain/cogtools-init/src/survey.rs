//! The state of a directory before `init`: tools that must stay available, and the place where
//! new ones belong.

use std::path::{Path, PathBuf};

use cogtools_core::file::ReadScope;
use cogtools_core::text::{self, Text};
use cogtools_core::yaml::{self, Node};
use cogtools_core::{Code, Config, ConfigPaths, Diagnostic, Origin, Project, pluralize};
use cogtools_program::Io;
use cogtools_program::dirs::config_paths;
use cogtools_program::packages::{self, UnusedPackages};

use crate::documents::{self, ExistingDocument};
use crate::starter::{FOLDER, MAX_DEPTH, OTHER_FOLDER};

/// The directory before any change.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// The folder of the project's tools, relative to it; `None` if no source is one.
    pub(crate) folder: Option<PathBuf>,
    /// The file that already says where tools come from, instead of `.cogtoolrc.yaml`.
    pub(crate) configured_in: Option<PathBuf>,
    /// True if `.cogtoolrc.yaml` does not exist yet and is needed.
    pub(crate) creates_configuration: bool,
    /// Installed packages whose tools could be used as well.
    pub(crate) unused: Option<UnusedPackages>,
    /// The documents for models.
    pub(crate) documents: Vec<ExistingDocument>,
    /// Warnings about tools that will not be found.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Survey {
    /// Looks at the working directory of `io`. Errors of its configuration must be corrected
    /// first: what they hide is unknown.
    pub(crate) fn new(io: &Io<'_>) -> Result<Self, Vec<Diagnostic>> {
        let project = Project::at(&io.cwd);
        let paths = ConfigPaths {
            // The result must not depend on what holds for one run.
            variables: Vec::new(),
            directory: None,
            ..config_paths(io)
        };
        let file = io.cwd.join(Project::CONFIG);
        let exists = file.symlink_metadata().is_ok();
        if exists && !file.is_file() {
            // What is in its place is reported together with other obstacles.
            return Ok(Self {
                folder: Some(FOLDER.into()),
                ..Self::default()
            });
        }
        let config = Config::load(&project, &paths)?;
        let origin = origin_of_sources(&config);
        let mut survey = Self {
            folder: None,
            configured_in: match &origin {
                Some(Origin::Package(path) | Origin::HostFolder(path)) => Some(path.clone()),
                _ => None,
            },
            creates_configuration: false,
            unused: packages::unused(&project, &config, io),
            documents: documents::existing(&project),
            warnings: Vec::new(),
        };
        if origin.is_some() {
            let own = config.without_user_folders();
            let mut folders = own.folders().filter(|folder| !folder.is_users());
            survey.folder = folders.find_map(|folder| folder.path_below(project.root()));
        } else if is_of_another_trade(&project) {
            survey.folder = Some(OTHER_FOLDER.into());
            survey.warnings.push(occupied());
        } else {
            survey.folder = Some(FOLDER.into());
        }
        survey.creates_configuration = survey.configured_in.is_none() && !exists;
        survey.warnings.extend(hidden(&project, &paths));
        Ok(survey)
    }
}

/// Which file of the project says where tools come from, if one does.
fn origin_of_sources(config: &Config) -> Option<Origin> {
    let mut settings = config.settings.iter();
    let sources = settings.find(|one| one.key == "tool_sources")?;
    let mut origins = sources.origins().map(|(origin, _)| origin);
    origins.find(|origin| !origin.is_user()).cloned()
}

/// Returns true if the default folder has YAML files, and all of them are something else than
/// tools.
fn is_of_another_trade(project: &Project) -> bool {
    let (folder, _) = project.resolve(Path::new(FOLDER));
    let found = yaml_files(&folder, MAX_DEPTH);
    let scope = project.read_scope();
    !found.is_empty() && found.iter().all(|file| is_something_else(file, &scope))
}

/// Returns true if the file is a document without any of the keys that every tool has.
fn is_something_else(file: &Path, scope: &ReadScope) -> bool {
    let bytes = text::bytes(file, file, Text::MAX_BYTES, scope).ok();
    let text = bytes.and_then(|bytes| Text::new(file, bytes).ok());
    let Some(text) = text.filter(|text| !text.as_str().trim().is_empty()) else {
        return false;
    };
    let has = |node: &Node, key: &str| node.get(key).is_some();
    yaml::parse(&text).is_ok_and(|node| {
        let keys = ["implementation", "description", "parameters"];
        !keys.iter().any(|key| has(&node, key))
    })
}

/// The YAML files in `folder` and the folders in it.
pub(crate) fn yaml_files(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path
            .extension()
            .is_some_and(|it| it == "yaml" || it == "yml")
        {
            found.push(path);
        } else if depth > 1 && path.is_dir() {
            found.extend(yaml_files(&path, depth - 1));
        }
    }
    found
}

fn occupied() -> Diagnostic {
    let message = format!(
        "`{FOLDER}` has YAML files that are not tools, so the tools are in `{OTHER_FOLDER}`"
    );
    Diagnostic::new(Code::InvalidConfig, message).hint(format!(
        "to use another folder, change `tool_sources` in {}",
        Project::CONFIG
    ))
}

/// The warning that this directory is in a project whose tools are not found from here once
/// it is a project of its own.
fn hidden(project: &Project, paths: &ConfigPaths) -> Option<Diagnostic> {
    let home = paths.home.as_deref();
    let here = Project::find(project.root(), home, &paths.owners);
    if here.root() == project.root() {
        return None;
    }
    let outer = Project::at(here.root());
    let (config, _) = Config::load_valid_layers(&outer, paths).ok()?;
    let own = config.without_user_folders();
    let lists = own.folders().map(|folder| folder.list().entries.len());
    let tools: usize = lists.sum();
    if tools == 0 {
        return None;
    }
    let root = outer.root().display();
    let count = pluralize(tools, "tool");
    let message = format!("the {count} of the project in `{root}` will not be found from here");
    Some(
        Diagnostic::new(Code::InvalidConfig, message)
            .hint("this directory becomes a project of its own; to keep one project, run cogtools init there")
            .hint("to have both, add its folders to `tool_sources`, such as `- local: ../tools`"),
    )
}
