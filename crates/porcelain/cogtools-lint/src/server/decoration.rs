//! Quick fixes, and what an editor shows beside the text: symbols, colours, lenses and types.

use cogtools_core::yaml::{Entry, Node};
use njk::scan::TokenKind;
use serde_json::{Map, Value, json};

use super::Question;
use super::completion::{schema_at, type_of};
use super::document::{Kind, range};
use crate::finding::Finding;

/// The types of tokens, in the order of [`TokenKind`].
pub(super) const TOKEN_TYPES: [&str; 9] = [
    "macro", "keyword", "variable", "property", "function", "string", "number", "operator",
    "comment",
];

/// Quick fixes of the findings in a range: edits that cannot change the meaning, and names that
/// were meant.
pub(super) fn actions(question: &Question<'_>) -> Option<Value> {
    let document = question.document;
    let workspace = question.workspaces.of(&document.path)?;
    let file = document.file.as_ref()?;
    let asked = &question.params["range"];
    let (start, end) = (
        document.offset(&asked["start"]),
        document.offset(&asked["end"]),
    );
    let mut actions = Vec::new();
    let mut all_edits = Vec::new();
    for finding in &document.findings {
        let is_safe =
            !finding.edits.is_empty() && workspace.is_safe(file, &document.findings, finding);
        let edits: Vec<Value> = if is_safe {
            let edits = finding.edits.iter();
            edits
                .map(
                    |edit| json!({"range": document.range(range(edit.span)), "newText": edit.text}),
                )
                .collect()
        } else {
            meant(question, finding).into_iter().collect()
        };
        if edits.is_empty() {
            continue;
        }
        if is_safe {
            all_edits.extend(edits.iter().cloned());
        }
        let span = document.span_of(&finding.location);
        if span.start <= end && start <= span.end {
            actions.push(json!({
                "title": title(finding, is_safe),
                "kind": "quickfix",
                "isPreferred": true,
                "edit": {"changes": {&document.uri: edits}},
            }));
        }
    }
    if all_edits.len() > 1 {
        actions.push(json!({
            "title": "Fix what can be fixed safely",
            "kind": "source.fixAll",
            "edit": {"changes": {&document.uri: all_edits}},
        }));
    }
    Some(Value::Array(actions))
}

fn title(finding: &Finding, is_safe: bool) -> String {
    let text = if is_safe {
        finding.rule.fix
    } else {
        &finding.fix
    };
    let mut chars = text.trim_end_matches('?').chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

/// The edit that writes the name that was meant, where the finding is about one name.
fn meant(question: &Question<'_>, finding: &Finding) -> Option<Value> {
    let document = question.document;
    if finding.location.file != document.file.as_ref()?.text.display_path() {
        return None;
    }
    let meant = finding
        .fix
        .strip_prefix("did you mean `")?
        .strip_suffix("`?")?;
    let span = document.span_of(&finding.location);
    let text = &document.text[span.clone()];
    // The message names what is wrong; it may be in a longer place.
    let wrong = finding.message.split('`').skip(1).step_by(2);
    let mut wrong = wrong.filter_map(|name| Some((name, text.find(name)?)));
    let (name, at) = wrong.next()?;
    let start = span.start + at;
    let place = document.range(start..start + name.len());
    Some(json!({"range": place, "newText": meant}))
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
    let mut data: Vec<u64> = Vec::new();
    let (mut last_line, mut last_start) = (0, 0);
    for token in document.scan().sorted_tokens() {
        let text = document.text.get(token.span.clone())?;
        let mut at = token.span.start;
        for line in text.split_inclusive('\n') {
            let shown = line.trim_end_matches(['\n', '\r']);
            let position = document.position(at);
            let number = |key: &str| position[key].as_u64().unwrap_or_default();
            let (line_number, start) = (number("line"), number("character"));
            at += line.len();
            if shown.is_empty() {
                continue;
            }
            let before = if line_number == last_line {
                last_start
            } else {
                0
            };
            data.extend([
                line_number - last_line,
                start - before,
                u64::try_from(shown.encode_utf16().count()).unwrap_or_default(),
                kind_of(token.kind),
                0,
            ]);
            (last_line, last_start) = (line_number, start);
        }
    }
    Some(json!({"data": data}))
}

const fn kind_of(kind: TokenKind) -> u64 {
    match kind {
        TokenKind::Delimiter => 0,
        TokenKind::Keyword => 1,
        TokenKind::Variable => 2,
        TokenKind::Property => 3,
        TokenKind::Function => 4,
        TokenKind::Text => 5,
        TokenKind::Constant => 6,
        TokenKind::Operator => 7,
        TokenKind::Comment => 8,
    }
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
            "label": format!(": {}", type_of(schema)), "kind": 1,
        }))
    });
    Some(typed.collect())
}
