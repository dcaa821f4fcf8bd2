//! Where included, imported and extended templates come from. The crate
//! itself reads no files: a host decides what a name may reach.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::BuildHasher;

/// What a loader failed with; it becomes the message of a template error.
pub type LoadError = Box<dyn std::error::Error + Send + Sync>;

/// Finds the source of a template by its name.
///
/// Relative names (`./row.njk`, `../row.njk`) are resolved against the name
/// of the template that asks before the loader sees them; a name that would
/// leave the top is never passed on.
pub trait Loader: Send + Sync {
    /// The source of the template `name`, or `None` when there is none.
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

/// The loader of an engine that was given none: it finds nothing.
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

/// Resolves `name` as asked for by the template `from`.
///
/// `None` means that the name climbs above the top.
pub(crate) fn resolve(from: &str, name: &str) -> Option<String> {
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
