//! Which URL is which page, and what every request and response has in common.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get, post};
use serde::Deserialize;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::access::Access;
use crate::app::App;
use crate::respond::PageError;
use crate::{asset, live, session, tool};

/// What a page may load: only what this server has. Nothing in a page is a script.
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
    let pages: [(&str, MethodRouter<Arc<App>>); 18] = [
        ("", get(session::list_page)),
        ("/", get(session::list_page)),
        ("/sessions", get(session::list_page)),
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
        ("/sessions/{id}/events", get(live::session)),
        ("/events/tools", get(live::tools)),
        ("/tools", get(tool::list_page)),
        ("/tools/{name}", get(tool::page)),
        ("/tools/{name}/form", get(tool::form)),
        ("/tools/{name}/check", post(tool::check)),
        ("/tools/{name}/call", post(tool::call)),
        ("/tools/{name}/test", post(tool::test)),
    ];
    let mut router = Router::new().route("/assets/{name}", get(asset::asset));
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
