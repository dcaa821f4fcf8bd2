//! Recordings of requests, which no longer fit what the tool requests.

use cogtools_test_support::{Project, assert_text, str};

use crate::http::{Seen, Server, response, tool};
use crate::run;

/// A request that differs from the recorded one, one less and one more are failures that name the
/// file, both requests and the command that records again; for an example that expects a failure,
/// too.
#[test]
fn a_recording_that_no_longer_fits_says_so() {
    let server = Server::new(|request| {
        let next = request.contains("page=2").then_some("null");
        let body = format!(r#"{{"items": [1], "next": {}}}"#, next.unwrap_or("2"));
        response("200 OK", "Content-Type: application/json\r\n", &body)
    });
    let project = Project::new();
    let examples = "examples:\n  - name: pages\n    arguments: {}\n";
    let http = "method: POST, url: \"http://127.0.0.1:PORT/x\", body: {json: {who: Ada}}, paginate: {next: {pointer: /next, query: page}, items: /items}";
    let right = tool(&server, examples, http);
    let run = |text: &str, option: &[&str]| {
        project.file("tools/t.yaml", text);
        let seen = Seen::of(&run("cogtools-test", &project).args(option).run());
        seen.stdout.replace(&server.port.to_string(), "PORT")
    };
    // The lines that say in which way `tools/t.pages.tape` does not fit.
    let test = |text: &str| {
        let report = run(text, &[]);
        let failure = "recording: `tools/t.pages.tape` does not fit the requests any more\n";
        let (_, rest) = report.split_once(failure).expect(&report);
        let lines = rest.lines().take_while(|line| line.starts_with("    "));
        lines.fold(String::new(), |all, line| all + line.trim_start() + "\n")
    };
    let report = run(&right, &["--record"]);
    assert!(report.contains("all passed"), "{report}");
    assert_eq!(server.requests().len(), 2);
    let fails = right.replace("arguments: {}", "arguments: {}\n    fails: TOOL_FAILED");
    let cases = [
        (
            right.replace("/x\"", "/y\""),
            str![[r#"
t: the url of POST http://127.0.0.1:PORT/y differs from the nearest recorded request
| - POST http://127.0.0.1:PORT/x
| + POST http://127.0.0.1:PORT/y
hint: if they are right: cogtools test --record t

"#]],
        ),
        (
            right.replace("POST", "PUT"),
            str![[r#"
t: the method of PUT http://127.0.0.1:PORT/x differs from the nearest recorded request
| - POST http://127.0.0.1:PORT/x
| + PUT http://127.0.0.1:PORT/x
hint: if they are right: cogtools test --record t

"#]],
        ),
        (
            right.replace("Ada", "Bob"),
            str![[r#"
t: the body of POST http://127.0.0.1:PORT/x differs from the nearest recorded request
| - {"who":"Ada"}
| + {"who":"Bob"}
hint: if they are right: cogtools test --record t

"#]],
        ),
        (
            right.replace("query: page}", "query: page}, pages: 1"),
            str![[r#"
t: POST http://127.0.0.1:PORT/x?page=2 is recorded and is not made any more
hint: if they are right: cogtools test --record t

"#]],
        ),
        (
            right.replace("query: page", "query: p"),
            str![[r#"
t: the url of POST http://127.0.0.1:PORT/x?p=2 differs from the nearest recorded request
| - POST http://127.0.0.1:PORT/x?page=2
| + POST http://127.0.0.1:PORT/x?p=2
hint: if they are right: cogtools test --record t

"#]],
        ),
        (
            fails.replace("/x\"", "/y\""),
            str![[r#"
t: the url of POST http://127.0.0.1:PORT/y differs from the nearest recorded request
| - POST http://127.0.0.1:PORT/x
| + POST http://127.0.0.1:PORT/y
hint: if they are right: cogtools test --record t

"#]],
        ),
    ];
    for (text, expected) in cases {
        assert_ne!(text, right);
        assert_text(test(&text), expected);
    }
    // A recording that lacks the last response.
    let tape: serde_json::Value =
        serde_json::from_str(&project.read("tools/t.pages.tape")).expect("JSON");
    project.file(
        "tools/t.pages.tape",
        serde_json::json!([tape[0]]).to_string(),
    );
    assert_text(
        test(&right),
        str![[r#"
t: no response is recorded for POST http://127.0.0.1:PORT/x?page=2
| the last recorded request: POST http://127.0.0.1:PORT/x
hint: if they are right: cogtools test --record t

"#]],
    );
    assert_eq!(server.requests().len(), 2);
}
