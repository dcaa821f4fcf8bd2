//! Threads that make attempts: as many as there are attempts at the same time.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_core::{Code, Diagnostic};

use crate::{Attempt, Completion, Failure, Work};

/// The threads of a run. Those that are idle end with it; one that still makes an attempt ends
/// after that.
pub(crate) struct Workers {
    work: Arc<dyn Work>,
    attempts: Sender<Attempt>,
    waiting: Arc<Mutex<Receiver<Attempt>>>,
    /// How many threads wait for an attempt.
    idle: usize,
    ended: Sender<Ended>,
}

/// An attempt that has ended.
pub(crate) struct Ended {
    pub(crate) index: usize,
    pub(crate) number: u32,
    pub(crate) result: Result<Completion, Failure>,
    pub(crate) duration: Duration,
}

impl Workers {
    /// Threads for `work`. The ends of attempts go to `ended`.
    pub(crate) fn new(work: Arc<dyn Work>, ended: Sender<Ended>) -> Self {
        let (attempts, waiting) = channel();
        Self {
            work,
            attempts,
            waiting: Arc::new(Mutex::new(waiting)),
            idle: 0,
            ended,
        }
    }

    /// Makes `attempt` on a thread that is idle, or on a new one.
    ///
    /// # Errors
    ///
    /// No thread can be started.
    pub(crate) fn start(&mut self, attempt: Attempt) -> Result<(), Failure> {
        if self.idle > 0 {
            self.idle -= 1;
        } else {
            self.spawn().map_err(|error| {
                let message = format!("the thread for the node cannot be started: {error}");
                Failure::new(Diagnostic::new(Code::IoFailed, message))
            })?;
        }
        // The other end is here as well.
        let _ = self.attempts.send(attempt);
        Ok(())
    }

    /// A thread has made its attempt. Each [`Ended`] stands for one.
    pub(crate) const fn release(&mut self) {
        self.idle += 1;
    }

    fn spawn(&self) -> io::Result<()> {
        let work = Arc::clone(&self.work);
        let waiting = Arc::clone(&self.waiting);
        let ended = self.ended.clone();
        let next = move || {
            let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.recv().ok()
        };
        let run = move || {
            while let Some(attempt) = next() {
                // After a timeout the result is not awaited any more.
                let _ = ended.send(make(&attempt, work.as_ref()));
            }
        };
        let builder = thread::Builder::new().name("node".into());
        builder.spawn(run).map(drop)
    }
}

/// Makes `attempt`. A panic is its failure: one node must not take the others with it.
fn make(attempt: &Attempt, work: &dyn Work) -> Ended {
    let start = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| work.run(attempt)));
    let result = result.unwrap_or_else(|_| {
        let message = "unexpected failure while the node was running";
        Err(Failure::is_final(Diagnostic::new(Code::Internal, message)))
    });
    Ended {
        index: attempt.index(),
        number: attempt.number(),
        result,
        duration: start.elapsed(),
    }
}
