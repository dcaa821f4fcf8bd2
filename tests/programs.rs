//! Properties of all programs, by enumeration.

use cogtools_test_support::{Project, Stdout};

use crate::run;

/// The names of all programs.
fn names() -> impl Iterator<Item = &'static str> {
    cogtools::PROGRAMS.iter().map(|program| program.name)
}

#[test]
fn every_program_explains_itself() {
    let project = Project::new();
    for name in names() {
        for flag in ["--help", "-h"] {
            let text = run(name, &project).arg(flag).run().text();
            assert!(text.contains(&format!("Usage: {name}")), "{name}: {text}");
            assert!(text.contains("-C <DIR>"), "{name}: {text}");
        }
        for flag in ["--version", "-V"] {
            let version = format!("{name} {}\n", env!("CARGO_PKG_VERSION"));
            run(name, &project).arg(flag).run().outputs(version);
        }
    }
    assert_eq!(project.files(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn every_program_rejects_unknown_arguments() {
    let project = Project::new();
    for name in names() {
        let outcome = run(name, &project).arg("--nonsense").run();
        let line = usage(name);
        let tip = "hint: to pass '--nonsense' as a value, use '-- --nonsense'\n";
        let tip = if line.matches(['<', '[']).count() > 1
            && !matches!(
                name,
                "cogtools"
                    | "cogtools-code"
                    | "cogtools-config"
                    | "cogtools-editor"
                    | "cogtools-flow"
                    | "cogtools-import"
                    | "cogtools-mcp-client"
                    | "cogtools-session"
            ) {
            if name == "cogtools-run" {
                "hint: the parameters of a tool are words without dashes: nonsense=VALUE\n"
            } else {
                tip
            }
        } else {
            ""
        };
        outcome.fails(
            2,
            format!(
                "{name}: error[USAGE]: unexpected argument '--nonsense' found\n{tip}{line}\
                 hint: --help explains every option\n"
            ),
        );
        run(name, &project).args(["-C"]).run().fails(
            2,
            format!(
                "{name}: error[USAGE]: a value is required for '-C <DIR>' but none was supplied\n\
                 {line}\
                 hint: --help explains every option\n"
            ),
        );
    }
    assert_eq!(project.files(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn help_on_a_full_disk_is_a_failure() {
    let project = Project::new();
    for name in names() {
        for flag in ["--help", "--version"] {
            run(name, &project)
                .arg(flag)
                .stdout(Stdout::Full)
                .run()
                .fails(
                    74,
                    format!(
                        "{name}: error[IO_FAILED]: standard output cannot be written: \
                     No space left on device (os error 28)\n\
                     hint: the output is incomplete; free disk space, then run this again\n"
                    ),
                );
            run(name, &project)
                .arg(flag)
                .stdout(Stdout::Gone)
                .run()
                .fails(141, "");
        }
    }
}

/// The usage hint of a program.
fn usage(name: &str) -> String {
    let line = match name {
        "cogtools" => "cogtools [OPTIONS] <PROGRAM> [ARGS]...",
        "cogtools-add" => "cogtools-add [OPTIONS] <PACKAGE>",
        "cogtools-ask" => "cogtools-ask [OPTIONS] [PROMPT]...",
        "cogtools-call" => "cogtools-call [OPTIONS] <TOOL>",
        "cogtools-completions" => "cogtools-completions [OPTIONS] <SHELL> [-- <WORDS>...]",
        "cogtools-config" => "cogtools-config [OPTIONS] [COMMAND]",
        "cogtools-code" => "cogtools-code [OPTIONS] [COMMAND]",
        "cogtools-docs" => "cogtools-docs [OPTIONS] [FILE]...",
        "cogtools-editor" => "cogtools-editor [OPTIONS] [COMMAND]",
        "cogtools-eval" => "cogtools-eval [OPTIONS] [NAME]...",
        "cogtools-expand" => "cogtools-expand [OPTIONS] <TOOL>",
        "cogtools-flow" => "cogtools-flow [OPTIONS] [COMMAND]",
        "cogtools-import" => "cogtools-import [OPTIONS] [COMMAND]",
        "cogtools-lint" => "cogtools-lint [OPTIONS] [PATH]...",
        "cogtools-mcp-client" => "cogtools-mcp-client [OPTIONS] <COMMAND>",
        "cogtools-new" => "cogtools-new [OPTIONS] [NAME]",
        "cogtools-plan" => "cogtools-plan [OPTIONS] [QUESTION]...",
        "cogtools-remove" => "cogtools-remove [OPTIONS] <PACKAGE>",
        "cogtools-run" => "cogtools-run [OPTIONS] <TOOL> [KEY=VALUE]...",
        "cogtools-schema" => "cogtools-schema [OPTIONS] [DOCUMENT]",
        "cogtools-session" => "cogtools-session [OPTIONS] [COMMAND]",
        "cogtools-search" => "cogtools-search [OPTIONS] <TERM>...",
        "cogtools-package" => "cogtools-package [OPTIONS] <DIR>",
        "cogtools-skill" => "cogtools-skill [OPTIONS] [NAME]...",
        "cogtools-test" => "cogtools-test [OPTIONS] [TOOL]...",
        "cogtools-trust" => "cogtools-trust [OPTIONS] [SOURCE]...",
        "cogtools-yaml" => "cogtools-yaml [OPTIONS] <FILE>",
        _ => &format!("{name} [OPTIONS]"),
    };
    format!("hint: usage: {line}\n")
}

#[test]
fn manual_pages_have_the_options_of_the_help() {
    let project = Project::new();
    let mut missing = Vec::new();
    for name in names().chain(["cogtools-confine"]) {
        let page = crate::repository().join(format!("man/{name}.1"));
        let page = std::fs::read_to_string(page)
            .expect("a page")
            .replace('\\', "");
        let help = run(name, &project).arg("--help").run().text();
        let lines = help
            .lines()
            .filter(|line| line.trim_start().starts_with('-'));
        let options = lines.filter_map(|line| {
            let word = line
                .split_whitespace()
                .find(|word| word.starts_with("--"))?;
            word.split(['=', '[', ',']).next()
        });
        let options = options.filter(|option| !page.contains(option));
        missing.extend(options.map(|option| format!("{name} {option}")));
    }
    assert_eq!(missing, Vec::<String>::new());
}

/// A hyphen that is not escaped is printed as another character, which cannot be pasted into a
/// shell; and without `.nh`, a literal may be divided by one.
#[test]
fn manual_pages_have_no_hyphens_in_literals() {
    let pages = std::fs::read_dir(crate::repository().join("man")).expect("a folder");
    let mut complaints = Vec::new();
    for page in pages.map(|page| page.expect("a page").path()) {
        let text = std::fs::read_to_string(&page).expect("it is text");
        let page = page.display();
        if !text.lines().any(|line| line == ".nh") {
            complaints.push(format!("{page} divides words"));
        }
        let is_text = |line: &&str| !line.starts_with(r#".\""#) && !line.starts_with(".TH ");
        for line in text.lines().filter(is_text) {
            if line.replace(r"\-", "").contains('-') {
                complaints.push(format!("{page}: {line}"));
            }
        }
    }
    assert_eq!(complaints, Vec::<String>::new());
}
