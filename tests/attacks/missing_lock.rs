//! `locked: true` where there is no `cogtools.lock`: nothing runs.

use cogtools_test_support::{Project, str};

use crate::run;

/// Before, a template ran by its path where the key was set and the lock was missing.
#[test]
fn a_lock_that_is_missing_locks_a_path() {
    for (file, content) in [
        (".cogtoolrc.yaml", "locked: true\n"),
        (".gemini/cogtoolrc.yaml", "locked: true\n"),
        ("package.json", "{\"cogtools\": {\"locked\": true}}"),
        ("../home/.gemini/cogtoolrc.yaml", "locked: true\n"),
    ] {
        let project = Project::new();
        project.dir(".git").file("tools/say.yaml", super::SAY);
        let yaml = || run("cogtools-yaml", &project).arg("tools/say.yaml").run();
        yaml().outputs("said");
        project.file(file, content);
        yaml().fails(
            78,
            str![[r#"
cogtools-yaml: error[INVALID_CONFIG]: `cogtools.lock` does not exist
hint: cogtools lock writes it; commit it with the project

"#]],
        );
        // It is a link that leads nowhere.
        project.link("cogtools.lock", "nowhere");
        yaml().status(78).stdout_is("");
        project
            .file(file, content.replace("true", "false"))
            .remove("cogtools.lock");
        yaml().outputs("said");
    }
}
