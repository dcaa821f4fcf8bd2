//! Styles and scripts, which are part of the program.

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};

const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files, with their types.
const ASSETS: [(&str, &str, &str); 12] = [
    ("style.css", STYLE, include_str!("../assets/style.css")),
    ("form.css", STYLE, include_str!("../assets/form.css")),
    ("live.js", SCRIPT, include_str!("../assets/live.js")),
    ("tool.js", SCRIPT, include_str!("../assets/tool.js")),
    (
        "structure.js",
        SCRIPT,
        include_str!("../assets/structure.js"),
    ),
    ("fields.js", SCRIPT, include_str!("../assets/fields.js")),
    ("answer.js", SCRIPT, include_str!("../assets/answer.js")),
    ("merge.js", SCRIPT, include_str!("../assets/merge.js")),
    ("session.js", SCRIPT, include_str!("../assets/session.js")),
    ("resizer.js", SCRIPT, include_str!("../assets/resizer.js")),
    ("markdown.js", SCRIPT, include_str!("../assets/markdown.js")),
    ("page.js", SCRIPT, include_str!("../assets/page.js")),
];

/// A file, by name.
pub(crate) async fn asset(Path(name): Path<String>) -> Response {
    let found = ASSETS.iter().find(|(known, _, _)| *known == name);
    let Some((_, kind, text)) = found else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    // Another version of the program may have another file at the same port.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_short_and_load_nothing_from_elsewhere() {
        for (name, kind, text) in ASSETS {
            assert!(kind == STYLE || text.lines().count() <= 200, "{name}");
            for word in [
                "http:",
                "https:",
                "innerHTML",
                "insertAdjacentHTML",
                "eval(",
                "document.write",
            ] {
                assert!(!text.contains(word), "{name}: {word}");
            }
        }
    }
}
