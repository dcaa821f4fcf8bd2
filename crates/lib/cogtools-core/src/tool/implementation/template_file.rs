//! `implementation: {njk_file: …}`: a template in a file below the tool's folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::Kind;
use crate::text::Text;
use crate::tool::handler::{Handler, RunError};
use crate::tool::reader::Reader;
use crate::tool::template::{Partials, TemplateSource, load_sibling, stays_inside};
use crate::tool::{DefinitionError, Tool, ToolOutput};
use crate::yaml::Entry;
use crate::{Context, Diagnostic, Expected};

/// This kind's entry in the table.
pub(super) const KIND: Kind = Kind {
    key: Some("njk_file"),
    read,
};

#[derive(Debug)]
struct TemplateFile(PathBuf);

fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Arc<dyn Handler>> {
    let node = &entry.value;
    let Some(path) = node.text() else {
        reader.report_kind(&entry.key, Expected::Path, node);
        return None;
    };
    if !stays_inside(Path::new(path)) {
        reader.report(&DefinitionError::Outside(path.to_owned()), node.span);
        return None;
    }
    Some(Arc::new(TemplateFile(PathBuf::from(path))))
}

impl Handler for TemplateFile {
    fn call(
        &self,
        tool: &Tool,
        arguments: Map<String, Value>,
        _cx: &Context,
    ) -> Result<ToolOutput, RunError> {
        let text = tool.text();
        let (template, file) = load_sibling(text, &self.0)?;
        let rendered = template.render(&file, &Partials::of(text), arguments);
        rendered.map(ToolOutput::new)
    }

    fn runs_programs(&self) -> bool {
        false
    }

    fn check(&self, text: &Text) -> Result<(), Box<Diagnostic>> {
        let (template, file) = load_sibling(text, &self.0)?;
        template.check(&file, &Partials::of(text))
    }

    fn templates(&self, text: &Text) -> Vec<TemplateSource> {
        TemplateSource::sibling(text, &self.0).into_iter().collect()
    }

    fn is_template(&self) -> bool {
        true
    }
}
