//! Calls: each in a thread of its own, bounded in number and time, and ended when
//! nobody wants its answer any more.

use std::sync::Arc;
use std::time::Duration;

use cogtools_core::arguments::Arguments;
use cogtools_core::{Call, Cancel, Code, Context, Diagnostic, Limit, Registry, Tool, ToolOutput};
use cogtools_program::work;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use crate::catalogue::{CallError, Catalogue};

/// What came of a call.
#[derive(Debug)]
pub(crate) enum Called {
    /// The tool answered.
    Done(ToolOutput),
    /// It did not, or must not be asked that way.
    Failed(Vec<Diagnostic>),
    /// There is no such tool.
    Unknown(Vec<Diagnostic>),
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
        arguments: impl FnOnce(&Tool) -> Result<Arguments, Vec<Diagnostic>> + Send + 'static,
        cancelled: impl Future<Output = ()>,
    ) -> Called {
        let working = self.work(catalogue, name, arguments);
        tokio::select! {
            called = working => match called {
                Ok(answer) => Called::Done(answer),
                Err(CallError::Unknown(diagnostics)) => Called::Unknown(diagnostics),
                Err(CallError::Failed(diagnostics)) => Called::Failed(diagnostics),
            },
            () = cancelled => Called::Cancelled,
        }
    }

    /// Finding a tool, finding the one that it calls if it does nothing else, and
    /// running that one have each a time of their own: all of them may start programs.
    async fn work(
        &self,
        catalogue: &Arc<Catalogue>,
        name: &str,
        arguments: impl FnOnce(&Tool) -> Result<Arguments, Vec<Diagnostic>> + Send + 'static,
    ) -> Result<ToolOutput, CallError> {
        let permit = Arc::clone(&self.free).acquire_owned().await;
        let permit = permit.map_err(|_| CallError::Failed(vec![defect(name)]))?;
        let asked = Asked(Cancel::default());

        let limit = Limit::new(name, Tool::TIMEOUT);
        let (place, wanted) = (Arc::clone(catalogue), name.to_owned());
        let find = move || place.find(&wanted);
        let ((registry, tool), permit) = within(name, &limit, permit, find).await?;

        let limit = Limit::of(&tool);
        let (place, cancel) = (Arc::clone(catalogue), asked.0.clone());
        let prepare = move || prepare(&place, &registry, tool, arguments, cancel);
        let ((call, cx), permit) = within(name, &limit, permit, prepare).await?;

        let limit = call.limit();
        let run = move || call.run(&cx).map_err(CallError::Failed);
        let (answer, _permit) = within(name, &limit, permit, run).await?;
        Ok(answer)
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
        self.0.cancel();
    }
}

/// The call of `tool` with what `arguments` makes of it, and what is around the call,
/// which `cancel` ends.
fn prepare(
    catalogue: &Catalogue,
    registry: &Registry,
    tool: Tool,
    arguments: impl FnOnce(&Tool) -> Result<Arguments, Vec<Diagnostic>>,
    cancel: Cancel,
) -> Result<(Call, Context), CallError> {
    let arguments = arguments(&tool).map_err(|diagnostics| {
        let about = |diagnostic: Diagnostic| diagnostic.with_subject(tool.name().as_str());
        CallError::Failed(diagnostics.into_iter().map(about).collect())
    })?;
    let call = registry.prepare_tool(tool, arguments);
    let call = call.map_err(CallError::Failed)?;
    let cx = catalogue.cx(call.tool(), cancel);
    Ok((call, cx.map_err(CallError::Failed)?))
}

/// What comes of `work`, a part of a call of the tool `name`, unless that takes longer
/// than its `limit`. The `permit` is not free before the work has ended.
async fn within<T: Send + 'static>(
    name: &str,
    limit: &Limit,
    permit: OwnedSemaphorePermit,
    work: impl FnOnce() -> Result<T, CallError> + Send + 'static,
) -> Result<(T, OwnedSemaphorePermit), CallError> {
    let failed = |diagnostic: Diagnostic| CallError::Failed(vec![diagnostic]);
    let (sender, done) = oneshot::channel();
    let started = work::start(name, move || {
        let _ = sender.send((work(), permit));
    });
    started.map_err(|diagnostic| failed(*diagnostic))?;
    match timeout(limit.patience(), done).await {
        Ok(Ok((done, permit))) => Ok((done?, permit)),
        Ok(Err(_)) => Err(failed(defect(name))),
        Err(_) => Err(failed(limit.diagnostic())),
    }
}

/// The thread has gone without an answer; what happened stands on standard error.
fn defect(name: &str) -> Diagnostic {
    Diagnostic::new(
        Code::Internal,
        "unexpected failure while the tool was at work",
    )
    .with_subject(name)
    .hint("this is a defect of cogtools; please report it with the call")
}
