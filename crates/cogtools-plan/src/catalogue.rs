//! The tools of the project, as a model that plans reads about them.

use std::collections::BTreeMap;

use cogtools_agent::ToolTraits;
use cogtools_core::suggest::did_you_mean;
use cogtools_core::{Registry, Target, Tool};
use serde_json::Value;

use crate::contract::Contract;
use crate::step::Step;

/// The contract in words, and the title of the list of tools.
const PROMPT: &str = include_str!("../prompts/plan.md");

/// The tools that a plan may use.
pub(crate) struct Catalogue {
    /// The declarations, in the order of the sources.
    lines: Vec<String>,
    traits: BTreeMap<String, ToolTraits>,
}

impl Catalogue {
    /// The tools of `registry` that are valid.
    pub(crate) fn new(registry: &Registry) -> Self {
        let found = registry.map(|tool| tool.ok().map(|tool| declare(&tool)));
        let mut catalogue = Self {
            lines: Vec::new(),
            traits: BTreeMap::new(),
        };
        for (name, line, traits) in found.items.into_iter().flatten() {
            catalogue.lines.push(line);
            catalogue.traits.insert(name, traits);
        }
        catalogue
    }

    /// The instructions for a model: every rule of the contract, and the tools.
    pub(crate) fn instructions(&self) -> String {
        if self.lines.is_empty() {
            return format!("{PROMPT}\nThere are none.\n");
        }
        let lines = self.lines.join("\n");
        format!("{PROMPT}\nEach line declares one tool.\n\n{lines}\n")
    }

    /// What decides whether a step may run; `None` if it calls nothing that is here.
    pub(crate) fn traits(&self, step: &Step) -> Option<(&str, &ToolTraits)> {
        let name = step.tool().filter(|_| step.needs_tool())?;
        let (name, traits) = self.traits.get_key_value(name)?;
        Some((name, traits))
    }

    /// The steps of `contract` whose tools are not here, in words that a model can act on.
    pub(crate) fn unknown_tools(&self, contract: &Contract) -> Vec<String> {
        let steps = contract.steps().iter().enumerate();
        let unknown = steps.filter_map(|(index, step)| {
            let tool = step.tool().filter(|_| step.needs_tool())?;
            if self.traits.contains_key(tool) {
                return None;
            }
            let hint = did_you_mean(tool, self.traits.keys().map(String::as_str));
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            let pointer = format!("/tool_plan/{index}/tool");
            Some(format!("{pointer}: no tool is named `{tool}`{hint}"))
        });
        unknown.collect()
    }
}

/// The name of a tool, its declaration, and what decides whether it may run.
fn declare(tool: &Tool) -> (String, String, ToolTraits) {
    let mut declaration = Target::Gemini.declare(tool);
    if let Value::Object(fields) = &mut declaration {
        // The same twice, in two formats.
        if fields.contains_key("parametersJsonSchema") {
            fields.shift_remove("parameters");
        }
    }
    (
        tool.name().as_str().to_owned(),
        declaration.to_string(),
        ToolTraits::of(tool),
    )
}
