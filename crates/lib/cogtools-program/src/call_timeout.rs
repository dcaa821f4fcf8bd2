//! Calls with a timeout.
//!
//! A call runs in a separate thread: hosts wait forever, so a template that does not end must
//! be abandoned. `cogtools-call` and the MCP server differ only in how they wait.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
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
    let signals = limit.starts_process.then(|| SignalGuard::begin(&cancel));
    let (sender, receiver) = sync_channel(MAX_MESSAGES);
    if show.is_some() {
        let sender = sender.clone();
        let pass = move |update| drop(sender.try_send(Message::Progress(update)));
        cx.call.progress = Some(Progress::new(pass));
    }
    start(&limit.name, move || {
        let _ = sender.send(Message::End(call.run(&cx)));
    })
    .map_err(|diagnostic| Failure::from(*diagnostic))?;
    let result = wait(&receiver, &limit, &cancel, |update| {
        if let Some(show) = &mut show {
            show(update);
        }
    });
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

/// Passes progress to `show` until the call ends or its time is over. Then `cancel` ends the programs
/// of the call, whose result counts unless the time was shortened.
fn wait(
    receiver: &Receiver<Message>,
    limit: &Limit,
    cancel: &Cancel,
    mut show: impl FnMut(ProgressUpdate),
) -> Result<Result<ToolOutput, Vec<Diagnostic>>, RecvTimeoutError> {
    let mut receive = |time: Duration| {
        let began = Instant::now();
        loop {
            match receiver.recv_timeout(time.saturating_sub(began.elapsed()))? {
                Message::End(result) => return Ok(result),
                Message::Progress(update) => show(update),
            }
        }
    };
    match receive(limit.duration()) {
        Err(RecvTimeoutError::Timeout) if limit.starts_process => {
            cancel.cancel();
            let result = receive(Limit::KILL_GRACE);
            if limit.is_shortened {
                return Err(RecvTimeoutError::Timeout);
            }
            result
        }
        result => result,
    }
}

/// Runs `work`, a call within `limit`, for a caller that handles signals itself: `cancel` ends
/// the programs of the call at the deadline.
pub fn run_within(
    limit: &Limit,
    cancel: &Cancel,
    work: impl FnOnce() -> Result<ToolOutput, Vec<Diagnostic>> + Send + 'static,
) -> Result<ToolOutput, Vec<Diagnostic>> {
    let (sender, receiver) = sync_channel(1);
    start(&limit.name, move || {
        let _ = sender.send(Message::End(work()));
    })
    .map_err(|diagnostic| vec![*diagnostic])?;
    wait(&receiver, limit, cancel, drop).unwrap_or_else(|error| match error {
        RecvTimeoutError::Timeout => Err(vec![limit.diagnostic()]),
        // A panic, which the panic hook has reported.
        RecvTimeoutError::Disconnected => {
            let message = "unexpected failure while the tool was running";
            let diagnostic = Diagnostic::new(Code::Internal, message);
            Err(vec![diagnostic.with_subject(&limit.name)])
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
