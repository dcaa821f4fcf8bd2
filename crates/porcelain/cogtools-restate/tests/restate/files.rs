//! Rules that a worker keeps, and requests that it refuses: files, approvals, times, questions.

use serde_json::json;

use super::*;
use crate::http::post;
use crate::server::listens;

const FLOW: &str = "    nodes:
      first: {tool: {name: one, arguments: {text: '{{ text }}'}}}
      second: {tool: {name: two, arguments: {text: '{{ first }}'}}}
";
const LOCALHOST: &str = "0100007F:";

fn scene() -> (Scene, Worker) {
    let scene = Scene::new(&[("one", true), ("two", true)], FLOW);
    let worker = Worker::register(&scene.project, &scene.server);
    (scene, worker)
}

/// Changes the tool `two` so that it does something else.
fn change(scene: &Scene) {
    let text = scene.project.read("tools/two.yaml");
    scene
        .project
        .file("tools/two.yaml", text.replace("two(%s)", "2(%s)"));
}

#[test]
fn a_run_keeps_to_the_files_that_it_began_with() {
    let (scene, _worker) = scene();
    let shown = Run::new(programs().join("cogtools"))
        .args(["flow", "show", "f", "--json"])
        .project(&scene.project)
        .run()
        .json();
    let begin = |name: &str, lock: Value| {
        let body = json!({"flow": "f", "digest": shown["digest"], "lock": lock}).to_string();
        let path = format!("/restate/call/cogtools/{name}/run");
        post(&scene.server.ingress, &path, "", &body)
    };
    // In the middle of a run.
    scene.run_flow("middle", &["--detach"]).outputs("");
    scene.wait_for("begin one", 1);
    change(&scene);
    scene.go("one");
    scene.run_flow("middle", &[]).fails(1, str![[r#"
cogtools-restate: error[NODE_FAILED]: second: INVALID_TOOL: the flow, a tool of it or cogtools.lock is not the one that was expected
hint: bring the files here to the version with which the run began

"#]]);
    // Before it, and with another lock file.
    let answer = begin("before", Value::Null);
    assert!(answer.starts_with("HTTP/1.1 409 "), "{answer}");
    assert!(
        answer.contains("INVALID_TOOL: f: the flow or its tools"),
        "{answer}"
    );
    let answer = begin("locked", "other".into());
    assert!(answer.starts_with("HTTP/1.1 409 "), "{answer}");
    assert!(
        answer.contains("INVALID_TOOL: f: cogtools.lock"),
        "{answer}"
    );
    assert_eq!(scene.lines("begin two"), Vec::<String>::new());
}

#[test]
fn a_name_is_one_run() {
    let (scene, _worker) = scene();
    scene.run_flow("r", &["--detach", "text=a"]).outputs("");
    scene.run_flow("r", &["--detach", "text=a"]).outputs("");
    for args in [&["--detach", "text=b"][..], &["text=b"], &[]] {
        scene.run_flow("r", args).fails(
            2,
            str![[r#"
cogtools-restate: error[USAGE]: r: a run of this name is of another flow, or has other arguments
hint: choose another --name, or repeat the command of that run

"#]],
        );
    }
    scene.go("one");
    scene.go("two");
    scene
        .run_flow("r", &["text=a"])
        .outputs("\"two(one(a))\"\n");
    // A finished run is known by its arguments, too.
    scene.run_flow("r", &["text=b"]).status(2);
    assert_eq!(scene.lines("begin one").len(), 1);
}

#[test]
fn a_lock_file_holds() {
    let (scene, _worker) = scene();
    scene.go("one");
    scene.go("two");
    let lock = || {
        Run::new(programs().join("cogtools"))
            .arg("lock")
            .project(&scene.project)
            .run()
            .succeeds();
    };
    lock();
    scene.run_flow("locked", &[]).outputs("\"two(one(x))\"\n");
    // The lock file is that with which the run begins, but it pins another tool.
    change(&scene);
    scene.run_flow("drift", &[]).fails(1, str![[r#"
cogtools-restate: error[NODE_FAILED]: second: DENIED: two: it differs from the tool pinned in `cogtools.lock`: the implementation has changed
hint: review what has changed; to accept it, run cogtools lock

"#]]);
    lock();
    scene.run_flow("again", &[]).outputs("\"2(one(x))\"\n");
}

#[test]
fn only_what_is_approved_runs_and_nothing_from_elsewhere() {
    let (scene, _worker) = scene();
    scene.project.trust("tools");
    scene.run_flow("denied", &[]).fails(1, str![[r#"
cogtools-restate: error[NODE_FAILED]: first: DENIED: one: it runs a program, and its project is not trusted yet
hint: only the user can trust it, after reviewing its tools: cogtools trust .

"#]]);
    assert_eq!(scene.lines("begin"), Vec::<String>::new());
    let refused = |path: &str, headers: &str, body: Value| {
        let path = format!("/restate/call/cogtools/{path}");
        post(&scene.server.ingress, &path, headers, &body.to_string())
    };
    let flow = |flow: &str| json!({"flow": flow, "digest": "0"});
    // A page of any site that a browser on this machine shows.
    let answer = refused("page/run", "origin: http://example.com\r\n", flow("f"));
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    for (number, name) in ["../f", "/tmp/f.yaml", "-h", ""].into_iter().enumerate() {
        let answer = refused(&format!("path{number}/run"), "", flow(name));
        assert!(answer.starts_with("HTTP/1.1 400 "), "{name}: {answer}");
    }
    for handler in ["node", "attempt"] {
        let answer = refused(&format!("private/{handler}"), "", json!({}));
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        assert!(answer.contains("not public"), "{answer}");
    }
    scene.run_flow("../other", &[]).fails(2, str![[r#"
cogtools-restate: error[USAGE]: ../other: the name of a run has at most 128 letters, digits, `-` and `_`

"#]]);
    let run = scene.run(&["run", "nothing", "--name", "r"]);
    let cogtools = programs().join("cogtools");
    run.arg("--cogtools").arg(cogtools).run().fails(
        127,
        str![[r#"
cogtools-restate: error[TOOL_NOT_FOUND]: nothing: no such tool
hint: cogtools-discover lists all tools

"#]],
    );
    scene.run_flow("words", &["other=1"]).fails(
        65,
        str![[r#"
cogtools-restate: error[SCHEMA_VIOLATION]: f: /other: not a parameter of this tool
hint: the parameters are `text`

"#]],
    );
}

#[test]
fn everything_listens_on_this_machine_alone() {
    let (scene, worker) = scene();
    let all = [scene.server.listens(), listens(&worker.id())];
    assert_eq!(all.each_ref().map(Vec::len), [3, 1], "{all:?}");
    for address in all.iter().flatten() {
        assert!(address.starts_with(LOCALHOST), "{address}");
    }
    Run::new(worker::PROGRAM)
        .args(["serve", "--listen", "0.0.0.0:0"])
        .project(&scene.project)
        .run()
        .fails(
            2,
            str![[r#"
cogtools-restate: error[USAGE]: 0.0.0.0:0: anyone with access to this address could run flows
hint: `--identity-key` accepts only the Restate that has the key

"#]],
        );
}

const TIMES: &str = "    nodes:
      slow: {tool: {name: one, arguments: {text: '{{ text }}'}}, timeout: 1, retry: {times: 1, delay: 0.1}}
      after: {needs: ['slow?'], text: '{{ slow or \"too late\" }}'}
      confirm: {needs: [after], ask: 'Publish {{ after }}?'}
    output: '{{ after }}: {{ confirm }}'
";

#[test]
fn a_node_has_its_time_its_attempts_and_its_question() {
    let scene = Scene::new(&[("one", false)], TIMES);
    let worker = Worker::register(&scene.project, &scene.server);
    scene.run_flow("r", &[]).fails(
        75,
        str![[r#"
cogtools-restate: error[ANSWER_WANTED]: confirm: Publish too late?
hint: `cogtools-restate resume r confirm --answer TEXT` answers

"#]],
    );
    assert_eq!(scene.lines("begin one").len(), 2);
    assert_eq!(
        scene.waiting("r"),
        json!([{"node": "confirm", "question": "Publish too late?"}])
    );
    scene
        .run(&["resume", "r", "confirm", "--repeat"])
        .run()
        .fails(
            2,
            str![[r#"
cogtools-restate: error[USAGE]: confirm: this node asks, and only an answer lets it go on

"#]],
        );
    // A question survives its worker, too.
    let address = worker.address.clone();
    drop(worker);
    let _worker = Worker::join(&scene.project, &address, "next");
    scene
        .run(&["resume", "r", "confirm", "--answer", "yes \"it\" is"])
        .run()
        .outputs("");
    scene
        .run_flow("r", &[])
        .outputs("\"too late: yes \\\"it\\\" is\"\n");
    assert_eq!(scene.lines("begin one").len(), 2);
}
