//! From a capability to the one tool that has it.

use std::collections::{BTreeMap, BTreeSet};

use cogtools_core::tool::ToolError;
use cogtools_core::{Code, Diagnostic, Registry, Tool, quoted};
use cogtools_log::Route;
use cogtools_program::terminal::pluralize;

/// The tools of a project by their capabilities. All tools are read once, not for each call.
#[derive(Debug)]
pub(crate) struct Capabilities {
    tools: Vec<CapableTool>,
    aliases: BTreeMap<String, String>,
    /// The number of tools that cannot be read.
    invalid: usize,
    /// The first difference from the lock.
    locked: Option<Diagnostic>,
}

/// A tool and its capabilities.
#[derive(Debug)]
struct CapableTool {
    name: String,
    capabilities: Vec<String>,
}

impl Capabilities {
    /// Reads the tools of `registry`.
    pub(crate) fn new(registry: &Registry) -> Self {
        let found = registry
            .map(|tool| tool.map_err(ToolError::diagnostics))
            .items;
        let errors: Vec<&Vec<Diagnostic>> =
            found.iter().filter_map(|it| it.as_ref().err()).collect();
        let mut diagnostics = errors.iter().copied().flatten();
        let locked = diagnostics.find(|it| it.code == Code::Denied).cloned();
        let invalid = errors.len();
        let capable = |tool: Tool| CapableTool {
            name: tool.name().to_string(),
            capabilities: tool.capabilities(),
        };
        Self {
            tools: found.into_iter().flatten().map(capable).collect(),
            aliases: registry.capability_aliases.clone(),
            invalid,
            locked,
        }
    }

    /// The choice for `capability`, which is one of `among` unless that is empty, for the session;
    /// and the name of the tool. Aliases of the configuration are applied first, once.
    ///
    /// # Errors
    ///
    /// `DENIED` or `TOOL_NOT_FOUND` if none has the capability, `AMBIGUOUS_CAPABILITY` if several
    /// have it.
    pub(crate) fn route(
        &self,
        capability: &str,
        among: &[String],
    ) -> (Route, Result<String, Box<Diagnostic>>) {
        let operation = self.resolve(capability);
        let among = match among {
            [] => self.known(),
            among => among.iter().map(|name| self.resolve(name)).collect(),
        };
        let is_candidate = |tool: &&CapableTool| {
            let mut own = tool.capabilities.iter();
            own.any(|own| among.contains(own))
        };
        let candidates: Vec<&CapableTool> = self.tools.iter().filter(is_candidate).collect();
        let has_it = |tool: &&&CapableTool| {
            among.contains(&operation) && tool.capabilities.contains(&operation)
        };
        let name = |tool: &&CapableTool| tool.name.clone();
        let tools: Vec<String> = candidates.iter().filter(has_it).map(name).collect();
        let (summary, tool) = match tools.as_slice() {
            [tool] => (format!("`{tool}` matches `{operation}`"), Ok(tool.clone())),
            [] => {
                // One that differs from the lock may have it.
                let locked = self.locked.clone();
                let missing = || self.not_found(capability, &operation, &among);
                let summary = format!("no tool matches `{operation}`");
                (summary, Err(locked.unwrap_or_else(missing)))
            }
            several => {
                let names = several.join(", ");
                let summary = format!("several tools match `{operation}`: {names}");
                (summary, Err(ambiguous(&operation, several)))
            }
        };
        let route = Route {
            capability: capability.to_owned(),
            operation,
            candidates: candidates.iter().map(name).collect(),
            tool: tool.as_ref().ok().cloned(),
            intent: None,
            summary,
        };
        (route, tool.map_err(Box::new))
    }

    fn resolve(&self, name: &str) -> String {
        let other = self.aliases.get(name);
        other.map_or(name, String::as_str).to_owned()
    }

    /// All capabilities, sorted.
    fn known(&self) -> Vec<String> {
        let all = self.tools.iter().flat_map(|tool| &tool.capabilities);
        all.cloned().collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn not_found(&self, capability: &str, operation: &str, among: &[String]) -> Diagnostic {
        let message = if capability.is_empty() {
            "no capability was named, so no tool matches".to_owned()
        } else {
            format!("no tool matches the capability `{capability}`")
        };
        let mut diagnostic = Diagnostic::new(Code::ToolNotFound, message);
        let known = among.iter().map(String::as_str);
        diagnostic = diagnostic.meant(operation, known).hint(match among {
            [] => "no tool declares `capabilities`".to_owned(),
            known => format!("there are {}", quoted(known)),
        });
        if self.invalid > 0 {
            let count = pluralize(self.invalid, "tool");
            diagnostic = diagnostic.hint(format!("{count} cannot be read; see `cogtools lint`"));
        }
        diagnostic
    }
}

fn ambiguous(operation: &str, tools: &[String]) -> Diagnostic {
    let names = quoted(tools);
    let message = format!("several tools have the capability `{operation}`: {names}");
    let diagnostic = Diagnostic::new(Code::AmbiguousCapability, message);
    diagnostic.hint("exclude all but one with `filter`, or give them different capabilities")
}
