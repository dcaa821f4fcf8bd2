//! Values of variables that the user has given to one source: its description has only their
//! names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::digest;
use crate::file::{WriteError, WritePath, create_private_folder, remove, replace_private};

/// The folder in the user's state.
const FOLDER: &str = "variables";

/// The values that the user has given to a source, in a file that nobody else can read.
#[derive(Clone, Debug)]
pub struct PrivateVariables {
    folder: PathBuf,
    file: PathBuf,
}

impl PrivateVariables {
    /// Returns the values of the source `name` in the configuration of the user, or of the
    /// project at `root`; `state` is the user's state.
    pub fn of(state: &Path, root: Option<&Path>, name: &str) -> Self {
        let key = digest::value(&json!([root.map(|root| root.display().to_string()), name]));
        Self {
            folder: state.join(FOLDER),
            file: PathBuf::from(format!("{key}.json")),
        }
    }

    /// Returns the values by name; none if there is no file.
    pub fn read(&self) -> BTreeMap<String, String> {
        let text = std::fs::read(self.folder.join(&self.file)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Replaces the values; without any, the file goes.
    pub fn write(&self, values: &BTreeMap<String, String>) -> Result<(), WriteError> {
        let file = WritePath::below(&self.folder, &self.file);
        if values.is_empty() {
            let exists = self.folder.join(&self.file).exists();
            return if exists { remove(&file) } else { Ok(()) };
        }
        create_private_folder(&self.folder).map_err(WriteError::Io)?;
        replace_private(&file, json!(values).to_string().as_bytes())
    }
}
