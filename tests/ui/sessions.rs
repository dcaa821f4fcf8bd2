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
fn the_list_is_searched_and_in_pages() {
    let project = Project::new();
    let files: Vec<String> = (0..60).map(|number| format!("s{number}.jsonl")).collect();
    for (number, file) in files.iter().enumerate() {
        let cost = format!(
            "\"cost\":{{\"amount\":{}.5,\"currency\":\"USD\"}},\"prompt\"",
            number % 3
        );
        let text = RUN.replace("\"prompt\"", &cost);
        let text = text.replace(
            "Why does the test fail?",
            &format!("Question {number}, from Ålesund?"),
        );
        project.file(file, text);
    }
    let args: Vec<&str> = files.iter().flat_map(|file| ["--session", file]).collect();
    let server = Server::start(&project, &args);
    let cookie = server.cookie();
    let list = |query: &str| {
        let page = server.get(&cookie, &format!("/sessions{query}"));
        assert_eq!(page.status, 200, "{query}");
        let count = between(&page.body, "<p class=\"count about\">", "</p>").to_owned();
        (count, page.body)
    };
    let (count, first) = list("");
    assert_eq!(count, "60 of 60 sessions, page 1 of 2");
    assert!(
        first.contains("Question 0,") && !first.contains("Question 55,"),
        "{first}"
    );
    let next = between(&first, "rel=\"next\" href=\"", "\"").replace("&amp;", "&");
    let (_, second) = list(&next);
    assert!(
        second.contains("Question 55,") && !second.contains("Question 0,"),
        "{second}"
    );
    // Beyond the last page is the last one.
    assert!(list("?page=99").1.contains("Question 59,"));
    for (query, found) in [
        ("?q=QUESTION+17,", 1),
        ("?q=%C3%A5lesund+17,", 1),
        ("?q=decimal+point", 60),
        ("?q=kind", 0),
        ("?q=tool%3Arun_te", 60),
        ("?q=tool%3Anone", 0),
        ("?q=model%3Aflash+state%3Acompleted", 60),
        ("?q=state%3Awaiting", 0),
        // Two requests each.
        ("?q=cost%3A%3E4", 20),
        ("?q=cost%3A%3C1.5", 20),
    ] {
        if found == 0 {
            let page = server.get(&cookie, &format!("/sessions{query}")).body;
            assert!(page.contains("No session matches."), "{query}: {page}");
            continue;
        }
        let (count, _) = list(query);
        let count = count.split(',').next();
        assert_eq!(
            count,
            Some(format!("{found} of 60 sessions").as_str()),
            "{query}"
        );
    }
    let page = server.get(&cookie, "/sessions?q=cost%3Amuch").body;
    assert!(
        page.contains("`cost:much` has no amount: write cost:&gt;0.5"),
        "{page}"
    );
}

#[test]
fn branches_are_a_tree_and_what_was_left_says_so() {
    let project = Project::new();
    let mut text = RUN.to_owned();
    let mut line = |id: usize, parent: usize, event: &str| {
        let time = "2026-11-22T09:05:00.000Z";
        let _ = writeln!(
            text,
            "{{\"id\":{id},\"parent\":{parent},\"time\":\"{time}\",{event}}}"
        );
    };
    line(
        13,
        12,
        "\"kind\":\"task\",\"parts\":[{\"text\":\"The first way\"}]",
    );
    line(14, 13, "\"kind\":\"end\",\"status\":\"completed\"");
    line(
        15,
        12,
        "\"kind\":\"task\",\"parts\":[{\"text\":\"The second way\"}]",
    );
    line(16, 15, "\"kind\":\"end\",\"status\":\"completed\"");
    project.file("s.jsonl", text);
    let server = Server::start(&project, &["--session", "s.jsonl"]);
    let cookie = server.cookie();
    let page = server.get(&cookie, "/sessions/file.0").body;
    let tree = between(&page, "<ul class=\"tree\">", "</ul>");
    let tree: Vec<String> = tree
        .split("<li class=\"")
        .skip(1)
        .map(|item| {
            let (level, rest) = item.split_once('"').expect("a level");
            let text = between(rest, "\">", "</a>");
            let left = if rest.contains("left") { ", left" } else { "" };
            format!(
                "{level}: {}{left}",
                text.rsplit('>').next().unwrap_or_default()
            )
        })
        .collect();
    assert_eq!(
        tree,
        [
            "level-0: Why does the test fail?",
            "level-1: The first way, left",
            "level-1: The second way",
        ]
    );
    let first = between(&page, "id=\"turn-14\"", "</article>");
    assert!(
        first.contains("The session went on without this turn"),
        "{page}"
    );
    // A session without branches has no tree.
    project.file("s.jsonl", RUN);
    let page = server.get(&cookie, "/sessions/file.0").body;
    assert!(!page.contains("<ul class=\"tree\">"), "{page}");
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
