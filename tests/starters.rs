//! New tools from `cogtools new` work and have no lint findings, whatever their kind
//! of implementation.

use cogtools_test_support::{Project, str};

use crate::run;

#[test]
fn new_tools_have_no_findings() {
    for template in ["njk", "js", "exec", "script"] {
        let project = Project::new();
        project.file(".cogtoolrc.yaml", "");
        let name = format!("my_{template}");
        let new = run("cogtools-new", &project)
            .args([&name, "--template", template])
            .run();
        new.succeeds();
        run("cogtools-lint", &project)
            .args(["--deny-warnings", &format!("tools/{name}.yaml")])
            .run()
            .outputs(str![[r#"
1 file: nothing to report

"#]]);
    }
}

#[test]
fn the_printed_call_of_a_new_tool_works() {
    for template in ["njk", "js", "exec", "script"] {
        let project = Project::new();
        let new = run("cogtools-new", &project).args(["find_it", "--template", template]);
        let printed = new.run().text();
        let mut lines = printed.lines().map(str::trim);
        let call = lines.find(|line| line.starts_with("echo "));
        let arguments = call
            .unwrap()
            .strip_prefix("echo '")
            .and_then(|rest| rest.strip_suffix("' | cogtools-call find_it"));
        run("cogtools-call", &project)
            .arg("find_it")
            .stdin(arguments.unwrap())
            .run()
            .succeeds();
    }
}

#[test]
fn names_that_yaml_takes_for_other_values() {
    for name in ["null", "true", "false", "Null", "y"] {
        let project = Project::new();
        let new = |args: &[&str]| run("cogtools-new", &project).args(args).run().text();
        new(&["plain"]);
        new(&[name]);
        new(&[name, "--from", "tools/plain.yaml", "--dir", "copies"]);
        for folder in ["tools", "copies"] {
            let file = format!("{folder}/{name}.yaml");
            run("cogtools-lint", &project).arg(file).run().succeeds();
        }
    }
}

#[test]
fn a_program() {
    let project = Project::new();
    project.file("notes.txt", "one\nTwo words\n");
    let new = run("cogtools-new", &project).args(["find", "--template", "exec"]);
    new.run().text();
    let call = |arguments: &str| {
        run("cogtools-call", &project)
            .arg("find")
            .stdin(arguments)
            .run()
    };
    call(r#"{"text": "Two"}"#).outputs(str![[r#"
notes.txt:2:Two words

"#]]);
    call(r#"{"text": "two w", "any_case": true, "paths": ["tools", "notes.txt"]}"#).outputs(str![
        [r#"
notes.txt:2:Two words

"#]
    ]);
}

#[test]
fn new_tools_pass_their_tests() {
    for template in ["njk", "js", "exec", "script"] {
        let project = Project::new();
        let name = format!("my_{template}");
        let new = run("cogtools-new", &project).args([&name, "--template", template]);
        new.run().text();
        for args in [&[][..], &["--update"], &[]] {
            let test = run("cogtools-test", &project).args(args).run();
            test.status(0).stderr_is("");
        }
    }
}

#[test]
fn a_script() {
    let project = Project::new();
    let new = run("cogtools-new", &project).args(["words", "--template", "script"]);
    new.run().text();
    run("cogtools-call", &project)
        .arg("words")
        .stdin("{\"text\": \"Count these four words\"}")
        .run()
        .outputs(str![[r#"
4 words

"#]]);
}

#[test]
fn a_new_project_passes_its_first_test_and_lint() {
    let project = Project::new();
    let init = run("cogtools-init", &project).arg("--defaults");
    init.run().text();
    for program in ["cogtools-test", "cogtools-lint"] {
        run(program, &project).run().succeeds();
    }
}

/// The gallery: its folder in the repository.
fn everyday() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/everyday")
}

#[test]
fn the_tools_for_every_day_pass_their_tests_with_stand_ins_of_their_programs() {
    let project = Project::new();
    let mut count = 0;
    for folder in [".", "tools", "fixtures", "fixtures/bin"] {
        for entry in std::fs::read_dir(everyday().join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            if path.is_file() && !name.ends_with(".evals.yaml") {
                let content = std::fs::read(&path).expect("a file");
                if folder == "." || folder == "fixtures" {
                    project.file(format!("{folder}/{name}"), content);
                } else {
                    project.program(format!("{folder}/{name}"), content);
                }
                count += usize::from(folder == "tools");
            }
        }
    }
    assert_eq!(count, 12);
    run("cogtools-lint", &project)
        .arg("--strict")
        .run()
        .outputs("12 files: nothing to report\n");
    let test = run("cogtools-test", &project)
        .path(project.path("fixtures/bin"))
        .arg("--strict")
        .run();
    assert!(test.text().ends_with("12 tools, 18 examples: all passed\n"));
}

#[test]
fn a_tool_for_every_day_is_copied_under_its_name_or_another() {
    let project = Project::new();
    let file = everyday().join("tools/convert_units.yaml");
    for (words, name) in [(&[][..], "convert_units"), (&["units"], "units")] {
        run("cogtools-new", &project)
            .args(words)
            .arg("--from")
            .arg(&file)
            .run()
            .succeeds();
        let call = run("cogtools-run", &project).args([name, "value=1", "from=km", "to=m"]);
        call.run().outputs("1000 m\n");
    }
    run("cogtools-test", &project).run().status(0);
}
