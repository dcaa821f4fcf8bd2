//! The tools of a trial: the tools of the project, with fixtures in place of some, and decoys.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use cogtools_agent::{
    AgentTool, CallResult, CallScope, Permissions, ProgramQuestion, ReadyCall, ToolTraits, Tools,
    load_tools, not_found, ready_call,
};
use cogtools_code::{CodeMode, CodeTools, Scope, Stub};
use cogtools_core::approval::verdict;
use cogtools_core::arguments::Arguments;
use cogtools_core::text::Text;
use cogtools_core::trust::Verdict;
use cogtools_core::{Code, Context, Diagnostic, Pattern, Registry, Target, Tool, digest, yaml};
use cogtools_log::{Decision, Outcome};
use serde_json::{Map, Value, json};

use crate::calls::all_hold;
use crate::case::{Case, Fixture};
use crate::trial::{Call, Record};

/// Tools that no task needs, so that choosing is hard: a list of tool files as JSON.
const DECOYS: &str = include_str!("decoys.json");

/// The keywords whose values are schemas, or lists of them.
const SUBSCHEMAS: [&str; 7] = [
    "items",
    "additionalProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "prefixItems",
];
/// The keywords whose values are schemas by name.
const NAMED_SUBSCHEMAS: [&str; 4] = ["properties", "$defs", "definitions", "patternProperties"];

/// A tool as the models see it.
#[derive(Clone)]
pub(crate) struct Declared {
    pub(crate) tool: Arc<Tool>,
    pub(crate) agent: AgentTool,
    /// The digest of its file: of what it says, not of how it is written.
    pub(crate) file: String,
    /// Its types, if programs call it.
    types: Option<String>,
    is_decoy: bool,
}

impl Declared {
    fn new(tool: Tool, is_decoy: bool, api: Target, code: bool) -> Result<Self, Vec<Diagnostic>> {
        let agent = AgentTool::declare(&tool, api)?;
        let content = yaml::parse(tool.text()).map(|document| document.to_json());
        let content = content.unwrap_or_else(|_| Value::from(tool.text().as_str()));
        let tool = Arc::new(tool);
        let types = || cogtools_code::declarations(&[Arc::clone(&tool)], &BTreeMap::new());
        Ok(Self {
            file: short(&content),
            types: code.then(types),
            tool,
            agent,
            is_decoy,
        })
    }

    /// The traits that decide about its calls: with fixtures it does not run.
    fn traits(&self, case: &Case) -> ToolTraits {
        match fixtures(case, &self.agent.name, self.is_decoy) {
            Some(_) => ToolTraits {
                is_pure: true,
                ..ToolTraits::default()
            },
            None => self.agent.traits,
        }
    }

    /// The digest of its declaration.
    pub(crate) fn digest(&self) -> String {
        match &self.types {
            Some(types) => short(&json!([self.agent.declaration, types])),
            None => short(&self.agent.declaration),
        }
    }
}

/// The user's rules and approvals, which decide about the calls of a trial.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'r> {
    pub(crate) permissions: &'r Permissions,
    pub(crate) cx: &'r Context,
}

impl Rules<'_> {
    /// Returns true if a call of `tool` in `case` does not run.
    pub(crate) fn deny(&self, tool: &Declared, case: &Case) -> bool {
        let (name, traits) = (&tool.agent.name, tool.traits(case));
        let runs = fixtures(case, name, tool.is_decoy).is_none();
        let is_approved = || matches!(verdict(&tool.tool, self.cx), Ok(Verdict::Approved));
        self.permissions.decide(name, &traits).decision != Decision::Allowed
            || runs && !is_approved()
    }

    /// The tools of the calls in `record` that were denied for that reason.
    pub(crate) fn denied(&self, record: &Record, case: &Case, tools: &[Declared]) -> Vec<String> {
        let is_denied = |tool: &&Declared| {
            let name = &tool.agent.name;
            let mut calls = record.calls();
            calls.any(|call| call.tool == *name && call.outcome == Outcome::Denied)
                && self.deny(tool, case)
        };
        let denied = tools.iter().filter(is_denied);
        denied.map(|tool| tool.agent.name.clone()).collect()
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
    code: bool,
) -> (Vec<Declared>, Vec<Diagnostic>) {
    let declare = |tool| Declared::new(tool, false, api, code);
    let (mut tools, diagnostics) = load_tools(registry, declare);
    let all: Vec<Value> = serde_json::from_str(DECOYS).unwrap_or_default();
    let parse = |value: Value| {
        let text = Text::new("decoys.json", value.to_string().into_bytes()).ok()?;
        Declared::new(Tool::parse(text).ok()?, true, api, code).ok()
    };
    let names: Vec<String> = tools.iter().map(|tool| tool.agent.name.clone()).collect();
    let all = all.into_iter().filter_map(parse);
    let others = all.filter(|decoy| !names.contains(&decoy.agent.name));
    tools.extend(others.take(decoys));
    (tools, diagnostics)
}

/// The tools that `case` declares.
pub(crate) fn in_scope(all: &[Declared], case: &Case) -> Vec<Declared> {
    let is_named = |name: &str| {
        let mut tools = case.tools.iter().flatten();
        case.tools.is_none() || tools.any(|tool| Pattern::new(tool).matches(name))
    };
    let is_in = |tool: &&Declared| tool.is_decoy || is_named(&tool.agent.name);
    all.iter().filter(is_in).cloned().collect()
}

/// Removes what `--ablate` names from the declarations: descriptions, examples or enumerations.
pub(crate) fn ablate(tools: &mut [Declared], part: &str) {
    for tool in tools {
        let declaration = &mut tool.agent.declaration;
        let description = declaration.get_mut("description");
        if let Some(description) = description.filter(|_| part == "description") {
            *description = tool.agent.name.as_str().into();
        }
        if let Some(schema) = declaration.get_mut("parametersJsonSchema") {
            strip(schema, part);
        }
    }
}

/// Removes a keyword from a schema and its subschemas.
fn strip(schema: &mut Value, part: &str) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(|item| strip(item, part)),
        Value::Object(keywords) => {
            keywords.retain(|key, _| key != part && (part != "examples" || key != "example"));
            for (key, value) in keywords {
                if SUBSCHEMAS.contains(&key.as_str()) {
                    strip(value, part);
                } else if NAMED_SUBSCHEMAS.contains(&key.as_str()) {
                    let named = value.as_object_mut().into_iter().flatten();
                    named.for_each(|(_, named)| strip(named, part));
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
    /// The model calls the tools in programs.
    code: Option<CodeMode>,
}

impl TrialTools {
    /// The `tools` of a trial, which run in `folder`. With the rules for calls of programs, the
    /// model calls them in programs.
    ///
    /// # Errors
    /// A tool that runs programs cannot be declared, which would be a bug.
    pub(crate) fn new(
        tools: Vec<Declared>,
        case: Arc<Case>,
        cx: &Context,
        folder: Option<&Path>,
        code: Option<(Target, &Permissions)>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let code = code.filter(|_| !tools.is_empty());
        let code = code.map(|code| code_mode(&tools, &case, (cx, folder), code));
        let run_cx = Context {
            root: folder.map_or_else(|| cx.root.clone(), Path::to_path_buf),
            ..cx.clone()
        };
        Ok(Self {
            tools,
            case,
            cx: cx.clone(),
            run_cx,
            code: code.transpose()?,
        })
    }

    fn fixtures(&self, tool: &Declared) -> Option<&[Fixture]> {
        fixtures(&self.case, &tool.agent.name, tool.is_decoy)
    }

    /// The mistakes that types show in the code of a program.
    pub(crate) fn mistakes(&self, code: &str) -> Vec<Diagnostic> {
        let mode = self.code.as_ref();
        mode.map_or_else(Vec::new, |mode| mode.mistakes(code))
    }
}

/// The tools for programs that call `tools`, which run in `folder`.
fn code_mode(
    tools: &[Declared],
    case: &Arc<Case>,
    (cx, folder): (&Context, Option<&Path>),
    (api, permissions): (Target, &Permissions),
) -> Result<CodeMode, Vec<Diagnostic>> {
    let (cx, permissions, case) = (cx.clone(), permissions.clone(), Arc::clone(case));
    let folder = folder.map(Path::to_path_buf);
    let decoys = tools.iter().filter(|tool| tool.is_decoy);
    let decoys: Vec<String> = decoys.map(|tool| tool.agent.name.clone()).collect();
    let own: Vec<Arc<Tool>> = tools.iter().map(|tool| Arc::clone(&tool.tool)).collect();
    let stub: Stub = Arc::new(move |name, sent, resolved| {
        let fixtures = fixtures(&case, name, decoys.iter().any(|decoy| decoy == name))?;
        Some(answer(fixtures, name, sent, resolved))
    });
    let scope = move |cancel| {
        let cx = Context {
            cancel,
            ..cx.clone()
        };
        let (permissions, stub) = (permissions.clone(), Arc::clone(&stub));
        Scope::of_tools(own.iter().cloned(), cx, permissions, stub, folder.clone())
    };
    CodeMode::new(scope, api)
}

/// The fixtures of a tool; none if it runs.
fn fixtures<'c>(case: &'c Case, name: &str, is_decoy: bool) -> Option<&'c [Fixture]> {
    let mut all = case.fixtures.iter();
    match all.find(|(tool, _)| tool == name) {
        Some((_, fixtures)) => Some(fixtures),
        None if is_decoy => Some(&[]),
        None => None,
    }
}

/// The result of the first fixture that fits, or why the call fails.
fn answer(
    fixtures: &[Fixture],
    name: &str,
    sent: &Value,
    resolved: &Value,
) -> Result<Value, String> {
    let call = Call::sent(name, sent.clone(), Some(resolved.clone()));
    let mut fixtures = fixtures.iter();
    let fixture = fixtures.find(|fixture| all_hold(&fixture.args, &call));
    let fixture = fixture.ok_or_else(|| "no fixture".to_owned())?;
    fixture.answer.clone()
}

impl Tools for TrialTools {
    fn list(&self) -> Vec<AgentTool> {
        if let Some(code) = &self.code {
            let mut declared = code.declared().clone();
            for tool in &mut declared {
                tool.traits.is_uncounted = true;
            }
            return declared;
        }
        let declare = |tool: &Declared| AgentTool {
            traits: tool.traits(&self.case),
            ..tool.agent.clone()
        };
        self.tools.iter().map(declare).collect()
    }

    fn types_for(&self, task: &str) -> Option<String> {
        self.code.as_ref()?.types_for(task)
    }

    fn question(&self, name: &str, arguments: &Value) -> Option<ProgramQuestion> {
        let code = self.code.as_ref().filter(|_| name == CodeTools::RUN)?;
        code.question(arguments)
    }

    fn prepare(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<(ReadyCall, Value), Vec<Diagnostic>> {
        if let Some(code) = &self.code {
            let (run, resolved) = code.prepare(name, arguments)?;
            let run = move |scope: &CallScope| {
                let result = run(scope);
                let is_over = |error: &Diagnostic| error.code == Code::BudgetSpent;
                if matches!(&result, CallResult::Failed(errors) if errors.iter().any(is_over)) {
                    // The call beyond the budget stops the trial.
                    scope.ledger.try_add_call();
                }
                result
            };
            return Ok((Box::new(run), resolved));
        }
        let Some(declared) = self.tools.iter().find(|tool| tool.agent.name == name) else {
            let names = self.tools.iter().map(|tool| tool.agent.name.as_str());
            return Err(vec![not_found(name, names)]);
        };
        let tool = Arc::clone(&declared.tool);
        let sent = Value::Object(arguments.clone());
        let accepted = tool
            .accept(Arguments::from(arguments))
            .map_err(|error| error.diagnostics(&tool))?;
        let resolved = Value::Object(accepted.as_object().clone());
        if let Some(fixtures) = self.fixtures(declared) {
            let failed = |fails| Diagnostic::new(Code::ToolFailed, fails).with_subject(name);
            let result = match answer(fixtures, name, &sent, &resolved) {
                Ok(output) => CallResult::Output(output),
                Err(fails) => CallResult::Failed(vec![failed(fails)]),
            };
            return Ok((Box::new(move |_: &CallScope| result), resolved));
        }
        let run = ready_call(tool, accepted, &self.cx, self.run_cx.clone())?;
        Ok((run, resolved))
    }
}
