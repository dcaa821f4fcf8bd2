//! Workers that are killed with signal 9 in the middle of a node.

use serde_json::json;

use super::*;

const CHAIN: &str = "    nodes:
      first: {tool: {name: one, arguments: {text: '{{ text }}'}}}
      second: {tool: {name: two, arguments: {text: '{{ first }}'}}}
      third: {tool: {name: three, arguments: {text: '{{ second }}'}}}
    output: '{{ third }}!'
";

/// Returns true if the process in a line of the log is gone.
fn is_gone(line: &str) -> Option<()> {
    let id = line.rsplit(' ').next().unwrap_or_default();
    (!Path::new("/proc").join(id).exists()).then_some(())
}

#[test]
fn a_worker_that_is_killed_in_each_node_repeats_that_node_alone() {
    let scene = Scene::new(&[("one", true), ("two", true), ("three", true)], CHAIN);
    let mut worker = Worker::register(&scene.project, &scene.server);
    scene.run_flow("r", &["--detach"]).outputs("");
    for (name, others) in [
        ("one", ["two", "three"]),
        ("two", ["one", "three"]),
        ("three", ["one", "two"]),
    ] {
        let before = others.map(|other| scene.lines(&format!("begin {other}")).len());
        let interrupted = scene.wait_for(&format!("begin {name} "), 1);
        worker.kill();
        wait("the tool of the killed worker ends", || {
            is_gone(&interrupted)
        });
        worker = Worker::join(&scene.project, &worker.address, "next");
        scene.wait_for(&format!("begin {name} next"), 1);
        assert_eq!(scene.lines(&format!("begin {name}")).len(), 2);
        assert_eq!(
            others.map(|other| scene.lines(&format!("begin {other}")).len()),
            before
        );
        // And once more, so that the next tool begins with the name of another worker.
        let interrupted = scene.wait_for(&format!("begin {name} next"), 1);
        worker.kill();
        wait("the tool of the killed worker ends", || {
            is_gone(&interrupted)
        });
        worker = Worker::join(&scene.project, &worker.address, "last");
        scene.wait_for(&format!("begin {name} last"), 1);
        scene.go(name);
        scene.wait_for(&format!("end {name}"), 1);
    }
    scene
        .run_flow("r", &[])
        .outputs("\"three(two(one(x)))!\"\n");
    for name in ["one", "two", "three"] {
        assert_eq!(scene.lines(&format!("begin {name}")).len(), 3, "{name}");
        assert_eq!(scene.lines(&format!("end {name}")).len(), 1, "{name}");
    }
}

const ACT: &str = "    nodes:
      before: {tool: {name: look, arguments: {text: '{{ text }}'}}}
      effect: {tool: {name: act, arguments: {text: '{{ before }}'}}}
      also: {text: 'also {{ text }}'}
    output: '{{ effect }} {{ also }}'
";

/// A scene whose worker was killed in `effect`, and a new worker.
fn interrupted() -> (Scene, Worker) {
    let scene = Scene::new(&[("look", true), ("act", false)], ACT);
    scene.go("look");
    let mut worker = Worker::register(&scene.project, &scene.server);
    scene.run_flow("r", &["--detach"]).outputs("");
    scene.wait_for("begin act", 1);
    worker.kill();
    let worker = Worker::join(&scene.project, &worker.address, "next");
    let waiting = json!([{"node": "effect", "question": null}]);
    wait("the node waits", || {
        (scene.waiting("r") == waiting).then_some(())
    });
    (scene, worker)
}

#[test]
fn a_node_that_is_not_idempotent_waits_and_never_runs_twice_by_itself() {
    let (scene, mut worker) = interrupted();
    scene.run_flow("r", &[]).fails(75, str![[r#"
cogtools-restate: error[ANSWER_WANTED]: effect: its worker or the server ended while this node was running; it may have had an effect
hint: find out whether it had
hint: `cogtools-restate resume r effect --repeat` runs it again
hint: `cogtools-restate resume r effect --result JSON` goes on with a result

"#]]);
    // Not with another worker either, and not when the node is asked for again and again.
    for _ in 0..3 {
        worker.kill();
        worker = Worker::join(&scene.project, &worker.address, "again");
        scene.waiting("r");
    }
    scene
        .run(&["resume", "r", "effect", "--answer", "yes"])
        .run()
        .fails(
            2,
            str![[r#"
cogtools-restate: error[USAGE]: effect: this node was interrupted, and asks nothing

"#]],
        );
    scene
        .run(&["resume", "r", "before", "--repeat"])
        .run()
        .fails(
            2,
            str![[r#"
cogtools-restate: error[USAGE]: before: this node does not wait

"#]],
        );
    assert_eq!(scene.lines("begin act").len(), 1);
    assert_eq!(scene.lines("begin look").len(), 1);

    scene.go("act");
    scene
        .run(&["resume", "r", "effect", "--repeat"])
        .run()
        .outputs("");
    scene
        .run_flow("r", &[])
        .outputs("\"act(look(x)) also x\"\n");
    assert_eq!(scene.lines("begin act").len(), 2);
    assert_eq!(scene.waiting("r"), json!([]));
}

#[test]
fn a_child_that_is_killed_is_an_interruption_too() {
    let scene = Scene::new(&[("look", true), ("act", false)], ACT);
    let worker = Worker::register(&scene.project, &scene.server);
    scene.run_flow("r", &["--detach"]).outputs("");
    for (name, count) in [("look", 1), ("act", 1)] {
        let line = scene.wait_for(&format!("begin {name}"), count);
        Run::new("/usr/bin/pkill")
            .args(["-KILL", "-P", &worker.id()])
            .run()
            .succeeds();
        wait("the tool ends with its parent", || is_gone(&line));
        if name == "look" {
            scene.wait_for("begin look", 2);
            scene.go("look");
        }
    }
    let waiting = json!([{"node": "effect", "question": null}]);
    wait("the node waits", || {
        (scene.waiting("r") == waiting).then_some(())
    });
    assert_eq!(scene.lines("begin act").len(), 1);
}

#[test]
fn a_node_that_takes_long_runs_once() {
    let scene = Scene::new(&[("look", true), ("act", false)], ACT);
    let _worker = Worker::register(&scene.project, &scene.server);
    scene.run_flow("r", &["--detach"]).outputs("");
    for name in ["look", "act"] {
        scene.wait_for(&format!("begin {name}"), 1);
        thread::sleep(Duration::from_secs(3));
        scene.go(name);
    }
    scene
        .run_flow("r", &[])
        .outputs("\"act(look(x)) also x\"\n");
    assert_eq!(scene.lines("begin look").len(), 1);
    assert_eq!(scene.lines("begin act").len(), 1);
}

#[test]
fn an_interrupted_node_can_be_given_its_result() {
    let (scene, _worker) = interrupted();
    scene
        .run(&["resume", "r", "effect", "--result", "[\"done\", 1]"])
        .run()
        .outputs("");
    scene.run_flow("r", &[]).outputs("\"done,1 also x\"\n");
    assert_eq!(scene.lines("begin act").len(), 1);
    assert_eq!(scene.lines("end act").len(), 0);
}

#[test]
fn a_second_worker_takes_over() {
    let scene = Scene::new(&[("one", true), ("two", true), ("three", true)], CHAIN);
    let mut first = Worker::register(&scene.project, &scene.server);
    let mut second = Worker::join(&scene.project, &first.address, "second");
    scene.run_flow("r", &["--detach"]).outputs("");
    let line = scene.wait_for("begin one", 1);
    let name = line.split(' ').next().unwrap_or_default();
    let other = if name == "first" {
        first.kill();
        "second"
    } else {
        second.kill();
        "first"
    };
    scene.wait_for(&format!("begin one {other}"), 1);
    for name in ["one", "two", "three"] {
        scene.go(name);
    }
    scene
        .run_flow("r", &[])
        .outputs("\"three(two(one(x)))!\"\n");
    assert_eq!(scene.lines("begin one").len(), 2);
    assert_eq!(scene.lines("begin two").len(), 1);
}
