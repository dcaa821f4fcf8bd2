//! One run of the server: it listens, prints its URL, and serves until it is asked to end.

use std::sync::Arc;
use std::time::Duration;

use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_http::Bytes;
use cogtools_http::http::{Request, Response};
use cogtools_http::server::{Body, Server, ServerOptions};
use cogtools_program::{Failure, Io};
use http_body_util::BodyExt as _;
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tower_service::Service as _;

use crate::access::Access;
use crate::app::App;
use crate::command::UiArgs;
use crate::open::open;
use crate::page::Pages;
use crate::project::ProjectView;
use crate::respond::UntilError;
use crate::routes::routes;
use crate::session::Sessions;
use crate::tool::TestRuns;

/// How often the server looks whether it is asked to end.
const STOP_POLL: Duration = Duration::from_millis(50);
/// How long programs may take to end.
const STOP_GRACE: Duration = Duration::from_secs(5);
/// How many programs run at the same time.
const MAX_PROGRAMS: u32 = 16;
/// How many requests read files or wait for programs at the same time.
const MAX_THREADS: usize = 16;

/// Serves the pages until the process is asked to end.
pub(crate) fn serve(args: &UiArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let stop = io.signals.begin();
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_THREADS)
        .build()
        .map_err(|error| {
            let message = format!("cannot start the async runtime: {error}");
            Diagnostic::new(Code::Internal, message)
        })?;
    let served = runtime.block_on(run(args, &stop, io));
    // A thread that waits for a program must not block the exit.
    runtime.shutdown_background();
    served
}

async fn run(args: &UiArgs, stop: &Cancel, io: &mut Io<'_>) -> Result<(), Failure> {
    let server = Server::bind(args.address).await.map_err(|error| {
        let message = format!("cannot listen on {}: {error}", args.address);
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        diagnostic.hint("choose another port, or 0 for any free port")
    })?;
    let access = Access::new(server.address().port()).map_err(|error| *error)?;
    let url = format!("http://{}/?token={}", server.address(), access.ticket());
    let pages = Pages::new().map_err(|error| {
        let message = format!("a page cannot be compiled: {error}");
        Diagnostic::new(Code::Internal, message)
    })?;
    let app = Arc::new(App {
        access,
        pages,
        project: ProjectView::new(io, stop.clone()),
        sessions: Sessions::new(&args.files, io)?,
        tests: TestRuns::default(),
        programs: Arc::new(Semaphore::new(MAX_PROGRAMS as usize)),
        stop: stop.clone(),
    });
    io.print(format!("{url}\n").as_bytes())?;
    if args.open {
        open(&url, io)?;
    }
    let router = routes(&app);
    let handle = move |request: Request<Bytes>| {
        let mut router = router.clone();
        async move {
            let response = router.call(request.map(axum::body::Body::from)).await;
            let Ok(response) = response;
            response_body(response)
        }
    };
    let stopped = async {
        while !stop.is_cancelled() {
            tokio::time::sleep(STOP_POLL).await;
        }
    };
    let programs = Arc::clone(&app.programs);
    server
        .serve(ServerOptions::default(), handle, stopped)
        .await;
    // What pages have started is ended, too.
    let all = programs.acquire_many(MAX_PROGRAMS);
    let _ = tokio::time::timeout(STOP_GRACE, all).await;
    Ok(())
}

fn response_body(response: Response<axum::body::Body>) -> Response<Body> {
    response.map(|body| UntilError::new(body).boxed())
}
