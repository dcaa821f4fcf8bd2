//! cogtools-templates(7): the language of templates, from the reference of the engine.

use std::fmt::Write as _;

use njk::reference::{EntryKind, entries};

use super::Section;

/// Longer examples are only in the reference in Markdown.
const MAX_EXAMPLE: usize = 66;

pub(super) fn sections() -> Vec<Section> {
    let mut sections = vec![("DESCRIPTION", DESCRIPTION.to_owned())];
    for kind in EntryKind::ALL {
        let title = match kind {
            EntryKind::Filter => "FILTERS",
            EntryKind::Test => "TESTS",
            EntryKind::Global => "GLOBALS",
            EntryKind::Statement => "STATEMENTS",
        };
        sections.push((title, section(kind)));
    }
    sections
}

const DESCRIPTION: &str = "\
The templates of tools, and the elements of exec, are written in the language of Nunjucks 3.2.4. \
These are all its filters, tests, globals and statements, each with an example and what it renders \
to; see also `cogtools-tool(5)`.

What is undefined or null prints nothing. Undefined, null, false, 0 and the empty text do not hold \
in a condition; an empty list does. A value also has the members that JavaScript gives it, such as \
text.split(\",\"), list.length and number.toFixed(2).";

fn section(kind: EntryKind) -> String {
    let mut text = String::new();
    for entry in entries(kind) {
        let about = entry.about.replace('`', "");
        let _ = write!(text, "{}\n  {about}\n\n", entry.signature);
        if entry.example.len() <= MAX_EXAMPLE {
            let _ = write!(text, "    {}\n    => {}\n\n", entry.example, entry.output);
        }
    }
    text
}
