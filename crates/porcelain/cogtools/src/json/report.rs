//! What is said about a text: why it has no value, and what was repaired.

use std::path::Path;

use cogtools_core::{Code, Diagnostic, Location, pluralize};
use cogtools_lenient_json::{Found, NoJson, Options, find};
use cogtools_program::Io;

/// The diagnostic for a text without a value.
pub(crate) fn no_json(error: NoJson, text: &str, options: Options) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::NoJson, error.to_string());
    match error {
        NoJson::Absent if text.trim().is_empty() => diagnostic.hint("the text is empty"),
        NoJson::Absent if !options.repair && is_repairable(text, options) => {
            diagnostic.hint("there is one that is not valid; leave out --no-repair to repair it")
        }
        NoJson::Absent => diagnostic
            .hint("ask the model for one JSON value; a scalar counts if it fills its line"),
        NoJson::TooDeep(offset) => diagnostic
            .at(location(text, offset))
            .hint("ask the model for a flatter value"),
        NoJson::NumberRange(offset) => diagnostic
            .at(location(text, offset))
            .hint("ask the model to write the number as a string"),
        NoJson::TooMany | NoJson::TooIntricate => {
            diagnostic.hint("send only the part of the text that has the value")
        }
    }
}

fn is_repairable(text: &str, options: Options) -> bool {
    let options = Options {
        repair: true,
        ..options
    };
    find(text, options).is_ok()
}

fn location(text: &str, offset: usize) -> Location {
    let before = &text[..text.floor_char_boundary(offset)];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[start..].chars().count() + 1;
    Location::new(Path::new("<stdin>"), text, line, column, 1)
}

/// Prints a note for each repair.
pub(crate) fn explain(found: &[Found], text: &str, io: &mut Io<'_>) {
    for Found { repairs, .. } in found {
        for (repair, position) in repairs.positions(text) {
            let (line, column) = (position.line, position.column);
            io.note(&format!("line {line}, column {column}: {}", repair.kind));
        }
        let more = repairs.count() - repairs.listed().len();
        if more > 0 {
            io.note(&format!("{} more", pluralize(more, "repair")));
        }
    }
}
