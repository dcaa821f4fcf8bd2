//! Approval checks before third-party code runs, and the only way to run a tool.

use std::fmt::{self, Display, Formatter};

use super::package::ToolPackage;
use super::private;
use crate::digest::DigestError;
use crate::hint::{Command, Hint};
use crate::store::StoreError;
use crate::tool::{Accepted, Author, RunError};
use crate::trust::{Grant, RecordError, Verdict};
use crate::{Code, Context, Diagnostic, Tool, ToolOutput};

/// A tool that may run: only [`approve`] creates one.
#[derive(Debug)]
pub struct Approved<'t> {
    tool: &'t Tool,
    /// The tool in the private copy of its package.
    copy: Option<Tool>,
}

/// What a tool comes from.
#[derive(Debug)]
struct SourceLabel {
    noun: &'static str,
    name: String,
}

/// Why a tool may not run.
#[derive(Debug, thiserror::Error)]
enum ApprovalError {
    #[error("it runs commands and comes from the {0}, which is not approved yet")]
    NotApproved(SourceLabel),
    #[error("it runs commands and comes from the {0}, which has changed since it was approved")]
    Changed(SourceLabel),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Content(#[from] DigestError),
    #[error(transparent)]
    Copy(#[from] StoreError),
}

/// The grant that `tool` needs before it may run, and where it comes from. Templates
/// and the project's own tools need none.
fn grant(tool: &Tool, cx: &Context) -> Result<Option<(Grant, SourceLabel)>, DigestError> {
    if let Some(package) = ToolPackage::of(tool) {
        let grant = package.grant()?;
        let (noun, name) = ("package", package.name);
        return Ok(Some((grant, SourceLabel { noun, name })));
    }
    let provenance = tool.provenance();
    if provenance.author != Author::Provider {
        return Ok(None);
    }
    let (noun, name) = ("provider", provenance.source.clone());
    let grant = tool.handler().grant(cx);
    Ok(grant.map(|grant| (grant, SourceLabel { noun, name })))
}

/// Lets `tool` run if the user has approved what it needs.
pub fn approve<'t>(tool: &'t Tool, cx: &Context) -> Result<Approved<'t>, Box<Diagnostic>> {
    let approved = check(tool, cx).map(|copy| Approved { tool, copy });
    approved.map_err(|error| {
        let diagnostic = match &error {
            ApprovalError::NotApproved(origin) | ApprovalError::Changed(origin) => {
                let before = "only the user can approve it, after reviewing what it runs: ";
                let command = Command::Trust(origin.name.clone());
                let diagnostic = Diagnostic::new(Code::Denied, error.to_string());
                diagnostic.hint(Hint::run(before, command, ""))
            }
            ApprovalError::Record(record) => record.diagnostic(),
            ApprovalError::Content(content) => content.diagnostic(),
            ApprovalError::Copy(copy) => copy.diagnostic(),
        };
        Box::new(diagnostic.with_subject(tool.name().as_str()))
    })
}

impl Approved<'_> {
    /// Runs the tool and returns its output, checked against its `output`. Only a tool
    /// that runs programs uses `cx`.
    pub fn run(self, arguments: Accepted, cx: &Context) -> Result<ToolOutput, RunError> {
        let Self { tool, copy } = self;
        let tool = copy.as_ref().unwrap_or(tool);
        let output = tool.handler().call(tool, arguments.into_object(), cx)?;
        tool.output().validate(output).map_err(|mut diagnostic| {
            tool.name().as_str().clone_into(&mut diagnostic.subject);
            diagnostic
        })
    }
}

/// Checks the approval of `tool`; a package's tool then runs from a private copy.
fn check(tool: &Tool, cx: &Context) -> Result<Option<Tool>, ApprovalError> {
    let Some((grant, origin)) = grant(tool, cx)? else {
        return Ok(None);
    };
    match cx.trust.verdict(&grant)? {
        Verdict::Approved => match ToolPackage::of(tool) {
            Some(package) => Ok(Some(private::tool(tool, &package, grant.hash, cx)?)),
            None => Ok(None),
        },
        Verdict::Changed => Err(ApprovalError::Changed(origin)),
        Verdict::NotApproved => Err(ApprovalError::NotApproved(origin)),
    }
}

impl Display for SourceLabel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.noun, self.name)
    }
}
