//! A fast reader of the YAML that nearly every tool file consists of: block mappings and
//! sequences, scalars on one line, literal blocks, flow collections on one line.
//!
//! It reads what it knows for certain and gives up on everything else, errors included: the
//! conforming parser then reads the document from its beginning. Where it does not give up, the
//! tree is the same, spans included; tests compare the two.

mod block;
mod flow;
mod line;

use super::node::Node;
use block::Reader;

/// The longest document, in bytes: no limit for documents can be exceeded within it.
const MAX_BYTES: usize = 64 << 10;
/// How deep collections nest at most.
const MAX_DEPTH: usize = 24;

/// The tree of the document in `text`, or `None` if it is not as simple as that.
pub(super) fn read(text: &str) -> Option<Node> {
    if text.len() > MAX_BYTES || !text.ends_with('\n') || text.bytes().any(is_special) {
        return None;
    }
    // Breaks of lines and blanks beyond ASCII, and what is not printable.
    let is_odd = |c: char| {
        matches!(
            c,
            '\u{80}'..='\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
    };
    if !text.is_ascii() && text.contains(is_odd) {
        return None;
    }
    Reader::new(text).document()
}

/// Whether `byte` is a control character: tabs and carriage returns have rules of their own.
const fn is_special(byte: u8) -> bool {
    byte < b' ' && byte != b'\n' || byte == 0x7f
}
