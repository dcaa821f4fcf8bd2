//! The work of a tool, within its time.
//!
//! It works in a thread of its own: hosts wait for ever, so a template that does
//! not end must be left behind. `cogtools-call` and the server of MCP differ in
//! how they wait, and in nothing else.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use cogtools_core::arguments::Arguments;
use cogtools_core::{Answer, Code, Fault, Surroundings, Tool};

use crate::failure::Failure;
use crate::process::Watch;

/// The stack of the thread in which a tool works: as much as a main thread has.
const STACK: usize = 8 << 20;
/// How much longer than its time a command may take until all of it is ended.
const ENDING: Duration = Duration::from_secs(5);

/// The answer to the call, if it comes in time. A program is never left behind:
/// whoever runs it ends it in time.
pub(crate) fn bounded(
    tool: Arc<Tool>,
    arguments: Arguments,
    surroundings: Surroundings,
) -> Result<Answer, Failure> {
    let name = tool.name().to_string();
    let (timeout, patience) = (tool.timeout(), patience(&tool));
    let commands = tool.implementation().runs_programs();
    let cancel = surroundings.cancel.clone();
    let watch = commands.then(|| Watch::begin(&cancel));
    let (sender, receiver) = channel();
    start(&name, move || {
        let _ = sender.send(answer(&tool, arguments, &surroundings));
    })
    .map_err(|fault| Failure::from(*fault))?;
    let mut answer = receiver.recv_timeout(patience);
    if commands && answer == Err(RecvTimeoutError::Timeout) {
        cancel.ask();
        answer = receiver.recv_timeout(ENDING);
    }
    if let Some(status) = watch.and_then(|watch| watch.status()) {
        return Err(Failure::Status(status));
    }
    match answer {
        Ok(result) => result.map_err(Failure::from),
        Err(RecvTimeoutError::Timeout) => Err(timed_out(&name, timeout).into()),
        // A panic, which has been reported where it happened.
        Err(RecvTimeoutError::Disconnected) => Err(Failure::Status(Code::Internal.status())),
    }
}

/// Does `work`, which is a call of the tool `name`, in a thread of its own.
pub fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Box<Fault>> {
    let thread = thread::Builder::new().name("tool".into()).stack_size(STACK);
    let started = thread.spawn(work).map(drop);
    started.map_err(|error| {
        let message = format!("no thread can be started for the tool: {error}");
        Box::new(Fault::new(Code::Internal, message).about(name))
    })
}

/// Holds the arguments against the tool and runs it: the answer, or all that is
/// wrong.
pub fn answer(
    tool: &Tool,
    arguments: Arguments,
    surroundings: &Surroundings,
) -> Result<Answer, Vec<Fault>> {
    let accepted = tool.accept(arguments).map_err(|error| error.faults(tool))?;
    let answer = tool.run(accepted, surroundings);
    answer.map_err(|fault| vec![*fault])
}

/// How long to wait for a tool. A command keeps the time itself, and has
/// something to tell of its end.
pub fn patience(tool: &Tool) -> Duration {
    if tool.implementation().runs_programs() {
        tool.timeout().saturating_add(ENDING)
    } else {
        tool.timeout()
    }
}

/// The fault of a tool that did not end in time.
pub fn timed_out(name: &str, timeout: Duration) -> Fault {
    let message = format!("the tool did not end within {} s", timeout.as_secs_f64());
    Fault::new(Code::Timeout, message)
        .about(name)
        .hint("send less, or give the tool more time with `timeout`")
}
