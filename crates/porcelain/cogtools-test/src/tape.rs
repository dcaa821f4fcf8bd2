//! The recorded responses of a model for an example of a tool that asks it: `TOOL.N.tape` or
//! `TOOL.NAME.tape` beside the tool. Tests never ask a model unless they may write.

use cogtools_core::{Context, Tape, Tool};
use cogtools_program::{Failure, Syntax};

use crate::failure::{FailureKind, TestFailure};
use crate::golden::Golden;
use crate::invocation::call_in_process;

/// The extension.
const EXTENSION: &str = "tape";

/// The result of a call of `tool` whose model is the recording beside `golden`. With `update`, one
/// that does not exist, or does not fit any more, is made.
pub(crate) fn call(
    tool: &std::sync::Arc<Tool>,
    arguments: &[u8],
    golden: &Golden,
    update: bool,
    cx: &Context,
) -> Result<Vec<u8>, Failure> {
    let path = golden.full_path().with_extension(EXTENSION);
    let with = |tape| Context {
        tape: Some(tape),
        ..cx.clone()
    };
    let exists = path.symlink_metadata().is_ok();
    if exists || !update {
        let replay = with(Tape::Replay(path.clone()));
        let result = call_in_process(tool, arguments, Syntax::Json, &replay);
        if result.is_ok() || !update {
            return result;
        }
    }
    call_in_process(tool, arguments, Syntax::Json, &with(Tape::Record(path)))
}

/// The failure of an example that has no recording; `None` if it has one.
pub(crate) fn missing(golden: &Golden, shell_arg: &str) -> Option<TestFailure> {
    let path = golden.full_path().with_extension(EXTENSION);
    if path.symlink_metadata().is_ok() {
        return None;
    }
    let shown = golden.display_path.with_extension(EXTENSION);
    let message = format!("`{}` does not exist", shown.display());
    let failure = TestFailure::new(FailureKind::Missing, message);
    Some(failure.hint(format!(
        "cogtools test --update {shell_arg} asks the model and records its responses"
    )))
}
