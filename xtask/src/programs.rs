//! The programs of the package: one source file each.

use std::path::Path;

use anyhow::Result;

use crate::command::root;
use crate::files;

/// The program that contains all others.
pub(crate) const COGTOOLS: &str = "cogtools";

/// The program that only the others start, and that is for Unix.
pub(crate) const CONFINE: &str = "cogtools-confine";

/// The names of all that users start, sorted.
pub(crate) fn names() -> Result<Vec<String>> {
    let mut names = own()?;
    names.retain(|name| name != CONFINE);
    names.extend(linked()?);
    names.sort_unstable();
    Ok(names)
}

/// The names of the standalone programs, sorted.
pub(crate) fn own() -> Result<Vec<String>> {
    sources("bin")
}

/// The names of those that are links to `cogtools`, or stubs where links are not
/// possible, sorted.
pub(crate) fn linked() -> Result<Vec<String>> {
    sources("stub")
}

fn sources(folder: &str) -> Result<Vec<String>> {
    let package: &Path = &root()?.join("crates/porcelain").join(COGTOOLS);
    let sources = files::below(&package.join("src").join(folder))?;
    let names = sources.into_iter().filter_map(|file| {
        let stem = file.file_stem()?.to_str()?;
        Some(stem.to_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    Ok(names)
}
