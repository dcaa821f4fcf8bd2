//! What all requests share.

use std::sync::Arc;

use cogtools_core::Cancel;
use tokio::sync::{Semaphore, oneshot};

use crate::access::Access;
use crate::page::Pages;
use crate::project::ProjectView;
use crate::respond::{Answer, PageError};
use crate::session::Sessions;
use crate::tool::TestRuns;

/// What all requests share.
pub(crate) struct App {
    pub(crate) access: Access,
    pub(crate) pages: Pages,
    pub(crate) project: ProjectView,
    pub(crate) sessions: Sessions,
    pub(crate) tests: TestRuns,
    /// How many more programs may run.
    pub(crate) programs: Arc<Semaphore>,
    /// The server shuts down.
    pub(crate) stop: Cancel,
}

impl App {
    /// Runs `work`, which reads files or starts programs, in a thread of its own.
    pub(crate) async fn run(
        self: Arc<Self>,
        work: impl FnOnce(&Self) -> Result<Answer, PageError> + Send + 'static,
    ) -> axum::response::Response {
        let app = Arc::clone(&self);
        let done = tokio::task::spawn_blocking(move || work(&app)).await;
        let answer = done.unwrap_or(Err(PageError::Bug));
        answer.unwrap_or_else(|error| error.answer(&self)).into()
    }

    /// The same for a program that may run for hours: other requests need not wait for it.
    pub(crate) async fn run_long(
        self: Arc<Self>,
        work: impl FnOnce(&Self) -> Result<Answer, PageError> + Send + 'static,
    ) -> axum::response::Response {
        let app = Arc::clone(&self);
        let (sender, receiver) = oneshot::channel();
        let Ok(permit) = Arc::clone(&self.programs).try_acquire_owned() else {
            return PageError::Busy.answer(&self).into();
        };
        let thread = std::thread::Builder::new().name("program".into());
        let started = thread.spawn(move || {
            let _ = sender.send(work(&app));
            drop(permit);
        });
        let answer = match started {
            Ok(_) => receiver.await.unwrap_or(Err(PageError::Bug)),
            Err(_) => Err(PageError::Busy),
        };
        answer.unwrap_or_else(|error| error.answer(&self)).into()
    }
}
