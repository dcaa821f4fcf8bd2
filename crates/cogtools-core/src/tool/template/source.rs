//! Templates as their author wrote them: for linters and editors, which look at
//! a template without running it.

use std::path::Path;

use super::partials::Partials;
use super::{Template, load_sibling};
use crate::Location;
use crate::text::Text;

/// A template and the file it is in.
#[derive(Clone, Debug)]
pub struct TemplateSource {
    template: Template,
    text: Text,
}

impl TemplateSource {
    /// The `template` in the tool file `text`.
    pub(in crate::tool) fn own(template: &Template, text: &Text) -> Self {
        Self {
            template: template.clone(),
            text: text.clone(),
        }
    }

    /// The template in the file at `path` below the folder of the tool in `text`, if
    /// it can be read.
    pub(in crate::tool) fn sibling(text: &Text, path: &Path) -> Option<Self> {
        let (template, text) = load_sibling(text, path).ok()?;
        Some(Self { template, text })
    }

    /// The template in the file `name` below the folder of the tool in `tool`.
    pub(crate) fn partial(name: &str, tool: &Text) -> Option<Self> {
        let path = Path::new(name);
        let text = Partials::beside(tool).read(path).ok()?;
        Some(Self {
            template: Template::whole(path, &text),
            text,
        })
    }

    /// The template itself.
    pub fn source(&self) -> &str {
        self.template.source()
    }

    /// The file it is in: the tool's own, or one beside it.
    pub const fn text(&self) -> &Text {
        &self.text
    }

    /// Where in that file the `width` characters at a line and a column of the
    /// template (both from 1) stand.
    pub fn location(&self, line: usize, column: usize, width: usize) -> Location {
        self.template.place_of((line, column), width, &self.text)
    }
}
