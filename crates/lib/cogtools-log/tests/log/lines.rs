//! Files that others have written.

use cogtools_log::Event;

use crate::scene::{Scene, response, task};
use serde_json::json;

const HEADER: &str = r#"{"kind":"session","format":1,"session":"a","time":"2026-11-22T09:00:00Z","project":"shop","program":"9","model":"m","later":1}"#;

#[track_caller]
fn check(lines: &[&str], expected: Result<usize, &str>) {
    let scene = Scene::new();
    scene.write(lines.join("\n"));
    let found = scene.read().map(|session| session.entries.len());
    let found = found.map_err(|error| error.to_string());
    assert_eq!(
        found.as_ref().map(|count| *count).map_err(String::as_str),
        expected
    );
}

fn entry(id: u32, parent: &str, rest: &str) -> String {
    format!(r#"{{"id":{id},"parent":{parent},"time":"2026-11-22T09:00:00Z",{rest}}}"#)
}

#[test]
fn the_first_line_is_a_header() {
    check(&[HEADER], Ok(0));
    check(&[], Err("`run.jsonl` is not a session: it is empty"));
    check(
        &["{}"],
        Err("`run.jsonl` is not a session: the first line has no `kind` of `session`"),
    );
    check(
        &["[]"],
        Err("`run.jsonl` is not a session: the line is not a JSON object"),
    );
    check(
        &["# Notes"],
        Err("`run.jsonl` is not a session: the line is not JSON: unexpected text at column 1"),
    );
    check(
        &[r#"{"kind":"session"}"#],
        Err("`run.jsonl` is not a session: not a valid `session`: missing field `format`"),
    );
    check(
        &[r#"{"kind":"session","format":2,"anything":"else"}"#],
        Err("`run.jsonl` was written by a newer cogtools (format 2; this one reads 1)"),
    );
    check(
        &[HEADER, HEADER],
        Err("`run.jsonl`, line 2: a session has only one header"),
    );
    let hostile = HEADER.replace(r#""session":"a""#, r#""session":"../a""#);
    check(
        &[&hostile],
        Err(
            "`run.jsonl` is not a session: not a valid `session`: the name of a session has 1 to 64 lower-case letters, digits and hyphens",
        ),
    );
}

#[test]
fn what_a_later_version_adds_is_read() {
    let scene = Scene::new();
    let later = entry(1, "null", r#""kind":"telepathy","of":{"x":1}"#);
    let wider = entry(2, "1", r#""kind":"task","parts":[],"mood":"good""#);
    let spaced = entry(9, "2", r#""kind": "torn" , "lines":0"#);
    scene.write([HEADER, &later, &wider, &spaced].join("\r\n"));
    let session = scene.read().expect("a session");
    let fields = json!({"kind": "telepathy", "of": {"x": 1}});
    assert_eq!(session.entries[0].event.kind(), "telepathy");
    assert_eq!(
        Some(&session.entries[0].event),
        fields.as_object().cloned().map(Event::Unknown).as_ref()
    );
    assert_eq!(session.entries[1].event, Event::Task { parts: vec![] });
    // Its lines stay as they are when they are copied.
    let (_, lines) = cogtools_log::Session::read_with_lines(&scene.file()).expect("lines");
    assert_eq!(
        lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>(),
        [HEADER, &later, &wider, &spaced]
    );
    // A new entry gets a number after all of them.
    let (mut log, _) = scene.open().expect("continued");
    let id = log
        .append(log.head(), response(json!(null)))
        .expect("appended");
    assert_eq!(id.get(), 10);
}

#[test]
fn entries_form_a_tree() {
    let task = r#""kind":"task","parts":[]"#;
    let first = entry(1, "null", task);
    check(
        &[HEADER, &first, &entry(2, "1", task), &entry(7, "1", task)],
        Ok(3),
    );
    check(
        &[HEADER, &first, &entry(2, "2", task)],
        Err("`run.jsonl`, line 3: `parent` is 2, but no earlier line has that `id`"),
    );
    check(
        &[HEADER, &first, &entry(3, "2", task), &entry(2, "1", task)],
        Err("`run.jsonl`, line 3: `parent` is 2, but no earlier line has that `id`"),
    );
    check(
        &[HEADER, &first, &first],
        Err("`run.jsonl`, line 3: `id` is 1, but an earlier line has 1"),
    );
    let compaction = r#""kind":"compaction","up_to":4,"summary":null"#;
    check(
        &[HEADER, &first, &entry(2, "1", compaction)],
        Err("`run.jsonl`, line 3: it refers to 4, but no earlier line has that `id`"),
    );
}

#[test]
fn a_wrong_line_is_named() {
    for (line, message) in [
        (
            entry(1, "null", r#""kind":"task""#),
            "not a valid `task`: missing field `parts`",
        ),
        (
            entry(1, "null", r#""kind":7"#),
            "`kind` is missing, or not a text",
        ),
        (
            entry(
                1,
                "null",
                r#""kind":"result","call":"c","status":"vanished","content":1,"ms":1"#,
            ),
            "not a valid `result`: unknown variant `vanished`, expected one of `succeeded`, `failed`, `denied`, `timed_out`, `cancelled`",
        ),
        (
            entry(1, "\"x\"", r#""kind":"task","parts":[]"#),
            "`parent`: invalid type: string \"x\", expected a nonzero u64",
        ),
        (
            r#"{"id":1,"parent":null,"time":"noon","kind":"torn","lines":0}"#.to_owned(),
            "`time`: not a time in the form of RFC 3339",
        ),
        (
            "[".repeat(200),
            "the line is nested in more than 160 levels",
        ),
    ] {
        // Not the last one, which would have been cut off.
        let lines = [
            HEADER,
            &line,
            &entry(2, "null", r#""kind":"task","parts":[]"#),
        ];
        let scene = Scene::new();
        scene.write(lines.join("\n"));
        assert_eq!(scene.error(), format!("`run.jsonl`, line 2: {message}"));
    }
}

/// Bytes of a valid session are replaced, removed and doubled. What can be read can be
/// continued, and what cannot is an error that names the file.
#[test]
fn a_damaged_file_is_read_or_refused() {
    let scene = Scene::new();
    let mut log = scene.create();
    for index in 0..4 {
        log.append(log.head(), task(&format!("née {index}")))
            .expect("appended");
    }
    drop(log);
    let whole = scene.bytes();
    let mut seed = 0x5eed_u64;
    let mut random = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).expect("small") % below
    };
    let (mut read, mut refused) = (0, 0);
    for _ in 0..1_000 {
        let mut bytes = whole.clone();
        for _ in 0..=random(2) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes[at] = b"\n\0\"{}[],:9 \xff"[random(12)],
                1 => drop(bytes.drain(at..(at + random(40)).min(bytes.len()))),
                2 => bytes.truncate(at + 1),
                _ => bytes.extend_from_within(at..),
            }
        }
        scene.write(&bytes);
        match scene.open() {
            Ok((mut log, session)) => {
                read += 1;
                log.append(log.head(), task("more")).expect("appended");
                drop(log);
                let again = scene.read().expect("still readable");
                let repaired = usize::from(session.torn_lines() > 0);
                assert_eq!(again.entries.len(), session.entries.len() + 1 + repaired);
                assert!(scene.bytes().starts_with(&bytes));
            }
            Err(error) => {
                refused += 1;
                assert!(error.to_string().starts_with("`run.jsonl`"), "{error}");
            }
        }
    }
    assert!(
        read > 100 && refused > 100,
        "{read} read, {refused} refused"
    );
}
