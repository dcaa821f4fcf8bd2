//! The templates that a call can reach: the tool's own and those that they include,
//! import or extend, each once.

use std::collections::BTreeMap;

use cogtools_core::Tool;
use cogtools_core::schema::Schema;
use cogtools_core::tool::TemplateSource;
use njk::{Analysis, Engine, Error, Template, analyse};
use serde_json::{Map, Value};

/// A template of a tool.
pub(crate) struct IncludedTemplate {
    pub(crate) source: TemplateSource,
    /// Its reads and definitions, if it compiles.
    pub(crate) analysis: Result<Analysis, Error>,
    /// True if it is the tool's own, rather than included by another.
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
        let from = template.source.name().to_owned();
        for name in names.unwrap_or_default() {
            let Some(name) = njk::resolve(&from, &name).filter(|name| !seen.contains(name)) else {
                continue;
            };
            let source = tool.partial(&name);
            found.extend(source.map(|it| IncludedTemplate::new(it, false, tool.schema())));
            seen.push(name);
        }
    }
    found
}

/// The template of a tool, compiled to be rendered without a call.
pub(crate) struct Rendering<'t> {
    tool: &'t Tool,
    template: Template,
}

impl<'t> Rendering<'t> {
    /// Compiles the template of `tool`; none for a tool that is no template, or one that does not
    /// compile.
    pub(crate) fn of(tool: &'t Tool) -> Option<Self> {
        let sources = tool.templates();
        let [own] = sources.as_slice() else {
            return None;
        };
        let partials = all(tool).into_iter().map(|it| it.source);
        let partials: BTreeMap<String, String> = partials
            .map(|it| (it.name().to_owned(), it.source().to_owned()))
            .collect();
        // A file that is not there today may be there tomorrow.
        let is_open = partials.values().any(|it| it.contains("ignore missing"));
        if is_open || !tool.is_template() {
            return None;
        }
        let engine = Engine::builder().loader(partials).build();
        let template = engine.compile(own.name(), own.source()).ok()?;
        Some(Self { tool, template })
    }

    /// Renders it with `arguments` and the defaults; none if it fails.
    pub(crate) fn render(&self, mut arguments: Map<String, Value>) -> Option<String> {
        self.tool.schema().apply_defaults(&mut arguments);
        self.template.render(&Value::Object(arguments)).ok()
    }
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
