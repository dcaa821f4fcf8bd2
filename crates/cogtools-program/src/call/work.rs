//! The work of a tool, within its time.

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

/// The answer to the call, if it comes in time. The tool works in a thread of its
/// own: hosts wait for ever, so a template that does not end must be left behind.
/// A program is never left behind: whoever runs it ends it in time.
pub(super) fn bounded(
    tool: Arc<Tool>,
    arguments: Arguments,
    surroundings: Surroundings,
) -> Result<Answer, Failure> {
    let name = tool.name().to_string();
    let timeout = tool.timeout();
    let commands = tool.implementation().runs_programs();
    let cancel = surroundings.cancel.clone();
    let watch = commands.then(|| Watch::begin(&cancel));
    let (sender, receiver) = channel();
    let thread = thread::Builder::new().name("tool".into()).stack_size(STACK);
    let work = move || {
        let _ = sender.send(result(&tool, arguments, &surroundings));
    };
    if let Err(error) = thread.spawn(work) {
        let message = format!("no thread can be started for the tool: {error}");
        return Err(Fault::new(Code::Internal, message).about(name).into());
    }
    let patience = if commands {
        timeout.saturating_add(ENDING)
    } else {
        timeout
    };
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
        Err(RecvTimeoutError::Timeout) => {
            let message = format!("the tool did not end within {} s", timeout.as_secs_f64());
            let fault = Fault::new(Code::Timeout, message).about(name);
            Err(fault
                .hint("send less, or give the tool more time with `timeout`")
                .into())
        }
        // A panic, which has been reported where it happened.
        Err(RecvTimeoutError::Disconnected) => Err(Failure::Status(Code::Internal.status())),
    }
}

fn result(
    tool: &Tool,
    arguments: Arguments,
    surroundings: &Surroundings,
) -> Result<Answer, Vec<Fault>> {
    let accepted = tool.accept(arguments).map_err(|error| error.faults(tool))?;
    let answer = tool.run(accepted, surroundings);
    answer.map_err(|fault| vec![*fault])
}
