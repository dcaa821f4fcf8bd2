//! Which tools a run tests.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cogtools_core::text::TextError;
use cogtools_core::{Candidate, Code, Config, Context, Diagnostic, Folder, Registry, SourceError};
use cogtools_program::Failure;
use cogtools_program::call::quote;

/// What a run tests.
#[derive(Debug, Default)]
pub(crate) struct Targets {
    /// The tool files.
    pub(crate) files: Vec<Candidate>,
    /// Those of them that a host cannot call by name, for they were named by path.
    pub(crate) by_path: HashSet<PathBuf>,
    /// The folders all of whose tools are among them.
    pub(crate) folders: Vec<Folder>,
    /// Folders that cannot be listed.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Targets {
    /// The tools that `requested` names, from the directory `cwd`; where it names none,
    /// those of the project.
    pub(crate) fn collect(
        requested: &[OsString],
        config: &Config,
        cwd: &Path,
    ) -> Result<Self, Failure> {
        // What packages and providers bring along is theirs to test.
        let mut own = config.clone();
        own.sources.retain(|source| source.folder().is_some());
        let registry = Registry::new(own, None, Context::default());
        let mut targets = Self::default();
        if requested.is_empty() {
            let found = registry.files();
            targets.files = found.items;
            targets.folders.extend(config.folders().cloned());
            targets.diagnostics = found
                .source_errors
                .iter()
                .map(SourceError::diagnostic)
                .collect();
            return Ok(targets);
        }
        let mut diagnostics = Vec::new();
        for asked in requested {
            match path(asked) {
                None => match registry.locate(&asked.to_string_lossy()) {
                    Ok(file) => targets.files.push(file),
                    Err(error) => diagnostics.extend(error.diagnostics()),
                },
                Some(shown) => {
                    diagnostics.extend(targets.add(shown, cwd).err().map(|diagnostic| *diagnostic))
                }
            }
        }
        if !diagnostics.is_empty() {
            return Err(diagnostics.into());
        }
        let mut seen = HashSet::new();
        targets.files.retain(|file| seen.insert(file.path.clone()));
        Ok(targets)
    }

    /// What names the tool in `file` on a command line, as a shell takes it.
    pub(crate) fn shell_arg(&self, file: &Candidate) -> String {
        let by_path = self.by_path.contains(&file.path);
        let arg = if by_path {
            file.display_path.display()
        } else {
            Path::new(&file.name).display()
        };
        quote(&arg.to_string())
    }

    /// Adds the tool file at `shown`, or those of the folder there.
    fn add(&mut self, shown: &Path, cwd: &Path) -> Result<(), Box<Diagnostic>> {
        let path = cwd.join(shown);
        let files = if path.is_dir() {
            let folder = Folder::new(path, shown.to_path_buf(), true);
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
            vec![Candidate::file(path, shown.to_path_buf())]
        } else {
            let absent = TextError::Absent(shown.to_path_buf());
            return Err(Box::new(absent.diagnostic(Code::IoFailed)));
        };
        self.by_path
            .extend(files.iter().map(|file| file.path.clone()));
        self.files.extend(files);
        Ok(())
    }
}

/// The path that `asked` is, unless it is a name: a name has neither a dot nor a
/// separator.
fn path(asked: &OsString) -> Option<&Path> {
    let path = Path::new(asked);
    let several = path.components().count() > 1 || path.is_absolute();
    let ending = path.extension().is_some() || path.file_name().is_none();
    let separator = asked.to_string_lossy().ends_with(std::path::is_separator);
    (several || ending || separator).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths() {
        let check = |asked: &str, expected: bool| {
            assert_eq!(
                path(&OsString::from(asked)).is_some(),
                expected,
                "{asked:?}"
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
