//! Flows that go on: after a failure, an answer, or the end of their process.

use super::*;
use crate::pseudo_terminal::Terminal;

const NODES: &str = "\
    nodes:
      first: {tool: {name: search, arguments: {query: '{{ question }}'}}}
      list: {each: {in: [a, b, c], tool: {name: calendar, arguments: {query: '{{ item }}'}}}}
      confirm: {needs: [first, list], ask: 'Publish {{ list | length }} results?'}
      last: {text: '{{ first }}, {{ list | join(\" and \") }}: {{ confirm }}'}
";
const RESULT: &str = "results for what, events for a and events for b and events for c: yes\n";

#[test]
fn a_flow_waits_for_an_answer() {
    let project = project_with(NODES);
    flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .run()
        .fails(
            75,
            str![[r#"
cogtools-flow: error[ANSWER_WANTED]: confirm: Publish 3 results?
hint: `cogtools flow resume s.jsonl --answer confirm=…` answers, and goes on

"#]],
        );
    flow_run(&project, &["resume", "s.jsonl"]).run().status(75);
    flow_run(&project, &["resume", "s.jsonl", "--answer", "confirm=yes"])
        .run()
        .outputs(RESULT);
    // What has a result does not run again.
    let log = project.read("s.jsonl");
    for node in ["first", "list", "list.0", "list.1", "list.2"] {
        let started = format!("\"node\":\"{node}\",\"state\":\"started\"");
        assert_eq!(log.matches(&started).count(), 1, "{node}: {log}");
    }
    // Or all at once.
    flow_run(&project, &["run", "f", "--answer", "confirm=yes"])
        .run()
        .outputs(RESULT);
}

#[test]
fn an_answer_comes_from_standard_input() {
    let project = project_with(NODES);
    flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .run()
        .status(75);
    flow_run(&project, &["resume", "s.jsonl", "--answer", "confirm=@-"])
        .stdin("@-, = and\n\"more\"\n")
        .run()
        .outputs("results for what, events for a and events for b and events for c: @-, = and\n\"more\"\n");
    flow_run(&project, &["run", "f", "--answer", "confirm=@-"])
        .stdin("yes\r\n")
        .run()
        .outputs(RESULT);
    let two = ["run", "f", "--answer", "confirm=@-", "--answer", "last=@-"];
    flow_run(&project, &two).stdin("yes").run().fails(
        2,
        str![[r#"
cogtools-flow: error[USAGE]: `confirm` and `last` cannot both be read from standard input
hint: write one of the answers on the command line

"#]],
    );
}

#[test]
fn a_flow_goes_on_after_any_line_of_its_session() {
    let project = project_with(NODES);
    flow_run(
        &project,
        &[
            "run",
            "f",
            "--answer",
            "confirm=yes",
            "--session",
            "s.jsonl",
        ],
    )
    .run()
    .outputs(RESULT);
    let log = project.read("s.jsonl");
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines.len() > 12, "{log}");
    for count in 2..=lines.len() {
        let cut = format!("cut{count}.jsonl");
        project.file(&cut, lines[..count].join("\n") + "\n");
        flow_run(&project, &["resume", &cut, "--answer", "confirm=yes"])
            .run()
            .outputs(RESULT);
    }
}

#[test]
fn a_call_that_may_have_had_an_effect_is_not_repeated_by_itself() {
    let project = project_with("    nodes: {act: {tool: broken}}\n");
    project.file("there", "done");
    flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .run()
        .outputs("done\n");
    let log = project.read("s.jsonl");
    let cut: Vec<&str> = log.lines().take(3).collect();
    assert!(cut[2].contains("started"), "{log}");
    project.file("s.jsonl", cut.join("\n") + "\n");
    flow_run(&project, &["resume", "s.jsonl"])
        .run()
        .fails(1, str![[r#"
cogtools-flow: error[NODE_FAILED]: act: the run ended while this node was running; it may have had an effect
hint: find out whether it had
hint: `cogtools flow resume s.jsonl --repeat act` runs it again
hint: `cogtools flow resume s.jsonl --result act=JSON` goes on with a result

"#]]);
    flow_run(&project, &["resume", "s.jsonl", "--repeat", "act"])
        .run()
        .outputs("done\n");
}

#[test]
fn a_failure_is_mended_and_the_flow_goes_on() {
    let project = project_with(
        "\
    nodes:
      first: {tool: {name: search, arguments: {query: x}}}
      act: {needs: [first], tool: broken}
      last: {text: '{{ act }}!'}
",
    );
    flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .run()
        .status(1);
    project.file("there", "mended");
    flow_run(&project, &["resume", "s.jsonl"])
        .run()
        .outputs("mended!\n");
    // A flow that has changed begins again.
    let changed = project.read("tools/f.yaml").replace("}}!", "}}?");
    project.file("tools/f.yaml", changed);
    flow_run(&project, &["resume", "s.jsonl"])
        .run()
        .fails(65, str![[r#"
cogtools-flow: error[INVALID_SESSION]: f: the flow has changed since this run, so its results may not fit
hint: `cogtools flow run f` begins again

"#]]);
}

/// A node whose failure another one deals with, a question, and a node that fails at first.
const DEALT_WITH: &str = "\
    nodes:
      try: {tool: fails}
      instead: {text: '{{ \"instead\" if try.error else \"tried\" }}'}
      sure: {needs: [instead], ask: 'Sure?'}
      act: {needs: [sure], tool: broken}
    output: '{{ instead }}, {{ act }}'
";
const FAILS: &str = "\
name: fails
description: Fails
parameters: {}
implementation: {exec: [sh, -c, 'printf x >> tries; exit 3']}
";

#[test]
fn a_failure_that_others_have_dealt_with_stays() {
    let project = project_with(DEALT_WITH);
    project.file("tools/fails.yaml", FAILS);
    let run = ["run", "f", "--session", "s.jsonl"];
    flow_run(&project, &run).run().status(75);
    let answered = ["resume", "s.jsonl", "--answer", "sure=yes"];
    flow_run(&project, &answered).run().status(1);
    project.file("there", "done");
    let resume = ["resume", "s.jsonl"];
    flow_run(&project, &resume).run().outputs("instead, done\n");
    assert_eq!(project.read("tries"), "x");
    let again = ["resume", "s.jsonl", "--repeat", "try"];
    flow_run(&project, &again).run().status(0);
    assert_eq!(project.read("tries"), "xx");
    // A person at a terminal answers within the run.
    let mut terminal = Terminal::open(&project, "cogtools flow run f");
    terminal.answer("Sure?", "yes\r");
    let (status, screen) = terminal.end_screen();
    assert_eq!(status, Some(0), "{screen}");
    assert_eq!(project.read("tries"), "xxx");
}

/// Else what the first nodes of the other flow have done would be done again, and nobody asked.
#[test]
fn a_flow_within_a_flow_begins_anew_only_if_that_has_no_effect() {
    let project = project_with("    nodes: {inner: {tool: inner}}\n");
    project.file("tools/note.yaml", NOTE);
    let inner = "    nodes:
      write: {tool: {name: note, arguments: {text: x}}}
      act: {needs: [write], tool: broken}
";
    let inner = flow(inner).replacen("name: f", "name: inner", 1);
    project.file("tools/inner.yaml", inner);
    let run = ["run", "f", "--session", "s.jsonl"];
    flow_run(&project, &run).run().status(1);
    project.file("there", "done");
    let outcome = flow_run(&project, &["resume", "s.jsonl"]).run();
    outcome.stderr_contains("inner: this node has failed after a call that may have had an effect");
    outcome.status(1);
    assert_eq!(project.read("notes"), "x");
    let again = ["resume", "s.jsonl", "--repeat", "inner"];
    flow_run(&project, &again).run().outputs("done\n");
    // One that has succeeded has nothing to decide.
    let later = project.read("tools/broken.yaml").replace("broken", "later");
    project.file("tools/later.yaml", later.replace("cat there", "cat later"));
    let nodes = "    nodes: {inner: {tool: inner}, last: {needs: [inner], tool: later}}\n";
    project.file("tools/f.yaml", flow(nodes)).remove("notes");
    flow_run(&project, &["run", "f"]).run().status(1);
    project.file("later", "later");
    flow_run(&project, &["resume"]).run().outputs("later\n");
    assert_eq!(project.read("notes"), "x");
}

/// A tool with an effect, once for each item.
const ACT: &str = "\
    nodes:
      list: {each: {in: [a, b, c], max: 1, tool: {name: note, arguments: {text: '{{ item }}'}}}}
      other: {tool: broken}
    output: '{{ list | join(\"\") }}{{ other }}'
";
const NOTE: &str = "\
name: note
description: Notes a text
parameters: {text: string}
implementation: {exec: [sh, -c, 'printf %s \"$0\" | tee -a notes', '{{ text }}']}
";

#[test]
fn all_nodes_that_were_interrupted_are_named_at_once() {
    let project = project_with(ACT);
    project.file("tools/note.yaml", NOTE).file("there", "!");
    flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .run()
        .outputs("abc!\n");
    assert_eq!(project.read("notes"), "abc");
    // The run was killed when these had started.
    let log = project.read("s.jsonl");
    let is_open = |line: &&str| {
        let is_node = line.contains("\"kind\":\"node\"");
        let is_end = line.contains("\"succeeded\"");
        let is_kept = line.contains("list.0");
        line.contains("\"kind\":\"session\"")
            || line.contains("\"kind\":\"flow\"")
            || is_node && (!is_end || is_kept)
    };
    let mut last = 0;
    let lines = log.lines().filter(is_open).map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        if line["kind"] != "session" {
            line["parent"] = if last == 0 { Value::Null } else { last.into() };
            last += 1;
            line["id"] = last.into();
        }
        format!("{line}\n")
    });
    let lines: String = lines.collect();
    project.file("s.jsonl", lines);
    flow_run(&project, &["resume", "s.jsonl"]).run().fails(
        1,
        str![[r#"
cogtools-flow: error[NODE_FAILED]: other: the run ended while this node was running; it may have had an effect
cogtools-flow: error[NODE_FAILED]: list.1: the run ended while this node was running; it may have had an effect
cogtools-flow: error[NODE_FAILED]: list.2: the run ended while this node was running; it may have had an effect
hint: find out whether they had
hint: `cogtools flow resume s.jsonl --repeat other --repeat list.1 --repeat list.2` runs them again
hint: `cogtools flow resume s.jsonl --result other=JSON --result list.1=JSON --result list.2=JSON` goes on with results

"#]],
    );
    // Decisions that were made already stand in the hints.
    flow_run(&project, &["resume", "s.jsonl", "--repeat", "list.1", "--result", "other=1"])
        .run()
        .fails(1, str![[r#"
cogtools-flow: error[NODE_FAILED]: list.2: the run ended while this node was running; it may have had an effect
hint: find out whether it had
hint: `cogtools flow resume s.jsonl --repeat list.1 --result 'other=1' --repeat list.2` runs it again
hint: `cogtools flow resume s.jsonl --repeat list.1 --result 'other=1' --result list.2=JSON` goes on with a result

"#]]);
    // A node covers its items, and a result is a decision, too.
    let decided = [
        "resume",
        "s.jsonl",
        "--repeat",
        "list",
        "--result",
        "other=\"?\"",
    ];
    flow_run(&project, &decided).run().outputs("abc?\n");
    assert_eq!(project.read("notes"), "abcbc");
    // A result that was given is in the session.
    flow_run(&project, &["resume", "s.jsonl"])
        .run()
        .outputs("abc?\n");
    let trace = flow_run(&project, &["trace", "s.jsonl"]).run().text();
    assert!(
        trace.contains("other succeeded\n  result: ?\n") && !trace.contains("interrupted"),
        "{trace}"
    );
}

#[test]
fn a_run_that_may_not_begin_leaves_no_session() {
    let project = Project::untrusted();
    project.file("tools/f.yaml", flow("nodes: {act: {agent: {rules: x}}}\n"));
    flow_run(&project, &["run", "f"]).run().status(77);
    flow_run(&project, &["list"])
        .run()
        .outputs("this project has no runs of flows\n");
}

#[test]
fn the_newest_run_of_a_flow_is_found_among_other_sessions() {
    let project = project_with(NODES);
    flow_run(&project, &["run", "f"]).run().status(75);
    project.file("plan.json", r#"{"restatement": "r", "visible_reply": "v", "thinking_log": ["t"], "tool_plan": [{"need_tool": true, "reason": "r", "tool": "search", "args": {"query": "q"}}]}"#);
    run("cogtools-plan", &project)
        .args(["run", "plan.json"])
        .run()
        .status(0);
    flow_run(&project, &["trace"]).run().status(0);
    flow_run(&project, &["resume", "--answer", "confirm=yes"])
        .run()
        .outputs(RESULT);
    run("cogtools-plan", &project)
        .arg("show")
        .run()
        .stdout_contains("search");
    // Nor does an older one take its place if it cannot be read.
    flow_run(&project, &["run", "f"]).run().status(75);
    let listed = run("cogtools-session", &project).args(["list", "--json"]);
    let listed = listed.run().json();
    let newest = listed[0]["file"].as_str().expect("a file");
    let newest = newest.replacen("[HOME]", &project.home().display().to_string(), 1);
    let log = std::fs::read_to_string(&newest).expect("a session");
    std::fs::write(&newest, log.replacen("\"kind\":\"node\"", "\"kind\":", 1)).expect("written");
    let outcome = flow_run(&project, &["resume", "--answer", "confirm=yes"]).run();
    outcome.stderr_contains("error[INVALID_SESSION]");
    outcome.status(65).stdout_is("");
}

#[test]
fn what_is_decided_is_about_nodes_without_a_result() {
    let project = project_with(NODES);
    flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .run()
        .status(75);
    let log = project.read("s.jsonl");
    for (words, fault) in [
        (
            &["--repeat", "first"][..],
            "first: this node has a result, which stays",
        ),
        (
            &["--result", "first=1"],
            "first: this node has a result, which stays",
        ),
        (
            &["--repeat", "list.0"],
            "list.0: this node has a result, which stays",
        ),
        (
            &["--result", "list.7=1"],
            "list.7: the run has no such item",
        ),
        (
            &["--answer", "last=yes"],
            "last: this node asks no question\nhint: these ask: `confirm`",
        ),
        (&["--answer", "gone=yes"], "gone: the flow has no such node"),
        (
            &["--repeat", "confirm", "--result", "confirm=1"],
            "confirm: either run this node again, or give its result\nhint: without a result: `confirm`",
        ),
    ] {
        let outcome = flow_run(&project, &["resume", "s.jsonl"]).args(words).run();
        outcome.stderr_contains(fault);
        outcome.status(2).stdout_is("");
    }
    assert_eq!(project.read("s.jsonl"), log);
    let answer = |text: &str| {
        let answer = format!("confirm={text}");
        flow_run(&project, &["resume", "s.jsonl", "--answer", &answer]).run()
    };
    answer("yes").outputs(RESULT);
    // The same command again is no contradiction; another answer is.
    answer("yes").outputs(RESULT);
    answer("no").status(2);
}

#[test]
fn arguments_of_a_session_are_checked_as_those_of_a_call() {
    let project = project_with(NODES);
    flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .run()
        .status(75);
    let log = project.read("s.jsonl");
    let changed = log.replace("{\"question\":\"what\"}", "{\"question\":7}");
    assert_ne!(log, changed);
    project.file("s.jsonl", changed);
    flow_run(&project, &["resume", "s.jsonl", "--answer", "confirm=yes"])
        .run()
        .status(65)
        .stdout_is("");
}
