//! Names that files mention: tools and templates, over a project; macros of other templates; and
//! properties in a schema.

use std::ops::Range;
use std::path::PathBuf;

use cogtools_core::pointer::child;
use cogtools_core::text::Text;
use cogtools_core::tool::TemplateSource;
use cogtools_core::yaml::{self, Data, Entry, Node};
use cogtools_program::file_uri;
use njk::scan::{ITEM, Imported, Local, Scan, scan};
use serde_json::Value;

use super::Question;
use super::document::{Document, Kind, range};
use crate::lint_file::LintFile;
use crate::program::is_in;
use crate::target::canonical;
use crate::tool_script::{self, ToolScript};

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
    for (name, span) in document.scan().templates {
        found.extend(template(document, &name).map(|it| (it, span)));
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
            let Some(name) = node.text() else { return };
            if is_tool_name(document.kind, path) {
                found.push((Mention::Tool(name.to_owned()), range(node.span)));
            } else if path.iter().eq(["implementation", "njk_file"]) {
                found.extend(template(document, name).map(|it| (it, range(node.span))));
            }
        }
    }
}

/// The mention of the template that has this name in the file.
fn template(document: &Document, name: &str) -> Option<Mention> {
    let folder = document.path.parent().map(canonical).unwrap_or_default();
    Some(Mention::Template(folder.join(resolved(document, name)?)))
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

/// Finds where the schema of the parameters names the property at `path`: its keys, also in
/// alternatives, `required` beside them, and references to it or below it.
pub(super) fn in_schema(document: &Document, path: &[String]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (Some(yaml), Some((name, parent))) = (document.yaml(), path.split_last()) else {
        return found;
    };
    let (whole, sugar) = (yaml.get("parameters_schema"), yaml.get("parameters"));
    let mut steps = parent.iter();
    let mut node = whole.or_else(|| sugar?.get(steps.next()?));
    for step in steps {
        node = node.and_then(|node| match step.as_str() {
            ITEM => node.get("items"),
            name => node.get("properties")?.get(name),
        });
    }
    if let Some(node) = node {
        add_property(node, name, document, &mut found);
    }
    let pointer = path.iter().map(|step| match step.as_str() {
        ITEM => "/items".to_owned(),
        name => child("/properties", name),
    });
    let pointer = format!("#{}", pointer.collect::<String>());
    for (entry, node) in { whole }
        .into_iter()
        .chain(sugar)
        .flat_map(Node::descendants)
    {
        let target = node
            .text()
            .filter(|_| entry.is_some_and(|it| it.key == "$ref"));
        let rest = target.and_then(|target| target.strip_prefix(&pointer));
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
            let place = part(document, node, &pointer);
            found.extend(place.map(|it| it.end - name.len()..it.end));
        }
    }
    found
}

fn add_property(node: &Node, name: &str, document: &Document, found: &mut Vec<Range<usize>>) {
    let properties = node.get("properties").and_then(Node::entries);
    let keys = properties.into_iter().flatten().filter(|it| it.key == name);
    found.extend(keys.map(|entry| range(entry.span)));
    let required = node.get("required").and_then(Node::items);
    let names = required.into_iter().flatten();
    let names = names.filter(|it| it.text() == Some(name));
    found.extend(names.filter_map(|node| part(document, node, name)));
    for key in ["allOf", "anyOf", "oneOf"] {
        let parts = node.get(key).and_then(Node::items).unwrap_or_default();
        for part in parts {
            add_property(part, name, document, found);
        }
    }
    if let Some(inner) = node.get("not") {
        add_property(inner, name, document, found);
    }
}

/// The bytes of a text in a scalar.
fn part(document: &Document, node: &Node, text: &str) -> Option<Range<usize>> {
    let span = range(node.span);
    let start = span.start + document.text.get(span)?.find(text)?;
    Some(start..start + text.len())
}

/// Returns true if YAML reads `name` without quotes as a text.
fn is_plain_text(name: &str) -> bool {
    let text = Text::new("", name.as_bytes().to_vec());
    let node = text.ok().and_then(|text| yaml::parse(&text).ok());
    node.is_some_and(|node| node.text() == Some(name))
}

/// Returns true if a text in the file has the name as a word more often than is written there.
fn is_hidden(node: &Node, name: &str, document: &Document) -> bool {
    let is_less = |text: &str, span: Range<usize>| {
        let written = document.text.get(span).unwrap_or_default();
        words(written, name).count() < words(text, name).count()
    };
    node.descendants().into_iter().any(|(_, node)| {
        let mut entries = node.entries().into_iter().flatten();
        let is_text = |text: &str| is_less(text, range(node.span));
        node.text().is_some_and(is_text)
            || entries.any(|entry| is_less(&entry.key, range(entry.span)))
    })
}

/// The places where a text has the name as a word.
fn words<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let found = text.match_indices(name).map(|(at, _)| at);
    found.filter(move |at| {
        !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
    })
}

/// Returns true if a text has the name as a word.
fn has_word(text: &str, name: &str) -> bool {
    words(text, name).next().is_some()
}

/// Words that are no variables of templates, or that they set themselves.
const WORDS: &str = "and caller elif else false for if in is loop none not null or super true";
/// Words that are no variables of JavaScript, or that it sets itself.
const CODE_WORDS: &str = "args arguments async await break case catch class const continue \
    debugger default delete do else enum eval export extends false finally for function if \
    implements import in instanceof interface let new null package private protected public \
    return static super switch this throw true try typeof undefined var void while with yield";

/// A new name for a value of the call or a variable of a template.
pub(super) struct Renaming<'r> {
    pub(super) question: &'r Question<'r>,
    /// The way to the value; none for a variable.
    pub(super) path: Option<&'r [String]>,
    pub(super) old: &'r str,
    pub(super) new: &'r str,
    /// Where the name changes in the file.
    pub(super) edited: Vec<Range<usize>>,
    /// The other files in which it changes.
    pub(super) others: Vec<(Text, Vec<Range<usize>>)>,
}

impl Renaming<'_> {
    /// Explains why the new name would change what the files do, if it would.
    pub(super) fn conflict(&self) -> Option<String> {
        let (document, new) = (self.question.document, self.new);
        let file = document.tool_file();
        let codes = file.map(LintFile::codes).unwrap_or_default();
        let is_word = is_in(new, WORDS) || !codes.is_empty() && is_in(new, CODE_WORDS);
        if is_word || !is_plain_text(new) {
            return Some(format!("`{new}` is a word of the language"));
        }
        let parent = self.path.and_then(|path| path.split_last());
        let mut path = parent.map_or_else(Vec::new, |(_, parent)| parent.to_vec());
        path.push(new.to_owned());
        let is_variable = path.len() == 1;
        if file.is_some_and(|file| definition_of(file, &path).is_some())
            || is_variable && nodes(document).iter().any(|node| node.key == new)
        {
            return Some(format!("`{new}` exists already"));
        }
        let scans = self.others.iter().map(|(text, _)| scan(text.as_str()));
        let has_name = |scan: &Scan| {
            let is_local = scan.locals.iter().any(|local| local.name == new);
            is_local || scan.names.iter().any(|name| name.path == [new])
        };
        if is_variable && scans.chain([document.scan()]).any(|it| has_name(&it)) {
            return Some(format!("a template has a `{new}` already"));
        }
        let yaml = document.yaml();
        if yaml.is_some_and(|yaml| is_hidden(yaml, self.old, document)) {
            let message = "is written with an escape or in parts: write it plainly first";
            return Some(format!("`{}` {message}", self.old));
        }
        self.path?;
        let mut sources = codes.iter().map(|code| code.source().source());
        if sources.any(|source| has_word(source, new)) {
            return Some(format!("the code has a `{new}` already"));
        }
        self.script().or_else(|| self.sharer())
    }

    /// Explains that a script has the old name, which nothing finds there.
    fn script(&self) -> Option<String> {
        let document = self.question.document;
        let scripts = document.tool_file().map(tool_script::of);
        let mut foreign = document.code_parts().into_iter().filter(|part| {
            let mut edited = self.edited.iter();
            !edited.any(|it| part.contains(&it.start))
                && has_word(&document.text[part.clone()], self.old)
        });
        let has_old = |script: &ToolScript| has_word(script.text(), self.old);
        let is_used = foreign.next().is_some() || scripts.unwrap_or_default().iter().any(has_old);
        is_used.then(|| format!("a script uses `{0}`: rename it there first", self.old))
    }

    /// Explains that a file outside the tool loads a template that would change.
    fn sharer(&self) -> Option<String> {
        let document = self.question.document;
        let workspace = self.question.workspaces.of(&document.path)?;
        let templates = document.tool()?.loaded_templates();
        let own = templates.map(|it| canonical(it.source.text().path()));
        let own: Vec<_> = own.collect();
        let is_own = |uri: &str| {
            let path = file_uri::path(uri).map(|path| canonical(&path));
            uri == document.uri || path.is_some_and(|path| own.contains(&path))
        };
        let mut places = workspace.places.iter();
        let place = places.find(|place| match &place.mention {
            Mention::Template(path) => own.contains(path) && !is_own(&place.uri),
            Mention::Tool(_) => false,
        });
        let path = file_uri::path(&place.filter(|_| !self.others.is_empty())?.uri)?;
        let name = path.file_name()?.display();
        Some(format!("`{name}` loads a template that would change, too"))
    }
}

/// The nodes of the flow in the file.
pub(super) fn nodes(document: &Document) -> &[Entry] {
    let implementation = document.yaml().and_then(|it| it.get("implementation"));
    let flow = implementation.and_then(|it| it.get("flow")?.get("nodes")?.entries());
    flow.unwrap_or_default()
}

/// The place of the schema of a value in the tool file.
pub(super) fn definition_of(file: &LintFile, path: &[String]) -> Option<Range<usize>> {
    let last = path.last()?;
    let mut pointer = String::new();
    for step in path {
        pointer = match step.as_str() {
            ITEM => child(&pointer, "items"),
            name => child(&child(&pointer, "properties"), name),
        };
    }
    let span = range(file.locate(&pointer));
    let key = file.text.as_str().get(span.clone())?;
    (key.trim_matches(['"', '\'']) == last).then_some(span)
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
    let mut macros = scan(text.as_str()).locals;
    macros.retain(|it| it.is_macro && it.imported.is_none());
    Some((text, macros))
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
