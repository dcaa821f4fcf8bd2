//! Documents are tests: what README and docs/ show is run, loaded and followed.
//!
//! A console block is a session: lines that begin `$ ` are typed (`> ` goes on
//! with the same command), what stands under them is the whole output as a reader
//! sees it. The blocks of one document share one scratch copy of the project, in
//! order. A YAML block with `file="NAME"` is saved there before what follows it.

mod block;
mod console;
mod data;
mod document;
mod prose;
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
