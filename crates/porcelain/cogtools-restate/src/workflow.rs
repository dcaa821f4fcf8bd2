//! The workflow that Restate calls: a run of a flow, its nodes, and what people decide.
//!
//! A handler that is interrupted is called again, perhaps on another worker, with the journal of
//! what it has done. So nothing here depends on anything but its input and the journal, except
//! what happens within `ctx.run`.

use cogtools_core::{Code, Name};
use restate_sdk::context::RequestTarget;
use restate_sdk::prelude::*;
use serde_json::Value;

use crate::attempt::attempt;
use crate::decision;
use crate::programs::Programs;
use crate::request::{
    AttemptTask, Decision, NodeEnd, NodeTask, Problem, Resume, RunRequest, Shown, Waiting,
};
use crate::walk::walk;

/// The name of the workflow.
pub(crate) const NAME: &str = "cogtools";
/// The state with the names of the nodes.
const NODES: &str = "nodes";
/// The state with the request that the run began with.
const REQUEST: &str = "request";

/// The work of a worker.
#[derive(Debug)]
pub(crate) struct Flows(pub(crate) Programs);

#[restate_sdk::workflow(name = "cogtools", client_visibility = "pub(crate)")]
impl Flows {
    /// Runs a flow, and returns its output.
    #[handler]
    async fn run(
        &self,
        ctx: WorkflowContext<'_>,
        Json(request): Json<RunRequest>,
    ) -> HandlerResult<Json<Value>> {
        let invalid = |error: &dyn std::fmt::Display| {
            let problem = Problem::new(Code::Usage, error.to_string());
            refuse(400, &problem.of(&request.flow))
        };
        refuse_page(ctx.headers())?;
        ctx.set(REQUEST, Json(request.clone()));
        // A path would reach files outside the project.
        Name::new(&request.flow).map_err(|error| invalid(&error))?;
        let (programs, flow) = (self.0.clone(), request.flow.clone());
        let show = move || async move { Ok(Json(programs.show(&flow, &[]).await?)) };
        let Json(shown) = ctx.run(show).name("graph").await?;
        let shown: Shown = shown.map_err(|problem| refuse(500, &problem))?;
        check(&request, &shown)?;
        let ids: Vec<String> = shown.nodes.iter().map(|node| node.id.clone()).collect();
        if let Some(id) = ids.iter().find(|id| request.arguments.contains_key(*id)) {
            return Err(invalid(&format!("`{id}` is a node, not a parameter")).into());
        }
        ctx.set(NODES, Json(ids));
        let results = walk(&ctx, &self.0, &request, &shown).await?;
        if let Some(problem) = results.failure(&shown) {
            return Err(refuse(500, &problem).into());
        }
        let (programs, variables) = (self.0.clone(), results.with(&request.arguments));
        let output = move || async move {
            let RunRequest { flow, digest, .. } = request;
            Ok(Json(programs.output((&flow, &digest), &variables).await?))
        };
        let Json(output) = ctx.run(output).name("output").await?;
        Ok(Json(output.map_err(|problem| refuse(500, &problem))?))
    }

    /// Runs a node, as often as it says, and waits for a decision if it needs one.
    #[handler(ingress_private)]
    async fn node(
        &self,
        ctx: SharedWorkflowContext<'_>,
        Json(task): Json<NodeTask>,
    ) -> HandlerResult<Json<NodeEnd>> {
        let (mut number, mut stop, mut answer) = (1, 0, None);
        loop {
            let attempt = AttemptTask {
                task: task.clone(),
                number,
                answer: answer.clone(),
            };
            let target = RequestTarget::workflow(NAME, ctx.key(), "attempt");
            let Json(end) = ctx.request(target, Json(attempt)).call().await?;
            let question = match end {
                NodeEnd::Asks { question } => Some(question),
                NodeEnd::Interrupted => None,
                NodeEnd::Failed { problem } => {
                    let may_pass = task.retryable.contains(&problem.code);
                    let delay = task.node.retry.delay_after(number).filter(|_| may_pass);
                    let Some(delay) = delay else {
                        return Ok(Json(NodeEnd::Failed { problem }));
                    };
                    ctx.sleep(delay).await?;
                    number += 1;
                    continue;
                }
                end => return Ok(Json(end)),
            };
            stop += 1;
            let node = task.node.id.clone();
            match decision::wait(&ctx, Waiting { node, question }, stop).await? {
                Decision::Answer(text) => answer = Some(text),
                Decision::Repeat => {}
                Decision::Result(value) => return Ok(Json(NodeEnd::Succeeded { value })),
            }
        }
    }

    /// Runs a node once.
    #[handler(ingress_private, inactivity_timeout = "1 day")]
    async fn attempt(
        &self,
        ctx: SharedWorkflowContext<'_>,
        Json(task): Json<AttemptTask>,
    ) -> HandlerResult<Json<NodeEnd>> {
        Ok(Json(attempt(&ctx, &self.0, task).await?))
    }

    /// Lets a node go on that waits.
    #[handler]
    async fn resume(
        &self,
        ctx: SharedWorkflowContext<'_>,
        Json(resume): Json<Resume>,
    ) -> HandlerResult<()> {
        refuse_page(ctx.headers())?;
        Ok(decision::resume(&ctx, resume).await?)
    }

    /// The request that the run began with; none before it has begun.
    #[handler]
    async fn request(
        &self,
        ctx: SharedWorkflowContext<'_>,
    ) -> HandlerResult<Json<Option<RunRequest>>> {
        refuse_page(ctx.headers())?;
        let request: Option<Json<RunRequest>> = ctx.get(REQUEST).await?;
        Ok(Json(request.map(Json::into_inner)))
    }

    /// The nodes that wait for a person.
    #[handler]
    async fn waiting(&self, ctx: SharedWorkflowContext<'_>) -> HandlerResult<Json<Vec<Waiting>>> {
        let nodes: Option<Json<Vec<String>>> = ctx.get(NODES).await?;
        let mut all = Vec::new();
        for node in nodes.map(Json::into_inner).unwrap_or_default() {
            all.extend(
                decision::find(&ctx, &node)
                    .await?
                    .map(|(waiting, _)| waiting),
            );
        }
        Ok(Json(all))
    }
}

/// Fails if a page in a browser has sent the request: Restate answers every site.
fn refuse_page(headers: &HeaderMap) -> Result<(), TerminalError> {
    if headers.get("origin").is_none() {
        return Ok(());
    }
    let problem = Problem::new(Code::Denied, "pages in a browser run no flows");
    Err(refuse(403, &problem))
}

/// Fails unless this worker has the files with which the run was started.
fn check(request: &RunRequest, shown: &Shown) -> Result<(), TerminalError> {
    let message = if request.lock != shown.lock {
        "cogtools.lock on the worker differs from that with which the run was started"
    } else if request.digest != shown.digest {
        "the flow or its tools on the worker differ from those with which the run was started"
    } else {
        return Ok(());
    };
    let problem = Problem::new(Code::InvalidTool, message)
        .of(&request.flow)
        .hint("bring the same version of the project to all workers, and start the run again");
    Err(refuse(409, &problem))
}

/// An error that ends a run: `code` is a status of HTTP.
pub(crate) fn refuse(code: u16, problem: &Problem) -> TerminalError {
    TerminalError::new_with_code(code, problem.text())
}
