//! Output on a terminal.
//!
//! Names, descriptions, commands and messages are untrusted. Each of them goes through
//! [`sanitize`] before it is shown to a person, on standard output and standard error. Data for
//! other programs goes through [`Io::show`](crate::Io::show) and
//! [`Io::show_json`](crate::Io::show_json), which leave it unchanged on a pipe.

#[cfg(feature = "questions")]
mod editor;
mod pager;
pub mod status_line;
pub mod style;
mod table;

use std::borrow::Cow;

pub use cogtools_core::invisible::escape as sanitize;
pub use cogtools_core::invisible::escape_json as sanitize_json;
pub use cogtools_core::invisible::escape_lines as sanitize_lines;
pub use cogtools_core::pluralize;
pub use style::paint;
pub use table::{Column, Table, pad};

/// An output stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// The first `max` characters of `text`, followed by `…` if there are more.
pub fn truncate(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_truncated() {
        assert_eq!(truncate("né", 2), "né");
        assert_eq!(truncate("née", 2), "né…");
        assert_eq!(truncate("", 0), "");
    }

    #[test]
    fn nouns_are_pluralized() {
        assert_eq!(pluralize(0, "tool"), "0 tools");
        assert_eq!(pluralize(1, "tool"), "1 tool");
        assert_eq!(pluralize(2, "tool"), "2 tools");
    }
}
