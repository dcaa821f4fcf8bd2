//! Documents are tests: commands in README and docs/ run, examples load, links resolve.
//!
//! A console block is a session: lines that begin with `$ ` are typed (`> ` continues
//! the same command), and the lines below are the whole output as a reader
//! sees it. The blocks of one document share one scratch copy of the project, in
//! order. A YAML block with `file="NAME"` is saved there before what follows it.

mod block;
mod console;
mod data;
mod document;
mod model;
mod prose;
mod renewal;
mod shape;

use document::Document;

/// README, CONTRIBUTING, CHANGELOG, GEMINI and everything below docs/.
fn documents() -> Vec<Document> {
    let found = Document::all();
    assert!(
        found.len() > 10,
        "only {} documents were found",
        found.len()
    );
    found
}

/// The document of that name.
fn named(name: &str) -> Document {
    let found = documents()
        .into_iter()
        .find(|document| document.name == name);
    found.unwrap_or_else(|| panic!("{name} is missing"))
}

/// The files that the document of that name saves, in order: name and content.
pub(crate) fn saved(name: &str) -> Vec<(String, String)> {
    let blocks = named(name).blocks.into_iter();
    let saved: Vec<_> = blocks
        .filter_map(|block| Some((block.option("file")?.to_owned(), block.content)))
        .collect();
    assert!(!saved.is_empty(), "{name} saves no file");
    saved
}

/// Returns true if the document of that name has this text.
pub(crate) fn shows(name: &str, text: &str) -> bool {
    named(name).text.contains(text)
}

/// The content of the first block in `language` of the document of that name.
pub(crate) fn content(name: &str, language: &str) -> String {
    let mut blocks = named(name).blocks.into_iter();
    let found = blocks.find(|block| block.language == language);
    let found = found.unwrap_or_else(|| panic!("{name} has no {language}"));
    found.content
}
