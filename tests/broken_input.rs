//! The table of `docs/explanation/broken-input.md` is what happens.

use cogtools_test_support::{FakeGemini, Outcome, Project, Run, Status, Turn};

use crate::run;

/// Runs a program against an API that gives this response, as often as it is asked for.
fn answered(run: Run, response: &str) -> Outcome {
    let turn = || Turn::raw([serde_json::from_str(response).expect("a response")]);
    let fake = FakeGemini::start([turn(), turn(), turn(), turn(), turn()]);
    let run = run.env("GEMINI_API_KEY", "a-key-for-tests");
    let outcome = run.env("GOOGLE_GEMINI_BASE_URL", fake.url()).run();
    // Only what is asked for again plays more than one of them.
    let _ = fake.try_finish();
    outcome
}

#[test]
fn every_row_of_the_table_is_what_happens() {
    let page =
        std::fs::read_to_string(crate::repository().join("docs/explanation/broken-input.md"))
            .expect("the page");
    let rows = page.lines().filter_map(|line| {
        let mut columns = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
        let (place, input) = (columns.next()?, columns.next()?);
        let (status, read) = (columns.next()?.parse::<i32>().ok()?, columns.next()?);
        let of_model = Some(columns.next()?).filter(|text| *text != "the same");
        let bare = |text: &'_ str| text.trim_matches('`').to_owned();
        let read = bare(read);
        Some((
            place,
            bare(input),
            status,
            of_model.map_or_else(|| read.clone(), bare),
            read,
        ))
    });
    let mut count = 0;
    for (place, input, status, of_model, read) in rows {
        let (input, read) = (input.as_str(), read.as_str());
        count += 1;
        let project = Project::untrusted();
        let mut model = None;
        let outcome = match place {
            "json" => run("cogtools-json", &project).stdin(input).run(),
            "plan" => run("cogtools-plan", &project)
                .arg("check")
                .stdin(input)
                .run(),
            "js" => {
                let tool =
                    format!("name: t\ndescription: d\nimplementation:\n  js: |\n    {input}\n");
                project.file("tools/t.yaml", tool);
                run("cogtools-call", &project).arg("t").stdin("").run()
            }
            "agent" => {
                let project = Project::new();
                let tool = "name: a\ndescription: d\nimplementation: {agent: {system: Answer., prompt: Go}}\n";
                project.file("tools/a.yaml", tool);
                let call = run("cogtools-call", &project).arg("a").stdin("");
                model = Some(answered(call, input));
                answered(
                    run("cogtools-ask", &project).args(["--json", "-q", "Go"]),
                    input,
                )
            }
            "flow" => {
                let tool = format!(
                    "name: f\ndescription: d\nimplementation:\n  flow:\n    nodes: {input}\n"
                );
                let project = Project::new();
                project.file("tools/f.yaml", tool);
                model = Some(run("cogtools-call", &project).arg("f").stdin("").run());
                run("cogtools-flow", &project).args(["run", "f"]).run()
            }
            other => panic!("{other} is no place"),
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('`', "");
        if let Some(model) = model {
            let stderr = text(&model.stderr);
            assert!(stderr.contains(&of_model), "{input}: {stderr}");
        }
        let (stdout, stderr) = (text(&outcome.stdout), text(&outcome.stderr));
        assert_eq!(outcome.status, Status::Exit(status), "{input}: {stderr}");
        if status == 0 {
            assert_eq!(stdout.trim_end(), read, "{input}");
        } else {
            // A report says itself that there is no answer.
            let is_silent = stdout.is_empty() || stdout.contains(r#""error":{"code""#);
            assert!(stderr.contains(read) && is_silent, "{input}: {stderr}");
        }
    }
    assert_eq!(count, 66);
}
