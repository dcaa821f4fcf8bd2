//! A clock that is set back while a session is written.

use std::sync::atomic::{AtomicI64, Ordering};

use cogtools_log::{Clock, Event, Id, Log, Options, Timestamp};
use serde_json::json;

use crate::scene::{Scene, header, response, task};

/// A clock that is an hour earlier each time it is read.
fn backwards() -> Options {
    let hour = AtomicI64::new(1_000_000);
    let now = move || Timestamp::from_millis(hour.fetch_sub(1, Ordering::Relaxed) * 3_600_000);
    Options {
        clock: Clock::new(now),
        ..Options::default()
    }
}

#[test]
fn the_order_of_entries_does_not_depend_on_the_time() {
    let scene = Scene::new();
    let mut log = Log::create(&scene.file(), &header(), backwards()).expect("a log");
    let mut parent = None;
    for event in [task("one"), response(json!({"role": "model", "parts": []}))] {
        parent = Some(log.append(parent, event).expect("written"));
    }
    drop(log);
    let (mut log, session) = Log::open(&scene.file(), backwards()).expect("a session");
    let head = session.head();
    assert_eq!(head, parent);
    let next = log.append(head, task("two")).expect("written");
    let branch = log.append(Some(Id::FIRST), task("three")).expect("written");
    let session = scene.read().expect("a session");
    let ids: Vec<Id> = session.entries.iter().map(|entry| entry.id).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    assert_eq!(session.head(), Some(branch));
    assert_eq!(session.leaves(), [next, branch]);
    let path = session.path_to(branch);
    let texts: Vec<Option<&str>> = path.iter().map(|entry| entry.event.text()).collect();
    assert_eq!(texts, [Some("one"), Some("three")]);
    let times: Vec<Timestamp> = session.entries[..2]
        .iter()
        .map(|entry| entry.time)
        .collect();
    assert!(times[0] > times[1], "the clock was set back");
    assert_eq!(times[1].millis_since(times[0]), 0);
}

#[test]
fn a_task_that_was_taken_back_is_on_another_branch() {
    let scene = Scene::new();
    let mut log = scene.create();
    let one = log.append(None, task("one")).expect("written");
    let two = log.append(Some(one), task("two")).expect("written");
    let undone = Event::Undone { task: two };
    let undone = log.append(Some(one), undone).expect("written");
    // What was written is read while the log is open.
    let session = log.session().expect("a session");
    assert_eq!(session.head(), Some(undone));
    assert_eq!(session.leaves(), [two, undone]);
    assert_eq!(session.entries, scene.read().expect("a session").entries);
    log.append(Some(undone), task("three")).expect("written");
    assert_eq!(scene.read().expect("a session").entries.len(), 4);
}
