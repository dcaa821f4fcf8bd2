//! What a template makes of an example, as far as that needs no call.

use std::collections::BTreeMap;

use cogtools_core::Tool;
use serde_json::{Map, Value};

use crate::included_templates;

/// The output of the tool's template for `arguments`; none if the tool has no template, or the
/// template fails.
pub(crate) fn render(tool: &Tool, mut arguments: Map<String, Value>) -> Option<String> {
    if !tool.is_template() {
        return None;
    }
    let sources = tool.templates();
    let [own] = sources.as_slice() else {
        return None;
    };
    let partials: BTreeMap<String, String> = included_templates::all(tool)
        .into_iter()
        .map(|it| (it.source.name().to_owned(), it.source.source().to_owned()))
        .collect();
    // What is not there today may be there tomorrow.
    if partials
        .values()
        .any(|text| text.contains("ignore missing"))
    {
        return None;
    }
    tool.schema().apply_defaults(&mut arguments);
    let engine = njk::Engine::builder().loader(partials).build();
    let template = engine.compile(own.name(), own.source()).ok()?;
    template.render(&Value::Object(arguments)).ok()
}
