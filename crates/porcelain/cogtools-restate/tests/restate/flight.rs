//! Many runs at the same time, two workers, one of which is killed again and again.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::http::post;

/// The number of runs, unless the variable says so.
const RUNS: usize = 100;
/// The largest number of times that a worker is killed.
const KILLS: usize = 10;
/// The number of nodes that a worker runs at the same time.
const JOBS: usize = 8;
/// The variable.
const VARIABLE: &str = "COGTOOLS_RESTATE_RUNS";

const FLOW: &str = "    nodes:
      name: {text: 'run {{ text }}'}
      effect: {tool: {name: act, arguments: {text: '{{ name }}'}}}
      shown: {text: '{{ effect }}!'}
    output: '{{ shown }}'
";
/// It has an effect after a moment, and is not idempotent.
const ACT: &str = "\
name: act
description: Has an effect
parameters: {text: string}
implementation: {exec: [sh, -c, 'sleep 0.05; echo \"$1\" >> log; printf \"did %s\" \"$1\"', _, '{{ text }}']}
";

/// Counts the effects of each run.
fn effects(scene: &Scene) -> BTreeMap<String, usize> {
    let mut effects = BTreeMap::new();
    for run in scene.lines("run ") {
        *effects.entry(run).or_default() += 1;
    }
    effects
}

#[test]
fn nothing_is_lost_and_nothing_happens_twice() {
    let runs = std::env::var(VARIABLE).map_or(RUNS, |text| text.parse().expect(VARIABLE));
    let scene = Scene::new(&[], FLOW);
    scene.project.file("tools/act.yaml", ACT);
    let first = Worker::register(&scene.project, &scene.server);
    let address = first.address.clone();
    let second = Worker::join(&scene.project, &address, "second");
    let mut workers = [first, second];
    let begin = Instant::now();
    submit(&scene, runs);
    println!("{runs} runs are under way after {:.1?}", begin.elapsed());
    let limit = Duration::from_secs(u64::try_from(runs).unwrap_or(u64::MAX)) + LIMIT;
    while effects(&scene).is_empty() {
        assert!(begin.elapsed() < limit, "no run has had its effect");
        thread::sleep(Duration::from_millis(100));
    }
    let mut kills = 0;
    while kills < KILLS && effects(&scene).len() < runs * 9 / 10 {
        thread::sleep(Duration::from_secs(1));
        workers[kills % 2].kill();
        workers[kills % 2] = Worker::join(&scene.project, &address, "next");
        kills += 1;
    }
    println!("{kills} kills after {:.1?}", begin.elapsed());
    let mut resumed = 0;
    for run in 0..runs {
        resumed += usize::from(end(&scene, run, begin, limit));
    }
    let effects = effects(&scene);
    println!(
        "{runs} runs in {:.1?}, of which {resumed} were resumed",
        begin.elapsed()
    );
    assert_eq!(effects.len(), runs, "every run has had its effect");
    // Only what ran when a worker was killed was interrupted.
    assert!(resumed <= kills * JOBS, "{resumed} of {runs}");
    let twice: Vec<_> = effects.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

/// Starts all runs, by four clients.
fn submit(scene: &Scene, runs: usize) {
    let shown = Run::new(programs().join("cogtools"))
        .args(["flow", "show", "f", "--json"])
        .project(&scene.project)
        .run()
        .json();
    let (url, digest) = (&scene.server.ingress, &shown["digest"]);
    thread::scope(|scope| {
        for client in 0..4 {
            scope.spawn(move || {
                for run in (client..runs).step_by(4) {
                    let body = json!({"flow": "f", "digest": digest, "arguments": {"text": run.to_string()}});
                    let path = format!("/restate/send/cogtools/run-{run}/run");
                    let answer = post(url, &path, "", &body.to_string());
                    assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
                }
            });
        }
    });
}

/// Waits for the end of a run, and says whether it had to be resumed.
fn end(scene: &Scene, run: usize, begin: Instant, limit: Duration) -> bool {
    let path = format!("/restate/call/cogtools/run-{run}/waiting");
    let mut is_resumed = false;
    loop {
        let answer = http::get(
            &scene.server.ingress,
            &format!("/restate/workflow/cogtools/run-{run}/output"),
        );
        if answer.starts_with("HTTP/1.1 200 ") {
            let expected = format!("\"did run {run}!\"");
            assert!(answer.ends_with(&expected), "{answer}");
            return is_resumed;
        }
        assert!(begin.elapsed() < limit, "run {run} does not end: {answer}");
        let waiting = post(&scene.server.ingress, &path, "", "");
        if waiting.contains("\"node\"") {
            assert!(!is_resumed, "it was resumed already: {waiting}");
            // Whether it had its effect is what a person finds out.
            let had = effects(scene).contains_key(&run.to_string());
            let with: Value = if had {
                json!({"result": format!("did run {run}")})
            } else {
                "repeat".into()
            };
            let body = json!({"node": "effect", "with": with}).to_string();
            let path = format!("/restate/call/cogtools/run-{run}/resume");
            let answer = post(&scene.server.ingress, &path, "", &body);
            assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
            is_resumed = true;
        }
        thread::sleep(Duration::from_millis(50));
    }
}
