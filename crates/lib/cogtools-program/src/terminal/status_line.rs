//! A line on a terminal that is replaced, and erased in the end.

/// To the first column of the line, and nothing on it.
pub const ERASE: &str = "\r\u{1b}[2K";

/// `text` in place of what is on the line of the cursor. Beyond the right margin it is cut off,
/// so that [`ERASE`] erases all of it.
pub fn replace(text: &str) -> String {
    format!("{ERASE}\u{1b}[?7l{text}\u{1b}[?7h")
}
