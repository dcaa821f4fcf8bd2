//! The tools of the project, for an agent.

use std::sync::{Arc, OnceLock};

use cogtools_agent::{AgentTool, CallResult, CallScope, ReadyCall, ToolTraits, Tools};
use cogtools_core::approval::approve;
use cogtools_core::arguments::Arguments;
use cogtools_core::{
    Code, Context, Diagnostic, FindError, Limit, Pattern, Registry, Target, Tool, ToolOutput,
};
use cogtools_program::call_timeout;
use serde_json::{Map, Value};
use tokio::runtime::Handle;

use crate::agent_task::Agents;

/// The tools of a project.
pub(crate) struct ProjectTools {
    registry: Registry,
    cx: Context,
    tools: Vec<AgentTool>,
    /// What runs the tools that are agents.
    agents: OnceLock<Arc<Agents>>,
}

impl ProjectTools {
    /// The tools of `registry`, which run in `cx`; and the diagnostics of what is left out.
    pub(crate) fn load(registry: Registry, cx: Context) -> (Self, Vec<Diagnostic>) {
        let found = registry.map(|tool| match tool {
            Ok(tool) => declare(&tool),
            Err(error) => Err(error.diagnostics()),
        });
        let mut diagnostics = registry.config_errors().to_vec();
        diagnostics.extend(
            found
                .source_errors
                .iter()
                .map(cogtools_core::SourceError::diagnostic),
        );
        diagnostics.extend(found.unmatched);
        let mut tools = Vec::new();
        for item in found.items {
            match item {
                Ok(tool) => tools.push(tool),
                Err(errors) => diagnostics.extend(errors),
            }
        }
        let project = Self {
            registry,
            cx,
            tools,
            agents: OnceLock::new(),
        };
        (project, diagnostics)
    }

    /// Only those whose names match one of `patterns`.
    pub(crate) fn only(mut self, patterns: &[String]) -> Self {
        self.tools.retain(|tool| {
            let mut patterns = patterns.iter();
            patterns.any(|pattern| Pattern::new(pattern).matches(&tool.name))
        });
        self
    }

    /// From now on, `agents` run the tools that are agents.
    pub(crate) fn set_agents(&self, agents: Arc<Agents>) {
        // They are set once, when the provider is known.
        let _ = self.agents.set(agents);
    }

    /// All tools of the project.
    pub(crate) const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The names of all tools.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }

    fn find(&self, name: &str) -> Result<Tool, Vec<Diagnostic>> {
        // The reserved tools call others, past the rules for their names.
        if !self.tools.iter().any(|tool| tool.name == name) {
            return Err(vec![self.not_found(name)]);
        }
        self.registry.find(name).map_err(FindError::diagnostics)
    }

    fn not_found(&self, name: &str) -> Diagnostic {
        let message = "there is no tool of that name";
        let diagnostic = Diagnostic::new(Code::ToolNotFound, message).with_subject(name);
        match cogtools_core::suggest::did_you_mean(name, self.names()) {
            Some(suggestion) => diagnostic.hint(suggestion),
            None => diagnostic.hint("call only tools that are declared"),
        }
    }
}

/// The tool as a model sees it, or why the API would reject it.
fn declare(tool: &Tool) -> Result<AgentTool, Vec<Diagnostic>> {
    let rejections = Target::Gemini.rejections(tool);
    if !rejections.is_empty() {
        return Err(rejections);
    }
    let mut declaration = Target::Gemini.declare(tool);
    if let Value::Object(fields) = &mut declaration {
        // The API takes one of the two.
        fields.shift_remove("parameters");
    }
    Ok(AgentTool {
        name: tool.name().as_str().to_owned(),
        declaration,
        traits: ToolTraits::of(tool),
    })
}

impl Tools for ProjectTools {
    fn list(&self) -> Vec<AgentTool> {
        self.tools.clone()
    }

    fn prepare(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(ReadyCall, Value), Vec<Diagnostic>> {
        let tool = self.find(name)?;
        let accepted = tool
            .accept(Arguments::from(arguments))
            .map_err(|error| error.diagnostics(&tool))?;
        approve(&tool, &self.cx).map_err(|diagnostic| vec![*diagnostic])?;
        let resolved = Value::Object(accepted.as_object().clone());
        let cx = self.cx.clone();
        let agents = self.agents.get().cloned();
        let run = move |scope: &CallScope| {
            let limit = Limit::of(&tool);
            let cx = Context {
                cancel: scope.cancel.clone(),
                ..cx
            };
            let scope = scope.clone();
            let cancel = scope.cancel.clone();
            let within = limit.clone();
            let tool = Arc::new(tool);
            let handle = Handle::current();
            let work = move || {
                let approved = approve(&tool, &cx).map_err(|diagnostic| vec![*diagnostic])?;
                let agent = agents.zip(approved.agent(&accepted));
                let output = match agent {
                    Some((agents, task)) => task
                        .and_then(|task| agents.run(&task, cx, &within, (&scope, &handle)))
                        .and_then(|text| approved.accept_answer(text)),
                    None => approved.run(accepted, &cx),
                };
                output.map_err(|diagnostic| vec![*diagnostic])
            };
            match call_timeout::run_within(&limit, &cancel, work) {
                Ok(output) => CallResult::Output(output_value(output)),
                Err(diagnostics) => CallResult::Failed(diagnostics),
            }
        };
        Ok((Box::new(run), resolved))
    }
}

/// The output as a model reads it: JSON where the tool declares it.
fn output_value(output: ToolOutput) -> Value {
    output.value.unwrap_or(Value::String(output.text))
}
