//! One run of the server: it listens, prints its URL, and serves until it is asked to end.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Query, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get, post};
use cogtools_core::file::{WritePath, create_private_folder, replace_private};
use cogtools_core::{Cancel, Code, Diagnostic};
use cogtools_http::Bytes;
use cogtools_http::http;
use cogtools_http::server::{self, Server, ServerOptions};
use cogtools_program::dirs::state_dir;
use cogtools_program::{Failure, Io, open_in_browser};
use serde::Deserialize;
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_service::Service as _;

use crate::access::Access;
use crate::command::UiArgs;
use crate::page::Pages;
use crate::project::ProjectView;
use crate::respond::{App, PageError};
use crate::session::{Runs, Sessions};
use crate::tool::TestRuns;
use crate::{evals, live, page, session, tool};

/// The time between two looks whether the server is asked to end.
const STOP_POLL: Duration = Duration::from_millis(50);
/// The time that programs may take to end.
const STOP_GRACE: Duration = Duration::from_secs(5);
/// The number of programs that run at the same time.
const MAX_PROGRAMS: u32 = 16;
/// The number of requests that read files or wait for programs at the same time.
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
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let server = Server::bind(address).await.map_err(|error| {
        let message = format!("cannot listen on {address}: {error}");
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
        runs: Runs::default(),
        tests: TestRuns::default(),
        programs: Arc::new(Semaphore::new(MAX_PROGRAMS as usize)),
        stop: stop.clone(),
    });
    io.print(format!("{url}\n").as_bytes())?;
    if args.open {
        open(&url, io)?;
    }
    let router = routes(&app);
    let handle = move |request: http::Request<Bytes>| {
        let mut router = router.clone();
        async move {
            let response = router.call(request.map(axum::body::Body::from)).await;
            let Ok(response) = response;
            response.map(server::body)
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

/// The sources that a page may load: only this server. Nothing in a page is a script.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      connect-src 'self'; img-src 'self' data:; base-uri 'none'; \
                      form-action 'self'; frame-ancestors 'none'";

/// Headers of every response.
const HEADERS: [(HeaderName, &str); 6] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=()",
    ),
];

/// All pages, for those who have access.
pub(crate) fn routes(app: &Arc<App>) -> Router {
    let pages: [(&str, MethodRouter<Arc<App>>); 26] = [
        ("", get(session::list_page)),
        ("/", get(session::list_page)),
        ("/sessions", get(session::list_page).post(session::begin)),
        ("/sessions/{id}", get(session::page)),
        ("/sessions/{id}/lines/{number}", get(session::line)),
        (
            "/sessions/{id}/lines/{number}/layers/{layer}",
            get(session::layer),
        ),
        ("/sessions/{id}/blobs/{blob}", get(session::blob)),
        ("/sessions/{id}/approve", post(session::approve)),
        ("/sessions/{id}/answer", post(session::answer)),
        ("/sessions/{id}/message", post(session::message)),
        ("/sessions/{id}/stop", post(session::stop)),
        ("/sessions/{id}/example", post(session::example)),
        ("/sessions/{id}/open", post(session::open)),
        ("/sessions/{id}/events", get(live::session)),
        ("/overview", get(live::overview)),
        ("/events/tools", get(live::tools)),
        ("/evals", get(evals::newest_page)),
        ("/evals/{run}", get(evals::page)),
        ("/evals/{run}/cases/{number}", get(evals::case_page)),
        ("/tools", get(tool::list_page).post(tool::create)),
        ("/tools/{name}", get(tool::page)),
        ("/tools/{name}/form", get(tool::form)),
        ("/tools/{name}/check", post(tool::check)),
        ("/tools/{name}/call", post(tool::call)),
        ("/tools/{name}/test", post(tool::test)),
        ("/tools/{name}/open", post(tool::open)),
    ];
    let mut router = Router::new().route("/assets/{name}", get(page::asset));
    for (path, page) in pages {
        router = router.route(&format!("{}{path}", app.access.base()), page);
    }
    router = router
        .fallback(not_found)
        .layer(from_fn_with_state(Arc::clone(app), admit))
        .layer(SetResponseHeaderLayer::if_not_present(
            CACHE_CONTROL,
            HeaderValue::from_static("no-store"),
        ));
    for (name, value) in HEADERS {
        let value = HeaderValue::from_static(value);
        router = router.layer(SetResponseHeaderLayer::overriding(name, value));
    }
    router.with_state(Arc::clone(app))
}

/// The query of the printed URL.
#[derive(Deserialize)]
struct Ticket {
    token: Option<String>,
}

/// Lets a request through if its browser has access, and what starts something only from a page.
async fn admit(
    State(app): State<Arc<App>>,
    Query(ticket): Query<Ticket>,
    request: Request,
    next: Next,
) -> Response {
    let token = ticket.token;
    if let Some(token) = token.filter(|_| request.uri().path() == "/")
        && let Some(cookie) = app.access.exchange(&token)
    {
        let location = format!("{}/", app.access.base());
        let Ok(location) = HeaderValue::from_str(&location) else {
            return PageError::Bug.answer(&app).into();
        };
        let headers = [(Access::HEADER, cookie), (LOCATION, location)];
        return (StatusCode::SEE_OTHER, headers).into_response();
    }
    if request.uri().path().starts_with("/assets/") {
        return next.run(request).await;
    }
    let headers = request.headers();
    let uri = request.uri();
    let is_below = app.access.is_below_base(uri.path());
    if !is_below || !app.access.has_cookie(headers) {
        let retry = is_below && uri.query().is_none() && *request.method() == Method::GET;
        let error = PageError::NoAccess { is_below, retry };
        return error.answer(&app).into();
    }
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    if !is_read && !app.access.has_page_token(headers) {
        return PageError::NoPageToken.answer(&app).into();
    }
    next.run(request).await
}

async fn not_found(State(app): State<Arc<App>>) -> Response {
    PageError::NotFound.answer(&app).into()
}

/// The folder, in the user's state, with the page that leads the browser to the server.
const FOLDER: &str = "ui";

/// Opens `url` in the browser. Others on the machine can read command lines, and the token is in
/// the URL: so the browser gets a file that only its user can read, and that leads there.
pub(crate) fn open(url: &str, io: &Io<'_>) -> Result<(), Failure> {
    let Some(state) = state_dir(io) else {
        let message = "there is no directory for the page that the browser opens";
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        return Err(diagnostic.hint("set HOME, or XDG_STATE_HOME").into());
    };
    let folder = state.join(FOLDER);
    let path = folder.join("open.html");
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>cogtools</title>\
         <meta http-equiv=\"refresh\" content=\"0;url={url}\"><a href=\"{url}\">cogtools</a>\n"
    );
    let failed = |error: String| {
        let message = format!("`{}` cannot be written: {error}", path.display());
        Diagnostic::new(Code::IoFailed, message).hint("open the URL yourself")
    };
    create_private_folder(&folder).map_err(|error| failed(error.to_string()))?;
    let file = WritePath::below(&folder, "open.html".as_ref());
    replace_private(&file, page.as_bytes()).map_err(|error| failed(error.to_string()))?;
    let opened = open_in_browser(path.as_ref(), io);
    opened.map_err(|error| error.hint("open the URL yourself, without --open").into())
}
