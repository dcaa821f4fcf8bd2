//! The server's introduction for a client that connects: the text of the configuration, and the
//! tools that wait for the user's approval.
//!
//! Models read it, so it contains text of a project only if the user trusts it.

use cogtools_core::approval::{Kind, TrustableSource, may_wait, trustable_sources};
use cogtools_core::trust::Verdict;
use cogtools_core::{Config, Context};
use cogtools_program::project;
use cogtools_program::terminal::pluralize;

use crate::catalogue::Catalogue;

/// The introduction of a server.
#[derive(Debug, Default)]
pub(crate) struct Introduction {
    /// Its name for people.
    pub(crate) title: Option<String>,
    /// Instructions for models.
    pub(crate) instructions: Option<String>,
}

impl Introduction {
    /// Returns the introduction of the server of `catalogue`.
    pub(crate) fn of(catalogue: &Catalogue) -> Self {
        let introduction = catalogue.with_io(|io| {
            let project = project::project(io);
            let config = project::valid_config(&project, io).ok()?;
            let cx = project::context(io, &project, config.env_priority, config.bounds());
            let configured = text(&config, "instructions", &cx);
            // A client waits for it: tools are read only if one of them may need an approval.
            let waiting = may_wait(&config, &cx)
                .then(|| waiting(&trustable_sources(&config, &cx), &cx))
                .flatten();
            let parts: Vec<String> = configured.into_iter().chain(waiting).collect();
            Some(Self {
                title: text(&config, "title", &cx),
                instructions: (!parts.is_empty()).then(|| parts.join("\n\n")),
            })
        });
        introduction.unwrap_or_default()
    }
}

/// Returns the text that the configuration has for `key`, if the user has written it or trusts the
/// project.
fn text(config: &Config, key: &str, cx: &Context) -> Option<String> {
    let (text, is_users) = config.mcp_text(key)?;
    let is_trusted = || {
        let verdict = cx.trust.project_verdict(&cx.root);
        verdict.is_ok_and(|verdict| verdict == Verdict::Approved)
    };
    (is_users || is_trusted()).then(|| text.trim().to_owned())
}

/// Returns the instructions of a server whose `sources` require approval, if some wait for it.
fn waiting(sources: &[TrustableSource], cx: &Context) -> Option<String> {
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
