//! The work of a tool, within its time.
//!
//! It works in a thread of its own: hosts wait for ever, so a template that does
//! not end must be left behind. `cogtools-call` and the server of MCP differ in
//! how they wait, and in nothing else.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_core::arguments::Arguments;
use cogtools_core::{Answer, Code, Fault, Surroundings, Tool};

use crate::failure::Failure;
use crate::process::SignalGuard;

/// The stack of the thread in which a tool works: as much as a main thread has.
const STACK: usize = 8 << 20;
/// How much longer than its time a command may take until all of it is ended.
const ENDING: Duration = Duration::from_secs(5);

/// How long a tool may take, and who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    name: String,
    timeout: Duration,
    /// Whether it runs programs. Whoever runs one keeps the time itself, and has
    /// something to tell of its end.
    programs: bool,
}

impl Limit {
    /// A `timeout` for what is called `name` and runs no program.
    pub fn new(name: &str, timeout: Duration) -> Self {
        Self {
            name: name.to_owned(),
            timeout,
            programs: false,
        }
    }

    /// That of `tool`.
    pub fn of(tool: &Tool) -> Self {
        Self {
            programs: tool.implementation().runs_programs(),
            ..Self::new(tool.name().as_str(), tool.timeout())
        }
    }

    /// How long to wait for it.
    pub fn patience(&self) -> Duration {
        if self.programs {
            self.timeout.saturating_add(ENDING)
        } else {
            self.timeout
        }
    }

    /// The fault of what did not end in time.
    pub fn fault(&self) -> Fault {
        let seconds = self.timeout.as_secs_f64();
        let message = format!("the tool did not end within {seconds} s");
        Fault::new(Code::Timeout, message)
            .about(self.name.as_str())
            .hint("send less, or give the tool more time with `timeout`")
    }
}

/// The answer to the call, if it comes in time. A program is never left behind:
/// whoever runs it ends it in time.
pub(crate) fn bounded(
    tool: Arc<Tool>,
    arguments: Arguments,
    surroundings: Surroundings,
) -> Result<Answer, Failure> {
    let own = Limit::of(&tool);
    let cancel = surroundings.cancel.clone();
    let watch = own.programs.then(|| SignalGuard::begin(&cancel));
    let (tell, told) = channel();
    let (sender, receiver) = channel();
    let begun = Instant::now();
    start(&own.name, move || {
        let other = |other| drop(tell.send(other));
        let _ = sender.send(answer(&tool, arguments, &surroundings, other));
    })
    .map_err(|fault| Failure::from(*fault))?;
    // Nobody tells of another tool when there is none.
    let (limit, left) = match told.recv_timeout(own.patience()) {
        Ok(other) => (other.clone(), other.patience()),
        Err(_) => (own.clone(), own.patience().saturating_sub(begun.elapsed())),
    };
    let mut answer = receiver.recv_timeout(left);
    if limit.programs && answer == Err(RecvTimeoutError::Timeout) {
        cancel.ask();
        answer = receiver.recv_timeout(ENDING);
    }
    if let Some(status) = watch.and_then(|watch| watch.status()) {
        return Err(Failure::Status(status));
    }
    match answer {
        Ok(result) => result.map_err(Failure::from),
        Err(RecvTimeoutError::Timeout) => Err(limit.fault().into()),
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
/// wrong. When it does nothing but call another tool, `other` hears before that
/// how long this one may take.
pub fn answer(
    tool: &Tool,
    arguments: Arguments,
    surroundings: &Surroundings,
    other: impl FnOnce(Limit),
) -> Result<Answer, Vec<Fault>> {
    let accepted = tool.accept(arguments).map_err(|error| error.faults(tool))?;
    match accepted.target() {
        Some(target) => other(Limit::of(target)),
        None => drop(other),
    }
    let answer = tool.run(accepted, surroundings);
    answer.map_err(|fault| vec![*fault])
}

#[cfg(test)]
mod tests {
    use cogtools_core::text::Text;

    use super::*;

    #[test]
    fn programs_have_time_to_end() {
        let check = |rest: &str, seconds: u64| {
            let text = format!("name: t\ndescription: d\n{rest}\n");
            let text = Text::new("t.yaml", text.into_bytes()).expect("it is text");
            let limit = Limit::of(&Tool::parse(text).expect("it is a tool"));
            assert_eq!(limit.patience(), Duration::from_secs(seconds), "{rest}");
        };
        check("implementation: x", 60);
        check("implementation: {exec: [x]}", 65);
        check("timeout: 300\nimplementation: x", 300);
        check("timeout: 300\nimplementation: {exec: [x]}", 305);
    }
}
