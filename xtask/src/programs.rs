//! The programs that the package has: one source file each.

use anyhow::Result;

use crate::command::root;
use crate::files;

/// Their names, sorted.
pub(crate) fn names() -> Result<Vec<String>> {
    let package = root()?.join("crates").join("cogtools");
    let sources = files::below(&package.join("src").join("bin"))?;
    let names = sources.into_iter().filter_map(|file| {
        let stem = file.file_stem()?.to_str()?;
        Some(stem.to_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    Ok(names)
}
