//! Stateless servers over HTTP as sources of tools, and servers of the
//! official SDK of Python.

use cogtools_test_support::{Expected, Project, install, str};
use serde_json::{Value, json};

use super::cache;
use super::peer::{Site, peer};
use super::session::Session;
use super::source::{NONE, project, with};

/// The server at `url` as a source.
pub(super) fn source(url: &str) -> Value {
    json!({"mcp": {"url": url, "name": "s", "timeout": 5, "wait": 30}})
}

/// The answer of the tool `t` to the arguments.
#[track_caller]
fn says(project: &Project, source: &Value, arguments: &Value, expected: impl Into<Expected>) {
    let run = with("cogtools-call", project, std::slice::from_ref(source));
    run.arg("t").stdin(arguments).run().outputs(expected);
}

#[test]
fn stateless_servers_in_both_forms() {
    let project = project();
    let site = Site::strict(&project, &[]);
    for form in ["json", "events"] {
        let source = source(&format!("{}/{form}", site.url));
        let region = "{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\"}}}";
        let declared = with("cogtools-discover", &project, std::slice::from_ref(&source)).run();
        declared.outputs(format!(
            "[\n{{\"name\":\"ok\",\"description\":\"d\",{NONE},\n\
             {{\"name\":\"first\",\"description\":\"d\",{NONE},\n\
             {{\"name\":\"t\",\"description\":\"d\",\"parameters\":{region},\
             \"parametersJsonSchema\":{region}}}\n]\n"
        ));
        for (arguments, expected) in [
            (json!({"region": "eu"}), str![[r#"{"region": "eu"}"#]]),
            (
                json!({"region": " Zürich"}),
                str![[r#"{"region": " Z\u00fcrich"}"#]],
            ),
            (json!({}), str!["{}"]),
        ] {
            says(&project, &source, &arguments, expected);
        }
    }
}

#[test]
fn one_failed_request_ends_no_session() {
    let project = project();
    let site = Site::start(&project, "python3", [peer("failing.py")]);
    let sources = json!({"tool_sources": [source(&site.url)]});
    project.file("../home/.gemini/cogtoolrc.yaml", sources.to_string());
    let mut session = Session::open(&project);
    session.get("tools/list", &json!({})).expect("tools");
    let slow = session.call("slow", &json!({}));
    for (tool, expected) in [
        (
            "refuse",
            "HTTP 422 Unprocessable Entity: {\"detail\": \"not on Sundays\"}\nhint: the server \
             refuses this; its documentation may say why\n",
        ),
        (
            "flood",
            "HTTP 429 Too Many Requests\nhint: try again later\n",
        ),
        (
            "flood",
            "HTTP 429 Too Many Requests\nhint: try again later\n",
        ),
    ] {
        let id = session.call(tool, &json!({}));
        let text = format!(
            "cogtools-mcp: error[TOOL_FAILED]: {tool}: the MCP server `s` responded with {expected}"
        );
        assert_eq!(session.text(id), (text, true));
    }
    assert_eq!(session.text(slow), (String::new(), false));
    let metadata = json!({"traceparent": "00-1-2-01", "example.org/x": 1, "progressToken": "p"});
    let meta = json!({"name": "meta", "arguments": {}, "_meta": metadata});
    let id = session.ask("tools/call", &meta);
    let text = "example.org/x=1 traceparent=00-1-2-01".to_owned();
    assert_eq!(session.text(id), (text, false));
    // The same session, and a new one as soon as the server has forgotten this one.
    for (tool, expected) in [("count", "6"), ("forget", ""), ("count", "1")] {
        let id = session.call(tool, &json!({}));
        assert_eq!(session.text(id), (expected.to_owned(), false), "{tool}");
    }
}

#[test]
fn the_sdk_of_python_over_http() {
    let python = install::python(&cache(), "mcp-python-2.3.0", &["mcp==2.3.0"]);
    // The header says the method, too, except in what the first generation never reads.
    let discover = "POST server/discover 2026-07-28 server/discover\n";
    let begin = format!(
        "{discover}POST initialize - initialize\nPOST notifications/initialized 2025-11-25 -\n\
         POST tools/list 2025-11-25 -\n"
    );
    let end = "DELETE - 2025-11-25 -\n";
    let call = "POST tools/call 2025-11-25 -\n";
    let older = format!("{begin}{end}{begin}{call}{end}");
    let list = "POST tools/list 2026-07-28 tools/list\n";
    let call = "POST tools/call 2026-07-28 tools/call\n";
    let modern = format!("{discover}{list}{discover}{list}{call}");
    for (era, spoken) in [("older", older), ("modern", modern)] {
        let project = project();
        let script = peer("served.py");
        let site = Site::start(&project, &python, [script.as_os_str(), era.as_ref()]);
        let source = source(&site.url);
        says(&project, &source, &json!({"a": 1}), str!["3"]);
        assert_eq!(project.read("spoken"), spoken, "{era}");
    }
}
