//! `cogtools help`: manual pages, and lists of programs.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};

use cogtools_core::{Code, Diagnostic};
use cogtools_program::terminal::{pad, sanitize};
use cogtools_program::{Failure, Io, Next, Program};

use crate::dispatch::{PROGRAM, exec};
use crate::locate::ProgramPath;
use crate::manual::TOPICS;
use crate::{PREFIX, built_in, built_ins};

/// The built-in programs, for the end of `--help`.
pub(crate) fn overview() -> String {
    let mut text = "Programs:\n".to_owned();
    for (name, program) in built_ins() {
        let _ = writeln!(text, "  {name:<10} {}", about(program));
    }
    let _ = writeln!(
        text,
        "  {:<10} Show the manual of a program, or of tool, cogtoolrc, errors",
        "help"
    );
    text.push_str("\n`cogtools help --all` lists every program found.");
    text
}

/// `cogtools help [--all | NAME]`.
pub(crate) fn run(
    args: &[&OsStr],
    program_path: &ProgramPath,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let names: Vec<String> = args.iter().map(|arg| arg.display().to_string()).collect();
    match names
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [] => {
            let text = PROGRAM.command().render_long_help().to_string();
            io.print(text.as_bytes())
        }
        ["--all" | "-a"] => list_all(program_path, io),
        [name] if !name.starts_with('-') => show_manual(name, program_path, io),
        _ => {
            let diagnostic = Diagnostic::new(Code::Usage, "help takes one name, or --all");
            Err(diagnostic
                .hint("usage: cogtools help [--all | PROGRAM]")
                .into())
        }
    }
}

fn about(program: &Program) -> String {
    program
        .command()
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn list_all(program_path: &ProgramPath, io: &mut Io<'_>) -> Result<(), Failure> {
    let mut text = String::new();
    for (name, path) in program_path.all() {
        let about = built_in(&name).map_or_else(String::new, about_column);
        let (name, path) = (sanitize(&name), path.display().to_string());
        let _ = writeln!(text, "{} {}{about}", pad(&name, 12), sanitize(&path));
    }
    io.print(text.as_bytes())
}

fn about_column(program: &Program) -> String {
    format!("  {}", about(program))
}

/// Whether `name` means the page of `cogtools`, which also describes `help` and `version`.
fn is_own(name: &str) -> bool {
    [PROGRAM.name, "help", "version"].contains(&name)
}

/// Continues as `man` for the page of `name`, or else prints the program's `--help`.
fn show_manual(name: &str, program_path: &ProgramPath, io: &Io<'_>) -> Result<(), Failure> {
    let topic = TOPICS
        .iter()
        .find(|topic| topic.name == name || topic.page == name);
    let (page, section) = match topic {
        Some(topic) => (topic.page.to_owned(), topic.section),
        None if is_own(name) => (PROGRAM.name.to_owned(), 1),
        None => (format!("{PREFIX}{name}"), 1),
    };
    let man = io
        .var("PATH")
        .and_then(|path| which::which_in_global("man", Some(path)).ok()?.next());
    if let Some(man) = man
        && let Some(page) = locate_page(&man, &page, section, program_path, io)
    {
        let mut process = Process::new(man);
        process.args(page).current_dir(&io.cwd);
        return Err(Failure::Exec(process.into()));
    }
    match topic {
        Some(_) => {
            let message = format!("the manual page {page}({section}) is not installed");
            let diagnostic = Diagnostic::new(Code::IoFailed, message);
            Err(diagnostic
                .hint("`cargo xtask install` installs the manual pages")
                .into())
        }
        None if is_own(name) => {
            let help = Next::Program(&PROGRAM, vec!["--help".into()]);
            Err(Failure::Exec(help))
        }
        None => exec(name, &[OsStr::new("--help")], program_path, io),
    }
}

/// The arguments for `man` to show the page: its file in the installation of cogtools, or its
/// name if `man` finds it.
fn locate_page(
    man: &PathBuf,
    page: &str,
    section: u8,
    program_path: &ProgramPath,
    io: &Io<'_>,
) -> Option<Vec<String>> {
    let file = program_path
        .exec_dir()
        .parent()?
        .join("share")
        .join("man")
        .join(format!("man{section}"))
        .join(format!("{page}.{section}"));
    if file.is_file() {
        return Some(vec![file.to_str()?.to_owned()]);
    }
    let args = vec![section.to_string(), page.to_owned()];
    let mut probe = Process::new(man);
    probe.arg("-w").args(&args).env_clear().envs(&io.vars);
    let status = probe
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success()).then_some(args)
}
