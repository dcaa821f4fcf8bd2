//! The source of included, imported and extended templates. The crate itself
//! reads no files: the host decides which templates a name can reach.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::BuildHasher;

/// The error of a loader, which becomes the message of a template error.
pub type LoadError = Box<dyn std::error::Error + Send + Sync>;

/// Finds the source of a template by its name.
///
/// Relative names (`./row.njk`, `../row.njk`) are resolved against the name of
/// the including template before they reach the loader; a name that leads above
/// the top is never passed on.
pub trait Loader: Send + Sync {
    /// The source of the template `name`, or `None` if it does not exist.
    fn load(&self, name: &str) -> Result<Option<String>, LoadError>;
}

impl<S: BuildHasher + Send + Sync> Loader for HashMap<String, String, S> {
    fn load(&self, name: &str) -> Result<Option<String>, LoadError> {
        Ok(self.get(name).cloned())
    }
}

impl Loader for BTreeMap<String, String> {
    fn load(&self, name: &str) -> Result<Option<String>, LoadError> {
        Ok(self.get(name).cloned())
    }
}

/// The default loader, which finds nothing.
pub(crate) struct Nothing;

impl Loader for Nothing {
    fn load(&self, _name: &str) -> Result<Option<String>, LoadError> {
        Ok(None)
    }
}

impl fmt::Debug for dyn Loader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loader")
    }
}

/// Resolves `name` in the template `from`.
///
/// `None` means that the name leads above the top.
pub fn resolve(from: &str, name: &str) -> Option<String> {
    if !name.starts_with("./") && !name.starts_with("../") {
        return Some(name.to_owned());
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
