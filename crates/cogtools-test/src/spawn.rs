//! The real programs, started the way a host starts them.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use cogtools_core::{Candidate, Code, Diagnostic, Tool, shebang};
use cogtools_program::{Failure, Io, Vars};

use crate::diff::visible;
use crate::invocation::{Answer, EncodedArguments, InvocationError};

/// What starts programs.
#[derive(Debug)]
pub(crate) struct Spawner {
    call: PathBuf,
    yaml: PathBuf,
    vars: Vars,
    root: PathBuf,
    by_path: HashSet<PathBuf>,
}

impl Spawner {
    /// Starts the programs that lie beside the running one, in the directory
    /// `root`; the tools at `by_path` are not called by name.
    pub(crate) fn new(
        io: &Io<'_>,
        root: &Path,
        by_path: &HashSet<PathBuf>,
    ) -> Result<Self, Failure> {
        let own = io.program.parent().unwrap_or(Path::new(""));
        let beside = |name: &str| {
            let path = own.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
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
            call: beside("cogtools-call")?,
            yaml: beside(shebang::INTERPRETER)?,
            vars: vars(io, own),
            root: root.to_path_buf(),
            by_path: by_path.clone(),
        })
    }

    /// What each invocation of `tool` gives: by name as JSON and as YAML where it
    /// has a name here, and as the program that its file is.
    pub(crate) fn invocations(
        &self,
        file: &Candidate,
        tool: &Tool,
        arguments: &EncodedArguments,
    ) -> Vec<(String, Answer)> {
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
        let mut answers = vec![(
            format!("by `{line}`"),
            self.answer(Command::new(program).arg(&target), &arguments.json),
        )];
        if let Ok(yaml) = &arguments.yaml {
            answers.push((
                format!("by `{line} --yaml`"),
                self.answer(Command::new(program).arg(&target).arg("--yaml"), yaml),
            ));
        }
        let shown = file.display_path.display();
        let as_program = shebang::of(tool.source()).is_some_and(shebang::runs_tools);
        answers.push(if as_program && cfg!(unix) {
            let answer = self.answer(&mut Command::new(&file.path), &arguments.json);
            (format!("by `{shown}`, the file itself"), answer)
        } else {
            let answer = self.answer(Command::new(&self.yaml).arg(&file.path), &arguments.json);
            (format!("by `{} {shown}`", shebang::INTERPRETER), answer)
        });
        answers
    }

    fn answer(&self, command: &mut Command, input: &[u8]) -> Answer {
        let output = self.output(command, input).map_err(|error| {
            let program = command.get_program().display();
            let message = format!("`{program}` cannot be started: {error}");
            let diagnostic = Diagnostic::new(Code::IoFailed, message);
            InvocationError::Failed(vec![diagnostic])
        })?;
        // Some hosts take any output on standard error for a failure.
        if output.status.success() && output.stderr.is_empty() {
            return Ok(output.stdout);
        }
        let mut detail = format!("it ended with {}\n", output.status);
        for line in String::from_utf8_lossy(&output.stderr).lines() {
            detail.push_str(&visible(line));
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
            // A program that ends early says itself what is wrong.
            let _ = stdin.write_all(input);
        }
        child.wait_with_output()
    }
}

/// The variables of this run; a tool file's own first line finds our programs.
fn vars(io: &Io<'_>, own: &Path) -> Vars {
    let mut vars = io.vars.clone();
    let path = io.var("PATH").map(std::env::split_paths);
    let places = std::iter::once(own.to_path_buf()).chain(path.into_iter().flatten());
    if let Ok(path) = std::env::join_paths(places) {
        vars.insert("PATH".into(), path);
    }
    vars
}
