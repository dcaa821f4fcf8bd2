//! Approval: nothing that others wrote runs without it.

use cogtools_test_support::{Outcome, Project, Snapshot, str};

use crate::packages::depend_on_pk;
use crate::run;

mod attacks;
mod packages;
mod program;
mod record;

/// A tool of a package that runs a program.
const RUN: &str = "name: pk_run\ndescription: d\nimplementation: {exec: [./run]}\n";
/// A tool that does not.
const SAY: &str = "name: pk_say\ndescription: d\nimplementation: said\n";
/// Why a call to it is denied before the package is approved, and after it
/// has changed.
const UNKNOWN: Snapshot = str![[r#"
cogtools-call: error[DENIED]: pk_run: it runs commands and comes from the package `pk`, which is not approved yet
hint: only the user can approve it, after reviewing what it runs: cogtools trust pk

"#]];
const CHANGED: Snapshot = str![[r#"
cogtools-call: error[DENIED]: pk_run: it runs commands and comes from the package `pk`, which has changed since it was approved
hint: only the user can approve it, after reviewing what it runs: cogtools trust pk

"#]];

/// The text before the package is approved.
const REVIEW: &str = "\
package pk, 1 tool running programs
  tool      pk_run (node_modules/pk/tools/pk_run.yaml)
  runs      ./run
  file      node_modules/pk/tools/./run (19 bytes, #!/bin/sh)
            | #!/bin/sh
            | echo ran
  may       read the project; write nothing; not use the network
  file      package.json
  file      tools/pk_run.yaml
  file      tools/pk_say.yaml
  file      tools/run
";

/// A project with a package that has both.
fn with_package() -> Project {
    let project = Project::new();
    depend_on_pk(&project)
        .file(".cogtoolrc.yaml", "tool_sources: [node_modules]\n")
        .file("node_modules/pk/tools/pk_run.yaml", RUN)
        .file("node_modules/pk/tools/pk_say.yaml", SAY)
        .program("node_modules/pk/tools/run", "#!/bin/sh\necho ran\n");
    project
}

/// A project that configures a provider: `d` declares, `c` calls, and both leave a
/// trace when they run.
fn with_provider() -> Project {
    let project = Project::new();
    project
        .file(
            ".cogtoolrc.yaml",
            "tool_sources:\n  - command: {discover: [sh, ./d], call: [sh, ./c], name: other, sandbox: {write: [.]}}\n",
        )
        .file(
            "d",
            "echo >> ran\necho '[{\"name\": \"say\", \"description\": \"d\"}]'\n",
        )
        .file("c", "echo >> ran\necho \"$1: $(cat)\"\n");
    project
}

/// The warning of discovery for a provider that is not approved, or that has changed.
fn warning(what: &str) -> String {
    format!(
        "cogtools-discover: warning[DENIED]: the provider `other` {what}\n\
         hint: review what it runs, then approve it: cogtools trust other\n"
    )
}

/// Runs `cogtools trust`, and approves what it shows.
fn trust(project: &Project, args: &[&str]) -> Outcome {
    let approves = args.iter().any(|arg| !arg.starts_with('-'))
        && !args.contains(&"--dry-run")
        && !args.contains(&"--revoke");
    let yes = approves.then_some("--yes");
    run("cogtools-trust", project).args(yes).args(args).run()
}

fn discover(project: &Project) -> Outcome {
    run("cogtools-discover", project).run()
}

fn call(project: &Project, tool: &str) -> Outcome {
    run("cogtools-call", project).arg(tool).run()
}

/// The commands of hints are pasted: `.` is the project, and `-x` would be an option.
#[test]
fn the_hint_names_each_provider() {
    for (name, words) in [(".", "provider:."), ("-x", "-- -x")] {
        let project = with_provider();
        let config = project.read(".cogtoolrc.yaml");
        let named = format!("name: \"{name}\"");
        project.file(".cogtoolrc.yaml", config.replace("name: other", &named));
        let hint = format!("approve it: cogtools trust {words}\n");
        discover(&project).stderr_contains(&hint);
        run("cogtools-trust", &project)
            .arg("--yes")
            .args(words.split(' '))
            .run()
            .status(0);
        discover(&project).status(0).stderr_is("");
    }
}
