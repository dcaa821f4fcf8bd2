//! The table of `docs/explanation/broken-input.md` is what happens.

use cogtools_test_support::{FakeGemini, Project, Status, Turn};

use crate::run;

#[test]
fn every_row_of_the_table_is_what_happens() {
    let page =
        std::fs::read_to_string(crate::repository().join("docs/explanation/broken-input.md"))
            .expect("the page");
    let rows = page.lines().filter_map(|line| {
        let mut columns = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
        let (place, input) = (columns.next()?, columns.next()?);
        let (status, read) = (columns.next()?.parse::<i32>().ok()?, columns.next()?);
        Some((
            place,
            input.trim_matches('`'),
            status,
            read.trim_matches('`'),
        ))
    });
    let mut count = 0;
    for (place, input, status, read) in rows {
        count += 1;
        let project = Project::untrusted();
        let outcome = match place {
            "json" => run("cogtools-json", &project).stdin(input).run(),
            "agent" => {
                let turn = || Turn::raw([serde_json::from_str(input).expect("a response")]);
                let fake = FakeGemini::start([turn(), turn(), turn(), turn(), turn()]);
                let outcome = run("cogtools-ask", &project)
                    .env("GEMINI_API_KEY", "a-key-for-tests")
                    .env("GOOGLE_GEMINI_BASE_URL", fake.url())
                    .args(["--json", "-q", "Go"])
                    .run();
                // Only what is asked for again plays more than one of them.
                let _ = fake.try_finish();
                outcome
            }
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
            other => panic!("{other} is no place"),
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('`', "");
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
    assert_eq!(count, 46);
}
