//! Completion: names and members in templates and JavaScript, keys and values in YAML.

use std::path::Path;

use cogtools_core::Tool;
use cogtools_core::schema::label;
use njk::reference::{EntryKind, entries};
use njk::scan::{ITEM, Scan};
use serde_json::{Map, Value, json};

use super::document::{Document, Kind};
use super::mention::{is_tool_name, macros, signature};
use super::{Question, format};
use crate::js_analysis::JsAnalysis;
use crate::js_types::MEMBERS;
use crate::linter::Expression;

/// Kinds of items in the protocol.
const METHOD: u8 = 2;
const FUNCTION: u8 = 3;
const FIELD: u8 = 5;
const VARIABLE: u8 = 6;
const PROPERTY: u8 = 10;
const VALUE: u8 = 12;
const KEYWORD: u8 = 14;
const FILE: u8 = 17;

/// The members of lists and texts that templates use most.
const LIST_MEMBERS: &str = "length join includes slice";
const TEXT_MEMBERS: &str = "length includes split startsWith toUpperCase trim";
/// The statements that go on with another one, or end it.
const ENDS: &str = "endfor endif endmacro endset endcall endfilter endblock endraw else elif";

fn item(label: &str, kind: u8, detail: &str, about: &str) -> Value {
    json!({
        "label": label, "kind": kind, "detail": detail,
        "documentation": {"kind": "markdown", "value": about},
    })
}

/// Items of names alone.
fn plain<'n>(names: impl IntoIterator<Item = &'n str>, kind: u8) -> Vec<Value> {
    let names = names.into_iter();
    names.map(|name| item(name, kind, "", "")).collect()
}

pub(super) fn complete(question: &Question<'_>) -> Option<Value> {
    let document = question.document;
    let before = document.text.get(..question.offset)?;
    let items = match open_tag(before) {
        Some((start, is_statement)) => in_tag(question, start, is_statement),
        None if document.is_code(question.offset) => in_code(question),
        None if document.kind == Kind::Template => Vec::new(),
        None => in_yaml(question, before),
    };
    Some(json!({"isIncomplete": false, "items": items}))
}

/// The offset behind the beginning of the tag that is open at the end of a text, and true for a
/// statement.
fn open_tag(before: &str) -> Option<(usize, bool)> {
    let value = before.rfind("{{").map(|at| (at, false));
    let statement = before.rfind("{%").map(|at| (at, true));
    let (at, is_statement) = value.max(statement)?;
    let rest = &before[at + 2..];
    let is_closed = rest.contains("}}") || rest.contains("%}");
    (!is_closed).then_some((at + 2, is_statement))
}

/// The path before the part of a name that has been typed.
static PATH: Expression = Expression::new(r#"([\w.\[\]?'"]*)\.\w*$"#);

/// The path that ends before the part of a name that has been typed, such as `one.items[0]` of
/// `x or one.items[0].na`.
fn path_before(code: &str) -> Option<Vec<String>> {
    let path = PATH.groups(code).next()?;
    let steps = path.as_str().split(['.', '[']).map(|step| {
        let step = step.trim_end_matches(['?', ']']).trim_matches(['\'', '"']);
        let is_index = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
        if is_index { ITEM } else { step }.to_owned()
    });
    Some(steps.collect())
}

/// The way to a value from a parameter, for a path in a template.
fn resolved(scan: &Scan, path: &[String], offset: usize) -> Option<Vec<String>> {
    let (first, rest) = path.split_first()?;
    let visible = scan.visible(offset);
    match visible.into_iter().find(|local| local.name == *first) {
        Some(local) if local.path.is_empty() => None,
        Some(local) => Some([&local.path, rest].concat()),
        None => Some(path.to_vec()),
    }
}

/// The schema of the value at `path`.
pub(super) fn schema_at<'t>(tool: &'t Tool, path: &[String]) -> Option<&'t Map<String, Value>> {
    tool.schema.at(path.iter().map(String::as_str))
}

fn in_tag(question: &Question<'_>, start: usize, is_statement: bool) -> Vec<Value> {
    let document = question.document;
    let code = &document.text[start..question.offset];
    let code = code.strip_prefix('-').unwrap_or(code);
    let word = code.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    let before = word.trim_end();
    let scan = document.scan();
    let tool = document.tool();
    if let Some(values) = quoted(question, code, &scan) {
        return values;
    }
    if before.ends_with('|') {
        return of_language(EntryKind::Filter, FUNCTION);
    }
    if TESTED.find(before).is_some() {
        return of_language(EntryKind::Test, FUNCTION);
    }
    if is_statement && before.is_empty() {
        let mut items = of_language(EntryKind::Statement, KEYWORD);
        items.extend(plain(ENDS.split(' '), KEYWORD));
        return items;
    }
    let from = before.trim_start().strip_prefix("from");
    let from = from.filter(|_| is_statement);
    if let Some((template, _)) = from.and_then(|rest| rest.rsplit_once(" import")) {
        return macros_of(document, template.trim().trim_matches(['\'', '"']));
    }
    if let Some(path) = path_before(code) {
        let mut visible = scan.visible(question.offset).into_iter();
        let local = visible.find(|it| path == [it.name.as_str()]);
        if let Some(module) = local.and_then(|it| it.imported.as_ref()) {
            return macros_of(document, &module.template);
        }
        let path = resolved(&scan, &path, question.offset);
        let found = path.zip(tool);
        let schema = found.and_then(|(path, tool)| schema_at(tool, &path));
        return schema.map(members).unwrap_or_default();
    }
    let mut items: Vec<Value> = Vec::new();
    for local in scan.visible(question.offset) {
        let kind = if local.is_macro { FUNCTION } else { VARIABLE };
        let schema = tool.and_then(|tool| schema_at(tool, &local.path));
        let detail = schema.map(label).unwrap_or_default();
        items.push(item(&local.name, kind, &detail, about(schema)));
    }
    let properties = tool.map(|tool| tool.schema.as_object());
    items.extend(properties.map(fields).unwrap_or_default());
    items.extend(of_language(EntryKind::Global, FUNCTION));
    items
}

/// The macros of another template.
fn macros_of(document: &Document, template: &str) -> Vec<Value> {
    let Some((text, macros)) = macros(document, template) else {
        return Vec::new();
    };
    let macros = macros.iter();
    macros
        .map(|it| item(&it.name, FUNCTION, signature(text.as_str(), it), ""))
        .collect()
}

/// The beginning of a test.
static TESTED: Expression = Expression::new(r"\bis(?:\s+not)?$");

/// Completes a text that is open at the end of `code`, with the values of the enum that it is
/// compared with, or with other templates.
fn quoted(question: &Question<'_>, code: &str, scan: &Scan) -> Option<Vec<Value>> {
    let quote = code.rfind(['\'', '"'])?;
    let mark = code[quote..].chars().next()?;
    if code.matches(mark).count() % 2 == 0 {
        return None;
    }
    let before = code[..quote].trim_end();
    let loads = ["include", "import", "from", "extends"];
    if loads.iter().any(|word| before.ends_with(word)) {
        let folder = question.document.path.parent()?;
        let entries = std::fs::read_dir(folder).ok()?.flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names
            .filter(|name| Path::new(name).extension().is_some_and(|it| it == "njk"))
            .collect();
        names.sort_unstable();
        return Some(plain(names.iter().map(String::as_str), FILE));
    }
    let value = before.trim_end_matches('=').trim_end_matches('!');
    if value.len() == before.len() {
        return Some(Vec::new());
    }
    let value = format!("{}.", value.trim_end());
    let path = resolved(scan, &path_before(&value)?, question.offset)?;
    let schema = schema_at(question.document.tool()?, &path)?;
    Some(enum_values(schema))
}

fn enum_values(schema: &Map<String, Value>) -> Vec<Value> {
    let values = schema.get("enum").and_then(Value::as_array);
    plain(
        values.into_iter().flatten().filter_map(Value::as_str),
        VALUE,
    )
}

/// The filters, tests, globals or statements of the language.
fn of_language(kind: EntryKind, of: u8) -> Vec<Value> {
    let entries = entries(kind).into_iter();
    let items = entries.map(|it| {
        let about = format!("{}\n\n`{}` gives `{}`", it.about, it.example, it.output);
        item(it.name, of, it.signature, &about)
    });
    items.collect()
}

/// The members of a value.
fn members(schema: &Map<String, Value>) -> Vec<Value> {
    match schema.get("type").and_then(Value::as_str) {
        Some("array") => plain(LIST_MEMBERS.split(' '), METHOD),
        Some("string") => plain(TEXT_MEMBERS.split(' '), METHOD),
        _ => fields(schema),
    }
}

/// The properties of an object.
fn fields(schema: &Map<String, Value>) -> Vec<Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten();
    properties
        .map(|(name, property)| {
            let schema = property.as_object();
            let detail = schema.map(label).unwrap_or_default();
            item(name, FIELD, &detail, about(schema))
        })
        .collect()
}

fn about(schema: Option<&Map<String, Value>>) -> &str {
    let about = schema.and_then(|schema| schema.get("description"));
    about.and_then(Value::as_str).unwrap_or_default()
}

/// Members of values of the call in JavaScript, the values that one can have, or names.
fn in_code(question: &Question<'_>) -> Vec<Value> {
    let Some((code, at)) = question.document.code_at(question.offset) else {
        return Vec::new();
    };
    let text = &code.source().source()[..at];
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let member = text.trim_end_matches(is_name).strip_suffix('.');
    let (value, rest) = match member {
        Some(value) => (value.strip_suffix('?').unwrap_or(value), at),
        None => match compared(text) {
            Some(value) => (value, value.len()),
            None => return code_names(code, text.trim_end_matches(is_name).len(), at),
        },
    };
    let Some((_, schema)) = code.value_before(value.len(), rest) else {
        return Vec::new();
    };
    if member.is_none() {
        return enum_values(&schema);
    }
    let kind = schema.get("type").and_then(Value::as_str);
    let kind = kind.map(|it| if it == "integer" { "number" } else { it });
    let known = MEMBERS.iter().find(|(it, _)| kind == Some(it));
    match known {
        Some((_, names)) => plain(names.split_ascii_whitespace(), METHOD),
        None => fields(&schema),
    }
}

/// The names that can stand in JavaScript at the offset `end`; the code goes on at `rest`.
fn code_names(code: &JsAnalysis, end: usize, rest: usize) -> Vec<Value> {
    let Some(mut names) = code.names_before(end, rest) else {
        return Vec::new();
    };
    names.push("args".to_owned());
    if code.calls_tools() {
        names.push("tools".to_owned());
    }
    names.sort_unstable();
    names.dedup();
    plain(names.iter().map(String::as_str), VARIABLE)
}

/// The code of a value that is compared with the text which is open at the end of `code`.
fn compared(code: &str) -> Option<&str> {
    let line = code.rfind('\n').map_or(0, |at| at + 1);
    let quote = line + code[line..].rfind(['\'', '"'])?;
    let before = code[..quote].trim_end();
    let value = before
        .strip_suffix("==")
        .or_else(|| before.strip_suffix("!="))?;
    Some(value.trim_end_matches(['=', '!']).trim_end())
}

/// Keys and values of YAML.
fn in_yaml(question: &Question<'_>, before: &str) -> Vec<Value> {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let dashed = text.strip_prefix("- ");
    let key = dashed.unwrap_or(text);
    let above = &before[..before.len() - line.len()];
    let mut path = path_above(above, indent, dashed.is_some());
    let value = match key.split_once(':') {
        _ if key.starts_with(['{', '[']) => key,
        None => {
            if dashed.is_some() {
                let found = values(question, &path);
                if !found.is_empty() {
                    return found;
                }
            }
            return keys(question, &path, key);
        }
        Some((key, value)) => {
            path.push(key.trim_matches(['"', '\'']).to_owned());
            let is_expression = matches!(key, "when" | "for") && path[0] == "implementation";
            if is_expression {
                return in_tag(question, before.len() - value.len(), false);
            }
            value
        }
    };
    match open_collections(value) {
        Some((inner, None)) => values(question, &[path, inner].concat()),
        Some((inner, Some(key))) => keys(question, &[path, inner].concat(), &key),
        None => Vec::new(),
    }
}

/// The way through the maps and lists in braces and brackets that are open at the end of `text`, and
/// the beginning of a key there, if one is being written; none for a text that is no value.
fn open_collections(text: &str) -> Option<(Vec<String>, Option<String>)> {
    enum Open {
        Map(Option<String>),
        List,
    }
    let (mut open, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in text.chars() {
        match (c, open.last_mut()) {
            (_, _) if quote.is_some() => {
                if quote == Some(c) {
                    quote = None;
                } else {
                    word.push(c);
                }
                continue;
            }
            ('"' | '\'', _) if word.trim().is_empty() => quote = Some(c),
            ('{', _) if word.trim().is_empty() => open.push(Open::Map(None)),
            ('[', _) if word.trim().is_empty() => open.push(Open::List),
            ('}' | ']', Some(_)) => drop(open.pop()),
            (',', Some(Open::Map(key))) => *key = None,
            (',', Some(Open::List)) => {}
            (':', Some(Open::Map(key @ None))) => *key = Some(word.trim().to_owned()),
            _ => {
                word.push(c);
                continue;
            }
        }
        word.clear();
    }
    let word = word.trim_start();
    let mut path = Vec::new();
    for one in open {
        match one {
            Open::List => path.push("0".to_owned()),
            Open::Map(Some(key)) => path.push(key),
            Open::Map(None) => return Some((path, Some(word.to_owned()))),
        }
    }
    (!word.contains([':', '{', ']'])).then_some((path, None))
}

/// The keys at `path`, of which `key` is the beginning.
fn keys(question: &Question<'_>, path: &[String], key: &str) -> Vec<Value> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-');
    if !key.chars().all(is_name) {
        return Vec::new();
    }
    let kind = question.document.kind;
    let keys = format::keys(kind, path).into_iter();
    let keys = keys.map(|(key, about)| item(key, PROPERTY, "", about));
    let arguments = example_schema(question, path).map(fields);
    let mut items: Vec<Value> = arguments.into_iter().flatten().chain(keys).collect();
    for item in &mut items {
        item["insertText"] = format!("{}: ", item["label"].as_str().unwrap_or_default()).into();
    }
    items
}

/// The values at `path`: of the format, or names of tools.
fn values(question: &Question<'_>, path: &[String]) -> Vec<Value> {
    let is_tool = path != ["name"] && is_tool_name(question.document.kind, path);
    let workspace = question.workspaces.of(&question.document.path);
    if let Some(workspace) = workspace.filter(|_| is_tool) {
        let members = workspace.members.iter().filter(|it| !it.name.is_empty());
        return members
            .map(|it| item(&it.name, FUNCTION, "", &it.description))
            .collect();
    }
    let of_schema = example_schema(question, path).or_else(|| {
        let (last, parameter) = path.split_last()?;
        let names = parameter.strip_prefix(&["parameters".to_owned()])?;
        let names = names.iter().filter(|step| *step != "properties").cloned();
        let names: Vec<String> = names.collect();
        (last == "default").then(|| schema_at(question.document.tool()?, &names))?
    });
    if let Some(schema) = of_schema {
        return enum_values(schema);
    }
    let values = format::values(question.document.kind, path);
    plain(values.iter().map(String::as_str), VALUE)
}

/// The schema of what an example has at a `path` of keys.
fn example_schema<'q>(
    question: &'q Question<'_>,
    path: &[String],
) -> Option<&'q Map<String, Value>> {
    let [examples, _, rest @ ..] = path else {
        return None;
    };
    let rest = rest.strip_prefix(&["arguments".to_owned()]).unwrap_or(rest);
    let steps = rest.iter().map(String::as_str);
    let steps = steps.map(|step| if step == "0" { ITEM } else { step });
    let tool = question.document.tool();
    tool.filter(|_| examples == "examples")?.schema.at(steps)
}

/// The keys around a line with this indentation, by the indentation of the lines before; `0` for
/// an item of a list.
fn path_above(before: &str, indent: usize, is_item: bool) -> Vec<String> {
    let mut path = Vec::new();
    let (mut indent, mut after_item) = (indent, is_item);
    if is_item {
        path.push("0".to_owned());
    }
    for line in before.lines().rev() {
        let text = line.trim_start();
        let own = line.len() - text.len();
        let item = text.strip_prefix("- ");
        // The items of a list may be as deep as its key.
        let is_above = own < indent || (own == indent && after_item && item.is_none());
        if text.is_empty() || text.starts_with('#') || !is_above {
            continue;
        }
        let is_around = item.is_none() || own + 2 < indent;
        if let Some((key, _)) = item.unwrap_or(text).split_once(':').filter(|_| is_around) {
            path.push(key.trim_matches(['"', '\'']).to_owned());
        }
        if item.is_some() {
            path.push("0".to_owned());
        }
        (indent, after_item) = (own, item.is_some());
    }
    path.reverse();
    path
}
