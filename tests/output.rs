//! Output that cannot be written: a full disk, and a reader that closes the pipe.

use cogtools_test_support::{Project, Run, Stdout, str};

use crate::{programs, project_with, run};

const ECHO: &str = "name: echo\ndescription: d\nimplementation: said\n";

#[test]
fn output_that_cannot_be_written() {
    let project = project_with("echo", ECHO);
    for (program, args) in [
        ("cogtools-call", ["echo"].as_slice()),
        ("cogtools-yaml", &["tools/echo.yaml"]),
        ("cogtools-discover", &[]),
        ("cogtools-discover", &["--yaml"]),
        ("cogtools", &["help"]),
        ("cogtools", &["--exec-path"]),
    ] {
        let start = |stdout| run(program, &project).args(args).stdout(stdout).run();
        start(Stdout::Full).fails(
            74,
            format!(
                "{program}: error[IO_FAILED]: standard output cannot be written: \
                 No space left on device (os error 28)\n\
                 hint: the output is incomplete; free disk space, then run this again\n"
            ),
        );
        start(Stdout::Gone).fails(141, "");
    }
}

#[test]
fn reader_that_closes_the_pipe() {
    let project = Project::new();
    for number in 0..2_000 {
        project.file(
            format!("tools/t{number}.yaml"),
            format!(
                "name: t{number}\ndescription: {}\nimplementation: x\n",
                "d".repeat(200)
            ),
        );
    }
    let script = "{ cogtools-discover; echo $? >&2; } | head -c1";
    Run::new("/bin/sh")
        .project(&project)
        .path(programs())
        .args(["-c", script])
        .run()
        .expect(
            0,
            str!["["],
            str![[r#"
141

"#]],
        );
}
