//! The tools that a run tests.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cogtools_core::text::TextError;
use cogtools_core::{
    Candidate, Code, Config, Context, Diagnostic, FindError, Folder, Registry, SourceError, fail_on,
};
use cogtools_program::call::quote;
use cogtools_program::project::read_scope;
use cogtools_program::{Failure, Io};

/// Why a tool that is listed may have no tests.
pub(crate) const NO_FILES: &str =
    "the tools of specifications and servers have neither files nor tests of their own";

/// The tools that a run tests.
#[derive(Debug, Default)]
pub(crate) struct Targets {
    /// The tool files.
    pub(crate) files: Vec<Candidate>,
    /// The files that were named by path; hosts may not find them by name.
    pub(crate) by_path: HashSet<PathBuf>,
    /// The folders whose tools are all included.
    pub(crate) folders: Vec<Folder>,
    /// Folders that cannot be listed.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// True if there may be tools without files.
    pub(crate) has_others: bool,
}

impl Targets {
    /// The tools in `requested`, relative to the working directory of `io`, or else all tools of the project.
    pub(crate) fn collect(
        requested: &[OsString],
        config: &Config,
        io: &Io<'_>,
    ) -> Result<Self, Failure> {
        // Tools of packages and providers are tested by their authors.
        let mut folders_only = config.clone();
        folders_only
            .sources
            .retain(|source| source.folder().is_some());
        let mut targets = Self {
            has_others: config.has_tools_without_files(),
            ..Self::default()
        };
        if requested.is_empty() {
            // The user's own tools are tested where they are written.
            let own = folders_only.without_user_folders();
            targets.folders.extend(own.folders().cloned());
            let found = Registry::new(own, None, Context::default()).files();
            targets.files = found.items;
            targets.diagnostics = found
                .source_errors
                .iter()
                .map(SourceError::diagnostic)
                .collect();
            return Ok(targets);
        }
        let registry = Registry::new(folders_only, None, Context::default());
        let mut diagnostics = Vec::new();
        for target in requested {
            let is_name = as_path(target).is_none();
            let path = Path::new(target);
            match is_name.then(|| registry.locate(&target.to_string_lossy())) {
                Some(Ok(file)) => targets.files.push(file),
                Some(Err(FindError::NotFound(_))) if targets.has_others => {
                    let message = "no tool file has this name";
                    let diagnostic = Diagnostic::new(Code::ToolNotFound, message)
                        .with_subject(target.to_string_lossy());
                    diagnostics.push(diagnostic.hint(NO_FILES));
                }
                Some(Err(error)) if !io.cwd.join(path).is_dir() => {
                    diagnostics.extend(error.diagnostics());
                }
                _ => diagnostics.extend(targets.add(path, io).err().map(|diagnostic| *diagnostic)),
            }
        }
        fail_on(diagnostics)?;
        let mut seen = HashSet::new();
        targets.files.retain(|file| seen.insert(file.path.clone()));
        Ok(targets)
    }

    /// The name or the path of the tool in `file`, quoted for a shell.
    pub(crate) fn shell_arg(&self, file: &Candidate) -> String {
        let by_path = self.by_path.contains(&file.path);
        let arg = if by_path {
            file.display_path.display()
        } else {
            Path::new(&file.name).display()
        };
        quote(&arg.to_string())
    }

    /// Adds the tool file at `display_path`, or the tool files of the folder there.
    fn add(&mut self, display_path: &Path, io: &Io<'_>) -> Result<(), Box<Diagnostic>> {
        let path = io.cwd.join(display_path);
        let scope = read_scope(&path, io);
        let files = if path.is_dir() {
            let folder = Folder::new(path, display_path.to_path_buf(), true, scope);
            let found = folder.list();
            let mut diagnostics = found.errors.iter().map(SourceError::diagnostic);
            if found.entries.is_empty()
                && let Some(diagnostic) = diagnostics.next()
            {
                return Err(Box::new(diagnostic));
            }
            self.diagnostics.extend(diagnostics);
            self.folders.push(folder);
            found.entries
        } else if path.symlink_metadata().is_ok() {
            vec![Candidate::file(path, display_path.to_path_buf(), scope)]
        } else {
            let absent = TextError::NotFound(display_path.to_path_buf());
            return Err(Box::new(absent.diagnostic(Code::IoFailed)));
        };
        self.by_path
            .extend(files.iter().map(|file| file.path.clone()));
        self.files.extend(files);
        Ok(())
    }
}

/// `target` as a path, unless it is a name, which contains neither a dot nor a separator.
fn as_path(target: &OsString) -> Option<&Path> {
    let path = Path::new(target);
    let has_parent = path.components().count() > 1 || path.is_absolute();
    let has_extension = path.extension().is_some() || path.file_name().is_none();
    let ends_with_separator = target.to_string_lossy().ends_with(std::path::is_separator);
    (has_parent || has_extension || ends_with_separator).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_paths() {
        let check = |target: &str, expected: bool| {
            assert_eq!(
                as_path(&OsString::from(target)).is_some(),
                expected,
                "{target:?}"
            );
        };
        check("say", false);
        check("no name", false);
        check("say.yaml", true);
        check("./say", true);
        check("tools/say.yaml", true);
        check("tools/", true);
        check(".", true);
        check("..", true);
        check("/", true);
    }
}
