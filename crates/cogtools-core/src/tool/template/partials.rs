//! Templates beside a tool: what `include`, `import`, `extends` and `njk_file`
//! may reach. Nothing outside the tool's own folder, ever: not by `..`, not by
//! an absolute path, not by a link.

use std::path::{Component, Path, PathBuf};

use crate::text::{Text, TextError};

/// The folder of a tool.
#[derive(Clone, Debug)]
pub(in crate::tool) struct Partials {
    folder: PathBuf,
    display_path: PathBuf,
}

/// Why a file beside a tool is not read.
#[derive(Debug, thiserror::Error)]
pub(in crate::tool) enum PartialError {
    #[error("`{0}` leads out of the tool's own folder")]
    Outside(String),
    #[error(transparent)]
    Text(#[from] TextError),
}

impl Partials {
    /// The folder of the tool whose file is `text`.
    pub(in crate::tool) fn beside(text: &Text) -> Self {
        let parent = |path: &Path| path.parent().unwrap_or(Path::new("")).to_path_buf();
        Self {
            folder: parent(text.path()),
            display_path: parent(text.display_path()),
        }
    }

    /// The file at `path` below the folder.
    pub(in crate::tool) fn read(&self, path: &Path) -> Result<Text, PartialError> {
        let outside = || PartialError::Outside(path.display().to_string());
        if !stays_inside(path) {
            return Err(outside());
        }
        let whole = self.folder.join(path);
        let folder = if self.folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.folder
        };
        if let (Ok(folder), Ok(real)) = (folder.canonicalize(), whole.canonicalize())
            && !real.starts_with(folder)
        {
            return Err(outside());
        }
        Ok(Text::read(&whole, &self.display_path.join(path))?)
    }
}

impl njk::Loader for Partials {
    fn load(&self, name: &str) -> Result<Option<String>, njk::LoadError> {
        match self.read(Path::new(name)) {
            Ok(text) => Ok(Some(text.as_str().to_owned())),
            Err(PartialError::Text(TextError::Absent(_))) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether `path` names a file below the folder that it is relative to.
pub(in crate::tool) fn stays_inside(path: &Path) -> bool {
    let mut parts = path.components();
    path.file_name().is_some()
        && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
