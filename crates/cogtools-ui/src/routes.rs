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
use axum::routing::{get, post};
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
    let mut router = Router::new()
        .route("/", get(session::list_page))
        .route("/sessions", get(session::list_page))
        .route("/sessions/{id}", get(session::page))
        .route("/sessions/{id}/lines/{number}", get(session::line))
        .route("/sessions/{id}/blobs/{blob}", get(session::blob))
        .route("/sessions/{id}/approve", post(session::approve))
        .route("/sessions/{id}/answer", post(session::answer))
        .route("/sessions/{id}/message", post(session::message))
        .route("/sessions/{id}/events", get(live::session))
        .route("/events/tools", get(live::tools))
        .route("/tools", get(tool::list_page))
        .route("/tools/{name}", get(tool::page))
        .route("/tools/{name}/form", get(tool::form))
        .route("/tools/{name}/check", post(tool::check))
        .route("/tools/{name}/call", post(tool::call))
        .route("/tools/{name}/test", post(tool::test))
        .route("/assets/{name}", get(asset::asset))
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
        let location = HeaderValue::from_static("/");
        let headers = [(Access::HEADER, cookie), (LOCATION, location)];
        return (StatusCode::SEE_OTHER, headers).into_response();
    }
    if request.uri().path().starts_with("/assets/") {
        return next.run(request).await;
    }
    let headers = request.headers();
    if !app.access.has_cookie(headers) {
        let retry = request.uri() == "/" && *request.method() == Method::GET;
        return PageError::NoAccess { retry }.answer(&app).into();
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
