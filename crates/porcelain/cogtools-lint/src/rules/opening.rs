//! The first lines of a file, and how its template is written down.

use cogtools_core::Level;
use cogtools_core::text::{self, Span, Text};
use cogtools_core::yaml::{Data, Entry};

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "broken-shebang",
        level: Level::Warn,
        summary: "a `#!` line that the system does not see or cannot follow: after a byte order mark or another line, or with a misspelt interpreter",
        why: "running the file by its own name, as in `./tools/say.yaml < arguments.json`, fails or starts a shell",
        fix: "write `#! /usr/bin/env cogtools-yaml` as the very first line, without a byte order mark",
        fixable: false,
        fails: case!("broken-shebang/fails"),
        passes: case!("broken-shebang/passes"),
        check: broken_shebang,
    },
    Rule {
        name: "folded-template",
        level: Level::Warn,
        summary: "a template in a folded block (`>`) that has lists, headings or tags on lines of their own",
        why: "YAML joins its lines, so that a list becomes one long line",
        fix: "write `|` instead of `>`",
        fixable: true,
        fails: case!("folded-template/fails"),
        passes: case!("folded-template/passes"),
        check: folded_template,
    },
];

/// The byte order mark.
const MARK: &[u8] = "\u{feff}".as_bytes();
/// How many lines a `#!` line that is too late is looked for in.
const MAX_LINES: usize = 8;

fn broken_shebang(file: &LintFile, findings: &mut Findings<'_>) {
    let text = file.text.as_str();
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').take(MAX_LINES).enumerate() {
        let content = line.trim();
        let span = Span {
            start: at,
            end: at + line.trim_end().len().max(1),
        };
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

/// What is wrong with a `#!` line that is in the right place.
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
        let span = Span {
            start: at,
            end: at + 1,
        };
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

/// Whether it is the `>` of the text, rather than a quotation: `>-`, `>2`.
fn is_header(line: &str) -> bool {
    line.strip_prefix('>').is_some_and(|rest| {
        let rest = rest.split(" #").next().unwrap_or_default().trim();
        rest.chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '-' | '+'))
    })
}

/// Whether lines of the template stand for themselves.
fn has_structure(raw: &str) -> bool {
    let mut before = "";
    for line in raw.lines().map(str::trim) {
        if before.is_empty() && is_header(line) {
            continue;
        }
        let is_list = [
            "- ", "* ", "+ ", "> ", "# ", "## ", "### ", "#### ", "| ", "{% ", "{%- ", "```", "//",
        ]
        .iter()
        .any(|mark| line.starts_with(mark));
        // A heading has its own line, and what follows it as well.
        if before.starts_with('#') && before.contains(' ') && !line.is_empty() {
            return true;
        }
        let is_underline = line.len() > 2 && line.chars().all(|c| c == '=' || c == '-');
        let number = line
            .split_once([' ', '\t'])
            .map_or("", |(number, _)| number);
        let number = number.strip_suffix(['.', ')']).unwrap_or_default();
        let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
        if (is_list || is_number || is_underline) && !before.is_empty() {
            return true;
        }
        before = line;
    }
    false
}
