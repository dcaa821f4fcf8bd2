//! Texts of tools in cells of a Markdown table.

use std::fmt::Write as _;

use cogtools_core::invisible::name_between;

/// How many characters of a description are escaped.
const MAX_CHARS: usize = 200;

/// The purpose of a tool: the beginning of its description, up to the first line that ends a
/// sentence or a paragraph.
pub(crate) fn purpose(description: &str) -> String {
    let mut lines = String::new();
    for line in description.trim().lines().map(str::trim) {
        if line.is_empty() || lines.ends_with(['.', '!', '?']) {
            break;
        }
        if !lines.is_empty() {
            lines.push(' ');
        }
        lines.push_str(line);
    }
    let text = lines.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= MAX_CHARS {
        return text;
    }
    let sentence = text.find(". ").map_or(text.as_str(), |end| &text[..=end]);
    match sentence.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", sentence[..end].trim_end()),
        None => sentence.to_owned(),
    }
}

/// Escapes `text` for Markdown, so that nothing in it begins a cell, code, a link, HTML or a
/// marker.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let next = letters.peek().copied().unwrap_or(' ');
        match c {
            _ if name_between(Some(before), c, Some(next)).is_some() => {
                let _ = write!(escaped, "\\\\{}", &c.escape_unicode().to_string()[1..]);
            }
            '<' => escaped.push_str("&lt;"),
            '_' if before.is_alphanumeric() && next.is_alphanumeric() => escaped.push(c),
            '&' if !(next.is_ascii_alphabetic() || next == '#') => escaped.push(c),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '&' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
        before = c;
    }
    escaped
}

/// A name as code, if it needs no escapes.
pub(crate) fn code(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '$' | '@');
    if !name.is_empty() && name.chars().all(is_plain) {
        format!("`{name}`")
    } else {
        escape(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purpose_is_the_beginning_of_the_description() {
        let long = "word ".repeat(60);
        let truncated = format!("{}…", "word ".repeat(40).trim_end());
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
            (&long, &truncated),
        ] {
            assert_eq!(purpose(description), expected, "{description}");
        }
    }

    #[test]
    fn markdown_is_escaped() {
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
            assert_eq!(escape(text), expected, "{text}");
        }
    }

    #[test]
    fn plain_names_are_code() {
        assert_eq!(code("what_happened"), "`what_happened`");
        assert_eq!(code("a`|b"), r"a\`\|b");
        assert_eq!(code(""), "");
    }
}
