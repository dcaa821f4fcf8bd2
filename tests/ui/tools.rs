//! The pages of tools, and calls from them.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use cogtools_test_support::{Project, assert_text, str};
use serde_json::{Value, json};

use super::server::{Server, between, text};

/// A tool with a nested schema, two examples, and one finding of the linter.
const ORDER: &str = "name: order
description: Orders *things* of a kind
parameters:
  kind: {type: string, enum: [book, pen]}
  count: {type: integer, minimum: 1, maximum: 9}
  to:
    type: object
    properties:
      street: {type: string, minLength: 2}
  notes: {type: array, items: {type: string}, optional: true}
examples:
  - {kind: book, count: 2, to: {street: Main}}
  - {kind: pen, count: 1, to: {street: Side}, notes: [soon]}
implementation: \"# {{ count }} of {{ kind }} to {{ to.street }}\"
";

#[test]
fn what_a_package_hides_in_its_texts_is_shown() {
    let project = Project::new();
    project
        .file(".cogtoolrc.yaml", "tool_sources: [node_modules]\n")
        .file("package.json", r#"{"dependencies": {"pk": "1"}}"#)
        .file(
            "node_modules/pk/package.json",
            r#"{"name": "pk", "cogtools": {"tools": ["tools"]}}"#,
        )
        .file(
            "node_modules/pk/tools/sly.yaml",
            "name: sly\ndescription: \"Say\\u202e it\"\nimplementation: it\n",
        );
    let server = Server::start(&project, &[]);
    let cookie = server.cookie();
    for page in ["/tools", "/tools/sly"] {
        let shown = text(&server.get(&cookie, page).body);
        let shown = shown.replace('\n', " ");
        let (_, codes) = shown.split_once("Removed hidden characters").expect(&shown);
        assert!(
            codes.get(..10).is_some_and(|it| it.contains("U+202E")),
            "{shown}"
        );
    }
}

#[test]
fn a_file_is_opened_in_the_editor_that_answers() {
    let project = Project::new();
    project.file("tools/note.yaml", super::answers::NOTE);
    let server = Server::start(&project, &[]);
    let cookie = server.cookie();
    let open = |path: &str, body: &str| server.post(&cookie, path, body);
    let answer = open("/tools/note/open", r#"{"line": 2}"#);
    assert!(
        answer.body.contains("no editor shows files here"),
        "{}",
        answer.body
    );
    // Only files that have a page, and only numbers.
    for (path, body) in [
        ("/tools/note/open", r#"{"line": "--help"}"#),
        ("/sessions/file.0/open", r#"{"line": 1}"#),
    ] {
        assert_eq!(open(path, body).status, 404, "{path} {body}");
    }
    assert_eq!(open("/tools/none/open", r#"{"line": 1}"#).status, 422);
}

#[test]
fn tools_and_what_they_declare() {
    let project = crate::project_with("order", ORDER);
    project.file("tools/broken.yaml", "name: broken\n").file(
        "tools/danger.yaml",
        "name: danger\ndescription: D\nimplementation: {exec: [echo, x]}\n",
    );
    let server = Server::start(&project, &[]);
    let cookie = server.cookie();
    let list = server.get(&cookie, "/tools");
    assert_text(
        text(&list.body),
        str![[r#"
Tools | Search names and descriptions | Search | 3 of 3 tools; all of them cost about 164 tokens with every request.
Tool | Source | Tokens | Approval | Tests | Findings | broken | tools/broken.yaml:1:1
`description` is missing | INVALID_TOOL | add `description: …` | tools/broken.yaml
2 | danger | D | tools/danger.yaml | 31 | approved | No examples | 3 | order | Orders *things* of a kind
tools/order.yaml | 133 | needs none | Not run | 2 examples, 0 with a golden file
7

"#]],
    );
    let found = server.get(&cookie, "/tools?q=THINGS").body;
    assert!(
        found.contains("1 of 3 tools") && !found.contains("/tools/danger"),
        "{found}"
    );
    let page = server.get(&cookie, "/tools/order");
    assert_eq!(page.status, 200);
    let shown = text(&page.body);
    let (shown, declared) = shown.split_once("Declarations").expect("declarations");
    assert_text(
        shown,
        str![[r#"
order | Name | order | File | tools/order.yaml | Tokens | 133 | Approval | needs none
Orders | things | of a kind | Call | The form needs JavaScript; | cogtools run order
takes the arguments in a terminal. | The same in a terminal: | Copy the command
Findings | tools/order.yaml:1:1: no `$schema`; add `$schema: schema:agladysh-research.org,2025/cogtools:tool` before the first key
no-schema | tools/order.yaml:4:3: `kind` has no description; add `description`: what to send, in which format, with an example where that helps
missing-description | tools/order.yaml:5:3: `count` has no description; add `description`: what to send, in which format, with an example where that helps
missing-description | tools/order.yaml:6:3: `to` has no description; add `description`: what to send, in which format, with an example where that helps
missing-description | tools/order.yaml:9:7: `street` has no description; add `description`: what to send, in which format, with an example where that helps
missing-description | tools/order.yaml:10:3: `notes` has no description; add `description`: what to send, in which format, with an example where that helps
missing-description | tools/order.yaml:10:3: the template never uses `notes`; use it in the template, or remove it
unused-parameter | Examples | Not run | 2 examples, 0 with a golden file | Example 1
{ &quot;kind&quot;: &quot;book&quot;, &quot;count&quot;: 2, &quot;to&quot;: { &quot;street&quot;: &quot;Main&quot; } }
Example 2 | { &quot;kind&quot;: &quot;pen&quot;, &quot;count&quot;: 1, &quot;to&quot;: { &quot;street&quot;: &quot;Side&quot; }, &quot;notes&quot;: [ &quot;soon&quot; ] }

"#]],
    );
    for host in ["gemini", "openai", "anthropic", "mcp"] {
        assert!(
            declared.contains(&format!("{host} | {{")),
            "{host}: {declared}"
        );
    }
    assert_eq!(server.get(&cookie, "/tools/nothing").status, 422);
    assert_eq!(server.get(&cookie, "/tools/..%2forder").status, 422);
}

#[test]
fn a_tool_is_checked_and_called_as_in_a_terminal() {
    let project = Project::untrusted();
    project.file("tools/order.yaml", ORDER).file(
        "tools/danger.yaml",
        "name: danger\ndescription: D\nimplementation: {exec: [touch, made]}\n",
    );
    // The other example has no golden file.
    project.file("tools/order.1.golden", "# 2 of book to Main");
    let server = Server::start(&project, &[]);
    let cookie = server.cookie();
    let check = server.post(
        &cookie,
        "/tools/order/check",
        r#"{"kind":"bok","count":10,"to":{}}"#,
    );
    assert_eq!(check.status, 200);
    assert_text(
        &check.body,
        str![[
            r#"{"failures":[{"code":"SCHEMA_VIOLATION","subject":"order","pointer":"/kind","message":"expected one of \"book\", \"pen\", got \"bok\"","details":"","hints":["did you mean `book`?","send kind (one of \"book\", \"pen\")"],"location":null},{"code":"SCHEMA_VIOLATION","subject":"order","pointer":"/count","message":"must be at most 9, got 10","details":"","hints":["send count (integer, at least 1, at most 9)"],"location":null},{"code":"SCHEMA_VIOLATION","subject":"order","pointer":"/to/street","message":"required but missing","details":"","hints":["send street (string, at least 2 characters)"],"location":null}],"command":"cogtools run order count:=10 kind=bok 'to:={}'"}"#
        ]],
    );
    let good = r#"{"kind":"pen","count":1,"to":{"street":"Side"}}"#;
    let check = server.post(&cookie, "/tools/order/check", good);
    assert_text(
        &check.body,
        str![[r#"
{"failures":[],"command":"cogtools run order count:=1 kind=pen 'to:={\"street\":\"Side\"}'"}
"#]],
    );
    let hidden = r#"{"kind":"a\u200bb\r\n","to":{"street":"\u001b"}}"#;
    let check = server.post(&cookie, "/tools/order/check", hidden);
    let check: Value = serde_json::from_str(&check.body).expect("JSON");
    assert_eq!(
        check["command"],
        r#"cogtools run order 'kind:="a\u200bb\r\n"' 'to:={"street":"\u001b"}'"#
    );
    let call = server.post(&cookie, "/tools/order/call", good);
    assert_text(
        &call.body,
        str![[
            r##"{"result":"# 1 of pen to Side","html":"<p class=\"heading\">1 of pen to Side</p>","left_out":0}"##
        ]],
    );
    let call = server.post(&cookie, "/tools/order/call", "{}");
    assert_text(
        &call.body,
        str![[
            r#"{"failures":[{"severity":"error","code":"SCHEMA_VIOLATION","program":"cogtools-call","subject":"order","pointer":"/kind","message":"required but missing","hints":["send kind (one of \"book\", \"pen\")"]},{"severity":"error","code":"SCHEMA_VIOLATION","program":"cogtools-call","subject":"order","pointer":"/count","message":"required but missing","hints":["send count (integer, at least 1, at most 9)"]},{"severity":"error","code":"SCHEMA_VIOLATION","program":"cogtools-call","subject":"order","pointer":"/to","message":"required but missing","hints":["send to (object)","the least that is valid: {\"kind\":\"book\",\"count\":1,\"to\":{\"street\":\"……\"}}"]}]}"#
        ]],
    );
    // What is not approved is denied.
    let call = server.post(&cookie, "/tools/danger/call", "{}");
    assert_text(
        &call.body,
        str![[
            r#"{"failures":[{"severity":"error","code":"DENIED","program":"cogtools-call","subject":"danger","message":"it runs a program, and its project is not trusted yet","hints":["only the user can trust it, after reviewing its tools: cogtools trust ."]}]}"#
        ]],
    );
    assert!(!project.path("made").exists());
    let tests = server.post(&cookie, "/tools/order/test", "{}");
    let report: Value = serde_json::from_str(&tests.body).expect("JSON");
    let summary = &report["report"]["summary"];
    assert_eq!(
        (&summary["examples"], &summary["failures"]),
        (&json!(2), &json!(1)),
        "{report}"
    );
}

/// The examples of `order`, from its page and from the list.
fn test_state(server: &Server, cookie: &str) -> String {
    let page = server.get(cookie, "/tools/order").body;
    let list = server.get(cookie, "/tools").body;
    let badge = "<span class=\"badge test ";
    let states = [&page, &list].map(|page| between(page, badge, "<span class=\"about").to_owned());
    assert_eq!(states[0], states[1]);
    states[0]
        .replace("</span> ", " ")
        .replace("<span>", "")
        .trim_end()
        .to_owned()
}

#[test]
fn examples_run_only_when_asked_and_their_state_is_said() {
    let project = crate::project_with("order", ORDER);
    let golden = "# 2 of book to Main";
    project.file("tools/order.1.golden", golden);
    project.file("tools/order.2.golden", "# 9 of pen to Side");
    let server = Server::start(&project, &[]);
    let cookie = server.cookie();
    assert_eq!(test_state(&server, &cookie), "not_run\">Not run");
    let run = || {
        let reply = server.post(&cookie, "/tools/order/test", "{}");
        let reply: Value = serde_json::from_str(&reply.body).expect("JSON");
        let mut tests = reply["tests"].clone();
        assert!(tests["time"].take().is_string(), "{reply}");
        (tests, reply["report"].to_string())
    };
    let (tests, report) = run();
    let expected = json!({"examples": 2, "golden": 2, "state": "failed", "failures": 1,
        "label": "Failed", "time": null});
    assert_eq!(tests, expected);
    // The difference to the golden file.
    assert!(
        report.contains("-# 9 of pen") && report.contains("+# 1 of pen"),
        "{report}"
    );
    assert_eq!(test_state(&server, &cookie), "failed\">Failed 1 failed");
    let page = server.get(&cookie, "/tools/order").body;
    assert!(page.contains(&format!(">{golden}</pre>")), "{page}");
    // What has changed says nothing about what is there now.
    project.file("tools/order.2.golden", "# 1 of pen to Side");
    assert_eq!(
        test_state(&server, &cookie),
        "out_of_date\">Out of date 1 failed"
    );
    assert_eq!(run().0["state"], "passed");
    assert_eq!(test_state(&server, &cookie), "passed\">Passed");
    project.file("tools/order.yaml", ORDER.replace("Orders", "Buys"));
    assert_eq!(test_state(&server, &cookie), "out_of_date\">Out of date");
}

#[test]
fn what_a_page_has_started_ends_with_the_server() {
    let project = Project::new();
    let tool = "name: slow\ndescription: D\nimplementation:\n  \
                exec: [sh, -c, 'echo $$ > pid.new; mv pid.new pid; sleep 100']\n";
    project.file("tools/slow.yaml", tool);
    let server = Server::start(&project, &[]);
    let cookie = server.cookie();
    let id = server.id().to_string();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| {
            let call = || server.post(&cookie, "/tools/slow/call", "{}");
            // The server may end before it answers.
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_ok()
        });
        let start = Instant::now();
        while !project.path("pid").exists() {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "it does not start"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        let killed = Command::new("kill").args(["-TERM", &id]).status();
        assert!(killed.expect("kill runs").success());
        let _ = call.join();
    });
    assert_eq!(server.wait(), Some(143));
    let pid = project.read("pid");
    let process = Path::new("/proc").join(pid.trim());
    assert!(!process.exists(), "{pid} goes on");
}
