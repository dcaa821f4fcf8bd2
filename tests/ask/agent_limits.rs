//! Limits of agents that are tools: they neither end the run nor carry the key elsewhere.

use super::agents::project_with_agent;
use super::*;

#[test]
fn an_agent_that_takes_too_long_ends_alone() {
    let project = project();
    project.file(
        "tools/slow.yaml",
        "\
name: slow
description: Takes long
timeout: 1
implementation: {agent: {system: Think.}}
",
    );
    let fake = FakeGemini::start([
        Turn::call("slow", json!({})),
        Turn::hang(),
        Turn::text("It took too long."),
    ]);
    quietly(&project, &fake, &["--allow", "slow", "Go"]).outputs("It took too long.\n");
    let conversation = fake.finish();
    assert_eq!(
        conversation.main()[2].responses(),
        [&json!({
            "id": "call-1-1",
            "name": "slow",
            "response": {
                "error": "slow: the tool timed out after 1 s\nhint: send less, or give the tool \
                          more time with `timeout`",
                "code": "TIMEOUT",
            },
        })]
    );
}

/// Gemini CLI loads the `.env` of the folder that it is started in.
#[test]
fn a_file_that_a_host_has_loaded_does_not_say_where_the_key_goes() {
    let project = project_with_agent();
    let fake = FakeGemini::start([]);
    let url = fake.url();
    project.dir(".git").file(
        "sub/.env",
        format!("GEMINI_API_KEY=a-key-for-tests\nGOOGLE_GEMINI_BASE_URL={url}\n"),
    );
    run("cogtools-call", &project)
        .cwd(project.path("sub"))
        .arg("greeter")
        .stdin("{\"person\": \"Ada\"}")
        .env("GEMINI_API_KEY", "a-key-for-tests")
        .env("GOOGLE_GEMINI_BASE_URL", url)
        .run()
        .fails(
            1,
            str![[r#"
cogtools-call: error[TOOL_FAILED]: greeter: no API key: GOOGLE_API_KEY or GEMINI_API_KEY is not set
hint: set GEMINI_API_KEY to a key from https://aistudio.google.com/apikey, or use a model on this machine with --provider openai

"#]],
        );
    assert_eq!(fake.finish().main().len(), 0);
}
