//! A Markdown file of the project.

use std::fs;
use std::path::{Path, PathBuf};

use super::block::Block;

/// A Markdown file.
#[derive(Debug)]
pub(super) struct Document {
    /// Its path from the root of the project, with slashes.
    pub(super) name: String,
    /// Its whole text.
    pub(super) text: String,
    /// Its fenced blocks.
    pub(super) blocks: Vec<Block>,
    /// Its other lines, with their numbers.
    pub(super) prose: Vec<(usize, String)>,
}

impl Document {
    /// The root of the project.
    pub(super) fn root() -> PathBuf {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        root.canonicalize().expect("the project is where it was")
    }

    /// Every document, in the order of names.
    pub(super) fn all() -> Vec<Self> {
        let root = Self::root();
        let mut names = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "GEMINI.md"]
            .map(PathBuf::from)
            .to_vec();
        let mut open = vec![PathBuf::from("docs")];
        while let Some(folder) = open.pop() {
            let entries = fs::read_dir(root.join(&folder)).expect("docs can be listed");
            for entry in entries.flatten() {
                let name = folder.join(entry.file_name());
                if root.join(&name).is_dir() {
                    open.push(name);
                } else if name.extension().is_some_and(|ending| ending == "md") {
                    names.push(name);
                }
            }
        }
        names.sort();
        names.iter().map(|name| Self::read(&root, name)).collect()
    }

    fn read(root: &Path, name: &Path) -> Self {
        let path = root.join(name);
        let text = fs::read_to_string(&path);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (blocks, prose) = Block::split(&text);
        let name = name.to_str().expect("names are plain").to_owned();
        Self {
            name,
            text,
            blocks,
            prose,
        }
    }

    /// Returns true if it is written by hand; `docs/reference` is generated.
    pub(super) fn is_ours(&self) -> bool {
        !self.name.starts_with("docs/reference/")
    }

    /// Its headings, as the part of a link after `#`.
    pub(super) fn anchors(&self) -> Vec<String> {
        let headings = self.prose.iter().filter(|(_, line)| line.starts_with('#'));
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        headings
            .map(|(_, line)| {
                let words = line.trim_start_matches('#').trim().to_lowercase();
                words
                    .chars()
                    .filter(kept)
                    .map(|c| if c == ' ' { '-' } else { c })
                    .collect()
            })
            .collect()
    }
}
