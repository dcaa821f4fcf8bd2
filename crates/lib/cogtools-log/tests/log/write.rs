//! Entries that are written, and read again.

use cogtools_log::{
    Approval, BlobId, CacheState, CallEvent, CallId, Cost, Decision, EndStatus, Event, Id,
    LayerSize, Log, LogError, NodeEvent, NodeState, Outcome, ProgramStatus, ProgramStep,
    ResultEvent, Usage, Why,
};
use serde_json::{Value, from_value, json};

use crate::plan_events::plan_events;
use crate::scene::{Scene, header, options, response, task};

fn call() -> CallId {
    CallId::new("c1")
}

/// One event of each kind, without those about earlier entries.
/// The events of a program that calls tools.
fn program_events() -> Vec<Event> {
    vec![
        Event::Program {
            program: "p1".to_owned(),
            code: "return 1".to_owned(),
            digest: "00ff".to_owned(),
            args: json!({}),
            seed: 7,
            tools: [("tax".to_owned(), "0ff0".to_owned())].into(),
            masked: false,
        },
        Event::Print {
            program: "p1".to_owned(),
            text: "a".to_owned(),
            blob: None,
        },
        Event::Store {
            program: "p1".to_owned(),
            value: json!({"n": 1}),
            blob: None,
        },
        Event::ProgramEnd {
            program: "p1".to_owned(),
            status: ProgramStatus::Failed,
            code: Some("JS_RUNTIME".to_owned()),
            result: None,
            calls: 2,
            ms: 5,
        },
    ]
}

fn events() -> Vec<Event> {
    vec![
        task("Why does this fail?"),
        Event::Request {
            hash: "9f".to_owned(),
            layers: vec![LayerSize {
                name: "static".to_owned(),
                tokens: 12,
                hash: "a1".to_owned(),
                cached: true,
                parts: vec![BlobId::of(b"You help.")],
            }],
            model: "gemini-flash-latest".to_owned(),
            turn: 1,
        },
        response(json!({"role": "model", "parts": [{"thoughtSignature": "AA==", "text": ""}]})),
        Event::Call(CallEvent {
            resolved: Some(json!({"all": true})),
            ..CallEvent::new(
                call(),
                "run_tests".to_owned(),
                json!({}),
                Approval::by_rule(Decision::Allowed, "run_*"),
            )
        }),
        Event::Result(ResultEvent {
            call: call(),
            outcome: Outcome::Failed {
                code: "TOOL_FAILED".to_owned(),
            },
            content: json!({"error": "exit status 1"}),
            blob: None,
            ms: 40,
            files: Vec::new(),
            masked: false,
            place: ProgramStep {
                program: Some("p1".to_owned()),
                step: Some("3.2.1".to_owned()),
            },
        }),
        Event::Flow {
            tool: "review".to_owned(),
            digest: "00ff".to_owned(),
            arguments: json!({"file": "a"}),
            blob: None,
            masked: false,
        },
        Event::Node(Box::new(NodeEvent {
            node: "plan".to_owned(),
            state: NodeState::Succeeded,
            route: from_value(json!({"capability": "a", "operation": "b", "candidates": []})).ok(),
            output: Some(json!([1.5])),
            masked: true,
            key: Some("00ff".to_owned()),
            cached: true,
            ms: Some(3),
            ..NodeEvent::default()
        })),
        Event::Cache {
            name: "cachedContents/1".to_owned(),
            state: CacheState::Failed {
                reason: "too small".to_owned(),
            },
            tokens: 900,
        },
        Event::Usage(Usage {
            prompt: 100,
            cached: 75,
            candidates: 9,
            thoughts: 1,
            total: 110,
            cost: Some(Cost {
                amount: 0.25,
                currency: "USD".to_owned(),
            }),
        }),
        Event::Agent {
            tool: "review".to_owned(),
        },
        Event::Error {
            code: "IO_FAILED".to_owned(),
            message: "no".to_owned(),
            subject: String::new(),
            hints: Vec::new(),
        },
        Event::Paused {
            calls: vec![call()],
        },
        Event::Decision {
            call: call(),
            approval: Approval::new(Decision::Granted, Why::Other("later".to_owned())),
        },
        Event::End {
            status: EndStatus::Completed,
        },
    ]
}

#[test]
fn everything_is_read_as_it_was_written() {
    let scene = Scene::new();
    let mut log = scene.create();
    let mut written = [events(), program_events(), plan_events()].concat();
    for event in &written {
        log.append(log.head(), event.clone()).expect("appended");
    }
    let references = [
        Event::Compaction {
            up_to: Id::FIRST.next(),
            summary: json!({"text": "so far"}),
        },
        Event::Expired {
            results: vec![Id::FIRST],
        },
        Event::Undone { task: Id::FIRST },
    ];
    for event in references {
        log.append(log.head(), event.clone()).expect("appended");
        written.push(event);
    }
    let session = scene.read().expect("a session");
    assert_eq!(session.header, header());
    let read: Vec<&Event> = session.entries.iter().map(|entry| &entry.event).collect();
    assert_eq!(read, written.iter().collect::<Vec<_>>());
    let mut kinds: Vec<&str> = read.iter().map(|event| event.kind()).collect();
    kinds.push("torn");
    kinds.sort_unstable();
    kinds.dedup();
    let mut known = Event::kinds().to_vec();
    known.sort_unstable();
    assert_eq!(kinds, known);
}

#[test]
fn a_file_is_lines_of_json() {
    let scene = Scene::new();
    let mut log = scene.create();
    log.append(None, task("Hello\nthere")).expect("appended");
    let ended = Event::End {
        status: EndStatus::Failed {
            code: "IO_FAILED".to_owned(),
        },
    };
    log.append(log.head(), ended).expect("appended");
    assert_eq!(
        scene.text(),
        r#"{"kind":"session","format":1,"session":"7f3a9c21be","time":"2026-11-22T09:00:00.000Z","project":"shop","program":"0.1.0","model":"gemini-flash-latest"}
{"id":1,"parent":null,"time":"2026-11-22T09:00:01.000Z","kind":"task","parts":[{"text":"Hello\nthere"}]}
{"id":2,"parent":1,"time":"2026-11-22T09:00:02.000Z","kind":"end","status":"failed","code":"IO_FAILED"}
"#
    );
}

#[test]
fn the_content_of_a_response_keeps_its_order_and_signatures() {
    let scene = Scene::new();
    let content = r#"{"parts":[{"functionCall":{"z":1,"a":1.0},"thoughtSignature":"s3cr3t-key"}],"role":"model","later":[{}]}"#;
    let value: Value = serde_json::from_str(content).expect("JSON");
    let mut log = scene.create();
    log.append(None, response(value)).expect("appended");
    assert!(scene.text().contains(content), "{}", scene.text());
}

#[test]
fn secrets_enter_neither_the_file_nor_its_blobs() {
    let scene = Scene::new();
    let mut log = scene.create();
    log.append(None, task("my key is s3cr3t-key"))
        .expect("appended");
    let id = log.write_blob("the s3cr3t-key").expect("a blob");
    assert!(!scene.text().contains("s3cr3t-key"));
    assert!(scene.text().contains("my key is [masked: GEMINI_API_KEY]"));
    let blob = scene.file().blobs().read(&id).expect("a blob");
    assert_eq!(blob, b"the [masked: GEMINI_API_KEY]");
}

#[test]
fn a_branch_costs_nothing() {
    let scene = Scene::new();
    let mut log = scene.create();
    let first = log.append(None, task("first")).expect("appended");
    let left = log.append(Some(first), task("left")).expect("appended");
    let right = log.append(Some(first), task("right")).expect("appended");
    drop(log);
    let (mut log, session) = scene.open().expect("continued");
    let ids = |leaf: Id| -> Vec<u64> {
        let path = session.path_to(leaf);
        path.iter().map(|entry| entry.id.get()).collect()
    };
    assert_eq!(session.leaves(), [left, right]);
    assert_eq!((ids(left), ids(right)), (vec![1, 2], vec![1, 3]));
    assert_eq!((session.head(), log.head()), (Some(right), Some(right)));
    let next = log.append(Some(left), task("more")).expect("appended");
    assert_eq!(next.get(), 4);
    assert_eq!(session.path_to(next), Vec::<&cogtools_log::Entry>::new());
}

#[test]
fn two_writers_of_one_session_are_refused() {
    let scene = Scene::new();
    let log = scene.create();
    let refused = |error: LogError| error.to_string();
    let again = scene.open().map(drop).map_err(refused);
    assert_eq!(
        again,
        Err("`run.jsonl` is in use by another process".to_owned())
    );
    drop(log);
    scene.open().expect("free again");
    let created = Log::create(&scene.file(), &header(), options());
    assert_eq!(
        created.map(drop).map_err(refused),
        Err("`run.jsonl` exists already".to_owned())
    );
}

#[test]
fn an_entry_follows_one_that_exists() {
    let scene = Scene::new();
    let mut log = scene.create();
    let missing = Id::FIRST.next();
    let events = [
        (Some(missing), task("later")),
        (
            None,
            Event::Expired {
                results: vec![missing],
            },
        ),
        (
            None,
            Event::Compaction {
                up_to: missing,
                summary: Value::Null,
            },
        ),
    ];
    for (parent, event) in events {
        let error = log.append(parent, event).expect_err("an error");
        assert_eq!(error.to_string(), "`run.jsonl` has no entry 2");
    }
    assert_eq!(scene.read().expect("a session").entries, []);
}

#[test]
fn a_line_that_could_not_be_read_is_not_written() {
    let scene = Scene::new();
    let mut log = scene.create();
    let nested = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let error = log.append(None, response(nested)).expect_err("an error");
    assert_eq!(
        error.to_string(),
        "`run.jsonl` cannot have a line that is nested so deeply"
    );
    let nested = (0..126).fold(json!(1), |inner, _| json!([inner]));
    log.append(None, response(nested)).expect("appended");
    assert_eq!(scene.read().expect("a session").entries.len(), 1);
}

#[test]
fn no_entry_follows_the_largest_number() {
    let scene = Scene::new();
    let mut log = scene.create();
    log.append(None, task("first")).expect("appended");
    drop(log);
    let largest = format!("\"id\":{},", u64::MAX);
    scene.write(scene.text().replacen("\"id\":1,", &largest, 1));
    let (mut log, session) = scene.open().expect("continued");
    assert_eq!(session.head().map(Id::get), Some(u64::MAX));
    let error = log
        .append(log.head(), task("second"))
        .expect_err("an error");
    assert!(matches!(error, LogError::Full(_)), "{error}");
    drop(log);
    assert_eq!(scene.read().expect("a session").entries.len(), 1);
}

#[test]
fn a_clock_that_is_set_back_changes_no_order() {
    let scene = Scene::new();
    let mut log = scene.create();
    log.append(None, task("first")).expect("appended");
    log.append(log.head(), task("second")).expect("appended");
    drop(log);
    // The clock of the scene begins anew.
    let (mut log, _) = scene.open().expect("continued");
    log.append(log.head(), task("third")).expect("appended");
    let session = scene.read().expect("a session");
    let times: Vec<String> = session
        .entries
        .iter()
        .map(|entry| entry.time.to_string())
        .collect();
    assert!(times[2] < times[1], "{times:?}");
    let head = session.head().expect("a leaf");
    let texts = session
        .path_to(head)
        .into_iter()
        .filter_map(|entry| entry.event.text());
    assert_eq!(texts.collect::<Vec<_>>(), ["first", "second", "third"]);
}
