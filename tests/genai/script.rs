//! The scripts that each SDK plays.

use std::time::Duration;

use cogtools_test_support::{ApiError, Break, Options, Turn};
use serde_json::{Value, json};

fn add(a: i32, b: i32) -> (&'static str, Value) {
    ("add", json!({ "a": a, "b": b }))
}

/// Everything that an SDK repeats is checked, not only its current turn.
pub(super) fn strict() -> Options {
    Options::default().key("dummy").check_all_turns()
}

/// Parallel calls, another step, and two answers.
pub(super) fn functions() -> Vec<Turn> {
    let (name, args) = add(3, 7);
    vec![
        Turn::calls([add(1, 2), add(3, 4)]),
        Turn::call(name, args),
        Turn::text("3, 7 and 10"),
        Turn::text("You are welcome."),
    ]
}

/// Two steps that the SDK takes on its own.
pub(super) fn automatic() -> Vec<Turn> {
    let steps = [add(1, 2), add(3, 0)];
    // The SDK for Python does not repeat ids here.
    let steps = steps.map(|(name, args)| Turn::call(name, args).without_ids());
    steps.into_iter().chain([Turn::text("3")]).collect()
}

/// Text in pieces, a call, and answers; all as streams, each sent in another way.
pub(super) fn streams() -> Vec<Turn> {
    let (name, args) = add(1, 2);
    vec![
        Turn::texts(["Grüße ", "👋", "!"]).in_pieces(1, Duration::ZERO),
        Turn::call(name, args).thinking("hm").separated_by("\n\n"),
        Turn::texts(["It is ", "3."]).separated_by("\r\r"),
        Turn::texts(["a", "b"]).thinking("more"),
    ]
}

/// An answer that is cut short, an unknown reason, no parts, and a blocked prompt.
pub(super) fn answers() -> Vec<Turn> {
    vec![
        Turn::text("one").finish("MAX_TOKENS"),
        Turn::text("two").finish("NOT_INVENTED_YET"),
        Turn::empty("MALFORMED_FUNCTION_CALL"),
        Turn::blocked("SAFETY"),
    ]
}

/// Errors of the API, and of what is between.
pub(super) fn errors() -> Vec<Turn> {
    let exhausted = ApiError::new(429).quota("PerDay").retry_after("23s");
    let page = "<html><title>502 Bad Gateway</title></html>";
    vec![
        Turn::error(exhausted),
        Turn::error(500),
        Turn::error(503),
        Turn::error(504),
        Turn::page(502, "text/html", page),
        Turn::page(500, "text/plain", ""),
        Turn::reset(),
    ]
}

/// Streams that do not arrive.
pub(super) fn breaks() -> Vec<Turn> {
    let text = || Turn::texts(["one", "two", "three"]);
    vec![
        text().breaks_after(1, Break::Error(ApiError::new(503))),
        text().breaks_after(1, Break::Cut),
        text().breaks_after(1, Break::Reset),
    ]
}
