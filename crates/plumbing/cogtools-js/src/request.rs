//! The request on standard input, checked.

use cogtools_core::Diagnostic;
use cogtools_core::arguments::{Arguments, Syntax};
use cogtools_core::javascript::Script;

/// What the program reads is called so in messages.
const SUBJECT: &str = "request";

/// Reads the script in `bytes`; every violation is reported.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Script, Vec<Diagnostic>> {
    let object = Arguments::read(bytes, Syntax::Json)
        .map_err(|error| vec![error.diagnostic().with_subject(SUBJECT)])?;
    let violations = |diagnostics: Vec<Diagnostic>| {
        let diagnostics = diagnostics.into_iter();
        diagnostics
            .map(|diagnostic| diagnostic.with_subject(SUBJECT))
            .collect()
    };
    Script::requested(&object.into_object()).map_err(violations)
}
