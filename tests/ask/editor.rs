//! Conversations at a terminal, line by line.

#![cfg(target_os = "linux")]

use std::thread;
use std::time::Duration;

use cogtools_test_support::{Break, Conversation};

use super::*;
use crate::pseudo_terminal::Terminal;

/// `cogtools ask` with `args` at a terminal.
pub(super) fn open(project: &Project, fake: &FakeGemini, args: &str) -> Terminal {
    let line = format!(
        "export GEMINI_API_KEY=a-key-for-tests GOOGLE_GEMINI_BASE_URL={}; exec cogtools-ask {args}",
        fake.url()
    );
    Terminal::open(project, &line)
}

/// The texts of the users' turns in the request `index`.
fn tasks(conversation: &Conversation, index: usize) -> Vec<String> {
    let contents = &conversation.main()[index].body["contents"];
    let contents = contents.as_array().expect("contents");
    let turns = contents.iter().filter(|turn| turn["role"] == "user");
    let texts = turns.filter_map(|turn| {
        let parts = turn["parts"].as_array()?.iter().rev();
        let mut texts = parts.filter_map(|part| part["text"].as_str());
        texts.find(|text| !text.starts_with("The state now"))
    });
    // The first one is the time.
    texts.skip(1).map(str::to_owned).collect()
}

#[test]
fn two_tasks_are_one_conversation() {
    let project = project();
    let fake = FakeGemini::start([
        Turn::call("greet", json!({"person": "Ada"})),
        Turn::text("Hello, Ada!"),
        Turn::text("Hello, Grace!"),
    ]);
    let mut terminal = open(&project, &fake, "--session s.jsonl");
    terminal.at("ends\n>", "Greet Ada\r");
    terminal.at("Hello, Ada!\n>", "And Grace?\r");
    terminal.at("Hello, Grace!\n>", "/session\r");
    terminal.at("cached)\n>", "/tools gr*\r");
    terminal.at("by name\n>", "/quit\r");
    let (status, screen) = terminal.end_screen();
    assert_text(
        &screen,
        str![[r#"
cogtools-ask: gemini-flash-latest, 1 tool; /help lists the commands, Ctrl-D ends
> Greet Ada
cogtools-ask: greet {"person":"Ada"}
Hello, Ada!
> And Grace?
Hello, Grace!
> /session
session s.jsonl: 3 turns, 1 call, 331 tokens (0 % cached)
> /tools gr*
greet  Greets a person by name
> /quit
cogtools-ask: session s.jsonl: 3 turns, 1 call, 331 tokens (0 % cached)
"#]],
    );
    assert_eq!(status, Some(0));
    let conversation = fake.finish();
    assert_eq!(tasks(&conversation, 2), ["Greet Ada", "And Grace?"]);
}

#[test]
fn a_task_is_given_again_and_to_another_model() {
    let project = project();
    let answers = ["1", "2", "3", "SUMMARY", "4"];
    let fake = FakeGemini::start(answers.map(Turn::text));
    let mut terminal = open(&project, &fake, "-q --session s.jsonl");
    terminal.at(">", "/retry\r");
    terminal.at("yet\n>", "One\r");
    terminal.at("\n1\n>", "/retry\r");
    terminal.at("\n2\n>", "/model gemini-pro-latest\r");
    terminal.at("\ngemini-pro-latest\n>", "Two\r");
    terminal.at("\n3\n>", "/compact\r");
    terminal.at("next task\n>", "Three\r");
    terminal.at("\n4\n>", "/cost\r");
    terminal.answer("turns    5", "\u{4}");
    assert_eq!(terminal.end_screen().0, Some(0));
    let conversation = fake.finish();
    assert_eq!(tasks(&conversation, 1), ["One"]);
    assert_eq!(tasks(&conversation, 2), ["One", "Two"]);
    let main = conversation.main();
    let seed = |index: usize| main[index].body["generationConfig"]["seed"].clone();
    assert_ne!(seed(0), seed(1));
    let log = project.read("s.jsonl");
    assert!(log.contains(r#""model":"gemini-pro-latest""#), "{log}");
    let last = main.last().expect("requests").body.to_string();
    assert!(last.contains("SUMMARY") && !last.contains("One"), "{last}");
}

#[test]
fn a_task_that_is_taken_back_is_gone_for_the_model_and_stays_in_the_log() {
    let project = project();
    let answers = ["1", "2", "3", "4"];
    let fake = FakeGemini::start(answers.map(Turn::text));
    let mut terminal = open(&project, &fake, "-q --session s.jsonl");
    terminal.at(">", "/undo\r");
    terminal.at("yet\n>", "One\r");
    terminal.at("\n1\n>", "Two\r");
    terminal.at("\n2\n>", "/undo\r");
    terminal.at("Two\n>", "Three\r");
    terminal.at("\n3\n>", "/undo\r");
    let before = project.read("s.jsonl");
    terminal.at("Three\n>", "\u{4}");
    let (status, screen) = terminal.end_screen();
    assert_text(
        &screen,
        str![[r#"
> /undo
there was no task yet
> One
1
> Two
2
> /undo
taken back: Two
> Three
3
> /undo
taken back: Three
>
"#]],
    );
    assert_eq!(status, Some(0));
    assert!(project.read("s.jsonl").starts_with(&before));
    // What was taken back at last is so for the next run, too.
    quietly(&project, &fake, &["--session", "s.jsonl", "Four"]).outputs("4\n");
    let conversation = fake.finish();
    assert_eq!(tasks(&conversation, 2), ["One", "Three"]);
    assert_eq!(tasks(&conversation, 3), ["One", "Four"]);
    let shown = run("cogtools-session", &project)
        .args(["tree", "s.jsonl"])
        .run();
    shown.succeeds().stdout_contains("undone");
}

#[test]
fn a_task_may_have_several_lines() {
    let project = project();
    let fake = FakeGemini::start(["1", "2", "3"].map(Turn::text));
    let mut terminal = open(&project, &fake, "-q");
    terminal.at(">", "one\\\rtwo\r");
    terminal.at("\n1\n>", "three\u{1b}\rfour\r");
    terminal.at("\n2\n>", "\u{1b}[200~five\n\u{7}six\u{1b}[201~\r");
    terminal.at("\n3\n>", "\u{4}");
    let (status, screen) = terminal.end_screen();
    assert_text(
        &screen,
        str![[r#"
> one\
  two
1
> three
  four
2
> five
  ?six
3
>
"#]],
    );
    assert_eq!(status, Some(0));
    let conversation = fake.finish();
    let expected = ["one\ntwo", "three\nfour", "five\n\u{7}six"];
    assert_eq!(tasks(&conversation, 2), expected);
}

#[test]
fn lines_come_back_in_the_next_conversation() {
    let project = project();
    let fake = FakeGemini::start(["1", "2"].map(Turn::text));
    for answer in ["1", "2"] {
        let mut terminal = open(&project, &fake, "-q");
        let keys = if answer == "1" {
            "Go on\r"
        } else {
            "\u{1b}[A!\r"
        };
        terminal.at(">", keys);
        terminal.at(&format!("\n{answer}\n>"), "\u{4}");
        assert_eq!(terminal.end_screen().0, Some(0));
    }
    let conversation = fake.finish();
    assert_eq!(tasks(&conversation, 1), ["Go on!"]);
    let state = ".local/state/cogtools/ask-history.jsonl";
    let history = std::fs::read_to_string(project.home().join(state));
    assert_eq!(history.expect("a history"), "\"Go on\"\n\"Go on!\"\n");
}

/// A tool that does not end when it is asked to.
const STUBBORN: &str = "\
name: stubborn
description: Goes on
annotations: {read_only: true}
implementation: {exec: [sh, -c, 'trap \"\" TERM; touch begun; while :; do sleep 1; done']}
";

#[test]
fn ctrl_c_clears_a_line_and_stops_a_task() {
    let project = project();
    project.file("tools/stubborn.yaml", STUBBORN);
    let fake = FakeGemini::start([
        Turn::texts(["It fails ", "because"]).breaks_after(1, Break::Hang),
        Turn::text("of a typo."),
        Turn::call("stubborn", json!({})),
    ]);
    let mut terminal = open(&project, &fake, "-q --session s.jsonl");
    terminal.at(">", "nothing\u{3}");
    terminal.at("\n>", "Why?\r");
    terminal.at("It fails", "\u{3}");
    terminal.at("is kept\n>", "Because?\r");
    terminal.at("of a typo.\n>", "Again\r");
    while !project.path("begun").exists() {
        thread::sleep(Duration::from_millis(20));
    }
    // The second one ends everything, also what does not want to end.
    terminal.type_keys("\u{3}");
    thread::sleep(Duration::from_millis(200));
    terminal.type_keys("\u{3}");
    let (status, screen) = terminal.end_screen();
    assert_text(
        &screen,
        str![[r#"
>
> Why?
It fails ^C
stopped; what there is of the answer is kept
> Because?
of a typo.
> Again
^C^C
"#]],
    );
    assert_eq!(status, Some(130));
    let conversation = fake.finish();
    let contents = &conversation.main()[1].body["contents"];
    assert_eq!(contents[2]["parts"][0]["text"], "It fails ");
    assert_eq!(tasks(&conversation, 2), ["Why?", "Because?", "Again"]);
}

#[test]
fn what_fails_does_not_end_the_conversation() {
    let project = project();
    let fake = FakeGemini::start([
        Turn::error(400),
        Turn::blocked("SAFETY"),
        Turn::text("\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}Hdone\u{202e}"),
    ]);
    let mut terminal = open(&project, &fake, "-q --session s.jsonl --budget turns=3");
    terminal.at(">", "One\r");
    terminal.at("\n>", "/unod\r");
    terminal.at("/undo`?\n>", "Two\r");
    terminal.at("model\n>", "Three\r");
    terminal.at("\\u{202e}\n>", "Four\r");
    terminal.at("goes on\n>", "/budget\r");
    terminal.at("\n>", "/quit\r");
    let (status, screen) = terminal.end_screen();
    assert_text(
        &screen,
        str![[r#"
> One
cogtools-ask: error[MODEL_FAILED]: gemini-flash-latest: the provider answered with 400 INVALID_ARGUMENT: Request contains an invalid argument.
hint: cogtools ask --session s.jsonl --continue --dry-run prints the request
> /unod
`/unod` is not a command; did you mean `/undo`?
> Two
cogtools-ask: error[MODEL_REFUSED]: the model refused to answer: SAFETY
hint: change the task, or use another model
> Three
\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}Hdone\u{202e}
> Four
cogtools-ask: error[BUDGET_SPENT]: the budget of turns is spent
hint: cogtools ask --session s.jsonl --continue --budget turns=NUMBER goes on
> /budget
turns    3 of 3
calls    0 of 200
tokens   235
> /quit
"#]],
    );
    assert_eq!(status, Some(0));
    fake.finish();
}

#[test]
fn a_session_that_was_interrupted_goes_on_at_once() {
    let project = project();
    project.file("notes.txt", "Ada");
    let fake = FakeGemini::start([
        Turn::texts(["It fails ", "because"]).breaks_after(1, Break::Cut),
        Turn::text("of a typo."),
        Turn::text("Hello, Ada!"),
    ]);
    quietly(&project, &fake, &["Why?"]).status(69);
    let mut terminal = open(&project, &fake, "--continue");
    terminal.at(
        "of a typo.\n>",
        "Who is in @no\t, and @me or @/etc/passwd?\r",
    );
    terminal.at("Ada!\n>", "\u{4}");
    let (status, screen) = terminal.end_screen();
    assert!(
        screen.contains("of a typo.\n> Who is in @notes.txt , and @me or @/etc/passwd?\n"),
        "{screen}"
    );
    assert!(screen.contains("sends the file notes.txt\n"), "{screen}");
    assert_eq!(status, Some(0));
    let conversation = fake.finish();
    let contents = conversation.main()[2].body["contents"].as_array();
    let last = contents.and_then(|all| all.last()).expect("contents");
    let parts = [
        json!({"text": "Content of notes.txt:\n\nAda"}),
        json!({"text": "Who is in @notes.txt , and @me or @/etc/passwd?"}),
    ];
    assert_eq!(
        json!(last["parts"].as_array().expect("parts")[..2]),
        json!(parts)
    );
}
