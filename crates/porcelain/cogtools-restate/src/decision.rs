//! Decisions of a person about a node that waits: a pair of promises for each stop, one with the
//! reason, one with the decision.

use cogtools_core::Code;
use restate_sdk::prelude::*;

use crate::request::{Decision, Problem, Resume, Waiting};
use crate::workflow::refuse;

/// The longest answer, in bytes: it becomes an argument of a program.
const MAX_ANSWER: usize = 64 << 10;

/// Waits for a decision about `waiting`, the `stop`th of its node, from 1.
pub(crate) async fn wait(
    ctx: &SharedWorkflowContext<'_>,
    waiting: Waiting,
    stop: u32,
) -> Result<Decision, TerminalError> {
    let [reason, decision] = keys(&waiting.node, stop);
    ctx.resolve_promise(&reason, Json(waiting));
    let Json(decision) = ctx.promise(&decision).await?;
    Ok(decision)
}

/// Finds the wait of `node`, and the number of the stop. `None` if it does not wait.
pub(crate) async fn find(
    ctx: &SharedWorkflowContext<'_>,
    node: &str,
) -> Result<Option<(Waiting, u32)>, TerminalError> {
    for stop in 1.. {
        let [reason, decision] = keys(node, stop);
        let Some(Json(waiting)) = ctx.peek_promise(&reason).await? else {
            break;
        };
        let decided: Option<Json<Decision>> = ctx.peek_promise(&decision).await?;
        if decided.is_none() {
            return Ok(Some((waiting, stop)));
        }
    }
    Ok(None)
}

/// Lets a node go on.
pub(crate) async fn resume(
    ctx: &SharedWorkflowContext<'_>,
    resume: Resume,
) -> Result<(), TerminalError> {
    let Some((waiting, stop)) = find(ctx, &resume.node).await? else {
        let problem = Problem::new(Code::Usage, "this node does not wait").of(&resume.node);
        return Err(refuse(404, &problem));
    };
    if let Some(message) = misfit(&waiting, &resume.with) {
        let problem = Problem::new(Code::Usage, message).of(&resume.node);
        return Err(refuse(400, &problem));
    }
    let [_, decision] = keys(&resume.node, stop);
    ctx.resolve_promise(&decision, Json(resume.with));
    Ok(())
}

/// Why `decision` is none about `waiting`.
fn misfit(waiting: &Waiting, decision: &Decision) -> Option<&'static str> {
    match (&waiting.question, decision) {
        (Some(_), Decision::Answer(text)) if text.len() > MAX_ANSWER => {
            Some("the answer is longer than 64 KiB")
        }
        (Some(_), Decision::Answer(text)) if text.contains('\0') => {
            Some("the answer has a null character")
        }
        (Some(_), Decision::Answer(_)) | (None, Decision::Repeat | Decision::Result(_)) => None,
        (Some(_), _) => Some("this node asks, and only an answer lets it go on"),
        (None, _) => Some("this node was interrupted, and asks nothing"),
    }
}

/// The names of the promises of the `stop`th stop of `node`.
fn keys(node: &str, stop: u32) -> [String; 2] {
    ["waits", "goes on"].map(|what| format!("{node} {what} {stop}"))
}
