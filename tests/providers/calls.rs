//! Calls of tools that providers declare.

use cogtools_test_support::{assert_text, str};
use std::time::{Duration, Instant};

use serde_json::json;

use super::{DECLARED, OK, OTHER, Scene, declaring};
use crate::{project_with, run};

const SAY: &str = r#"[{"name": "say", "description": "d", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}]"#;

/// A provider that answers a call with this script.
fn answering(script: &str, settings: &str) -> Scene {
    Scene::new(
        &format!(
            "if [ \"$1\" = call ]; then\n{script}\nexit\nfi\necho '[{{\"name\": \"say\", \"description\": \"d\"}}]'"
        ),
        settings,
    )
}

#[test]
fn arguments_are_checked_here_and_answered_there() {
    let scene = Scene::new(&declaring(SAY), ", prefix: other_");
    let call = |arguments: &serde_json::Value| {
        scene
            .run("cogtools-call")
            .arg("other_say")
            .stdin(arguments)
            .run()
    };
    call(&json!({"text": "hello"})).outputs(str![[r#"
say: {"text":"hello"}

"#]]);
    call(&json!({"text": "hello", "wait_for_previous": true})).outputs(str![[r#"
say: {"text":"hello"}

"#]]);
    call(&json!({})).fails(
        65,
        str![[r#"
cogtools-call: error[SCHEMA_VIOLATION]: other_say: /text: required but missing
hint: send text (string)

"#]],
    );
    scene.call("say").fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: say: no such tool
hint: cogtools-discover lists all tools

"#]],
    );
}

#[test]
fn a_long_prefix_is_cut_for_the_hash() {
    let prefix = "kubernetes_production_cluster_europe_west_";
    let declared = r#"[{"name": "scale_up", "description": "d"}]"#;
    let scene = Scene::new(&declaring(declared), &format!(", prefix: {prefix}"));
    scene
        .call("kubernetes_production_cluster_europe_w_275e9034")
        .outputs(str![[r#"
scale_up: {}

"#]]);
}

#[test]
fn a_failed_call_shows_its_own_message() {
    answering("echo 'no such city' >&2; exit 3", "")
        .call("say")
        .fails(
            1,
            str![[r#"
cogtools-call: error[TOOL_FAILED]: say: the program exited with status 3
  | no such city

"#]],
        );
    answering("echo 'aside' >&2; echo done", "")
        .call("say")
        .outputs(str![[r#"
done

"#]]);
    answering("printf 'a\\377'", "").call("say").fails(
        1,
        str![[r#"
cogtools-call: error[TOOL_FAILED]: say: the program's output is not UTF-8 from byte 1 on
hint: a result is text, unless `output` says what it is, as in `output: {type: image/png}`

"#]],
    );
    let text = answering("head -c 20000000 /dev/zero | tr '\\0' x", "")
        .call("say")
        .text();
    let end = str![[r#"

[truncated: 18951424 bytes are left out; a result has at most 1048576]

"#]];
    assert_text(&text[1 << 20..], end);
}

#[test]
fn a_call_that_hangs_is_ended() {
    let begin = Instant::now();
    answering("trap '' TERM; sleep 300", ", timeout: 1")
        .call("say")
        .fails(
            124,
            str![[r#"
cogtools-call: error[TIMEOUT]: say: the tool timed out after 1 s
hint: send less, or give the tool more time with `timeout`

"#]],
        );
    assert!(begin.elapsed() < Duration::from_secs(6));
}

#[test]
fn it_sees_its_declared_variables() {
    let scene = Scene::new(
        "if [ \"$1\" = call ]; then /usr/bin/env | /usr/bin/grep -v ^_COGTOOLS_WITHIN= | sort; exit; fi\n[ \"$TOKEN\" = t ] && echo '[{\"name\": \"say\", \"description\": \"d\"}]'",
        ", env: [TOKEN]",
    );
    let with = |program| scene.run(program).env("TOKEN", "t").env("SECRET", "s");
    with("cogtools-discover").run().json();
    with("cogtools-call").arg("say").run().outputs(str![[r#"
PATH=/usr/bin:/bin
PWD=/
TOKEN=t

"#]]);
    scene.declares(
        &[],
        "\
warning[INVALID_CONFIG]: the provider `other` cannot be run: the environment variable `TOKEN` is not set
hint: set TOKEN in the environment, outside the project
",
    );
}

#[test]
fn a_tool_that_vanishes_is_not_found() {
    let scene = Scene::new("cd \"${0%/*}/../project\"; cat list", "");
    scene
        .project
        .file("list", r#"[{"name": "say", "description": "d"}]"#);
    scene.declares(&["say"], "");
    scene.project.file("list", "[]");
    scene.call("say").fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: say: no such tool
hint: cogtools-discover lists all tools

"#]],
    );
    scene.project.remove("list");
    scene.call("say").fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: say: no such tool
hint: cogtools-discover lists all tools
cogtools-call: error[TOOL_FAILED]: the provider `other` failed to declare its tools: it exited with status 1
  | cat: list: No such file or directory

"#]],
    );
}

/// Before, the tool of the later source vanished without a word.
#[test]
fn tools_of_two_sources_with_one_name() {
    let project = project_with("ok", OK);
    let source = |name: &str| {
        project.file(
            format!("{name}/run"),
            declaring("[{\"name\": \"who\", \"description\": \"d\"}]").replace("$2", name),
        );
        format!(
            "{{command: {{discover: [sh, {name}/run], call: [sh, {name}/run, call], name: {name}}}}}"
        )
    };
    let sources = format!("[{}, {}, {{local: ./tools}}]", source("one"), source("two"));
    project.file(".cogtoolrc.yaml", format!("tool_sources: {sources}\n"));
    let trust = run("cogtools-trust", &project).args(["one", "two", "--yes"]);
    trust.run().succeeds();
    let discover = |args: &[&str]| run("cogtools-discover", &project).args(args).run();
    let warning = "cogtools-discover: warning[INVALID_TOOL]: the provider `two` declares the name of another tool: `who` is called `two_who`\n\
                   hint: the tool of an earlier source keeps its name; give this source a `prefix`\n";
    let tools = ["who", "two_who"].map(|name| OTHER.replace("NAME", name));
    let declared = format!("[\n{},\n{DECLARED}\n]\n", tools.join(",\n"));
    discover(&[]).expect(0, declared.clone(), warning);
    let lock = run("cogtools-lock", &project).run();
    lock.stdout_is("created cogtools.lock: 3 tools of 3 sources\n");
    discover(&["--locked"]).expect(0, declared, warning);
    let call = |name: &str| {
        let call = run("cogtools-call", &project).args(["--locked", name]);
        call.stdin("{}").run()
    };
    call("who").outputs("one: {}\n");
    call("two_who").outputs("two: {}\n");
    // The name stays with its tool where the other one is missing.
    let revoke = run("cogtools-trust", &project).args(["one", "--revoke"]);
    revoke.run().succeeds();
    call("two_who").outputs("two: {}\n");
}
