//! The work of a tool, within its time.
//!
//! It works in a thread of its own: hosts wait for ever, so a template that does
//! not end must be left behind. `cogtools-call` and the server of MCP differ in
//! how they wait, and in nothing else.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;

use cogtools_core::{Call, Code, Context, Diagnostic, Limit, ToolOutput};

use crate::failure::Failure;
use crate::process::SignalGuard;

/// The stack of the thread in which a tool works: as much as a main thread has.
const STACK: usize = 8 << 20;

/// The answer to the call, if it comes in time. A program is never left behind:
/// whoever runs it ends it in time.
pub(crate) fn bounded(call: Call, cx: Context) -> Result<ToolOutput, Failure> {
    let limit = call.limit();
    let cancel = cx.cancel.clone();
    let watch = limit.runs_programs().then(|| SignalGuard::begin(&cancel));
    let (sender, receiver) = channel();
    start(limit.name(), move || {
        let _ = sender.send(call.run(&cx));
    })
    .map_err(|diagnostic| Failure::from(*diagnostic))?;
    let mut answer = receiver.recv_timeout(limit.patience());
    if limit.runs_programs() && answer == Err(RecvTimeoutError::Timeout) {
        cancel.cancel();
        answer = receiver.recv_timeout(Limit::ENDING);
    }
    if let Some(status) = watch.and_then(|watch| watch.status()) {
        return Err(Failure::Status(status));
    }
    match answer {
        Ok(result) => result.map_err(Failure::from),
        Err(RecvTimeoutError::Timeout) => Err(limit.diagnostic().into()),
        // A panic, which has been reported where it happened.
        Err(RecvTimeoutError::Disconnected) => Err(Failure::Status(Code::Internal.status())),
    }
}

/// Does `work`, which is a call of the tool `name`, in a thread of its own.
pub fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Box<Diagnostic>> {
    let thread = thread::Builder::new().name("tool".into()).stack_size(STACK);
    let started = thread.spawn(work).map(drop);
    started.map_err(|error| {
        let message = format!("no thread can be started for the tool: {error}");
        Box::new(Diagnostic::new(Code::Internal, message).with_subject(name))
    })
}
