//! Calls with a timeout.
//!
//! A call runs in a separate thread: hosts wait forever, so a template that does not end must
//! be abandoned. `cogtools-call` and the MCP server differ only in how they wait.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_core::{
    Call, Cancel, Code, Context, Diagnostic, Limit, Progress, ProgressUpdate, ToolOutput,
};

use crate::failure::Failure;
use crate::process::SignalGuard;

/// The stack size of the thread that runs a tool: as large as a main thread has.
const STACK_SIZE: usize = 8 << 20;

/// The largest number of messages that wait to be shown; progress beyond them is left out.
const MAX_MESSAGES: usize = 64;

/// A message of the thread of a call.
#[derive(Debug, PartialEq)]
enum Message {
    Progress(ProgressUpdate),
    End(Result<ToolOutput, Vec<Diagnostic>>),
}

/// Runs the call until its deadline. A program is never left running: it is terminated at the
/// deadline. Its progress is passed to `show`.
pub(crate) fn run_with_deadline(
    call: Call,
    mut cx: Context,
    mut show: Option<impl FnMut(ProgressUpdate)>,
) -> Result<ToolOutput, Failure> {
    let limit = call.limit();
    let cancel = cx.cancel.clone();
    let signals = limit.starts_process().then(|| SignalGuard::begin(&cancel));
    let (sender, receiver) = sync_channel(MAX_MESSAGES);
    if show.is_some() {
        let sender = sender.clone();
        let pass = move |update| drop(sender.try_send(Message::Progress(update)));
        cx.call.progress = Some(Progress::new(pass));
    }
    start(limit.name(), move || {
        let _ = sender.send(Message::End(call.run(&cx)));
    })
    .map_err(|diagnostic| Failure::from(*diagnostic))?;
    let mut result = wait(&receiver, limit.duration(), &mut show);
    if limit.starts_process() && result == Err(RecvTimeoutError::Timeout) {
        cancel.cancel();
        result = wait(&receiver, Limit::KILL_GRACE, &mut show);
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

/// Passes progress to `show` until the call ends or the time is over.
fn wait(
    receiver: &Receiver<Message>,
    time: Duration,
    show: &mut Option<impl FnMut(ProgressUpdate)>,
) -> Result<Result<ToolOutput, Vec<Diagnostic>>, RecvTimeoutError> {
    let began = Instant::now();
    loop {
        match (
            receiver.recv_timeout(time.saturating_sub(began.elapsed()))?,
            &mut *show,
        ) {
            (Message::End(result), _) => return Ok(result),
            (Message::Progress(update), Some(show)) => show(update),
            (Message::Progress(_), None) => {}
        }
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
