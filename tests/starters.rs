//! What `cogtools new` starts has no findings, whichever way it is implemented.

use cogtools_testing::Project;

use crate::run;

#[test]
fn new_tools_have_no_findings() {
    for template in ["njk", "exec", "script"] {
        let project = Project::new();
        project.file(".cogtoolrc.yaml", "");
        let name = format!("my_{template}");
        let new = run("cogtools-new", &project)
            .args([&name, "--template", template])
            .run();
        new.expect(0, &new.stdout, "");
        run("cogtools-lint", &project)
            .args(["--deny-warnings", &format!("tools/{name}.yaml")])
            .run()
            .outputs("1 file: nothing to report\n");
    }
}
