//! Tools that are kept between calls: every change counts at the next call.

use std::fs;
use std::time::Duration;

use cogtools_test_support::Project;
use serde_json::json;

use super::session::Session;

/// Longer than a file has to be unchanged until a tool is kept.
const SETTLED: Duration = Duration::from_millis(3_200);

/// The text of a tool that greets with `word`.
fn tool(word: &str) -> String {
    super::GREET.replace("Good day", word)
}

/// Calls `greet` three times: the tool is found, found again and kept, and used.
#[track_caller]
fn greets(session: &mut Session, expected: (&str, bool)) {
    for _ in 0..3 {
        let call = session.call("greet", &json!({"person": "Ada"}));
        let (text, failed) = session.text(call);
        assert_eq!((text.as_str(), failed), expected);
    }
}

#[test]
fn a_kept_tool_is_never_an_old_one() {
    let project = Project::new();
    project.file(
        ".cogtoolrc.yaml",
        "tool_sources: [{local: first}, {local: second}]\n",
    );
    project.file("first/other.yaml", super::GREET.replace("greet", "other"));
    project.file("second/greet.yaml", tool("Good day"));
    let mut session = Session::open(&project);
    std::thread::sleep(SETTLED);
    greets(&mut session, ("Good day, Ada!", false));

    // The tool's own file.
    project.file("second/greet.yaml", tool("Good eve"));
    greets(&mut session, ("Good eve, Ada!", false));
    std::thread::sleep(SETTLED);
    greets(&mut session, ("Good eve, Ada!", false));

    // A file that hides it.
    project.file("first/set/greet.yaml", tool("Hello"));
    greets(&mut session, ("Hello, Ada!", false));
    fs::remove_dir_all(project.path("first/set")).expect("it was there");
    std::thread::sleep(SETTLED);
    greets(&mut session, ("Good eve, Ada!", false));

    // What chooses among the tools: the configuration, and the `.env`.
    let config = "tool_sources: [{local: first}, {local: second}]\nfilter: {exclude: [greet]}\n";
    for (file, text) in [
        (".cogtoolrc.yaml", config),
        (".env", "COGTOOLS_EXCLUDE=greet\n"),
    ] {
        let before = fs::read_to_string(project.path(file)).ok();
        project.file(file, text);
        for _ in 0..3 {
            let call = session.call("greet", &json!({"person": "Ada"}));
            let answer = session.answer(call);
            assert_eq!(answer["error"]["code"], -32_602, "{file}: {answer}");
        }
        match before {
            Some(before) => drop(project.file(file, before)),
            None => fs::remove_file(project.path(file)).expect("it was there"),
        }
        greets(&mut session, ("Good eve, Ada!", false));
        std::thread::sleep(SETTLED);
        greets(&mut session, ("Good eve, Ada!", false));
    }
}

#[test]
fn connections_are_kept() {
    let (port, count) = crate::http::persistent();
    let project = Project::new();
    project
        .file("tools/one.yaml", crate::http::at("one", port))
        .file("tools/two.yaml", crate::http::at("two", port));
    let mut session = Session::open(&project);
    for name in ["one", "two", "one"] {
        let call = session.call(name, &json!({}));
        assert_eq!(session.text(call), ("ok".to_owned(), false));
    }
    assert_eq!(*count.lock().expect("no panic"), 1);
}
