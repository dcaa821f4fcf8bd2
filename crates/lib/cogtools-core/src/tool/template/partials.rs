//! Template files that `include`, `import`, `extends` and `njk_file` can load: only
//! those in the tool's folder. `..`, absolute paths and links cannot leave it.

use std::path::{Component, Path, PathBuf};

use crate::file::ReadScope;
use crate::text::{Text, TextError};

/// The folder of a tool.
#[derive(Clone, Debug)]
pub(in crate::tool) struct Partials {
    folder: PathBuf,
    display_path: PathBuf,
    scope: ReadScope,
}

/// Why a template file is not read.
#[derive(Debug, thiserror::Error)]
pub(in crate::tool) enum PartialError {
    #[error("`{0}` is outside the tool's folder")]
    Outside(String),
    #[error(transparent)]
    Text(#[from] TextError),
}

impl Partials {
    /// The folder of the tool whose file is `text`.
    pub(in crate::tool) fn of(text: &Text) -> Self {
        let parent = |path: &Path| path.parent().unwrap_or(Path::new("")).to_path_buf();
        Self {
            folder: parent(text.path()),
            display_path: parent(text.display_path()),
            scope: text.scope().clone(),
        }
    }

    /// The file at `path` below the folder.
    pub(in crate::tool) fn read(&self, path: &Path) -> Result<Text, PartialError> {
        let outside = || PartialError::Outside(path.display().to_string());
        if !stays_inside(path) {
            return Err(outside());
        }
        let file = self.folder.join(path);
        let folder = if self.folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.folder
        };
        if let (Ok(folder), Ok(real)) = (folder.canonicalize(), file.canonicalize())
            && !real.starts_with(folder)
        {
            return Err(outside());
        }
        Ok(Text::read(
            &file,
            &self.display_path.join(path),
            &self.scope,
        )?)
    }
}

impl njk::Loader for Partials {
    fn load(&self, name: &str) -> Result<Option<String>, njk::LoadError> {
        match self.read(Path::new(name)) {
            Ok(text) => Ok(Some(text.as_str().to_owned())),
            Err(PartialError::Text(TextError::NotFound(_))) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether the relative `path` stays below its folder.
pub(in crate::tool) fn stays_inside(path: &Path) -> bool {
    let mut parts = path.components();
    path.file_name().is_some()
        && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
