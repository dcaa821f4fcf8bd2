//! A call of a tool that is a command: a program with arguments, a script, or a
//! provider's program.
//!
//! The program gets the arguments of the call as JSON on standard input, only the
//! variables that the tool declares, and the project's root as the working
//! directory. Its standard output is the result.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::error::CommandError;
use super::locate::ProgramSearch;
use super::progress;
use crate::Context;
use crate::containment::Boundary;
use crate::environment::Vars;
use crate::process::{Captured, Output, Process};
use crate::sandbox::{Run, Sandbox};
use crate::tool::{Author, RunError, Tool, ToolOutput};

/// One call of a tool that is a command.
pub(crate) struct CommandCall<'c> {
    tool: &'c Tool,
    cx: &'c Context,
    input: Vec<u8>,
}

impl<'c> CommandCall<'c> {
    /// A call of `tool` with `arguments`.
    pub(crate) fn new(tool: &'c Tool, arguments: &Map<String, Value>, cx: &'c Context) -> Self {
        // Serializing a map of JSON values cannot fail. A shell's `read` needs a line.
        let mut input = serde_json::to_vec(arguments).unwrap_or_default();
        input.push(b'\n');
        Self { tool, cx, input }
    }

    /// Runs `program` in the project, in its `sandbox`; its standard output is the result.
    pub(super) fn run(
        self,
        program: PathBuf,
        args: Vec<String>,
        mut variables: Vars,
        sandbox: Option<Run>,
    ) -> Result<ToolOutput, RunError> {
        if let Some(boundary) = self.tool.boundary() {
            let checked = boundary.check_program(&program);
            checked.map_err(|escape| self.escape(&escape))?;
        }
        let process = Process::new(&program, &self.cx.root).args(args);
        let process = match sandbox {
            None => process.confinement(self.cx.confinement()),
            Some(run) => {
                run.add_to(&mut variables);
                let own = self.own_files();
                let policy = run.policy(Some(&program), &own, &variables, self.cx);
                let policy = policy.map_err(|error| Box::new(error.diagnostic(self.name())))?;
                run.apply(process, Some(policy), self.cx)
            }
        };
        self.end(process.variables(variables), program)
    }

    /// The sandbox of the call, if it has one: a package's tool always does.
    pub(super) fn sandbox(&self) -> Result<Option<Run>, RunError> {
        let declared = self.tool.sandbox().cloned();
        let sandbox = match self.tool.boundary() {
            Some(_) => declared.or_else(|| Some(Sandbox::default())),
            None => declared,
        };
        let run = sandbox.map(|sandbox| Run::new(sandbox, self.cx));
        let run = run.transpose().map(Option::flatten);
        run.map_err(|error| Box::new(error.diagnostic(self.name())))
    }

    /// The folders with the files of the tool, or of its package.
    fn own_files(&self) -> Vec<PathBuf> {
        let package = self.tool.boundary().into_iter().flat_map(Boundary::folders);
        std::iter::once(self.folder()).chain(package).collect()
    }

    /// Runs `process`, which is `program`, and returns its result.
    pub(crate) fn end(
        mut self,
        process: Process,
        program: PathBuf,
    ) -> Result<ToolOutput, RunError> {
        let output = self.output(process, program)?;
        if !output.exit.is_success() {
            return Err(self.failed(&output));
        }
        result(output).map_err(|error| self.diagnostic(&error))
    }

    /// Runs `process`, which is `program`, until it exits, whatever its status.
    pub(crate) fn output(
        &mut self,
        process: Process,
        program: PathBuf,
    ) -> Result<Output, RunError> {
        process
            .input(std::mem::take(&mut self.input))
            .timeout(self.tool.timeout())
            .stderr_lines(progress::of_lines(self.cx))
            .run(&self.cx.cancel)
            .map_err(|error| self.diagnostic(&CommandError::Start(program, error)))
    }

    /// The error of a run that failed.
    pub(crate) fn failed(&self, output: &Output) -> RunError {
        CommandError::of(output.exit, self.tool.timeout())
            .diagnostic_with_output(self.name(), output)
    }

    /// The variables that the tool may see.
    pub(super) fn variables(&self) -> Result<Vars, RunError> {
        let mut variables = self.declared_variables()?;
        if let Some(boundary) = self.tool.boundary()
            && let Some(path) = variables.get_mut(OsStr::new("PATH"))
        {
            *path = boundary.search_path(path);
        }
        Ok(variables)
    }

    fn declared_variables(&self) -> Result<Vars, RunError> {
        let environment = &self.cx.environment;
        let variables = if self.tool.provenance().author == Author::User {
            environment.user_env(self.tool.env())
        } else {
            self.cx.child_env(self.tool.env())
        };
        variables.map_err(|error| {
            let diagnostic = error.diagnostic();
            // An error in a `.env` file already names the file.
            Box::new(if diagnostic.subject.is_empty() {
                diagnostic.with_subject(self.tool.name().as_str())
            } else {
                diagnostic
            })
        })
    }

    /// Where programs are searched.
    pub(super) fn search(&self, variables: &Vars) -> ProgramSearch {
        ProgramSearch::new(self.folder(), variables)
    }

    /// The tool's folder.
    pub(super) fn folder(&self) -> PathBuf {
        let file = self.tool.text().path();
        let folder = file.parent().unwrap_or(Path::new(""));
        self.cx.root.join(folder)
    }

    /// The tool.
    pub(super) const fn tool(&self) -> &Tool {
        self.tool
    }

    /// The name of the tool.
    pub(crate) fn name(&self) -> &str {
        self.tool.name().as_str()
    }

    /// The diagnostic for `error` in this call.
    pub(super) fn diagnostic(&self, error: &CommandError) -> RunError {
        error.diagnostic(self.name())
    }
}

/// The result of a program that succeeded.
fn result(output: Output) -> Result<ToolOutput, CommandError> {
    let Captured { bytes, left_out } = output.stdout;
    let total = bytes.len() as u64 + left_out;
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            // Truncation may split a character; that is not the program's fault.
            if left_out == 0 || error.utf8_error().error_len().is_some() {
                return Err(CommandError::Encoding(valid));
            }
            let mut bytes = error.into_bytes();
            bytes.truncate(valid);
            String::from_utf8(bytes).unwrap_or_default()
        }
    };
    let left_out = total - text.len() as u64;
    if left_out > 0 {
        text.push_str(&cut_notice(left_out));
    }
    Ok(ToolOutput {
        text,
        truncated_bytes: left_out,
        stderr: String::from_utf8_lossy(&output.stderr.bytes).into_owned(),
        ..ToolOutput::default()
    })
}

/// The last line of a truncated result.
pub(crate) fn cut_notice(left_out: u64) -> String {
    let limit = Process::STDOUT_LIMIT;
    format!("\n[truncated: {left_out} bytes are left out; a result has at most {limit}]\n")
}
