//! Evals in the web view: the matrix, a case, its trials, and the session of each.

use cogtools_test_support::{Project, assert_text, str};

use super::server::{Server, text};
use crate::run;

const CASES: &str = "\
trials: 2
cases:
  - {name: fine, task: one, expect: {answer: {contains: yes}}}
  - {name: bad, task: two, expect: {calls: [{tool: say}]}}
";

/// A project with an eval that has run.
pub(crate) fn evaluated(project: &Project) {
    project
        .file("evals/basic.yaml", CASES)
        .program("model.sh", "#!/bin/sh\ncat > /dev/null\nprintf '<b>yes'\n");
    let args = ["--model-command", "./model.sh", "--models", "a,<b>"];
    run("cogtools-eval", project).args(args).run().status(1);
}

#[test]
fn a_matrix_leads_to_the_sessions_of_trials() {
    let project = Project::new();
    let server = Server::start(&project, &[]);
    let cookie = server.cookie();
    let empty = server.get(&cookie, "/evals");
    assert!(empty.body.contains("No eval has run in this project yet."));
    evaluated(&project);
    let page = server.get(&cookie, "/evals");
    assert_eq!(page.status, 200);
    // The run and its time differ.
    let matrix = text(&page.body);
    let (_, matrix) = matrix.split_once("| Cases | ").expect("figures");
    assert_text(
        matrix,
        str![[r#"
2 of 4 ok
Trials | 4 of 8 passed | Tokens | 0 | Case | a | &lt;b&gt; | fine | evals/basic.yaml:3
2/2 | 0.34 to 1.00 | 2/2 | 0.34 to 1.00 | bad | evals/basic.yaml:4 | 0/2 | 0.00 to 0.66
0/2 | 0.00 to 0.66

"#]],
    );
    let link = page
        .body
        .split("href=\"")
        .find(|link| link.contains("/cases/1"));
    let link = link
        .and_then(|link| link.split('"').next())
        .expect("a link");
    let case = server.get(&cookie, link.strip_prefix(server.base()).expect("a page"));
    assert_eq!(case.status, 200);
    let trials = text(&case.body);
    let (_, trials) = trials.split_once("| &lt;b&gt; |").expect("a model");
    assert_text(
        trials,
        str![[r#"
 0/2 | 0.00 to 0.66
Trial | Verdict | Failures | Session | 1 | fail | /calls/0 | `say` was not called
Session | 2 | fail | /calls/0 | `say` was not called | Session

"#]],
    );
    let link = case
        .body
        .split("href=\"")
        .find(|link| link.contains("/sessions/eval-"));
    let link = link
        .and_then(|link| link.split('"').next())
        .expect("a link");
    let session = server.get(&cookie, link.strip_prefix(server.base()).expect("a page"));
    assert_eq!(session.status, 200);
    for path in ["/evals/none", "/evals/..%2f..%2fx", "/evals/none/cases/0"] {
        assert_eq!(server.get(&cookie, path).status, 404, "{path}");
    }
}
