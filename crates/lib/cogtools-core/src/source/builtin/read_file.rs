//! `read_file`: the text of one file of the project, or some lines of it.

use serde_json::{Map, Value, json};

use super::{BuiltIn, READ_ONLY, count, files, number};
use crate::Context;
use crate::tool::{RunError, ToolOutput};

/// The tool.
pub(super) const TOOL: BuiltIn = BuiltIn {
    name: "read_file",
    title: "Read a file",
    description: "Reads a text file of the project. Of a long file it returns the first lines \
                  and says how to go on.",
    parameters,
    annotations: READ_ONLY,
    run: read,
};

/// The longest result without its last line, in bytes.
const MAX_BYTES: usize = 128 << 10;

fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "The file, relative to the project's folder",
                "minLength": 1,
            },
            "offset": count("The first line", 1, 1_000_000_000),
            "limit": count("How many lines at most", 2_000, 100_000),
        },
        "required": ["path"],
    })
}

fn read(tool: &str, arguments: &Map<String, Value>, cx: &Context) -> Result<ToolOutput, RunError> {
    let path = arguments.get("path").and_then(Value::as_str);
    let text = files::read(tool, path.unwrap_or_default(), cx)?;
    let (offset, limit) = (number(arguments, "offset"), number(arguments, "limit"));
    Ok(ToolOutput::new(lines(&text, offset, limit)))
}

/// At most `limit` lines of `text` from the line `offset`, and a line that says what is left out.
fn lines(text: &str, offset: usize, limit: usize) -> String {
    let mut result = String::new();
    let mut last = offset.saturating_sub(1);
    for line in text.split_inclusive('\n').skip(last).take(limit) {
        if result.len() + line.len() > MAX_BYTES {
            break;
        }
        result.push_str(line);
        last += 1;
    }
    let total = text.split_inclusive('\n').count();
    let next = last + 1;
    if offset > total && offset > 1 {
        return format!("[the file has {total} lines]\n");
    }
    if last < offset && total > 0 {
        return format!("[line {offset} is longer than {MAX_BYTES} bytes]\n");
    }
    if last < total {
        if !result.ends_with('\n') {
            result.push('\n');
        }
        let notice = format!("[lines {offset} to {last} of {total}; go on with offset {next}]\n");
        result.push_str(&notice);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_says_how_to_go_on() {
        for (offset, limit, expected) in [
            (1, 9, "a\nb\nc"),
            (1, 2, "a\nb\n[lines 1 to 2 of 3; go on with offset 3]\n"),
            (2, 1, "b\n[lines 2 to 2 of 3; go on with offset 3]\n"),
            (3, 9, "c"),
            (4, 9, "[the file has 3 lines]\n"),
        ] {
            assert_eq!(lines("a\nb\nc", offset, limit), expected);
        }
        assert_eq!(lines("", 1, 5), "");
        let long = "x".repeat(MAX_BYTES + 1);
        let message = "[line 1 is longer than 131072 bytes]\n";
        assert_eq!(lines(&long, 1, 5), message);
        let late = format!("a\n{long}");
        assert_eq!(
            lines(&late, 1, 5),
            "a\n[lines 1 to 1 of 2; go on with offset 2]\n"
        );
    }
}
