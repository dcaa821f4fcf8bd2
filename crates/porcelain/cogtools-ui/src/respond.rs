//! The answers to requests, and the errors in their place.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use cogtools_core::{Cancel, Diagnostic};
use cogtools_log::SessionError;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, oneshot};

use crate::access::Access;
use crate::page::Pages;
use crate::project::ProjectView;
use crate::session::{Runs, Sessions};
use crate::tool::TestRuns;

/// An answer to a request.
#[derive(Debug)]
pub(crate) enum Answer {
    /// A page.
    Html(StatusCode, String),
    /// Data for a script.
    Json(Value),
    /// A text that the browser must not take for anything else.
    Text(Vec<u8>),
}

/// Why there is no page.
#[derive(Debug)]
pub(crate) enum PageError {
    /// Nothing has this URL.
    NotFound,
    /// The browser has no cookie; or has it, and a page elsewhere has led to a path that exists,
    /// so that it was not sent, which `retry` finds out.
    NoAccess { is_below: bool, retry: bool },
    /// The request does not come from a page of this server.
    NoPageToken,
    /// The subject of the page cannot be read.
    Failed(Vec<Diagnostic>),
    /// Too many programs run.
    Busy,
    /// A template failed, or a thread.
    Bug,
}

impl From<Vec<Diagnostic>> for PageError {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::Failed(diagnostics)
    }
}

impl From<Box<Diagnostic>> for PageError {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::Failed(vec![*diagnostic])
    }
}

impl From<SessionError> for PageError {
    fn from(error: SessionError) -> Self {
        Self::Failed(vec![error.diagnostic()])
    }
}

impl PageError {
    /// The status, the title and the text of its page.
    const fn page(&self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::NotFound => (
                StatusCode::NOT_FOUND,
                "Not found",
                "There is no page of this name, or what it was about is gone.",
            ),
            Self::NoAccess { .. } => (
                StatusCode::UNAUTHORIZED,
                "No access",
                "The URL that `cogtools ui` prints opens once, in one browser, and leads to the \
                 pages there. For another browser, start `cogtools ui` again.",
            ),
            Self::NoPageToken => (
                StatusCode::FORBIDDEN,
                "Not from this page",
                "Load the page again, and repeat what you did.",
            ),
            Self::Failed(_) => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "It cannot be shown",
                "What is wrong, and what to do about it:",
            ),
            Self::Busy => (
                StatusCode::SERVICE_UNAVAILABLE,
                "Busy",
                "Too many programs run; wait until one has ended.",
            ),
            Self::Bug => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "Unexpected failure",
                "This is a bug in cogtools; please report it with the URL of the page.",
            ),
        }
    }

    /// The page that says so.
    pub(crate) fn answer(&self, app: &App) -> Answer {
        let diagnostics = match self {
            Self::Failed(diagnostics) => diagnostics.as_slice(),
            _ => &[],
        };
        let (status, title, text) = self.page();
        let context = json!({
            "title": title,
            "text": text,
            "failures": diagnostics.iter().map(failure).collect::<Vec<Value>>(),
            "link": matches!(self, Self::NoAccess { is_below: true, .. }),
            "retry": matches!(self, Self::NoAccess { retry: true, .. }),
        });
        let page = if matches!(self, Self::NoAccess { .. }) {
            app.pages.render_for_strangers("error.njk", context)
        } else {
            app.pages.render("error.njk", context, app)
        };
        Answer::Html(status, page.unwrap_or_else(|_| title.to_owned()))
    }
}

/// A diagnostic for a page.
pub(crate) fn failure(diagnostic: &Diagnostic) -> Value {
    json!({
        "code": diagnostic.code.name(),
        "subject": diagnostic.subject,
        "pointer": diagnostic.pointer,
        "message": diagnostic.message,
        "details": diagnostic.details,
        "hints": cogtools_program::render_hints(&diagnostic.hints),
        "location": diagnostic.location.as_ref().map(|location| {
            format!("{}:{}:{}", location.file.display(), location.line, location.column)
        }),
    })
}

impl From<Answer> for Response {
    fn from(answer: Answer) -> Self {
        let (status, kind, body) = match answer {
            Answer::Html(status, text) => (status, "text/html; charset=utf-8", Body::from(text)),
            Answer::Json(value) => {
                let body = Body::from(value.to_string());
                (StatusCode::OK, "application/json", body)
            }
            Answer::Text(bytes) => {
                let body = Body::from(bytes);
                (StatusCode::OK, "text/plain; charset=utf-8", body)
            }
        };
        let mut response = Self::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        if kind.starts_with("text/plain") {
            headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("inline"));
        }
        response
    }
}

/// A request with a body about what its path names.
pub(crate) type Post = (State<Arc<App>>, Path<String>, Bytes);

/// The state that all requests share.
pub(crate) struct App {
    pub(crate) access: Access,
    pub(crate) pages: Pages,
    pub(crate) project: ProjectView,
    pub(crate) sessions: Sessions,
    pub(crate) runs: Runs,
    pub(crate) tests: TestRuns,
    /// The number of programs that may still start.
    pub(crate) programs: Arc<Semaphore>,
    /// The server shuts down.
    pub(crate) stop: Cancel,
}

impl App {
    /// Runs `work`, which reads files or starts programs, in a thread of its own.
    pub(crate) async fn run(
        self: Arc<Self>,
        work: impl FnOnce(&Self) -> Result<Answer, PageError> + Send + 'static,
    ) -> Response {
        let app = Arc::clone(&self);
        let done = tokio::task::spawn_blocking(move || work(&app)).await;
        let answer = done.unwrap_or(Err(PageError::Bug));
        answer.unwrap_or_else(|error| error.answer(&self)).into()
    }

    /// Runs `work` with a program that may run for hours: other requests need not wait for it.
    pub(crate) async fn run_long(
        self: Arc<Self>,
        work: impl FnOnce(&Self) -> Result<Answer, PageError> + Send + 'static,
    ) -> Response {
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
