//! Words of tools as they stand in a cell of a Markdown table.

use std::fmt::Write as _;

use cogtools_core::invisible::name_between;

/// How many characters of a description are shown.
const LONGEST: usize = 200;

/// What a tool is for: the beginning of its description, up to the first line
/// that ends a sentence or a paragraph.
pub(crate) fn purpose(description: &str) -> String {
    let mut text = String::new();
    for line in description.trim().lines().map(str::trim) {
        if line.is_empty() || text.ends_with(['.', '!', '?']) {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(line);
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= LONGEST {
        return text;
    }
    let sentence = text.find(". ").map_or(text.as_str(), |end| &text[..=end]);
    match sentence.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", sentence[..end].trim_end()),
        None => sentence.to_owned(),
    }
}

/// `text` as Markdown that reads as it does: nothing in it begins a cell, some
/// code, a link, HTML or a marker of ours.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let next = letters.peek().copied().unwrap_or(' ');
        match c {
            _ if name_between(Some(before), c, Some(next)).is_some() => {
                let _ = write!(shown, "\\\\{}", &c.escape_unicode().to_string()[1..]);
            }
            '<' => shown.push_str("&lt;"),
            '_' if before.is_alphanumeric() && next.is_alphanumeric() => shown.push(c),
            '&' if !(next.is_ascii_alphabetic() || next == '#') => shown.push(c),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '&' => {
                shown.push('\\');
                shown.push(c);
            }
            c if c.is_control() => shown.push(' '),
            c => shown.push(c),
        }
        before = c;
    }
    shown
}

/// A name as code, where it is one that can stand in code.
pub(crate) fn code(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '$' | '@');
    if !name.is_empty() && name.chars().all(plain) {
        format!("`{name}`")
    } else {
        escaped(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purposes() {
        let long = "word ".repeat(60);
        let cut = format!("{}…", "word ".repeat(40).trim_end());
        for (description, expected) in [
            ("Say it\n", "Say it"),
            (
                "Want to *facepalm*? Call this tool!\n",
                "Want to *facepalm*? Call this tool!",
            ),
            (
                "Call it before:\nit helps.\nMore.\n",
                "Call it before: it helps.",
            ),
            ("One paragraph\n\nand another", "One paragraph"),
            ("\n  a \t b\n", "a b"),
            (&format!("Short. {long}"), "Short."),
            (&long, &cut),
        ] {
            assert_eq!(purpose(description), expected, "{description}");
        }
    }

    #[test]
    fn nothing_breaks_out() {
        for (text, expected) in [
            ("plain, what_happened: R & D", "plain, what_happened: R & D"),
            ("a|b", r"a\|b"),
            (r"a\|b", r"a\\\|b"),
            (
                "`code` *it* _it_ [x](y)",
                r"\`code\` \*it\* \_it\_ \[x\](y)",
            ),
            ("<!-- cogtools:end -->", "&lt;!-- cogtools:end -->"),
            ("&lt; &#60; R&D", r"\&lt; \&#60; R\&D"),
            ("a\u{7}b\nc", "a b c"),
            ("a\u{202e}b\u{200b}", r"a\\u{202e}b\\u{200b}"),
            ("👨\u{200d}👩", "👨\u{200d}👩"),
        ] {
            assert_eq!(escaped(text), expected, "{text}");
        }
    }

    #[test]
    fn names() {
        assert_eq!(code("what_happened"), "`what_happened`");
        assert_eq!(code("a`|b"), r"a\`\|b");
        assert_eq!(code(""), "");
    }
}
