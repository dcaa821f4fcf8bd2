//! The source of templates, for linters and editors.

use std::path::Path;

use super::partials::Partials;
use super::{Template, load_sibling};
use crate::Location;
use crate::schema::Schema;
use crate::text::Text;
use crate::tool::Tool;

/// A template and its file.
#[derive(Clone, Debug)]
pub struct TemplateSource {
    template: Template,
    text: Text,
    /// The template of the condition under which it is rendered.
    condition: Option<Template>,
    /// The path in `{{ path }}`, where an array becomes an argument for each item.
    spread: Option<Vec<String>>,
}

impl Tool {
    /// The templates of its implementation, as they are in the files; a template file
    /// that cannot be read is left out.
    pub fn templates(&self) -> Vec<TemplateSource> {
        self.handler.templates(&self.text)
    }

    /// The template that `include "name"` loads from this tool, if it exists.
    pub fn partial(&self, name: &str) -> Option<TemplateSource> {
        TemplateSource::partial(name, &self.text)
    }
}

impl TemplateSource {
    /// The `template` in the tool file `text`.
    pub(in crate::tool) fn inline(template: &Template, text: &Text) -> Self {
        Self {
            template: template.clone(),
            text: text.clone(),
            condition: None,
            spread: None,
        }
    }

    /// The same, rendered only if `condition` holds.
    pub(in crate::tool) fn under(mut self, condition: &Template) -> Self {
        self.condition = Some(condition.clone());
        self
    }

    /// The same, where an array at `path` becomes an argument for each item.
    pub(in crate::tool) fn spreading(mut self, path: Option<&Vec<String>>) -> Self {
        self.spread = path.cloned();
        self
    }

    /// The template in the file at `path` below the folder of the tool in `text`, if
    /// it can be read.
    pub(in crate::tool) fn sibling(text: &Text, path: &Path) -> Option<Self> {
        let (template, text) = load_sibling(text, path).ok()?;
        Some(Self {
            template,
            text,
            condition: None,
            spread: None,
        })
    }

    /// The template in the file `name` below the folder of the tool in `tool`.
    pub(crate) fn partial(name: &str, tool: &Text) -> Option<Self> {
        let path = Path::new(name);
        let text = Partials::of(tool).read(path).ok()?;
        Some(Self {
            template: Template::from_file(path, &text),
            text,
            condition: None,
            spread: None,
        })
    }

    /// Whether it is rendered only if `name` is set, for a tool with `schema`.
    pub fn is_guarded(&self, name: &str, schema: &Schema) -> bool {
        let guards = |condition: &Template| condition.guards(name);
        let spreads = |path: &Vec<String>| {
            path.first().is_some_and(|first| first == name) && schema.is_array_at(path)
        };
        self.condition.as_ref().is_some_and(guards) || self.spread.as_ref().is_some_and(spreads)
    }

    /// Whether a character of the source, from 1, is not in the file, but was put before it.
    pub const fn is_added(&self, line: usize, column: usize) -> bool {
        line == 1 && column <= self.template.lead
    }

    /// Its name for other templates: that of its file in the folder of the tool.
    pub fn name(&self) -> &str {
        self.template.name()
    }

    /// The text of the template.
    pub fn source(&self) -> &str {
        self.template.source()
    }

    /// The file that contains it: the tool file or a template file.
    pub const fn text(&self) -> &Text {
        &self.text
    }

    /// The location in that file of `width` characters at a line and a column of the
    /// template (both from 1).
    pub fn location(&self, line: usize, column: usize, width: usize) -> Location {
        self.template.location_at((line, column), width, &self.text)
    }
}
