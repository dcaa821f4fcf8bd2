//! `cogtools flow show`: the graph of a flow, for the terminal, for documents or for programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use clap::Args;
use cogtools_code::Recorded;
use cogtools_core::tool::{Flow, FlowNode, FlowTask};
use cogtools_core::{Code, Diagnostic, FindError, Lock, Registry, Tool, digest};
use cogtools_log::NodeState;
use cogtools_log::view::{NodeRun, Run};
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::registry_and_context;
use cogtools_program::{Failure, Io, named_file, project};
use serde_json::{Value, json};

use crate::inputs::{self, FlowArg};
use crate::picture;
use crate::work::{RETRYABLE, graph_node};

/// Draw the graph of a flow
#[derive(Args)]
#[group(skip)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    flow: FlowArg,
    /// Arguments to check, which are printed as well; KEY:=JSON passes any value
    #[arg(value_name = "KEY=VALUE", requires = "json")]
    arguments: Vec<String>,
    /// Print a Mermaid diagram for Markdown
    #[arg(long, group = "form")]
    mermaid: bool,
    /// Print a picture
    #[arg(long, group = "form")]
    svg: bool,
    /// Print the graph as JSON
    #[arg(long, group = "form")]
    json: bool,
    #[command(flatten)]
    registry: RegistryArgs,
}

impl ShowArgs {
    /// Shows the flow that the command line names.
    pub(crate) fn run(&self, io: &mut Io<'_>) -> Result<(), Failure> {
        let (registry, _) = registry_and_context(&self.registry, io, None)?;
        let tool = inputs::find(&self.flow.flow, &registry, io)?;
        let Some(flow) = tool.flow() else {
            return Ok(());
        };
        if self.json {
            let pins = Pins::new(&tool, &registry, io)?;
            let mut graph = json(tool.name().as_str(), flow, &pins, &registry);
            if !self.arguments.is_empty() {
                graph["arguments"] = inputs::read(&self.arguments, &tool)?.into();
            }
            return io.show_json(&format!("{graph}\n"));
        }
        if self.svg {
            return io.print(picture::draw(flow).as_bytes());
        }
        let text = if self.mermaid {
            flow.mermaid()
        } else {
            let rows = rows(flow).into_iter();
            rows.map(|(_, row)| row + "\n").collect()
        };
        io.show(&text)
    }
}

/// All that an engine needs that runs the nodes itself.
fn json(name: &str, flow: &Flow, pins: &Pins<'_>, registry: &Registry) -> Value {
    let mut repeatable = Repeatable::new(registry);
    let nodes = flow.nodes().iter().map(|node| {
        let needs = node.needs.iter();
        let needs = needs.map(|need| {
            let is_optional = need.is_optional || need.reads_error;
            let mut need_json = json!({"node": need.node, "optional": is_optional});
            for (key, is) in [("error", need.reads_error), ("may_fail", need.may_fail)] {
                if is {
                    need_json[key] = true.into();
                }
            }
            need_json
        });
        let of_graph = graph_node(node);
        json!({
            "id": node.id,
            "kind": node.kind(),
            "needs": needs.collect::<Vec<_>>(),
            "tool": node.tool(),
            "among": node.among(),
            "to": node.targets(),
            "retry": of_graph.retry,
            "timeout": of_graph.timeout.map(|timeout| timeout.as_secs_f64()),
            "pure": node.is_pure(),
            "repeatable": repeatable.node(node),
            "digest": pins.node(node).ok(),
        })
    });
    let mut retryable = RETRYABLE.to_vec();
    if flow.nodes().iter().any(FlowNode::asks_a_model) {
        retryable.push(Code::ModelFailed);
    }
    json!({
        "flow": name,
        "digest": pins.flow(),
        "lock": pins.lock(),
        "retryable": retryable.into_iter().map(Code::name).collect::<Vec<_>>(),
        "nodes": nodes.collect::<Vec<_>>(),
    })
}

/// The depth to which nodes are indented; deeper ones stand in the same column.
const MAX_DEPTH: usize = 40;

/// A graph that is being drawn.
struct Tree<'f> {
    /// The nodes that need each node, in the order of the file, and whether they run without it.
    dependents: BTreeMap<&'f str, Vec<(&'f FlowNode, bool)>>,
    drawn: BTreeSet<&'f str>,
    rows: Vec<(Option<&'f str>, String)>,
}

/// A node that is to be drawn.
struct Branch<'f> {
    node: &'f FlowNode,
    /// The text to the left of it on its own line.
    head: String,
    /// The text to the left on the lines below it.
    rest: String,
}

/// Draws the graph of `flow`: a line for each node, with its name, and one more for each further need.
pub(crate) fn rows(flow: &Flow) -> Vec<(Option<&str>, String)> {
    let mut dependents: BTreeMap<&str, Vec<(&FlowNode, bool)>> = BTreeMap::new();
    for node in flow.nodes() {
        for need in &node.needs {
            let of_need = dependents.entry(&need.node).or_default();
            of_need.push((node, need.is_optional));
        }
    }
    let mut tree = Tree {
        dependents,
        drawn: BTreeSet::new(),
        rows: Vec::new(),
    };
    let roots = flow.nodes().iter().rev();
    let roots = roots.filter(|node| node.needs.is_empty());
    let root = |node| Branch {
        node,
        head: String::new(),
        rest: String::new(),
    };
    tree.grow(roots.map(root).collect());
    tree.rows
}

impl<'f> Tree<'f> {
    /// Draws the last of `branches` first. A flow can be deeper than the stack of a thread.
    fn grow(&mut self, mut branches: Vec<Branch<'f>>) {
        while let Some(Branch { node, head, rest }) = branches.pop() {
            let is_first = self.drawn.insert(&node.id);
            let below = self.dependents.get(node.id.as_str());
            let below = below.map_or(&[][..], Vec::as_slice);
            if !is_first {
                let mark = if below.is_empty() { "" } else { " (*)" };
                self.rows.push((None, format!("{head}{}{mark}", node.id)));
                continue;
            }
            self.rows
                .push((Some(&node.id), format!("{head}{}", label(node))));
            let last = below.len().saturating_sub(1);
            for (index, (dependent, is_optional)) in below.iter().enumerate().rev() {
                branches.push(branch(dependent, &rest, index == last, *is_optional));
            }
        }
    }
}

fn branch<'f>(node: &'f FlowNode, left: &str, is_last: bool, is_optional: bool) -> Branch<'f> {
    let corner = if is_last { '└' } else { '├' };
    let line = if is_optional { "╌╌" } else { "──" };
    let rest = if is_last { "    " } else { "│   " };
    let is_deep = left.chars().count() >= 4 * MAX_DEPTH;
    Branch {
        node,
        head: format!("{left}{corner}{line} "),
        rest: format!("{left}{}", if is_deep { "" } else { rest }),
    }
}

/// A node with its kind and its tools or targets.
fn label(node: &FlowNode) -> String {
    let tool = node.tool().into_iter();
    let uses: Vec<&str> = tool
        .chain(node.among().iter().map(String::as_str))
        .collect();
    let targets = node.targets();
    let mut label = format!("{}: {}", node.id, node.kind());
    if !uses.is_empty() {
        let _ = write!(label, " {}", uses.join(", "));
    }
    if !targets.is_empty() {
        let _ = write!(label, " -> {}", targets.join(", "));
    }
    label
}

/// The depth to which flows within flows are looked into; fewer than that may run.
const MAX_NESTING: usize = 8;

/// Finds out which nodes can run again.
pub(crate) struct Repeatable<'r> {
    registry: &'r Registry,
    /// Flows that were looked into, by their names.
    flows: BTreeMap<String, bool>,
}

impl<'r> Repeatable<'r> {
    pub(crate) const fn new(registry: &'r Registry) -> Self {
        Self {
            registry,
            flows: BTreeMap::new(),
        }
    }

    /// Returns true if `run`, of a node of `tool` or of an item of one, can go on without a decision of
    /// the user. The items of a list are nodes of their own in `all`, and so are the nodes of a flow
    /// that it calls. One with code goes on in `program`, or begins anew if it has failed: no call
    /// that may have had an effect is made twice.
    pub(crate) fn run(
        &mut self,
        run: &NodeRun<'_>,
        tool: &Tool,
        program: Option<&Recorded>,
        all: &Run<'_>,
    ) -> bool {
        if let Some(program) = program {
            return self.program(run, program);
        }
        let Some(node) = tool.flow().and_then(|flow| flow.node(node_of(run.id))) else {
            return true;
        };
        let is_list = node.kind() == "each" && !run.id.contains('.');
        // Code that has not begun has called nothing.
        let has_code = !node.code_tools().is_empty();
        let has_failed = matches!(run.state, NodeState::Failed { .. });
        let is_begun = run.is_open() || has_failed && self.has_effect_within(run, node, all);
        !is_begun || is_list || has_code || self.node(node)
    }

    /// Returns true if a node of the flow that `run`, of `node`, has called, may have had an effect.
    fn has_effect_within(&mut self, run: &NodeRun<'_>, node: &FlowNode, all: &Run<'_>) -> bool {
        let called = node.tool().and_then(|name| self.registry.find(name).ok());
        let Some(flow) = called.as_ref().and_then(|tool| tool.flow()) else {
            return false;
        };
        let is_begun =
            |inner: &&NodeRun<'_>| matches!(inner.state, NodeState::Started | NodeState::Succeeded);
        let ids = all.nodes.values().filter(is_begun).map(|inner| inner.id);
        let ids = ids.filter_map(|id| id.strip_prefix(run.id)?.strip_prefix('/'));
        let mut names = ids.map(|id| node_of(id.split('/').next().unwrap_or(id)));
        names.any(|name| flow.node(name).is_none_or(|node| !self.node(node)))
    }

    /// Returns true if `run` can go on in `program`, or begin anew if it has failed: no call that may
    /// have had an effect is made twice.
    pub(crate) fn program(&mut self, run: &NodeRun<'_>, program: &Recorded) -> bool {
        let mut calls = program.calls().filter(|call| call.may_have_run);
        calls.all(|call| {
            let tool = self.registry.find(call.tool).ok();
            (run.is_open() && call.has_ended) || tool.is_some_and(|tool| self.tool(&tool, 0))
        })
    }

    /// Returns true if running `node` again, or an item of it, does what the first run did: it calls no
    /// tool, or one that is a template, only reads, or is idempotent.
    pub(crate) fn node(&mut self, node: &FlowNode) -> bool {
        self.node_at(node, 0)
    }

    fn node_at(&mut self, node: &FlowNode, depth: usize) -> bool {
        if !node.calls_tools() {
            return true;
        }
        if !node.code_tools().is_empty() {
            let mut names = self.registry.select(node.code_tools()).into_iter();
            return names.all(|name| {
                let tool = self.registry.find(&name).ok();
                tool.is_some_and(|tool| self.tool(&tool, depth))
            });
        }
        let called = node.tool().and_then(|name| self.registry.find(name).ok());
        called.is_some_and(|tool| self.tool(&tool, depth))
    }

    /// Returns true if a call of `tool`, `depth` flows deep, can be made again.
    pub(crate) fn tool(&mut self, tool: &Tool, depth: usize) -> bool {
        let annotations = &tool.annotations;
        let is = |hint: Option<bool>| hint == Some(true);
        if is(annotations.read_only) || is(annotations.idempotent) {
            return true;
        }
        match tool.flow() {
            // A flow runs no programs itself; its nodes may.
            Some(flow) => self.flow(tool.name().as_str(), flow, depth),
            None => !tool.runs_programs(),
        }
    }

    fn flow(&mut self, name: &str, flow: &Flow, depth: usize) -> bool {
        if let Some(known) = self.flows.get(name) {
            return *known;
        }
        // What calls itself, or is too deep, does not run to its end anyway.
        self.flows.insert(name.to_owned(), false);
        let mut nodes = flow.nodes().iter();
        let found = depth < MAX_NESTING && nodes.all(|node| self.node_at(node, depth + 1));
        self.flows.insert(name.to_owned(), found);
        found
    }
}

/// The node of an item `NODE.INDEX`, or the node itself.
pub(crate) fn node_of(id: &str) -> &str {
    id.split_once('.').map_or(id, |(node, _)| node)
}

/// The largest lock file that is read: 16 MiB.
const MAX_LOCK: usize = 16 << 20;

/// The digests of a flow.
pub(crate) struct Pins<'p> {
    tool: &'p Tool,
    registry: &'p Registry,
    /// The digests of its file and of the files that it names.
    own: [String; 2],
    /// The digest of `cogtools.lock`, if there is one.
    lock: Option<String>,
}

impl<'p> Pins<'p> {
    /// The digests of `tool`, with the lock file of the project.
    pub(crate) fn new(
        tool: &'p Tool,
        registry: &'p Registry,
        io: &Io<'_>,
    ) -> Result<Self, Failure> {
        let (path, _) = project::project(io).resolve(Path::new(Lock::FILE));
        let lock = match path.symlink_metadata() {
            Ok(_) => {
                let bytes = named_file::read(&path, MAX_LOCK, io)?;
                Some(digest::bytes(&bytes).to_string())
            }
            Err(_) => None,
        };
        Ok(Self {
            own: [FlowTask::digest(tool), registry.content_digest(tool)],
            tool,
            registry,
            lock,
        })
    }

    /// The digest of `cogtools.lock`, if there is one.
    pub(crate) fn lock(&self) -> Option<&str> {
        self.lock.as_deref()
    }

    /// The digest of what `node` runs: the flow, its tool if the file names it, the lock file.
    ///
    /// # Errors
    ///
    /// The tool cannot be found, read, or is not the one in the lock file.
    pub(crate) fn node(&self, node: &FlowNode) -> Result<String, Failure> {
        let tool = node.tool().map(|name| self.registry.find(name)).transpose();
        let tool = tool.map_err(FindError::diagnostics)?;
        let called = tool.map(|tool| self.registry.content_digest(&tool));
        Ok(digest::value(&json!([self.own, self.lock, node.id, called])).to_string())
    }

    /// The digest of the flow with all of its nodes.
    pub(crate) fn flow(&self) -> String {
        let nodes = self.tool.flow().map(Flow::nodes).unwrap_or_default();
        let nodes: Vec<_> = nodes.iter().map(|node| self.node(node).ok()).collect();
        digest::value(&json!([self.own, self.lock, nodes])).to_string()
    }
}

/// The digest that a flow or a node must have.
#[derive(Args)]
#[group(skip)]
pub(crate) struct DigestArg {
    /// Fail unless this is the digest that `cogtools flow show --json` prints
    #[arg(long, value_name = "DIGEST")]
    digest: Option<String>,
}

impl DigestArg {
    /// Fails if the command line has a digest, and it is not `actual`.
    pub(crate) fn check(
        &self,
        subject: &str,
        actual: impl FnOnce() -> Result<String, Failure>,
    ) -> Result<(), Failure> {
        let Some(expected) = &self.digest else {
            return Ok(());
        };
        if *expected == actual()? {
            return Ok(());
        }
        let message = "the flow, a tool of it or cogtools.lock is not the one that was expected";
        let diagnostic = Diagnostic::new(Code::InvalidTool, message).with_subject(subject);
        Err(diagnostic
            .hint("bring the files here to the version with which the run began")
            .into())
    }
}
