//! One attempt of a node, which has an effect at most once if it cannot run again by itself.
//!
//! Restate calls a handler again that was interrupted, and it repeats the step that has no result
//! yet. A node that is not repeatable has a step before that one, whose record names who began:
//! a call that finds the name of another has taken over, and does not run it. So nothing but its
//! end may interrupt a call between the two: Restate is not to suspend it while it has no news.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

use restate_sdk::prelude::*;

use crate::programs::Programs;
use crate::request::{AttemptTask, NodeEnd};

/// The name of one call of a handler: no other call has it, on no worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallName(String);

impl CallName {
    pub(crate) fn new() -> Self {
        // Each is keyed with random numbers of the system.
        let random = || RandomState::new().build_hasher().finish();
        Self(format!("{:016x}{:016x}", random(), random()))
    }
}

/// Runs a node once, unless another call has begun to.
pub(crate) async fn attempt(
    ctx: &SharedWorkflowContext<'_>,
    programs: &Programs,
    attempt: AttemptTask,
) -> Result<NodeEnd, TerminalError> {
    let name = CallName::new();
    let node = &attempt.task.node;
    // What waits for its turn has not begun.
    let turn = programs.turn().await;
    let is_own = node.repeatable || {
        let own = name.0.clone();
        let begin = move || async move { Ok(own) };
        let began: String = ctx.run(begin).name(format!("{}: begins", node.id)).await?;
        began == name.0
    };
    let (programs, step) = (programs.clone(), node.id.clone());
    let work = move || async move {
        if !is_own {
            return Ok(Json(NodeEnd::Interrupted));
        }
        Ok(Json(programs.node(&attempt).await?))
    };
    let Json(end) = ctx.run(work).name(step).await?;
    drop(turn);
    Ok(end)
}
