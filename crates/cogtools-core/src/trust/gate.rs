//! The question before anything runs that others have written.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use super::{ContentError, Item, RecordError, Verdict};
use crate::hint::{Command, Hint};
use crate::implementation::Implementation;
use crate::source::{Author, packages};
use crate::{Code, Fault, Surroundings, Tool};

/// What a tool comes from.
#[derive(Debug)]
struct Origin {
    noun: &'static str,
    name: String,
}

/// Why a tool may not run.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("it runs commands and comes from the {0}, which is not allowed to do that yet")]
    Unknown(Origin),
    #[error(
        "it runs commands and comes from the {0}, which has changed since it was allowed to do that"
    )]
    Changed(Origin),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Content(#[from] ContentError),
}

/// What has to be allowed before `tool` may run, and what it comes from, in words;
/// nothing for templates and for what the project itself has written.
fn item(tool: &Tool, around: &Surroundings) -> Result<Option<(Item, Origin)>, ContentError> {
    if let Some((name, root)) = package_of(tool) {
        let item = Item::package(&name, &root)?;
        let noun = "package";
        return Ok(Some((item, Origin { noun, name })));
    }
    let provenance = tool.provenance();
    let provider = match (&provenance.author, tool.implementation()) {
        (Author::Provider, Implementation::Provider(provider, declared)) => {
            let name = provenance.source.clone();
            let item = provider.tool(declared.own_name(), declared.value(), around);
            let noun = "provider";
            Some((item, Origin { noun, name }))
        }
        _ => None,
    };
    Ok(provider)
}

/// The name and the folder of the package that `tool` comes from, if it runs
/// programs and comes from one, be it by a folder or a link that leads there.
pub(super) fn package_of(tool: &Tool) -> Option<(String, PathBuf)> {
    if !tool.implementation().runs_programs() {
        return None;
    }
    match &tool.provenance().author {
        Author::Package(root) => Some((tool.provenance().source.clone(), root.clone())),
        Author::Provider => None,
        Author::Project => packages::around(&tool.text().origin().canonicalize().ok()?),
    }
}

/// Refuses `tool` unless the user has allowed what it needs.
pub(crate) fn check(tool: &Tool, around: &Surroundings) -> Result<(), Box<Fault>> {
    ask(tool, around).map_err(|refusal| {
        let fault = match &refusal {
            Refusal::Unknown(origin) | Refusal::Changed(origin) => {
                let before = "only the user can allow it, after a look at what it runs: ";
                let command = Command::Trust(origin.name.clone());
                let fault = Fault::new(Code::Denied, refusal.to_string());
                fault.hint(Hint::run(before, command, ""))
            }
            Refusal::Record(error) => error.fault(),
            Refusal::Content(error) => error.fault(),
        };
        Box::new(fault.about(tool.name().as_str()))
    })
}

fn ask(tool: &Tool, around: &Surroundings) -> Result<(), Refusal> {
    let Some((item, origin)) = item(tool, around)? else {
        return Ok(());
    };
    match around.trust.verdict(&item)? {
        Verdict::Allowed => Ok(()),
        Verdict::Changed => Err(Refusal::Changed(origin)),
        Verdict::Unknown => Err(Refusal::Unknown(origin)),
    }
}

impl Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.noun, self.name)
    }
}
