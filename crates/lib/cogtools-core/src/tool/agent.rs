//! `implementation: {agent: {…}}`: a model with instructions and tools.
//!
//! A separate program talks to the model, so that no network client is linked into the programs
//! that run for each call. It gets the instructions with the arguments filled in.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use crate::environment::{AGENT_DEPTH, OFFLINE, Vars};
use crate::process::{Exit, LineSink, Output, Process, SandboxMode};
use crate::schema::Schema;
use crate::text::Text;
use crate::tool::call::RunError;
use crate::tool::command::CommandError;
use crate::tool::error::FlowError;
use crate::tool::reader::Reader;
use crate::tool::template::{Template, TemplateScope, TemplateSource};
use crate::tool::{Definition, DefinitionError};
use crate::yaml::Entry;
use crate::{Code, Context, Diagnostic, Expected, Tape};

/// The keys of the map.
const KEYS: [&str; 12] = [
    "system",
    "behaviour",
    "rules",
    "prompt",
    "tools",
    "model",
    "temperature",
    "seed",
    "max_tokens",
    "stop",
    "budget",
    "output",
];
/// The key of a node with its reply, which is written as `parameters` are.
const REPLY: &str = "reply";
/// The prompt of an agent that gets no arguments.
const BEGIN: &str = "Begin.";
/// The subcommand that talks to models, and its options.
const ARGS: [&str; 5] = ["ask", "--agent", "--json", "--quiet", "--error-format=json"];
/// The longest report of the program, in bytes: JSON escapes make an answer longer.
const MAX_REPORT: usize = 8 << 20;

/// An agent, as its tool file describes it.
#[derive(Debug, Default)]
pub(crate) struct Agent {
    system: Option<Template>,
    behaviour: Option<Template>,
    rules: Vec<Template>,
    prompt: Option<Template>,
    schema: Option<Schema>,
    /// The parts that are the same in every call.
    constant: AgentTask,
}

/// A call of a tool that is an agent, as the program that runs it gets it: its templates are rendered over the arguments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentTask {
    /// The name of the tool.
    pub tool: String,
    /// The role of the agent.
    pub system: Option<String>,
    /// The way it works.
    pub behaviour: Option<String>,
    /// Rules that override its role and the way it works.
    pub rules: Vec<String>,
    /// The question.
    pub prompt: String,
    /// Patterns of the tools that it may call.
    pub tools: Vec<String>,
    /// The model, if it names one.
    pub model: Option<String>,
    /// The variety of its answers.
    pub temperature: Option<f64>,
    /// Makes its answers repeatable.
    pub seed: Option<i32>,
    /// The limit of tokens of a response.
    pub max_tokens: Option<u32>,
    /// Texts at which a response ends.
    pub stop: Vec<String>,
    /// The limits of a call.
    pub budget: AgentBudget,
    /// The JSON Schema of its answer.
    pub schema: Option<Value>,
    /// True if the answer is the arguments of a call, which a model without tools has to make.
    pub answers_by_call: bool,
}

/// The limits of a run of an agent. An absent one does not limit it further than its caller does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentBudget {
    /// Requests to the model. By default, 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// Calls of tools. By default, 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Tokens, sent and received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Money, in the currency of the file with prices.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "amount"
    )]
    #[schemars(range(min = 0))]
    pub money: Option<f64>,
}

fn amount<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    match f64::deserialize(from) {
        Ok(amount) if amount.is_finite() && amount >= 0.0 => Ok(Some(amount)),
        _ => Err(D::Error::custom("an amount")),
    }
}

impl AgentBudget {
    /// The limits of a run that nothing else limits.
    pub const STANDARD: Self = Self {
        turns: Some(50),
        calls: Some(200),
        tokens: None,
        seconds: None,
        money: None,
    };
    /// The names of the limits.
    pub const KEYS: [&'static str; 5] = ["turns", "calls", "tokens", "seconds", "money"];
}

impl AgentTask {
    /// The variable that counts how many agents run within each other.
    pub const DEPTH: &'static str = AGENT_DEPTH;
    /// The number of agents that may run within each other.
    pub const MAX_DEPTH: u8 = 4;

    /// Asks the model, for at most `timeout`, and returns its answer.
    ///
    /// # Errors
    ///
    /// The program that talks to models is not installed, or the agent gives no answer.
    pub fn run(&self, timeout: Duration, cx: &Context) -> Result<String, RunError> {
        let name = &*self.tool;
        let program = OwnProgram::with_agents(&ARGS, self, timeout, MAX_REPORT);
        let report: Option<Value> = crate::json::read_own(&program.run(name, cx)?).ok();
        if let Some((events, report)) = cx.call.events.as_ref().zip(report.as_ref()) {
            let of = |key: &str| report.get(key).cloned().unwrap_or_default();
            let mut usage = of("usage");
            if let Some(usage) = usage.as_object_mut() {
                // The name in a session.
                let output = usage.shift_remove("output").unwrap_or_default();
                usage.insert("candidates".to_owned(), output);
                usage.insert("cost".to_owned(), of("cost"));
            }
            let model = json!({"model": of("model"), "usage": usage, "session": of("session")});
            events.pass(&model.to_string());
        }
        let text = report.and_then(|report| Some(report.get("text")?.as_str()?.to_owned()));
        text.ok_or_else(|| CommandError::Report.diagnostic(name))
    }

    /// Returns how many agents this process runs within.
    pub fn depth(cx: &Context) -> u8 {
        let variable = cx.environment.process().get(OsStr::new(Self::DEPTH));
        let depth = variable.and_then(|depth| depth.to_str()?.parse().ok());
        depth.unwrap_or(0)
    }

    /// Returns the depth of an agent that one of this `depth` calls.
    ///
    /// # Errors
    ///
    /// More than [`Self::MAX_DEPTH`] agents would run within each other.
    pub fn depth_below(depth: u8) -> Result<u8, Box<Diagnostic>> {
        if depth < Self::MAX_DEPTH {
            return Ok(depth + 1);
        }
        let max = Self::MAX_DEPTH;
        let message = format!("{max} agents and flows already run within each other");
        let diagnostic = Diagnostic::new(Code::ToolFailed, message);
        Err(Box::new(diagnostic.hint(
            "let no tool call itself, directly or through others",
        )))
    }
}

impl Agent {
    /// Reads the map; errors go to the reader.
    pub(super) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Self> {
        let mut agent = Self::default();
        for entry in reader.entries(entry, Expected::Agent)? {
            agent.read_key(entry, reader);
        }
        if agent.system.is_none() && agent.behaviour.is_none() {
            reader.report(DefinitionError::Missing("system"), entry.span);
        }
        Some(agent)
    }

    /// Reads the map of a node, whose rules can stand alone, and the schema of its reply.
    pub(super) fn read_node(
        entry: &Entry,
        reader: &mut Reader<'_>,
    ) -> Option<(Self, Option<Schema>)> {
        let (mut agent, mut reply) = (Self::default(), None);
        for entry in reader.entries(entry, Expected::Agent)? {
            match entry.key.as_str() {
                REPLY => reply = reader.schema(Schema::expand(&entry.value)),
                "then" | "else" => reader.report(FlowError::Branches, entry.span),
                _ => agent.read_key(entry, reader),
            }
        }
        let has_system = agent.system.is_some() || agent.behaviour.is_some();
        if agent.rules.is_empty() && !has_system {
            reader.report(DefinitionError::Missing("rules"), entry.span);
        }
        Some((agent, reply))
    }

    fn read_key(&mut self, entry: &Entry, reader: &mut Reader<'_>) {
        match entry.key.as_str() {
            "system" => self.system = reader.template(&entry.key, &entry.value, Expected::String),
            "behaviour" => {
                self.behaviour = reader.template(&entry.key, &entry.value, Expected::String);
            }
            "prompt" => self.prompt = reader.template(&entry.key, &entry.value, Expected::String),
            "rules" => self.rules = rules(entry, reader),
            "tools" => self.constant.tools = reader.names(entry),
            "stop" => self.constant.stop = reader.names(entry),
            "budget" => self.constant.budget = budget(entry, reader),
            "output" => self.schema = schema(entry, reader),
            "model" => {
                let text = entry.value.text().filter(|text| !text.trim().is_empty());
                self.constant.model =
                    reader.expect(entry, Expected::String, text.map(str::to_owned));
            }
            "temperature" => {
                let number = entry.value.number().filter(|it| (0.0..=2.0).contains(it));
                self.constant.temperature = reader.expect(entry, Expected::Temperature, number);
            }
            "seed" => {
                let seed = entry.value.to_json().as_i64();
                let seed = seed.and_then(|seed| i32::try_from(seed).ok());
                self.constant.seed = reader.expect(entry, Expected::Number, seed);
            }
            "max_tokens" => self.constant.max_tokens = reader.positive(entry),
            _ => reader.report_unknown_key(entry, &KEYS),
        }
    }

    /// The names and patterns of the tools that it may call.
    pub(super) fn tools(&self) -> &[String] {
        &self.constant.tools
    }

    /// Makes the task of a call of `tool` with `arguments`.
    pub(crate) fn task(
        &self,
        tool: &Definition,
        arguments: &Map<String, Value>,
    ) -> Result<AgentTask, RunError> {
        let scope = TemplateScope::of(&tool.text);
        let render = |template: &Template| template.render_legible(&scope, arguments);
        let optional = |template: &Option<Template>| template.as_ref().map(render).transpose();
        let prompt = match &self.prompt {
            Some(template) => render(template)?,
            None if arguments.is_empty() => BEGIN.to_owned(),
            None => Value::Object(arguments.clone()).to_string(),
        };
        let schema = self.schema.as_ref().or(tool.output_schema());
        Ok(AgentTask {
            tool: tool.name.to_string(),
            system: optional(&self.system)?,
            behaviour: optional(&self.behaviour)?,
            rules: self.rules.iter().map(render).collect::<Result<_, _>>()?,
            prompt,
            schema: schema.map(Schema::to_json_schema),
            ..self.constant.clone()
        })
    }

    /// Finds the reason why every call would fail.
    pub(super) fn check(&self, scope: &TemplateScope<'_>) -> Result<(), RunError> {
        self.templates().try_for_each(|it| it.check(scope))
    }

    /// Returns the templates, for a tool whose file is `text`.
    pub(super) fn sources(&self, text: &Text) -> Vec<TemplateSource> {
        let inline = |template| TemplateSource::inline(template, text);
        self.templates().map(inline).collect()
    }

    fn templates(&self) -> impl Iterator<Item = &Template> {
        let texts = self.system.iter().chain(&self.behaviour);
        texts.chain(&self.rules).chain(&self.prompt)
    }
}

fn rules(entry: &Entry, reader: &mut Reader<'_>) -> Vec<Template> {
    let read = |node| reader.template(&entry.key, node, Expected::Texts);
    entry.value.one_or_more().iter().filter_map(read).collect()
}

fn budget(entry: &Entry, reader: &mut Reader<'_>) -> AgentBudget {
    let fields = reader.fields(entry, AgentBudget::KEYS);
    let [turns, calls, tokens, seconds, money] = fields.unwrap_or_default();
    let mut count = |entry: Option<&Entry>| {
        let entry = entry?;
        reader.expect(entry, Expected::Count, entry.value.to_json().as_u64())
    };
    AgentBudget {
        turns: count(turns),
        calls: count(calls),
        tokens: count(tokens),
        seconds: count(seconds),
        money: money.and_then(|entry| {
            let amount = entry.value.number().filter(|amount| *amount >= 0.0);
            reader.expect(entry, Expected::Number, amount)
        }),
    }
}

/// Reads the schema in `output: {schema: …}`.
fn schema(entry: &Entry, reader: &mut Reader<'_>) -> Option<Schema> {
    let [schema] = reader.fields(entry, ["schema"])?;
    reader.schema(Schema::any(&schema?.value))
}

/// A run of `cogtools` for a call, so that clients of models and the executor of flows are not in
/// the programs that run for each call.
pub(crate) struct OwnProgram<'p> {
    /// The subcommand and its options.
    pub(crate) args: &'p [&'p str],
    /// The content of its standard input.
    pub(crate) input: Vec<u8>,
    pub(crate) timeout: Duration,
    /// The longest output, in bytes.
    pub(crate) max_output: usize,
    /// True if agents may run in it, which run within each other only so far.
    pub(crate) runs_agents: bool,
    /// The reader of the lines on its standard error while it runs.
    pub(crate) lines: Option<LineSink>,
}

impl<'p> OwnProgram<'p> {
    /// A run for a `task`, in which agents may run.
    pub(super) fn with_agents(
        args: &'p [&'p str],
        task: &impl Serialize,
        timeout: Duration,
        max_output: usize,
    ) -> Self {
        Self {
            args,
            // Serializing text, numbers and JSON cannot fail.
            input: serde_json::to_vec(task).unwrap_or_default(),
            timeout,
            max_output,
            runs_agents: true,
            lines: None,
        }
    }

    /// Runs it for a call of the tool `name`, and returns its output.
    ///
    /// # Errors
    /// The failure of the program, with its own code.
    pub(super) fn run(self, name: &str, cx: &Context) -> Result<Vec<u8>, RunError> {
        Ok(self.output(name, &[0], cx)?.stdout.bytes)
    }

    /// Runs it for a call of the tool `name`, and returns its output if it exits with one of
    /// `statuses`.
    ///
    /// # Errors
    /// The failure of the program, with its own code.
    pub(crate) fn output(
        self,
        name: &str,
        statuses: &[u8],
        cx: &Context,
    ) -> Result<Output, RunError> {
        let variables = variables(self.runs_agents, cx);
        let variables = variables.map_err(|diagnostic| Box::new(diagnostic.with_subject(name)))?;
        let program = cx.own_program();
        let program = program
            .ok_or_else(|| CommandError::NotFound(Context::PROGRAM.to_owned()).diagnostic(name))?;
        let mut args: Vec<OsString> = self.args.iter().map(OsString::from).collect();
        if self.runs_agents {
            args.extend(tape_args(cx));
            args.extend(cx.options.iter().cloned());
        }
        let output = Process::new(&program, &cx.root)
            .args(args)
            .variables(variables)
            .input(self.input)
            .timeout(self.timeout)
            .stdout_limit(self.max_output)
            .stderr_lines(self.lines)
            .run(&cx.cancel)
            .map_err(|error| CommandError::Start(program, error).diagnostic(name))?;
        let is_expected = |status: i32| statuses.iter().any(|it| i32::from(*it) == status);
        if matches!(output.exit, Exit::Status(status) if status.code().is_some_and(is_expected)) {
            // What is cut is no result.
            return if output.stdout.left_out == 0 {
                Ok(output)
            } else {
                Err(CommandError::TooLarge(self.max_output).diagnostic(name))
            };
        }
        let Some(diagnostic) = Diagnostic::from_json(&output.stderr.bytes) else {
            let error = CommandError::of(output.exit, self.timeout);
            return Err(error.diagnostic_with_output(name, &output));
        };
        Err(Box::new(diagnostic.with_subject(name)))
    }
}

/// Makes a failure of another program the failure of a tool. A flow that calls the tool learns of a
/// fault of the configuration.
pub(super) fn tool_failure(mut diagnostic: Box<Diagnostic>, cx: &Context) -> Box<Diagnostic> {
    let is_kept = match diagnostic.code {
        Code::Timeout | Code::StaleRecording => true,
        Code::InvalidConfig => cx.call.is_in_flow,
        _ => false,
    };
    if !is_kept {
        diagnostic.code = Code::ToolFailed;
    }
    diagnostic
}

/// Returns the user's variables. A host may have loaded a file of the project into the process: it
/// decides neither where a key is sent nor what is trusted.
pub(super) fn variables_of_user(cx: &Context) -> Vars {
    let process = cx.environment.process();
    let names = process.keys().filter_map(|name| name.to_str());
    cx.environment.user_vars(names)
}

/// Returns the variables of the program.
fn variables(runs_agents: bool, cx: &Context) -> Result<Vars, Box<Diagnostic>> {
    let mut depth = AgentTask::depth(cx);
    if runs_agents {
        depth = AgentTask::depth_below(depth)?;
    }
    let mut variables = variables_of_user(cx);
    variables.insert(AgentTask::DEPTH.into(), depth.to_string().into());
    // An option of this program holds for what it starts, too.
    variables.insert(SandboxMode::VARIABLE.into(), cx.sandbox.name().into());
    if cx.is_offline() {
        variables.insert(OFFLINE.into(), "1".into());
    }
    Ok(variables)
}

/// Returns the options with the recording, if there is one.
fn tape_args(cx: &Context) -> Vec<OsString> {
    match &cx.call.tape {
        Some(Tape::Record(tape)) => vec!["--record".into(), tape.into()],
        Some(Tape::Replay(tape)) => vec!["--replay".into(), tape.into()],
        None => Vec::new(),
    }
}
