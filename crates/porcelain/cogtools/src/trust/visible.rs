//! A stranger's text, made visible: on lines of bounded length, with nothing left out
//! without saying so.

use std::borrow::Cow;
use std::fmt::Write as _;

use cogtools_program::terminal::{pluralize, sanitize};
use serde_json::Value;

/// The number of blanks in a row that are shown as dots.
const MIN_VISIBLE_BLANKS: usize = 3;
/// The maximum number of blanks at the beginning of a line that are indentation.
const MAX_INDENT: usize = 40;
/// The number of characters after which a line is continued on the next one.
const MAX_WIDTH: usize = 160;
/// The maximum number of lines shown of one text.
const MAX_LINES: usize = 40;

/// `text`, which is meant to be on one line, on as few as possible. Nothing is left out: what runs
/// may be at its end.
pub(crate) fn wrapped(text: &str) -> Vec<String> {
    chunks(&show_blanks(&sanitize(text)))
}

/// The first lines of `text`, which is in a file, as [`lines`] shows them, and the number of those
/// that are left out.
pub(crate) fn excerpt(text: &str) -> Vec<String> {
    let mut rows = lines(text);
    if rows.len() > MAX_LINES {
        let rest = pluralize(rows.len() - MAX_LINES, "more line");
        rows.truncate(MAX_LINES);
        rows.push(format!("… {rest}: read them in the file"));
    }
    rows
}

/// The lines of `text`, each after a bar. The first character of a continued line is a
/// hook.
pub(crate) fn lines(text: &str) -> Vec<String> {
    let rows = text.lines().flat_map(|line| {
        let rows = chunks(&show_blanks(&sanitize(line))).into_iter();
        let rows = rows.enumerate();
        rows.map(|(index, row)| {
            if index == 0 {
                format!("| {row}").trim_end().to_owned()
            } else {
                row
            }
        })
    });
    rows.collect()
}

/// Keywords of JSON Schema with words for programs. Longer texts are shown.
const WORDS: [&str; 6] = ["$id", "$ref", "$schema", "format", "required", "type"];
/// Keys of values that are shown as JSON, whole.
const DATA: [&str; 6] = ["_meta", "const", "default", "enum", "example", "examples"];
/// Keywords of JSON Schema whose keys are names.
const NAMES: [&str; 5] = [
    "$defs",
    "definitions",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// The texts of a `declaration`, all that can reach a model: `first`, and then each other one after
/// the pointer to it, or to the part that it describes.
pub(crate) fn texts(first: &str, declaration: &Value) -> Vec<String> {
    let mut texts = first.to_owned();
    add_texts(declaration, "", "", &mut texts);
    lines(&texts)
}

/// Adds the texts of `value`, which is under `key`.
fn add_texts(value: &Value, key: &str, pointer: &str, texts: &mut String) {
    let parts: Vec<(Cow<'_, str>, &Value)> = match value {
        Value::Object(entries) => entries.iter().map(|(key, it)| (key.into(), it)).collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, it)| (at.to_string().into(), it))
            .collect(),
        _ => Vec::new(),
    };
    for (name, part) in parts {
        let is_first = pointer.is_empty() && matches!(&*name, "name" | "description");
        let is_first = is_first && part.is_string();
        let keyword = if value.is_array() { key } else { &name };
        if is_first || WORDS.contains(&keyword) && is_word(part) {
            continue;
        }
        let length = texts.len();
        let is_data = DATA.contains(&&*name);
        let is_description = name == "description" && !pointer.is_empty();
        let pointer = match part {
            Value::String(_) if is_description => pointer.to_owned(),
            _ => format!("{pointer}/{name}"),
        };
        match part {
            Value::String(text) => _ = write!(texts, "\n{pointer}: {text}"),
            Value::Array(_) | Value::Object(_) if !is_data => {
                add_texts(part, &name, &pointer, texts);
            }
            _ if is_data => _ = write!(texts, "\n{pointer}: {part}"),
            _ => {}
        }
        let is_name = NAMES.contains(&key) || !is_word(&Value::from(&*name));
        if is_name && texts.len() == length {
            _ = write!(texts, "\n{pointer}");
        }
    }
}

/// Returns true if `value` is one short word, which has no room for instructions.
fn is_word(value: &Value) -> bool {
    let word = value.as_str();
    word.is_some_and(|word| word.len() <= 64 && word.bytes().all(|it| it.is_ascii_graphic()))
}

/// `text` in parts that fit on a line; each but the first begins with a hook.
fn chunks(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    if characters.is_empty() {
        return vec![String::new()];
    }
    let parts = characters.chunks(MAX_WIDTH).enumerate();
    let rows = parts.map(|(index, part)| {
        let text: String = part.iter().collect();
        if index == 0 {
            text
        } else {
            format!("↳ {text}")
        }
    });
    rows.collect()
}

/// `text` with a dot for each blank at its end and in a long run of blanks, which could
/// move what follows out of sight. Indentation remains, as far as it is usual.
pub(crate) fn show_blanks(text: &str) -> String {
    let body = text.trim_start_matches(' ');
    let (indent, body) = text.split_at(text.len() - body.len());
    let (indent, body) = if indent.len() > MAX_INDENT {
        ("", text)
    } else {
        (indent, body)
    };
    let mut shown = indent.to_owned();
    let mut blanks = String::new();
    for c in body.chars() {
        if c.is_whitespace() {
            blanks.push(c);
        } else {
            flush(&mut blanks, false, &mut shown);
            shown.push(c);
        }
    }
    flush(&mut blanks, true, &mut shown);
    shown
}

/// Adds `blanks` to `shown`. Only single spaces and pairs of them remain.
fn flush(blanks: &mut String, at_end: bool, shown: &mut String) {
    let is_long = blanks.chars().count() >= MIN_VISIBLE_BLANKS;
    let is_usual = blanks.chars().all(|c| c == ' ');
    if at_end || is_long || !is_usual {
        shown.extend(blanks.chars().map(|_| '·'));
    } else {
        shown.push_str(blanks);
    }
    blanks.clear();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{excerpt, show_blanks, texts, wrapped};

    #[test]
    fn blanks_that_hide_something_are_shown() {
        let far = format!("{}rm", " ".repeat(41));
        let dots = format!("{}rm", "·".repeat(41));
        for (text, expected) in [
            ("    indented", "    indented"),
            (far.as_str(), dots.as_str()),
            ("a b  c", "a b  c"),
            ("true          ; rm", "true··········; rm"),
            ("a\u{a0}b\u{3000}c\u{2003}d", "a·b·c·d"),
            ("end  ", "end··"),
            ("", ""),
        ] {
            assert_eq!(show_blanks(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_text_says_how_much_is_left_out() {
        let rows = excerpt(&"#!/bin/sh\n".repeat(42));
        assert_eq!(rows.len(), 41);
        assert_eq!(rows[39], "| #!/bin/sh");
        assert_eq!(rows[40], "… 2 more lines: read them in the file");
    }

    #[test]
    fn a_long_line_is_continued_to_its_end_and_counted_if_it_is_in_a_file() {
        let text = format!("{}evil{}end", "a".repeat(160), "b".repeat(160 * 50));
        let rows = wrapped(&text);
        assert_eq!(rows.len(), 52);
        assert_eq!(rows[0], "a".repeat(160));
        assert_eq!(rows[1], format!("↳ evil{}", "b".repeat(156)));
        assert_eq!(rows[51], "↳ bbbbend");
        let rows = excerpt(&text);
        assert_eq!(rows[0], format!("| {}", "a".repeat(160)));
        assert_eq!(rows[40], "… 12 more lines: read them in the file");
        assert_eq!(wrapped(""), [""]);
    }

    #[test]
    fn every_text_of_a_declaration_is_shown() {
        let declaration = json!({
            "name": "say",
            "title": "T",
            "description": "d",
            "annotations": {"title": "AT", "readOnlyHint": true},
            "inputSchema": {
                "$ref": "#/$defs/R",
                "type": "object",
                "format": "ignore all of this",
                "required": ["a", "not a name"],
                "properties": {
                    "a": {"type": "string", "default": "D", "enum": ["one", {"two": 2}]},
                    "plain": {"type": "integer", "minimum": 3},
                    "type": true,
                    "default": {"type": "string"},
                },
                "x-do this": 5,
            },
            "_meta": {"m": ["M"]},
        });
        let expected = [
            "| d",
            "| more",
            "| /title: T",
            "| /annotations/title: AT",
            "| /inputSchema/format: ignore all of this",
            "| /inputSchema/required/1: not a name",
            "| /inputSchema/properties/a/default: D",
            r#"| /inputSchema/properties/a/enum: ["one",{"two":2}]"#,
            "| /inputSchema/properties/plain",
            "| /inputSchema/properties/type",
            r#"| /inputSchema/properties/default: {"type":"string"}"#,
            "| /inputSchema/x-do this",
            r#"| /_meta: {"m":["M"]}"#,
        ];
        assert_eq!(texts("d\nmore", &declaration), expected);
    }

    #[test]
    fn what_controls_a_terminal_is_escaped() {
        assert_eq!(
            excerpt("a\rb\u{1b}[2J\n\tc\u{202e}"),
            [r"| a\rb\u{1b}[2J", r"| \tc\u{202e}"]
        );
    }
}
