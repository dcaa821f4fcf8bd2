//! One attempt of a node, which has an effect at most once if it cannot run again by itself.
//!
//! Restate calls a handler again that was interrupted, and it repeats the step that has no result
//! yet. A node that is not repeatable has a step before that one, whose record names who began:
//! whoever finds the name of another has taken over, and does not run the node.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

use restate_sdk::prelude::*;

use crate::programs::Programs;
use crate::request::{NodeEnd, NodeTask};

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

/// Runs the node of `task` for the `number`th time, unless another call has begun to.
pub(crate) async fn attempt(
    ctx: &SharedWorkflowContext<'_>,
    programs: &Programs,
    task: &NodeTask,
    (name, number): (&CallName, u32),
    answer: Option<String>,
) -> Result<NodeEnd, TerminalError> {
    // What waits for its turn has not begun.
    let turn = programs.turn().await;
    let is_own = task.node.repeatable || {
        let own = name.0.clone();
        let begin = move || async move { Ok(own) };
        let began: String = ctx
            .run(begin)
            .name(format!("{}: begins", task.node.id))
            .await?;
        began == name.0
    };
    let (programs, task) = (programs.clone(), task.clone());
    let step = task.node.id.clone();
    let work = move || async move {
        if !is_own {
            return Ok(Json(NodeEnd::Interrupted));
        }
        Ok(Json(programs.node(&task, number, answer.as_deref()).await?))
    };
    let Json(end) = ctx.run(work).name(step).await?;
    drop(turn);
    Ok(end)
}
