//! What an editor has put into the environment of a program that it started. It is as old as the
//! program.

use std::path::Path;

use crate::answer::{Answer, Position, Text};
use crate::failure::Failure;
use crate::{Place, Request, file};

/// The variables of one editor.
struct Names {
    text: &'static str,
    file: &'static str,
    line: Option<&'static str>,
    column: Option<&'static str>,
}

/// The variables that are known: our own first.
const NAMES: [Names; 3] = [
    Names {
        text: "COGTOOLS_SELECTED_TEXT",
        file: "COGTOOLS_CURRENT_FILE",
        line: None,
        column: None,
    },
    Names {
        text: "ZED_SELECTED_TEXT",
        file: "ZED_FILE",
        line: Some("ZED_ROW"),
        column: Some("ZED_COLUMN"),
    },
    Names {
        text: "kak_selection",
        file: "kak_buffile",
        line: Some("kak_cursor_line"),
        column: Some("kak_cursor_column"),
    },
];

/// The answer in the environment, with the variable that has it; `None` if there is none.
pub(crate) fn find(
    request: &Request,
    place: &Place,
) -> Option<(&'static str, Result<Answer, Failure>)> {
    let variables = &place.variables;
    let mut names = NAMES.iter();
    match request {
        Request::SelectedText => names.find_map(|names| {
            let text = variables.text(names.text)?;
            Some((names.text, Ok(selection(names, text, place))))
        }),
        Request::CurrentFile => names.find_map(|names| {
            let path = variables.get(names.file)?;
            Some((names.file, whole(&place.directory.join(path))))
        }),
        _ => None,
    }
}

fn selection(names: &Names, text: String, place: &Place) -> Answer {
    let variables = &place.variables;
    let number = |name: Option<&str>| variables.text(name?)?.parse().ok();
    let path = variables.get(names.file);
    let path = path.map(|path| place.directory.join(path));
    // Editors tell where the cursor is, which is the beginning only if nothing is selected.
    let cursor = number(names.line).zip(number(names.column));
    let start = cursor.filter(|_| text.is_empty());
    Answer::Text(
        Text {
            path: path.map(|path| path.to_string_lossy().into_owned()),
            text,
            start: start.map(|(line, column)| Position { line, column }),
            ..Text::default()
        }
        .bounded(),
    )
}

/// The whole text of the file, as it is saved.
fn whole(path: &Path) -> Result<Answer, Failure> {
    let limit = u64::try_from(Request::MAX_TEXT_BYTES).unwrap_or(u64::MAX);
    let (mut bytes, truncated) = file::read_regular(path, limit)?;
    if truncated {
        // The last character may be incomplete.
        let end = bytes
            .utf8_chunks()
            .last()
            .map_or(0, |chunk| chunk.invalid().len());
        bytes.truncate(bytes.len() - end);
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::Unreadable {
        file: path.to_path_buf(),
        reason: "it is not UTF-8".to_owned(),
    })?;
    Ok(Answer::Text(Text {
        path: Some(path.to_string_lossy().into_owned()),
        text,
        truncated,
        ..Text::default()
    }))
}
