//! Where another tool of the same name would take the place of one that was found.

use std::path::PathBuf;

use super::Registry;
use crate::Tool;
use crate::source::Source;

impl Registry {
    /// The folders in which a file could hide `tool`, which this registry has found in a folder:
    /// those that are searched before its own. `None` if other sources are searched before, or
    /// tools are pinned, so that more than files of these folders decides.
    pub fn folders_before(&self, tool: &Tool) -> Option<Vec<PathBuf>> {
        if self.is_locked() {
            return None;
        }
        let of_tool = tool.text().path().parent()?;
        let mut folders = Vec::new();
        for source in &self.sources {
            let folder = match source {
                Source::Folder(folder) => folder,
                // These have the same tools at any time.
                Source::BuiltIn | Source::Editor => continue,
                Source::Packages(_) | Source::Provider(_) => return None,
            };
            if of_tool == folder.path() {
                return Some(folders);
            }
            folders.push(folder.path().to_path_buf());
            folders.extend(
                folder
                    .toolsets()
                    .map(|toolset| toolset.path().to_path_buf()),
            );
            if of_tool.starts_with(folder.path()) {
                return Some(folders);
            }
        }
        None
    }
}
