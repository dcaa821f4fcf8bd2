//! The templates that a call can reach: the tool's own and those that they include,
//! import or extend, each once.

use cogtools_core::Tool;
use cogtools_core::schema::Schema;
use cogtools_core::tool::TemplateSource;
use njk::{Analysis, Error, analyse};

/// A template of a tool.
pub(crate) struct IncludedTemplate {
    pub(crate) source: TemplateSource,
    /// What it reads and sets, if it compiles.
    pub(crate) analysis: Result<Analysis, Error>,
    /// Whether it is the tool's own, rather than included by another.
    pub(crate) own: bool,
}

/// All templates of `tool`, except for those that do not exist.
pub(crate) fn all(tool: &Tool) -> Vec<IncludedTemplate> {
    let mut found: Vec<IncludedTemplate> = Vec::new();
    for source in tool.templates() {
        found.push(IncludedTemplate::new(source, true, tool.schema()));
    }
    let mut seen: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(template) = found.get(at) {
        at += 1;
        let names = template.analysis.as_ref().map(|it| it.templates.clone());
        for name in names.unwrap_or_default() {
            let name = relative_name(&name).to_owned();
            if !seen.contains(&name) {
                let source = tool.partial(&name);
                found.extend(
                    source.map(|source| IncludedTemplate::new(source, false, tool.schema())),
                );
                seen.push(name);
            }
        }
    }
    found
}

/// The template that `include "name"` in `tool` refers to, if it exists.
pub(crate) fn partial(tool: &Tool, name: &str) -> Option<TemplateSource> {
    tool.partial(relative_name(name))
}

fn relative_name(name: &str) -> &str {
    name.strip_prefix("./").unwrap_or(name)
}

impl IncludedTemplate {
    fn new(source: TemplateSource, own: bool, schema: &Schema) -> Self {
        let mut analysis = analyse(source.source());
        let reads = analysis.iter_mut().flat_map(|found| &mut found.reads);
        for read in reads {
            read.guarded = read.guarded || source.is_guarded(&read.name, schema);
        }
        Self {
            source,
            analysis,
            own,
        }
    }
}
