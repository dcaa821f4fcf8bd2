//! The model's view of a failed call, which lets it correct the call.

use std::fs;

use cogtools_test_support::{Outcome, Status, str};
use serde_json::{Value, json};

use super::host::{Host, assert_responses, output};
use super::{facepalm, on_every_version};

on_every_version!(bad_call_is_named, vanished_tool_is_survived);

fn bad_call_is_named(host: &Host) {
    let mut unknown = facepalm::arguments();
    unknown["mood"] = json!("gloomy");
    let mut missing = unknown.clone();
    missing
        .as_object_mut()
        .expect("arguments are an object")
        .remove("therefore");

    let direct = [&missing, &unknown].map(|arguments| host.directly("facepalm", arguments));
    direct[0].fails(
        65,
        str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: facepalm: /mood: not a parameter of this tool
hint: the parameters are `facepalm`, `what_happened`, `but_really`, `therefore`, `next`, `remarks`
cogtools-call: error[SCHEMA_VIOLATION]: facepalm: /therefore: required but missing
hint: send therefore (string): Provide constructive outlook on the situation

"#]],
    );
    direct[1].fails(
        65,
        str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: facepalm: /mood: not a parameter of this tool
hint: the parameters are `facepalm`, `what_happened`, `but_really`, `therefore`, `next`, `remarks`

"#]],
    );

    let conversation = host.play([
        host.call("facepalm", missing),
        host.call("facepalm", unknown),
        host.call("facepalm", facepalm::arguments()),
    ]);
    // A version that checks arguments itself knows what is required, but accepts
    // undeclared arguments: only we can tell the model about those.
    let missing = if host.version.validates {
        json!({ host.version.failure: "params must have required property 'therefore'" })
    } else {
        failed(host, &direct[0])
    };
    assert_responses(
        &conversation,
        &[
            &[missing],
            &[failed(host, &direct[1])],
            &[output(facepalm::RENDERED)],
        ],
    );
}

/// A child that exits before it has read its input would take these versions
/// down with it: they do not expect a broken pipe.
fn vanished_tool_is_survived(host: &Host) {
    let mut arguments = facepalm::arguments();
    arguments["facepalm"] = json!("D'oh! ".repeat(50_000));
    let tool = host.project.path("tools/facepalm.yaml");
    let call = host.call("facepalm", arguments.clone());
    let conversation = host.play([call.meanwhile(move || {
        fs::remove_file(tool).expect("the tool was there");
    })]);

    let direct = host.directly("facepalm", &arguments);
    direct
        .fails(
            127,
            str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: facepalm: no such tool
hint: cogtools-discover lists all tools

"#]],
        )
        .reads_all_input();
    assert_responses(&conversation, &[&[failed(host, &direct)]]);
}

/// The response that tells the model of a failed call, in the CLI's own form.
fn failed(host: &Host, outcome: &Outcome) -> Value {
    let Status::Exit(status) = outcome.status else {
        panic!("a signal ended it: {outcome:?}");
    };
    let stderr = text(&outcome.stderr);
    json!({ host.version.failure: format!(
        "Stdout: (empty)\nStderr: {stderr}\nError: (none)\nExit Code: {status}\nSignal: (none)"
    ) })
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("stderr is text")
}
