//! A tool at work: in a thread of its own, because hosts wait for ever, so that a
//! tool that does not end can be left behind.
//!
//! `cogtools-call` and the server of MCP differ in how they wait, and in nothing
//! else: both start the same work and hear the same faults.

use std::thread;
use std::time::Duration;

use cogtools_core::arguments::Arguments;
use cogtools_core::{Code, Fault, Surroundings, Tool};

/// What comes of a call: the result, or all that is wrong.
pub type Outcome = Result<String, Vec<Fault>>;

/// The stack of the thread in which a tool works: as much as a main thread has.
const STACK: usize = 8 << 20;

/// Does `work`, which is about `name`, in a thread of its own.
pub fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Fault> {
    let thread = thread::Builder::new().name("tool".into()).stack_size(STACK);
    let started = thread.spawn(work).map(drop);
    started.map_err(|error| {
        let message = format!("no thread can be started for the tool: {error}");
        Fault::new(Code::Internal, message).about(name)
    })
}

/// Holds the arguments against the tool and runs it.
pub fn outcome(tool: &Tool, arguments: Arguments, surroundings: &Surroundings) -> Outcome {
    let accepted = tool.accept(arguments).map_err(|error| error.faults(tool))?;
    tool.run(accepted, surroundings)
        .map_err(|fault| vec![*fault])
}

/// The fault of a tool that is left behind.
pub fn timed_out(name: &str, after: Duration) -> Fault {
    let message = format!("the tool did not end within {} s", after.as_secs_f64());
    Fault::new(Code::Timeout, message)
        .about(name)
        .hint("send less, or give the tool more time with `timeout`")
}
