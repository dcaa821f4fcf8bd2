//! Steps that run a program: `run_code`.

use cogtools_test_support::{FakeGemini, Turn};

use super::running::{plan_of, project, run_plan, step};
use super::*;

const NOTE: &str = "\
name: note
description: Notes a text
parameters: {text: string}
implementation: {exec: [sh, -c, 'printf %s \"$0\" | tee -a notes', '{{ text }}']}
";
/// The configuration of the user, who lets programs note texts.
const RULES: &str = "../home/.gemini/cogtoolrc.yaml";

fn noting() -> Project {
    let project = project();
    project.file("tools/note.yaml", NOTE);
    project
}

fn notes(project: &Project) -> String {
    std::fs::read_to_string(project.path("notes")).unwrap_or_default()
}

/// A plan that greets, runs `code` with the greeting, and counts the result.
fn plan_with(code: &str) -> String {
    let args = json!({"code": code, "args": {"said": "$tool.hello"}});
    let steps = json!([
        step("greet", &json!({"person": "Ada"}), "hello"),
        step("run_code", &args, "act"),
        step("count", &json!({"text": "$tool.act"}), "size"),
    ]);
    plan_of(&steps, "{{tool.act}} {{tool.size.length}}")
}

const CODE: &str = "print('noting');\nconst first = tools.note({text: 'a'});\n\
    return args.said + first + tools.note({text: 'b'})";
const RESULT: &str = "Hello Ada!ab 12\n";

fn resume(project: &Project, args: &[&str]) -> Outcome {
    run("cogtools-plan", project).arg("resume").args(args).run()
}

#[test]
fn a_program_of_a_plan_calls_the_tools_that_the_user_agrees_to() {
    let project = noting();
    let waiting = run_plan(&project, &plan_with(CODE), &["--session", "s.jsonl"]);
    waiting.status(75).stdout_is("");
    waiting.stderr_contains("the plan waits for an approval of run_code");
    assert_eq!(notes(&project), "");
    resume(&project, &["s.jsonl"]).outputs(RESULT);
    assert_eq!(notes(&project), "ab");
    let log = project.read("s.jsonl");
    for line in [
        "\"kind\":\"program\",\"program\":\"act\"",
        "\"program\":\"act\",\"step\":\"2\"",
    ] {
        assert!(log.contains(line), "{log}");
    }
    // What it prints is its log; what it calls is in no way past the rules.
    project.file(RULES, "ask: {deny: [note]}\n");
    let denied = run_plan(&project, &plan_with(CODE), &[]);
    denied
        .status(1)
        .stderr_contains("note: denied by a rule of the user");
    project.file(RULES, "ask: {allow: [note]}\n");
    run_plan(&project, &plan_with(CODE), &[]).outputs(RESULT);
    project.file(RULES, "ask: {deny: ['run_*']}\n");
    run_plan(&project, &plan_with("return 'x'"), &[]).status(77);
    assert_eq!(notes(&project), "abab");
}

#[test]
fn code_that_another_step_writes_was_not_agreed_to() {
    let project = noting();
    project.file(
        "tools/write.yaml",
        "name: write\ndescription: d\nimplementation: \"return tools.note({text: 'a'})\"\n",
    );
    let steps = json!([
        step("write", &json!({}), "code"),
        step("run_code", &json!({"code": "$tool.code"}), "act"),
    ]);
    let plan = plan_of(&steps, "{{tool.act}}");
    let denied = run_plan(&project, &plan, &[]);
    denied
        .status(1)
        .stderr_contains("note: denied: this call needs an approval");
    assert_eq!(notes(&project), "");
    let explain = run("cogtools-plan", &project)
        .arg("explain")
        .stdin(plan)
        .run();
    let text = String::from_utf8_lossy(&explain.stdout).into_owned();
    assert!(text.contains("Another step writes its program."), "{text}");
}

#[test]
fn a_program_that_cannot_run_breaks_the_contract() {
    let project = noting();
    let check = |args: &Value, message: &str| {
        let steps = json!([step("run_code", args, "act")]);
        let outcome = run_plan(&project, &plan_of(&steps, "x"), &[]);
        outcome.status(65).stdout_is("").stderr_contains(message);
    };
    check(
        &json!({"code": "return tools.nota({text: 'a'})"}),
        "/tool_plan/0/args/code: line 1: there is no tool `nota`",
    );
    check(
        &json!({"resume": "p1"}),
        "/tool_plan/0/args/code: required but missing",
    );
    check(&json!({"code": "return 1", "x": 1}), "/tool_plan/0/args/x");
    let plan = plan_with("return tools.note({text: args.said})");
    let explain = run("cogtools-plan", &project)
        .arg("explain")
        .stdin(plan)
        .run();
    let text = String::from_utf8_lossy(&explain.stdout).into_owned();
    assert!(
        text.contains("Its program has line 1: note computed arguments (by default)."),
        "{text}"
    );
    // A tool of the project with the name is that tool.
    project.file(
        "tools/run_code.yaml",
        "name: run_code\ndescription: d\nparameters: {code: string}\nimplementation: 'own {{ code }}'\n",
    );
    let steps = json!([step("run_code", &json!({"code": "x"}), "act")]);
    run_plan(&project, &plan_of(&steps, "{{tool.act}}"), &[]).outputs("own x\n");
}

/// After any line, a run goes on with the results that the session has. A call with an effect whose
/// end is not known is asked about, as its step.
#[test]
fn a_plan_with_a_program_goes_on_after_any_line_of_its_session() {
    let project = noting();
    project.file(RULES, "ask: {allow: [note]}\n");
    run_plan(&project, &plan_with(CODE), &["--session", "s.jsonl"]).outputs(RESULT);
    let log = project.read("s.jsonl");
    let lines: Vec<&str> = log.lines().collect();
    let is_note =
        |line: &&&str| line.contains("\"tool\":\"note\"") && line.contains("\"kind\":\"call\"");
    let mut asked = 0;
    for count in 2..=lines.len() {
        let kept = &lines[..count];
        // What has happened before the run was killed.
        let begun = kept.iter().filter(is_note).count();
        project.file("notes", &"ab"[..begun]);
        let cut = format!("cut{count}.jsonl");
        project.file(&cut, kept.join("\n") + "\n");
        let last = kept.last().expect("a line");
        let resumed = resume(&project, &[&cut]);
        if !is_note(&last) {
            resumed.outputs(RESULT);
            assert_eq!(notes(&project), "ab", "{last}");
            continue;
        }
        asked += 1;
        resumed
            .status(1)
            .stderr_contains("act: the run ended while this step was executing");
        assert_eq!(notes(&project), "ab"[..begun], "{last}");
        resume(&project, &[&cut, "--repeat", "act"]).outputs(RESULT);
        let expected = if begun == 1 { "aab" } else { "abb" };
        assert_eq!(notes(&project), expected, "{last}");
    }
    assert_eq!(asked, 2);
}

#[test]
fn a_model_plans_programs_if_the_tools_cost_much() {
    let project = noting();
    let ask = |plan: &str, args: &[&str]| {
        let fake = FakeGemini::start([Turn::text(plan)]);
        let outcome = run("cogtools-plan", &project)
            .env("GEMINI_API_KEY", "a-key-for-tests")
            .env("GOOGLE_GEMINI_BASE_URL", fake.url())
            .args(args)
            .arg("Note and count")
            .run();
        let conversation = fake.finish();
        let rules = conversation.main()[0].body["systemInstruction"].to_string();
        (outcome, rules.contains("{\\\"name\\\":\\\"run_code\\\""))
    };
    let plan = plan_with(CODE);
    let (waiting, knows) = ask(&plan, &["--session", "s.jsonl"]);
    waiting.status(75);
    assert!(!knows);
    project.file(RULES, "ask: {code: 10}\n");
    let (agreed, knows) = ask(&plan, &["--yes"]);
    agreed.outputs(RESULT);
    assert!(knows);
    resume(&project, &["s.jsonl"]).outputs(RESULT);
    assert_eq!(notes(&project), "abab");
}

#[cfg(target_os = "linux")]
#[test]
fn the_user_reads_the_program_of_a_plan() {
    use crate::pseudo_terminal::Terminal;

    let project = noting();
    project.file("plan.json", plan_with(CODE));
    for format in ["human", "json"] {
        let line = format!("cogtools-plan run plan.json --error-format={format}");
        let mut terminal = Terminal::open(&project, &line);
        terminal.answer("Run this plan, which calls run_code?", "\r");
        let screen = terminal.text();
        for shown in [
            "REASON",
            "const first = tools.note({text: 'a'});",
            "line 3: note {\"text\":\"b\"}",
        ] {
            assert!(screen.contains(shown), "{screen}");
        }
        assert_eq!(terminal.end(RESULT.trim_end()).0, Some(0));
    }
    assert_eq!(notes(&project), "abab");
}

/// Its calls can be decided one by one, and the program can be another one.
#[cfg(target_os = "linux")]
#[test]
fn the_user_edits_the_program_of_a_plan_and_is_asked_at_each_call() {
    use crate::pseudo_terminal::Terminal;
    const DOWN: &str = "\u{1b}[B";
    let project = noting();
    project.file("plan.json", plan_with(CODE));
    let run = |args: &str, edit: &str| {
        let line = format!("EDITOR='sed -i {edit}' cogtools-plan run {args}");
        Terminal::open(&project, &line)
    };
    let ask = format!("{DOWN}\r");
    let edit = format!("{DOWN}{DOWN}\r");

    // A program that another step writes is not run without a word.
    let mut terminal = run("plan.json", r"-e 2,3d -e s/.*/\$tool.hello/");
    terminal.answer("Run this plan, which calls run_code?", &edit);
    terminal.answer("another step writes its program", "");
    terminal.at("enter to choose]", "\u{3}");
    assert_eq!(terminal.end_screen().0, Some(130));

    // Nothing runs that cannot.
    let mut terminal = run("plan.json --session wrong.jsonl", "s/note/nota/");
    terminal.answer("Run this plan, which calls run_code?", &edit);
    terminal.answer("This plan cannot run.", &ask);
    let (status, screen) = terminal.end_screen();
    assert_eq!(status, Some(77), "{screen}");
    assert!(screen.contains("there is no tool `nota`"), "{screen}");
    assert_eq!(notes(&project), "");

    let mut terminal = run("plan.json --session s.jsonl", "s/b/c/");
    terminal.answer("Run this plan, which calls run_code?", &edit);
    terminal.answer("line 3: note {\"text\":\"c\"}", "");
    terminal.at("enter to choose]", &ask);
    terminal.answer("Run note {\"text\":\"a\"}?", "\r");
    terminal.answer("Run note {\"text\":\"c\"}?", &ask);
    let (status, screen) = terminal.end_screen();
    assert_eq!(status, Some(1), "{screen}");
    assert_eq!(notes(&project), "a");
    // A later run does not agree for the user.
    resume(&project, &["s.jsonl"]).status(1);
    assert_eq!(notes(&project), "a");
}
