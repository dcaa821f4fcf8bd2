//! The tools of one project, looked up anew each time: a server lives long, and
//! files change under it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::ArgMatches;
use cogtools_core::{
    Cancel, Config, Environment, Fault, FindError, Places, Project, Registry, Source, Surroundings,
    Target, Tool,
};
use cogtools_program::project::{places, project, select};
use cogtools_program::{Io, Vars};
use rmcp::model;

use crate::prompt;

/// Where the tools come from.
pub(crate) struct Catalogue {
    project: Project,
    places: Places,
    /// The command line, which may leave tools out.
    matches: ArgMatches,
    cwd: PathBuf,
    vars: Vars,
    /// What the last listing complained about.
    told: Mutex<Vec<Fault>>,
}

/// All that clients are told of a project.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) tools: Vec<model::Tool>,
    pub(crate) prompts: Vec<model::Prompt>,
    /// What is wrong with files that are left out, as far as no listing before has
    /// said it.
    pub(crate) news: Vec<Fault>,
}

impl Catalogue {
    /// The catalogue of the project around `io`'s working directory.
    pub(crate) fn new(matches: &ArgMatches, io: &Io<'_>) -> Self {
        Self {
            project: project(io),
            places: places(io),
            matches: matches.clone(),
            cwd: io.cwd.clone(),
            vars: io.vars.clone(),
            told: Mutex::default(),
        }
    }

    /// What the project says of its tools.
    pub(crate) fn config(&self) -> Result<Config, Vec<Fault>> {
        let config = Config::load(&self.project, &self.places);
        let mut config = config.map_err(cogtools_core::ConfigError::faults)?;
        select(&self.matches, &mut config.filter);
        Ok(config)
    }

    /// The one place where a registry is made.
    fn registry(&self) -> Result<Registry, Vec<Fault>> {
        let config = self.config()?;
        Ok(Registry::new(config, Some(Target::Mcp)))
    }

    /// The tool of that name.
    pub(crate) fn find(&self, name: &str) -> Result<Tool, Missing> {
        let registry = self.registry().map_err(Missing::Unusable)?;
        registry.find(name).map_err(|error| match error {
            FindError::Invalid(_) => Missing::Unusable(error.faults()),
            _ => Missing::Unknown(error.faults()),
        })
    }

    /// Every tool and every prompt.
    pub(crate) fn list(&self) -> Result<Listing, Vec<Fault>> {
        let found = self.registry()?.map(|loaded| match loaded {
            Ok(tool) => Ok((declared(&tool), prompt::offered(&tool))),
            Err(error) => Err(error.faults()),
        });
        let mut listing = Listing::default();
        let mut faults: Vec<Fault> = found.unlisted.iter().map(|error| error.fault()).collect();
        for item in found.items {
            match item {
                Ok((tool, prompt)) => {
                    listing.tools.extend(tool);
                    listing.prompts.extend(prompt);
                }
                Err(wrong) => faults.extend(wrong),
            }
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let news = faults.iter().filter(|fault| !told.contains(fault));
        listing.news = news.cloned().collect();
        *told = faults;
        Ok(listing)
    }

    /// A number that another listing only has when it says the same.
    pub(crate) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        match self.list() {
            Ok(listing) => {
                let text = serde_json::to_string(&(listing.tools, listing.prompts));
                text.unwrap_or_default().hash(&mut hasher);
            }
            Err(faults) => faults
                .iter()
                .for_each(|fault| fault.message.hash(&mut hasher)),
        }
        hasher.finish()
    }

    /// What is around a call of `tool`. A template looks at nothing, so nothing is
    /// looked for.
    pub(crate) fn surroundings(&self, tool: &Tool, cancel: Cancel) -> Surroundings {
        if !tool.implementation().runs_programs() {
            return Surroundings::default();
        }
        let root = self.project.root();
        let environment = Environment::new(self.vars.clone());
        let priority = self
            .config()
            .map(|config| config.env_priority)
            .unwrap_or_default();
        Surroundings {
            root: root.to_path_buf(),
            environment: environment.within(&self.cwd, root, self.project.shown(), priority),
            cancel,
        }
    }

    /// The folders in which something can happen that changes the list: the root,
    /// for its configuration, and those of tools, or what is there of their paths.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let root = self.project.root();
        let sources = self.config().map(|config| config.sources);
        let path = |source: &Source| match source {
            Source::Folder(folder) => folder.path().to_path_buf(),
            Source::Packages(_) => root.join("node_modules"),
        };
        let there = |path: PathBuf| {
            path.ancestors()
                .find(|path| path.is_dir())
                .map(Path::to_path_buf)
        };
        let sources = sources.unwrap_or_default();
        let mut folders: Vec<PathBuf> = sources.iter().map(path).filter_map(there).collect();
        folders.push(root.to_path_buf());
        folders.sort_unstable();
        folders.dedup();
        folders
    }
}

/// Why there is no tool to call.
#[derive(Debug)]
pub(crate) enum Missing {
    /// There is none of that name.
    Unknown(Vec<Fault>),
    /// There is one, or could be, but it or the configuration is not valid.
    Unusable(Vec<Fault>),
}

/// What a client is told of a tool.
fn declared(tool: &Tool) -> Option<model::Tool> {
    serde_json::from_value(Target::Mcp.declare(tool)).ok()
}
