//! What the server says about itself when a client connects: whether tools wait for the
//! user's approval.
//!
//! Models read it, so it contains no text of the project.

use cogtools_core::Context;
use cogtools_core::approval::{Kind, TrustableSource};
use cogtools_core::trust::Verdict;
use cogtools_program::terminal::pluralize;

/// The instructions of a server whose `sources` require approval, if some wait for it.
pub(crate) fn waiting(sources: &[TrustableSource], cx: &Context) -> Option<String> {
    let (mut tools, mut providers, mut is_project) = (0, 0, true);
    for source in sources.iter().filter(|source| source.runs_something()) {
        if source
            .own_verdict(cx)
            .is_ok_and(|it| it == Verdict::Approved)
        {
            continue;
        }
        match &source.kind {
            Kind::Project { tools: own } => tools += own.len(),
            Kind::Package { tools: own, .. } => (tools, is_project) = (tools + own.len(), false),
            Kind::Provider(_) => (providers, is_project) = (providers + 1, false),
        }
    }
    let mut waiting = Vec::new();
    if tools > 0 {
        let verb = if tools == 1 { "runs" } else { "run" };
        let tools = pluralize(tools, "tool");
        waiting.push(format!(
            "{tools} of this project {verb} programs that the user has not approved, so calls are \
             denied."
        ));
    }
    if providers > 0 {
        let tools = pluralize(providers, "provider");
        waiting.push(format!(
            "{tools} of tools, which the user has not approved, cannot be listed."
        ));
    }
    if waiting.is_empty() {
        return None;
    }
    let command = if is_project {
        "cogtools trust ."
    } else {
        "cogtools trust"
    };
    waiting.push(format!(
        "Only the user can approve them, in a terminal, after a review: {command}"
    ));
    Some(waiting.join(" "))
}
