//! Parts of a tool file that are in other files of its folder: `$ref: ./shared.yaml#/NAME` in a
//! schema, and `enum: {from: ./cities.txt}`. The values of `enum: {from: {exec: […]}}` are the lines
//! that a command prints: it is recorded here, and run by
//! [`Registry`](crate::Registry) if the user has approved it.
//!
//! They are put in the place of what names them before anything else reads the document, so that
//! what is declared, pinned and approved has them.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::pointer::segments;
use crate::text::{Span, Text};
use crate::tool::reader::Reader;
use crate::tool::template::{read_beside, stays_inside};
use crate::tool::values::{ValueCommand, Values};
use crate::tool::{Definition, DefinitionError};
use crate::yaml::{self, Data, Entry, Node};
use crate::{Diagnostic, digest};

const REF: &str = "$ref";
const ENUM: &str = "enum";
const FROM: &str = "from";
/// The extensions of files with parts, and of one with the values of an enum.
const EXTENSIONS: [&str; 4] = ["yaml", "yml", "json", "txt"];
/// The largest size of all files and parts of a tool together, in bytes.
const MAX_SIZE: usize = 4 * Text::MAX_BYTES;
/// The largest number of parts within each other.
const MAX_WAY: usize = 16;

/// The parts of one tool.
pub(super) struct Shared<'t> {
    text: &'t Text,
    files: BTreeMap<String, Value>,
    /// The digests of the files by their names, relative to the tool's folder.
    digests: BTreeMap<String, String>,
    /// The values that commands have printed, as far as they are known.
    known: &'t Values,
    commands: Vec<ValueCommand>,
    /// The parts that the current one is in.
    way: Vec<String>,
    /// Where the tool names a part, the file of the part, and its pointer there.
    named: Vec<(Span, String, String)>,
    /// The size of the files and parts so far.
    size: usize,
}

impl<'t> Shared<'t> {
    /// Puts the parts and the `known` values into the `document` of the file `text`; errors go to
    /// the reader.
    pub(super) fn resolve(
        document: &mut Node,
        text: &'t Text,
        known: &'t Values,
        reader: &mut Reader<'_>,
    ) -> Self {
        let mut shared = Self {
            text,
            files: BTreeMap::new(),
            digests: BTreeMap::new(),
            known,
            commands: Vec::new(),
            way: Vec::new(),
            named: Vec::new(),
            size: 0,
        };
        if [REF, FROM].iter().any(|word| text.as_str().contains(word)) {
            for entry in entries(document) {
                match entry.key.as_str() {
                    "parameters" => shared.walk(&mut entry.value, true, "", reader),
                    "parameters_schema" => shared.walk(&mut entry.value, false, "", reader),
                    "output" => {
                        let schema = entries(&mut entry.value).iter_mut();
                        let schema = schema.filter(|it| it.key == "schema");
                        schema.for_each(|it| shared.walk(&mut it.value, false, "", reader));
                    }
                    _ => {}
                }
            }
        }
        shared
    }

    /// Adds to each of `diagnostics` about a part where that part is.
    pub(super) fn explain(&self, diagnostics: &mut [Diagnostic]) {
        for (span, name, pointer) in &self.named {
            let location = Some(self.text.location(*span));
            for diagnostic in diagnostics.iter_mut().filter(|it| it.location == location) {
                let text = read_beside(self.text, Path::new(name)).ok();
                let part = text.and_then(|text| {
                    let document = yaml::parse(&text).ok()?;
                    let segments = segments(pointer);
                    let (part, _) = document.walk(segments.iter().map(String::as_str));
                    Some(text.location(part.span))
                });
                let place = part.map(|it| format!(":{}:{}", it.line, it.column));
                let place = place.unwrap_or_default();
                let hint = format!("correct it in the part that begins at `{name}{place}`");
                diagnostic.hints.push(hint.into());
            }
        }
    }

    /// Says in the `definition` what its schema has from elsewhere.
    pub(super) fn record(self, definition: &mut Definition) {
        definition.shared = self.digests;
        definition.value_commands = self.commands;
    }

    /// Resolves a schema, or a map from names to schemas, in the file `from`.
    fn walk(&mut self, node: &mut Node, is_names: bool, from: &str, reader: &mut Reader<'_>) {
        if let Data::List(items) = &mut node.data {
            let schemas = items.iter_mut();
            return schemas.for_each(|item| self.walk(item, false, from, reader));
        }
        let Data::Map(entries) = &mut node.data else {
            return;
        };
        let is_part = |entry: &Entry| {
            let target = entry.value.text().unwrap_or_default();
            let is_path = target.starts_with("./") || target.starts_with("../");
            entry.key == REF && (is_path || !from.is_empty() && target.starts_with('#'))
        };
        let part = entries.iter().position(is_part);
        let part = part.map(|index| entries.remove(index).value);
        let mut has_values = true;
        for entry in entries.iter_mut() {
            match entry.key.as_str() {
                _ if is_names => self.walk(&mut entry.value, false, from, reader),
                ENUM => has_values = self.values(&mut entry.value, from, reader),
                "default" | "example" => {}
                "properties" => self.walk(&mut entry.value, true, from, reader),
                key if key.starts_with("x-") => {}
                _ => self.walk(&mut entry.value, false, from, reader),
            }
        }
        // Until the command has run, any text is a value. A file without values is reported already.
        let is_open = |it: &Entry| is_command(it) || !has_values && it.key == ENUM;
        if let Some(at) = entries.iter().position(is_open) {
            let span = entries.remove(at).value.span;
            if !entries.iter().any(|entry| entry.key == "type") {
                let key = "type".to_owned();
                let value = Node::from_json("string".into(), span);
                entries.insert(at, Entry { key, span, value });
            }
        }
        let Some(part) = part else { return };
        match self.load(part.text().unwrap_or_default(), from, part.span) {
            Err(error) => reader.report(error, part.span),
            Ok((found, _, place)) if found.items().is_some() => {
                let why = format!("`{place}` is a list, which only `enum: {{from: …}}` takes");
                reader.report(DefinitionError::Shared(why, false), part.span);
            }
            Ok((mut found, name, place)) => {
                self.way.push(place);
                self.walk(&mut found, is_names, &name, reader);
                self.way.pop();
                node.data = merged(found, std::mem::take(entries));
            }
        }
    }

    /// Resolves the values of an enum: `{from: FILE}`, the lines of a text, or a list; or
    /// `{from: {exec: […]}}`, if its values are known. Returns false if the file has none.
    fn values(&mut self, node: &mut Node, from: &str, reader: &mut Reader<'_>) -> bool {
        let Some([only]) = node.entries() else {
            return true;
        };
        if only.key == FROM && only.value.entries().is_some() {
            match ValueCommand::read(&only.value, self.known) {
                Ok(command) => {
                    if let Some(values) = &command.values {
                        node.data = Node::from_json(values.as_slice().into(), node.span).data;
                    }
                    self.commands.push(command);
                }
                Err(error) => reader.report(error, only.value.span),
            }
            return true;
        }
        let Some(target) = only.value.text().filter(|_| only.key == FROM) else {
            return true;
        };
        match self.load(target, from, node.span) {
            Ok((found, ..)) => node.data = found.data,
            Err(error) => {
                reader.report(error, node.span);
                return false;
            }
        }
        true
    }

    /// Loads what `target` names in the file `from`, with the name of its file and its place.
    fn load(
        &mut self,
        target: &str,
        from: &str,
        span: Span,
    ) -> Result<(Node, String, String), DefinitionError> {
        let (path, pointer) = target.split_once('#').unwrap_or((target, ""));
        let name = if path.is_empty() {
            Some(from.to_owned())
        } else {
            njk::resolve(from, path)
        };
        let is_part = |name: &String| {
            let extension = Path::new(name).extension().and_then(|it| it.to_str());
            stays_inside(Path::new(name)) && extension.is_some_and(|it| EXTENSIONS.contains(&it))
        };
        let name = name.filter(is_part);
        let name = name.ok_or_else(|| DefinitionError::Outside(target.to_owned()))?;
        let place = format!("{name}#{pointer}");
        let failed =
            |why: &str| DefinitionError::Shared(format!("`{place}` {why}"), is_text(&name));
        if self.way.contains(&place) || self.way.len() >= MAX_WAY {
            return Err(failed("contains itself, or is within too many others"));
        }
        if !self.files.contains_key(&name) {
            let read = self.read(&name);
            let value = read.map_err(|why| DefinitionError::Shared(why, is_text(&name)))?;
            self.files.insert(name.clone(), value);
        }
        let found = self.files[&name].pointer(pointer);
        let found = found.ok_or_else(|| failed("does not exist"))?;
        self.size += found.to_string().len();
        if self.size > MAX_SIZE {
            return Err(failed("makes the tool too large"));
        }
        let found = Node::from_json(found.clone(), span);
        if self.way.is_empty() {
            self.named.push((span, name.clone(), pointer.to_owned()));
        }
        Ok((found, name, place))
    }

    /// Reads the file `name` in the tool's folder, which no link leaves.
    fn read(&mut self, name: &str) -> Result<Value, String> {
        let text = read_beside(self.text, Path::new(name))?;
        self.size += text.as_str().len();
        let hash = digest::bytes(text.as_str().as_bytes()).to_string();
        self.digests.insert(name.to_owned(), hash);
        if is_text(name) {
            let lines = text.as_str().lines().map(str::trim);
            return Ok(lines.filter(|line| !line.is_empty()).collect());
        }
        let document = yaml::parse(&text);
        let document =
            document.map_err(|error| format!("`{name}` is not valid: {}", error.kind))?;
        Ok(document.to_json())
    }
}

/// Returns true for a file whose lines are the values of an enum.
fn is_text(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|it| it == "txt")
}

/// The entries of a map; none of anything else.
fn entries(node: &mut Node) -> &mut [Entry] {
    match &mut node.data {
        Data::Map(entries) => entries,
        _ => &mut [],
    }
}

/// True for the values of an enum that a command lists, and that are not known.
fn is_command(entry: &Entry) -> bool {
    let is_from = |it: &Entry| it.key == FROM && it.value.entries().is_some();
    entry.key == ENUM
        && entry
            .value
            .entries()
            .is_some_and(|it| it.iter().all(is_from))
}

/// The part with the keys beside its name, which are more than its own.
fn merged(part: Node, beside: Vec<Entry>) -> Data {
    if beside.is_empty() {
        return part.data;
    }
    let mut all = match part.data {
        Data::Map(entries) => entries,
        // The short form of a parameter.
        data => vec![Entry {
            key: "type".to_owned(),
            span: part.span,
            value: Node::new(data, part.span),
        }],
    };
    for entry in beside {
        match all.iter_mut().find(|own| own.key == entry.key) {
            Some(own) => *own = entry,
            None => all.push(entry),
        }
    }
    Data::Map(all)
}
