//! Where a folder of tools is in its project.

use std::path::{Component, Path, PathBuf};

use super::Folder;

impl Folder {
    /// The path below the folder `root`, without `.` and `..`; `None` outside it.
    pub fn path_below(&self, root: &Path) -> Option<PathBuf> {
        let below = self.path.strip_prefix(root).ok()?;
        let mut tidy = PathBuf::new();
        for part in below.components() {
            match part {
                Component::ParentDir if !tidy.pop() => return None,
                Component::Normal(name) => tidy.push(name),
                _ => {}
            }
        }
        Some(tidy)
    }
}
