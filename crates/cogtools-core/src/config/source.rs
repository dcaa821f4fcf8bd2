//! One item of `tool_sources`.

use std::path::{Path, PathBuf};

use super::fault::ConfigFault;
use super::reader::Reader;
use crate::source::{Folder, Source};
use crate::suggest::did_you_mean;
use crate::yaml::{Data, Entry, Node};

/// The kinds of sources.
pub(super) const KINDS: [&str; 2] = ["local", "node_modules"];

impl Reader<'_> {
    pub(super) fn sources(&mut self, entry: &Entry) -> Vec<Source> {
        let Some(items) = entry.value.items() else {
            self.refuse(&ConfigFault::Sources(entry.value.kind()), entry.value.span);
            return Vec::new();
        };
        items.iter().filter_map(|item| self.source(item)).collect()
    }

    fn source(&mut self, item: &Node) -> Option<Source> {
        let (word, span, value) = match &item.data {
            Data::Map(entries) if entries.len() == 1 => (
                entries[0].key.as_str(),
                entries[0].span,
                Some(&entries[0].value),
            ),
            Data::Text { text, .. } => (text.as_str(), item.span, None),
            _ => {
                self.refuse(&ConfigFault::Source(item.kind()), item.span);
                return None;
            }
        };
        match (word, value) {
            ("local", Some(value)) => {
                let Some(path) = value.text() else {
                    self.refuse(&ConfigFault::Local(value.kind()), value.span);
                    return None;
                };
                let (folder, shown) = &self.layer.folder;
                let parts = Path::new(path).components();
                let tidy: PathBuf = parts.filter(|part| part.as_os_str() != ".").collect();
                let folder = Folder::new(folder.join(&tidy), shown.join(&tidy), true);
                return Some(Source::Folder(folder));
            }
            ("node_modules", None) => {
                return Some(Source::Packages(self.packages.clone()));
            }
            (_, None) => self.refuse(&ConfigFault::Source("a string"), span),
            (word, Some(_)) => {
                let meant = did_you_mean(word, KINDS);
                self.refuse(&ConfigFault::Kind(word.to_owned(), meant), span);
            }
        }
        None
    }
}
