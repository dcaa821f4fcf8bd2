//! Yarn's Plug'n'Play: packages that are not installed as folders.

use std::path::{Path, PathBuf};

use super::package::MODULES;

/// What Yarn writes instead of folders of packages.
const FILES: [&str; 2] = [".pnp.cjs", ".pnp.loader.mjs"];

/// The file that Yarn has written instead of the folder of packages for the project at
/// `root`, known to the user as `display_path`, if it is nearer than such a folder.
pub(super) fn plug_and_play(root: &Path, display_path: &Path) -> Option<PathBuf> {
    let nearest = root.ancestors().find_map(|folder| {
        let mut files = FILES.iter().map(|name| folder.join(name));
        match files.find(|file| file.is_file()) {
            None => folder.join(MODULES).is_dir().then_some(None),
            found => Some(found),
        }
    });
    let file = nearest.flatten()?;
    let below = file.strip_prefix(root).ok();
    Some(below.map_or_else(|| file.clone(), |name| display_path.join(name)))
}
