//! Completions of the tools of MCP servers.

use cogtools_test_support::str;

use super::source::{discover, project, server, with};

/// After discovery, the tools of a server are completed without starting it.
#[test]
fn cached_tools_of_a_server_are_completed() {
    let project = project();
    let args = ["completions", "fish", "--", "cogtools", "run", ""];
    let run = || with("cogtools", &project, &[server("modern")]);
    let complete = || run().args(args).run();
    complete().outputs(str![[r#"
ok	d

"#]]);
    discover(&project, "modern").succeeds();
    complete().outputs(str![[r#"
ok	d
t	d

"#]]);
}
