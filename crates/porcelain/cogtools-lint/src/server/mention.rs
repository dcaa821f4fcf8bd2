//! Tools and templates that files name, over a project; and macros of other templates.

use std::ops::Range;
use std::path::PathBuf;

use cogtools_core::text::Text;
use cogtools_core::tool::TemplateSource;
use cogtools_core::yaml::{Data, Node};
use njk::scan::{Imported, Local, scan};
use serde_json::Value;

use super::document::{Document, Kind, range};
use crate::target::canonical;

/// A thing outside a file that the file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mention {
    /// A tool, by name.
    Tool(String),
    /// A template, by its path.
    Template(PathBuf),
}

/// A mention in a file of the project.
pub(super) struct Place {
    pub(super) mention: Mention,
    pub(super) uri: String,
    pub(super) range: Value,
}

/// Finds all that a file names, with the bytes of the names. A tool names itself.
pub(super) fn mentions(document: &Document) -> Vec<(Mention, Range<usize>)> {
    let mut found = Vec::new();
    if let Some(yaml) = document.yaml() {
        add_tools(yaml, document, &mut Vec::new(), &mut found);
    }
    let folder = document.path.parent().map(canonical).unwrap_or_default();
    for (name, span) in document.scan().templates {
        let path = resolved(document, &name).map(|name| folder.join(name));
        found.extend(path.map(|path| (Mention::Template(path), span)));
    }
    found
}

fn add_tools(
    node: &Node,
    document: &Document,
    path: &mut Vec<String>,
    found: &mut Vec<(Mention, Range<usize>)>,
) {
    match &node.data {
        Data::Map(entries) => {
            for entry in entries {
                path.push(entry.key.clone());
                add_tools(&entry.value, document, path, found);
                path.pop();
            }
        }
        Data::List(items) => {
            for (at, item) in items.iter().enumerate() {
                path.push(at.to_string());
                add_tools(item, document, path, found);
                path.pop();
            }
        }
        _ => {
            if let Some(name) = node.text().filter(|_| is_tool_name(document.kind, path)) {
                found.push((Mention::Tool(name.to_owned()), range(node.span)));
            }
        }
    }
}

/// Returns true if the value at `path` is the name of a tool.
pub(super) fn is_tool_name(kind: Kind, path: &[String]) -> bool {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path.as_slice() {
        [.., "tools" | "exclude", _] if kind == Kind::Config => true,
        _ if kind == Kind::Config => false,
        ["name"] | ["implementation", "agent", "tools", _] | ["implementation", "tools", _] => true,
        ["implementation", "flow", "nodes", _, rest @ ..] => {
            matches!(
                rest,
                ["tool"] | ["tool", "name"] | ["each", "tool"] | ["each", "tool", "name"]
            )
        }
        _ => false,
    }
}

/// The name of a template from its tool's folder, for a name in this file.
fn resolved(document: &Document, name: &str) -> Option<String> {
    njk::resolve(document.path.file_name()?.to_str()?, name)
}

/// The macros of a template that templates of this file load, and its text.
pub(super) fn macros(document: &Document, template: &str) -> Option<(Text, Vec<Local>)> {
    let name = resolved(document, template)?;
    let source = TemplateSource::partial(&name, &document.file.as_ref()?.text)?;
    let text = source.text().clone();
    let locals = scan(text.as_str()).locals.into_iter();
    let own = locals.filter(|it| it.is_macro && it.imported.is_none());
    let own = own.collect();
    Some((text, own))
}

/// The macro of another template, and the text of that.
pub(super) fn imported(document: &Document, part: &Imported) -> Option<(Text, Local)> {
    let (text, macros) = macros(document, &part.template)?;
    let mut macros = macros.into_iter();
    let one = macros.find(|it| part.name.as_ref() == Some(&it.name))?;
    Some((text, one))
}

/// The name and the parameters of a macro in `text`.
pub(super) fn signature<'t>(text: &'t str, one: &Local) -> &'t str {
    let rest = text.get(one.span.start..).unwrap_or_default();
    let end = rest.find("%}").unwrap_or(rest.len());
    rest[..end].trim_end_matches(['-', ' '])
}
