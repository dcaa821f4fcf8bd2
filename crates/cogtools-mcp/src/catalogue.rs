//! The tools of one project, looked up anew each time: a server lives long, and
//! files change under it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cogtools_core::{
    Cancel, Context, Diagnostic, FindError, Registry, Source, SourceError, Target, Tool,
};
use cogtools_program::args::RegistryArgs;
use cogtools_program::budget::BudgetArg;
use cogtools_program::{Failure, Input, Io, Reporter, SignalWatch, Terminals, Vars, project};

use crate::offer::Offer;
use crate::shelf::Shelf;

/// What the command line says of the tools.
pub(crate) struct CatalogueArgs {
    pub(crate) registry: RegistryArgs,
    pub(crate) budget: BudgetArg,
}

/// Where the tools come from.
pub(crate) struct Catalogue {
    /// The command line, which may leave tools out.
    args: CatalogueArgs,
    vars: Vars,
    cwd: PathBuf,
    program: PathBuf,
    reporter: Reporter,
    shelf: Shelf,
    /// What the last listing complained about.
    told: Mutex<Vec<Diagnostic>>,
    cancel: Cancel,
}

/// All that clients are told of a project.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) offers: Vec<Arc<Offer>>,
    /// The same without what a budget leaves out: all of them can be prompts.
    pub(crate) prompts: Vec<Arc<Offer>>,
    /// What is wrong with files that are left out.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Catalogue {
    /// The catalogue of the project around `io`'s working directory.
    pub(crate) fn new(args: CatalogueArgs, io: &Io<'_>) -> Self {
        Self {
            args,
            vars: io.vars.clone(),
            cwd: io.cwd.clone(),
            program: io.program.clone(),
            reporter: io.reporter.clone(),
            shelf: Shelf::default(),
            told: Mutex::default(),
            cancel: Cancel::default(),
        }
    }

    /// Does `work` in the world that the server was started in, which has no streams
    /// for it: those belong to the client.
    fn within<T>(&self, work: impl FnOnce(&Io<'_>) -> T) -> T {
        let (mut stdout, mut stderr) = (std::io::sink(), std::io::sink());
        work(&Io {
            stdin: Input::empty(),
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminals: Terminals::default(),
            vars: self.vars.clone(),
            cwd: self.cwd.clone(),
            program: self.program.clone(),
            next: None,
            reporter: self.reporter.clone(),
            signals: SignalWatch::with_token(self.cancel.clone()),
        })
    }

    /// Ends the sources that are programs and being asked.
    pub(crate) fn stop(&self) {
        self.cancel.cancel();
    }

    /// The one place where a registry is made.
    pub(crate) fn registry(&self) -> Result<Registry, Vec<Diagnostic>> {
        let made = self.within(|io| project::registry(&self.args.registry, io, Some(Target::Mcp)));
        made.map_err(|failure| failure.diagnostics().to_vec())
    }

    /// The tool of that name, and the registry that has it.
    pub(crate) fn find(&self, name: &str) -> Result<(Registry, Tool), CallError> {
        let registry = self.registry().map_err(CallError::Failed)?;
        let tool = registry.find(name).map_err(|error| match error {
            FindError::Invalid(_) => CallError::Failed(error.diagnostics()),
            _ => CallError::Unknown(error.diagnostics()),
        })?;
        Ok((registry, tool))
    }

    /// Every tool, and what no listing before has complained about.
    pub(crate) fn list(&self) -> Result<(Listing, Vec<Diagnostic>), Vec<Diagnostic>> {
        let listing = self.look()?;
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let news = listing
            .diagnostics
            .iter()
            .filter(|diagnostic| !told.contains(diagnostic));
        let news = news.cloned().collect();
        told.clone_from(&listing.diagnostics);
        Ok((listing, news))
    }

    fn look(&self) -> Result<Listing, Vec<Diagnostic>> {
        let registry = self.registry()?;
        let budget = self.args.budget.or_configured(&registry);
        let found = registry.files();
        let mut listing = Listing::default();
        let unlisted = found.source_errors.iter().map(SourceError::diagnostic);
        listing.diagnostics.extend(unlisted);
        for offered in self.shelf.offers(found.items, budget.is_some()) {
            match offered {
                Ok(offer) => listing.prompts.push(offer),
                Err(wrong) => listing.diagnostics.extend(wrong),
            }
        }
        let offers = listing.prompts.iter().map(Arc::clone);
        listing.offers = match budget {
            Some(budget) => {
                let counted = offers.map(|offer| (Some(Arc::clone(&offer)), offer.tokens()));
                let index = |tool: &Tool| Offer::new(tool, true).ok().map(Arc::new);
                let kept = budget.keep(counted.collect(), &registry, index)?;
                kept.into_iter().flatten().collect()
            }
            None => offers.collect(),
        };
        Ok(listing)
    }

    /// A number that another listing only has when it says the same.
    pub(crate) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        match self.look() {
            Ok(listing) => {
                let offers = listing.offers.iter().chain(&listing.prompts);
                offers.for_each(|offer| offer.digest().hash(&mut hasher));
            }
            Err(diagnostics) => {
                let messages = diagnostics.iter().map(|diagnostic| &diagnostic.message);
                messages.for_each(|message| message.hash(&mut hasher));
            }
        }
        hasher.finish()
    }

    /// What is around a call of `tool`, which `cancel` ends. A template looks at
    /// nothing, so nothing is looked for.
    pub(crate) fn cx(&self, tool: &Tool, cancel: Cancel) -> Result<Context, Vec<Diagnostic>> {
        if !tool.runs_programs() {
            return Ok(Context::default());
        }
        let cx = self.within(|io| {
            let project = project::project(io);
            let config = project::config(&project, io)?;
            Ok(project::cx(io, &project, config.env_priority))
        });
        let cx = cx.map_err(|failure: Failure| failure.diagnostics().to_vec())?;
        Ok(Context { cancel, ..cx })
    }

    /// The folders in which something can happen that changes the list: the root,
    /// for its configuration, and those of tools, or what is there of their paths.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let (root, config) = self.within(|io| {
            let project = project::project(io);
            let config = project::config(&project, io);
            (project.root().to_path_buf(), config)
        });
        let path = |source: &Source| match source.folder() {
            Some(folder) => folder.path().to_path_buf(),
            None => root.join("node_modules"),
        };
        let there = |path: PathBuf| {
            let there = path.ancestors().find(|path| path.is_dir());
            there.map(Path::to_path_buf)
        };
        let sources = config.map(|config| config.sources).unwrap_or_default();
        let mut folders: Vec<PathBuf> = sources.iter().map(path).filter_map(there).collect();
        folders.push(root);
        folders.sort_unstable();
        folders.dedup();
        folders
    }
}

/// Why a call has no answer.
#[derive(Debug)]
pub(crate) enum CallError {
    /// There is no tool of that name.
    Unknown(Vec<Diagnostic>),
    /// There is one, or could be, but it or the configuration is not valid, it cannot
    /// be called so, or it failed.
    Failed(Vec<Diagnostic>),
}
