//! The private copy of an approved package, from which its tools run.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::package::ToolPackage;
use crate::containment::Boundary;
use crate::digest::Hash;
use crate::file::ReadScope;
use crate::store::{PackageStore, StoreError};
use crate::text::Text;
use crate::{Context, Tool};

/// The boundary of the installed package in the folder `root`.
pub(super) fn boundary(root: &Path, cx: &Context) -> Boundary {
    let home = cx.environment.process().get(OsStr::new("HOME"));
    Boundary::new(&cx.root, root, home.map(Path::new))
}

/// `tool` in the private copy of its `package`, whose approved content has this `hash`.
pub(super) fn tool(
    tool: &Tool,
    package: &ToolPackage,
    hash: Hash,
    cx: &Context,
) -> Result<Tool, StoreError> {
    let state = cx.state.as_deref().ok_or(StoreError::Nowhere)?;
    let copy = PackageStore::new(state).copy(&package.name, &package.root, hash)?;
    let below = below(tool.text().path(), &package.root).ok_or(StoreError::Changed)?;
    let scope = ReadScope::package(&copy, tool.text().scope().is_quotable());
    let text = Text::read(&copy.join(below), tool.text().display_path(), &scope)
        .map_err(|_| StoreError::Changed)?;
    // The tool was read before the package was hashed.
    if text.as_str() != tool.text().as_str() {
        return Err(StoreError::Changed);
    }
    let boundary = boundary(&package.root, cx).with_copy(copy);
    tool.copied(text, boundary).map_err(|_| StoreError::Changed)
}

/// The path of a tool's file in the package at `root`, through which a folder of the
/// project may lead.
fn below(file: &Path, root: &Path) -> Option<PathBuf> {
    let real = file.canonicalize();
    let paths = [Some(file), real.as_deref().ok()];
    let mut below = paths.into_iter().flatten();
    let below = below.find_map(|path| path.strip_prefix(root).ok())?;
    Some(below.to_path_buf())
}
