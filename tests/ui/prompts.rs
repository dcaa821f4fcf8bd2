//! Requests to models, on the pages and beside the sessions.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use cogtools_test_support::{FakeGemini, Project, Turn};
use serde_json::{Value, json};

use super::server::{Server, between, text};
use crate::run;

const KEY: &str = "a-key-for-tests";

/// Asks with `args`, in a session of two requests.
fn ask(project: &Project, args: &[&str], task: &str) {
    let greet = "name: greet\ndescription: Greets\nimplementation: Hello\n";
    project.file("tools/greet.yaml", greet);
    let fake = FakeGemini::start([
        Turn::call("greet", json!({})),
        Turn::text("Nothing is there."),
    ]);
    run("cogtools-ask", project)
        .env("GEMINI_API_KEY", KEY)
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
        .args(["-q"])
        .args(args)
        .arg(task)
        .run()
        .outputs("Nothing is there.\n");
    fake.finish();
}

/// All files below `folder`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let below = |path: PathBuf| {
        if path.is_dir() {
            files(&path)
        } else {
            vec![path]
        }
    };
    paths.flat_map(below).collect()
}

/// A project with a session whose task is long, hostile and has a key; and a server that shows it.
fn asked() -> (Project, Server) {
    let project = Project::new();
    let task = format!("<b>My</b> key is {KEY}. {}", "long ".repeat(8000));
    ask(&project, &["--session", "s.jsonl"], &task);
    let server = Server::start(&project, &["--session", "s.jsonl"]);
    (project, server)
}

/// The requests in the session, each with the number of its line.
fn requests(project: &Project) -> Vec<(usize, Value)> {
    let log = project.read("s.jsonl");
    let lines = log.lines().zip(1..);
    lines
        .map(|(line, number)| (number, serde_json::from_str(line).expect("JSON")))
        .filter(|(_, line): &(usize, Value)| line["kind"] == "request")
        .collect()
}

#[test]
fn what_was_sent_is_shown_once() {
    let (project, server) = asked();
    let cookie = server.cookie();
    let page = server.get(&cookie, "/sessions/file.0").body;
    let all = text(&page);
    let (_, prompt) = all.split_once("| Turn at line").expect("a timeline");
    for part in [
        "as in the request before",
        "&lt;b&gt;My&lt;/b&gt; key is [masked: GEMINI_API_KEY]. long",
        "bytes left out",
        "[call: greet] {}",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert!(page.len() < 150_000, "{}", page.len());
    // The instructions are the same for both requests, and are on the page once.
    let requests = requests(&project);
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].1["layers"][0], requests[1].1["layers"][0]);
    assert_eq!(page.matches("Layer static of request").count(), 1);
    for file in files(&project.path("s.blobs")) {
        let content = std::fs::read(&file).expect("a blob");
        let content = String::from_utf8_lossy(&content);
        assert!(!content.contains(KEY), "{}", file.display());
    }
}

#[test]
fn what_was_sent_is_there_whole_and_as_text() {
    let (project, server) = asked();
    let cookie = server.cookie();
    // The last layer of the first request is the task.
    let path = format!("/sessions/file.0/lines/{}/layers", requests(&project)[0].0);
    let whole = server.get(&cookie, &format!("{path}/3"));
    let expected = format!(
        "[user]\n<b>My</b> key is [masked: GEMINI_API_KEY]. {}\n",
        "long ".repeat(8000)
    );
    assert_eq!((whole.status, whole.body), (200, expected));
    assert_eq!(server.get(&cookie, &format!("{path}/4")).status, 404);
    assert_eq!(server.get(&cookie, &format!("{path}/-1")).status, 400);
    let task = server.get(&cookie, "/sessions/file.0/lines/2/layers/0");
    assert_eq!(task.status, 404);
    // What is gone is said to be.
    std::fs::remove_dir_all(project.path("s.blobs")).expect("it is removed");
    let page = server.get(&cookie, "/sessions/file.0").body;
    let gone = "Its text is not beside the session any more";
    assert!(page.contains(gone), "{page}");
    assert_eq!(server.get(&cookie, &format!("{path}/3")).status, 404);
}

#[test]
fn what_was_sent_is_as_private_as_its_session() {
    let project = Project::new();
    ask(&project, &[], "Go");
    let state = project.home().join(".local/state/cogtools/sessions");
    let all = files(&state);
    assert!(all.len() > 4, "{all:?}");
    for file in &all {
        let mode = file.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
    let is_log = |file: &&PathBuf| file.extension().is_some_and(|name| name == "jsonl");
    let logs: Vec<&PathBuf> = all.iter().filter(is_log).collect();
    assert_eq!(logs.len(), 1);
    let prompt = run("cogtools-session", &project).arg("prompt").run().text();
    let json = run("cogtools-session", &project)
        .args(["prompt", "--json"])
        .run()
        .json();
    crate::output_schema::conforms("session prompt", &json);
    let text = json["layers"][0]["text"].as_str().expect("a text");
    assert!(prompt.contains(text), "{text}");
    let static_layer = between(&prompt, "== static: ", "== dynamic");
    assert!(static_layer.contains("\"name\": \"greet\""), "{prompt}");
    assert!(prompt.ends_with('\n'), "{prompt}");
}
