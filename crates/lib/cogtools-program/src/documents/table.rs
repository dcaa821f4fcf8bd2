//! The table of a project's tools: one row per tool, in the order of declarations. With it come the
//! diagrams of flows.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cogtools_core::invisible::name_between;
use cogtools_core::tool::Flow;
use cogtools_core::{Config, ConfigPaths, Diagnostic, Project, Registry, Tool};
use serde_json::{Map, Value, json};

use crate::Io;
use crate::dirs::config_paths;
use crate::project::context;

/// The text instead of a table without rows.
const EMPTY: &str = "This project has no tools.";

/// One tool, as a row of the table.
#[derive(Clone, Debug)]
pub struct Summary {
    name: String,
    purpose: String,
    /// Its arguments, and whether each is required.
    arguments: Vec<(String, bool)>,
}

/// All tools of a project.
#[derive(Clone, Debug, Default)]
pub struct Table {
    rows: Vec<Summary>,
    /// The diagrams of flows, by name.
    flows: BTreeMap<String, String>,
}

impl Summary {
    /// The summary of `tool`.
    pub fn new(tool: &Tool) -> Self {
        let schema = tool.schema.as_object();
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
        let properties = schema.get("properties").and_then(Value::as_object);
        let names = properties.into_iter().flat_map(Map::keys);
        Self {
            name: tool.name().to_string(),
            purpose: purpose(&tool.description),
            arguments: names
                .map(|name| (name.clone(), is_required(name)))
                .collect(),
        }
    }

    /// The name of the tool.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn line(&self) -> String {
        let arguments = self.arguments.iter().map(|(name, required)| {
            let note = if *required { "" } else { " (optional)" };
            format!("{}{note}", code(name))
        });
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        format!(
            "| {} | {} | {arguments} |",
            code(&self.name),
            escape(&self.purpose)
        )
    }
}

impl Table {
    /// The number of tools.
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there are none.
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The lines of the table, in Markdown.
    pub fn lines(&self) -> Vec<String> {
        if self.is_empty() {
            return vec![EMPTY.to_owned()];
        }
        let header = ["| Tool | What it is for | Arguments |", "|---|---|---|"];
        let rows = self.rows.iter().map(Summary::line);
        header.map(str::to_owned).into_iter().chain(rows).collect()
    }

    /// Adds a row.
    pub fn push(&mut self, tool: Summary) {
        self.rows.push(tool);
    }

    /// The lines of a list of the tools without their arguments, in Markdown.
    pub fn names(&self) -> Vec<String> {
        let line = |row: &Summary| format!("- {}: {}", code(&row.name), escape(&row.purpose));
        self.rows.iter().map(line).collect()
    }

    /// The purposes of the tools of `owner`, one after the other.
    pub fn purposes(&self, owner: &str) -> String {
        let purposes = self.rows.iter().map(|row| {
            let purpose = row.purpose.trim_end_matches(['.', ';']);
            format!("{}: {purpose}", row.name)
        });
        let purposes: Vec<String> = purposes.collect();
        format!("Tools of {owner}. {}", purposes.join("; "))
    }

    /// The diagram of the flow `name`, in Markdown.
    pub(crate) fn diagram(&self, name: &str) -> Option<Vec<String>> {
        let mut lines = vec!["```mermaid".to_owned()];
        lines.extend(self.flows.get(name)?.lines().map(str::to_owned));
        lines.push("```".to_owned());
        Some(lines)
    }

    /// The table as JSON.
    pub fn json(&self) -> Value {
        let argument =
            |(name, required): &(String, bool)| json!({"name": name, "required": required});
        let rows = self.rows.iter().map(|row| {
            let arguments: Value = row.arguments.iter().map(argument).collect();
            json!({"name": row.name, "purpose": row.purpose, "arguments": arguments})
        });
        json!({"tools": rows.collect::<Value>()})
    }
}

/// A tool whose file is about to be written.
#[derive(Clone, Copy, Debug)]
pub struct NewTool<'t> {
    /// The tool.
    pub tool: &'t Tool,
    /// The index of the source that will contain it, and contains no other tools.
    pub source: usize,
    /// The names and texts of the files that will be beside it.
    pub files: &'t [(&'t str, &'t str)],
}

impl NewTool<'_> {
    /// Returns true if it is among the tools of a project with `config`.
    pub(super) fn is_listed(&self, config: &Config) -> bool {
        let name = self.tool.name().as_str();
        config.filter.matches_name(name) && config.filter.matches_toolset(None)
    }

    /// The text of the file `name` beside it.
    pub(super) fn file(&self, name: &str) -> Option<String> {
        let mut files = self.files.iter();
        let file = files.find(|(known, _)| *known == name);
        file.map(|(_, text)| (*text).to_owned())
    }
}

/// The configuration of `project` without the user's, which must not change a document
/// of the project.
pub fn project_config(project: &Project, io: &Io<'_>) -> Result<Config, Vec<Diagnostic>> {
    let paths = ConfigPaths {
        owners: config_paths(io).owners,
        ..ConfigPaths::default()
    };
    Config::load(project, &paths)
}

/// The table of the valid tools of `project` with `config` and of the `new` tool, and the
/// diagnostics of the other tools.
pub fn collect(
    config: Config,
    new: Option<NewTool<'_>>,
    project: &Project,
    io: &Io<'_>,
) -> (Table, Vec<Diagnostic>) {
    let Some(new) = new else {
        return rows(config, project, io);
    };
    let is_listed = new.is_listed(&config);
    let mut before = config.clone();
    before.sources.truncate(new.source);
    let (before, _) = rows(before, project, io);
    let (mut table, diagnostics) = rows(config, project, io);
    let row = Summary::new(new.tool);
    if is_listed && !before.rows.iter().any(|other| other.name == row.name) {
        table.rows.retain(|other| other.name != row.name);
        table.rows.insert(before.len().min(table.len()), row);
    }
    (table, diagnostics)
}

fn rows(config: Config, project: &Project, io: &Io<'_>) -> (Table, Vec<Diagnostic>) {
    let cx = context(io, project, config.env_priority, config.bounds());
    let found = Registry::new(config, None, cx).map(|tool| match tool {
        Ok(tool) => Ok((Summary::new(&tool), tool.flow().map(Flow::mermaid))),
        Err(error) => Err(error.diagnostics()),
    });
    let (rows, diagnostics) = found.split();
    let mut table = Table::default();
    for (row, diagram) in rows {
        let named = diagram.map(|diagram| (row.name.clone(), diagram));
        table.flows.extend(named);
        table.rows.push(row);
    }
    (table, diagnostics)
}

/// The maximum number of characters of a description.
const MAX_CHARS: usize = 200;

/// The purpose of a tool: the beginning of its description, up to the first line that ends a
/// sentence or a paragraph.
fn purpose(description: &str) -> String {
    let mut lines = String::new();
    for line in description.trim().lines().map(str::trim) {
        if line.is_empty() || lines.ends_with(['.', '!', '?']) {
            break;
        }
        if !lines.is_empty() {
            lines.push(' ');
        }
        lines.push_str(line);
    }
    let text = lines.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= MAX_CHARS {
        return text;
    }
    let sentence = text.find(". ").map_or(text.as_str(), |end| &text[..=end]);
    match sentence.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", sentence[..end].trim_end()),
        None => sentence.to_owned(),
    }
}

/// Escapes `text` for Markdown, so that nothing in it begins a cell, code, a link, HTML or a
/// marker.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let next = letters.peek().copied().unwrap_or(' ');
        match c {
            _ if name_between(Some(before), c, Some(next)).is_some() => {
                let _ = write!(escaped, "\\\\{}", &c.escape_unicode().to_string()[1..]);
            }
            '<' => escaped.push_str("&lt;"),
            '_' if before.is_alphanumeric() && next.is_alphanumeric() => escaped.push(c),
            '&' if !(next.is_ascii_alphabetic() || next == '#') => escaped.push(c),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '&' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
        before = c;
    }
    escaped
}

/// A name as code, if it needs no escapes.
fn code(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '$' | '@');
    if !name.is_empty() && name.chars().all(is_plain) {
        format!("`{name}`")
    } else {
        escape(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purpose_is_the_beginning_of_the_description() {
        let long = "word ".repeat(60);
        let truncated = format!("{}…", "word ".repeat(40).trim_end());
        for (description, expected) in [
            ("Say it\n", "Say it"),
            (
                "Want to *facepalm*? Call this tool!\n",
                "Want to *facepalm*? Call this tool!",
            ),
            (
                "Call it before:\nit helps.\nMore.\n",
                "Call it before: it helps.",
            ),
            ("One paragraph\n\nand another", "One paragraph"),
            ("\n  a \t b\n", "a b"),
            (&format!("Short. {long}"), "Short."),
            (&long, &truncated),
        ] {
            assert_eq!(purpose(description), expected, "{description}");
        }
    }

    #[test]
    fn markdown_is_escaped() {
        for (text, expected) in [
            ("plain, what_happened: R & D", "plain, what_happened: R & D"),
            ("a|b", r"a\|b"),
            (r"a\|b", r"a\\\|b"),
            (
                "`code` *it* _it_ [x](y)",
                r"\`code\` \*it\* \_it\_ \[x\](y)",
            ),
            ("<!-- cogtools:end -->", "&lt;!-- cogtools:end -->"),
            ("&lt; &#60; R&D", r"\&lt; \&#60; R\&D"),
            ("a\u{7}b\nc", "a b c"),
            ("a\u{202e}b\u{200b}", r"a\\u{202e}b\\u{200b}"),
            ("👨\u{200d}👩", "👨\u{200d}👩"),
        ] {
            assert_eq!(escape(text), expected, "{text}");
        }
    }

    #[test]
    fn plain_names_are_code() {
        assert_eq!(code("what_happened"), "`what_happened`");
        assert_eq!(code("a`|b"), r"a\`\|b");
        assert_eq!(code(""), "");
    }
}
