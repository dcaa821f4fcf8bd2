//! The text between the blocks: links have targets, lines are not too long.

use super::document::Document;
use super::documents;

/// The maximum width of a line.
const WIDTH: usize = 100;

#[test]
fn links_have_targets() {
    let documents = documents();
    let mut links = 0;
    for document in &documents {
        for (line, target) in document
            .prose
            .iter()
            .flat_map(|(line, text)| targets(text).into_iter().map(move |target| (line, target)))
        {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            links += 1;
            let place = format!("{}:{line}: {target}", document.name);
            follow(document, &documents, target).unwrap_or_else(|wrong| panic!("{place}: {wrong}"));
        }
    }
    assert!(links > 20, "only {links} links were found");
}

#[test]
fn lines_are_not_too_long() {
    for document in documents().iter().filter(|document| document.is_ours()) {
        for (line, text) in &document.prose {
            let width = text.chars().count();
            let table = text.starts_with('|');
            assert!(
                width <= WIDTH || table,
                "{}:{line}: {width} characters",
                document.name
            );
        }
    }
}

/// Checks that the file and the heading in `target` exist.
fn follow(from: &Document, documents: &[Document], target: &str) -> Result<(), String> {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let root = Document::root();
    let folder = root.join(&from.name);
    let folder = folder.parent().unwrap_or(&root);
    let file = if path.is_empty() {
        root.join(&from.name)
    } else {
        folder.join(path)
    };
    let file = file.canonicalize().map_err(|error| error.to_string())?;
    let to = documents
        .iter()
        .find(|document| root.join(&document.name) == file);
    match to {
        Some(to) if !anchor.is_empty() && !to.anchors().iter().any(|known| known == anchor) => {
            Err(format!("no heading for #{anchor}"))
        }
        _ => Ok(()),
    }
}

/// The targets of `[words](target)` in a line.
fn targets(text: &str) -> Vec<&str> {
    let links = text.split("](").skip(1);
    links
        .filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
        .collect()
}
