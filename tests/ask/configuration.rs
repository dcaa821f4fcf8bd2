//! The keys below `ask`: a project adds to what protects the user, and loosens nothing.

use super::*;

const HOME: &str = "../home/.gemini/cogtoolrc.yaml";

fn generation(project: &Project, args: &[&str]) -> Value {
    let all = ["-q", "--dry-run", "--json", "Hello"];
    let run = run("cogtools-ask", project).args(all).args(args).run();
    run.json()["request"]["generationConfig"].clone()
}

#[test]
fn a_model_has_a_short_name() {
    let project = project();
    project.file(
        ".cogtoolrc.yaml",
        "ask: {aliases: {fast: gemini-2.5-flash}, model: fast}\n",
    );
    for args in [
        &["Hi"][..],
        &["--model", "fast", "Hi"],
        &["-m", "gemini-2.5-flash", "Hi"],
    ] {
        let fake = FakeGemini::start([Turn::text("Hello.")]);
        let summary = ask(&project, &fake)
            .args(["-q", "--json"])
            .args(args)
            .run()
            .json();
        assert_eq!(summary["model"], "gemini-2.5-flash", "{args:?}");
        fake.finish();
    }
}

#[test]
fn a_project_that_is_not_trusted_renames_no_model_of_the_user() {
    let project = Project::untrusted();
    project.file(HOME, "ask: {aliases: {fast: mine}}\n").file(
        ".cogtoolrc.yaml",
        "ask: {model: theirs, aliases: {fast: x, mine: hijack, own: x, theirs: deep}}\n",
    );
    let asked = |args: &[&str]| {
        let run = run("cogtools-ask", &project).arg("--dry-run");
        let outcome = run.args(args).arg("Hi").run();
        outcome.stderr_contains("; its model, theirs, is asked without --model");
        let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
        let first = text.lines().next().unwrap_or_default();
        first.replace("model     ", "")
    };
    for (args, model) in [
        (&["-m", "fast"][..], "mine"),
        (&["-m", "mine"], "mine"),
        (&["-m", "own"], "own"),
        (&[], "deep"),
    ] {
        assert_eq!(asked(args), model, "{args:?}");
    }
}

#[test]
fn options_win_over_the_project_and_the_project_over_the_user() {
    let project = project();
    project.file(HOME, "ask: {temperature: 0.1, seed: 1, max_tokens: 10}\n");
    project.file(".cogtoolrc.yaml", "ask: {temperature: 0.5, seed: 5}\n");
    let generation = generation(&project, &["--seed", "9"]);
    for (key, value) in [
        ("temperature", 0.5),
        ("seed", 9.0),
        ("maxOutputTokens", 10.0),
    ] {
        assert_eq!(generation[key].as_f64(), Some(value), "{generation}");
    }
}

#[test]
fn a_project_cannot_send_the_users_key_elsewhere_nor_allow_calls() {
    for key in [
        "base_url: http://127.0.0.1:1",
        "provider: openai",
        "allow: ['*']",
        "prices: p",
    ] {
        let project = project();
        project.file(".cogtoolrc.yaml", format!("ask: {{{key}}}\n"));
        let name = key.split(':').next().expect("a key");
        run("cogtools-ask", &project)
            .args(["-q", "Hi"])
            .run()
            .status(78)
            .stderr_contains(&format!(
                "only the user's own configuration may set `ask.{name}`"
            ));
    }
}

#[test]
fn a_project_lowers_a_budget_and_does_not_raise_it() {
    let check = |user: &str, own: &str, status: u8| {
        let project = project();
        project.file(HOME, user).file(".cogtoolrc.yaml", own);
        let turns = [
            Turn::call("greet", json!({"person": "Ada"})),
            Turn::text("Done."),
        ];
        let fake = FakeGemini::start(turns);
        let outcome = ask(&project, &fake).args(["-q", "Greet Ada"]).run();
        let _ = fake.try_finish();
        outcome.status(status);
    };
    let budget = |turns: u32| format!("ask: {{budget: {{turns: {turns}}}}}\n");
    check("", &budget(1), 4);
    check(&budget(1), &budget(9), 4);
    check(&budget(9), &budget(1), 4);
    check(&budget(9), &budget(9), 0);
}

#[test]
fn names_of_all_layers_are_denied() {
    let project = project();
    project.file(HOME, "ask: {deny: [other], allow: ['*']}\n");
    project.file(".cogtoolrc.yaml", "ask: {deny: [greet]}\n");
    let fake = FakeGemini::start([
        Turn::call("greet", json!({"person": "Ada"})),
        Turn::text("I may not."),
    ]);
    ask(&project, &fake)
        .args(["-q", "Greet Ada"])
        .run()
        .outputs("I may not.\n");
    let conversation = fake.finish();
    let response = conversation.main()[1].responses()[0]["response"].to_string();
    assert!(response.contains("denied"), "{response}");
}

#[test]
fn money_is_counted_by_the_users_prices() {
    let project = project();
    let ask = |fake: &FakeGemini| ask(&project, fake).args(["-q", "--budget", "money=0.5", "Hi"]);
    let fake = FakeGemini::start([]);
    ask(&fake).run().fails(
        2,
        str![[r#"
cogtools-ask: error[USAGE]: gemini-flash-latest: a limit of money needs the prices of the model
hint: name a file with prices in the key `ask.prices` of your own configuration

"#]],
    );
    fake.finish();
    project.file(HOME, "ask: {prices: prices.yaml}\n");
    let price = |input: u32| {
        let models = format!("gemini-*: {{input: {input}, output: 100000}}");
        let text = format!("date: 2026-11-01\ncurrency: USD\nmodels: {{{models}}}\n");
        project.file("../home/.gemini/prices.yaml", text);
    };
    // The first request would cost too much; then it does not, and its response does.
    price(100_000);
    let fake = FakeGemini::start([]);
    ask(&fake).run().status(4);
    assert_eq!(fake.finish().main().len(), 0);
    price(100);
    let fake = FakeGemini::start([Turn::call("greet", json!({"person": "Ada"}))]);
    ask(&fake).run().status(4);
    let conversation = fake.finish();
    let limit = &conversation.main()[0].body["generationConfig"]["maxOutputTokens"];
    assert_eq!(limit.as_u64(), Some(4), "{limit}");
}
