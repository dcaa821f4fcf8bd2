//! The form of doc comments: a verb phrase or a noun phrase, whose reader resolves no pronouns.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::command::root;
use crate::{files, say};

/// First words of a comment that says a thing about another in place of naming it.
const BEGINNINGS: [&str; 5] = ["What ", "Whether ", "How ", "Those ", "The same "];
/// Words in the middle of a comment that stand for a noun which the reader has to look for.
const PHRASES: [&str; 3] = [" that of ", " those of ", " what it is"];

/// Fails if a doc comment of the workspace is not in the form that CONTRIBUTING describes.
///
/// # Errors
///
/// Every such line, with its file, or a file that cannot be read.
pub(crate) fn check() -> Result<()> {
    let root = root()?;
    let mut count = 0;
    for folder in ["crates", "tests", "xtask"] {
        for file in files::below(&root.join(folder))? {
            count += report(&root, &file)?;
        }
    }
    if count > 0 {
        bail!("{count} lines of doc comments need a verb phrase or a noun phrase");
    }
    Ok(())
}

/// Prints the flagged lines of `file`, and returns their number.
fn report(root: &Path, file: &Path) -> Result<usize> {
    if file.extension().is_none_or(|extension| extension != "rs") {
        return Ok(0);
    }
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let shown = file.strip_prefix(root).unwrap_or(file).display();
    let mut count = 0;
    let mut is_first = true;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start();
        let Some(doc) = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"))
        else {
            is_first = true;
            continue;
        };
        let doc = doc.trim_start();
        let begins = is_first && BEGINNINGS.iter().any(|word| doc.starts_with(word));
        if begins || PHRASES.iter().any(|phrase| doc.contains(phrase)) {
            say::line(&format!("{shown}:{number}: {doc}"));
            count += 1;
        }
        // A sentence within a paragraph may begin with any word.
        is_first = doc.is_empty();
    }
    Ok(count)
}
