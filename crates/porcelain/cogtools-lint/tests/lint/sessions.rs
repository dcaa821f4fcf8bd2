//! Mistakes of models in the sessions of a project.

use cogtools_test_support::{Project, outcome, str};

use crate::project::{run, run_after};

const CONVERT: &str = include_str!("../../cases/models-err/fails/tools/convert.yaml");

/// The lines of a session with these calls of `convert`: the text of each rejection, or none.
fn session(calls: &[Option<&str>]) -> String {
    let mut lines = vec![
        r#"{"kind":"session","format":1,"session":"7f3a9c21be","time":"2026-11-22T09:00:00.000Z","project":"p","program":"0.1.0","model":"m"}"#.to_owned(),
    ];
    let mut line = |entry: String| {
        let id = lines.len();
        let parent = if id == 1 {
            "null".to_owned()
        } else {
            (id - 1).to_string()
        };
        lines.push(format!(
            r#"{{"id":{id},"parent":{parent},"time":"2026-11-22T09:00:00.010Z",{entry}}}"#
        ));
    };
    line(r#""kind":"task","parts":[{"text":"Go"}]"#.to_owned());
    for (number, rejection) in calls.iter().enumerate() {
        line(format!(
            r#""kind":"call","call":"c{number}","tool":"convert","arguments":{{}},"approval":{{"decision":"allowed","why":"pure"}}"#
        ));
        let end = match rejection {
            Some(error) => format!(
                r#""status":"failed","code":"SCHEMA_VIOLATION","content":{{"error":"{error}"}}"#
            ),
            None => r#""status":"succeeded","content":{"output":"1"}"#.to_owned(),
        };
        line(format!(
            r#""kind":"result","call":"c{number}",{end},"ms":1"#
        ));
    }
    lines.join("\n") + "\n"
}

/// A session in which a call left out an argument.
pub(crate) fn rejected(argument: &str) -> String {
    session(&[
        Some(&format!("convert: /{argument}: required but missing")),
        None,
    ])
}

#[test]
fn models_that_err_are_notes() {
    let project = Project::new();
    project.file("tools/convert.yaml", CONVERT);
    let sessions = [
        rejected("unit"),
        rejected("unit"),
        session(&[
            Some(
                r#"convert: /amount: expected number, got string \"5\"\nconvert: /to: not a parameter of this tool"#,
            ),
            None,
        ]),
    ];
    outcome!(run_after(&project, &sessions, &["--sessions"])).outputs(str![[r#"
tools/convert.yaml:4:1: note[models-err]: models sent `to`, which is no parameter, in 1 of 6 calls
   |
 4 | parameters:
   | ^^^^^^^^^^
why: each rejected call costs a turn, and a tool that is never called costs its tokens in every request
fix: say it in the description of the argument or the tool, or give it a default

tools/convert.yaml:5:3: note[models-err]: models sent `amount` with a wrong type in 1 of 6 calls
   |
 5 |   amount:
   |   ^^^^^^
why: each rejected call costs a turn, and a tool that is never called costs its tokens in every request
fix: say it in the description of the argument or the tool, or give it a default

tools/convert.yaml:8:3: note[models-err]: models left out `unit` in 2 of 6 calls
   |
 8 |   unit:
   |   ^^^^
why: each rejected call costs a turn, and a tool that is never called costs its tokens in every request
fix: say it in the description of the argument or the tool, or give it a default

1 file: 3 notes

"#]]);
    outcome!(run(&project, &[])).outputs(str![[r#"
1 file: nothing to report

"#]]);
}

#[test]
fn a_tool_that_no_model_calls_is_a_note() {
    let project = Project::new();
    project.file("tools/convert.yaml", CONVERT);
    let sessions: Vec<String> = (0..9).map(|_| session(&[])).collect();
    let args = ["--sessions", "--format", "json"];
    let found = |ended: crate::project::CapturedRun| ended.stdout.contains("no model called it");
    assert!(!found(run_after(&project, &sessions, &args)));
    let ended = run_after(&project, &sessions[..1], &args);
    assert_eq!(ended.status, 0);
    assert!(found(ended));
}
