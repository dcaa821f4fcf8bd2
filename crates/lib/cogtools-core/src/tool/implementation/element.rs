//! An element of `exec`: one argument, as many as an array has items, or arguments
//! that are left out unless a condition holds.

use serde_json::{Map, Value};

use super::error::CommandError;
use crate::Expected;
use crate::schema::Schema;
use crate::suggest::did_you_mean;
use crate::text::Text;
use crate::tool::DefinitionError;
use crate::tool::handler::RunError;
use crate::tool::reader::Reader;
use crate::tool::template::{Partials, Template, TemplateSource};
use crate::yaml::{Entry, Node};

/// The keys of an element that is a map.
const WHEN: &str = "when";
const ARGS: &str = "args";

/// An element of the list.
#[derive(Debug)]
pub(super) enum Element {
    /// Text.
    Word(ElementWord),
    /// Words that are left out unless the condition holds.
    When {
        condition: Template,
        words: Vec<ElementWord>,
    },
}

/// Text in the list: one argument of the program, or as many as an array has items.
#[derive(Debug)]
pub(super) struct ElementWord {
    template: Template,
    /// The path in `{{ path }}`, if the template is nothing else.
    path: Option<Vec<String>>,
}

/// An argument of the program.
pub(super) struct Argument {
    pub(super) text: String,
    /// Whether it is the same in every call.
    pub(super) is_literal: bool,
}

/// What an element is rendered over.
pub(super) struct Rendering<'r> {
    pub(super) tool: &'r str,
    pub(super) schema: &'r Schema,
    pub(super) text: &'r Text,
    pub(super) partials: Partials,
    pub(super) arguments: &'r Map<String, Value>,
}

impl Element {
    /// Reads one item of the list; errors go to the reader.
    pub(super) fn read(key: &str, item: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match item.entries() {
            Some(entries) => read_when(item, entries, reader),
            None => ElementWord::read(key, item, reader).map(Self::Word),
        }
    }

    /// Its words, whether or not a call leaves them out.
    pub(super) fn words(&self) -> &[ElementWord] {
        match self {
            Self::Word(word) => std::slice::from_ref(word),
            Self::When { words, .. } => words,
        }
    }

    /// Adds the arguments that it becomes in a call to `command`.
    pub(super) fn render(
        &self,
        rendering: &Rendering<'_>,
        command: &mut Vec<Argument>,
    ) -> Result<(), RunError> {
        match self {
            Self::Word(word) => word.render(rendering, command),
            Self::When { condition, words } => {
                if rendering.text_of(condition)?.is_empty() {
                    return Ok(());
                }
                words
                    .iter()
                    .try_for_each(|word| word.render(rendering, command))
            }
        }
    }

    /// Why every call would fail.
    pub(super) fn check(&self, text: &Text) -> Result<(), RunError> {
        let partials = Partials::of(text);
        if let Self::When { condition, .. } = self {
            condition.check(text, &partials)?;
            condition.output_of_condition().check(text, &partials)?;
        }
        let mut words = self.words().iter();
        words.try_for_each(|word| word.check(text))
    }

    /// Its templates, with what guards their reads.
    pub(super) fn sources(&self, text: &Text) -> Vec<TemplateSource> {
        let mut sources = Vec::new();
        let condition = match self {
            Self::Word(_) => None,
            Self::When { condition, .. } => {
                sources.push(TemplateSource::inline(condition, text));
                Some(condition)
            }
        };
        sources.extend(self.words().iter().map(|word| {
            let mut source =
                TemplateSource::inline(&word.template, text).spreading(word.path.as_ref());
            if let Some(condition) = condition {
                source = source.under(condition);
            }
            source
        }));
        sources
    }
}

impl ElementWord {
    /// Reads text in the list; errors go to the reader.
    pub(super) fn read(key: &str, item: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Some(template) = Template::read(item, reader.text()) else {
            reader.report_kind(key, Expected::Strings, item);
            return None;
        };
        let path = lone_path(template.source());
        Some(Self { template, path })
    }

    /// Why every call would fail.
    pub(super) fn check(&self, text: &Text) -> Result<(), RunError> {
        self.template.check(text, &Partials::of(text))
    }

    /// The template.
    pub(super) const fn template(&self) -> &Template {
        &self.template
    }

    /// Adds the one argument that the template renders to.
    pub(super) fn render_one(
        &self,
        rendering: &Rendering<'_>,
        command: &mut Vec<Argument>,
    ) -> Result<(), RunError> {
        let text = rendering.text_of(&self.template)?;
        command.push(Argument {
            text,
            is_literal: self.template.is_plain(),
        });
        Ok(())
    }

    fn render(
        &self,
        rendering: &Rendering<'_>,
        command: &mut Vec<Argument>,
    ) -> Result<(), RunError> {
        let array = self
            .path
            .as_ref()
            .filter(|path| rendering.schema.is_array_at(path));
        let Some(path) = array else {
            return self.render_one(rendering, command);
        };
        // An optional array that a call leaves out has no items.
        let items = rendering.value_at(path).and_then(Value::as_array);
        for (index, item) in items.into_iter().flatten().enumerate() {
            if contains_object(item) {
                let error = CommandError::Object(path.join("."), index + 1);
                let mut diagnostic = error.diagnostic(rendering.tool);
                diagnostic.location = Some(self.template.whole(rendering.text));
                return Err(diagnostic);
            }
            command.push(Argument {
                text: self.template.print(item, rendering.text)?,
                is_literal: false,
            });
        }
        Ok(())
    }
}

impl Rendering<'_> {
    fn text_of(&self, template: &Template) -> Result<String, RunError> {
        template.render(self.text, &self.partials, self.arguments.clone())
    }

    fn value_at(&self, path: &[String]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter()
            .try_fold(self.arguments.get(first)?, |value, name| value.get(name))
    }
}

/// `{when: EXPRESSION, args: [ARGUMENT...]}`.
fn read_when(item: &Node, entries: &[Entry], reader: &mut Reader<'_>) -> Option<Element> {
    let unknown = entries
        .iter()
        .filter(|entry| ![WHEN, ARGS].contains(&entry.key.as_str()));
    for entry in unknown {
        let error = DefinitionError::UnknownKey {
            key: entry.key.clone(),
            meant: did_you_mean(&entry.key, [WHEN, ARGS]),
        };
        reader.report(&error, entry.span);
    }
    let mut find = |key| {
        let entry = entries.iter().find(|entry| entry.key == key);
        if entry.is_none() {
            reader.report(&DefinitionError::Missing(key), item.span);
        }
        entry
    };
    let (when, args) = (find(WHEN), find(ARGS));
    let condition = when.and_then(|when| read_condition(when, reader));
    let words = args.and_then(|args| read_args(args, reader));
    Some(Element::When {
        condition: condition?,
        words: words?,
    })
}

pub(super) fn read_condition(entry: &Entry, reader: &mut Reader<'_>) -> Option<Template> {
    condition(WHEN, &entry.value, reader)
}

/// The condition in `node`, which is under `key`; errors go to the reader.
pub(super) fn condition(
    key: &'static str,
    node: &Node,
    reader: &mut Reader<'_>,
) -> Option<Template> {
    let error = match node.text().map(str::trim) {
        None => {
            reader.report_kind(key, Expected::Condition, node);
            return None;
        }
        Some("") => DefinitionError::Empty(key),
        Some(text) if text.starts_with("{{") || text.starts_with("{%") => {
            DefinitionError::Condition {
                key,
                text: text.to_owned(),
            }
        }
        Some(_) => return Template::read_condition(node, reader.text()),
    };
    reader.report(&error, node.span);
    None
}

fn read_args(entry: &Entry, reader: &mut Reader<'_>) -> Option<Vec<ElementWord>> {
    let items = entry.value.items().unwrap_or_default();
    if items.is_empty() {
        reader.report_kind(ARGS, Expected::Arguments, &entry.value);
        return None;
    }
    let words: Vec<Option<ElementWord>> = items
        .iter()
        .map(|item| match item.entries() {
            Some(_) => {
                reader.report_kind(ARGS, Expected::Arguments, item);
                None
            }
            None => ElementWord::read(ARGS, item, reader),
        })
        .collect();
    words.into_iter().collect()
}

/// The names in `{{ a.b }}`, if `source` is nothing else.
fn lone_path(source: &str) -> Option<Vec<String>> {
    let inner = source.strip_prefix("{{")?.strip_suffix("}}")?;
    let inner = inner.strip_prefix('-').unwrap_or(inner);
    let inner = inner.strip_suffix('-').unwrap_or(inner).trim();
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'))
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    };
    let names: Vec<&str> = inner.split('.').collect();
    let all_names = names.iter().all(|name| is_name(name));
    all_names.then(|| names.into_iter().map(str::to_owned).collect())
}

fn contains_object(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(contains_object),
        _ => false,
    }
}
