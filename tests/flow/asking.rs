//! Questions to the user, runs without an output, and Ctrl-C.

use super::*;
use crate::pseudo_terminal::Terminal;

/// A question whose answer is checked.
const CHECKED: &str = "\
    nodes:
      book:
        ask:
          text: 'Which room?'
          reply:
            seats: {type: integer, description: The number of seats, minimum: 2}
      last: {text: '{{ book.seats + 1 }}'}
";

#[test]
fn an_answer_is_checked_and_a_wrong_one_is_asked_again() {
    let project = project_with(CHECKED);
    let run = |words: &[&str]| flow_run(&project, words).run();
    run(&["run", "f", "--session", "s.jsonl"]).status(75);
    for (wrong, reason) in [
        ("book=many", "seats: expected integer"),
        ("book=1", "seats: "),
        (
            "book={\"chairs\": 3}",
            "the answer has no `chairs`, but seats",
        ),
        ("book=", "seats: "),
    ] {
        let outcome = run(&["resume", "s.jsonl", "--answer", wrong]);
        outcome.stderr_contains(reason);
        outcome.status(75).stdout_is("");
    }
    run(&["resume", "s.jsonl", "--answer", "book=4"]).outputs("5\n");
    run(&["run", "f", "--answer", "book={\"seats\": 2}"]).outputs("3\n");
}

/// Flows that read an answer only to test it: a node of each is skipped, or has a text, without one.
const TESTED: [&str; 5] = [
    "del: {when: not ok.cancel, tool: broken}",
    "del: {when: 'ok.cancel != true', tool: broken}",
    "del: {text: '{% if ok %}Cancelled{% else %}Deleted{% endif %}'}",
    "way: {router: [{when: ok.cancel, to: keep}, {to: del}]}\n      keep: {text: Kept}\n      del: {text: Deleted}",
    "del: {needs: ['ok?'], text: Deleted}",
];

#[test]
fn a_question_whose_answer_is_only_tested_is_asked() {
    for nodes in TESTED {
        let project = project_with(&format!(
            "    nodes:
      ok: {{ask: {{text: 'Cancel?', reply: {{cancel: {{type: boolean}}}}}}}}
      {nodes}
      end: {{text: '{{{{ del or \"nothing\" }}}}'}}
"
        ));
        project.file("there", "called");
        let run = |words: &[&str]| flow_run(&project, words).run();
        let outcome = run(&["run", "f", "--session", "s.jsonl"]);
        outcome.stderr_contains("error[ANSWER_WANTED]: ok: Cancel?");
        outcome.status(75).stdout_is("");
        let events = project.read("s.jsonl");
        assert_eq!(
            events.matches("\"state\":\"started\"").count(),
            1,
            "{events}"
        );
        run(&["resume", "s.jsonl", "--answer", "ok=true"]).status(0);
    }
}

#[test]
fn a_default_answers_where_nobody_can_be_asked() {
    let ask = |keys: &str| {
        let nodes = format!("    nodes: {{a: {{ask: {{text: Why?, default: because{keys}}}}}}}\n");
        project_with(&nodes)
    };
    flow_run(&ask(""), &["run", "f"]).run().outputs("because\n");
    flow_run(&ask(""), &["run", "f", "--answer", "a=it is"])
        .run()
        .outputs("it is\n");
    // With a time, the question is open first.
    let later = ask(", timeout: 600");
    flow_run(&later, &["run", "f", "--session", "s.jsonl"])
        .run()
        .status(75);
    flow_run(&later, &["resume", "s.jsonl"]).run().status(75);
    let soon = ask(", timeout: 0.1");
    flow_run(&soon, &["run", "f", "--session", "s.jsonl"])
        .run()
        .status(75);
    std::thread::sleep(std::time::Duration::from_millis(150));
    flow_run(&soon, &["resume", "s.jsonl"])
        .run()
        .outputs("because\n");
}

#[test]
fn a_model_reads_that_a_person_is_asked_and_not_how() {
    let project = project_with(CHECKED);
    let outcome = run("cogtools-call", &project).arg("f").stdin("{}").run();
    outcome.stderr_contains("Which room?");
    outcome.stderr_contains("only a person can answer");
    let text = String::from_utf8_lossy(&outcome.stderr);
    assert!(!text.contains("--answer"), "{text}");
}

#[test]
fn a_person_is_asked_there_and_then() {
    let project = project_with(CHECKED);
    let mut terminal = Terminal::open(&project, "cogtools flow run f");
    terminal
        .answer("seats: The number of seats", "one\r")
        .answer("seats: expected integer", "6\r");
    let (status, screen) = terminal.end_screen();
    assert_eq!(status, Some(0), "{screen}");
    assert!(screen.ends_with("\n7"), "{screen}");
}

#[test]
fn a_question_ends_with_ctrl_c() {
    let project = project_with(CHECKED);
    let mut terminal = Terminal::open(&project, "cogtools flow run f");
    terminal.answer("seats: The number of seats", "\x03");
    let (status, screen) = terminal.end_screen();
    assert_eq!(status, Some(130), "{screen}");
    // What has happened is kept, and the hint is shown as after any run that waits.
    assert!(screen.contains("error[ANSWER_WANTED]: book:"), "{screen}");
    flow_run(&project, &["resume", "--answer", "book=4"])
        .run()
        .outputs("5\n");
}

#[test]
fn an_answer_is_for_a_node_that_asks() {
    let project = project_with(CHECKED);
    for (answer, reason) in [
        ("boo=3", "boo: the flow has no such node"),
        ("last=3", "last: this node asks no question"),
    ] {
        let outcome = flow_run(&project, &["run", "f", "--answer", answer]).run();
        outcome.stderr_contains(reason);
        outcome.status(2).stdout_is("");
    }
}

#[test]
fn a_terminal_shows_the_nodes_while_they_run() {
    let project = project_with("    nodes: {one: {tool: slow}, two: {text: '{{ one }}!'}}\n");
    project.file(
        "tools/slow.yaml",
        "name: slow\ndescription: Slow\nimplementation: {exec: [sh, -c, 'sleep 1; printf over']}\n",
    );
    let terminal = Terminal::open(&project, "cogtools flow run f");
    let (status, text) = terminal.end("");
    assert_eq!(status, Some(0), "{text}");
    for row in [
        "one: tool slow",
        "└── two: text",
        "one: tool slow succeeded",
        "over!",
    ] {
        assert!(text.contains(row), "{row}: {text:?}");
    }
    // In a pipe, there is nothing but the output.
    flow_run(&project, &["run", "f"])
        .run()
        .outputs("over!\n")
        .stderr_is("");
}

#[test]
fn an_output_whose_nodes_were_all_skipped_is_none() {
    for (nodes, names) in [
        ("    nodes: {a: {when: 'false', text: x}}\n", "`a`"),
        (
            "    nodes: {a: {when: 'false', text: x}, b: {text: '{{ a }}'}, c: {text: y}}\n    output: 'Result: {{ b }}'\n",
            "`b`",
        ),
        (
            "    nodes: {a: {when: 'false', text: x}}\n    output: '{{ a or \"\" }}'\n",
            "`a`",
        ),
    ] {
        let outcome = output_of(nodes);
        outcome.stderr_contains(&format!("there is no output: {names} did not run"));
        outcome.stderr_contains("hint: `cogtools flow trace ");
        outcome.status(66).stdout_is("");
    }
    output_of("    nodes: {a: {when: 'false', text: x}}\n    output: '{{ a or \"none\" }}'\n")
        .outputs("none\n");
}

#[test]
fn what_says_nothing_is_no_value() {
    for (nodes, reason) in [
        (
            "{a: {js: 'return {b: 1}'}, c: {text: 'Hi {{ a }}'}}",
            "an object prints as",
        ),
        (
            "{a: {js: 'return [{b: 1}]'}, c: {text: 'Hi {{ a }}'}}",
            "an object prints as",
        ),
        (
            "{a: {js: 'return {b: 1}'}, c: {ask: 'Send {{ a }}?'}}",
            "an object prints as",
        ),
        (
            "{a: {text: '{{ 1 / 0 }}'}, b: {text: '{{ a * 2 }}'}}",
            "a: TEMPLATE_FAILED",
        ),
        ("{a: {text: '{{ \"x\" * 2 }}'}}", "the value is NaN"),
        ("{a: {text: '{{ [1 / 0] }}'}}", "the value is Infinity"),
        ("{a: {text: '{{ {t: 0 / 0} }}'}}", "the value is NaN"),
        ("{a: {text: '{{ [{}] | join }}'}}", "an object prints as"),
        ("{a: {text: '{{ \"\" ~ {} }}'}}", "an object prints as"),
        ("{a: {text: '{{ {} | string }}'}}", "an object prints as"),
        (
            "{a: {text: '{{ \"\" + {}.a }}'}}",
            "a value that is not there prints as `undefined`",
        ),
    ] {
        let outcome = output_of(&format!("    nodes: {nodes}\n"));
        outcome.stderr_contains(reason);
        outcome.status(1).stdout_is("");
    }
    // What is safe is text.
    output_of(
        "    nodes: {a: {text: '{{ \" <b> \" | safe | trim }}'}, b: {text: '{{ a | e }}'}}\n",
    )
    .outputs("&lt;b&gt;\n");
    // What says so itself is text, and null is a value.
    output_of("    nodes: {a: {text: 'No [object Object], {{ 1 }}'}}\n")
        .outputs("No [object Object], 1\n");
    output_of(
        "    nodes: {a: {js: 'return {b: null}'}, c: {text: '{{ a.b }}'}, d: {text: 'x{{ c }}'}}\n",
    )
    .outputs("x\n");
}

/// Starts a flow of two nodes and sends it a signal in the first one, as often as this.
fn interrupted(signal: &str, count: usize) -> (Project, Outcome) {
    let project = project_with(
        "    nodes:
      one: {tool: {name: slow}}
      two: {needs: [one], text: '{{ one }}!'}
",
    );
    project.file(
        "tools/slow.yaml",
        "name: slow\ndescription: Slow\nimplementation: {exec: [sh, -c, 'touch begun; sleep 2; printf over; touch ended']}\n",
    );
    let interrupt = format!("sleep 0.3; kill -{signal} $$;").repeat(count);
    let outcome = Run::new("/bin/sh")
        .project(&project)
        .args([
            "-c",
            &format!("(while [ ! -e begun ]; do sleep 0.1; done; {interrupt}) & exec \"$@\""),
            "sh",
        ])
        .arg(programs().join("cogtools-flow"))
        .args(["run", "f", "--session", "s.jsonl"])
        .run();
    (project, outcome)
}

#[test]
fn ctrl_c_waits_for_nodes_that_run_and_twice_ends_them() {
    let (project, outcome) = interrupted("INT", 1);
    outcome.stderr_contains("the run was interrupted");
    outcome.stderr_contains("1 node done; `cogtools flow resume s.jsonl` goes on here");
    outcome.status(130).stdout_is("");
    flow_run(&project, &["resume", "s.jsonl"])
        .run()
        .outputs("over!\n");
    let (project, outcome) = interrupted("INT", 2);
    outcome.status(130).stdout_is("");
    assert!(
        !project.path("ended").exists(),
        "the program ran to its end"
    );
}

#[test]
fn a_flow_that_is_terminated_starts_nothing_further() {
    for (signal, status) in [("TERM", 143), ("HUP", 129), ("QUIT", 131)] {
        let (project, outcome) = interrupted(signal, 1);
        outcome.stderr_contains("`cogtools flow resume s.jsonl` goes on here");
        outcome.status(status).stdout_is("");
        assert!(!project.path("ended").exists(), "{signal}: the tool ran on");
        let log = project.read("s.jsonl");
        let started = "\"node\":\"two\",\"state\":\"started\"";
        assert!(!log.contains(started), "{signal}: {log}");
    }
}

#[test]
fn the_time_of_a_question_runs_on_when_somebody_resumes() {
    let ask = "    nodes: {a: {ask: {text: Why?, default: because, timeout: 4}}}\n";
    let project = project_with(ask);
    let resume = || flow_run(&project, &["resume", "s.jsonl"]).run();
    flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .run()
        .status(75);
    std::thread::sleep(std::time::Duration::from_millis(500));
    resume().status(75);
    std::thread::sleep(std::time::Duration::from_secs(4));
    resume().outputs("because\n");
}

#[test]
fn the_hint_of_a_question_names_its_session() {
    let project = project_with(CHECKED);
    let outcome = flow_run(&project, &["run", "f"]).run();
    outcome.status(75);
    let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
    let command = text.split("hint: `cogtools flow ").nth(1);
    let command = command.and_then(|hint| hint.split(" --answer").next());
    let words: Vec<&str> = command.unwrap_or_default().split(' ').collect();
    assert!(words.len() == 2 && words[0] == "resume", "{text}");
    // Another run has come in between.
    flow_run(&project, &["run", "f"]).run().status(75);
    flow_run(&project, &["resume", words[1], "--answer", "book=2"])
        .run()
        .outputs("3\n");
}
