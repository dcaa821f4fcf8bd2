//! Which characters that a person does not see can be taken out of a file.

/// Whether taking the invisible `c` out changes nothing that a person sees. Controls
/// of direction reorder what is seen, separators break lines, and a blank looks like
/// a space, so a person must look.
pub(crate) const fn is_removable(c: char) -> bool {
    !matches!(
        c,
        '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{2800}'
            | '\u{13430}'..='\u{1343f}'
    )
}
