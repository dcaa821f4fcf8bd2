//! The ways in which hosts invoke a tool: in this process, and by starting the actual programs.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use cogtools_core::arguments::Arguments;
use cogtools_core::environment::OFFLINE;
use cogtools_core::process::SandboxMode;
use cogtools_core::tool::Output as Shape;
use cogtools_core::{Candidate, Code, Context, Diagnostic, Tape, Tool, media, shebang};
use cogtools_program::call::call;
use cogtools_program::{Failure, Io, Syntax, Vars};
use serde_json::{Map, Value};

use crate::golden::{Golden, diff, escape};
use crate::suite::{FailureKind, TestFailure};

/// The result of an invocation, as bytes.
pub(crate) type InvocationResult = Result<Vec<u8>, InvocationError>;

/// Reasons why an invocation gave no result.
#[derive(Debug)]
pub(crate) enum InvocationError {
    /// It failed with these diagnostics.
    Failed(Vec<Diagnostic>),
    /// The program that was started failed, with this output: lines that end with a line feed.
    Exited(String),
}

/// The arguments of an example as hosts send them.
pub(crate) struct EncodedArguments {
    /// As JSON.
    pub(crate) json: Vec<u8>,
    /// As YAML.
    pub(crate) yaml: Vec<u8>,
}

impl EncodedArguments {
    pub(crate) fn new(example: &Map<String, Value>) -> Self {
        let value = Value::Object(example.clone());
        Self {
            json: value.to_string().into_bytes(),
            yaml: encode_yaml(&value),
        }
    }
}

/// The value as YAML that parses as the same value.
fn encode_yaml(value: &Value) -> Vec<u8> {
    let block = serde_yaml::to_string(value).map(String::into_bytes);
    // The serializer does not quote the key `<<` and line separators, which the parser rejects.
    // JSON is YAML too, and quotes them.
    block
        .ok()
        .filter(|block| is_yaml_of(value, block))
        .unwrap_or_else(|| value.to_string().into_bytes())
}

fn is_yaml_of(value: &Value, bytes: &[u8]) -> bool {
    let parsed = Arguments::read(bytes.to_vec(), Syntax::Yaml);
    parsed.is_ok_and(|parsed| Value::Object(parsed.into_object()) == *value)
}

/// Calls `tool` in this process.
pub(crate) fn call_in_process(
    tool: &Arc<Tool>,
    bytes: &[u8],
    syntax: Syntax,
    cx: &Context,
) -> Result<Vec<u8>, Failure> {
    let output = call(tool, bytes.to_vec(), syntax, cx.clone())?;
    Ok(match (&tool.output, output.file()) {
        (Shape::File(_), Some((_, bytes))) => bytes,
        _ => output.text.into_bytes(),
    })
}

/// The extension of recorded responses: `TOOL.N.tape` or `TOOL.NAME.tape` beside the tool.
/// Tests never ask a model unless they may write.
pub(crate) const TAPE: &str = "tape";
/// The options with which recordings are made: of models, and of requests.
pub(crate) const UPDATE: &str = "--update";
pub(crate) const RECORD: &str = "--record";

/// The result of a call of `tool` whose model is the recording beside `golden`. With `update`, one
/// that does not exist, or does not fit any more, is made; with `is_new`, in any case.
pub(crate) fn call_with_tape(
    tool: &Arc<Tool>,
    arguments: &[u8],
    golden: &Golden,
    update: bool,
    is_new: bool,
    cx: &Context,
) -> Result<Vec<u8>, Failure> {
    let path = golden.full_path().with_extension(TAPE);
    let with = |tape| {
        let mut cx = cx.clone();
        cx.call.tape = Some(tape);
        cx
    };
    let exists = path.symlink_metadata().is_ok();
    if !is_new && (exists || !update) {
        let replay = with(Tape::Replay(path.clone()));
        let result = call_in_process(tool, arguments, Syntax::Json, &replay);
        if result.is_ok() || !update {
            return result;
        }
    }
    call_in_process(tool, arguments, Syntax::Json, &with(Tape::Record(path)))
}

/// The failure of an example that has no recording; `None` if it has one.
pub(crate) fn missing_tape(golden: &Golden, option: &str, shell_arg: &str) -> Option<TestFailure> {
    let path = golden.full_path().with_extension(TAPE);
    if path.symlink_metadata().is_ok() {
        return None;
    }
    let shown = golden.display_path.with_extension(TAPE);
    let message = format!("`{}` does not exist", shown.display());
    let failure = TestFailure::new(FailureKind::Missing, message);
    let what = match option {
        RECORD => "makes the requests",
        _ => "asks the model",
    };
    Some(failure.hint(format!(
        "cogtools test {option} {shell_arg} {what} and records the responses"
    )))
}

/// The failure of a call whose recorded responses are no answers to its requests, for a message. An
/// example that expects a failure does not expect this one.
pub(crate) fn stale_tape(
    called: &Result<Vec<u8>, Failure>,
) -> Option<impl FnOnce(String) -> TestFailure + use<>> {
    let diagnostics = called.as_ref().err()?.diagnostics();
    let is_stale = |it: &Diagnostic| it.code == Code::StaleRecording;
    // The command to record again is the one of the tests.
    let shown = |it: &Diagnostic| Diagnostic {
        hints: Vec::new(),
        ..it.clone()
    };
    let is_stale = diagnostics.iter().any(is_stale);
    let diagnostics = is_stale.then(|| diagnostics.iter().map(shown).collect())?;
    Some(|message| TestFailure::new(FailureKind::Recording, message).diagnostics(diagnostics))
}

/// The results of the call with YAML, and through the tool's file, in this process. If it is called
/// `once`, only the calls that would fail before it runs.
pub(crate) fn others(
    tool: &Arc<Tool>,
    loaded_by_path: &Result<Arc<Tool>, Vec<Diagnostic>>,
    arguments: &EncodedArguments,
    once: bool,
    cx: &Context,
) -> Vec<(String, InvocationResult)> {
    let call = |tool, bytes: &[u8], syntax| {
        let failed = |failure: Failure| InvocationError::Failed(failure.diagnostics().to_vec());
        call_in_process(tool, bytes, syntax, cx).map_err(failed)
    };
    let yaml = (!once).then(|| call(tool, &arguments.yaml, Syntax::Yaml));
    let file = match loaded_by_path {
        Ok(tool) => (!once).then(|| call(tool, &arguments.json, Syntax::Json)),
        Err(diagnostics) => Some(Err(InvocationError::Failed(diagnostics.clone()))),
    };
    let yaml = yaml.map(|result| ("as YAML".to_owned(), result));
    let file = file.map(|result| ("through the tool's file".to_owned(), result));
    yaml.into_iter().chain(file).collect()
}

/// Returns true if an example is called only once: the tool runs a program that may change something, or
/// asks a model.
pub(crate) fn runs_once(tool: &Tool) -> bool {
    tool.runs_programs() && tool.annotations.read_only != Some(true) || tool.is_agent()
}

/// Compares the `result` of the invocation `name` with `expected`, the result with JSON.
pub(crate) fn compare(
    name: &str,
    result: InvocationResult,
    expected: &[u8],
) -> Option<TestFailure> {
    let failure = |message: String| TestFailure::new(FailureKind::Invocation, message);
    let fails = || {
        failure(format!(
            "called {name}, it fails; called as JSON, it does not"
        ))
    };
    Some(match result {
        Ok(bytes) if bytes == expected => return None,
        Ok(bytes) => {
            let message = format!("called {name}, the result differs from that called as JSON");
            let detail = diff("as JSON", expected, name, &bytes);
            failure(message).detail(detail).hint(
                "a tool whose result differs between calls cannot be tested with a golden file",
            )
        }
        Err(InvocationError::Failed(diagnostics)) => fails().diagnostics(diagnostics),
        Err(InvocationError::Exited(detail)) => fails().detail(detail),
    })
}

/// The failure of a file that cannot be run as a program although it begins with `#!`.
pub(crate) fn shebang_problem(tool: &Tool, file: &Candidate) -> Option<TestFailure> {
    let line = shebang::parse(tool.source())?;
    if !shebang::runs_tools(line) {
        let interpreter = shebang::INTERPRETER;
        let message = format!("its first line does not name `{interpreter}`");
        let hint = format!("begin the file with `{}`", shebang::LINE.trim_end());
        return Some(TestFailure::new(FailureKind::Invocation, message).hint(hint));
    }
    if !shebang::is_executable(&file.path) {
        let message = "it begins with `#!` but is not executable";
        let hint = format!("chmod +x {}", file.display_path.display());
        return Some(TestFailure::new(FailureKind::Invocation, message).hint(hint));
    }
    None
}

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
        let call = |by: String, program: &Path, args: &[&OsStr], input: &[u8]| {
            (by, self.run(Command::new(program).args(args), input, tool))
        };
        let (name, path) = (tool.name().as_str(), file.display_path.display());
        let by_file = format!("{} {path}", shebang::INTERPRETER);
        let (program, target, line) = if self.by_path.contains(&file.path) {
            (&self.yaml, file.path.as_os_str(), by_file.clone())
        } else {
            let line = format!("cogtools-call {name}");
            (&self.call, OsStr::new(name), line)
        };
        let (json, yaml) = (&arguments.json, &arguments.yaml);
        let with_yaml = [target, OsStr::new("--yaml")];
        let is_program = shebang::parse(tool.source()).is_some_and(shebang::runs_tools);
        vec![
            call(format!("by `{line}`"), program, &[target], json),
            call(format!("by `{line} --yaml`"), program, &with_yaml, yaml),
            if is_program && cfg!(unix) {
                let by = format!("by `{path}`, the file itself");
                call(by, &file.path, &[], json)
            } else {
                let args = [file.path.as_os_str()];
                call(format!("by `{by_file}`"), &self.yaml, &args, json)
            },
        ]
    }

    fn run(&self, command: &mut Command, input: &[u8], tool: &Tool) -> InvocationResult {
        let output = self.output(command, input, tool).map_err(|error| {
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

    fn output(&self, command: &mut Command, input: &[u8], tool: &Tool) -> std::io::Result<Output> {
        // A result that is a file goes into one with the extension of its type.
        let suffix = match &tool.output {
            Shape::File(media) => media::extension(media).map(|name| format!(".{name}")),
            _ => None,
        };
        let suffix = suffix.unwrap_or_default();
        let mut stdout = tempfile::Builder::new().suffix(&suffix).tempfile()?;
        command
            .current_dir(&self.root)
            .env_clear()
            .envs(&self.vars)
            .stdin(Stdio::piped())
            .stdout(stdout.as_file().try_clone()?)
            .stderr(Stdio::piped());
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that exits early reports the reason itself.
            let _ = stdin.write_all(input);
        }
        let mut output = child.wait_with_output()?;
        stdout.rewind()?;
        stdout.read_to_end(&mut output.stdout)?;
        Ok(output)
    }
}

/// The variables of this run, with its `sandbox`, and a PATH on which the first line of a tool
/// file finds the programs.
fn vars(io: &Io<'_>, program_dir: &Path, sandbox: SandboxMode) -> Vars {
    let mut vars = io.vars.clone();
    vars.insert(SandboxMode::VARIABLE.into(), sandbox.name().into());
    vars.insert(OFFLINE.into(), "1".into());
    let path = io.var("PATH").map(std::env::split_paths);
    let dirs = std::iter::once(program_dir.to_path_buf()).chain(path.into_iter().flatten());
    if let Ok(path) = std::env::join_paths(dirs) {
        vars.insert("PATH".into(), path);
    }
    vars
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_round_trip_through_yaml() {
        let words = r#" ~ null true yes 010 0x1f 1_000 1e3 .inf - a: # #b ' " é 😀 --- ... !x &x *x
            %x @ ` { [ | > ? << 2001-01-01 12:30 = , \ : -1 +1 ${x} {{x}} "#;
        let odd = [
            "", " ", "- a", "a: b", "a #b", "a\nb", "a\n", "\n", "\n\na ", " a\nb", "\t", "a\tb",
            "\r", "a\r\nb", "\0", "\u{1b}", "\u{85}", "\u{2028}", "\u{feff}", "\u{fffe}", "\u{a0}",
        ];
        for word in words.split_whitespace().chain(odd) {
            let value = json!({"plain": word, word: [word, {word: word}]});
            assert!(is_yaml_of(&value, &encode_yaml(&value)), "{word:?}");
        }
        let numbers = json!([0, -1, 1.5, -0.0, 1e300, 1e-300, 100.0, u64::MAX, i64::MIN]);
        let others = json!({"numbers": numbers, "words": [true, null, {}, [], [[]]]});
        assert!(is_yaml_of(&others, &encode_yaml(&others)));
    }

    #[test]
    fn each_invocation_error_has_a_message() {
        let fails = "called by hand, it fails; called as JSON, it does not";
        for (error, message, detail) in [
            (InvocationError::Failed(Vec::new()), fails, ""),
            (
                InvocationError::Exited("it ended\n".into()),
                fails,
                "it ended\n",
            ),
        ] {
            let failure = compare("by hand", Err(error), b"").expect("it has failed");
            assert_eq!(failure.kind, FailureKind::Invocation);
            assert_eq!(
                (failure.message.as_str(), failure.detail.as_str()),
                (message, detail)
            );
        }
    }
}
