//! `implementation: | # njk`: a template in the tool file itself.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Kind;
use crate::text::Text;
use crate::tool::compiled::{BriefTemplate, CompiledTemplate};
use crate::tool::handler::{Handler, RunError};
use crate::tool::reader::Reader;
use crate::tool::template::{Partials, Template, TemplateSource, language};
use crate::tool::{DefinitionError, Tool, ToolOutput};
use crate::yaml::Entry;
use crate::{Context, Diagnostic};

/// This kind's entry in the table: the string under `implementation`.
pub(super) const KIND: Kind = Kind { key: None, read };

#[derive(Debug)]
struct Inline {
    template: Template,
    compiled: CompiledTemplate,
    brief: BriefTemplate,
}

fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Arc<dyn Handler>> {
    if let Some((language, span)) = language(entry, reader.text()) {
        reader.report(&DefinitionError::Language(language), span);
    }
    let template = Template::read(&entry.value, reader.text())?;
    Some(Arc::new(Inline {
        template,
        compiled: CompiledTemplate::default(),
        brief: BriefTemplate::default(),
    }))
}

impl Handler for Inline {
    fn call(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        _cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        let text = tool.text();
        let partials = Partials::of(text);
        let compile = || self.template.compile(text, &partials);
        let compiled = self.compiled.get(compile)?;
        let rendered = self
            .template
            .render_compiled(compiled, text, &partials, arguments);
        rendered.map(ToolOutput::new)
    }

    fn brief_template(&self, tool: &Tool) -> Option<&njk::Template> {
        self.brief.get(tool, self.compiled.kept()?)
    }

    fn runs_programs(&self) -> bool {
        false
    }

    fn check(&self, text: &Text) -> Result<(), Box<Diagnostic>> {
        self.template.check(text, &Partials::of(text))
    }

    fn templates(&self, text: &Text) -> Vec<TemplateSource> {
        vec![TemplateSource::inline(&self.template, text)]
    }

    fn is_template(&self) -> bool {
        true
    }
}
