//! The tools of the project, read again for each request, because files change.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use cogtools_core::{Context, Registry, Tool};
use cogtools_program::Failure;
use cogtools_program::args::{EnvArgs, RegistryArgs};
use cogtools_program::project::{ProjectContext, cached_registry};

use crate::app::App;
use crate::respond::PageError;

/// Calls `work` with the registry and the context of its tools. Sources that are programs have
/// what they declared before: looking at a page starts nothing.
pub(super) fn with_registry<T>(
    app: &App,
    work: impl FnOnce(&Registry, &Context) -> T,
) -> Result<T, PageError> {
    let done = app.project.with_io(|io| {
        let registry = cached_registry(&RegistryArgs::default(), io)?;
        let context = ProjectContext::load(EnvArgs::default(), io)?;
        Ok(work(&registry, &context.context(io)))
    });
    done.map_err(|failure: Failure| PageError::Failed(failure.diagnostics().to_vec()))
}

/// Calls `work` with the tool `name`.
pub(crate) fn with_tool<T>(
    app: &App,
    name: &str,
    work: impl FnOnce(&Tool, &Context) -> T,
) -> Result<T, PageError> {
    with_file(app, name, |tool, _, cx| work(tool, cx))
}

/// Calls `work` with the tool `name` and the path of its file.
pub(super) fn with_file<T>(
    app: &App,
    name: &str,
    work: impl FnOnce(&Tool, &Path, &Context) -> T,
) -> Result<T, PageError> {
    with_registry(app, |registry, cx| {
        let found = registry.find(name);
        let found = found.and_then(|tool| Ok((tool, registry.locate(name)?)));
        match found {
            Ok((tool, file)) => Ok(work(&tool, &file.path, cx)),
            Err(error) => Err(PageError::Failed(error.diagnostics())),
        }
    })?
}

/// A hash of what the tools are: their files, and when these were written.
pub(crate) fn fingerprint(app: &App) -> u64 {
    let mut hasher = DefaultHasher::new();
    let hashed = with_registry(app, |registry, _| {
        for file in registry.files().items {
            file.display_path.hash(&mut hasher);
            let meta = file.path.metadata();
            let written = meta.and_then(|meta| Ok((meta.modified()?, meta.len())));
            written.ok().hash(&mut hasher);
        }
    });
    if let Err(PageError::Failed(diagnostics)) = hashed {
        for diagnostic in diagnostics {
            diagnostic.message.hash(&mut hasher);
        }
    }
    hasher.finish()
}
