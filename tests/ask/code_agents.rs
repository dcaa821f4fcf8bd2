//! Code mode of agents that are tools, and agents that programs call.

use super::code::{again, in_code, lines, program, response};
use super::*;

/// An agent that notes and greets by programs.
const SCRIBE: &str = "\
name: scribe
description: Notes things
implementation: {agent: {system: You note things., tools: [run_code, note, gre*]}}
";

/// A project with the agent, and a tool that it may not call.
fn scribing() -> Project {
    let project = noting();
    project.file("tools/scribe.yaml", SCRIBE);
    project.file("tools/other.yaml", GREET.replace("greet", "other"));
    project
}

fn scribe() -> Turn {
    Turn::call("scribe", json!({}))
}

#[test]
fn an_agent_that_lists_run_code_calls_its_tools_in_programs() {
    for (allow, output) in [(None, "DENIED"), (Some("--allow=note"), "noted")] {
        let project = scribing();
        let code = "print(tools.greet({person: 'Ada'}));\n\
            try { return tools.note({text: 'one'}) } catch (e) { return e.code }";
        let fake = FakeGemini::start([
            scribe(),
            program("return tools.other({person: 'Ada'})"),
            program(code),
            Turn::text("Noted."),
            Turn::text("done"),
        ]);
        let args = ["--session", "s.jsonl", "--allow=scribe", "Go"];
        let args: Vec<&str> = allow.into_iter().chain(args).collect();
        let run = ask(&project, &fake).args(&args).run();
        run.status(0).stdout_is("done\n");
        let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(!stderr.contains("run_code` in `tools`"), "{stderr}");
        let conversation = fake.finish();
        let declared = conversation.main()[1].declarations();
        let names: Vec<&Value> = declared.iter().map(|it| &it["name"]).collect();
        assert_eq!(names, ["run_code"]);
        let types = declared[0]["description"].as_str().expect("text");
        assert!(types.contains("  greet(args: {person: string}): string;"));
        assert!(types.contains("  note(args: {text: string}): string;"));
        assert!(
            !types.contains("  other(") && !types.contains("  scribe("),
            "{types}"
        );
        let unknown = response(&conversation, 2)["error"].to_string();
        assert!(unknown.contains("there is no tool `other`"), "{unknown}");
        let output = format!("Hello Ada!\n{output}");
        assert_eq!(response(&conversation, 3), json!({ "output": output }));
    }
}

#[test]
fn a_tool_of_the_project_named_run_code_is_that_tool() {
    let project = scribing();
    project.file("tools/run_code.yaml", GREET.replace("greet", "run_code"));
    let fake = FakeGemini::start([
        scribe(),
        Turn::call("run_code", json!({"person": "Ada"})),
        Turn::text("Greeted."),
        Turn::text("done"),
    ]);
    quietly(&project, &fake, &["--allow=scribe", "Go"]).outputs("done\n");
    let conversation = fake.finish();
    let declared = conversation.main()[1].declarations();
    let names: Vec<&Value> = declared.iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["greet", "note", "run_code"]);
    let answer = json!({"output": "Hello Ada!"});
    assert_eq!(response(&conversation, 2), answer);
}

#[test]
fn an_agent_that_a_program_calls_is_in_the_session_and_spends_the_same_budget() {
    let go = |budget: &str, turns: usize| {
        let project = scribing();
        let all = [
            program("return store.said = tools.scribe({})"),
            program("return [store.said ?? null, tools.greet({person: 'Ada'})]"),
            Turn::text("Noted."),
            Turn::text("done"),
        ];
        let fake = FakeGemini::start(all.into_iter().take(turns));
        let args = ["--allow=scribe", "--budget", budget, "Go"];
        let outcome = in_code(&project, &fake, &args);
        (project, outcome, fake.finish())
    };
    let (project, outcome, conversation) = go("turns=4", 4);
    outcome.outputs("done\n");
    // The store of its caller is not that of the agent.
    let inner = json!({"output": "[null,\"Hello Ada!\"]"});
    assert_eq!(response(&conversation, 2), inner);
    assert_eq!(response(&conversation, 3), json!({"output": "Noted."}));
    let expected = [
        "call",
        "program p1",
        "call p1 1",
        "agent",
        "call",
        "program a8p1",
        "call a8p1 1",
        "result a8p1 1",
        "program_end a8p1",
        "result",
        "result p1 1",
        "store p1",
        "program_end p1",
        "result",
    ];
    let kinds = ["agent", "program", "call", "result", "store", "program_end"];
    assert_eq!(lines(&project, &kinds), expected);
    let session = run("cogtools-session", &project);
    session.args(["verify", "s.jsonl"]).run().status(0);
    let (_, spent, _) = go("turns=2", 2);
    spent
        .status(4)
        .stderr_contains("the budget of turns is spent");
    // The calls: the program, the agent, its program, the greeting.
    let (_, spent, conversation) = go("calls=3", 4);
    spent.outputs("done\n");
    let error = response(&conversation, 2)["error"].to_string();
    assert!(error.contains("the budget of calls is spent"), "{error}");
}

#[test]
fn agents_and_programs_do_not_call_each_other_without_end() {
    let project = Project::new();
    let mirror = "name: mirror\ndescription: Asks itself\n\
        implementation: {agent: {system: Ask yourself., tools: [run_code, mirror]}}\n";
    project.file("tools/mirror.yaml", mirror);
    let code = "try { return tools.mirror({}) } catch (e) { return e.message }";
    let turns = std::iter::repeat_with(|| program(code)).take(5);
    let ends = ["4", "3", "2", "1", "done"].map(Turn::text);
    let fake = FakeGemini::start(turns.chain(ends));
    in_code(&project, &fake, &["--allow=mirror", "Go"]).outputs("done\n");
    let deepest = response(&fake.finish(), 5)["output"].to_string();
    assert!(
        deepest.contains("4 agents and flows already run within each other"),
        "{deepest}"
    );
}

#[test]
fn an_agent_goes_on_with_its_own_programs_only() {
    let project = scribing();
    let fake = FakeGemini::start([
        program("return tools.scribe({})"),
        Turn::call("run_code", json!({"resume": "p1"})),
        Turn::text("No."),
        Turn::text("done"),
    ]);
    in_code(&project, &fake, &["--allow=scribe", "Go"]).outputs("done\n");
    assert_eq!(response(&fake.finish(), 2)["code"], "SESSION_NOT_FOUND");
}

#[test]
fn replayed_calls_are_not_counted_again() {
    let project = noting();
    let code = "for (const n of [1, 2, 3]) tools.greet({person: n + ''});\n\
        return tools.note({text: 'one'})";
    let fake = FakeGemini::start([program(code), Turn::text("done")]);
    in_code(&project, &fake, &["--pause", "Go"]).status(75);
    again(&project, &fake, &["--approve-each", "call-1-1"]).status(75);
    let budget = ["--approve", "p1.4", "--budget", "calls=2"];
    again(&project, &fake, &budget).outputs("done\n");
    assert_eq!(response(&fake.finish(), 1), json!({"output": "noted"}));
    assert_eq!(notes(&project), "one\n");
}

#[test]
fn what_a_user_denies_is_denied_in_code_of_tools() {
    let project = noting();
    project.file(
        "tools/t.yaml",
        "name: t\ndescription: d\nimplementation:\n  js: |\n    try { return \
         tools.greet({person: 'Ada'}) } catch (e) { return e.code }\n  tools: [greet]\n",
    );
    for (options, output) in [(&[][..], "Hello Ada!"), (&["--deny", "greet"], "DENIED")] {
        let fake = FakeGemini::start([Turn::call("t", json!({})), Turn::text("done")]);
        let run = ask(&project, &fake).args(["-q", "--allow", "t"]);
        run.args(options).arg("Go").run().outputs("done\n");
        assert_eq!(response(&fake.finish(), 1), json!({ "output": output }));
    }
}

#[test]
fn what_a_user_denies_is_denied_in_flows() {
    let project = noting();
    project.file(
        "tools/t.yaml",
        "name: t\ndescription: d\nimplementation:\n  flow:\n    nodes:\n      \
         n: {tool: {name: greet, arguments: {person: Ada}}}\n",
    );
    let called = |options: &[&str]| {
        let fake = FakeGemini::start([Turn::call("t", json!({})), Turn::text("done")]);
        let run = ask(&project, &fake).args(["-q", "--allow", "t"]);
        run.args(options).arg("Go").run().outputs("done\n");
        response(&fake.finish(), 1).to_string()
    };
    let output = called(&[]);
    assert!(output.contains("Hello Ada!"), "{output}");
    let denied = called(&["--deny", "greet"]);
    assert!(
        denied.contains("denied by a rule of the user: `greet`"),
        "{denied}"
    );
    project.file("../home/.gemini/cogtoolrc.yaml", "ask: {deny: [greet]}\n");
    assert_eq!(called(&[]), denied);
}

#[test]
fn what_a_user_wants_to_be_asked_about_is_denied_in_flows() {
    let project = noting();
    let flow = |name: &str, node: &str| {
        let node = format!("{{n: {{tool: {{name: {node}}}}}}}");
        format!(
            "name: {name}\ndescription: d\nannotations: {{read_only: true}}\nimplementation: {{flow: {{nodes: {node}}}}}\n"
        )
    };
    project
        .file("tools/t.yaml", flow("t", "inner"))
        .file(
            "tools/inner.yaml",
            flow("inner", "note, arguments: {text: one}"),
        )
        .file("../home/.gemini/cogtoolrc.yaml", "ask: {ask: [note]}\n");
    let called = |options: &[&str]| {
        let fake = FakeGemini::start([Turn::call("t", json!({})), Turn::text("done")]);
        let run = ask(&project, &fake).arg("-q").args(options);
        run.arg("Go").run().outputs("done\n");
        response(&fake.finish(), 1).to_string()
    };
    let denied = called(&[]);
    let reason = "the rule `note` of the user wants an approval, and a flow cannot ask";
    assert!(denied.contains(reason), "{denied}");
    assert_eq!(notes(&project), "");
    called(&["--allow", "note"]);
    assert_eq!(notes(&project), "one\n");
    // The user's own call of the flow is no call of a model.
    let run = run("cogtools-run", &project).arg("t").run();
    run.status(0);
    assert_eq!(notes(&project), "one\none\n");
}

#[test]
fn calls_of_programs_are_shown() {
    let project = noting();
    let code = "print(tools.greet({person: 'Ada'}));\n\
        try { tools.note({text: 'one'}) } catch (e) { return e.code }";
    let fake = FakeGemini::start([program(code), Turn::text("done")]);
    let run = ask(&project, &fake).args(["--code", "Go"]).run();
    run.status(0)
        .stdout_is("done\n")
        .stderr_contains("greet {\"person\":\"Ada\"}\n");
    run.stderr_contains("cogtools-ask: note {\"text\":\"one\"}\n");
    run.stderr_contains("cogtools-ask: note: denied: this call needs an approval");
    fake.finish();
}

#[cfg(target_os = "linux")]
#[test]
fn the_user_is_asked_about_the_program_of_an_agent() {
    use crate::pseudo_terminal::Terminal;

    let project = scribing();
    let fake = FakeGemini::start([
        scribe(),
        program("return tools.note({text: 'one'})"),
        Turn::text("Noted."),
        Turn::text("done"),
    ]);
    let line = format!(
        "GEMINI_API_KEY=k GOOGLE_GEMINI_BASE_URL={} cogtools-ask -q --allow=scribe Go",
        fake.url()
    );
    let mut terminal = Terminal::open(&project, &line);
    terminal.answer("in which 1 call may change something?", "\r");
    assert_eq!(terminal.end("done").0, Some(0));
    assert_eq!(notes(&project), "one\n");
    assert_eq!(response(&fake.finish(), 2), json!({"output": "noted"}));
}

/// A program that was approved by a rule goes on without it, and asks at each call.
#[test]
fn an_interrupted_program_goes_on_by_its_hints() {
    let project = noting();
    project.file("tools/crash.yaml", code::CRASH);
    let fake = FakeGemini::start([program("return tools.crash({})"), Turn::text("done")]);
    let options = [
        "-q",
        "--code",
        "--session",
        "s.jsonl",
        "--allow",
        "crash",
        "Go",
    ];
    let killed = ask_with_pid(&project, &fake).args(options).run();
    assert_eq!(killed.status, cogtools_test_support::Status::Signal(9));
    again(&project, &fake, &["--continue"]).fails(
        75,
        str![[r#"
cogtools-ask: error[CODE_INTERRUPTED]: p1.1 may have had an effect
  | p1.1: step 1: crash {}: the program ended while this call was running; it may have had an effect
hint: find out whether it had
hint: cogtools ask --session s.jsonl --repeat p1.1 runs it again
hint: cogtools ask --session s.jsonl --result 'p1.1=JSON' goes on with a result

"#]],
    );
    again(&project, &fake, &["--repeat", "p1.1"]).outputs("done\n");
    assert_eq!(project.read("runs"), "ran\nran\n");
    assert_eq!(response(&fake.finish(), 1), json!({"output": "fine"}));
}
