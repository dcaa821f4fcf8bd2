//! Starts the actual programs, as a host does.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use cogtools_core::process::SandboxMode;
use cogtools_core::{Candidate, Code, Context, Diagnostic, Tool, shebang};
use cogtools_program::{Failure, Io, Vars};

use crate::diff::escape;
use crate::invocation::{EncodedArguments, InvocationError, InvocationResult};

/// Starts programs.
#[derive(Debug)]
pub(crate) struct Spawner {
    call: PathBuf,
    yaml: PathBuf,
    vars: Vars,
    root: PathBuf,
    by_path: HashSet<PathBuf>,
}

impl Spawner {
    /// A spawner of the programs beside the running one, which run in the root of `cx` and with
    /// its sandboxes. The tools at `by_path` are not called by name.
    pub(crate) fn new(
        io: &Io<'_>,
        cx: &Context,
        by_path: &HashSet<PathBuf>,
    ) -> Result<Self, Failure> {
        let program_dir = io.program.parent().unwrap_or(Path::new(""));
        let sibling = |name: &str| {
            let path = program_dir.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
            if path.is_file() {
                return Ok(path);
            }
            let message = format!("`{}` does not exist", path.display());
            let diagnostic = Diagnostic::new(Code::IoFailed, message);
            Err(Failure::from(
                diagnostic.hint("install all programs of cogtools in one folder"),
            ))
        };
        Ok(Self {
            call: sibling("cogtools-call")?,
            yaml: sibling(shebang::INTERPRETER)?,
            vars: vars(io, program_dir, cx.sandbox),
            root: cx.root.clone(),
            by_path: by_path.clone(),
        })
    }

    /// The result of each invocation of `tool`: with JSON and with YAML, by name if hosts can call
    /// it so, and with its file as a program.
    pub(crate) fn invocations(
        &self,
        file: &Candidate,
        tool: &Tool,
        arguments: &EncodedArguments,
    ) -> Vec<(String, InvocationResult)> {
        let name = tool.name().as_str();
        let (program, target, line) = if self.by_path.contains(&file.path) {
            let line = format!("{} {}", shebang::INTERPRETER, file.display_path.display());
            (&self.yaml, file.path.clone().into_os_string(), line)
        } else {
            (
                &self.call,
                OsString::from(name),
                format!("cogtools-call {name}"),
            )
        };
        let mut results = vec![(
            format!("by `{line}`"),
            self.run(Command::new(program).arg(&target), &arguments.json),
        )];
        if let Ok(yaml) = &arguments.yaml {
            results.push((
                format!("by `{line} --yaml`"),
                self.run(Command::new(program).arg(&target).arg("--yaml"), yaml),
            ));
        }
        let path = file.display_path.display();
        let as_program = shebang::parse(tool.source()).is_some_and(shebang::runs_tools);
        results.push(if as_program && cfg!(unix) {
            let result = self.run(&mut Command::new(&file.path), &arguments.json);
            (format!("by `{path}`, the file itself"), result)
        } else {
            let result = self.run(Command::new(&self.yaml).arg(&file.path), &arguments.json);
            (format!("by `{} {path}`", shebang::INTERPRETER), result)
        });
        results
    }

    fn run(&self, command: &mut Command, input: &[u8]) -> InvocationResult {
        let output = self.output(command, input).map_err(|error| {
            let program = command.get_program().display();
            let message = format!("`{program}` cannot be started: {error}");
            let diagnostic = Diagnostic::new(Code::IoFailed, message);
            InvocationError::Failed(vec![diagnostic])
        })?;
        // Some hosts treat any output on standard error as a failure.
        if output.status.success() && output.stderr.is_empty() {
            return Ok(output.stdout);
        }
        let mut detail = format!("it exited with {}\n", output.status);
        for line in String::from_utf8_lossy(&output.stderr).lines() {
            detail.push_str(&escape(line));
            detail.push('\n');
        }
        Err(InvocationError::Exited(detail))
    }

    fn output(&self, command: &mut Command, input: &[u8]) -> std::io::Result<Output> {
        command
            .current_dir(&self.root)
            .env_clear()
            .envs(&self.vars)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that exits early reports the reason itself.
            let _ = stdin.write_all(input);
        }
        child.wait_with_output()
    }
}

/// The variables of this run, with its `sandbox`, and a PATH on which the first line of a tool
/// file finds the programs.
fn vars(io: &Io<'_>, program_dir: &Path, sandbox: SandboxMode) -> Vars {
    let mut vars = io.vars.clone();
    vars.insert(SandboxMode::VARIABLE.into(), sandbox.name().into());
    let path = io.var("PATH").map(std::env::split_paths);
    let dirs = std::iter::once(program_dir.to_path_buf()).chain(path.into_iter().flatten());
    if let Ok(path) = std::env::join_paths(dirs) {
        vars.insert("PATH".into(), path);
    }
    vars
}
