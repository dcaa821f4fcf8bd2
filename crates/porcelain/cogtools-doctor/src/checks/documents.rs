//! The table of tools in documents: an old one names tools that are gone.

use std::path::{Path, PathBuf};

use cogtools_core::file::WritePath;
use cogtools_core::process::Exit;
use cogtools_program::documents::{DOCUMENTS, Document};

use crate::context::Context;
use crate::finding::Finding;
use crate::process;

/// Returns true if the tables are current; nothing if there are none.
pub(super) fn check(cx: &Context) -> Option<Finding> {
    let files: Vec<&str> = DOCUMENTS
        .into_iter()
        .filter(|file| has_table(cx.root(), file))
        .collect();
    if files.is_empty() {
        return None;
    }
    let program = format!("cogtools{}", std::env::consts::EXE_SUFFIX);
    let program = cx.host.programs.join(program);
    let output = process::run(&program, &["docs", "--check"], b"", &cx.host).ok()?;
    let files = files.join(", ");
    let Exit::Status(status) = output.exit else {
        return None;
    };
    match status.code() {
        Some(0) => Some(Finding::ok(format!(
            "the table of tools is current: {files}"
        ))),
        Some(1) => {
            let message = format!("the table of tools is out of date: {files}");
            Some(Finding::warning(message).fix("cogtools docs"))
        }
        // What keeps it from running is reported elsewhere.
        _ => None,
    }
}

fn has_table(root: &Path, file: &str) -> bool {
    let path = WritePath::in_project(root, Path::new(file));
    let document = Document::open(path, PathBuf::from(file));
    // Markers that are not a pair are reported by `cogtools docs`.
    document.map_or(true, |document| document.has_markers())
}
