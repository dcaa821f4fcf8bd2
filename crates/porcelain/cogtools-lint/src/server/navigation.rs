//! Explanations, definitions, references and names that change.

use std::fmt::Write as _;
use std::ops::Range;

use cogtools_core::schema::label;
use cogtools_core::text::Text;
use cogtools_core::yaml::{Data, Node};
use cogtools_program::file_uri;
use njk::reference::{EntryKind, entries};
use njk::scan::{ITEM, Imported, Scan, TokenKind, scan};
use serde_json::{Map, Value, json};

use super::completion::schema_at;
use super::document::{Document, Kind, place, range};
use super::mention::{
    Mention, Renaming, definition_of, imported, in_schema, macros, mentions, nodes, signature,
};
use super::{Question, format};
use crate::lint_file::LintFile;

/// The thing at a place of a file.
enum Target {
    /// A value of the call: the way to it from a parameter.
    Value(Vec<String>),
    /// A variable that a template defines: its name, and the place of its definition.
    Local(Range<usize>),
    /// A macro of another template.
    Macro(Imported),
    /// A tool or another template.
    Mention(Mention),
    /// A node of a flow.
    Node(String),
}

/// Finds the thing at an offset, and its bytes.
fn target(document: &Document, offset: usize) -> Option<(Target, Range<usize>)> {
    let (target, span) = named_at(document, offset)?;
    // The result of a node is a value with its name.
    match target {
        Target::Value(path) => match path.as_slice() {
            [name] if nodes(document).iter().any(|it| it.key == *name) => {
                Some((Target::Node(name.clone()), span))
            }
            _ => Some((Target::Value(path), span)),
        },
        target => Some((target, span)),
    }
}

/// The places in YAML where a flow names its node: its key, needs of others, and routes to it.
fn node_places(document: &Document, name: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for node in nodes(document) {
        if node.key == name {
            found.push(range(node.span));
        }
        let needs = node.value.get("needs").and_then(Node::items);
        let routes = node.value.get("router").and_then(Node::items);
        let routes = routes.into_iter().flatten().filter_map(|it| it.get("to"));
        for one in needs.into_iter().flatten().chain(routes) {
            let text = one.text().unwrap_or_default();
            if text.trim_end_matches('?') == name {
                let span = range(one.span);
                let quote = usize::from(document.text[span.clone()].starts_with(['"', '\'']));
                let start = span.start + quote;
                found.push(start..start + name.len());
            }
        }
    }
    found
}

fn named_at(document: &Document, offset: usize) -> Option<(Target, Range<usize>)> {
    if document.is_code(offset) {
        let mut values = code_values(document).into_iter();
        let (path, span, _) = values.find(|(_, span, _)| touches(span, offset))?;
        return Some((Target::Value(path), span));
    }
    let mut all = mentions(document).into_iter();
    if let Some((mention, span)) = all.find(|(_, span)| touches(span, offset)) {
        return Some((Target::Mention(mention), span));
    }
    let scan = document.scan();
    let mut macros = scan.macros.iter();
    if let Some((part, span)) = macros.find(|(_, span)| touches(span, offset)) {
        return Some((Target::Macro(part.clone()), span.clone()));
    }
    if let Some(name) = scan.name_at(offset) {
        let target = match name.local {
            Some(local) => Target::Local(scan.locals[local].span.clone()),
            None => Target::Value(name.path.clone()),
        };
        return Some((target, name.span.clone()));
    }
    let (path, span, on_key) = yaml_at(document.yaml()?, offset)?;
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    match keys.as_slice() {
        ["parameters", ..] | ["parameters_schema", "properties", ..] if on_key => {
            Some((Target::Value(value_path(&keys)?), span))
        }
        ["examples", _, rest @ ..] if on_key => {
            let names = rest.strip_prefix(&["arguments"]).unwrap_or(rest);
            let path = names.iter().map(|name| match name.parse::<usize>() {
                Ok(_) => ITEM.to_owned(),
                Err(_) => (*name).to_owned(),
            });
            Some((Target::Value(path.collect()), span))
        }
        ["implementation", "flow", "nodes", id] if on_key => {
            Some((Target::Node((*id).to_owned()), span))
        }
        ["implementation", "flow", "nodes", _, "needs", ..]
        | ["implementation", "flow", "nodes", _, "router", _, "to"]
            if !on_key =>
        {
            let name = document.text[span.clone()].trim_matches(['"', '\'']);
            let name = name.trim_end_matches('?').to_owned();
            Some((Target::Node(name), span))
        }
        _ => None,
    }
}

fn touches(span: &Range<usize>, offset: usize) -> bool {
    (span.start..=span.end).contains(&offset)
}

/// The way to the value that a schema at a path of keys describes.
fn value_path(keys: &[&str]) -> Option<Vec<String>> {
    let mut path = Vec::new();
    let mut keys = keys.iter();
    let mut is_name = *keys.next()? == "parameters";
    for key in keys {
        match *key {
            name if is_name => {
                path.push(name.to_owned());
                is_name = false;
            }
            "properties" => is_name = true,
            "items" => path.push(ITEM.to_owned()),
            _ => return None,
        }
    }
    (!is_name && path.last().is_some_and(|step| step != ITEM)).then_some(path)
}

/// The keys to the deepest key or value at an offset, its bytes, and true for a key.
pub(super) fn yaml_at(node: &Node, offset: usize) -> Option<(Vec<String>, Range<usize>, bool)> {
    let mut path = Vec::new();
    let mut node = node;
    loop {
        match &node.data {
            Data::Map(entries) => {
                let mut entries = entries.iter().rev();
                let entry = entries.find(|entry| entry.span.start <= offset)?;
                path.push(entry.key.clone());
                if offset <= entry.span.end {
                    return Some((path, range(entry.span), true));
                }
                node = &entry.value;
            }
            Data::List(items) => {
                let at = items.iter().rposition(|item| item.span.start <= offset)?;
                path.push(at.to_string());
                node = &items[at];
            }
            _ => {
                let span = range(node.span);
                return touches(&span, offset).then_some((path, span, false));
            }
        }
    }
}

/// A name of a value of the call in JavaScript: the way to it, its bytes, and true if it is the key of
/// an object, too, as in `{name}`.
type CodeValue = (Vec<String>, Range<usize>, bool);

fn code_values(document: &Document) -> Vec<CodeValue> {
    let codes = document.file.iter().flat_map(LintFile::codes);
    let values = codes.flat_map(|code| {
        let reads = code.reads.iter();
        let reads = reads.map(|(name, span)| (vec![name.clone()], *span, false));
        let names = code.values.iter();
        let names = names.map(|it| (it.steps.clone(), it.span, it.is_key));
        let place = |span| document.span_of(&code.location(span));
        let all = reads.chain(names);
        all.map(move |(path, span, is_key)| (path, place(span), is_key))
    });
    values.collect()
}

/// The names of the value at `path` in JavaScript: a variable with another name has it, too.
fn code_names(document: &Document, path: &[String]) -> Vec<Range<usize>> {
    let name = path.last().map(String::as_str);
    let values = code_values(document).into_iter();
    let named =
        values.filter(|(it, span, _)| it == path && document.text.get(span.clone()) == name);
    named.map(|(_, span, _)| span).collect()
}

pub(super) fn hover(question: &Question<'_>) -> Option<Value> {
    let document = question.document;
    let offset = question.offset;
    let (text, span) = match target(document, offset) {
        Some((Target::Value(path), span)) => (about_value(document, &path)?, span),
        Some((Target::Local(definition), span)) => {
            let scan = document.scan();
            let local = scan.locals.iter().find(|local| local.span == definition)?;
            let text = if let Some(part) = &local.imported {
                about_macro(document, part)?
            } else if local.is_macro {
                format!("macro `{}`", signature(&document.text, local))
            } else {
                about_value(document, &local.path).unwrap_or_else(|| format!("`{}`", local.name))
            };
            (text, span)
        }
        Some((Target::Macro(part), span)) => (about_macro(document, &part)?, span),
        Some((Target::Mention(Mention::Tool(name)), span)) => {
            let workspace = question.workspaces.of(&document.path)?;
            let member = workspace.members.iter().find(|it| it.name == name)?;
            (format!("`{name}`\n\n{}", member.description), span)
        }
        Some((Target::Node(name), span)) => {
            let node = document.tool()?.flow()?.node(&name)?;
            (format!("node `{name}`: {}", node.kind()), span)
        }
        Some((Target::Mention(_), _)) => return None,
        None => about_language(document, offset).or_else(|| about_key(document, offset))?,
    };
    Some(json!({
        "contents": {"kind": "markdown", "value": text}, "range": document.range(span),
    }))
}

/// Describes a macro of another template, or names the template.
fn about_macro(document: &Document, part: &Imported) -> Option<String> {
    if part.name.is_none() {
        return Some(format!("macros of `{}`", part.template));
    }
    let (text, one) = imported(document, part)?;
    let signature = signature(text.as_str(), &one);
    Some(format!("macro `{signature}` of `{}`", part.template))
}

fn about_value(document: &Document, path: &[String]) -> Option<String> {
    let tool = document.tool()?;
    let schema = schema_at(tool, path).filter(|_| !path.is_empty())?;
    let required = path.split_last().and_then(|(name, parent)| {
        let required = schema_at(tool, parent)?.get("required")?.as_array()?;
        Some(required.iter().any(|it| it == name))
    });
    Some(describe(
        &path.join(".").replace(".[]", "[]"),
        schema,
        required.unwrap_or_default(),
    ))
}

fn describe(name: &str, schema: &Map<String, Value>, is_required: bool) -> String {
    let mut text = format!("`{name}`: {}", label(schema));
    if let Some(default) = schema.get("default") {
        let _ = write!(text, ", {default} by default");
    } else if !is_required && !name.ends_with(ITEM) {
        text.push_str(", optional");
    }
    if let Some(about) = schema.get("description").and_then(Value::as_str) {
        let _ = write!(text, "\n\n{about}");
    }
    text
}

/// Describes a filter, a test, a global or a statement.
fn about_language(document: &Document, offset: usize) -> Option<(String, Range<usize>)> {
    let scan = document.scan();
    let mut tokens = scan.tokens.iter();
    let token = tokens.find(|token| touches(&token.span, offset))?;
    let kinds: &[EntryKind] = match token.kind {
        TokenKind::Function => &[EntryKind::Filter, EntryKind::Test],
        TokenKind::Keyword => &[EntryKind::Statement],
        TokenKind::Variable => &[EntryKind::Global],
        _ => return None,
    };
    let name = document.text.get(token.span.clone())?;
    let mut all = kinds.iter().flat_map(|kind| entries(*kind));
    let entry = all.find(|entry| entry.name == name)?;
    let text = format!(
        "```\n{}\n```\n\n{}\n\n`{}` gives `{}`",
        entry.signature, entry.about, entry.example, entry.output
    );
    Some((text, token.span.clone()))
}

/// Describes a key of the file.
fn about_key(document: &Document, offset: usize) -> Option<(String, Range<usize>)> {
    let (path, span, on_key) = yaml_at(document.yaml()?, offset)?;
    let about = format::description(&format::shapes(document.kind, &path));
    (on_key && !about.is_empty()).then(|| (about.to_owned(), span))
}

pub(super) fn definition(question: &Question<'_>) -> Option<Value> {
    let document = question.document;
    let (target, _) = target(document, question.offset)?;
    match target {
        Target::Value(path) => {
            let file = document.tool_file()?;
            let span = unquoted(document, definition_of(file, &path)?);
            Some(place(&document.path, &document.range(span)))
        }
        Target::Local(span) => {
            let scan = document.scan();
            let local = scan.locals.iter().find(|it| it.span == span)?;
            let part = local.imported.as_ref();
            let elsewhere = part.and_then(|part| macro_place(document, part));
            elsewhere.or_else(|| Some(place(&document.path, &document.range(span))))
        }
        Target::Macro(part) => macro_place(document, &part),
        Target::Mention(mention) => {
            let workspace = question.workspaces.of(&document.path)?;
            let path = match mention {
                Mention::Template(path) => path,
                Mention::Tool(name) => {
                    let mut members = workspace.members.iter();
                    members.find(|it| it.name == name)?.path.clone()
                }
            };
            let start = json!({"line": 0, "character": 0});
            path.is_file()
                .then(|| place(&path, &json!({"start": start, "end": start})))
        }
        Target::Node(name) => {
            let file = document.tool_file()?;
            let span = range(file.node_span(&name, &[]));
            (document.text.get(span.clone()) == Some(&name))
                .then(|| place(&document.path, &document.range(span)))
        }
    }
}

/// The place of the definition of a macro of another template, or of that template.
fn macro_place(document: &Document, part: &Imported) -> Option<Value> {
    let (text, span) = match &part.name {
        Some(_) => imported(document, part).map(|(text, one)| (text, one.span))?,
        None => (macros(document, &part.template)?.0, 0..0),
    };
    let other = Document::open(&file_uri::of(text.path()), text.as_str(), 0)?;
    Some(place(&other.path, &other.range(span)))
}

/// The places of a file where the target is: its definition first.
fn places(document: &Document, target: &Target) -> Vec<Range<usize>> {
    let scan = document.scan();
    let mut found = Vec::new();
    match target {
        Target::Value(path) => {
            let file = document.tool_file();
            found.extend(file.and_then(|file| definition_of(file, path)));
            found.extend(in_schema(document, path));
            found.extend(names_of(&scan, path));
            found.extend(code_names(document, path));
            let examples = document.yaml().and_then(|yaml| yaml.get("examples"));
            for example in examples.and_then(Node::items).unwrap_or_default() {
                let arguments = example.get("arguments").filter(|it| it.entries().is_some());
                add_keys(arguments.unwrap_or(example), path, &mut found);
            }
        }
        Target::Local(definition) => {
            let is_own = |local: usize| scan.locals[local].span == *definition;
            let names = scan.names.iter();
            let names = names.filter(|name| name.local.is_some_and(is_own));
            found.extend(names.map(|name| name.span.clone()));
        }
        Target::Node(name) => {
            let path = std::slice::from_ref(name);
            found.extend(node_places(document, name));
            found.extend(names_of(&scan, path));
            found.extend(code_names(document, path));
        }
        Target::Mention(mention) => {
            let own = mentions(document).into_iter();
            found.extend(own.filter(|(it, _)| it == mention).map(|(_, span)| span));
        }
        Target::Macro(_) => {}
    }
    for span in &mut found {
        *span = unquoted(document, span.clone());
    }
    found.sort_by_key(|span| span.start);
    found.dedup();
    found
}

/// The bytes of a scalar without its quotes.
fn unquoted(document: &Document, span: Range<usize>) -> Range<usize> {
    let text = &document.text[span.clone()];
    if text.len() > 1 && text.starts_with(['"', '\'']) {
        span.start + 1..span.end - 1
    } else {
        span
    }
}

/// The names of a value in a template, without variables that stand for it.
fn names_of(scan: &Scan, path: &[String]) -> Vec<Range<usize>> {
    let names = scan.names.iter();
    let names = names.filter(|name| name.path == path && name.local.is_none());
    names.map(|name| name.span.clone()).collect()
}

/// Adds the keys of an example at `path`.
fn add_keys(node: &Node, path: &[String], found: &mut Vec<Range<usize>>) {
    let Some((step, rest)) = path.split_first() else {
        return;
    };
    if step == ITEM {
        let items = node.items().unwrap_or_default();
        for item in items {
            add_keys(item, rest, found);
        }
        return;
    }
    for entry in node.entries().unwrap_or_default() {
        if entry.key == *step {
            match rest {
                [] => found.push(range(entry.span)),
                rest => add_keys(&entry.value, rest, found),
            }
        }
    }
}

/// The templates in other files that the tool loads, and where the target is in each.
fn places_elsewhere(document: &Document, target: &Target) -> Vec<(Text, Vec<Range<usize>>)> {
    let (Target::Value(path), Some(tool)) = (target, document.tool()) else {
        return Vec::new();
    };
    let templates = tool.loaded_templates().map(|it| it.source.text().clone());
    let others = templates.filter(|text| text.display_path() != tool.text().display_path());
    let found = others.map(|text| {
        let names = names_of(&scan(text.as_str()), path);
        (text, names)
    });
    let mut found: Vec<_> = found.filter(|(_, names)| !names.is_empty()).collect();
    found.dedup_by(|a, b| a.0.path() == b.0.path());
    found
}

/// The places of the target in all files: the file, and the ranges in it.
fn everywhere(question: &Question<'_>, target: &Target) -> Vec<(String, Vec<Value>)> {
    let document = question.document;
    let own = places(document, target).into_iter();
    let own: Vec<Value> = own.map(|span| document.range(span)).collect();
    let mut all = vec![(document.uri.clone(), own)];
    for (text, spans) in places_elsewhere(document, target) {
        let uri = file_uri::of(text.path());
        if let Some(other) = Document::open(&uri, text.as_str(), 0) {
            let ranges = spans.into_iter().map(|span| other.range(span)).collect();
            all.push((uri, ranges));
        }
    }
    if let (Target::Mention(mention), Some(workspace)) =
        (target, question.workspaces.of(&document.path))
    {
        let places = workspace.places.iter();
        let others = places.filter(|it| it.mention == *mention && it.uri != document.uri);
        all.extend(others.map(|it| (it.uri.clone(), vec![it.range.clone()])));
    }
    all
}

pub(super) fn references(question: &Question<'_>) -> Option<Value> {
    let (target, _) = target(question.document, question.offset)?;
    let files = everywhere(question, &target).into_iter();
    let places = files.flat_map(|(uri, ranges)| {
        let place = move |range| json!({"uri": uri, "range": range});
        ranges.into_iter().map(place)
    });
    let with_definition = &question.params["context"]["includeDeclaration"] != false;
    let defined = definition(question).filter(|_| !with_definition);
    let is_tool = matches!(target, Target::Mention(Mention::Tool(_)));
    let is_defined = |place: &Value| {
        let defined = defined.as_ref();
        // The file of a tool defines it.
        defined.is_some_and(|it| it == place || is_tool && it["uri"] == place["uri"])
    };
    Some(places.filter(|place| !is_defined(place)).collect())
}

/// Finds a thing that can be renamed: a parameter, a member of one, or a variable of a template.
fn renamed(question: &Question<'_>) -> Option<(Target, Range<usize>)> {
    let document = question.document;
    let (target, span) = target(document, question.offset)?;
    let is_known = match &target {
        Target::Value(path) => {
            let file = document.file.as_ref().filter(|file| file.tool.is_some());
            let name = document.text.get(span.clone()).unwrap_or_default();
            let name = name.trim_matches(['"', '\'']);
            let is_name = path.last().is_some_and(|it| it == name);
            document.kind == Kind::Tool && is_name && definition_of(file?, path).is_some()
        }
        // Its name is the one in the other template.
        Target::Local(span) => {
            let name = document.text.get(span.clone());
            let locals = document.scan().locals.into_iter();
            let mut parts = locals
                .filter(|it| it.span == *span)
                .filter_map(|it| it.imported);
            !parts.any(|part| part.name.as_deref() == name)
        }
        _ => false,
    };
    is_known.then_some((target, span))
}

pub(super) fn prepare_rename(question: &Question<'_>) -> Option<Value> {
    let (_, span) = renamed(question)?;
    let document = question.document;
    Some(document.range(unquoted(document, span)))
}

/// The edits of a new name, null if nothing here can have one, or why this one is refused.
pub(super) fn rename(question: &Question<'_>) -> Result<Value, String> {
    let new = question.params["newName"].as_str().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if new.is_empty() || !new.chars().all(is_name) || new.starts_with(|c: char| c.is_ascii_digit())
    {
        let message = "is not a name: write letters, digits and underscores";
        return Err(format!("`{new}` {message}"));
    }
    let document = question.document;
    let named = renamed(question).and_then(|(target, span)| {
        let old = document.text.get(span)?.trim_matches(['"', '\'']);
        Some((target, old))
    });
    let Some((target, old)) = named else {
        return Ok(Value::Null);
    };
    let files = everywhere(question, &target);
    let renaming = Renaming {
        question,
        path: match &target {
            Target::Value(path) => Some(path),
            _ => None,
        },
        old,
        new,
        edited: places(document, &target),
        others: places_elsewhere(document, &target),
    };
    if let Some(reason) = renaming.conflict().filter(|_| old != new) {
        return Err(reason);
    }
    let keys = code_values(document)
        .into_iter()
        .filter(|(.., is_key)| *is_key);
    let keys: Vec<Value> = keys.map(|(_, span, _)| document.range(span)).collect();
    let changes = files.into_iter().map(|(uri, ranges)| {
        let is_own = uri == document.uri;
        let edits = ranges.into_iter().map(|range| {
            // The object keeps its key.
            let text = if is_own && keys.contains(&range) {
                format!("{old}: {new}")
            } else {
                new.to_owned()
            };
            json!({"range": range, "newText": text})
        });
        (uri, edits.collect())
    });
    Ok(json!({"changes": changes.collect::<Map<String, Value>>()}))
}
