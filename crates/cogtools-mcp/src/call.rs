//! Calls: each in a thread of its own, bounded in number and time, and ended when
//! nobody wants its answer any more.

use std::sync::Arc;
use std::time::Duration;

use cogtools_core::arguments::Arguments;
use cogtools_core::{Answer, Call, Cancel, Code, Fault, Limit, Surroundings, Tool};
use cogtools_program::work;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use crate::catalogue::{Catalogue, Missing};

/// What came of a call.
#[derive(Debug)]
pub(crate) enum Called {
    /// The tool answered.
    Done(Answer),
    /// It did not, or must not be asked that way.
    Failed(Vec<Fault>),
    /// There is no such tool.
    Unknown(Vec<Fault>),
    /// Nobody wants to know.
    Cancelled,
}

/// The threads in which tools work.
#[derive(Clone, Debug)]
pub(crate) struct Workers {
    free: Arc<Semaphore>,
}

impl Workers {
    /// How many tools work at once; further calls wait.
    const MOST: u32 = 64;

    pub(crate) fn new() -> Self {
        Self {
            free: Arc::new(Semaphore::new(Self::MOST as usize)),
        }
    }

    /// Calls the tool of that name with what `arguments` makes of it, unless
    /// `cancelled` comes first. When this future is dropped the tool is ended too.
    pub(crate) async fn call(
        &self,
        catalogue: &Arc<Catalogue>,
        name: &str,
        arguments: impl FnOnce(&Tool) -> Result<Arguments, Vec<Fault>> + Send + 'static,
        cancelled: impl Future<Output = ()>,
    ) -> Called {
        let working = self.work(catalogue, name, arguments);
        tokio::select! {
            called = working => called,
            () = cancelled => Called::Cancelled,
        }
    }

    async fn work(
        &self,
        catalogue: &Arc<Catalogue>,
        name: &str,
        arguments: impl FnOnce(&Tool) -> Result<Arguments, Vec<Fault>> + Send + 'static,
    ) -> Called {
        let Ok(permit) = Arc::clone(&self.free).acquire_owned().await else {
            return Called::Cancelled;
        };
        let asked = Asked(Cancel::default());
        let (catalogue, cancel) = (Arc::clone(catalogue), asked.0.clone());
        let wanted = name.to_owned();
        let find = move || prepare(&catalogue, &wanted, arguments, cancel);
        // Finding the tool may start programs, too.
        let finding = Limit::new(name, Tool::TIMEOUT);
        let (call, surroundings, permit) = match within(name, &finding, permit, find).await {
            Ok((Ok((call, surroundings)), permit)) => (call, surroundings, permit),
            Ok((Err(missing), _)) => return missing.into(),
            Err(fault) => return Called::Failed(vec![fault]),
        };
        let limit = call.limit();
        let run = move || call.run(&surroundings);
        match within(name, &limit, permit, run).await {
            Ok((Ok(answer), _)) => Called::Done(answer),
            Ok((Err(faults), _)) => Called::Failed(faults),
            Err(fault) => Called::Failed(vec![fault]),
        }
    }

    /// Waits until no tool works any more, no longer than `patience`.
    pub(crate) async fn none(&self, patience: Duration) {
        let _ = timeout(patience, self.free.acquire_many(Self::MOST)).await;
    }
}

/// Asks a tool to stop when nobody waits for it any more.
struct Asked(Cancel);

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.ask();
    }
}

impl From<Missing> for Called {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::Unknown(faults) => Self::Unknown(faults),
            Missing::Unusable(faults) => Self::Failed(faults),
        }
    }
}

/// The call of the tool `name`, and what is around it, which `cancel` ends.
fn prepare(
    catalogue: &Catalogue,
    name: &str,
    arguments: impl FnOnce(&Tool) -> Result<Arguments, Vec<Fault>>,
    cancel: Cancel,
) -> Result<(Call, Surroundings), Missing> {
    let call = catalogue.prepare(name, arguments)?;
    let surroundings = catalogue.surroundings(call.tool(), cancel);
    Ok((call, surroundings.map_err(Missing::Unusable)?))
}

/// What comes of `work`, a part of a call of the tool `name`, unless that takes longer
/// than its `limit`. The `permit` is not free before the work has ended.
async fn within<T: Send + 'static>(
    name: &str,
    limit: &Limit,
    permit: OwnedSemaphorePermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<(T, OwnedSemaphorePermit), Fault> {
    let (sender, done) = oneshot::channel();
    let started = work::start(name, move || {
        let _ = sender.send((work(), permit));
    });
    started.map_err(|fault| *fault)?;
    match timeout(limit.patience(), done).await {
        Ok(done) => done.map_err(|_| defect(name)),
        Err(_) => Err(limit.fault()),
    }
}

/// The thread has gone without an answer; what happened stands on standard error.
fn defect(name: &str) -> Fault {
    Fault::new(
        Code::Internal,
        "unexpected failure while the tool was at work",
    )
    .about(name)
    .hint("this is a defect of cogtools; please report it with the call")
}
