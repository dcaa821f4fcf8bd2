//! The question before anything runs that others have written.

use super::{ContentError, Item, RecordError, Verdict};
use crate::implementation::Implementation;
use crate::source::Author;
use crate::{Code, Fault, Surroundings, Tool};

/// Why a tool may not run.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("it runs commands and comes from the {0}, which is not allowed to do that yet")]
    Unknown(String),
    #[error(
        "it runs commands and comes from the {0}, which has changed since it was allowed to do that"
    )]
    Changed(String),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Content(#[from] ContentError),
}

/// What has to be allowed before `tool` may run; nothing for templates and for
/// what the project itself has written.
pub(crate) fn item(tool: &Tool, around: &Surroundings) -> Result<Option<Item>, ContentError> {
    if !tool.implementation().runs_programs() {
        return Ok(None);
    }
    let provenance = tool.provenance();
    match (&provenance.author, tool.implementation()) {
        (Author::Provider, Implementation::Provider(provider, declared)) => Ok(Some(
            provider.tool(declared.own_name(), declared.value(), around),
        )),
        (Author::Package(root), _) => Item::package(&provenance.source, root).map(Some),
        (Author::Project | Author::Provider, _) => Ok(None),
    }
}

/// Refuses `tool` unless the user has allowed what it needs.
pub(crate) fn check(tool: &Tool, around: &Surroundings) -> Result<(), Box<Fault>> {
    ask(tool, around).map_err(|refusal| {
        let source = &tool.provenance().source;
        let fault = match &refusal {
            Refusal::Unknown(_) | Refusal::Changed(_) => Fault::new(
                Code::Denied,
                refusal.to_string(),
            )
            .hint(format!(
                "only the user can allow it, after a look at what it runs: cogtools trust {source}"
            )),
            Refusal::Record(error) => error.fault(),
            Refusal::Content(error) => error.fault(),
        };
        Box::new(fault.about(tool.name().as_str()))
    })
}

fn ask(tool: &Tool, around: &Surroundings) -> Result<(), Refusal> {
    let Some(item) = item(tool, around)? else {
        return Ok(());
    };
    let source = &tool.provenance().source;
    let source = match tool.provenance().author {
        Author::Provider => format!("provider `{source}`"),
        _ => format!("package `{source}`"),
    };
    match around.trust.verdict(&item)? {
        Verdict::Allowed => Ok(()),
        Verdict::Changed => Err(Refusal::Changed(source)),
        Verdict::Unknown => Err(Refusal::Unknown(source)),
    }
}
