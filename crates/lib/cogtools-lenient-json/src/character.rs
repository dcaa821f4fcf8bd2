//! Classes of characters, as models confuse them.

/// White space of RFC 8259.
pub(crate) const fn is_json_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// White space that JSON does not know, and characters without a width.
pub(crate) fn is_other_space(c: char) -> bool {
    !is_json_space(c)
        && (c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200d}' | '\u{2060}'))
}

/// Any white space.
pub(crate) fn is_space(c: char) -> bool {
    is_json_space(c) || is_other_space(c)
}

/// The ASCII punctuation that a full-width or ideographic character stands for.
pub(crate) const fn narrow(c: char) -> char {
    match c {
        '，' | '、' => ',',
        '：' => ':',
        '｛' => '{',
        '｝' => '}',
        '［' | '【' => '[',
        '］' | '】' => ']',
        '（' => '(',
        '）' => ')',
        '＂' => '"',
        '＇' => '\'',
        c => c,
    }
}

/// A character that opens a string.
pub(crate) const fn is_quote(c: char) -> bool {
    is_double_quote(c) || is_single_quote(c)
}

/// `"` and what looks like it.
pub(crate) const fn is_double_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '‟' | '＂')
}

/// `'` and what looks like it.
pub(crate) const fn is_single_quote(c: char) -> bool {
    matches!(c, '\'' | '‘' | '’' | '‚' | '‛' | '`' | '´' | '＇')
}

/// Returns true if `c` ends a string that `open` opened. A plain quote ends only with itself,
/// others end with any of their kind, as `“a"` and `‘a´` do in practice.
pub(crate) const fn closes(open: char, c: char) -> bool {
    match open {
        '"' | '\'' => c == open,
        open if is_double_quote(open) => is_double_quote(c),
        _ => is_single_quote(c),
    }
}

/// A character that begins or continues a name of a programming language.
pub(crate) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}
