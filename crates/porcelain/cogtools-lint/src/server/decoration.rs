//! Quick fixes, and what an editor shows beside the text: symbols, colours, lenses and types.

use cogtools_core::schema::label;
use cogtools_core::text::Span;
use cogtools_core::yaml::{Entry, Node};
use serde_json::{Map, Value, json};

use super::Question;
use super::completion::schema_at;
use super::document::{Document, Kind, range};
use crate::finding::{Edit, Finding};

/// The types of tokens, in the order of [`njk::scan::TokenKind`].
pub(super) const TOKEN_TYPES: [&str; 9] = [
    "macro", "keyword", "variable", "property", "function", "string", "number", "operator",
    "comment",
];

/// Quick fixes of the findings in a range, and one for the whole file: the edits of `--fix`, which
/// editors may make unasked, advice, and names that were meant.
pub(super) fn actions(question: &Question<'_>) -> Option<Value> {
    let document = question.document;
    let workspace = question.workspaces.of(&document.path)?;
    let file = document.file.as_ref()?;
    let asked = &question.params["range"];
    let (start, end) = (
        document.offset(&asked["start"]),
        document.offset(&asked["end"]),
    );
    let only = question.params["context"]["only"].as_array();
    let is_wanted = |kind: &str| {
        let mut kinds = only.into_iter().flatten().filter_map(Value::as_str);
        let is_kind = |one: &str| {
            let rest = kind.strip_prefix(one);
            rest.is_some_and(|it| one.is_empty() || it.is_empty() || it.starts_with('.'))
        };
        only.is_none_or(Vec::is_empty) || kinds.any(is_kind)
    };
    let mut actions = Vec::new();
    let near = document.findings.iter().filter(|finding| {
        let span = document.span_of(&finding.location);
        is_wanted(QUICK_FIX)
            && finding.location.file == file.text.display_path()
            && span.start <= end
            && start <= span.end
    });
    for finding in near {
        let is_safe = |edits: &[Edit]| {
            !edits.is_empty() && workspace.is_safe(file, &document.findings, edits)
        };
        if is_safe(&finding.edits) {
            let mut one = action(document, &finding.fix, QUICK_FIX, &finding.edits);
            one["isPreferred"] = finding.is_fixable().into();
            actions.push(one);
        }
        for edit in meant(document, finding) {
            if is_safe(std::slice::from_ref(&edit)) {
                let title = format!("write `{}`", edit.text);
                actions.push(action(document, &title, QUICK_FIX, &[edit]));
            }
        }
    }
    if is_wanted(FIX_ALL) {
        let fixed = workspace.fixed(file, &document.findings);
        let edits: Vec<Edit> = fixed.into_iter().flat_map(|it| it.edits).collect();
        if !edits.is_empty() {
            let title = "fix what can be fixed safely";
            actions.push(action(document, title, FIX_ALL, &edits));
        }
    }
    Some(Value::Array(actions))
}

/// Kinds of actions in the protocol.
const QUICK_FIX: &str = "quickfix";
const FIX_ALL: &str = "source.fixAll";

/// Makes an action of these edits of a file.
fn action(document: &Document, title: &str, kind: &str, edits: &[Edit]) -> Value {
    let mut chars = title.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    let title: String = first.into_iter().chain(chars).collect();
    let edits: Vec<Value> = edits.iter().map(|it| text_edit(document, it)).collect();
    json!({"title": title, "kind": kind, "edit": {"changes": {&document.uri: edits}}})
}

/// The edit as the protocol has it: no position is between a carriage return and its line feed.
fn text_edit(document: &Document, edit: &Edit) -> Value {
    let (mut span, mut text) = (range(edit.span), edit.text.clone());
    if document.text[..span.end].ends_with('\r') && document.text[span.end..].starts_with('\n') {
        span.end += 1;
        text.push('\n');
    }
    json!({"range": document.range(span), "newText": text})
}

/// The edits that each write a name which was meant, where the unknown one is once in the place of
/// the finding.
fn meant(document: &Document, finding: &Finding) -> Vec<Edit> {
    let Some(suggestion) = &finding.suggestion else {
        return Vec::new();
    };
    let place = document.span_of(&finding.location);
    let text = &document.text[place.clone()];
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let unknown = &suggestion.unknown;
    let found = text.match_indices(unknown).filter(|(at, _)| {
        let (before, after) = (&text[..*at], &text[at + unknown.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    });
    let [(at, _)] = found.collect::<Vec<_>>()[..] else {
        return Vec::new();
    };
    let start = place.start + at;
    let end = start + unknown.len();
    // Another text would end the quotes around it, or the value of its key.
    let is_plain = |name: &&String| name.chars().all(|c| is_part(c) || "./$ ".contains(c));
    let names = suggestion.names.iter().filter(is_plain);
    names
        .map(|name| Edit {
            span: Span { start, end },
            region: None,
            text: name.clone(),
        })
        .collect()
}

/// The keys of the file, and the keys of its parameters, examples and nodes.
pub(super) fn symbols(question: &Question<'_>) -> Option<Value> {
    let document = question.document;
    if document.kind == Kind::Template {
        let scan = document.scan();
        let macros = scan.locals.iter().filter(|local| local.is_macro);
        let symbol = |local: &njk::scan::Local| {
            let range = document.range(local.span.clone());
            json!({"name": local.name, "kind": FUNCTION, "range": range, "selectionRange": range})
        };
        return Some(macros.map(symbol).collect());
    }
    let entries = document.yaml()?.entries()?;
    Some(
        entries
            .iter()
            .map(|entry| symbol(question, entry, 0))
            .collect(),
    )
}

/// Kinds of symbols in the protocol.
const FUNCTION: u8 = 12;
const FIELD: u8 = 8;
const MODULE: u8 = 2;

fn symbol(question: &Question<'_>, entry: &Entry, depth: usize) -> Value {
    let document = question.document;
    let inner = entry.value.entries().unwrap_or_default();
    let is_deep = match entry.key.as_str() {
        "parameters" | "properties" | "nodes" | "flow" | "implementation" | "agent" => true,
        _ => depth == 0,
    };
    let inner: Vec<Value> = inner
        .iter()
        .filter(|_| is_deep && depth < 4)
        .map(|entry| symbol(question, entry, depth + 1))
        .collect();
    let end = entry.value.span.end.max(entry.span.end);
    json!({
        "name": entry.key,
        "detail": entry.value.text().and_then(|text| text.lines().next()).unwrap_or_default(),
        "kind": if inner.is_empty() { FIELD } else { MODULE },
        "range": document.range(entry.span.start..end),
        "selectionRange": document.range(range(entry.span)),
        "children": inner,
    })
}

/// The tokens of templates: five numbers each, relative to the one before.
pub(super) fn tokens(question: &Question<'_>) -> Option<Value> {
    let document = question.document;
    let mut data: Vec<usize> = Vec::new();
    let (mut last_line, mut last_start) = (0, 0);
    for token in document.scan().sorted_tokens() {
        let text = document.text.get(token.span.clone())?;
        let mut at = token.span.start;
        for line in text.split_inclusive('\n') {
            let shown = line.trim_end_matches(['\n', '\r']);
            let (line_number, start) = document.line_and_unit(at);
            at += line.len();
            if shown.is_empty() {
                continue;
            }
            if line_number != last_line {
                last_start = 0;
            }
            data.extend([
                line_number - last_line,
                start - last_start,
                shown.encode_utf16().count(),
                token.kind as usize,
                0,
            ]);
            (last_line, last_start) = (line_number, start);
        }
    }
    Some(json!({"data": data}))
}

/// Two lenses for each example. The client runs `cogtools` with these arguments, in the folder.
pub(super) fn lenses(question: &Question<'_>) -> Option<Value> {
    let document = question.document;
    let tool = document.tool()?.name().as_str();
    let folder = document.path.parent()?;
    let examples = document.yaml()?.get("examples").and_then(Node::items);
    let mut lenses = Vec::new();
    for (at, example) in examples.unwrap_or_default().iter().enumerate() {
        let named = example
            .get("name")
            .filter(|_| example.get("arguments").is_some());
        let number = (at + 1).to_string();
        let name = named.and_then(Node::text).unwrap_or(&number);
        let run = vec![
            "test".to_owned(),
            tool.to_owned(),
            format!("--test=^{tool}\\.{name}$"),
        ];
        let update = [run.as_slice(), &["--update".to_owned()]].concat();
        for (title, command, args) in [
            ("run example", "cogtools.runExample", run),
            ("update golden", "cogtools.updateGolden", update),
        ] {
            lenses.push(json!({
                "range": document.range(example.span.start..example.span.start),
                "command": {"title": title, "command": command, "arguments": [folder, args]},
            }));
        }
    }
    Some(Value::Array(lenses))
}

/// The types of variables of loops, behind their definitions.
pub(super) fn hints(question: &Question<'_>) -> Option<Value> {
    let document = question.document;
    let tool = document.tool()?;
    let scan = document.scan();
    let locals = scan.locals.iter().filter(|local| !local.path.is_empty());
    let typed = locals.filter_map(|local| {
        let schema: &Map<String, Value> = schema_at(tool, &local.path)?;
        Some(json!({
            "position": document.position(local.span.end),
            "label": format!(": {}", label(schema)), "kind": 1,
        }))
    });
    Some(typed.collect())
}
