//! A process is killed while it writes, and the session is continued.

use cogtools_log::{Event, Log};

use crate::scene::{Scene, header, options, response, task};
use serde_json::json;

/// A session with two entries, and the length of its file before the last one.
fn written(scene: &Scene) -> (Vec<u8>, usize) {
    let mut log = scene.create();
    log.append(None, task("première")).expect("appended");
    let before = scene.bytes().len();
    let content = json!({"role": "model", "parts": [{"text": "née 天 \" \\ \u{1}"}]});
    log.append(log.head(), response(content)).expect("appended");
    (scene.bytes(), before)
}

#[test]
fn a_session_is_continued_after_a_kill_at_any_byte_of_its_last_line() {
    let scene = Scene::new();
    let (whole, before) = written(&scene);
    for cut in before..=whole.len() {
        scene.write(&whole[..cut]);
        let is_whole = cut + 1 >= whole.len();
        let is_torn = cut > before && !is_whole;
        let session = scene.read().expect("readable");
        assert_eq!(session.entries.len(), 1 + usize::from(is_whole), "{cut}");
        assert_eq!(session.torn_lines(), u32::from(is_torn), "{cut}");

        let (mut log, _) = scene.open().expect("continued");
        log.append(log.head(), task("more")).expect("appended");
        drop(log);
        // What was there is still there.
        assert_eq!(&scene.bytes()[..cut], &whole[..cut]);
        let session = scene.read().expect("readable");
        let events = session.entries.iter().map(|entry| entry.event.kind());
        let expected: &[&str] = match (is_whole, is_torn) {
            (true, _) => &["task", "response", "task"],
            (_, true) => &["task", "torn", "task"],
            _ => &["task", "task"],
        };
        assert_eq!(events.collect::<Vec<_>>(), expected, "{cut}");
        let path = session.path_to(session.head().expect("a leaf"));
        let last = path.last().and_then(|entry| entry.event.text());
        assert_eq!(
            (path.len(), last),
            (2 + usize::from(is_whole), Some("more"))
        );
        assert_eq!((session.torn_lines(), session.leaves().len()), (0, 1));
    }
}

#[test]
fn a_session_is_continued_after_a_kill_at_any_byte_of_its_repair() {
    let scene = Scene::new();
    let (whole, before) = written(&scene);
    scene.write(&whole[..before + 20]);
    let start = scene.bytes().len();
    let (mut log, _) = scene.open().expect("continued");
    log.append(log.head(), task("more")).expect("appended");
    drop(log);
    let repaired = scene.bytes();
    for cut in start..=repaired.len() {
        scene.write(&repaired[..cut]);
        let (mut log, _) = scene.open().expect("continued");
        log.append(log.head(), task("again")).expect("appended");
        drop(log);
        let session = scene.read().expect("readable");
        let path = session.path_to(session.head().expect("a leaf"));
        let texts: Vec<&str> = path.iter().filter_map(|entry| entry.event.text()).collect();
        assert_eq!(
            (texts[0], texts[texts.len() - 1]),
            ("première", "again"),
            "{cut}"
        );
        assert_eq!(session.leaves().len(), 1, "{cut}");
    }
}

#[test]
fn a_kill_during_the_header_leaves_no_session() {
    let scene = Scene::new();
    scene.create();
    let whole = scene.bytes();
    for cut in 1..whole.len() - 1 {
        scene.write(&whole[..cut]);
        assert!(
            scene.error().starts_with("`run.jsonl` is not a session: "),
            "{cut}"
        );
    }
    // An empty file can become a session.
    scene.write("");
    assert_eq!(scene.error(), "`run.jsonl` is not a session: it is empty");
    Log::create(&scene.file(), &header(), options()).expect("a log");
    assert_eq!(scene.bytes(), whole);
}

#[test]
fn a_torn_line_elsewhere_is_an_error() {
    let scene = Scene::new();
    written(&scene);
    let text = scene.text();
    let lines: Vec<&str> = text.lines().collect();
    let torn = &lines[1][..20];
    scene.write([lines[0], torn, lines[1], ""].join("\n"));
    assert_eq!(
        scene.error(),
        "`run.jsonl`, line 2: the line is not JSON: it ends early, at column 20"
    );
    // A line that is JSON, but wrong, is an error at the end too.
    scene.write([lines[0], "{\"kind\":\"task\"}"].join("\n"));
    assert_eq!(
        scene.error(),
        "`run.jsonl`, line 2: `id`: required but missing"
    );
    // A line can only excuse those right before it.
    let excuse = r#"{"id":1,"parent":null,"time":"2026-11-22T09:00:01Z","kind":"torn","lines":2}"#;
    scene.write([lines[0], torn, excuse].join("\n"));
    assert_eq!(
        scene.error(),
        "`run.jsonl`, line 2: the line is not JSON: it ends early, at column 20"
    );
    scene.write([lines[0], torn, torn, excuse].join("\n"));
    let session = scene.read().expect("readable");
    assert_eq!(session.entries[0].event, Event::Torn { lines: 2 });
    // Several lines at the end, one of which was not cut off.
    scene.write([lines[0], "garbage", torn].join("\n"));
    assert_eq!(
        scene.error(),
        "`run.jsonl`, line 2: the line is not JSON: unexpected text at column 1"
    );
    // What a power failure leaves.
    scene.write([lines[0], lines[1], "\0\0\0\0"].join("\n"));
    assert_eq!(
        scene.read().map(|session| session.torn_lines()).ok(),
        Some(1)
    );
}
