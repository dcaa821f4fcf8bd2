//! The templates that a call may come to: the tool's own and those that they
//! include, import or extend, each once.

use cogtools_core::Tool;
use cogtools_core::tool::TemplateSource;
use njk::{Analysis, Error, analyse};

/// A template of a tool.
pub(crate) struct IncludedTemplate {
    pub(crate) written: TemplateSource,
    /// What it reads and sets, if it can be understood.
    pub(crate) analysis: Result<Analysis, Error>,
    /// It is the tool's own, and not reached through another.
    pub(crate) own: bool,
}

/// All templates of `tool`; those that are not there are left out.
pub(crate) fn all(tool: &Tool) -> Vec<IncludedTemplate> {
    let mut found: Vec<IncludedTemplate> = Vec::new();
    for written in tool.templates() {
        found.push(IncludedTemplate::new(written, true));
    }
    let mut seen: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(template) = found.get(at) {
        at += 1;
        let names = template.analysis.as_ref().map(|it| it.templates.clone());
        for name in names.unwrap_or_default() {
            let name = plain(&name).to_owned();
            if !seen.contains(&name) {
                let written = tool.partial(&name);
                found.extend(written.map(|written| IncludedTemplate::new(written, false)));
                seen.push(name);
            }
        }
    }
    found
}

/// The template that `include "name"` reaches from `tool`, if it is there.
pub(crate) fn partial(tool: &Tool, name: &str) -> Option<TemplateSource> {
    tool.partial(plain(name))
}

fn plain(name: &str) -> &str {
    name.strip_prefix("./").unwrap_or(name)
}

impl IncludedTemplate {
    fn new(written: TemplateSource, own: bool) -> Self {
        let analysis = analyse(written.source());
        Self {
            written,
            analysis,
            own,
        }
    }
}
