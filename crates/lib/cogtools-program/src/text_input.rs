//! A text on standard input, for programs that read texts and not arguments.

use cogtools_core::{Code, Diagnostic};

use crate::failure::Failure;
use crate::input::InputError;
use crate::io::Io;

/// Reads all of standard input as bytes, of at most [`Input::MAX_BYTES`](crate::Input::MAX_BYTES). `line` is a command
/// line that shows how to write to it.
pub fn read_bytes(io: &mut Io<'_>, line: &str) -> Result<Vec<u8>, Failure> {
    io.stdin.read().map_err(|error| {
        let end = "close standard input after the text";
        let diagnostic =
            error.diagnostic("the text is", "send less text", end, || [line.to_owned()]);
        diagnostic.into()
    })
}

/// Reads all of standard input as bytes, for a program that takes no arguments there. `what` is a
/// noun for it, and `line` is a command line that shows how to write to it.
///
/// # Errors
/// `IO_FAILED` if there are more than [`Input::MAX_BYTES`](crate::Input::MAX_BYTES).
pub fn read_input(io: &mut Io<'_>, what: &str, line: &str) -> Result<Vec<u8>, Failure> {
    io.stdin.read().map_err(|error| {
        let end = format!("close standard input after {what}");
        let smaller = "send less, or name a file that a tool reads";
        let diagnostic =
            error.diagnostic(&format!("{what} is"), smaller, &end, || [line.to_owned()]);
        let code = match error {
            InputError::TooLarge => Code::IoFailed,
            _ => diagnostic.code,
        };
        Diagnostic { code, ..diagnostic }.into()
    })
}

/// Reads all of standard input as UTF-8.
pub fn read_text(io: &mut Io<'_>, line: &str) -> Result<String, Failure> {
    utf8(read_bytes(io, line)?)
}

/// Reads a value: all of standard input as UTF-8, without one line end at its end, which most
/// programs print and few mean.
pub fn read_value(io: &mut Io<'_>, line: &str) -> Result<String, Failure> {
    let mut text = read_text(io, line)?;
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}

/// The text in `bytes`, which must be UTF-8.
pub fn utf8(bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("the text is not UTF-8: byte {at} does not begin a character");
        let diagnostic = Diagnostic::new(Code::InvalidArgumentsSyntax, message);
        diagnostic.hint("send the text as UTF-8").into()
    })
}
