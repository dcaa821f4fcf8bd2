//! Calls with a timeout.
//!
//! A call runs in a separate thread: hosts wait forever, so a template that does not end must
//! be abandoned. `cogtools-call` and the MCP server differ only in how they wait.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;

use cogtools_core::{Call, Cancel, Code, Context, Diagnostic, Limit, ToolOutput};

use crate::failure::Failure;
use crate::process::SignalGuard;

/// The stack size of the thread that runs a tool: as large as a main thread has.
const STACK_SIZE: usize = 8 << 20;

/// Runs the call until its deadline. A program is never left running: it is terminated at the
/// deadline.
pub(crate) fn run_with_deadline(call: Call, cx: Context) -> Result<ToolOutput, Failure> {
    let limit = call.limit();
    let cancel = cx.cancel.clone();
    let signals = limit.starts_process().then(|| SignalGuard::begin(&cancel));
    let (sender, receiver) = channel();
    start(limit.name(), move || {
        let _ = sender.send(call.run(&cx));
    })
    .map_err(|diagnostic| Failure::from(*diagnostic))?;
    let mut result = receiver.recv_timeout(limit.duration());
    if limit.starts_process() && result == Err(RecvTimeoutError::Timeout) {
        cancel.cancel();
        result = receiver.recv_timeout(Limit::KILL_GRACE);
    }
    if let Some(status) = signals.and_then(|signals| signals.status()) {
        return Err(Failure::Reported(status));
    }
    match result {
        Ok(output) => output.map_err(Failure::from),
        Err(RecvTimeoutError::Timeout) => Err(limit.diagnostic().into()),
        // A panic, which the panic hook has reported.
        Err(RecvTimeoutError::Disconnected) => Err(Failure::Reported(Code::Internal.status())),
    }
}

/// Runs `work`, a call within `limit`, for a caller that handles signals itself: `cancel` ends
/// the programs of the call at the deadline.
pub fn run_within(
    limit: &Limit,
    cancel: &Cancel,
    work: impl FnOnce() -> Result<ToolOutput, Vec<Diagnostic>> + Send + 'static,
) -> Result<ToolOutput, Vec<Diagnostic>> {
    let (sender, receiver) = channel();
    start(limit.name(), move || {
        let _ = sender.send(work());
    })
    .map_err(|diagnostic| vec![*diagnostic])?;
    let mut result = receiver.recv_timeout(limit.duration());
    if limit.starts_process() && result == Err(RecvTimeoutError::Timeout) {
        cancel.cancel();
        result = receiver.recv_timeout(Limit::KILL_GRACE);
        if limit.is_shortened() {
            return Err(vec![limit.diagnostic()]);
        }
    }
    result.unwrap_or_else(|error| match error {
        RecvTimeoutError::Timeout => Err(vec![limit.diagnostic()]),
        // A panic, which the panic hook has reported.
        RecvTimeoutError::Disconnected => {
            let message = "unexpected failure while the tool was running";
            let diagnostic = Diagnostic::new(Code::Internal, message);
            Err(vec![diagnostic.with_subject(limit.name())])
        }
    })
}

/// Runs `work`, a call of the tool `name`, in a new thread.
pub fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Box<Diagnostic>> {
    let thread = thread::Builder::new()
        .name("tool".into())
        .stack_size(STACK_SIZE);
    thread.spawn(work).map(drop).map_err(|error| {
        let message = format!("the thread for the tool cannot be started: {error}");
        Box::new(Diagnostic::new(Code::Internal, message).with_subject(name))
    })
}
