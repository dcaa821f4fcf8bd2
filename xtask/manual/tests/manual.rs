//! The manual as it is committed and as shells and `mandoc` take it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask_manual::{completions, pages};

const REGENERATE: &str = "`cargo xtask man` regenerates it";

fn man() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../man")
}

/// Runs `program`, which these tests need, and returns what it printed.
#[track_caller]
fn run(command: &mut Command) -> String {
    let name = command.get_program().display().to_string();
    let output = command.output().unwrap_or_else(|error| {
        panic!("cannot start {name}, which `cargo xtask ci --needs` installs: {error}")
    });
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{name}: {}\n{text}", output.status);
    text
}

#[test]
fn the_committed_pages_are_those_the_code_makes() {
    let pages = pages().unwrap();
    for page in &pages {
        let file = man().join(&page.file);
        let found = fs::read_to_string(&file)
            .unwrap_or_default()
            .replace("\r\n", "\n");
        assert_eq!(found, page.text, "man/{} is stale: {REGENERATE}", page.file);
    }
    let mut found: Vec<String> = fs::read_dir(man())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let mut made: Vec<String> = pages.into_iter().map(|page| page.file).collect();
    found.sort();
    made.sort();
    assert_eq!(found, made, "man/ has other pages than the code makes");
}

#[test]
fn every_program_and_topic_has_a_page() {
    let made: Vec<String> = pages().unwrap().into_iter().map(|page| page.file).collect();
    let programs = cogtools::PROGRAMS
        .iter()
        .map(|program| format!("{}.1", program.name));
    let topics = cogtools::manual::TOPICS.iter();
    let topics = topics.map(|topic| format!("{}.{}", topic.page, topic.section));
    let wanted: Vec<String> = programs.chain(topics).collect();
    let (found, others): (Vec<_>, Vec<_>) = made.into_iter().partition(|it| wanted.contains(it));
    assert_eq!(found, wanted);
    // The others are of commands of programs.
    for page in others {
        let mut programs = cogtools::PROGRAMS.iter();
        let is_command = programs.any(|it| page.starts_with(&format!("{}-", it.name)));
        assert!(is_command, "{page}");
    }
}

#[test]
fn every_page_is_clean_under_mandoc() {
    for page in pages().unwrap() {
        let file = man().join(&page.file);
        let found = run(Command::new("mandoc").args(["-T", "lint"]).arg(&file));
        assert_eq!(found, "", "man/{}", page.file);
    }
}

#[test]
fn a_page_reads_as_a_manual_does() {
    let file = man().join("cogtools-call.1");
    let text = run(Command::new("mandoc").args(["-T", "ascii"]).arg(&file));
    // Bold and underlined letters are struck over.
    let mut plain = String::new();
    for c in text.chars() {
        if c == '\u{8}' {
            plain.pop();
        } else {
            plain.push(c);
        }
    }
    let titles: Vec<&str> = plain
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()))
        .filter(|line| !line.contains('('))
        .collect();
    assert_eq!(
        titles,
        [
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "OPTIONS",
            "FILTER OPTIONS",
            "ARGUMENTS",
            "EXIT STATUS",
            "ENVIRONMENT",
            "FILES",
            "EXAMPLES",
            "SEE ALSO",
        ],
    );
}

/// Writes the completions below a directory of their own.
fn written() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("no scratch directory");
    xtask_manual::run(&["completions".to_owned(), dir.path().display().to_string()])
        .expect("the completions cannot be written");
    dir
}

#[test]
fn every_shell_takes_the_completions() {
    let dir = written();
    for completion in completions() {
        let shell = match completion.path.split('/').next() {
            Some("zsh") => "zsh",
            Some("fish") => "fish",
            _ => "bash",
        };
        let file = dir.path().join(&completion.path);
        let found = run(Command::new(shell).arg("-n").arg(file));
        assert_eq!(found, "", "{}", completion.path);
    }
}

#[test]
fn a_synopsis_names_each_option_once() {
    for page in pages().unwrap() {
        let Some((_, rest)) = page.text.split_once(".SH SYNOPSIS\n") else {
            continue;
        };
        let synopsis = rest.split("\n.SH").next().unwrap_or_default();
        let words = synopsis.split(|c: char| !(c.is_alphanumeric() || "\\-".contains(c)));
        let mut options: Vec<&str> = words.filter(|it| it.starts_with("\\-\\-")).collect();
        options.sort_unstable();
        let twice = options.windows(2).find(|pair| pair[0] == pair[1]);
        assert_eq!(twice, None, "{}", page.file);
    }
}
