//! Why a file is left alone.

use cogtools_core::{Code, Diagnostic, Location};
use thiserror::Error;

/// Something in a file that stands in the way of a merge.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct Refusal {
    /// What it is.
    pub reason: Reason,
    /// Where it stands.
    pub place: Location,
}

/// What stands in the way.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// It is not JSON with comments; the parser's words.
    #[error("not JSON with comments: {0}")]
    Syntax(String),
    /// It begins with a byte order mark, which Gemini CLI cannot read.
    #[error("begins with a byte order mark")]
    ByteOrderMark,
    /// It says nothing at all, where Gemini CLI needs an object.
    #[error("is empty, which is not JSON")]
    Nothing,
    /// An object is needed where something else stands.
    #[error("must be an object, but is {found}")]
    NotAnObject {
        /// Where, as a JSON pointer; empty for the whole file.
        pointer: String,
        /// What stands there.
        found: &'static str,
    },
    /// It is not TOML; the parser's words.
    #[error("not TOML: {0}")]
    Toml(String),
    /// A map that is written so that nothing can be added to it.
    #[error("is written in one piece, so that no entry can be added")]
    Closed {
        /// The map, as a JSON pointer.
        pointer: String,
    },
    /// An entry of our name is somebody else's.
    ///
    /// What it says is not told: servers have secrets in their arguments.
    #[error("another entry has that name already")]
    Other {
        /// The entry, as a JSON pointer.
        pointer: String,
        /// What else helps.
        hint: String,
    },
    /// An object says the same key twice.
    #[error("stands twice, first on line {first}")]
    Duplicate {
        /// The key, as a JSON pointer.
        pointer: String,
        /// The line of the first one.
        first: usize,
    },
    /// The key has a value that is not ours.
    #[error("is set to {present} already, but cogtools needs {wanted}")]
    Taken {
        /// The key, as a JSON pointer.
        pointer: String,
        /// Its value, as written, cut when it is long.
        present: String,
        /// Our value, as JSON.
        wanted: String,
    },
}

impl Refusal {
    /// The same as a fault, with what to do about it.
    pub fn diagnostic(self) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::InvalidConfig, self.reason.to_string());
        let diagnostic = match self.reason {
            Reason::Toml(_) | Reason::Syntax(_) | Reason::ByteOrderMark | Reason::Nothing => {
                diagnostic.hint("mend the file by hand, then run this again")
            }
            Reason::NotAnObject { pointer, .. } => diagnostic
                .with_pointer(pointer)
                .hint("make it an object or take it out, then run this again"),
            Reason::Closed { pointer } => {
                let header = format!("[{}.NAME]", pointer.trim_start_matches('/'));
                diagnostic.with_pointer(pointer).hint(format!(
                    "write each of its entries below a line of its own, {header}, then run this \
                     again"
                ))
            }
            Reason::Other { pointer, hint, .. } => diagnostic
                .with_pointer(pointer)
                .hint("take it out or rename it, then run this again")
                .hint(hint),
            Reason::Duplicate { pointer, .. } => diagnostic
                .with_pointer(pointer)
                .hint("take one of the two out, then run this again"),
            Reason::Taken {
                pointer, wanted, ..
            } => diagnostic.with_pointer(pointer).hint(format!(
                "if cogtools may take over, set it to {wanted} or take it out, then run this again"
            )),
        };
        diagnostic.at(self.place)
    }
}
