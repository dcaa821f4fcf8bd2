//! `KEY=@-`: an argument that is read from standard input, such as the result of another call.

use cogtools_core::{Code, Diagnostic};
use cogtools_program::{Failure, Io, text_input};

/// The value that stands for standard input.
const STDIN: &str = "@-";

/// Replaces the value `@-` by what is on standard input, without its last line end.
/// What replaces it has the type of the parameter like any value.
pub(crate) fn fill(
    mut words: Vec<String>,
    tool: &str,
    io: &mut Io<'_>,
) -> Result<Vec<String>, Failure> {
    let mut keys = words.iter().enumerate().filter_map(|(index, word)| {
        let (key, value) = word.split_once('=')?;
        (value == STDIN && !word.starts_with('{')).then(|| (index, key.to_owned()))
    });
    let Some((index, key)) = keys.next() else {
        return Ok(words);
    };
    if let Some((_, second)) = keys.next() {
        let message = format!("`{key}` and `{second}` cannot both be read from standard input");
        let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(tool);
        return Err(diagnostic
            .hint("write one of the values on the command line")
            .into());
    }
    let line = format!("… | cogtools run {tool} {key}={STDIN}");
    let text = text_input::read_value(io, &line)?;
    words[index] = format!("{key}={text}");
    Ok(words)
}
