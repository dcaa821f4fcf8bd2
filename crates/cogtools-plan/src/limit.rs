//! How much of the results may be copied: a small input must not make a large output.

use cogtools_core::{Code, Diagnostic};
use cogtools_program::Input;

/// The largest output, in bytes: that of the input.
pub(crate) const MAX_BYTES: usize = Input::MAX_BYTES;

/// An output that would be larger than [`MAX_BYTES`]: the arguments or the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} would be larger than {mib} MiB", mib = MAX_BYTES >> 20)]
pub(crate) struct TooLarge(pub(crate) &'static str);

impl TooLarge {
    /// The diagnostic to show.
    pub(crate) fn diagnostic(self) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::InvalidArgumentsSyntax, self.to_string());
        diagnostic.hint("refer to smaller results")
    }
}
