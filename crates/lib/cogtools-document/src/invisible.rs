//! Invisible characters, and those that change how others are displayed.
//!
//! Names, descriptions and commands come from third parties. A control character
//! affects a terminal, a bidirectional control reorders the text, and a model reads
//! what a person cannot see. This is the only table of such characters: it is used to
//! escape texts for terminals, to lint them, and to compare them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

/// The name of an invisible character, regardless of context; `None` for visible
/// characters, spaces and control characters.
///
/// These are the characters of the category Cf that leave no mark, those that Unicode
/// defines as default ignorable, line and paragraph separators, and blanks that are not
/// spaces.
pub const fn name(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{ad}' => "soft hyphen",
        '\u{34f}' => "grapheme joiner",
        '\u{61c}' | '\u{200e}' | '\u{200f}' => "bidirectional mark",
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => "invisible filler",
        '\u{17b4}' | '\u{17b5}' => "invisible vowel",
        '\u{180e}' => "vowel separator",
        '\u{200b}' => "zero width space",
        '\u{200c}' | '\u{200d}' => "zero width joiner",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => "bidirectional control",
        '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' => "invisible operator",
        '\u{2800}' => "blank pattern",
        '\u{feff}' => "zero width no-break space",
        '\u{180b}'..='\u{180d}'
        | '\u{180f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0100}'..='\u{e01ef}' => "variation selector",
        '\u{fff9}'..='\u{fffb}' => "annotation mark",
        '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => {
            "format control"
        }
        '\u{e0000}'..='\u{e007f}' => "tag character",
        '\u{fff0}'..='\u{fff8}' | '\u{e0080}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}' => {
            "ignorable character"
        }
        _ => return None,
    })
}

/// Returns the name in the context of the characters `before` and `after`: a joiner inside an
/// emoji or a script that needs it does not count as invisible, nor does a variation
/// selector after a character that has variations.
pub fn name_between(before: Option<char>, c: char, after: Option<char>) -> Option<&'static str> {
    let name = name(c)?;
    let pictured = |c: char| matches!(c, '\u{2190}'..='\u{27ff}' | '\u{2900}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
    // From Hebrew to Mongolian: scripts whose characters are joined.
    let joins = |c: char| matches!(c, '\u{590}'..='\u{1fff}') && self::name(c).is_none();
    let fine = match c {
        '\u{200c}' | '\u{200d}' => before.zip(after).is_some_and(|(before, after)| {
            let picture = pictured(before) || before == '\u{fe0f}';
            (picture && pictured(after)) || (joins(before) && joins(after))
        }),
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(|before| {
            pictured(before) || matches!(before, '0'..='9' | '#' | '*' | '\u{a9}' | '\u{ae}')
        }),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => {
            before.is_some_and(|before| matches!(before, '\u{1820}'..='\u{18aa}'))
        }
        _ => false,
    };
    (!fine).then_some(name)
}

/// The invisible characters of `text`: offset, character, name.
pub fn all(text: &str) -> Vec<(usize, char, &'static str)> {
    if text.is_ascii() {
        return Vec::new();
    }
    let named = |(at, before, c, after)| Some((at, c, name_between(before, c, after)?));
    neighbours(text).filter_map(named).collect()
}

/// `text` with every control character and every invisible one escaped, such as `\n`
/// and `\u{202e}`: on one line, and displayed from left to right.
pub fn escape(text: &str) -> Cow<'_, str> {
    replace(
        text,
        |_| false,
        |c, replaced| replaced.extend(c.escape_default()),
    )
}

/// Escapes a text of several lines: line feeds and tabs are preserved.
pub fn escape_lines(text: &str) -> Cow<'_, str> {
    let is_preserved = |c| matches!(c, '\n' | '\t');
    replace(text, is_preserved, |c, replaced| {
        replaced.extend(c.escape_default());
    })
}

/// Escapes JSON, with JSON escapes, so that its values are preserved.
pub fn escape_json(text: &str) -> Cow<'_, str> {
    // JSON escapes the other ASCII control characters but DEL; those outside of strings are space.
    let is_preserved = |c: char| c.is_ascii_whitespace();
    replace(text, is_preserved, |c, replaced| {
        let mut units = [0; 2];
        for unit in c.encode_utf16(&mut units) {
            // Writing to a string cannot fail.
            let _ = write!(replaced, "\\u{unit:04x}");
        }
    })
}

/// `text` without invisible and control characters, which are added to `removed`; line feeds and
/// tabs are preserved.
pub fn remove<'t>(text: &'t str, removed: &mut BTreeSet<char>) -> Cow<'t, str> {
    let is_preserved = |c| matches!(c, '\n' | '\t');
    replace(text, is_preserved, |c, _| {
        removed.insert(c);
    })
}

/// Removes these characters from the titles and descriptions in `value`, at any depth; they are
/// added to `removed`.
pub fn remove_from_texts(value: &mut Value, removed: &mut BTreeSet<char>) {
    match value {
        Value::Array(items) => items
            .iter_mut()
            .for_each(|it| remove_from_texts(it, removed)),
        Value::Object(entries) => {
            for (key, value) in entries {
                match value {
                    Value::String(text) if matches!(&**key, "description" | "title") => {
                        if let Cow::Owned(rest) = remove(text, removed) {
                            *text = rest;
                        }
                    }
                    value => remove_from_texts(value, removed),
                }
            }
        }
        _ => {}
    }
}

/// `text` with a `·` for each of those characters: columns are preserved.
pub fn mask(text: &str) -> Cow<'_, str> {
    replace(text, |_| false, |_, replaced| replaced.push('·'))
}

/// `text` with each invisible character, and each control character that is not
/// preserved, replaced by `write`.
fn replace(
    text: &str,
    is_preserved: impl Fn(char) -> bool,
    mut write: impl FnMut(char, &mut String),
) -> Cow<'_, str> {
    let may_change = |c: char| (c.is_control() && !is_preserved(c)) || name(c).is_some();
    if !text.contains(may_change) {
        return text.into();
    }
    let mut replaced = String::with_capacity(text.len() + 16);
    for (_, before, c, after) in neighbours(text) {
        let control = c.is_control() && !is_preserved(c);
        if control || name_between(before, c, after).is_some() {
            write(c, &mut replaced);
        } else {
            replaced.push(c);
        }
    }
    replaced.into()
}

/// The characters of `text` with their offsets and their neighbours.
fn neighbours(text: &str) -> impl Iterator<Item = (usize, Option<char>, char, Option<char>)> {
    let mut before = None;
    let mut characters = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (at, c) = characters.next()?;
        let after = characters.peek().map(|(_, c)| *c);
        Some((at, before.replace(c), c, after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_found_and_needed_joiners_are_not() {
        for (text, expected) in [
            ("plain", vec![]),
            ("a\u{200b}b", vec!["zero width space"]),
            ("\u{202e}abc", vec!["bidirectional control"]),
            ("\u{e0041}\u{e0042}", vec!["tag character"; 2]),
            ("a\u{200d}b", vec!["zero width joiner"]),
            ("👨\u{200d}👩", vec![]),
            ("🏳\u{fe0f}\u{200d}🌈", vec![]),
            ("क\u{94d}\u{200d}ष", vec![]),
            ("می\u{200c}خواهم", vec![]),
            ("1\u{fe0f}\u{20e3}", vec![]),
            ("a\u{fe01}", vec!["variation selector"]),
            ("ᠠ\u{180b}", vec![]),
            ("a\u{180b}", vec!["variation selector"]),
            (
                "\u{1160}\u{200d}\u{1160}",
                vec!["invisible filler", "zero width joiner", "invisible filler"],
            ),
            (
                "\u{2800}\u{200d}\u{2800}",
                vec!["blank pattern", "zero width joiner", "blank pattern"],
            ),
            (
                "a\u{2028}b\u{2029}",
                vec!["line separator", "paragraph separator"],
            ),
            ("a\u{a0}b\u{3000}c", vec![]),
        ] {
            let found: Vec<_> = all(text).into_iter().map(|(.., name)| name).collect();
            assert_eq!(found, expected, "{}", text.escape_unicode());
        }
    }

    #[test]
    fn escaped_and_masked_texts() {
        for (text, escaped, lines, masked) in [
            (
                "plain é 👨\u{200d}👩",
                "plain é 👨\u{200d}👩",
                "plain é 👨\u{200d}👩",
                "plain é 👨\u{200d}👩",
            ),
            ("a\tb\n", "a\\tb\\n", "a\tb\n", "a·b·"),
            (
                "\u{1b}[1m\r\n",
                "\\u{1b}[1m\\r\\n",
                "\\u{1b}[1m\\r\n",
                "·[1m··",
            ),
            ("\u{9b}\u{7f}", "\\u{9b}\\u{7f}", "\\u{9b}\\u{7f}", "··"),
            (
                "a\u{200b}b\u{202e}",
                "a\\u{200b}b\\u{202e}",
                "a\\u{200b}b\\u{202e}",
                "a·b·",
            ),
        ] {
            assert_eq!(escape(text), escaped);
            assert_eq!(escape_lines(text), lines);
            assert_eq!(mask(text), masked);
        }
    }

    #[test]
    fn escaped_json_has_the_same_values() {
        let value = serde_json::json!({"a\u{202e}": ["\u{1b}\n\u{e0041}", "é\u{2066}"]});
        let text = format!("{value:#}");
        let escaped = escape_json(&text);
        assert_eq!(
            escaped,
            "{\n  \"a\\u202e\": [\n    \"\\u001b\\n\\udb40\\udc41\",\n    \"é\\u2066\"\n  ]\n}"
        );
        let read: Value = serde_json::from_str(&escaped).expect("it is JSON");
        assert_eq!(read, value);
    }
}
