//! What all requests share.

use std::sync::Arc;

use cogtools_core::Cancel;

use crate::access::Access;
use crate::page::Pages;
use crate::project::ProjectView;
use crate::respond::{Answer, PageError};
use crate::session::Sessions;

/// What all requests share.
pub(crate) struct App {
    pub(crate) access: Access,
    pub(crate) pages: Pages,
    pub(crate) project: ProjectView,
    pub(crate) sessions: Sessions,
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
}
