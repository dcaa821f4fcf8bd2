//! The tools of a trial: the tools of the project, with fixtures in place of some, and decoys.

use std::path::Path;
use std::sync::Arc;

use cogtools_agent::{AgentTool, CallResult, CallScope, ReadyCall, ToolTraits, Tools};
use cogtools_core::approval::approve;
use cogtools_core::arguments::Arguments;
use cogtools_core::text::Text;
use cogtools_core::{
    Code, Context, Diagnostic, Limit, Pattern, Registry, Target, Tool, digest, yaml,
};
use cogtools_log::Outcome;
use cogtools_program::call_timeout;
use serde_json::{Map, Value};

use crate::calls::all_hold;
use crate::case::{Case, Fixture};
use crate::trial::Call;

/// Tools that no task needs, so that choosing is hard: a list of tool files as JSON.
const DECOYS: &str = include_str!("decoys.json");

/// A tool as the models see it.
#[derive(Clone)]
pub(crate) struct Declared {
    pub(crate) tool: Arc<Tool>,
    pub(crate) agent: AgentTool,
    /// The digest of its file: of what it says, not of how it is written.
    pub(crate) file: String,
    is_decoy: bool,
}

impl Declared {
    fn new(tool: Tool, is_decoy: bool, api: Target) -> Result<Self, Vec<Diagnostic>> {
        let agent = AgentTool::declare(&tool, api)?;
        let content = yaml::parse(tool.text()).map(|document| document.to_json());
        let content = content.unwrap_or_else(|_| Value::from(tool.text().as_str()));
        Ok(Self {
            file: short(&content),
            tool: Arc::new(tool),
            agent,
            is_decoy,
        })
    }

    /// The digest of its declaration.
    pub(crate) fn digest(&self) -> String {
        short(&self.agent.declaration)
    }
}

/// The beginning of the digest of a value.
pub(crate) fn short(value: &Value) -> String {
    let mut text = digest::value(value).to_string();
    text.truncate(32);
    text
}

/// Loads the tools of `registry` that `api` accepts, and `decoys` more. Returns the diagnostics of what is left out.
pub(crate) fn load(
    registry: &Registry,
    decoys: usize,
    api: Target,
) -> (Vec<Declared>, Vec<Diagnostic>) {
    let found = registry.map(|tool| match tool {
        Ok(tool) => Declared::new(tool, false, api),
        Err(error) => Err(error.diagnostics()),
    });
    let mut diagnostics = registry.config_errors().to_vec();
    let mut tools = Vec::new();
    for item in found.items {
        match item {
            Ok(tool) => tools.push(tool),
            Err(errors) => diagnostics.extend(errors),
        }
    }
    let all: Vec<Value> = serde_json::from_str(DECOYS).unwrap_or_default();
    let parse = |value: Value| {
        let text = Text::new("decoys.json", value.to_string().into_bytes()).ok()?;
        Declared::new(Tool::parse(text).ok()?, true, api).ok()
    };
    let names: Vec<String> = tools.iter().map(|tool| tool.agent.name.clone()).collect();
    let decoy = all
        .into_iter()
        .filter_map(parse)
        .filter(|decoy| !names.contains(&decoy.agent.name));
    tools.extend(decoy.take(decoys));
    (tools, diagnostics)
}

/// The tools that `case` declares.
pub(crate) fn in_scope(all: &[Declared], case: &Case) -> Vec<Declared> {
    let patterns = case.tools.as_ref().map(|tools| {
        tools
            .iter()
            .map(|tool| Pattern::new(tool))
            .collect::<Vec<_>>()
    });
    let is_in = |tool: &&Declared| {
        tool.is_decoy
            || patterns
                .as_ref()
                .is_none_or(|all| all.iter().any(|pattern| pattern.matches(&tool.agent.name)))
    };
    all.iter().filter(is_in).cloned().collect()
}

/// Removes what `--ablate` names from the declarations: descriptions, examples or enumerations.
pub(crate) fn ablate(tools: &mut [Declared], part: &str) {
    for tool in tools {
        let name = tool.agent.name.clone();
        if let Value::Object(declaration) = &mut tool.agent.declaration {
            for (key, value) in declaration {
                match key.as_str() {
                    "description" if part == "description" => *value = Value::from(name.as_str()),
                    "parametersJsonSchema" => strip(value, part),
                    _ => {}
                }
            }
        }
    }
}

/// Removes a keyword from a schema and its subschemas.
fn strip(schema: &mut Value, part: &str) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(|item| strip(item, part)),
        Value::Object(keywords) => {
            let is_part = |key: &str| match part {
                "examples" => key == "examples" || key == "example",
                part => key == part,
            };
            keywords.retain(|key, _| !is_part(key));
            for (key, value) in keywords {
                match (key.as_str(), value) {
                    (
                        "properties" | "$defs" | "definitions" | "patternProperties",
                        Value::Object(named),
                    ) => {
                        named.values_mut().for_each(|named| strip(named, part));
                    }
                    (
                        "items"
                        | "additionalProperties"
                        | "anyOf"
                        | "oneOf"
                        | "allOf"
                        | "not"
                        | "prefixItems",
                        value,
                    ) => {
                        strip(value, part);
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// The tools of one trial.
pub(crate) struct TrialTools {
    tools: Vec<Declared>,
    case: Arc<Case>,
    cx: Context,
    /// The context of programs: their working directory is the folder of the trial.
    run_cx: Context,
}

impl TrialTools {
    pub(crate) fn new(
        tools: Vec<Declared>,
        case: Arc<Case>,
        cx: &Context,
        folder: Option<&Path>,
    ) -> Self {
        let run_cx = Context {
            root: folder.map_or_else(|| cx.root.clone(), Path::to_path_buf),
            ..cx.clone()
        };
        Self {
            tools,
            case,
            cx: cx.clone(),
            run_cx,
        }
    }

    fn fixtures(&self, tool: &Declared) -> Option<&[Fixture]> {
        let name = &tool.agent.name;
        let found = self
            .case
            .fixtures
            .iter()
            .find(|(pattern, _)| pattern == name);
        match found {
            Some((_, fixtures)) => Some(fixtures),
            None if tool.is_decoy => Some(&[]),
            None => None,
        }
    }
}

impl Tools for TrialTools {
    fn list(&self) -> Vec<AgentTool> {
        let declare = |tool: &Declared| {
            let traits = match self.fixtures(tool) {
                Some(_) => ToolTraits {
                    is_pure: true,
                    ..ToolTraits::default()
                },
                None => tool.agent.traits,
            };
            AgentTool {
                traits,
                ..tool.agent.clone()
            }
        };
        self.tools.iter().map(declare).collect()
    }

    fn prepare(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(ReadyCall, Value), Vec<Diagnostic>> {
        let Some(declared) = self.tools.iter().find(|tool| tool.agent.name == name) else {
            let diagnostic = Diagnostic::new(Code::ToolNotFound, "there is no tool of that name");
            let names = self.tools.iter().map(|tool| tool.agent.name.as_str());
            let hint = cogtools_core::suggest::did_you_mean(name, names);
            let hint = hint.unwrap_or_else(|| "call only tools that are declared".to_owned());
            return Err(vec![diagnostic.with_subject(name).hint(hint)]);
        };
        let tool = Arc::clone(&declared.tool);
        let sent = Value::Object(arguments.clone());
        let accepted = tool
            .accept(Arguments::from(arguments))
            .map_err(|error| error.diagnostics(&tool))?;
        let resolved = Value::Object(accepted.as_object().clone());
        if let Some(fixtures) = self.fixtures(declared) {
            let call = Call {
                tool: name.to_owned(),
                args: sent,
                resolved: Some(resolved.clone()),
                outcome: Outcome::Succeeded,
                content: Value::Null,
            };
            let fixture = fixtures
                .iter()
                .find(|fixture| all_hold(&fixture.args, &call));
            let answer = fixture.map_or_else(
                || Err("no fixture".to_owned()),
                |fixture| fixture.answer.clone(),
            );
            let result = answer.map_or_else(
                |fails| {
                    CallResult::Failed(vec![
                        Diagnostic::new(Code::ToolFailed, fails).with_subject(name),
                    ])
                },
                CallResult::Output,
            );
            return Ok((Box::new(move |_: &CallScope| result), resolved));
        }
        let limit = Limit::of(&tool);
        let approved = approve(tool, &self.cx).map_err(|diagnostic| vec![*diagnostic])?;
        let cx = self.run_cx.clone();
        let run = move |scope: &CallScope| {
            let cancel = scope.cancel.clone();
            let cx = Context {
                cancel: cancel.clone(),
                ..cx
            };
            let work = move || {
                approved
                    .run(accepted, &cx)
                    .map_err(|diagnostic| vec![*diagnostic])
            };
            match call_timeout::run_within(&limit, &cancel, work) {
                Ok(output) => output.into(),
                Err(diagnostics) => CallResult::Failed(diagnostics),
            }
        };
        Ok((Box::new(run), resolved))
    }
}
