//! Templates and their files, for linters and editors.

use std::path::Path;

use super::{Partials, Template};
use crate::Location;
use crate::schema::Schema;
use crate::text::Text;

/// A template and its file.
#[derive(Clone, Debug)]
pub struct TemplateSource {
    pub(in crate::tool) template: Template,
    pub(in crate::tool) text: Text,
    /// The template of the condition under which it is rendered.
    pub(in crate::tool) condition: Option<Template>,
    /// The path in `{{ path }}`, where an array becomes an argument for each item.
    pub(in crate::tool) spread: Option<Vec<String>>,
}

impl TemplateSource {
    /// Returns the `template` in the file `text`.
    pub(in crate::tool) fn inline(template: &Template, text: &Text) -> Self {
        Self {
            template: template.clone(),
            text: text.clone(),
            condition: None,
            spread: None,
        }
    }

    /// Loads the template in the file `name` below the folder of the tool in `tool`.
    pub(crate) fn partial(name: &str, tool: &Text) -> Option<Self> {
        let path = Path::new(name);
        let text = Partials::of(tool).read(path).ok()?;
        Some(Self::inline(&Template::from_file(path, &text), &text))
    }

    /// Returns true if it is rendered only if `name` is set, for a tool with `schema`.
    pub fn is_guarded(&self, name: &str, schema: &Schema) -> bool {
        let guards = |condition: &Template| condition.guards(name);
        let spreads = |path: &Vec<String>| {
            path.first().is_some_and(|first| first == name) && schema.is_array_at(path)
        };
        self.condition.as_ref().is_some_and(guards) || self.spread.as_ref().is_some_and(spreads)
    }

    /// Returns true if a character of the source, from 1, is not in the file, but was put before
    /// it.
    pub const fn is_added(&self, line: usize, column: usize) -> bool {
        line == 1 && column <= self.template.lead
    }

    /// Its name for other templates: the path of its file in the folder of the tool.
    pub fn name(&self) -> &str {
        &self.template.name
    }

    /// The text of the template.
    pub fn source(&self) -> &str {
        self.template.source()
    }

    /// The file that contains it: the tool file or a template file.
    pub const fn text(&self) -> &Text {
        &self.text
    }

    /// Returns the location in that file of `width` characters at a line and a column of the
    /// template (both from 1).
    pub fn location(&self, line: usize, column: usize, width: usize) -> Location {
        self.template.location_at((line, column), width, &self.text)
    }
}
