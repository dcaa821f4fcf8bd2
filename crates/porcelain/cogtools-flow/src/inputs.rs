//! Inputs of commands: the flow that a command line names, its arguments, and the results of nodes
//! that another engine has run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use cogtools_core::arguments::{Arguments, WordError};
use cogtools_core::schema::Schema;
use cogtools_core::tool::{AskNode, Flow, FlowNode};
use cogtools_core::{Code, Diagnostic, Registry, Tape, Tool, quoted};
use cogtools_log::Timestamp;
use cogtools_log::view::{Results, Run};
use cogtools_program::project::read_scope;
use cogtools_program::{Failure, Io, named_file, text_input};
use serde_json::{Map, Value};

/// The longest file with inputs, in bytes.
const MAX_BYTES: usize = 16 << 20;
/// The name of standard input.
const STDIN: &str = "-";
/// The answer that stands for standard input.
const PIPED: &str = "@-";

/// The flow of a command.
#[derive(Args)]
#[group(skip)]
pub(crate) struct FlowArg {
    /// The name of a tool that is a flow, or its file
    #[arg(value_name = "FLOW")]
    pub(crate) flow: String,
}

/// `--inputs FILE`.
#[derive(Args)]
#[group(skip)]
pub(crate) struct InputsArg {
    /// A JSON object with the arguments of the flow and the results of nodes; - for standard input
    #[arg(long, value_name = "FILE")]
    inputs: PathBuf,
}

/// The variables that another engine gives to a node, or to the output.
pub(crate) struct NodeInputs {
    /// The arguments of the flow, with defaults.
    pub(crate) arguments: Map<String, Value>,
    /// The results of nodes; null if one was skipped or has failed.
    pub(crate) results: Map<String, Value>,
}

/// The answers of the user.
#[derive(Args)]
#[group(skip)]
pub(crate) struct AnswerArg {
    /// The answer to a node that asks the user; NODE=@- is standard input
    #[arg(long, value_name = "NODE=TEXT")]
    answer: Vec<String>,
}

impl AnswerArg {
    /// The answers by node.
    pub(crate) fn by_node(&self) -> Result<BTreeMap<String, String>, Failure> {
        let answers = self.answer.iter();
        answers
            .map(|it| pair(it, "an answer is NODE=TEXT"))
            .collect()
    }

    /// Like [`Self::by_node`], with the text on standard input for `NODE=@-`, as with
    /// `cogtools run`.
    pub(crate) fn with_stdin(&self, io: &mut Io<'_>) -> Result<BTreeMap<String, String>, Failure> {
        let mut answers = self.by_node()?;
        let mut piped = answers.iter_mut().filter(|(_, text)| *text == PIPED);
        let Some((node, text)) = piped.next() else {
            return Ok(answers);
        };
        if let Some((second, _)) = piped.next() {
            let message =
                format!("`{node}` and `{second}` cannot both be read from standard input");
            let hint = "write one of the answers on the command line";
            return Err(Diagnostic::new(Code::Usage, message).hint(hint).into());
        }
        let line = format!("… | cogtools flow resume --answer {node}={PIPED}");
        *text = text_input::read_value(io, &line)?;
        Ok(answers)
    }
}

/// The answer to `ask` in `text`: text, or an object of which `text` is the JSON or the only member.
///
/// # Errors
/// The reason why it is not valid, in words.
pub(crate) fn read_answer(ask: &AskNode, text: &str) -> Result<Value, String> {
    let is_empty = text.trim().is_empty();
    if let Some(default) = ask.default.as_ref().filter(|_| is_empty) {
        return Ok(default.clone());
    }
    let Some(schema) = &ask.reply else {
        let is_given = (!is_empty).then(|| text.into());
        return is_given.ok_or_else(|| "the answer is empty".to_owned());
    };
    let names = schema.names().unwrap_or_default();
    let word = match names.as_slice() {
        [only] if !text.trim_start().starts_with('{') => format!("{only}={text}"),
        _ => text.trim().to_owned(),
    };
    let read = Arguments::from_words(&[word], schema);
    let mut answer = read
        .map(Arguments::into_object)
        .map_err(|_| format!("the answer is a JSON object with {}", names.join(", ")))?;
    if let Some(other) = answer.keys().find(|key| !names.contains(&key.as_str())) {
        let names = names.join(", ");
        return Err(format!("the answer has no `{other}`, but {names}"));
    }
    schema.apply_defaults(&mut answer);
    let answer = Value::Object(answer);
    let validator = schema.validator().map_err(|error| error.to_string())?;
    match validator.violations(schema, &answer).first() {
        None => Ok(answer),
        Some(wrong) => Err(format!(
            "{}: {}",
            wrong.pointer.trim_start_matches('/'),
            wrong.kind
        )),
    }
}

/// Asks the user at the terminal. Without an answer, the run waits.
pub(crate) fn ask_person(
    node: &FlowNode,
    wanted: &Diagnostic,
    io: &mut Io<'_>,
) -> Result<Option<String>, Failure> {
    let Some(ask) = node.ask() else {
        return Ok(None);
    };
    let schema = ask.reply.as_ref().map(Schema::as_object);
    let fields = schema.and_then(|schema| schema.get("properties")?.as_object());
    let mut question = format!("{}\n", wanted.message);
    for (name, field) in fields.into_iter().flatten() {
        let about = field["description"].as_str().or(field["type"].as_str());
        question.extend(["  ", name, ": ", about.unwrap_or("a value"), "\n"]);
    }
    loop {
        io.stdin.discard_typed();
        io.say(&format!("{question}> "));
        let Some(line) = io.line()? else {
            return Ok(None);
        };
        match read_answer(ask, &line) {
            Ok(_) => return Ok(Some(line)),
            Err(reason) => question = format!("{reason}\n"),
        }
    }
}

/// The nodes with an answer in `answers`, without answers that are among the `results` already.
///
/// # Errors
/// A name is not of a node of `tool` that asks.
pub(crate) fn check_answers<'a>(
    answers: &'a BTreeMap<String, String>,
    tool: &Tool,
    results: &Results,
) -> Result<Vec<&'a String>, Failure> {
    let mut new = Vec::new();
    for (name, text) in answers {
        let Some(ask) = node(tool.flow(), name)?.ask() else {
            let questions = tool.flow().into_iter().flat_map(Flow::nodes);
            let questions = questions.filter(|node| node.ask().is_some());
            let names = quoted(questions.map(|node| &node.id));
            let diagnostic = Diagnostic::new(Code::Usage, "this node asks no question");
            let diagnostic = diagnostic.with_subject(name);
            return Err(match names.as_str() {
                "" => diagnostic.into(),
                names => diagnostic.hint(format!("these ask: {names}")).into(),
            });
        };
        let known = results.nodes.get(name);
        if known.is_none_or(|known| read_answer(ask, text).as_ref() != Ok(known)) {
            new.push(name);
        }
    }
    Ok(new)
}

/// The defaults of the questions of `run`, a run of `tool`, that have been open for too long.
pub(crate) fn overdue(run: &Run<'_>, tool: &Tool) -> BTreeMap<String, Value> {
    let nodes = run.nodes.values();
    let overdue = nodes.filter_map(|node| {
        let ask = tool.flow()?.node(node.id)?.ask()?;
        let open = Duration::from_millis(Timestamp::now().millis_since(node.asked?));
        let default = ask.default.clone();
        Some((
            node.id.to_owned(),
            default.filter(|_| open >= ask.timeout.unwrap_or(Duration::MAX))?,
        ))
    });
    overdue.collect()
}

/// Splits `NODE=TEXT`.
pub(crate) fn pair(word: &str, message: &str) -> Result<(String, String), Failure> {
    let Some((node, text)) = word.split_once('=') else {
        let diagnostic = Diagnostic::new(Code::Usage, message);
        return Err(diagnostic.with_subject(word).into());
    };
    Ok((node.to_owned(), text.to_owned()))
}

/// A recording of the answers of models.
#[derive(Args)]
#[group(skip)]
pub(crate) struct TapeArgs {
    /// Record what models answer
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Take the answers of models from a recording, without a network
    #[arg(long, value_name = "FILE", conflicts_with = "record")]
    replay: Option<PathBuf>,
}

impl TapeArgs {
    pub(crate) fn tape(&self, io: &Io<'_>) -> Option<Tape> {
        let record = self.record.as_ref().map(|path| io.cwd.join(path));
        let replay = self.replay.as_ref().map(|path| io.cwd.join(path));
        record.map(Tape::Record).or(replay.map(Tape::Replay))
    }
}

/// The flow `name` of `registry`, or the one in the file `name`.
///
/// # Errors
/// There is no such tool, or it is no flow.
pub(crate) fn find(name: &str, registry: &Registry, io: &Io<'_>) -> Result<Tool, Failure> {
    let is_file = name.contains(['/', '\\']) || Path::new(name).extension().is_some();
    let tool = if is_file {
        let path = io.cwd.join(name);
        let tool = Tool::load(&path, Path::new(name), &read_scope(&path, io));
        registry.check_file(tool.map_err(|error| Failure::from(error.diagnostics()))?)?
    } else {
        let tool = registry.find(name);
        tool.map_err(|error| Failure::from(error.diagnostics()))?
    };
    if tool.flow().is_none() {
        let diagnostic = Diagnostic::new(Code::Usage, "this tool is not a flow");
        let hint = format!("`cogtools run {}` calls it", tool.name());
        return Err(diagnostic.with_subject(name).hint(hint).into());
    }
    Ok(tool)
}

/// The node `id` of `flow`.
pub(crate) fn node<'f>(flow: Option<&'f Flow>, id: &str) -> Result<&'f FlowNode, Failure> {
    flow.and_then(|flow| flow.node(id)).ok_or_else(|| {
        let ids = flow.into_iter().flat_map(Flow::nodes);
        let ids = ids.map(|node| node.id.as_str());
        let diagnostic = Diagnostic::new(Code::Usage, "the flow has no such node").with_subject(id);
        let otherwise = "`cogtools flow show` lists its nodes";
        diagnostic.meant_or(id, ids, otherwise).into()
    })
}

/// The arguments for `tool` in the words of a command line, checked and with defaults.
pub(crate) fn read(words: &[String], tool: &Tool) -> Result<Map<String, Value>, Failure> {
    let errors = |errors: Vec<WordError>| -> Failure {
        let diagnostic = |error: &WordError| error.diagnostic(tool.name().as_str());
        let diagnostics: Vec<Diagnostic> = errors.iter().map(diagnostic).collect();
        diagnostics.into()
    };
    let arguments = Arguments::from_words(words, &tool.schema).map_err(errors)?;
    accept(arguments, tool)
}

/// `arguments`, checked and with defaults.
pub(crate) fn accept(arguments: Arguments, tool: &Tool) -> Result<Map<String, Value>, Failure> {
    let accepted = tool
        .accept(arguments)
        .map_err(|error| error.diagnostics(tool))?;
    Ok(accepted.into_object())
}

impl NodeInputs {
    /// Reads the file that the command line names.
    pub(crate) fn read(from: &InputsArg, tool: &Tool, io: &mut Io<'_>) -> Result<Self, Failure> {
        let path = &from.inputs;
        let bytes = if path.as_os_str() == STDIN {
            text_input::read_bytes(io, "cogtools flow node")?
        } else {
            named_file::read(path, MAX_BYTES, io)?
        };
        let invalid = |message: String| {
            let diagnostic = Diagnostic::new(Code::InvalidArgumentsSyntax, message);
            Failure::from(diagnostic.with_subject(path.display().to_string()))
        };
        let all = match serde_json::from_slice(&bytes) {
            Ok(Value::Object(all)) => all,
            Ok(_) => return Err(invalid("inputs are a JSON object".to_owned())),
            Err(error) => return Err(invalid(format!("inputs are a JSON object: {error}"))),
        };
        let is_node = |name: &str| tool.flow().is_some_and(|flow| flow.node(name).is_some());
        let (results, arguments): (Map<_, _>, Map<_, _>) =
            all.into_iter().partition(|(name, _)| is_node(name));
        Ok(Self {
            arguments: accept(Arguments::from(arguments), tool)?,
            results,
        })
    }

    /// Fails if a result is missing that one of `nodes` cannot do without.
    pub(crate) fn check(&self, nodes: &[&FlowNode]) -> Result<(), Failure> {
        for node in nodes {
            let is_known =
                |id: &str| self.results.contains_key(id) || nodes.iter().any(|node| node.id == id);
            let mut needs = node.needs.iter();
            if let Some(need) = needs.find(|need| !need.is_optional && !is_known(&need.node)) {
                let message = format!("the inputs have no result of `{}`", need.node);
                let diagnostic = Diagnostic::new(Code::SchemaViolation, message);
                let diagnostic = diagnostic.with_subject(node.id.as_str());
                return Err(diagnostic.hint("a node that was skipped has null").into());
            }
        }
        Ok(())
    }
}
