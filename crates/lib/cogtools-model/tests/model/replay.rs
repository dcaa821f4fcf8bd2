//! Refusals of a replay: requests that were not recorded, and files that are not tapes.

use std::fmt::Write as _;
use std::sync::Arc;

use cogtools_model::{Content, Part, Replay, Request};
use cogtools_test_support::{assert_text, str};

use crate::tape::{asking, recorder, replay, says, send};

/// A request with several turns.
fn conversation(end: &str) -> Request {
    let turn = |text: &str| Arc::new(Content::user(vec![Part::text_of(text)]));
    Request {
        contents: ["Why?", "And then?", end].map(turn).to_vec(),
        ..asking("")
    }
}

/// The errors for requests that the tape of two others lacks.
fn misses(requests: &[Request]) -> String {
    let recorder = recorder([says("a"), says("b")]);
    send(&recorder, &asking("Something else."));
    send(&recorder, &conversation("Really?"));
    let replay = replay(&recorder.lines());
    let errors = requests.iter().map(|request| send(&replay, request));
    errors.map(|error| error + "\n\n").collect()
}

#[test]
fn what_was_not_recorded_fails_with_a_difference() {
    let other_model = Request {
        model: "gemini-other".to_owned(),
        ..conversation("Really?")
    };
    assert_text(
        misses(&[conversation("Truly?"), other_model]),
        str![[r#"
! no recorded response matches the request; the nearest one differs:
@@ -22,5 +22,5 @@
       "parts": [
         {
-          "text": "Really?"
+          "text": "Truly?"
         }
       ]

! no recorded response matches the request; the nearest one differs:
@@ -1,3 +1,3 @@
-model: gemini-test
+model: gemini-other
 {
   "contents": [


"#]],
    );
}

#[test]
fn large_differences_are_cut() {
    let parts = (0..30).map(|number| Part::text_of(number.to_string()));
    let contents = vec![Content::user(parts.collect()).into()];
    let many = Request {
        contents,
        ..asking("")
    };
    assert_text(
        misses(&[many]),
        str![[r#"
! no recorded response matches the request; the nearest one differs:
@@ -6,5 +6,92 @@
       "parts": [
         {
-          "text": "Something else."
+          "text": "0"
+        },
+        {
+          "text": "1"
+        },
+        {
+          "text": "2"
+        },
+        {
+          "text": "3"
+        },
+        {
+          "text": "4"
+        },
+        {
+          "text": "5"
+        },
+        {
+          "text": "6"
+        },
+        {
+          "text": "7"
+        },
+        {
+          "text": "8"
+        },
+        {
+          "text": "9"
+        },
+        {
+          "text": "10"
+        },
+        {
+          "text": "11"
+        },
+        {
… 54 more lines


"#]],
    );
}

#[test]
fn wide_differences_are_cut() {
    let wide = conversation(&"x".repeat(1_000));
    assert_text(
        misses(&[wide]),
        str![[r#"
! no recorded response matches the request; the nearest one differs:
@@ -22,5 +22,5 @@
       "parts": [
         {
-          "text": "Really?"
+          "text": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
         }
       ]


"#]],
    );
}

#[test]
fn empty_tape_answers_nothing() {
    let replay = replay(&recorder([]).lines());
    assert_eq!(
        send(&replay, &asking("Why?")),
        "! no recorded response matches the request"
    );
}

#[test]
fn tapes_that_cannot_be_used() {
    let recorder = recorder([says("Because.")]);
    send(&recorder, &asking("Why?"));
    let good = String::from_utf8(recorder.lines()).expect("text");
    let head = good.lines().next().expect("a head").to_owned();
    let tapes = [
        String::new(),
        "\n\n".to_owned(),
        "{}\n".to_owned(),
        "no\n".to_owned(),
        good.replace("\"tape\":1", "\"tape\":2"),
        good.lines().nth(1).expect("a recording").to_owned(),
        good.replace("Why?", "How?"),
        format!("{head}\n{{\"hash\":\"x\"}}\n"),
        format!("{head}\n\n{}1{}\n", "[".repeat(10_000), "]".repeat(10_000)),
        good.trim_end().trim_end_matches('}').to_owned(),
    ];
    let mut found = String::new();
    for tape in tapes {
        let error = Replay::new("t.jsonl", tape.as_bytes()).expect_err("cannot be used");
        writeln!(found, "{error}").unwrap();
    }
    assert_text(
        &found,
        str![[r#"
`t.jsonl`: it is empty
`t.jsonl`: it is empty
`t.jsonl`: line 1 is not the head of a tape: missing field `tape` at line 1 column 2
`t.jsonl`: line 1 is not the head of a tape: expected ident at line 1 column 2
`t.jsonl`: it has version 2 of the format, not 1
`t.jsonl`: line 1 is not the head of a tape: missing field `tape` at line 1 column 362
`t.jsonl`: line 2: `hash` is not that of `model` and `request`
`t.jsonl`: line 2 is not a recording: missing field `model` at line 1 column 12
`t.jsonl`: line 3 is not a recording: invalid type: sequence, expected a string at line 1 column 1
`t.jsonl`: line 2 is not a recording: EOF while parsing an object at line 1 column 361

"#]],
    );
    // Blank lines and line ends of Windows are harmless.
    replay(good.replace('\n', "\r\n\r\n").as_bytes());
}
