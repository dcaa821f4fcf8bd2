//! What a tool runs: the words of its command line, and the text of its script.

mod dash;
mod script;
mod shell;
mod table;
mod words;

pub(crate) use dash::can_begin_with_dash;
pub(crate) use script::Script;
pub(crate) use table::{Deed, PROGRAMS, deed_of};
pub(crate) use words::{Role, Word, words};
