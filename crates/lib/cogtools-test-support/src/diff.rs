//! The difference between two texts, for failure messages.
//!
//! Invisible characters are escaped, so that a missing final line break, a trailing
//! space or a byte that is not UTF-8 is visible.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use similar::{Algorithm, ChangeTag, capture_diff_slices_deadline, group_diff_ops};

/// The number of equal lines around a difference.
const CONTEXT: usize = 3;

/// The time limit of the alignment, after which it becomes coarser.
const ALIGNMENT_TIMEOUT: Duration = Duration::from_secs(1);

/// The marker of omitted equal lines.
const OMISSION: &str = "  ...\n";

/// The difference line by line (`-` expected, `+` found); `None` if equal.
pub fn difference(expected: impl AsRef<[u8]>, found: impl AsRef<[u8]>) -> Option<String> {
    let (expected, found) = (expected.as_ref(), found.as_ref());
    if expected == found {
        return None;
    }
    let old: Vec<&[u8]> = expected.split_inclusive(|byte| *byte == b'\n').collect();
    let new: Vec<&[u8]> = found.split_inclusive(|byte| *byte == b'\n').collect();
    let deadline = Some(Instant::now() + ALIGNMENT_TIMEOUT);
    let changes = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline);
    let mut shown = String::new();
    let mut end = 0;
    for group in group_diff_ops(changes, CONTEXT) {
        if group
            .first()
            .is_some_and(|first| first.old_range().start > end)
        {
            shown.push_str(OMISSION);
        }
        for change in &group {
            for line in change.iter_changes(old.as_slice(), new.as_slice()) {
                shown.push(match line.tag() {
                    ChangeTag::Equal => ' ',
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                });
                shown.push_str(&visible(line.value()));
                shown.push('\n');
            }
            end = change.old_range().end;
        }
    }
    if end < old.len() {
        shown.push_str(OMISSION);
    }
    Some(shown)
}

fn visible(line: &[u8]) -> String {
    let (text, ending) = match line.strip_suffix(b"\n") {
        Some(text) => (text, ""),
        None => (line, "  (no line end)"),
    };
    let mut shown = String::new();
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character.is_control() {
                shown.extend(character.escape_default());
            } else {
                shown.push(character);
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    if shown.ends_with(' ') {
        shown.push_str("  (trailing space)");
    }
    shown + ending
}
