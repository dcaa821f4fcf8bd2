//! Nodes whose code calls tools. Their calls are in the session of the flow, so that a run that goes on
//! has the results of those that ended.

use std::collections::BTreeMap;

use cogtools_code::{Lines, Program, Recorded, Scope};
use cogtools_core::tool::{CodeTask, FlowNode, FlowTask};
use cogtools_core::{AskConfig, Cancel, Code, Diagnostic};
use cogtools_log::view::{NodeRun, Run};
use cogtools_log::{NodeEvent, NodeState, Session, SessionFile};
use cogtools_program::{Failure, Io, project};
use serde_json::Value;

use crate::recorder::first_lines;
use crate::show::node_of;
use crate::work::FlowWork;

impl FlowWork {
    /// Runs the code of `task` for the node or item `id`.
    pub(crate) fn run_code(
        &self,
        id: &str,
        node: &FlowNode,
        mut task: CodeTask,
        cancel: &Cancel,
    ) -> Result<Value, Box<Diagnostic>> {
        task.timeout = node.timeout.unwrap_or(task.timeout);
        let tape = self.tape_of(id)?;
        let mut cx = self.context(id, tape.as_ref(), cancel);
        cx.call.is_in_flow = true;
        let run = &self.run;
        let scope = Scope::of_task(run.registry.clone(), cx, &run.rules, &task);
        self.count_branches(node, &task, &scope);
        let mut program = Program::of_task(task);
        id.clone_into(&mut program.name);
        if let Some(recorded) = run.programs.lock().remove(id) {
            program.go_on(recorded);
        }
        let mut session = run.recorder.has_session().then(|| run.recorder.clone());
        let lines = session.as_mut().map(|it| it as &mut dyn Lines);
        let report = program.run_unasked(&scope, lines);
        let (value, log) = report.value_and_log();
        let outcome = NodeEvent {
            logs: first_lines(log.iter().flat_map(|text| text.lines())),
            ..NodeEvent::default()
        };
        self.note(id, outcome);
        if report.errors.is_empty() {
            return Ok(value);
        }
        let mut failure = Diagnostic::merge(report.errors);
        failure.code = CodeTask::failure(failure.code);
        let code = node.js(run.tool.text());
        let place = failure.location.take().zip(code);
        failure.location = place.map(|(at, code)| code.location(at.line, at.column, 1));
        Err(failure)
    }

    /// Runs the code that counts the branches of `task`, if the test of an example wants to know
    /// them and answers for all tools.
    fn count_branches(&self, node: &FlowNode, task: &CodeTask, scope: &Scope) {
        let Some(code) = self.run.counted.get(&node.id) else {
            return;
        };
        let mut tools = task.tools.iter();
        if tools.all(|name| task.presets.contains_key(name)) {
            let task = CodeTask {
                code: code.clone(),
                ..task.clone()
            };
            let report = Program::of_task(task).run_unasked(scope, None);
            let (branches, _) = report.value_and_log();
            let line = FlowTask::counted_branches(&node.id, &branches);
            self.run.recorder.pass(&line);
        }
    }
}

/// The rules of the user for calls of tools.
pub(crate) fn rules(io: &Io<'_>) -> Result<AskConfig, Failure> {
    Ok(project::config(&project::project(io), io)?.ask.clone())
}

/// The programs that nodes of `run` were, of those that have code and have not succeeded.
pub(crate) fn programs(
    run: &Run<'_>,
    has_code: impl Fn(&str) -> bool,
    (session, file): (&Session, &SessionFile),
) -> Result<BTreeMap<String, Recorded>, Box<Diagnostic>> {
    // Errors of items that their list has kept are results.
    let is_done = |id: &str| run.node(node_of(id)).is_some_and(NodeRun::has_result);
    let nodes = run.nodes.values().filter(|node| {
        let is_left = node.is_open() || matches!(node.state, NodeState::Failed { .. });
        is_left && has_code(node.id) && !is_done(node.id)
    });
    let programs = nodes.filter_map(|node| {
        match Recorded::read(session, &file.blobs(), Some(node.id)) {
            // It had not begun.
            Err(error) if error.code == Code::SessionNotFound => None,
            read => Some(read.map(|program| (node.id.to_owned(), program))),
        }
    });
    programs.collect()
}
