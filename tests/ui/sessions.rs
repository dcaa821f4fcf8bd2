//! Large sessions, results in blobs, and damaged files.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use cogtools_test_support::Project;

use super::RUN;
use super::server::{Server, between};

/// A session with this many lines.
pub(crate) fn long(lines: usize) -> String {
    let header = RUN.lines().next().expect("a header");
    let mut text = format!("{header}\n");
    for id in 1..lines {
        let parent = if id == 1 {
            "null".to_owned()
        } else {
            (id - 1).to_string()
        };
        let event = match id % 5 {
            1 => format!("\"kind\":\"task\",\"parts\":[{{\"text\":\"Task {id}\"}}]"),
            2 => "\"kind\":\"request\",\"hash\":\"51ab\",\"layers\":[],\"model\":\"m\",\"turn\":1"
                .to_owned(),
            3 => format!(
                "\"kind\":\"response\",\"content\":{{\"role\":\"model\",\"parts\":[{{\"text\":\"Answer {id}\"}}]}}"
            ),
            4 => "\"kind\":\"usage\",\"prompt\":800,\"cached\":0,\"total\":850".to_owned(),
            _ => "\"kind\":\"end\",\"status\":\"completed\"".to_owned(),
        };
        let _ = writeln!(
            text,
            "{{\"id\":{id},\"parent\":{parent},\"time\":\"2026-11-22T09:00:00.010Z\",{event}}}"
        );
    }
    text
}

#[test]
fn a_long_session_opens_at_once_and_is_read_in_parts() {
    let project = Project::new();
    project.file("long.jsonl", long(100_000));
    let server = Server::start(&project, &["--session", "long.jsonl"]);
    let cookie = server.cookie();
    let start = Instant::now();
    let page = server.get(&cookie, "/sessions/file.0");
    let took = start.elapsed();
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert!(page.body.contains("Answer 99998"), "{}", page.body);
    assert!(!page.body.contains("Answer 99498"), "{}", page.body);
    // Each part leads to the one before it, and the parts have every line once.
    let mut before = between(&page.body, "href=\"?before=", "\"").to_owned();
    // No part begins or ends inside a turn.
    assert_eq!(before, "99597");
    let mut parts = 1;
    while parts < 5 {
        let page = server.get(&cookie, &format!("/sessions/file.0?before={before}"));
        let first: usize = before.parse().expect("a number");
        let last = format!("line {}\"", first - 5);
        assert!(page.body.contains(&last), "{last}: {}", page.body);
        before = between(&page.body, "href=\"?before=", "\"").to_owned();
        assert_eq!(before, (first - 400).to_string());
        parts += 1;
    }
    let page = server.get(&cookie, "/sessions/file.0?before=300");
    assert!(!page.body.contains("?before="), "{}", page.body);
    assert!(page.body.contains("Task 1<"), "{}", page.body);
}

#[test]
fn events_go_on_behind_the_last_line_that_a_page_has() {
    let (project, server) = super::started();
    let cookie = server.cookie();
    let events = |path: &str, last: Option<&str>, count: usize| {
        let last = last.map(|last| ("last-event-id", last));
        let headers: Vec<_> = [("cookie", cookie.as_str())]
            .into_iter()
            .chain(last)
            .collect();
        let path = format!("/sessions/file.0/events{path}");
        let events = server.events(&path, &headers, count);
        let texts = events.iter().map(|(id, data)| format!("{id} {data}"));
        texts.collect::<Vec<String>>().join(", ")
    };
    assert_eq!(events("", None, 3), "2 task, 3 request, 4 response");
    let last = "12 usage, 13 end, state idle";
    assert_eq!(events("?after=11", None, 3), last);
    assert_eq!(events("?after=3", Some("11"), 3), last);
    // What is written later comes later; a line without its end is not one.
    let line = "{\"id\":13,\"parent\":12,\"time\":\"2026-11-22T09:01:00.000Z\",\"kind\":\"<b>\"}";
    let path = project.path("run.jsonl");
    let append = |text: &str| {
        let file = std::fs::File::options().append(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.expect("it is written");
    };
    std::thread::scope(|scope| {
        let next = scope.spawn(|| events("?after=13", None, 3));
        std::thread::sleep(Duration::from_millis(400));
        append(&line[..20]);
        std::thread::sleep(Duration::from_millis(400));
        append(&format!("{}\n{{}}\n", &line[20..]));
        assert_eq!(next.join().expect("events"), "state idle, 14 b, 15 line");
    });
}
