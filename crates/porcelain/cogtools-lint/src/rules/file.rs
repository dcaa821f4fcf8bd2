//! The file of a tool: its first lines, its extension, its permissions, how its template is
//! written down, white space without meaning, and comments that allow what no rule finds.

use std::path::Path;

use cogtools_core::text::{self, Span, Text};
use cogtools_core::yaml::{self, Data, Entry, Node};
use cogtools_core::{Level, Tool, shebang};
use serde_json::Value;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Expression, Rule, example};
use crate::rules::rules;
use crate::target::is_yml;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "no-schema",
        level: Level::Warn,
        summary: "a tool file without `$schema`",
        why: "editors and other programs cannot tell that it is a tool, nor which version of the format it uses",
        fix: "add `$schema: schema:agladysh-research.org,2025/cogtools:tool` before the first key",
        example: example!("no-schema"),
        check: no_schema,
    },
    Rule {
        name: "no-shebang",
        level: Level::Off,
        summary: "a tool file without `#! /usr/bin/env cogtools-yaml` as its first line",
        why: "the file cannot be run by its own name, as in `./tools/say.yaml < arguments.json`",
        fix: "add the line, and make the file executable with `chmod +x`",
        example: example!("no-shebang"),
        check: no_shebang,
    },
    Rule {
        name: "not-executable",
        level: Level::Warn,
        summary: "a file with a `#!` line that is not executable",
        why: "running it by its own name, as in `./tools/say.yaml < arguments.json`, fails with `permission denied`, although its first line suggests that it runs",
        fix: "run `chmod +x` on it, or remove the first line",
        example: example!("not-executable"),
        check: not_executable,
    },
    Rule {
        name: "yml-ending",
        level: Level::Warn,
        summary: "a tool in a file with the extension `.yml`",
        why: "only `.yaml` files are tools, so that each name has one file: no host ever sees this one",
        fix: "change the extension to `.yaml`",
        example: example!("yml-ending": ["tools/say.yml"], ["tools/say.yaml"]),
        check: yml_ending,
    },
    Rule {
        name: "broken-shebang",
        level: Level::Warn,
        summary: "a `#!` line that the system does not see or cannot follow: after a byte order mark or another line, or with a misspelt interpreter",
        why: "running the file by its own name, as in `./tools/say.yaml < arguments.json`, fails or starts a shell",
        fix: "write `#! /usr/bin/env cogtools-yaml` as the very first line, without a byte order mark",
        example: example!("broken-shebang"),
        check: broken_shebang,
    },
    Rule {
        name: "folded-template",
        level: Level::Warn,
        summary: "a template in a folded block (`>`) that has lists, headings or tags on lines of their own",
        why: "YAML joins its lines, so that a list becomes one long line",
        fix: "write `|` instead of `>`",
        example: example!("folded-template"),
        check: folded_template,
    },
    Rule {
        name: "carriage-return",
        level: Level::Warn,
        summary: "lines that end in CR LF",
        why: "on Unix the first line then names a program `cogtools-yaml\\r`, and the file does not run",
        fix: "save the file with LF line endings",
        example: example!("carriage-return"),
        check: carriage_return,
    },
    Rule {
        name: "trailing-space",
        level: Level::Warn,
        summary: "trailing white space, blank lines at the end of the file, or no newline there; only where YAML ignores them",
        why: "it shows up in diffs and merges, and is one edit away from becoming part of a text",
        fix: "remove it",
        example: example!("trailing-space"),
        check: trailing_space,
    },
    Rule {
        name: "unpublished-tool",
        level: Level::Warn,
        summary: "a tool of an npm package that the list `files` in `package.json` leaves out",
        why: "`npm publish` does not pack it: whoever installs the package does not get the tool",
        fix: "add the folder to `files`",
        example: example!("unpublished-tool": ["tools/say.yaml", "package.json"], ["tools/say.yaml", "package.json"]),
        check: unpublished_tool,
    },
    Rule {
        name: "useless-suppression",
        level: Level::Warn,
        summary: "a comment `# lint: allow RULE` that names a rule that does not exist or cannot be switched off",
        why: "the comment has no effect, and looks as if it had",
        fix: "correct the name, or remove the comment",
        example: example!("useless-suppression"),
        check: useless_suppression,
    },
];

fn useless_suppression(file: &LintFile, findings: &mut Findings<'_>) {
    for one in file.suppressions() {
        if let Some(fault) = one.fault() {
            findings
                .report(one.span, fault)
                .meant_among(&one.rule, rules().map(|rule| rule.name));
        }
    }
}

/// The maximum size of `package.json`.
const MAX_PACKAGE: usize = 1 << 20;

/// Reports the first tool of a folder that a package names and does not publish.
fn unpublished_tool(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(folder) = file.path.parent() else {
        return;
    };
    for root in folder.ancestors().take(3) {
        let path = root.join("package.json");
        let bytes = text::bytes(&path, &path, MAX_PACKAGE, file.text.scope());
        let package = bytes
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        let Some(package) = package else { continue };
        let list = |value: Option<&Value>| -> Vec<String> {
            let items = value.and_then(Value::as_array).into_iter().flatten();
            let texts = items.filter_map(Value::as_str);
            let trim = |it: &str| {
                it.trim_start_matches("./")
                    .trim_end_matches("/**")
                    .trim_end_matches("/*")
                    .trim_matches('/')
                    .to_owned()
            };
            texts.map(trim).collect()
        };
        let tools = list(package.get("cogtools").and_then(|it| it.get("tools")));
        let files = list(package.get("files"));
        let below = folder.strip_prefix(root).unwrap_or(folder);
        let below = below.to_string_lossy().into_owned();
        let has = |it: &String| {
            below == *it || below.starts_with(&format!("{it}/")) || it == "." || it == "**"
        };
        let is_in = |list: &[String]| list.iter().any(has);
        let is_private = package.get("private") == Some(&Value::Bool(true));
        if package.get("files").is_some()
            && is_in(&tools)
            && !is_in(&files)
            && !is_private
            && is_first(file, folder)
        {
            let name = root.file_name().unwrap_or_default().to_string_lossy();
            findings.report_file(format!(
                "`files` in the `package.json` of `{name}` does not list `{below}`"
            ));
        }
        return;
    }
}

/// Returns true if no tool file of the folder comes before this one.
fn is_first(file: &LintFile, folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths = entries.map(|entry| entry.path());
    !paths.any(|path| path < file.path && path.extension().is_some_and(|it| it == "yaml"))
}

fn no_schema(file: &LintFile, findings: &mut Findings<'_>) {
    let entries = file.document.as_ref().and_then(Node::entries);
    let Some(first) = entries.and_then(<[_]>::first) else {
        return;
    };
    if file.entry("$schema").is_some() || !file.looks_like_a_tool() {
        return;
    }
    let finding = findings.report(first.span, "no `$schema`");
    let before = &file.text.as_str()[..first.span.start];
    // In a flow mapping, or after a quote or an anchor, no line can be inserted before it.
    if before.is_empty() || before.ends_with('\n') {
        let has_return = file.text.as_str().contains("\r\n");
        let line_ending = if has_return { "\r\n" } else { "\n" };
        let line = format!("$schema: {}{line_ending}", Tool::SCHEMA);
        finding.edit(Span::new(first.span.start, first.span.start), line);
    }
}

fn no_shebang(file: &LintFile, findings: &mut Findings<'_>) {
    if file.looks_like_a_tool() && !file.text.as_str().starts_with("#!") {
        findings
            .report_file("no `#!` line")
            .edit(Span::new(0, 0), shebang::LINE);
    }
}

fn not_executable(file: &LintFile, findings: &mut Findings<'_>) {
    let is_script = file.text.as_str().starts_with("#!");
    if is_script && file.path.exists() && !shebang::is_executable(&file.path) {
        let line = file.text.as_str().find('\n').unwrap_or(2);
        findings.report(Span::new(0, line), "the file is not executable");
    }
}

fn yml_ending(file: &LintFile, findings: &mut Findings<'_>) {
    if is_yml(&file.path) && file.looks_like_a_tool() {
        findings.report_file("a tool in a `.yml` file");
    }
}

/// The byte order mark.
const MARK: &[u8] = "\u{feff}".as_bytes();
/// The number of lines in which a `#!` line is looked for.
const MAX_LINES: usize = 8;

fn broken_shebang(file: &LintFile, findings: &mut Findings<'_>) {
    let text = file.text.as_str();
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').take(MAX_LINES).enumerate() {
        let content = line.trim();
        let span = Span::new(at, at + line.trim_end().len().max(1));
        at += line.len();
        let is_spaced = index == 0 && content.starts_with("# !/") && content.contains("cogtools");
        if is_spaced {
            findings.report(span, "a blank between `#` and `!`: this is a comment");
            return;
        }
        if content.starts_with("#!") {
            let message = match first_line_fault(content) {
                _ if index > 0 => "the `#!` line is not the first line".to_owned(),
                _ if !line.starts_with("#!") => "blanks before `#!`".to_owned(),
                _ if has_mark(file) => "a byte order mark before `#!`".to_owned(),
                Some(message) => message,
                None => return,
            };
            findings.report(span, message);
            return;
        }
        if !(content.is_empty() || content.starts_with('#')) {
            return;
        }
    }
}

fn has_mark(file: &LintFile) -> bool {
    let name = file.text.display_path();
    let bytes = text::bytes(&file.path, name, Text::MAX_BYTES, file.text.scope());
    bytes.is_ok_and(|bytes| bytes.starts_with(MARK))
}

/// The fault of a `#!` line that is in the right place.
fn first_line_fault(line: &str) -> Option<String> {
    let mut words = line.trim_start_matches("#!").split_whitespace();
    let first = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    let is_env = matches!(first, "/usr/bin/env" | "/bin/env");
    if !is_env {
        let is_own = first.starts_with('/') && first.ends_with("/cogtools-yaml");
        return (!is_own).then(|| format!("`{first}` is not `/usr/bin/env`"));
    }
    match rest.as_slice() {
        ["cogtools-yaml"] | ["-S", "cogtools-yaml", ..] | ["-S", "cogtools", "yaml", ..] => None,
        ["cogtools-yaml", ..] => {
            Some("`env` takes all that follows for one name; write `env -S`".to_owned())
        }
        [name, ..] => Some(format!("`{name}` is not `cogtools-yaml`")),
        [] => Some("no interpreter after `env`".to_owned()),
    }
}

fn folded_template(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(entry) = file.entry("implementation") else {
        return;
    };
    let entry = match &entry.value.data {
        Data::Map(entries) => match entries.first() {
            Some(inner) if inner.key == "script" || inner.key == "js" => inner,
            _ => return,
        },
        Data::Text { .. } => entry,
        _ => return,
    };
    if let Some(at) = folding(file, entry)
        && has_structure(file.raw(entry.value.span))
    {
        let span = Span::new(at, at + 1);
        findings
            .report(span, "`>` joins the lines of the template")
            .edit(span, "|");
    }
}

/// The offset of the `>` after a key.
fn folding(file: &LintFile, entry: &Entry) -> Option<usize> {
    let rest = file.text.as_str().get(entry.span.end..)?;
    let header = rest.lines().next()?;
    let at = header.find('>')?;
    let before = header[..at].trim_start().strip_prefix(':')?;
    before.trim().is_empty().then_some(entry.span.end + at)
}

/// The `>` of the text, rather than a quotation: `>-`, `>2`.
static HEADER: Expression = Expression::new(r"^\s*>[-+\d]*[ \t]*(?: #.*)?\n");
/// A line that stands for itself after another one: an item, a heading, a tag, a line below a heading;
/// or a line after a heading.
static STRUCTURE: Expression = Expression::new(
    r"(?m)\S[ \t]*\n[ \t]*(?:[-*+>|] |#{1,4} |\{%-? |```|//|\d+[.)][ \t]|[-=]{3,}[ \t]*$)|^[ \t]*#.* .*\n[ \t]*\S",
);

/// Returns true if lines of the template stand for themselves.
fn has_structure(raw: &str) -> bool {
    let header = HEADER.find(raw).map_or(0, |it| it.end());
    STRUCTURE.find(&raw[header..]).is_some()
}

/// The number of lines that are reported; a file with more has other problems.
const MAX_REPORTED: usize = 100;

fn carriage_return(file: &LintFile, findings: &mut Findings<'_>) {
    let text = file.text.as_str();
    let Some(first) = text.find("\r\n") else {
        return;
    };
    if !is_unchanged(file, &text.replace("\r\n", "\n")) {
        return;
    }
    let mut finding = findings.report(Span::new(first, first + 1), "lines end in CR LF");
    for (at, _) in text.match_indices("\r\n") {
        finding = finding.edit(Span::new(at, at + 1), "");
    }
}

fn trailing_space(file: &LintFile, findings: &mut Findings<'_>) {
    let text = file.text.as_str();
    let mut at = 0;
    let mut remaining = MAX_REPORTED;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let content = body.trim_end_matches([' ', '\t']);
        let span = Span::new(at + content.len(), at + body.len());
        at += line.len();
        if content.len() < body.len() && remaining > 0 {
            remaining -= 1;
            add_edit(file, findings, span, "", "trailing white space");
        }
    }
    let trimmed = text.trim_end();
    let end = Span::new(trimmed.len(), text.len());
    let message = match text[trimmed.len()..].matches('\n').count() {
        0 => "no newline at the end of the file",
        1 => return,
        _ => "blank lines at the end of the file",
    };
    if !trimmed.is_empty() {
        add_edit(file, findings, end, "\n", message);
    }
}

/// Adds a finding with an edit, unless the edit changes the document.
fn add_edit(
    file: &LintFile,
    findings: &mut Findings<'_>,
    span: Span,
    replacement: &str,
    message: &str,
) {
    let text = file.text.as_str();
    let edited = format!("{}{replacement}{}", &text[..span.start], &text[span.end..]);
    if is_unchanged(file, &edited) {
        let finding = findings.report(span, message).edit(span, replacement);
        if !text.ends_with('\n') && !replacement.is_empty() {
            finding.fix("add a newline");
        }
    }
}

fn is_unchanged(file: &LintFile, edited: &str) -> bool {
    let Some(document) = &file.document else {
        return false;
    };
    let text = Text::new("", edited.as_bytes().to_vec()).ok();
    let after = text.and_then(|text| yaml::parse(&text).ok());
    let json: Option<Value> = after.map(|after| after.to_json());
    json.as_ref() == Some(&document.to_json())
}
