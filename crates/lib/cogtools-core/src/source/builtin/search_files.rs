//! `search_files`: the lines of the project's files that match.

use std::time::{Duration, Instant};

use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value, json};

use super::files::{self, Files};
use super::{BuiltIn, READ_ONLY, count, number};
use crate::tool::{RunError, ToolOutput};
use crate::{Code, Context, Diagnostic};

/// The tool.
pub(super) const TOOL: BuiltIn = BuiltIn {
    name: "search_files",
    title: "Search files",
    description: "Searches the text files of the project for a text or a regular expression. \
                  Each line of the result is a match: path, line number, text.",
    parameters,
    annotations: READ_ONLY,
    run: search,
};

/// The longest text of a match, in characters.
const MAX_LINE: usize = 300;
/// How long a search takes at most.
const MAX_TIME: Duration = Duration::from_secs(20);
/// The largest compiled expression, in bytes.
const MAX_REGEX_BYTES: usize = 1 << 20;

fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "The text to search for",
                "minLength": 1,
            },
            "regex": {
                "type": "boolean",
                "description": "Whether the query is a regular expression",
                "default": false,
            },
            "ignore_case": {
                "type": "boolean",
                "description": "Whether small and capital letters are the same",
                "default": false,
            },
            "path": {
                "type": "string",
                "description": "The folder, relative to the project's folder",
                "default": ".",
            },
            "pattern": {
                "type": "string",
                "description": "Only files that match this pattern, as in `*.rs` or `src/**/*.md`",
            },
            "limit": count("How many matches at most", 100, 1_000),
        },
        "required": ["query"],
    })
}

fn search(
    tool: &str,
    arguments: &Map<String, Value>,
    cx: &Context,
) -> Result<ToolOutput, RunError> {
    let files = Files::of(tool, arguments, cx)?;
    let regex = regex(tool, arguments)?;
    let mut search = Search {
        regex,
        left: number(arguments, "limit"),
        end: Instant::now() + MAX_TIME,
        result: String::new(),
    };
    for path in files.iter() {
        if cx.cancel.is_cancelled() || search.is_over() {
            break;
        }
        // What is no text, or is gone by now, has no matches.
        if let Ok(text) = files::read_text(&cx.root.join(&path), cx) {
            search.add(&path, &text);
        }
    }
    Ok(ToolOutput::new(search.result))
}

/// The expression of a call.
fn regex(tool: &str, arguments: &Map<String, Value>) -> Result<Regex, RunError> {
    let flag = |key: &str| arguments.get(key).and_then(Value::as_bool) == Some(true);
    let query = arguments.get("query").and_then(Value::as_str);
    let query = query.unwrap_or_default();
    let escaped = (!flag("regex")).then(|| regex::escape(query));
    RegexBuilder::new(escaped.as_deref().unwrap_or(query))
        .case_insensitive(flag("ignore_case"))
        .size_limit(MAX_REGEX_BYTES)
        .build()
        .map_err(|error| {
            let message = format!("`{query}` is not a regular expression");
            let diagnostic = Diagnostic::new(Code::ToolFailed, message);
            let mut diagnostic = diagnostic.hint("leave out `regex` to search for the text itself");
            diagnostic.details = error.to_string();
            files::failed(tool, diagnostic)
        })
}

/// A search and what it has found.
struct Search {
    regex: Regex,
    /// How many matches may follow.
    left: usize,
    end: Instant,
    result: String,
}

impl Search {
    /// Adds the matches in the file `path`, whose content is `text`.
    fn add(&mut self, path: &str, text: &str) {
        for (index, line) in text.lines().enumerate() {
            if !self.regex.is_match(line) {
                continue;
            }
            if self.left == 0 {
                self.result
                    .push_str("[there are more matches; name a folder or a pattern]\n");
                self.end = Instant::now();
                return;
            }
            self.left -= 1;
            let line = line.trim_end();
            let short: String = line.chars().take(MAX_LINE).collect();
            let cut = if short.len() < line.len() {
                " […]"
            } else {
                ""
            };
            let number = index + 1;
            let found = format!("{path}:{number}: {short}{cut}\n");
            self.result.push_str(&found);
        }
    }

    /// Whether it has to end. If it ran out of time, the result says so.
    fn is_over(&mut self) -> bool {
        let is_over = Instant::now() >= self.end;
        if is_over && self.left > 0 {
            self.result
                .push_str("[the search took too long; name a folder or a pattern]\n");
        }
        is_over
    }
}
