//! `implementation: {flow: …}`: nodes that use each other's results.
//!
//! The action of a node is known once its variables are: the parameters of the tool, and the results
//! of the nodes that it needs. [`FlowNode::action`] returns it; the program `cogtools-flow`, which
//! is separate so that the programs that run for each call stay small, carries it out.

mod action;
mod node;
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::atomic::AtomicU32;

use serde_json::{Map, Value};

use super::Definition;
use super::agent::{OwnProgram, tool_failure};
use super::call::{RunError, ToolCall, ToolOutput};
use super::command::CommandError;
use super::progress_line::{printable, update};
use super::reader::Reader;
use super::template::{Template, TemplateScope, TemplateSource, ValueTemplate};
use crate::process::LineSink;
use crate::suggest::Suggestion;
use crate::text::{Span, Text};
use crate::tool::error::FlowError;
use crate::tool::flow::node::INDEX;
use crate::yaml::Entry;
use crate::{Code, Context, Diagnostic, Location, PausedFlow, json};
pub use action::{FlowAction, FlowCall, FlowQuestion, FlowReport, FlowTarget, FlowTask, FlowWork};
pub use node::{AskNode, EachNode, FlowNeed, FlowNode, FlowTemplate, Route, ToolNode};

/// The subcommand that runs a flow, and its options, the last one for progress.
const ARGS: [&str; 4] = ["flow", "call", "--error-format=json", "--progress"];
/// The number of answers to a question: after as many wrong ones, it stays open.
const MAX_ANSWERS: usize = 3;
/// The longest result, in bytes.
const MAX_RESULT: usize = 8 << 20;

/// A flow.
#[derive(Debug, Default)]
pub struct Flow {
    nodes: Vec<FlowNode>,
    /// The template of the output, if the file has one.
    pub output: Option<ValueTemplate>,
}

impl Flow {
    /// Reads the map under `flow`; errors go to the reader.
    pub(super) fn read(entry: &Entry, reader: &mut Reader<'_>) -> Option<Self> {
        read::read(entry, reader)
    }

    /// The nodes, in the order of the file.
    pub fn nodes(&self) -> &[FlowNode] {
        &self.nodes
    }

    /// The node of that name.
    pub fn node(&self, id: &str) -> Option<&FlowNode> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// The nodes that need `node`.
    pub fn dependents(&self, node: &FlowNode) -> impl Iterator<Item = &FlowNode> {
        let needs = |other: &&FlowNode| other.needs.iter().any(|need| need.node == node.id);
        self.nodes.iter().filter(needs)
    }

    /// Returns true if the flow goes on after a failure of `node`: it reads its error, or every node
    /// that needs it says that it runs without it, too.
    pub fn tolerates(&self, node: &FlowNode) -> bool {
        let needs = self.nodes.iter().flat_map(|other| &other.needs);
        let mut needs = needs.filter(|need| need.node == node.id).peekable();
        node.keeps_error || (needs.peek().is_some() && needs.all(|need| need.may_fail))
    }

    /// Renders the output of a run of `tool`, whose flow this is: the value of `output` with the
    /// parameters and all results as variables. Without `output`, the last result that is not empty.
    ///
    /// # Errors
    ///
    /// The template fails.
    pub fn output(
        &self,
        tool: &Definition,
        variables: &Map<String, Value>,
    ) -> Result<Value, Box<Diagnostic>> {
        if let Some(output) = &self.output {
            return output.evaluate(&TemplateScope::of(&tool.text), variables);
        }
        let mut values = self.nodes.iter().rev();
        let last = values.find_map(|node| {
            let value = variables.get(&node.id).filter(|_| !node.is_router());
            value.filter(|value| !is_empty(value))
        });
        Ok(last.cloned().unwrap_or_default())
    }

    /// Returns the nodes without one of which the output `value` says nothing: all of them, unless
    /// it tests each of them and is not empty.
    pub fn sources_of_output(&self, text: &Text, value: &Value) -> Vec<&str> {
        let Some(output) = &self.output else {
            let nodes = self.nodes.iter().filter(|node| !node.is_router());
            let nodes = nodes.map(|node| node.id.as_str());
            return nodes.filter(|_| is_empty(value)).collect();
        };
        let mut guards = true;
        let mut names = Vec::new();
        for template in output.templates() {
            let source = TemplateSource::inline(template, text);
            let reads = njk::analyse(source.source()).map(|found| found.reads);
            for read in reads.unwrap_or_default() {
                if let Some(node) = self.node(&read.name) {
                    guards &= read.guarded;
                    names.push(node.id.as_str());
                }
            }
        }
        if guards && !is_empty(value) {
            names.clear();
        }
        names.dedup();
        names
    }

    /// The way of a run through its nodes, from the events of the run: a line for each node that has
    /// ended, with its state, or the code of its failure, and the tool that a capability led to.
    pub fn way(&self, events: &[String]) -> String {
        let events = events.iter().rev().map(|line| serde_json::from_str(line));
        let events: Vec<Value> = events.filter_map(Result::ok).collect();
        let mut way = String::new();
        for node in &self.nodes {
            // Counted branches are no state of the node.
            let is_own = |event: &&Value| {
                event["node"] == node.id.as_str() && event.get("branches").is_none()
            };
            let Some(event) = events.iter().find(is_own) else {
                continue;
            };
            let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
            let state = match &event["code"] {
                Value::Null => &event["state"],
                code => code,
            };
            // Writing to a string cannot fail.
            let _ = write!(way, "{} {}", node.id, text(state));
            if let Value::Object(route) = &event["route"] {
                let of = |key: &str| text(route.get(key).unwrap_or(&Value::Null));
                let _ = write!(way, " {} -> {}", of("capability"), of("tool"));
            }
            way.push('\n');
        }
        way
    }

    /// Returns true if a model is asked by a node itself.
    pub(super) fn asks_a_model(&self) -> bool {
        self.nodes.iter().any(FlowNode::asks_a_model)
    }

    /// Returns true if a node of it asks a person.
    pub fn asks_a_person(&self) -> bool {
        self.nodes.iter().any(|node| node.ask().is_some())
    }

    /// Runs a call of the tool whose flow this is. Where it waits for a person who can be asked, it
    /// goes on with the answer.
    pub(super) fn call(&self, call: ToolCall<'_>) -> Result<ToolOutput, RunError> {
        let ToolCall {
            tool,
            arguments,
            cx,
        } = call;
        let person = cx.call.person.as_ref();
        let mut task = FlowTask {
            tool: tool.name.to_string(),
            file: tool.text.path().to_path_buf(),
            digest: FlowTask::digest(tool),
            arguments,
            presets: Map::clone(&cx.call.presets),
            counted: BTreeMap::clone(&cx.call.counted),
            rules: cx.call.rules.as_deref().cloned(),
            has_person: person.is_some(),
            results: Map::new(),
            answers: BTreeMap::new(),
        };
        if let Some(paused) = &cx.call.paused {
            if (&paused.question.tool, &paused.digest) != (&task.tool, &task.digest) {
                let message = "the flow has changed since it asked a question";
                let diagnostic = Diagnostic::new(Code::InvalidTool, message);
                let diagnostic = diagnostic.with_subject(tool.name.as_str());
                return Err(Box::new(
                    diagnostic.hint("call it again, from its beginning"),
                ));
            }
            task.results.clone_from(&paused.results);
            task.answers.clone_from(&paused.answers);
        }
        let mut asked: Vec<String> = Vec::new();
        loop {
            let text = self.run(tool, &task, cx)?;
            let Some(person) = person else {
                return Ok(ToolOutput::new(text));
            };
            let paused = match json::read_own(text.as_bytes()) {
                Ok(FlowReport::Output(text)) => return Ok(ToolOutput::new(text)),
                Ok(FlowReport::Waiting { question, results }) => PausedFlow {
                    question: *question,
                    digest: task.digest.clone(),
                    results,
                    answers: task.answers.clone(),
                },
                Err(_) => return Err(CommandError::Report.diagnostic(tool.name.as_str())),
            };
            let node = &paused.question.node;
            asked.push(node.clone());
            let count = asked.iter().filter(|asked| *asked == node).count();
            let may_ask = count <= MAX_ANSWERS && !cx.cancel.is_cancelled();
            let answer = may_ask.then(|| person.ask(&paused, &cx.cancel)).flatten();
            let Some(answer) = answer else {
                return Err(Box::new(paused.question.unanswered()));
            };
            task.results = paused.results;
            task.answers.insert(paused.question.node, answer);
        }
    }

    /// Runs the nodes of `task` that have not run, and returns what the program prints.
    fn run(&self, tool: &Definition, task: &FlowTask, cx: &Context) -> Result<String, RunError> {
        let lines = node_events(cx, self.nodes.len());
        let args = &ARGS[..if lines.is_some() { 4 } else { 3 }];
        let program = OwnProgram {
            lines,
            ..OwnProgram::with_agents(args, task, tool.timeout, MAX_RESULT)
        };
        let output = program.run(tool.name.as_str(), cx);
        let output = output.map_err(|failure| tool_failure(failure, cx))?;
        Ok(String::from_utf8_lossy(&output).into_owned())
    }

    /// Finds the reason why every run would fail.
    pub(super) fn check(&self, scope: &TemplateScope<'_>) -> Result<(), RunError> {
        let nodes = self.nodes.iter();
        let templates = nodes.flat_map(|node| node.templates().into_iter().chain(&node.until));
        let output = self.output.iter().flat_map(ValueTemplate::templates);
        let mut templates = templates.chain(output);
        templates.try_for_each(|template: &Template| template.check(scope))?;
        let mut agents = self.nodes.iter().filter_map(|node| node.kind.agent());
        agents.try_for_each(|node| node.agent.check(scope))
    }

    /// Returns all templates, in the file `text`.
    pub fn sources(&self, text: &Text) -> Vec<FlowTemplate<'_>> {
        let mut found = Vec::new();
        let mut add = |node, is_check, source| {
            found.push(FlowTemplate {
                node,
                is_check,
                source,
            });
        };
        for node in &self.nodes {
            let sources = node.sources(text).into_iter();
            sources.for_each(|source| add(Some(node), false, source));
            for check in &node.until {
                add(Some(node), true, TemplateSource::inline(check, text));
            }
        }
        for template in self.output.iter().flat_map(ValueTemplate::templates) {
            add(None, false, TemplateSource::inline(template, text));
        }
        found
    }

    /// Draws the graph as a Mermaid diagram, which Markdown viewers show. A need that is optional is a dotted arrow.
    pub fn mermaid(&self) -> String {
        let mut text = "flowchart TD\n".to_owned();
        for node in &self.nodes {
            let (open, close) = shape(node);
            let (id, kind) = (&node.id, node.kind());
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    {id}{open}\"{id}: {kind}\"{close}");
        }
        for node in &self.nodes {
            for need in &node.needs {
                let arrow = if need.is_optional { "-.->" } else { "-->" };
                let _ = writeln!(text, "    {} {arrow} {}", need.node, node.id);
            }
        }
        text
    }
}

/// Returns what encloses the label: a rhombus for what chooses, a rounded box for what asks a model.
fn shape(node: &FlowNode) -> (&'static str, &'static str) {
    match node.kind() {
        _ if node.is_router() => ("{", "}"),
        "agent" => ("([", "])"),
        "ask" => ("[/", "/]"),
        _ => ("[", "]"),
    }
}

/// Passes the events of a flow with `total` nodes on, and makes a progress update of each node that
/// has ended.
fn node_events(cx: &Context, total: usize) -> Option<LineSink> {
    let (progress, events) = (cx.call.progress.clone(), cx.call.events.clone());
    if progress.is_none() && events.is_none() {
        return None;
    }
    let count = AtomicU32::new(0);
    let total = u32::try_from(total).ok().map(f64::from);
    Some(LineSink::new(move |line| {
        let event: Value = serde_json::from_str(line).unwrap_or_default();
        let text = |key: &str| event.get(key).and_then(Value::as_str);
        let (Some(node), Some(state)) = (text("node"), text("state")) else {
            return;
        };
        if let Some(events) = &events {
            events.pass(line);
        }
        let has_ended = ["succeeded", "failed", "skipped"].contains(&state);
        // Items of a list and nodes of other flows are not nodes.
        if let Some(progress) = progress
            .as_ref()
            .filter(|_| has_ended && !node.contains(['.', '/']))
        {
            let message = printable(&format!("{node} {state}"));
            update(progress, &count, total, message);
        }
    }))
}

/// Returns true if a result says nothing.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

type Problems = Vec<(FlowError, Location)>;

/// Links the `nodes` of a flow with these parameters, in the file `text`, and returns the errors of
/// its edges, each with its place.
fn link(
    nodes: &mut [FlowNode],
    output: Option<&ValueTemplate>,
    parameters: &[&str],
    text: &Text,
) -> Problems {
    let ids: BTreeSet<String> = nodes.iter().map(|node| node.id.clone()).collect();
    let mut linker = Linker {
        ids: &ids,
        parameters,
        text,
        problems: Vec::new(),
    };
    for node in nodes.iter_mut() {
        if parameters.contains(&node.id.as_str()) {
            linker.report(
                FlowError::Parameter(node.id.clone()),
                text.location(node.span),
            );
        }
        node.needs = linker.needs(node);
    }
    let output = output.map_or_else(Vec::new, ValueTemplate::templates);
    let mut mentions = Vec::new();
    for template in output {
        mentions.extend(linker.mentions(&TemplateSource::inline(template, text), &[]));
    }
    let needs = nodes.iter().flat_map(|node| &node.needs).chain(&mentions);
    let needs = needs.filter(|need| need.reads_error);
    let keeps_error: BTreeSet<String> = needs.map(|need| need.node.clone()).collect();
    let chosen = linker.choices(nodes);
    let mut problems = linker.problems;
    for node in nodes.iter_mut() {
        let routers = chosen.get(&node.id).into_iter().flatten();
        node.routers = routers.cloned().collect();
        node.keeps_error = keeps_error.contains(&node.id);
        let is_optional = node.routers.len() > 1;
        for router in node.routers.clone() {
            let need = FlowNeed {
                node: router,
                is_optional,
                may_fail: false,
                reads_error: false,
            };
            add(&mut node.needs, need);
        }
        for need in &mut node.needs {
            let is_known = need.is_optional && keeps_error.contains(&need.node);
            need.may_fail |= need.reads_error || is_known;
        }
    }
    problems.extend(cycle(nodes).map(|(error, node)| (error, text.location(nodes[node].span))));
    problems
}

struct Linker<'l> {
    ids: &'l BTreeSet<String>,
    parameters: &'l [&'l str],
    text: &'l Text,
    problems: Problems,
}

impl Linker<'_> {
    fn report(&mut self, error: FlowError, location: Location) {
        self.problems.push((error, location));
    }

    /// Returns the nodes that `node` names and mentions.
    fn needs(&mut self, node: &FlowNode) -> Vec<FlowNeed> {
        let mut needs = Vec::new();
        for (need, span) in &node.named {
            if self.check_node(&need.node, *span) {
                add(&mut needs, need.clone());
            }
        }
        let text = self.text;
        let source = |template| TemplateSource::inline(template, text);
        let own = node.item_variable().into_iter();
        let own: Vec<&str> = own.flat_map(|item| [item, INDEX]).collect();
        let mut sources: Vec<TemplateSource> = node.templates().into_iter().map(source).collect();
        let agent = node.kind.agent();
        sources.extend(agent.map(|it| it.agent.sources(text)).unwrap_or_default());
        let mentions = sources
            .iter()
            .flat_map(|source| self.mentions(source, &own));
        let mut mentions: Vec<FlowNeed> = mentions.collect();
        let with_result: Vec<&str> = own.into_iter().chain([node.id.as_str()]).collect();
        for check in &node.until {
            mentions.extend(self.mentions(&source(check), &with_result));
        }
        for mention in mentions {
            // What is named is named for a reason.
            let is_named = node.named.iter().any(|(need, _)| need.node == mention.node);
            match needs.iter_mut().find(|need| need.node == mention.node) {
                Some(need) if is_named => need.reads_error |= mention.reads_error,
                _ if is_named => {}
                _ => add(&mut needs, mention),
            }
        }
        needs
    }

    /// Returns the nodes that a template mentions, which has the variables `own` besides.
    fn mentions(&mut self, source: &TemplateSource, own: &[&str]) -> Vec<FlowNeed> {
        // What does not compile is reported when the template is checked.
        let reads = njk::analyse(source.source()).map(|found| found.reads);
        let mut needs = Vec::new();
        for read in reads.unwrap_or_default() {
            let name = read.name.as_str();
            let is_node = self.ids.contains(name);
            // A node or a parameter keeps its name beside the number of an item.
            let is_own = own.contains(&name) && (name != INDEX || !is_node);
            if is_own || self.parameters.contains(&name) {
                continue;
            }
            if is_node {
                needs.push(FlowNeed {
                    reads_error: reads_error(source.source(), name),
                    node: read.name,
                    is_optional: read.guarded,
                    may_fail: false,
                });
                continue;
            }
            let known = self.ids.iter().map(String::as_str);
            let known = known
                .chain(self.parameters.iter().copied())
                .chain(own.iter().copied());
            let meant = Suggestion::of(name, known);
            let width = name.chars().count();
            let location = source.location(read.line, read.column, width);
            self.report(FlowError::UnknownVariable(read.name, meant), location);
        }
        needs
    }

    /// Returns the routers that choose each node.
    fn choices(&mut self, nodes: &[FlowNode]) -> BTreeMap<String, BTreeSet<String>> {
        let mut choices: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for node in nodes {
            for (target, span) in node.kind.targets() {
                if self.check_node(target, *span) {
                    let routers = choices.entry(target.clone()).or_default();
                    routers.insert(node.id.clone());
                }
            }
        }
        choices
    }

    /// Returns true if there is a node `id`, and reports it if not.
    fn check_node(&mut self, id: &str, span: Span) -> bool {
        let exists = self.ids.contains(id);
        if !exists {
            let meant = Suggestion::of(id, self.ids.iter().map(String::as_str));
            let location = self.text.location(span);
            self.report(FlowError::UnknownNode(id.to_owned(), meant), location);
        }
        exists
    }
}

/// Returns true if a template reads `NODE.error`.
fn reads_error(template: &str, node: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let path = format!("{node}.error");
    template.match_indices(&path).any(|(at, _)| {
        let before = template[..at].chars().next_back();
        let after = template[at + path.len()..].chars().next();
        !before.is_some_and(|c| is_name(c) || c == '.') && !after.is_some_and(is_name)
    })
}

/// Adds a need. What is needed twice is optional only if it is both times.
fn add(needs: &mut Vec<FlowNeed>, need: FlowNeed) {
    match needs.iter_mut().find(|other| other.node == need.node) {
        Some(other) => {
            other.is_optional &= need.is_optional;
            other.may_fail &= need.may_fail;
            other.reads_error |= need.reads_error;
        }
        None => needs.push(need),
    }
}

/// Finds nodes that need each other, and one of them.
fn cycle(nodes: &[FlowNode]) -> Option<(FlowError, usize)> {
    let ids = nodes.iter().map(|node| node.id.as_str());
    let index: BTreeMap<&str, usize> = ids.zip(0..).collect();
    let needs_of = |node: &FlowNode| {
        let needs = node.needs.iter();
        needs
            .filter_map(|need| index.get(need.node.as_str()).copied())
            .collect()
    };
    let needs: Vec<Vec<usize>> = nodes.iter().map(needs_of).collect();
    let path = find_cycle(&needs)?;
    let mut names: Vec<String> = path.iter().map(|node| nodes[*node].id.clone()).collect();
    names.extend(names.first().cloned());
    Some((FlowError::Cycle(names), *path.first()?))
}

/// Finds items that need each other, by index: each needs the next one, and the last one the first.
pub fn find_cycle(needs: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut open = vec![true; needs.len()];
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for (item, needs) in needs.iter().enumerate() {
            if open[item] && needs.iter().all(|need| !open[*need]) {
                open[item] = false;
                has_changed = true;
            }
        }
    }
    let mut path = vec![open.iter().position(|open| *open)?];
    loop {
        // An open item needs another open one, so there always is a next one.
        let next = needs[*path.last()?].iter().find(|need| open[**need])?;
        if let Some(first) = path.iter().position(|item| item == next) {
            return Some(path.split_off(first));
        }
        path.push(*next);
    }
}
