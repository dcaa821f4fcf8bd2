//! Explicit caches over a conversation: what is sent, and what the log says.

use std::time::Duration;

use cogtools_test_support::{Clock, Model, Options};

use super::*;

/// A configuration with a threshold of tokens.
fn configure(project: &Project, threshold: &str) {
    let text = format!(
        "prompt:\n  description: {}\nask:\n  model: small\n  history: {{cache_threshold: {threshold}}}\n",
        "You know everything about greetings. ".repeat(40)
    );
    project.file(".cogtoolrc.yaml", text);
}

/// A fake whose model has caches of at least `tokens` tokens.
fn fake(tokens: u64, clock: &Clock, turns: Vec<Turn>) -> FakeGemini {
    let model = Model::new("small").min_cache_tokens(tokens);
    FakeGemini::with(Options::default().model(model).clock(clock), turns)
}

/// A task in the session.
fn turn(project: &Project, fake: &FakeGemini, task: &str) {
    let answer = ask(project, fake)
        .args(["-q", "--session", "s.jsonl", "--continue", task])
        .run();
    answer.succeeds();
}

/// The log's entries about caches, in order.
fn events(project: &Project) -> Vec<String> {
    let log = project.read("s.jsonl");
    let lines = log.lines().skip(1);
    let entries = lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    entries
        .filter(|entry| entry["kind"] == "cache")
        .map(|entry| {
            let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
            let texts = [text("state"), text("name"), text("reason")];
            let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
            texts.join(" ")
        })
        .collect()
}

/// Of each request for content: the cache, whether it has instructions, how many contents.
fn shapes(fake: FakeGemini) -> Vec<(Option<String>, bool, usize)> {
    let conversation = fake.finish();
    let requests = conversation.main().into_iter().map(|request| {
        let body = &request.body;
        (
            body["cachedContent"].as_str().map(str::to_owned),
            body.get("systemInstruction").is_some(),
            body["contents"].as_array().map_or(0, Vec::len),
        )
    });
    requests.collect()
}

fn answers(count: usize) -> Vec<Turn> {
    let answer = |number| Turn::text(format!("Answer {number}. {}", "It is so. ".repeat(60)));
    (1..=count).map(answer).collect()
}

fn cached(name: &str, contents: usize) -> (Option<String>, bool, usize) {
    (Some(format!("cachedContents/{name}")), false, contents)
}

#[test]
fn a_cache_is_made_used_and_replaced_when_the_threshold_is_passed() {
    let project = project();
    configure(&project, "300");
    let fake = fake(1, &Clock::default(), answers(5));
    for number in 1..=5 {
        turn(&project, &fake, &format!("Task {number}"));
    }
    // Dynamic layer, buffered turns, and the task; the cache has all older turns.
    assert_eq!(
        shapes(fake),
        [
            (None, true, 2),
            cached("cache-1", 3),
            cached("cache-1", 5),
            cached("cache-2", 3),
            cached("cache-2", 5),
        ]
    );
    assert_eq!(
        events(&project),
        [
            "created cachedContents/cache-1",
            "created cachedContents/cache-2",
            "deleted cachedContents/cache-1",
        ]
    );
}

#[test]
fn a_cache_that_is_too_small_is_not_tried_again_at_once() {
    let project = project();
    configure(&project, "300");
    let fake = fake(100_000, &Clock::default(), answers(3));
    for number in 1..=3 {
        turn(&project, &fake, &format!("Task {number}"));
    }
    let shapes = shapes(fake);
    assert_eq!(shapes, [(None, true, 2), (None, true, 4), (None, true, 6)]);
    let failed = events(&project);
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(failed[0].starts_with("failed "), "{failed:?}");
    assert!(failed[0].contains("too small"), "{failed:?}");
}

#[test]
fn a_cache_that_the_server_has_deleted_is_done_without() {
    let project = project();
    configure(&project, "300");
    let clock = Clock::default();
    let fake = fake(1, &clock, answers(3));
    turn(&project, &fake, "Task 1");
    turn(&project, &fake, "Task 2");
    // The server's clock is ahead of ours: it has deleted the cache, and we do not know.
    clock.advance(Duration::from_hours(2));
    let answer = ask(&project, &fake)
        .args(["--session", "s.jsonl", "--continue", "Task 3"])
        .run();
    answer.stderr_contains("sent in full, because the cache cannot be used");
    assert_eq!(
        fake.requests()
            .last()
            .map(|request| request.body.get("cachedContent").is_some()),
        Some(false)
    );
    let _ = fake.try_finish();
    let events = events(&project);
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(
        events[1].starts_with("failed cachedContents/cache-1"),
        "{events:?}"
    );
}

#[test]
fn a_cache_lives_longer_while_it_is_used_and_is_made_again_later() {
    let project = project();
    // Half of this time is later than 2050.
    configure(&project, "300, cache_ttl: 4000000000");
    let fake = fake(1, &Clock::default(), answers(4));
    turn(&project, &fake, "Task 1");
    turn(&project, &fake, "Task 2");
    let expire_in = |from: &str, year: &str| {
        let log = project.read("s.jsonl");
        let shifted: Vec<String> = log
            .lines()
            .map(|line| match serde_json::from_str::<Value>(line) {
                Ok(mut entry) if entry["kind"] == "cache" && entry["state"] == from => {
                    let time = entry["expires"].as_str().expect("a time");
                    entry["expires"] = format!("{year}{}", &time[4..]).into();
                    entry.to_string()
                }
                _ => line.to_owned(),
            })
            .collect();
        project.file("s.jsonl", shifted.join("\n") + "\n");
    };
    expire_in("created", "2050");
    turn(&project, &fake, "Task 3");
    expire_in("refreshed", "2000");
    turn(&project, &fake, "Task 4");
    assert_eq!(
        events(&project),
        [
            "created cachedContents/cache-1",
            "refreshed cachedContents/cache-1",
            "created cachedContents/cache-2",
        ]
    );
    let shapes = shapes(fake);
    assert_eq!(shapes[2], cached("cache-1", 5));
    assert_eq!(shapes[3].0.as_deref(), Some("cachedContents/cache-2"));
}

#[test]
fn caches_save_tokens_over_a_conversation() {
    let uncached = |threshold: &str| {
        let project = project();
        configure(&project, threshold);
        let fake = fake(1, &Clock::default(), answers(12));
        for number in 1..=12 {
            turn(&project, &fake, &format!("Task {number}"));
        }
        let usage = fake.finish().usage();
        usage.prompt - usage.cached
    };
    let (with, without) = (uncached("300"), uncached("off"));
    assert!(
        with * 2 < without,
        "{with} tokens with caches, {without} without"
    );
}
