//! Characters that a person does not see and a model reads all the same.

/// The name of a character that hides, if it does so after `before` and ahead
/// of `after`. Joiners inside of emoji and of scripts that need them do not.
pub(crate) fn name(before: Option<char>, c: char, after: Option<char>) -> Option<&'static str> {
    let name = match c {
        '\u{ad}' => "soft hyphen",
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => "invisible filler",
        '\u{180e}' => "vowel separator",
        '\u{200b}' => "zero width space",
        '\u{200c}' | '\u{200d}' => "zero width joiner",
        '\u{61c}' | '\u{200e}' | '\u{200f}' => "bidirectional mark",
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => "bidirectional control",
        '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}' => "invisible operator",
        '\u{feff}' => "zero width no-break space",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => "variation selector",
        '\u{fff9}'..='\u{fffb}' => "annotation mark",
        '\u{e0000}'..='\u{e007f}' => "tag character",
        _ => return None,
    };
    let pictured = |c: char| matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
    // From Hebrew to Mongolian: letters, and the signs that join them.
    let joins = |c: char| matches!(c, '\u{590}'..='\u{1fff}');
    let fine = match c {
        '\u{200c}' | '\u{200d}' => before.zip(after).is_some_and(|(before, after)| {
            let picture = pictured(before) || before == '\u{fe0f}';
            (picture && pictured(after)) || (joins(before) && joins(after))
        }),
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(|before| {
            pictured(before) || matches!(before, '0'..='9' | '#' | '*' | '\u{a9}' | '\u{ae}')
        }),
        _ => false,
    };
    (!fine).then_some(name)
}

/// Whether taking `c` out changes nothing that a person sees. Controls of
/// direction reorder what is seen, so a person must look.
pub(crate) const fn is_removable(c: char) -> bool {
    !matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The invisible characters of `text`: offset, character, name.
pub(crate) fn all(text: &str) -> Vec<(usize, char, &'static str)> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut before = None;
    let mut letters = text.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        let after = letters.peek().map(|(_, c)| *c);
        found.extend(name(before, c, after).map(|name| (at, c, name)));
        before = Some(c);
    }
    found
}

/// The text with a mark in place of each invisible character.
pub(crate) fn mask(text: &str) -> String {
    let invisible = all(text);
    if invisible.is_empty() {
        return text.to_owned();
    }
    let marked = |(at, c)| {
        let is_invisible = invisible.iter().any(|(offset, ..)| *offset == at);
        if is_invisible { '·' } else { c }
    };
    text.char_indices().map(marked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_found_and_what_joins_is_not() {
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
        ] {
            let found: Vec<_> = all(text).into_iter().map(|(.., name)| name).collect();
            assert_eq!(found, expected, "{}", text.escape_unicode());
        }
    }

    #[test]
    fn a_mask_keeps_columns() {
        assert_eq!(mask("a\u{200b}b\u{202e}"), "a·b·");
    }
}
