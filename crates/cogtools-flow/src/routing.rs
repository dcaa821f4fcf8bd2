//! From a capability to the one tool that has it.

use cogtools_core::suggest::{nearest, suggestion};
use cogtools_core::{Code, Diagnostic, Registry, Tool};
use cogtools_log::Route;
use cogtools_program::terminal::pluralize;

/// The tools that a node may use, by capability.
#[derive(Debug)]
pub(crate) struct Routing {
    route: Route,
    tools: Vec<Tool>,
    /// The capabilities that the node may use.
    among: Vec<String>,
    /// How many tools cannot be read.
    invalid: usize,
}

impl Routing {
    /// The tools of `registry` for `capability`, which is one of `among` unless that is empty.
    /// Aliases of the configuration are applied first, once.
    pub(crate) fn new(capability: &str, among: &[String], registry: &Registry) -> Self {
        let aliases = registry.capability_aliases();
        let resolve = |name: &str| aliases.get(name).map_or(name, String::as_str).to_owned();
        let operation = resolve(capability);
        let found = registry.map(Result::ok).items;
        let invalid = found.iter().filter(|tool| tool.is_none()).count();
        let mut tools: Vec<Tool> = found.into_iter().flatten().collect();
        let mut known: Vec<String> = tools.iter().flat_map(Tool::capabilities).collect();
        known.sort_unstable();
        known.dedup();
        let among: Vec<String> = match among {
            [] => known,
            among => among.iter().map(|name| resolve(name)).collect(),
        };
        let has_one = |tool: &Tool| tool.capabilities().iter().any(|own| among.contains(own));
        tools.retain(has_one);
        let candidates = tools.iter().map(|tool| tool.name().to_string()).collect();
        tools.retain(|tool| among.contains(&operation) && tool.capabilities().contains(&operation));
        let tool = match tools.as_slice() {
            [tool] => Some(tool.name().to_string()),
            _ => None,
        };
        Self {
            route: Route {
                capability: capability.to_owned(),
                operation,
                candidates,
                tool,
            },
            tools,
            among,
            invalid,
        }
    }

    /// How the tool was chosen.
    pub(crate) const fn route(&self) -> &Route {
        &self.route
    }

    /// The tool.
    ///
    /// # Errors
    ///
    /// `TOOL_NOT_FOUND` if none has the capability, `AMBIGUOUS_CAPABILITY` if several have it.
    pub(crate) fn tool(mut self) -> Result<Tool, Box<Diagnostic>> {
        match self.tools.len() {
            1 => Ok(self.tools.remove(0)),
            0 => Err(Box::new(self.not_found())),
            _ => Err(Box::new(self.ambiguous())),
        }
    }

    fn not_found(&self) -> Diagnostic {
        let Route {
            capability,
            operation,
            ..
        } = &self.route;
        let message = if capability.is_empty() {
            "no capability was named, so no tool matches".to_owned()
        } else {
            format!("no tool matches the capability `{capability}`")
        };
        let mut diagnostic = Diagnostic::new(Code::ToolNotFound, message);
        let known = || self.among.iter().map(String::as_str);
        let meant = suggestion(&nearest(operation, known()));
        diagnostic.hints.extend(meant.map(Into::into));
        let known: Vec<String> = known().map(|name| format!("`{name}`")).collect();
        diagnostic = diagnostic.hint(match known.as_slice() {
            [] => "no tool declares `capabilities`".to_owned(),
            known => format!("there are {}", known.join(", ")),
        });
        if self.invalid > 0 {
            let count = pluralize(self.invalid, "tool");
            diagnostic = diagnostic.hint(format!("{count} cannot be read; see `cogtools lint`"));
        }
        diagnostic
    }

    fn ambiguous(&self) -> Diagnostic {
        let names = self.tools.iter().map(|tool| format!("`{}`", tool.name()));
        let names: Vec<String> = names.collect();
        let message = format!(
            "several tools have the capability `{}`: {}",
            self.route.operation,
            names.join(", ")
        );
        let diagnostic = Diagnostic::new(Code::AmbiguousCapability, message);
        diagnostic.hint("exclude all but one with `filter`, or give them different capabilities")
    }
}
