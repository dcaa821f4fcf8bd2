//! What a flow and its nodes run, as digests.
//!
//! An engine that runs nodes on several machines must not mix the results of one version of a flow
//! with those of another. `show` prints the digests, `node` and `output` compare them.

use std::path::Path;

use clap::{Arg, ArgMatches};
use cogtools_core::tool::{Flow, FlowNode, FlowTask};
use cogtools_core::{Code, Diagnostic, FindError, Lock, Registry, Tool, digest};
use cogtools_program::{Failure, Io, named_file, project};
use serde_json::json;

/// The largest lock file that is read: 16 MiB.
const MAX_LOCK: usize = 16 << 20;
/// The option with an expected digest.
const OPTION: &str = "digest";

/// The digests of a flow.
pub(crate) struct Pins<'p> {
    tool: &'p Tool,
    registry: &'p Registry,
    /// That of its file, and that of the files that it names.
    own: [String; 2],
    /// That of `cogtools.lock`, if there is one.
    lock: Option<String>,
}

impl<'p> Pins<'p> {
    /// Those of `tool`, with the lock file of the project.
    pub(crate) fn new(
        tool: &'p Tool,
        registry: &'p Registry,
        io: &Io<'_>,
    ) -> Result<Self, Failure> {
        let (path, _) = project::project(io).resolve(Path::new(Lock::FILE));
        let lock = match path.symlink_metadata() {
            Ok(_) => {
                let bytes = named_file::read(&path, MAX_LOCK, io)?;
                Some(digest::bytes(&bytes).to_string())
            }
            Err(_) => None,
        };
        Ok(Self {
            own: [FlowTask::digest(tool), registry.content_digest(tool)],
            tool,
            registry,
            lock,
        })
    }

    /// The digest of `cogtools.lock`, if there is one.
    pub(crate) fn lock(&self) -> Option<&str> {
        self.lock.as_deref()
    }

    /// The digest of what `node` runs: the flow, its tool if the file names it, the lock file.
    ///
    /// # Errors
    ///
    /// The tool cannot be found, read, or is not the one in the lock file.
    pub(crate) fn node(&self, node: &FlowNode) -> Result<String, Failure> {
        let tool = node.tool().map(|name| self.registry.find(name)).transpose();
        let tool = tool.map_err(FindError::diagnostics)?;
        let called = tool.map(|tool| self.registry.content_digest(&tool));
        Ok(digest::value(&json!([self.own, self.lock, node.id, called])).to_string())
    }

    /// The digest of the flow with all of its nodes.
    pub(crate) fn flow(&self) -> String {
        let nodes = self.tool.flow().map(Flow::nodes).unwrap_or_default();
        let nodes: Vec<_> = nodes.iter().map(|node| self.node(node).ok()).collect();
        digest::value(&json!([self.own, self.lock, nodes])).to_string()
    }
}

/// The digest that something must have.
pub(crate) fn arg() -> Arg {
    Arg::new(OPTION)
        .long(OPTION)
        .value_name("DIGEST")
        .help("Fail unless this is the digest that `cogtools flow show --json` prints")
}

/// Fails if the command line has a digest, and it is not `actual`.
pub(crate) fn check(
    matches: &ArgMatches,
    subject: &str,
    actual: impl FnOnce() -> Result<String, Failure>,
) -> Result<(), Failure> {
    let Some(expected) = matches.get_one::<String>(OPTION) else {
        return Ok(());
    };
    if *expected == actual()? {
        return Ok(());
    }
    let message = "the flow, a tool of it or cogtools.lock is not the one that was expected";
    let diagnostic = Diagnostic::new(Code::InvalidTool, message).with_subject(subject);
    Err(diagnostic
        .hint("bring the files here to the version with which the run began")
        .into())
}
