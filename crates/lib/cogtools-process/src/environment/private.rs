//! Values of variables that the user has given to one source: its description has only their
//! names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cogtools_document::file::{
    WriteError, WritePath, create_private_folder, remove, replace_private,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::digest;

/// The folder in the user's state.
const FOLDER: &str = "variables";

/// The values that the user has given to a source, in a file that nobody else can read.
#[derive(Clone, Debug)]
pub struct PrivateVariables {
    folder: PathBuf,
    file: PathBuf,
    key: String,
}

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum PrivateVariable {
    /// The value.
    Value(String),
    /// It is in the keyring of the user.
    Keyring {
        /// A text that is another one after each change.
        changed: String,
    },
}

impl PrivateVariables {
    /// Returns the values of the source `name` in the configuration of the user, or of the
    /// project at `root`; `state` is the user's state.
    pub fn of(state: &Path, root: Option<&Path>, name: &str) -> Self {
        let key = digest::value(&json!([root.map(|root| root.display().to_string()), name]));
        Self {
            folder: state.join(FOLDER),
            file: PathBuf::from(format!("{key}.json")),
            key: format!("variables-{key}"),
        }
    }

    /// The name of its entry in the keyring: an object with the values by name.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the values by name; none if there is no file.
    pub fn read(&self) -> BTreeMap<String, PrivateVariable> {
        let text = std::fs::read(self.folder.join(&self.file)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Replaces the values; without any, the file goes.
    pub fn write(&self, values: &BTreeMap<String, PrivateVariable>) -> Result<(), WriteError> {
        let file = WritePath::below(&self.folder, &self.file);
        if values.is_empty() {
            let exists = self.folder.join(&self.file).exists();
            return if exists { remove(&file) } else { Ok(()) };
        }
        create_private_folder(&self.folder).map_err(WriteError::Io)?;
        replace_private(&file, json!(values).to_string().as_bytes())
    }
}
