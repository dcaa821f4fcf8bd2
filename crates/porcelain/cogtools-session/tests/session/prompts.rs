//! Prompts of requests, kept beside a session.

use cogtools_log::{Log, Options, SessionFile};
use cogtools_test_support::{Project, str};
use serde_json::json;

use crate::{project, session};

/// A session whose last request has the text of its layers.
fn with_prompt() -> Project {
    let project = project();
    let file = SessionFile::named(&project.root(), &project.root(), "run.jsonl".as_ref());
    let (mut log, _) = Log::open(&file, Options::default()).expect("a log");
    let mut blob = |text: serde_json::Value| {
        let blob = log.write_blob(&text.to_string());
        blob.expect("a blob").to_string()
    };
    let system = blob(json!({"parts": [{"text": "You help."}]}));
    let tools = blob(json!([{"name": "greet"}]));
    let task = blob(json!({"role": "user", "parts": [{"text": "Greet Ada"}]}));
    drop(log);
    let layer = |name: &str, parts: &[&String]| {
        let cached = name == "static";
        json!({"name": name, "tokens": parts.len(), "hash": "51ab90aa1c0e77", "cached": cached,
            "parts": parts})
    };
    let request = json!({
        "id": 13, "parent": 12, "time": "2026-11-22T09:10:00Z", "kind": "request", "hash": "h",
        "model": "m", "turn": 3, "layers": [
            layer("static", &[&system, &tools]),
            layer("dynamic", &[]),
            {"name": "buffered", "tokens": 5, "hash": "77", "cached": false},
            layer("trigger", &[&task]),
        ],
    });
    project.file("run.jsonl", format!("{}{request}\n", crate::RUN));
    project
}

#[test]
fn a_prompt_is_shown_layer_by_layer() {
    let project = with_prompt();
    session(&project, &["prompt", "run.jsonl"]).outputs(str![[r#"
request 3 #13 to m

== static: 2 tokens, 51ab90aa1c0e, cached
[system]
You help.
[
  {
    "name": "greet"
  }
]

== dynamic: 0 tokens, 51ab90aa1c0e
(empty)

== buffered: 5 tokens, 77
(its text was not kept)

== trigger: 1 token, 51ab90aa1c0e
[user]
Greet Ada

"#]]);
    session(&project, &["prompt", "run.jsonl", "--json"]).outputs(str![[r#"
{
  "entry": 13,
  "turn": 3,
  "model": "m",
  "layers": [
    {
      "layer": "static",
      "tokens": 2,
      "hash": "51ab90aa1c0e77",
      "cached": true,
      "text": "[system]\nYou help.\n[\n  {\n    \"name\": \"greet\"\n  }\n]\n"
    },
    {
      "layer": "dynamic",
      "tokens": 0,
      "hash": "51ab90aa1c0e77",
      "cached": false,
      "text": null
    },
    {
      "layer": "buffered",
      "tokens": 5,
      "hash": "77",
      "cached": false,
      "text": null
    },
    {
      "layer": "trigger",
      "tokens": 1,
      "hash": "51ab90aa1c0e77",
      "cached": false,
      "text": "[user]\nGreet Ada\n"
    }
  ]
}

"#]]);
    // Up to an entry; this request says nothing about its layers.
    session(&project, &["prompt", "run.jsonl", "--from=9"])
        .outputs("request 2 #9 to gemini-flash-latest\n");
    session(&project, &["prompt", "run.jsonl", "--from=1"]).fails(
        127,
        str![[r#"
cogtools-session: error[SESSION_NOT_FOUND]: `run.jsonl` has no request there
hint: `cogtools session tree` shows the entries

"#]],
    );
}

#[test]
fn what_was_sent_goes_where_its_session_goes() {
    let project = with_prompt();
    session(&project, &["verify", "run.jsonl"]).outputs("ok run.jsonl: 13 entries, 3 blobs\n");
    session(&project, &["fork", "run.jsonl", "--to=new.jsonl"]).outputs("new.jsonl\n");
    session(&project, &["verify", "new.jsonl"]).outputs("ok new.jsonl: 13 entries, 3 blobs\n");
    let whole = session(&project, &["prompt", "run.jsonl"]).text();
    session(&project, &["prompt", "new.jsonl"]).outputs(whole);
    let folder = project.path("run.blobs");
    std::fs::remove_dir_all(folder).expect("it is removed");
    let lost = session(&project, &["prompt", "run.jsonl"]);
    lost.status(1);
    let verified = session(&project, &["verify", "run.jsonl"]);
    verified.status(1);
}
