//! The sandbox of a provider's programs.
//!
//! A provider that requires approval always has one, if only an empty one. An MCP server has the
//! network unless it says otherwise; its client, which is ours, is not confined, and starts the
//! server in the sandbox.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Provider, ProviderError, Server, Transport};
use crate::environment::Vars;
use crate::process::{Policy, Process};
use crate::sandbox::{Run, RunError, Sandbox};
use crate::{Context, digest};

impl Provider {
    /// What its programs may reach; `None` if they are not confined.
    pub fn effective_sandbox(&self, cx: &Context) -> Option<Sandbox> {
        let settings = &self.settings;
        let server = settings.server.as_ref();
        if server.is_some_and(|server| matches!(server.transport, Transport::Url(..))) {
            return None;
        }
        let declared = settings.sandbox.clone();
        let default = || self.requires_approval(cx).then(Sandbox::default);
        let sandbox = declared.or_else(default)?;
        Some(if server.is_some() {
            sandbox.with_network()
        } else {
            sandbox
        })
    }

    /// The sandbox of one run.
    pub(super) fn sandbox(&self, cx: &Context) -> Result<Option<Run>, ProviderError> {
        let sandbox = self.effective_sandbox(cx);
        let run = sandbox.map(|sandbox| Run::new(sandbox, cx)).transpose();
        run.map(Option::flatten)
            .map_err(|error| self.failed(&error))
    }

    /// `process` in the sandbox of `run`: `file` is its program, and `own` are its files.
    pub(super) fn confined(
        &self,
        process: Process,
        run: &Run,
        (file, own): (&Path, &[PathBuf]),
        variables: &mut Vars,
        cx: &Context,
    ) -> Result<Process, ProviderError> {
        run.add_to(variables);
        // They are approved with it, wherever they are.
        let directory = super::directory::directory(&self.settings, cx);
        let lines = self.settings.lines().into_iter().flatten();
        let named = lines.flat_map(|word| digest::referenced_files(&directory, word));
        let own: Vec<PathBuf> = own.iter().cloned().chain(named).collect();
        let failed = |error: RunError| self.failed(&error);
        let Some(server) = &self.settings.server else {
            let policy = run.policy(Some(file), &own, variables, cx);
            return Ok(run.apply(process, Some(policy.map_err(failed)?), cx));
        };
        let program = server.command().first().and_then(|program| {
            let path = variables.get(OsStr::new("PATH"));
            which::which_in(
                program,
                path,
                super::directory::directory(&self.settings, cx),
            )
            .ok()
        });
        let policy = run.policy(program.as_deref(), &own, variables, cx);
        let policy = policy.map_err(failed)?;
        if let Some(description) = variables.get_mut(OsStr::new(Server::VARIABLE)) {
            let text = description.to_string_lossy().into_owned();
            *description = with_policy(&text, &policy).into();
        }
        Ok(run.apply(process, None, cx))
    }

    fn failed(&self, error: &RunError) -> ProviderError {
        ProviderError::Sandbox(self.name(), Box::new(error.diagnostic("")))
    }
}

/// The description of a server, with the policy under which the client starts it.
fn with_policy(description: &str, policy: &Policy) -> String {
    let mut description: Value = serde_json::from_str(description).unwrap_or_default();
    description["sandbox"] = json!({
        "read": policy.read,
        "write": policy.write,
        "network": policy.network,
        "required": policy.required,
    });
    description.to_string()
}
