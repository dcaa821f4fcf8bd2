//! Stateless servers over HTTP as sources of tools, and servers of the
//! official SDK of Python.

use cogtools_test_support::{Expected, Project, install, str};
use serde_json::{Value, json};

use super::cache;
use super::peer::{Site, peer};
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
