//! Templates as their author wrote them: for linters and editors, which look at
//! a template without running it.

use std::path::Path;

use super::partials::Partials;
use super::{Implementation, Template, beside};
use crate::Place;
use crate::text::Text;

/// A template and the file it stands in.
#[derive(Clone, Debug)]
pub struct Written {
    template: Template,
    text: Text,
}

impl Written {
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

    /// The file it stands in: the tool's own, or one beside it.
    pub const fn text(&self) -> &Text {
        &self.text
    }

    /// Where in that file the `width` characters at a line and a column of the
    /// template (both from 1) stand.
    pub fn place(&self, line: usize, column: usize, width: usize) -> Place {
        self.template.place_of((line, column), width, &self.text)
    }
}

impl Implementation {
    /// Its templates, for a tool whose file is `text`.
    pub(crate) fn written(&self, text: &Text) -> Vec<Written> {
        let own = |template: &Template| Written {
            template: template.clone(),
            text: text.clone(),
        };
        match self {
            Self::Template(template) => vec![own(template)],
            Self::TemplateFile(path) => {
                let found = beside(text, path).ok();
                let found = found.map(|(template, text)| Written { template, text });
                found.into_iter().collect()
            }
            Self::Exec(templates) => templates.iter().map(own).collect(),
            Self::Script(_) | Self::Provider(..) | Self::Index(_) => Vec::new(),
        }
    }
}
