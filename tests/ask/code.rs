//! Code mode: the model writes programs that call the tools.

use super::*;

/// The call of `run_code` with a program.
pub(super) fn program(code: &str) -> Turn {
    Turn::call("run_code", json!({ "code": code }))
}

/// Runs `cogtools ask --code` in the session `s.jsonl`.
pub(super) fn in_code(project: &Project, fake: &FakeGemini, args: &[&str]) -> Outcome {
    let run = ask(project, fake).args(["-q", "--code", "--session", "s.jsonl"]);
    run.args(args).run()
}

/// Goes on with the session `s.jsonl`, which knows that it is in code mode.
pub(super) fn again(project: &Project, fake: &FakeGemini, args: &[&str]) -> Outcome {
    let run = ask(project, fake).args(["-q", "--session", "s.jsonl"]);
    run.args(args).run()
}

/// The response of the call in the request `index`.
pub(super) fn response(conversation: &cogtools_test_support::Conversation, index: usize) -> Value {
    conversation.main()[index].responses()[0]["response"].clone()
}

/// The lines of these kinds in the session: kind, program and step, or the tool.
pub(super) fn lines(project: &Project, kinds: &[&str]) -> Vec<String> {
    let session = project.read("s.jsonl");
    let lines = session.lines().skip(1);
    let lines = lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let lines = lines.filter(|line| kinds.iter().any(|kind| line["kind"] == *kind));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    lines
        .map(|line| {
            let parts = ["kind", "program", "step"].map(|key| text(&line[key]));
            parts.join(" ").trim_end().to_owned()
        })
        .collect()
}

/// The program that notes two texts and returns a sum; the second text is computed.
const NOTING: &str =
    "print(tools.note({text: 'one'}));\ntools.note({text: ['t', 'wo'].join('')});\nreturn 1 + 2";

#[test]
fn a_model_gets_run_code_and_its_calls_are_in_the_session() {
    let project = noting();
    let fake = FakeGemini::start([
        program("print(tools.greet({person: 'Ada'})); return store.n = 2"),
        program("return store.n + 1"),
        Turn::text("done"),
    ]);
    in_code(&project, &fake, &["Go"]).outputs("done\n");
    let conversation = fake.finish();
    let declared = &conversation.main()[0].body["tools"][0]["functionDeclarations"];
    let names: Vec<&Value> = declared
        .as_array()
        .expect("tools")
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names, ["run_code"]);
    let description = declared[0]["description"].as_str().expect("text");
    assert!(
        description.contains("  greet(args: {person: string}): string;"),
        "{description}"
    );
    assert_eq!(
        response(&conversation, 1),
        json!({"output": "Hello Ada!\n2"})
    );
    assert_eq!(response(&conversation, 2), json!({"output": "3"}));
    let kinds = ["program", "call", "result", "print", "store", "program_end"];
    assert_eq!(
        lines(&project, &kinds),
        [
            "call",
            "program p1",
            "call p1 1",
            "result p1 1",
            "print p1",
            "store p1",
            "program_end p1",
            "result",
            "call",
            "program p2",
            "program_end p2",
            "result",
        ]
    );
    // The calls of programs are below the model's, and no branches.
    let session = |command: &str| {
        let run = run("cogtools-session", &project);
        let shown = run.args([command, "s.jsonl"]).run();
        shown.status(0);
        String::from_utf8(shown.stdout).expect("text")
    };
    let shown = session("show");
    assert!(shown.contains("\n    program p1: 1 call\n"), "{shown}");
    assert!(!shown.contains("branches"), "{shown}");
    session("verify");
}

#[test]
fn a_model_gets_all_tools_unless_they_cost_too_much() {
    let names = |options: &[&str], config: &str| -> Vec<String> {
        let project = noting();
        project.file(".cogtoolrc.yaml", config);
        let fake = FakeGemini::start([Turn::text("done")]);
        quietly(&project, &fake, &[options, &["Go"]].concat()).outputs("done\n");
        let conversation = fake.finish();
        let declared = &conversation.main()[0].body["tools"][0]["functionDeclarations"];
        let declared = declared.as_array().expect("tools").iter();
        declared
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert_eq!(names(&[], ""), ["greet", "note"]);
    assert_eq!(names(&["--code=10000"], ""), ["greet", "note"]);
    assert_eq!(names(&["--code=10"], ""), ["run_code"]);
    let config = "ask: {code: 10}\n";
    assert_eq!(names(&[], config), ["run_code"]);
    assert_eq!(names(&["--code=off"], config), ["greet", "note"]);
}

/// A project whose tools have long types.
fn long() -> Project {
    let project = noting();
    for number in 0..60 {
        let name = format!("long_{number}");
        let tool = GREET
            .replace("greet", &name)
            .replace("Greets", &"A long text. ".repeat(30));
        project.file(format!("tools/{name}.yaml"), tool);
    }
    project
}

#[test]
fn types_of_tools_that_fit_the_task_come_with_it() {
    let project = long();
    let fake = FakeGemini::start([
        program("return tools.note({text: 'one'})"),
        Turn::text("done"),
        Turn::text("done"),
        Turn::text("done"),
    ]);
    // Each clause of the last task is about another tool.
    let tasks = [
        "Note a text",
        "Go",
        "Greet a person by name, and note a text",
    ];
    in_code(&project, &fake, &["--allow", "note", tasks[0]]).outputs("done\n");
    for task in &tasks[1..] {
        again(&project, &fake, &[task]).outputs("done\n");
    }
    let conversation = fake.finish();
    let requests = conversation.main();
    // The state of the world is before the task, and stays as it is.
    let parts = |request: usize, content: usize| {
        let parts = &requests[request].body["contents"][content]["parts"];
        let parts = parts.as_array().expect("parts").iter();
        let texts = parts.map(|part| part["text"].as_str().unwrap_or_default().to_owned());
        texts.collect::<Vec<_>>()
    };
    let dynamic = parts(0, 0);
    let [_, types] = &dynamic[..] else {
        panic!("{dynamic:?}");
    };
    assert_text(
        types,
        str![[r#"
Tools that may fit the task, for `run_code`:
declare const tools: {
  /** Notes a text
   * @param args.text
   * @example tools.note({"text":"x"}) */
  note(args: {text: string}): string;
};

"#]],
    );
    assert_eq!(parts(0, 1), [tasks[0]]);
    for request in 1..4 {
        assert_eq!(parts(request, 0), dynamic, "{request}");
    }
    // Nothing fits the second task; the third one has types of its own.
    let last = |request: usize| {
        let contents = requests[request].body["contents"]
            .as_array()
            .expect("contents");
        parts(request, contents.len() - 1).join("\n")
    };
    assert!(!last(2).contains("declare"), "{}", last(2));
    assert!(
        last(3).contains("greet(args: {person: string}): string;"),
        "{}",
        last(3)
    );
    assert!(last(3).contains("note(args"), "{}", last(3));
    let fake = FakeGemini::start([]);
    let dry = ask(&project, &fake).args(["-q", "--code", "--dry-run", tasks[0]]);
    assert!(dry.run().text().contains("note(args: {text: string})"));
    fake.finish();
}

#[test]
fn a_model_searches_tools_whose_types_are_long() {
    let project = long();
    let fake = FakeGemini::start([
        Turn::call("search_tools", json!({"query": "note a text", "limit": 1})),
        Turn::call("describe_tools", json!({"names": ["note", "nota"]})),
        Turn::text("done"),
    ]);
    in_code(&project, &fake, &["Go"]).outputs("done\n");
    let conversation = fake.finish();
    assert_text(
        response(&conversation, 1)["output"].as_str().expect("text"),
        str![[r#"
declare const tools: {
  /** Notes a text
   * @param args.text
   * @example tools.note({"text":"x"}) */
  note(args: {text: string}): string;
};

"#]],
    );
    let types = response(&conversation, 2)["output"].to_string();
    assert!(
        types.contains("note(args: {text: string}): string;"),
        "{types}"
    );
    assert!(
        types.contains("no tool nota; the nearest is note"),
        "{types}"
    );
}

#[test]
fn without_a_terminal_calls_are_denied_in_the_program() {
    let code = "try { tools.note({text: 'one'}) } catch (e) { return e.code }";
    for (options, output) in [(&[][..], "DENIED"), (&["--allow", "note"], "noted")] {
        let project = noting();
        let code = if output == "noted" {
            "return tools.note({text: 'one'})"
        } else {
            code
        };
        let fake = FakeGemini::start([program(code), Turn::text("done")]);
        in_code(&project, &fake, &[options, &["Go"]].concat()).outputs("done\n");
        assert_eq!(response(&fake.finish(), 1), json!({ "output": output }));
    }
    // A rule about the tool that runs programs holds, too.
    let project = noting();
    let fake = FakeGemini::start([program("return 1"), Turn::text("done")]);
    in_code(&project, &fake, &["--deny", "run_*", "Go"]).outputs("done\n");
    let denied = response(&fake.finish(), 1)["error"].to_string();
    assert!(denied.contains("denied by a rule of the user"), "{denied}");
}

#[test]
fn mistakes_and_failures_go_back_to_the_model() {
    let project = noting();
    let fake = FakeGemini::start([
        program("return tools.greed({person: 'Ada'})"),
        program("print('before');\nthrow new Error('late')"),
        program("for (;;) tools.greet({person: 'Ada'})"),
        program(" "),
        Turn::text("done"),
    ]);
    in_code(&project, &fake, &["--budget", "calls=20", "Go"]).outputs("done\n");
    let conversation = fake.finish();
    let error = |index| {
        response(&conversation, index)["error"]
            .as_str()
            .expect("an error")
            .to_owned()
    };
    assert_eq!(
        error(1),
        "<code>:1:14: there is no tool `greed`\nhint: did you mean `greet`?"
    );
    assert!(
        error(2).contains("<code>:2:11: late") && error(2).contains("printed before: before"),
        "{}",
        error(2)
    );
    assert!(
        error(3).contains("the budget of calls is spent"),
        "{}",
        error(3)
    );
    assert!(error(4).contains("/code: empty"), "{}", error(4));
    let codes = lines(&project, &["program"]);
    assert_eq!(codes, ["program p1", "program p2"]);
}

#[test]
fn a_program_waits_for_a_yes_to_all_of_it() {
    let project = noting();
    let fake = FakeGemini::start([program(NOTING), Turn::text("done")]);
    let paused = in_code(&project, &fake, &["--pause", "Go"]);
    paused.status(75).stdout_is("");
    paused.stderr_contains("print(tools.note({text: 'one'}));");
    paused.stderr_contains("line 1: note {\"text\":\"one\"} (by default)");
    paused.stderr_contains("line 2: note computed arguments (by default)");
    assert_eq!(notes(&project), "");
    // The tool may destroy something, as far as is known: computed arguments are asked about.
    let computed = again(&project, &fake, &["--approve", "call-1-1"]);
    computed.status(75);
    computed.stderr_contains("p1.2: step 2: note {\"text\":\"two\"}");
    computed.stderr_contains("--approve p1.2 runs it");
    assert_eq!(notes(&project), "one\n");
    again(&project, &fake, &["--approve", "p1.3"]).status(2);
    again(&project, &fake, &["--continue", "--pause"]).status(75);
    again(&project, &fake, &["--approve", "p1.2"]).outputs("done\n");
    assert_eq!(notes(&project), "one\ntwo\n");
    assert_eq!(response(&fake.finish(), 1), json!({"output": "noted\n3"}));
    assert_eq!(lines(&project, &["program"]), ["program p1"]);
}

#[test]
fn a_program_is_rejected_edited_or_asked_about_step_by_step() {
    let paused = || {
        let project = noting();
        let fake = FakeGemini::start([program(NOTING), Turn::text("done")]);
        in_code(&project, &fake, &["--pause", "Go"]).status(75);
        (project, fake)
    };
    let (project, fake) = paused();
    again(&project, &fake, &["--reject", "call-1-1=not today"]).outputs("done\n");
    assert_eq!(
        response(&fake.finish(), 1),
        json!({"error": "denied by the user: not today"})
    );

    let (project, fake) = paused();
    let each = again(&project, &fake, &["--approve-each", "call-1-1"]);
    each.status(75)
        .stderr_contains("p1.1: step 1: note {\"text\":\"one\"}");
    assert_eq!(notes(&project), "");
    again(&project, &fake, &["--reject", "p1.1=no"]).outputs("done\n");
    let denied = response(&fake.finish(), 1)["error"].to_string();
    assert!(denied.contains("note: denied by the user: no"), "{denied}");

    let (project, fake) = paused();
    let edit = |code: &str| {
        let run = ask(&project, &fake).args(["-q", "--session", "s.jsonl", "--edit", "call-1-1"]);
        run.stdin(code).run()
    };
    edit("tools.nota({})")
        .status(65)
        .stderr_contains("there is no tool `nota`");
    let asked = edit("return tools.note({text: 'other'})");
    asked
        .status(75)
        .stderr_contains("line 1: note {\"text\":\"other\"} (by default)");
    assert_eq!(notes(&project), "");
    again(&project, &fake, &["--approve", "call-1-1"]).outputs("done\n");
    assert_eq!(notes(&project), "other\n");
    let output = response(&fake.finish(), 1)["output"].to_string();
    assert!(
        output.contains("the user has edited the program; this one ran"),
        "{output}"
    );
    assert!(output.contains("noted"), "{output}");
}

#[test]
fn a_yes_is_for_the_tools_of_the_program_as_they_were() {
    let project = noting();
    let fake = FakeGemini::start([
        program("return tools.note({text: 'one'})"),
        Turn::text("done"),
    ]);
    in_code(&project, &fake, &["--pause", "Go"]).status(75);
    project.file("tools/note.yaml", NOTE.replace("noted", "changed"));
    let changed = again(&project, &fake, &["--approve", "call-1-1"]);
    changed
        .status(77)
        .stderr_contains("`run_code` has changed since you were asked");
    project.file("tools/note.yaml", NOTE);
    again(&project, &fake, &["--approve", "call-1-1"]).outputs("done\n");
    assert_eq!(notes(&project), "one\n");
    fake.finish();
}

/// A tool that ends the run that calls it, the first time.
pub(super) const CRASH: &str = "name: crash\ndescription: d\nimplementation:\n  exec: [sh, -c, 'echo ran >> runs; \
     [ -e up ] || { touch up; kill -9 $(cat pid); }; echo fine']\n";

#[test]
fn no_call_of_a_program_that_was_killed_runs_twice() {
    let code =
        "print(tools.note({text: 'one'}), tools.crash({}));\nreturn tools.note({text: 'two'})";
    let killed = || {
        let project = noting();
        project.file("tools/crash.yaml", CRASH);
        let fake = FakeGemini::start([program(code), Turn::text("done")]);
        let options = ["-q", "--code", "--session", "s.jsonl", "--allow", "*", "Go"];
        let killed = ask_with_pid(&project, &fake).args(options).run();
        assert_eq!(killed.status, cogtools_test_support::Status::Signal(9));
        let open = again(&project, &fake, &["--continue", "--allow", "*"]);
        open.status(75);
        open.stderr_contains(
            "p1.2: step 2: crash {}: the program ended while this call was running",
        );
        assert_eq!(project.read("runs"), "ran\n");
        (project, fake)
    };
    let (project, fake) = killed();
    let result = ["--result", "p1.2=\"given\"", "--allow", "*"];
    again(&project, &fake, &result).outputs("done\n");
    assert_eq!(
        response(&fake.finish(), 1),
        json!({"output": "noted given\nnoted"})
    );
    assert_eq!(
        (project.read("runs").as_str(), notes(&project).as_str()),
        ("ran\n", "one\ntwo\n")
    );

    let (project, fake) = killed();
    again(&project, &fake, &["--repeat", "p1.2", "--allow", "*"]).outputs("done\n");
    assert_eq!(
        response(&fake.finish(), 1),
        json!({"output": "noted fine\nnoted"})
    );
    assert_eq!(
        (project.read("runs").as_str(), notes(&project).as_str()),
        ("ran\nran\n", "one\ntwo\n")
    );
}

#[test]
fn a_program_that_was_stopped_goes_on_by_its_name() {
    let project = noting();
    let fake = FakeGemini::start([
        program("tools.note({text: 'one'}); if (Math.random() < 2) for (;;);"),
        Turn::call("run_code", json!({"resume": "p1", "timeoutMs": 50})),
        Turn::call("run_code", json!({"resume": "p7"})),
        Turn::text("done"),
    ]);
    in_code(&project, &fake, &["--allow", "note", "Go"]).outputs("done\n");
    let conversation = fake.finish();
    for (index, code) in [
        (1, "JS_TIMEOUT"),
        (2, "JS_TIMEOUT"),
        (3, "SESSION_NOT_FOUND"),
    ] {
        assert_eq!(response(&conversation, index)["code"], code, "{index}");
    }
    assert_eq!(notes(&project), "one\n");
}

#[cfg(target_os = "linux")]
mod at_a_terminal {
    use super::*;
    use crate::pseudo_terminal::Terminal;

    const DOWN: &str = "\u{1b}[B";

    fn open(project: &Project, fake: &FakeGemini, variables: &str) -> Terminal {
        let line = format!(
            "{variables} GEMINI_API_KEY=k GOOGLE_GEMINI_BASE_URL={} cogtools-ask -q --code Go",
            fake.url()
        );
        Terminal::open(project, &line)
    }

    /// Answers the question about [`NOTING`] by `keys`, and the further questions by `more`.
    #[track_caller]
    fn check(keys: &str, more: &[(&str, &str)], noted: &str) -> Value {
        let project = noting();
        let fake = FakeGemini::start([program(NOTING), Turn::text("done")]);
        let mut terminal = open(&project, &fake, "");
        terminal.answer("in which 2 calls may change something?", keys);
        for (text, keys) in more {
            terminal.answer(text, keys);
        }
        let (status, _) = terminal.end("done");
        assert_eq!((status, notes(&project).as_str()), (Some(0), noted));
        response(&fake.finish(), 1)
    }

    #[test]
    fn there_is_one_question_about_a_program() {
        let computed = ("\"text\":\"two\"}?", "\r");
        let output = json!({"output": "noted\n3"});
        assert_eq!(check("\r", &[computed], "one\ntwo\n"), output);
        let first = ("\"text\":\"one\"}?", "\r");
        let each = check(&format!("{DOWN}\r"), &[first, computed], "one\ntwo\n");
        assert_eq!(each, output);
        let reason = ("Why not?", "it is late\r");
        let no = check(&format!("{DOWN}{DOWN}{DOWN}\r"), &[reason], "");
        assert_eq!(no, json!({"error": "denied by the user: it is late"}));
    }

    #[test]
    fn the_user_edits_a_program_and_is_asked_again() {
        let project = noting();
        project.file("mistaken", "return tools.nota({})");
        project.file("right", "return tools.note({text: 'edited'})");
        // It copies another text each time.
        project.file(
            "edit",
            "#!/bin/sh\nif [ -e edited ]; then cp right \"$1\"; else cp mistaken \"$1\"; touch edited; fi\n",
        );
        let fake = FakeGemini::start([program(NOTING), Turn::text("done")]);
        let mut terminal = open(&project, &fake, "VISUAL='sh edit' EDITOR=false");
        terminal.answer(
            "in which 2 calls may change something?",
            &format!("{DOWN}{DOWN}\r"),
        );
        terminal.answer("there is no tool `nota`", "");
        terminal.answer("This program cannot run.", "\r");
        terminal.answer("in which 1 call may change something?", "\r");
        let (status, _) = terminal.end("done");
        assert_eq!((status, notes(&project).as_str()), (Some(0), "edited\n"));
        let output = response(&fake.finish(), 1)["output"]
            .as_str()
            .expect("text")
            .to_owned();
        assert_eq!(
            output,
            "the user has edited the program; this one ran:\nreturn tools.note({text: 'edited'})\n\n\
             Its output:\nnoted"
        );
    }

    #[test]
    fn code_run_asks_the_same_question() {
        let project = noting();
        project.file("program.js", "tools.note({text: '\u{1b}[2J'}) // all\n");
        project.file("edit", "echo \"tools.note({text: 'edited'})\" > \"$1\"\n");
        let line = "VISUAL='sh edit' cogtools-code run program.js";
        let mut terminal = Terminal::open(&project, line);
        terminal.answer(
            "in which 1 call may change something?",
            &format!("{DOWN}{DOWN}\r"),
        );
        terminal.answer("tools.note({text: 'edited'})", "\r");
        let screen = terminal.text();
        assert!(
            screen.contains("tools.note({text: '\\u{1b}[2J'}) // all"),
            "{screen}"
        );
        assert_eq!(terminal.end("").0, Some(0));
        assert_eq!(notes(&project), "edited\n");
    }

    #[test]
    fn a_program_has_colours_unless_there_are_none() {
        let project = noting();
        project.file("program.js", "return tools.note({text: 'x'})");
        for (options, shown) in [
            (
                "--color always",
                "\u{1b}[33mreturn\u{1b}[0m tools.\u{1b}[36mnote\u{1b}[0m(",
            ),
            ("", "return tools.note({text: 'x'})"),
        ] {
            let line = format!("cogtools-code run {options} program.js");
            let mut terminal = Terminal::open(&project, &line);
            terminal.answer(shown, "");
            terminal.answer("may change something?", "\u{3}");
            assert_eq!(terminal.end("").0, Some(130));
        }
        assert_eq!(notes(&project), "");
    }
}
