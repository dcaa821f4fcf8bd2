//! `cogtools plan QUESTION`: a model plans, against a fake API that checks every request.

use cogtools_test_support::{FakeGemini, Run, Turn};

use super::running::{plan_of, project, step};
use super::*;

/// A program that leaves a line in a file.
const MAKE: &str = "\
name: make
description: d
implementation: {exec: [sh, -c, 'echo x >> made; echo made']}
";

fn ask(project: &Project, fake: &FakeGemini) -> Run {
    run("cogtools-plan", project)
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", fake.url())
}

/// A plan that greets Ada.
fn greeting() -> String {
    let steps = json!([step("greet", &json!({"person": "Ada"}), "hello")]);
    plan_of(&steps, "The tool says: {{tool.hello}}")
}

/// The text of the last task of a request.
fn last_text(body: &Value) -> &str {
    let contents = body["contents"].as_array().expect("contents");
    let text = &contents.last().expect("a turn")["parts"][0]["text"];
    text.as_str().expect("text")
}

#[test]
fn a_question_is_planned_and_run() {
    let project = project();
    let fake = FakeGemini::start([Turn::text(format!("```json\n{}\n```", greeting()))]);
    ask(&project, &fake)
        .args(["Greet", "Ada", "politely"])
        .run()
        .outputs("The tool says: Hello Ada!\n");
    let conversation = fake.finish();
    let body = &conversation.main()[0].body;
    assert_eq!(last_text(body), "Greet Ada politely");
    assert!(body.get("tools").is_none(), "{body:#}");
    let rules = body["systemInstruction"]["parts"][0]["text"]
        .as_str()
        .expect("rules");
    for rule in [
        "\n- `restatement`, a string that is not empty",
        "\n- `visible_reply`, a string that is not empty",
        "\n- `tool_plan`, an array with at least one step.",
        "`\"need_tool\": true` and without `tool` breaks the contract",
        "needs a step with a clock\n  tool",
        "Never apologise for a lack of real-time data",
        "Plan no tool that is not in the list",
        "\n{\"name\":\"greet\",\"description\":\"d\",",
    ] {
        assert!(rules.contains(rule), "{rule}\n{rules}");
    }
    // The session has the question, the answer, the plan and the run.
    let listed = run("cogtools-session", &project)
        .args(["list", "--json"])
        .run()
        .json();
    assert_eq!(listed[0]["task"], "Greet Ada politely");
    assert_eq!(listed[0]["end"], "completed");
    assert_eq!(
        (&listed[0]["turns"], &listed[0]["calls"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn a_plan_that_breaks_the_contract_goes_back_once() {
    let project = project();
    let wrong = json!({
        "restatement": "r", "visible_reply": "", "thinking_log": [],
        "tool_plan": [{"need_tool": true, "reason": "r"}],
    });
    let fake = FakeGemini::start([Turn::text(wrong.to_string()), Turn::text(greeting())]);
    ask(&project, &fake)
        .arg("Greet Ada")
        .run()
        .outputs("The tool says: Hello Ada!\n");
    let conversation = fake.finish();
    assert_text(
        last_text(&conversation.main()[1].body),
        str![[r#"
Your answer breaks the contract:

- /visible_reply: must not be empty; send visible_reply: a string that is not empty
- /tool_plan/0/tool: required but missing; send tool: the name of the tool

Answer again with the corrected JSON object alone.
"#]],
    );
}

#[test]
fn a_tool_that_is_not_there_goes_back_too() {
    let project = project();
    let wrong = greeting().replace("\"greet\"", "\"greeet\"");
    let fake = FakeGemini::start([Turn::text(wrong), Turn::text(greeting())]);
    ask(&project, &fake)
        .arg("Greet Ada")
        .run()
        .outputs("The tool says: Hello Ada!\n");
    let conversation = fake.finish();
    assert_text(
        last_text(&conversation.main()[1].body),
        str![[r#"
Your answer breaks the contract:

- /tool_plan/0/tool: no tool is named `greeet`; did you mean `greet`?

Answer again with the corrected JSON object alone.
"#]],
    );
}

#[test]
fn nothing_runs_after_two_broken_plans() {
    let project = project();
    let fake = FakeGemini::start([Turn::text("I cannot plan."), Turn::text("{}")]);
    ask(&project, &fake)
        .arg("Greet Ada")
        .run()
        .fails(65, str![[r#"
cogtools-plan: error[CONTRACT_VIOLATION]: gemini-flash-latest: the model's plan breaks the contract, and so does its correction
  | /restatement: required but missing; send restatement: a string that is not empty
  | /visible_reply: required but missing; send visible_reply: a string that is not empty
  | /thinking_log: required but missing; send thinking_log: an array of strings
  | /tool_plan: required but missing; send tool_plan: an array with at least one step
hint: ask in another way, or another model
hint: `cogtools session show` shows the answers

"#]]);
    fake.finish();
}

#[test]
fn programs_run_only_if_the_user_agrees() {
    let project = project();
    project.file("tools/make.yaml", MAKE);
    let plan = plan_of(&json!([step("make", &json!({}), "m")]), "{{tool.m}}");
    let answered = |args: &[&str]| {
        let fake = FakeGemini::start([Turn::text(plan.clone())]);
        let outcome = ask(&project, &fake).args(args).arg("Make it now").run();
        fake.finish();
        outcome
    };
    let waits = answered(&[]);
    waits.status(75).stdout_is("");
    waits.stderr_contains(
        "\
cogtools-plan: error[APPROVAL_WANTED]: the plan waits for an approval of make
hint: `cogtools plan show ",
    );
    waits.stderr_contains(" runs it\nhint: --yes and --allow TOOL approve in advance\n");
    assert!(!project.path("made").exists());
    run("cogtools-plan", &project)
        .arg("resume")
        .run()
        .outputs("made\n\n");
    answered(&["--yes"]).outputs("made\n\n");
    answered(&["--allow", "mak*"]).outputs("made\n\n");
    answered(&["--yes", "--deny", "make"]).fails(
        77,
        str![[r#"
cogtools-plan: error[DENIED]: make: a rule of yours denies this tool, so the plan does not run

"#]],
    );
    let resumed = run("cogtools-plan", &project).arg("resume").run();
    resumed.stderr_contains("a rule of yours denies");
    resumed.status(77).stdout_is("");
    assert_eq!(project.read("made"), "x\nx\nx\n");
    // A rule of the configuration holds for a model's plan that goes on, too.
    project.file(".cogtoolrc.yaml", "ask: {deny: [make]}\n");
    let resumed = run("cogtools-plan", &project).arg("resume").run();
    resumed
        .status(77)
        .stdout_is("")
        .stderr_contains("a rule of yours denies");
    project.remove(".cogtoolrc.yaml");
    // A tool that the command line allows needs no question, whatever the configuration asks.
    project.file(".cogtoolrc.yaml", "ask: {ask: ['ma*']}\n");
    answered(&["--allow", "make"]).outputs("made\n\n");
    project.remove(".cogtoolrc.yaml").remove("made");
    // Only the plan is wanted.
    let printed = answered(&["--no-run"]);
    assert_eq!(printed.json()["tool_plan"][0]["tool"], "make");
    assert!(!project.path("made").exists());
}

#[test]
fn a_recorded_plan_is_replayed_without_a_network() {
    let project = project();
    let fake = FakeGemini::start([Turn::text("{}"), Turn::text(greeting())]);
    ask(&project, &fake)
        .args(["--record", "tape.jsonl", "Greet Ada"])
        .run()
        .outputs("The tool says: Hello Ada!\n");
    fake.finish();
    let replay = |question: &str| {
        run("cogtools-plan", &project)
            .args(["--replay", "tape.jsonl", question])
            .run()
    };
    replay("Greet Ada").outputs("The tool says: Hello Ada!\n");
    replay("Greet Bob").status(1).stdout_is("");
}

#[test]
fn what_is_no_question_costs_nothing() {
    let project = project();
    run("cogtools-plan", &project).arg("chek").run().fails(
        2,
        str![[r#"
cogtools-plan: error[USAGE]: `chek` is not a command
hint: did you mean `check`?
hint: a question has several words

"#]],
    );
    run("cogtools-plan", &project).run().fails(
        2,
        str![[r#"
cogtools-plan: error[USAGE]: there is no question
hint: cogtools plan "What is the date in a week?"
hint: cogtools plan --help lists the commands

"#]],
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_user_at_a_terminal_sees_the_plan_and_is_asked() {
    use crate::pseudo_terminal::Terminal;
    const DOWN: &str = "\u{1b}[B";
    for (keys, status, made) in [("\r", 0, true), (&*format!("{DOWN}\r"), 77, false)] {
        let project = project();
        project.file("tools/make.yaml", MAKE);
        let plan = plan_of(&json!([step("make", &json!({}), "m")]), "{{tool.m}}");
        let fake = FakeGemini::start([Turn::text(plan)]);
        let line = format!(
            "GEMINI_API_KEY=k GOOGLE_GEMINI_BASE_URL={} cogtools-plan Make it",
            fake.url()
        );
        let mut terminal = Terminal::open(&project, &line);
        terminal.answer("Run this plan, which calls make?", keys);
        let (found, screen) = terminal.end_screen();
        assert!(screen.contains("m     make  planned  why"), "{screen}");
        assert_eq!(found, Some(status), "{screen}");
        assert_eq!(project.path("made").exists(), made, "{screen}");
        fake.finish();
    }
}
