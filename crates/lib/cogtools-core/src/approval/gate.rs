//! Approval checks before a program runs, and the only way to run a tool.

use std::borrow::Borrow;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::approval::{self, ToolPackage};
use crate::digest::{DigestError, Hash};
use crate::filter::Pattern;
use crate::hint::{Command, Hint};
use crate::owner::Owners;
use crate::store::StoreError;
use crate::tool::{
    Accepted, AgentTask, Author, FlowWork, Http, Implementation, RunError, ToolCall,
};
use crate::trust::{Grant, RecordError, Verdict};
use crate::{CallRules, Code, Context, Diagnostic, Project, Tool, ToolOutput};

/// A tool that may run: only [`approve`] creates one. `T` is the tool, or a reference to it.
#[derive(Debug)]
pub struct Approved<T> {
    tool: T,
    /// The tool in the private copy of its package.
    copy: Option<Tool>,
}

/// Approval that a tool needs before it runs.
enum Requirement {
    /// Trust in the project in this folder.
    Project(PathBuf),
    /// Approval of the package.
    Package(ToolPackage, Grant),
    /// Approval of the provider's tool, or of the specification at a URL, which the noun says.
    Provider(&'static str, String, Grant),
}

/// Why a tool may not run.
#[derive(Debug, thiserror::Error)]
enum ApprovalError {
    #[error("it runs a program, and its project is not trusted yet")]
    ProjectNotTrusted { elsewhere: Option<PathBuf> },
    #[error(
        "it runs a program, and its project has another owner or origin than when it was trusted"
    )]
    ProjectChanged { elsewhere: Option<PathBuf> },
    #[error("it runs commands and comes from the {0} `{1}`, which is not approved yet")]
    NotApproved(&'static str, String),
    #[error("it runs commands, comes from the {0} `{1}`, and is not approved yet")]
    ToolNotApproved(&'static str, String),
    #[error(
        "it runs commands and comes from the {0} `{1}`, which has changed since it was approved"
    )]
    Changed(&'static str, String),
    #[error(
        "it runs commands and comes from the package `{0}`, which loads files of the project that were changed or added since it was approved"
    )]
    LoadedChanged(String),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Content(#[from] DigestError),
    #[error(transparent)]
    Copy(#[from] StoreError),
}

/// Lets `tool` run if the user has approved what it needs. A call decides that once, and keeps
/// the result until it runs.
///
/// # Errors
///
/// `DENIED` if something is not approved, or has changed since.
pub fn approve<T: Borrow<Tool>>(tool: T, cx: &Context) -> Result<Approved<T>, Box<Diagnostic>> {
    let named = tool.borrow();
    let copy = check(named, cx).and_then(|package| {
        let copy = package.map(|(package, hash)| approval::private_copy(named, &package, hash, cx));
        Ok(copy.transpose()?)
    });
    match copy {
        Ok(copy) => Ok(Approved { tool, copy }),
        Err(error) => {
            let mut diagnostic = error.diagnostic().with_subject(named.name().as_str());
            if named.request().is_some() {
                for what in ["it runs a program", "it runs commands"] {
                    diagnostic.message = diagnostic.message.replacen(what, "it makes requests", 1);
                }
            }
            Err(Box::new(diagnostic))
        }
    }
}

/// Lets the flow `caller` call `callee`, unless a rule of the user denies that, or wants an approval,
/// which a flow cannot ask for. A flow that is not approved calls nothing that needs no approval of
/// its own and runs a program: with the tools of the user, it would run them unasked.
///
/// # Errors
///
/// `DENIED`, in the name of the tool that a rule denies, else of the flow.
pub fn approve_call(caller: &Tool, callee: &Tool, cx: &Context) -> Result<(), Box<Diagnostic>> {
    if let Some(rules) = &cx.call.rules {
        check_rules(rules, callee)?;
    }
    let is_own = matches!(callee.provenance.author, Author::User | Author::BuiltIn);
    if !is_own || !callee.runs_programs() && callee.flow().is_none() {
        return Ok(());
    }
    let required = requirement_of_author(caller, cx).map_err(ApprovalError::from);
    required
        .and_then(|required| check_requirement(required, cx))
        .map(drop)
        .map_err(|error| Box::new(error.diagnostic().with_subject(caller.name().as_str())))
}

/// Fails if one of `rules` denies a call of `tool`, or wants to be asked about it.
fn check_rules(rules: &CallRules, tool: &Tool) -> Result<(), Box<Diagnostic>> {
    let name = tool.name().as_str();
    let find = |rules: &[String]| {
        let mut rules = rules.iter();
        let found = rules.find(|rule| Pattern::new(rule).matches(name));
        found.cloned()
    };
    let denied = |message: String| Diagnostic::new(Code::Denied, message).with_subject(name);
    if let Some(rule) = find(&rules.deny) {
        let message = format!("denied by a rule of the user: `{rule}`");
        return Err(denied(message).into());
    }
    let of_source = || tool.asks().then(|| "ask: true".to_owned());
    match find(&rules.ask).or_else(of_source) {
        Some(rule) if find(&rules.granted).is_none() => {
            let message =
                format!("the rule `{rule}` of the user wants an approval, and a flow cannot ask");
            let hint = format!("call `{name}` outside the flow, or allow it: --allow {name}");
            Err(denied(message).hint(hint).into())
        }
        _ => Ok(()),
    }
}

/// Predicts the result of [`approve`], without making a private copy.
///
/// # Errors
///
/// The record or the files of a package cannot be read.
pub fn verdict(tool: &Tool, cx: &Context) -> Result<Verdict, Box<Diagnostic>> {
    match check(tool, cx) {
        Ok(_) => Ok(Verdict::Approved),
        Err(
            ApprovalError::ProjectNotTrusted { .. }
            | ApprovalError::NotApproved(..)
            | ApprovalError::ToolNotApproved(..),
        ) => Ok(Verdict::NotApproved),
        Err(
            ApprovalError::ProjectChanged { .. }
            | ApprovalError::Changed(..)
            | ApprovalError::LoadedChanged(_),
        ) => Ok(Verdict::Changed),
        Err(error) => Err(Box::new(
            error.diagnostic().with_subject(tool.name().as_str()),
        )),
    }
}

impl<T: Borrow<Tool>> Approved<T> {
    /// The call of an agent with `arguments`, if the tool is one: for callers that run agents
    /// themselves. Its answer goes through [`Self::accept_answer`].
    pub fn agent(&self, arguments: &Accepted) -> Option<Result<AgentTask, RunError>> {
        let tool = self.tool();
        match tool.implementation() {
            Implementation::Agent(agent) => Some(agent.task(tool, arguments.as_object())),
            _ => None,
        }
    }

    /// The output of a tool whose agent has answered `text`, checked against its `output`.
    pub fn accept_answer(&self, text: String) -> Result<ToolOutput, RunError> {
        self.tool().validated(ToolOutput::new(text))
    }

    /// Returns the work of the node `id` with these variables, if the tool is a flow that has it.
    /// `attempt` counts from 1.
    ///
    /// # Errors
    ///
    /// There is no such node.
    pub fn work<'w>(
        &'w self,
        id: &str,
        variables: &'w Map<String, Value>,
        attempt: u32,
    ) -> Result<FlowWork<'w>, RunError> {
        let tool = self.tool();
        let node = tool.flow().and_then(|flow| flow.node(id));
        let node = node.ok_or_else(|| Diagnostic::new(Code::Internal, "no such node"))?;
        Ok(FlowWork::new(node, tool, variables, attempt))
    }

    /// Returns the tool that runs: of a package, its private copy.
    fn tool(&self) -> &Tool {
        self.copy.as_ref().unwrap_or(self.tool.borrow())
    }

    /// Runs the tool and returns its output, checked against its `output`. Only a tool
    /// that runs programs uses `cx`.
    pub fn run(self, arguments: Accepted, cx: &Context) -> Result<ToolOutput, RunError> {
        let tool = self.tool();
        let output = tool.implementation().call(ToolCall {
            tool,
            arguments: arguments.into_object(),
            cx,
        })?;
        tool.validated(output)
    }
}

/// Returns the approval that `tool` needs before it runs. Templates need nothing, and
/// neither do the user's own tools.
fn requirement(tool: &Tool, cx: &Context) -> Result<Option<Requirement>, DigestError> {
    let is_request = matches!(tool.implementation(), Implementation::Http(_));
    if !tool.runs_programs() || is_request && Http::is_recorded(cx) {
        return Ok(None);
    }
    requirement_of_author(tool, cx)
}

/// Returns the approval that `tool` needs if it runs programs.
fn requirement_of_author(tool: &Tool, cx: &Context) -> Result<Option<Requirement>, DigestError> {
    if let Some(package) = ToolPackage::of(tool) {
        let grant = package.grant()?;
        return Ok(Some(Requirement::Package(package, grant)));
    }
    let provenance = &tool.provenance;
    Ok(match provenance.author {
        Author::Project => Some(Requirement::Project(project_of(tool, cx))),
        Author::Provider => {
            let grant = tool.provided().map(|provided| provided.grant(cx));
            let grant = grant.or_else(|| provenance.grant.clone());
            let noun = match provenance.grant {
                Some(_) => "specification",
                None => "provider",
            };
            grant.map(|grant| Requirement::Provider(noun, provenance.source.clone(), grant))
        }
        Author::User | Author::BuiltIn | Author::Package(_) => None,
    })
}

/// The folder of the project that `tool` belongs to. A file that was named on a command
/// line may belong to another project than the current one, around it or within it.
fn project_of(tool: &Tool, cx: &Context) -> PathBuf {
    let (Ok(file), Ok(root)) = (tool.text().path().canonicalize(), cx.root.canonicalize()) else {
        return cx.root.clone();
    };
    let is_inside = file.starts_with(&root);
    if !tool.provenance.source.is_empty() {
        return cx.root.clone();
    }
    let project = Project::find(&file, None, &Owners::default());
    match project.root() {
        found if is_inside && (found == file || root.starts_with(found)) => cx.root.clone(),
        // Nothing marks a project.
        found if found == file => file.parent().unwrap_or(Path::new("/")).to_path_buf(),
        found => found.to_path_buf(),
    }
}

/// Checks that `tool` may run. For a tool of a package, returns the package and the hash
/// of its approved content.
fn check(tool: &Tool, cx: &Context) -> Result<Option<(ToolPackage, Hash)>, ApprovalError> {
    check_requirement(requirement(tool, cx)?, cx)
}

/// Checks that the user has approved what `requirement` says.
fn check_requirement(
    requirement: Option<Requirement>,
    cx: &Context,
) -> Result<Option<(ToolPackage, Hash)>, ApprovalError> {
    match requirement {
        None => Ok(None),
        Some(Requirement::Package(package, grant)) => check_package(package, &grant, cx).map(Some),
        Some(Requirement::Provider(noun, name, grant)) => match cx.trust.verdict(&grant)? {
            Verdict::Approved => Ok(None),
            Verdict::Changed => Err(ApprovalError::Changed(noun, name)),
            Verdict::NotApproved => Err(ApprovalError::ToolNotApproved(noun, name)),
        },
        Some(Requirement::Project(root)) => {
            let verdict = cx.trust.project_verdict(&root)?;
            let elsewhere = Some(root).filter(|root| *root != cx.root);
            match verdict {
                Verdict::Approved => Ok(None),
                Verdict::Changed => Err(ApprovalError::ProjectChanged { elsewhere }),
                Verdict::NotApproved => Err(ApprovalError::ProjectNotTrusted { elsewhere }),
            }
        }
    }
}

/// Checks that `package` is approved with the content of `grant`, and what it loads.
fn check_package(
    package: ToolPackage,
    grant: &Grant,
    cx: &Context,
) -> Result<(ToolPackage, Hash), ApprovalError> {
    match cx.trust.verdict(grant)? {
        Verdict::Approved => {}
        Verdict::Changed => return Err(ApprovalError::Changed("package", package.name)),
        Verdict::NotApproved => return Err(ApprovalError::NotApproved("package", package.name)),
    }
    match package.loaded_grant(cx)? {
        Some(loaded) if cx.trust.verdict(&loaded)? != Verdict::Approved => {
            Err(ApprovalError::LoadedChanged(package.name))
        }
        _ => Ok((package, grant.hash)),
    }
}

impl ApprovalError {
    fn diagnostic(&self) -> Diagnostic {
        let approve = |noun: &str, name: &str| {
            let before = "only the user can approve it, after reviewing what it runs: ";
            Hint::run(before, Command::trust(noun, name), "")
        };
        let hint = match self {
            Self::Record(record) => return record.diagnostic(),
            Self::Content(content) => return content.diagnostic(),
            Self::Copy(copy) => return copy.diagnostic(),
            Self::ProjectNotTrusted { elsewhere } | Self::ProjectChanged { elsewhere } => {
                Hint::run(
                    "only the user can trust it, after reviewing its tools: ",
                    Command::TrustProject(elsewhere.clone()),
                    "",
                )
            }
            Self::NotApproved(noun, name)
            | Self::ToolNotApproved(noun, name)
            | Self::Changed(noun, name) => approve(noun, name),
            Self::LoadedChanged(name) => approve("package", name),
        };
        Diagnostic::new(Code::Denied, self.to_string()).hint(hint)
    }
}
