//! A unified diff that makes invisible characters visible.

use std::borrow::Cow;
use std::fmt::Write as _;

use cogtools_core::invisible;
use similar::{ChangeTag, TextDiff};

/// How many equal lines are shown around a difference.
const CONTEXT: usize = 3;

/// How many lines of each text are compared; aligning more would take too long.
const MAX_COMPARED_LINES: usize = 2_000;

/// How many lines of a diff are shown.
const MAX_SHOWN_LINES: usize = 200;

/// The unified diff of two texts with their names; it ends with a line feed.
pub(crate) fn diff(old_name: &str, old: &[u8], new_name: &str, new: &[u8]) -> String {
    let mut text = format!("--- {old_name}\n+++ {new_name}\n");
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    if old == new {
        text.push_str("the bytes differ where they are not UTF-8\n");
        return text;
    }
    let skipped = common_prefix(&old, &new);
    if skipped > 0 {
        let _ = writeln!(text, "the first {skipped} lines are the same");
    }
    let compared = TextDiff::from_lines(window(&old, skipped), window(&new, skipped));
    let mut lines = Vec::new();
    for hunk in compared.unified_diff().context_radius(CONTEXT).iter_hunks() {
        lines.push(hunk.header().to_string());
        for change in hunk.iter_changes() {
            let line = change.value();
            let ended = line.strip_suffix('\n');
            lines.push(format!(
                "{}{}",
                sign(change.tag()),
                escape(ended.unwrap_or(line))
            ));
            if ended.is_none() {
                lines.push("\\ No newline at end of file".to_owned());
            }
        }
    }
    for line in lines.iter().take(MAX_SHOWN_LINES) {
        text.push_str(line);
        text.push('\n');
    }
    if lines.len() > MAX_SHOWN_LINES {
        let _ = writeln!(text, "… {} more lines", lines.len() - MAX_SHOWN_LINES);
    }
    text
}

const fn sign(tag: ChangeTag) -> char {
    match tag {
        ChangeTag::Equal => ' ',
        ChangeTag::Delete => '-',
        ChangeTag::Insert => '+',
    }
}

/// How many equal lines at the beginning of long texts to leave out of the comparison.
fn common_prefix(old: &str, new: &str) -> usize {
    if old.lines().count().max(new.lines().count()) <= MAX_COMPARED_LINES {
        return 0;
    }
    let same = old
        .lines()
        .zip(new.lines())
        .take_while(|(old, new)| old == new);
    same.count().saturating_sub(CONTEXT)
}

/// The lines to compare, from the zero-based line `from`.
fn window(text: &str, from: usize) -> &str {
    let end = |lines: usize| {
        let mut ends = text.match_indices('\n').map(|(at, _)| at + 1);
        match lines.checked_sub(1) {
            None => 0,
            Some(before) => ends.nth(before).unwrap_or(text.len()),
        }
    };
    &text[end(from)..end(from + MAX_COMPARED_LINES)]
}

/// Escapes the control and invisible characters of a line, and shows spaces at its end as `·`.
pub(crate) fn escape(line: &str) -> Cow<'_, str> {
    let trimmed = line.trim_end_matches(' ');
    if trimmed.len() == line.len() && !trimmed.contains(is_invisible) {
        return line.into();
    }
    let mut escaped = String::with_capacity(line.len() + 8);
    for character in trimmed.chars() {
        if is_invisible(character) {
            escaped.extend(character.escape_default());
        } else {
            escaped.push(character);
        }
    }
    escaped.extend(std::iter::repeat_n('·', line.len() - trimmed.len()));
    escaped.into()
}

/// Whether a character is invisible or controls its surroundings.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || (character.is_whitespace() && character != ' ')
        || invisible::name(character).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: &str) {
        let found = diff("old", old.as_bytes(), "new", new.as_bytes());
        assert_eq!(found, format!("--- old\n+++ new\n{expected}"));
    }

    #[test]
    fn changed_lines_have_context() {
        check("a\nb\n", "a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
        check(
            "a\n",
            "a",
            "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n",
        );
        check("", "a\n", "@@ -0,0 +1 @@\n+a\n");
        check(
            "1\n2\n3\n4\n5\n6\n",
            "1\n2\n3\n4\n5\n",
            "@@ -3,4 +3,3 @@\n 3\n 4\n 5\n-6\n",
        );
    }

    #[test]
    fn invisible_characters_are_escaped() {
        check("a\n", "a  \n", "@@ -1 +1 @@\n-a\n+a··\n");
        check("a\tb\n", "a b\n", "@@ -1 +1 @@\n-a\\tb\n+a b\n");
        check("a\r\n", "a\n", "@@ -1 +1 @@\n-a\\r\n+a\n");
        check(
            "\u{1b}[1m\n",
            "\u{a0}\u{200b}é\n",
            "@@ -1 +1 @@\n-\\u{1b}[1m\n+\\u{a0}\\u{200b}é\n",
        );
    }

    #[test]
    fn bytes_that_are_not_utf8() {
        let found = diff("old", b"\xff", "new", "\u{fffd}".as_bytes());
        assert_eq!(
            found,
            "--- old\n+++ new\nthe bytes differ where they are not UTF-8\n"
        );
    }

    #[test]
    fn long_texts_are_shortened() {
        let same = "same\n".repeat(5_000);
        check(
            &format!("{same}a\n{same}"),
            &format!("{same}b\n{same}"),
            "the first 4997 lines are the same\n\
             @@ -1,7 +1,7 @@\n same\n same\n same\n-a\n+b\n same\n same\n same\n",
        );
        let found = diff("old", b"", "new", same.as_bytes());
        assert_eq!(found.lines().count(), 203);
        assert!(found.ends_with("… 1801 more lines\n"), "{found}");
    }
}
