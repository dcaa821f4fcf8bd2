//! The question before anything runs that others have written, and the only way to
//! run a tool.

use std::fmt::{self, Display, Formatter};

use super::package::ToolPackage;
use crate::digest::DigestError;
use crate::hint::{Command, Hint};
use crate::tool::{Accepted, Author, RunError};
use crate::trust::{Grant, RecordError, Verdict};
use crate::{Code, Context, Diagnostic, Tool, ToolOutput};

/// A tool that may run: nothing else makes one but [`approve`].
#[derive(Debug)]
pub struct Approved<'t> {
    tool: &'t Tool,
}

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
    Content(#[from] DigestError),
}

/// What has to be allowed before `tool` may run, and what it comes from, in words;
/// nothing for templates and for what the project itself has written.
fn grant(tool: &Tool, cx: &Context) -> Result<Option<(Grant, Origin)>, DigestError> {
    if let Some(package) = ToolPackage::of(tool) {
        let grant = package.grant()?;
        let (noun, name) = ("package", package.name);
        return Ok(Some((grant, Origin { noun, name })));
    }
    let provenance = tool.provenance();
    if provenance.author != Author::Provider {
        return Ok(None);
    }
    let (noun, name) = ("provider", provenance.source.clone());
    let grant = tool.handler().grant(cx);
    Ok(grant.map(|grant| (grant, Origin { noun, name })))
}

/// Lets `tool` run if the user has allowed what it needs.
pub fn approve<'t>(tool: &'t Tool, cx: &Context) -> Result<Approved<'t>, Box<Diagnostic>> {
    let asked = ask(tool, cx).map(|()| Approved { tool });
    asked.map_err(|refusal| {
        let diagnostic = match &refusal {
            Refusal::Unknown(origin) | Refusal::Changed(origin) => {
                let before = "only the user can allow it, after a look at what it runs: ";
                let command = Command::Trust(origin.name.clone());
                let diagnostic = Diagnostic::new(Code::Denied, refusal.to_string());
                diagnostic.hint(Hint::run(before, command, ""))
            }
            Refusal::Record(error) => error.diagnostic(),
            Refusal::Content(error) => error.diagnostic(),
        };
        Box::new(diagnostic.with_subject(tool.name().as_str()))
    })
}

impl Approved<'_> {
    /// Runs the tool and returns its answer, which is what its `output` says. Only a
    /// tool that runs programs looks at what is `cx` it.
    pub fn run(self, arguments: Accepted, cx: &Context) -> Result<ToolOutput, RunError> {
        let Self { tool } = self;
        let answer = tool.handler().call(tool, arguments.into_object(), cx)?;
        tool.output().validate(answer).map_err(|mut diagnostic| {
            tool.name().as_str().clone_into(&mut diagnostic.subject);
            diagnostic
        })
    }
}

fn ask(tool: &Tool, cx: &Context) -> Result<(), Refusal> {
    let Some((grant, origin)) = grant(tool, cx)? else {
        return Ok(());
    };
    match cx.trust.verdict(&grant)? {
        Verdict::Allowed => Ok(()),
        Verdict::Changed => Err(Refusal::Changed(origin)),
        Verdict::NotApproved => Err(Refusal::Unknown(origin)),
    }
}

impl Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.noun, self.name)
    }
}
