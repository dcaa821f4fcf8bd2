//! Output for people.

use std::fmt::Write as _;

use cogtools_program::{CapturedRun, Terminals};
use cogtools_test_support::{Project, outcome, str};
use serde_json::Value;

use crate::{RUN, on, project, session};

#[test]
fn a_session_is_shown_by_turns() {
    session(&project(), &["show", "run.jsonl"]).outputs(str![[r#"
session 7f3a9c21be  shop, 2026-11-22T09:00:00.000Z

task #1
  Why does the test fail?

turn 1 #2  gemini-flash-latest, 1.2 s, 850 tokens
  run_tests filter=price
    failed (TOOL_FAILED), 400 ms
    | exit status 1
    | not ok 3 - price: expected 4.2, got 42
  read_file path=price.js  denied (no terminal)
    denied, 0 ms
    | the user did not approve it

turn 2 #9  gemini-flash-latest, 800 ms, 930 tokens, 80 % cached
  The price is parsed without its decimal point.

completed: 2 turns, 2 calls, 2.4 s, 1780 tokens, 42 % cached

"#]]);
}

#[test]
fn a_branch_is_shown_up_to_an_entry() {
    let project = project();
    session(&project, &["show", "run.jsonl", "--from", "5"]).outputs(str![[r#"
session 7f3a9c21be  shop, 2026-11-22T09:00:00.000Z

task #1
  Why does the test fail?

turn 1 #2  gemini-flash-latest, 1.2 s, 850 tokens
  run_tests filter=price
    no result

not ended: 1 turn, 1 call, 1.2 s, 850 tokens

"#]]);
    session(&project, &["show", "run.jsonl", "--from", "99"]).fails(
        127,
        str![[r#"
cogtools-session: error[SESSION_NOT_FOUND]: `run.jsonl` has no entry 99
hint: `cogtools session tree` shows the entries

"#]],
    );
}

/// Two branches after the first answer, and a branch of the second.
fn branched() -> Project {
    let lines = [
        r#"{"id":13,"parent":4,"time":"2026-11-22T09:10:00Z","kind":"task","parts":[{"text":"Try again"}]}"#,
        r#"{"id":14,"parent":13,"time":"2026-11-22T09:10:01Z","kind":"end","status":"cancelled"}"#,
        r#"{"id":15,"parent":13,"time":"2026-11-22T09:10:02Z","kind":"end","status":"budget","limit":"turns"}"#,
    ];
    let project = project();
    project.file("run.jsonl", format!("{RUN}{}\n", lines.join("\n")));
    project
}

#[test]
fn a_tree_shows_all_branches() {
    let project = branched();
    session(&project, &["tree", "run.jsonl"]).outputs(str![[r#"
session 7f3a9c21be
 1  task        Why does the test fail?
 2  request     turn 1, gemini-flash-latest
 3  response    run_tests, read_file
 4  usage       850 tokens
   5  call        run_tests filter=price
   6  call        read_file path=price.js
   7  result      denied, 0 ms
   8  result      failed (TOOL_FAILED), 400 ms
   9  request     turn 2, gemini-flash-latest
  10  response    The price is parsed without its decimal point.
  11  usage       930 tokens, 80 % cached
  12  end         completed
  13  task        Try again
    14  end         cancelled
    15  end         budget  (last)

"#]]);
    session(&project, &["show", "run.jsonl"]).outputs(str![[r#"
session 7f3a9c21be  shop, 2026-11-22T09:00:00.000Z

task #1
  Why does the test fail?

turn 1 #2  gemini-flash-latest, 1.2 s, 850 tokens

task #13
  Try again

budget: 1 turn, 0 calls, 3.2 s, 850 tokens
3 branches; `cogtools session tree` shows them

"#]]);
}

#[test]
fn everything_that_can_happen_is_shown() {
    let events = [
        r#""kind":"task","parts":[{"text":"Look"},{"inlineData":{"mimeType":"image/png","data":""}}]"#,
        r#""kind":"call","call":"c","tool":"wipe","arguments":{"why":"two words"},"approval":{"decision":"asked","why":"destructive"}"#,
        r#""kind":"result","call":"d","status":"cancelled","content":{"error":"not run"},"ms":0"#,
        r#""kind":"paused","calls":["c"]"#,
        r#""kind":"decision","call":"c","approval":{"decision":"granted","why":"answer"}"#,
        r#""kind":"result","call":"c","status":"succeeded","content":{"output":"1\n2\n3\n4\n5\n6\n7"},"blob":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","ms":61000"#,
        r#""kind":"response","content":{"role":"model","parts":[{"thought":true,"text":"hm"},{"text":"half"}]},"finish_reason":"MAX_TOKENS""#,
        r#""kind":"compaction","up_to":1,"summary":"s""#,
        r#""kind":"expired","results":[5]"#,
        r#""kind":"cache","name":"cachedContents/1","state":"failed","reason":"too small","tokens":0"#,
        r#""kind":"node","node":"fetch","state":"failed","code":"TIMEOUT","ms":2000"#,
        r#""kind":"error","code":"UNAVAILABLE","message":"no answer","hints":["try later"]"#,
        r#""kind":"telepathy""#,
        r#""kind":"usage","total":5,"cost":{"amount":0.25,"currency":"USD"}"#,
        r#""kind":"end","status":"unavailable""#,
    ];
    let project = project();
    project.file("run.jsonl", log(&events));
    session(&project, &["show", "run.jsonl"]).outputs(str![[r#"
session 7f3a9c21be  shop, 2026-11-22T09:00:00.000Z

task #1
  Look
  [file: image/png]
  wipe why="two words"  asked (destructive)
    succeeded, 1 min 1 s
    | 1
    | 2
    | 3
    | 4
    | 5
    | … 2 more lines
    | whole: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
  d
    cancelled, 0 ms
    | not run
  paused: approval wanted: c
  decision: c granted
  half
  finish reason: MAX_TOKENS
  compaction: everything up to #1 is a summary
  expired: 1 result
  cache: failed: too small
  node: fetch failed (TIMEOUT), 2.0 s
  error[UNAVAILABLE]: no answer
  hint: try later
  telepathy: not known to this version

unavailable: 0 turns, 1 call, 0 ms, 5 tokens, 0.2500 USD

"#]]);
}

#[test]
fn text_of_others_cannot_control_a_terminal() {
    let evil = RUN
        .replace("price", "pr\\u001b[31mice\\u202e")
        .replace("\"shop\"", "\"\\u001b]0;x\"");
    let project = project();
    project.file("run.jsonl", evil);
    let terminal = Terminals {
        stdout: true,
        stderr: true,
    };
    for args in [
        &["show", "run.jsonl"][..],
        &["show", "run.jsonl", "--json"],
        &["tree", "run.jsonl"],
        &["export", "run.jsonl"],
        &["export", "run.jsonl", "--format=json"],
        &["export", "run.jsonl", "--format=gemini"],
        &["export", "run.jsonl", "--format=openai"],
    ] {
        let CapturedRun {
            status,
            stdout,
            stderr,
        } = on(&project, terminal, args);
        assert_eq!((status, stderr.as_str()), (0, ""), "{args:?}");
        let controls = ["\u{1b}[31mice", "\u{1b}]", "\u{202e}"];
        assert!(
            controls.iter().all(|control| !stdout.contains(control)),
            "{args:?}: {stdout}"
        );
        assert!(stdout.contains("ice"), "{args:?}");
    }
}

#[test]
fn colour_is_for_terminals() {
    let terminal = Terminals {
        stdout: true,
        stderr: false,
    };
    let shown = on(&project(), terminal, &["show", "run.jsonl"]).stdout;
    assert!(
        shown.starts_with("\u{1b}[1msession 7f3a9c21be\u{1b}[0m"),
        "{shown}"
    );
    let piped = session(&project(), &["show", "run.jsonl"]).text();
    assert!(!piped.contains('\u{1b}'));
}

#[test]
fn json_has_the_entries_as_they_are_in_the_file() {
    let shown = session(&project(), &["show", "run.jsonl", "--json"]).json();

    let lines = RUN
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let lines: Vec<Value> = lines.collect();
    assert_eq!(shown["header"], lines[0]);
    assert_eq!(
        shown["entries"].as_array().map(Vec::as_slice),
        Some(&lines[1..])
    );
    let summary = CapturedRun {
        stdout: format!("{:#}\n", shown["summary"]),
        ..CapturedRun::default()
    };
    outcome!(summary).outputs(str![[r#"
{
  "model": "gemini-flash-latest",
  "turns": 2,
  "calls": 2,
  "ms": 2422,
  "usage": {
    "prompt": 1700,
    "cached": 720,
    "candidates": 70,
    "thoughts": 10,
    "total": 1780
  },
  "end": {
    "status": "completed"
  }
}

"#]]);
}

/// A session with one branch of these events.
fn log(events: &[&str]) -> String {
    let time = r#""time":"2026-11-22T09:00:00Z""#;
    let mut text = RUN.lines().next().expect("a header").to_owned() + "\n";
    for (id, event) in (1..).zip(events) {
        let parent = if id == 1 {
            "null".to_owned()
        } else {
            (id - 1).to_string()
        };
        let _ = writeln!(text, "{{\"id\":{id},\"parent\":{parent},{time},{event}}}");
    }
    text
}

#[test]
fn a_plan_is_shown_with_its_steps() {
    let events = [
        r#""kind":"plan","intent":"arithmetic","plan":{"restatement":"Add","tool_plan":[{"save_as":"sum","tool":"run_js","reason":"to add"},{"save_as":"_step2","reason":"to tell"}]}"#,
        r#""kind":"step","step":"sum","state":"executing","tool":"run_js","args":{"code":"return 1 + 2"}"#,
        r#""kind":"step","step":"sum","state":"executed","result":{"result":3},"logs":["adding"],"ms":12"#,
        r#""kind":"step","step":"gone","state":"executing","tool":"run_js""#,
        r#""kind":"step","step":"bad","state":"failed","code":"MISSING_REFERENCE","message":"none""#,
        r#""kind":"step","step":"_step2","state":"skipped""#,
        r#""kind":"end","status":"failed","code":"STEP_FAILED""#,
    ];
    let project = project();
    project.file("run.jsonl", log(&events));
    session(&project, &["show", "run.jsonl"]).outputs(str![[r#"
session 7f3a9c21be  shop, 2026-11-22T09:00:00.000Z

plan #1  arithmetic
  Add
  1. sum  run_js  to add
  2. _step2  to tell
  sum  run_js code="return 1 + 2"
    executed, 12 ms
    ! adding
    | {"result":3}
  gone  run_js
    interrupted
  bad
    failed (MISSING_REFERENCE): none
  _step2
    skipped

failed: 0 turns, 2 calls, 0 ms, 0 tokens

"#]]);
}
