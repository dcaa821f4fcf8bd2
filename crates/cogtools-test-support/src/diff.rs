//! The difference of two texts, readable in a failure message.
//!
//! Lines are shown with everything invisible spelled out, so that a missing
//! last line end, a trailing space or a byte that is no UTF-8 can be seen.

use std::fmt::Write as _;

/// How many cells of the comparison table are affordable.
const AFFORDABLE: usize = 4_000_000;

/// How many equal lines are shown around a difference.
const CONTEXT: usize = 3;

#[derive(Clone, Copy)]
enum Line<'t> {
    Same(&'t [u8]),
    Expected(&'t [u8]),
    Found(&'t [u8]),
}

/// The difference line by line (`-` expected, `+` found); nothing when equal.
pub fn difference(expected: impl AsRef<[u8]>, found: impl AsRef<[u8]>) -> Option<String> {
    let (expected, found) = (expected.as_ref(), found.as_ref());
    if expected == found {
        return None;
    }
    let left: Vec<&[u8]> = expected.split_inclusive(|byte| *byte == b'\n').collect();
    let right: Vec<&[u8]> = found.split_inclusive(|byte| *byte == b'\n').collect();
    Some(show(&compare(&left, &right)))
}

fn compare<'t>(left: &[&'t [u8]], right: &[&'t [u8]]) -> Vec<Line<'t>> {
    let head = left.iter().zip(right).take_while(|(l, r)| l == r).count();
    let (old, new) = (&left[head..], &right[head..]);
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(l, r)| l == r)
        .count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);

    let mut lines: Vec<Line<'t>> = left[..head].iter().map(|line| Line::Same(line)).collect();
    if old.len().saturating_mul(new.len()) > AFFORDABLE {
        lines.extend(old.iter().map(|line| Line::Expected(line)));
        lines.extend(new.iter().map(|line| Line::Found(line)));
    } else {
        align(old, new, &mut lines);
    }
    lines.extend(
        left[left.len() - tail..]
            .iter()
            .map(|line| Line::Same(line)),
    );
    lines
}

/// Aligns by the longest common subsequence.
fn align<'t>(old: &[&'t [u8]], new: &[&'t [u8]], lines: &mut Vec<Line<'t>>) {
    let width = new.len() + 1;
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for row in (0..old.len()).rev() {
        for column in (0..new.len()).rev() {
            longest[row * width + column] = if old[row] == new[column] {
                longest[(row + 1) * width + column + 1] + 1
            } else {
                longest[(row + 1) * width + column].max(longest[row * width + column + 1])
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    while row < old.len() || column < new.len() {
        if row < old.len() && column < new.len() && old[row] == new[column] {
            lines.push(Line::Same(old[row]));
            row += 1;
            column += 1;
        } else if column == new.len()
            || row < old.len()
                && longest[(row + 1) * width + column] >= longest[row * width + column + 1]
        {
            lines.push(Line::Expected(old[row]));
            row += 1;
        } else {
            lines.push(Line::Found(new[column]));
            column += 1;
        }
    }
}

fn show(lines: &[Line<'_>]) -> String {
    let mut shown = String::new();
    let mut skipped = false;
    for (index, line) in lines.iter().enumerate() {
        let (mark, text) = match line {
            Line::Same(text) => (' ', text),
            Line::Expected(text) => ('-', text),
            Line::Found(text) => ('+', text),
        };
        let from = index.saturating_sub(CONTEXT);
        let to = (index + CONTEXT + 1).min(lines.len());
        let near = lines[from..to]
            .iter()
            .any(|line| !matches!(line, Line::Same(_)));
        if near {
            shown.push(mark);
            shown.push_str(&visible(text));
            shown.push('\n');
        } else if !skipped {
            shown.push_str("  ...\n");
        }
        skipped = !near;
    }
    shown
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
