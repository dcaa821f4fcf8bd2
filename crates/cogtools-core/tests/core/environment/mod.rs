//! The environment variables that a tool sees.

mod dotenv;

use std::path::Path;

use cogtools_core::environment::{Vars, is_dangerous};
use cogtools_core::{EnvPriority, Environment};
use cogtools_test_support::{Project, assert_text, str};

use crate::support::render;

fn vars(pairs: &[(&str, &str)]) -> Vars {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

/// The variables of a tool in `project`, called from its folder `from`.
fn child_env(
    project: &Project,
    from: &str,
    process: &[(&str, &str)],
    priority: EnvPriority,
    names: &[&str],
) -> String {
    let environment = Environment::new(vars(process));
    let environment = environment.with_dotenv(
        &project.path(from),
        &project.root(),
        Path::new("shown"),
        priority,
    );
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    match environment.child_env(&names) {
        Ok(variables) => {
            let pairs = variables.iter();
            let pairs: Vec<String> = pairs
                .map(|(name, value)| format!("{}={}", name.display(), value.display()))
                .collect();
            pairs.join(" ")
        }
        Err(error) => {
            assert!(!format!("{error:?}").contains("secret"));
            render(&[error.diagnostic()])
        }
    }
}

#[test]
fn the_priority_decides_whose_value_wins() {
    let project = Project::new();
    project.file(".env", "BOTH=file\nFILE=file\n");
    let process = [
        ("BOTH", "process"),
        ("PROCESS", "process"),
        ("PATH", "/bin"),
    ];
    for (priority, names, expected) in [
        (
            EnvPriority::Project,
            &["BOTH"][..],
            str!["BOTH=file PATH=/bin"],
        ),
        (
            EnvPriority::Process,
            &["BOTH"],
            str!["BOTH=process PATH=/bin"],
        ),
        (
            EnvPriority::ProcessOnly,
            &["BOTH"],
            str!["BOTH=process PATH=/bin"],
        ),
        (
            EnvPriority::Project,
            &["FILE", "PROCESS"],
            str!["FILE=file PATH=/bin PROCESS=process"],
        ),
        (
            EnvPriority::Process,
            &["FILE", "PROCESS"],
            str!["FILE=file PATH=/bin PROCESS=process"],
        ),
        (EnvPriority::Project, &[], str!["PATH=/bin"]),
        (
            EnvPriority::ProcessOnly,
            &["FILE"],
            str![[r#"
error[INVALID_CONFIG]: the environment variable `FILE` is not set
hint: set FILE in the environment, or add a line `FILE=…` to the project's .env
hint: EnvOrigins shows where each value comes from

"#]],
        ),
        (
            EnvPriority::Project,
            &["ONE", "BOTH", "TWO"],
            str![[r#"
error[INVALID_CONFIG]: the environment variables `ONE`, `TWO` are not set
hint: set ONE in the environment, or add a line `ONE=…` to the project's .env
hint: EnvOrigins shows where each value comes from

"#]],
        ),
    ] {
        let found = child_env(&project, "", &process, priority, names);
        assert_text(found, expected);
    }
}

#[test]
fn the_nearest_dotenv_file_up_to_the_root_is_read() {
    let project = Project::new();
    project
        .file("../.env", "A=above the root\n")
        .file(".env", "A=root\nB=root\n")
        .file("src/.env", "A=src\n")
        .dir("src/deep")
        .dir("other/.env");
    let project_given = |from, name| child_env(&project, from, &[], EnvPriority::Project, &[name]);
    assert_eq!(project_given("", "A"), "A=root");
    assert_eq!(project_given("src", "A"), "A=src");
    assert_eq!(project_given("src/deep", "A"), "A=src");
    assert_eq!(project_given("other", "A"), "A=root");
    // Only the nearest file is read; files are not merged.
    assert_text(
        project_given("src", "B"),
        str![[r#"
error[INVALID_CONFIG]: the environment variable `B` is not set
hint: set B in the environment, or add a line `B=…` to the project's .env
hint: EnvOrigins shows where each value comes from

"#]],
    );
    // Outside the project, the root's file is read.
    assert_eq!(project_given("../elsewhere", "A"), "A=root");
    project.remove(".env");
    assert_text(
        project_given("", "A"),
        str![[r#"
error[INVALID_CONFIG]: the environment variable `A` is not set
hint: set A in the environment, or add a line `A=…` to the project's .env
hint: EnvOrigins shows where each value comes from

"#]],
    );
}

#[test]
fn the_error_of_an_invalid_file_does_not_show_its_content() {
    let project = Project::new();
    project.file("src/.env", "A=1\nsecret\n");
    let found = child_env(&project, "src", &[("A", "1")], EnvPriority::Project, &["A"]);
    let location = Path::new("shown").join("src").join(".env");
    assert_eq!(
        found,
        format!(
            "error[INVALID_CONFIG]: {}:2: not a line of the form NAME=value\n\
             hint: write NAME=value, or put a # before the line\n",
            location.display()
        )
    );
    // The file is not read if no variable is requested.
    assert_eq!(
        child_env(&project, "src", &[("A", "1")], EnvPriority::Project, &[]),
        ""
    );
    assert_eq!(
        child_env(
            &project,
            "src",
            &[("A", "1")],
            EnvPriority::ProcessOnly,
            &["A"]
        ),
        "A=1"
    );
}

#[test]
fn a_file_never_sets_dangerous_variables() {
    let project = Project::new();
    let names = [
        "PATH",
        "Path",
        "LD_PRELOAD",
        "DYLD_INSERT_LIBRARIES",
        "NODE_OPTIONS",
        "PYTHONPATH",
        "BASH_ENV",
        "GIT_SSH_COMMAND",
        "npm_config_script_shell",
        "COGTOOLS_HOME",
        "HOME",
        "IFS",
        "RUBYOPT",
        "PERL5OPT",
        "JAVA_TOOL_OPTIONS",
        "BASH_FUNC_ls",
        "TMPDIR",
    ];
    for name in names {
        assert!(is_dangerous(name), "{name}");
        project.file(".env", format!("{name}=secret\n"));
        let found = child_env(&project, "", &[], EnvPriority::Project, &[name]);
        assert!(found.contains(&format!("`{name}` is not set")), "{found}");
        let process = [(name, "mine")];
        let found = child_env(&project, "", &process, EnvPriority::Project, &[name]);
        assert_eq!(found, format!("{name}=mine"));
    }
    for name in [
        "API_KEY",
        "PATHS",
        "MY_PATH",
        "LDAP_URL",
        "HOMEPAGE",
        "GITHUB_TOKEN",
        "CITY",
    ] {
        assert!(!is_dangerous(name), "{name}");
    }
}

#[test]
fn debug_output_contains_no_values() {
    let environment = Environment::new(vars(&[("TOKEN", "secret")]));
    let shown = format!("{environment:?}");
    assert!(
        shown.contains("TOKEN") && !shown.contains("secret"),
        "{shown}"
    );
    let seen = environment.lookup("TOKEN", None).expect("it is set");
    assert_eq!(seen.value, "secret");
    assert!(seen.line.is_none() && !seen.shadows);
}

#[test]
fn temporary_files_go_to_an_absolute_tmpdir_or_tmp() {
    for (process, expected) in [
        (&[("TMPDIR", "/scratch")][..], "/scratch"),
        (&[("TMPDIR", "relative")], "/tmp"),
        (&[("TMPDIR", "")], "/tmp"),
        (&[], "/tmp"),
    ] {
        let environment = Environment::new(vars(process));
        assert_eq!(environment.temp_dir(), Path::new(expected), "{process:?}");
    }
}
