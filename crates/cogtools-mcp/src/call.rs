//! Calls: each in a thread of its own, bounded in number and time, and ended when
//! nobody wants its answer any more.

use std::sync::Arc;
use std::time::Duration;

use cogtools_core::arguments::Arguments;
use cogtools_core::{Answer, Cancel, Code, Fault, Tool};
use cogtools_program::work::{self, Limit};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Semaphore, oneshot};
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
        let (tell, limits) = unbounded_channel();
        let (sender, answer) = oneshot::channel();
        let (catalogue, cancel) = (Arc::clone(catalogue), asked.0.clone());
        let wanted = name.to_owned();
        let work = move || {
            let called = called(&catalogue, &wanted, arguments, cancel, &tell);
            let _ = sender.send(called);
            drop(permit);
        };
        if let Err(fault) = work::start(name, work) {
            return Called::Failed(vec![*fault]);
        }
        tokio::select! {
            called = answer => called.unwrap_or_else(|_| Called::Failed(vec![defect(name)])),
            fault = late(name, limits) => Called::Failed(vec![fault]),
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

/// One call from its name to its end; `tell` hears how long the tool may take, and
/// then the one that it calls, if it does nothing else.
fn called(
    catalogue: &Catalogue,
    name: &str,
    arguments: impl FnOnce(&Tool) -> Result<Arguments, Vec<Fault>>,
    cancel: Cancel,
    tell: &UnboundedSender<Limit>,
) -> Called {
    let tool = match catalogue.find(name) {
        Ok(tool) => tool,
        Err(Missing::Unknown(faults)) => return Called::Unknown(faults),
        Err(Missing::Unusable(faults)) => return Called::Failed(faults),
    };
    let tell = |limit| drop(tell.send(limit));
    tell(Limit::of(&tool));
    let arguments = match arguments(&tool) {
        Ok(arguments) => arguments,
        Err(faults) => {
            let faults = faults.into_iter().map(|fault| fault.about(name));
            return Called::Failed(faults.collect());
        }
    };
    let surroundings = match catalogue.surroundings(&tool, cancel) {
        Ok(surroundings) => surroundings,
        Err(faults) => return Called::Failed(faults),
    };
    match work::answer(&tool, arguments, &surroundings, tell) {
        Ok(answer) => Called::Done(answer),
        Err(faults) => Called::Failed(faults),
    }
}

/// Comes when the tool `name`, the one that it calls, or the search for either has
/// taken too long; each of them has its own time.
async fn late(name: &str, mut limits: UnboundedReceiver<Limit>) -> Fault {
    let mut limit = Limit::new(name, Tool::TIMEOUT);
    loop {
        match timeout(limit.patience(), limits.recv()).await {
            Ok(Some(next)) => limit = next,
            // The call has ended, or its thread has: the answer tells.
            Ok(None) => return std::future::pending().await,
            Err(_) => return limit.fault(),
        }
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
