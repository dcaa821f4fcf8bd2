//! Compares the installed manual pages with the programs.
//!
//! A page is outdated if it has another version, omits an option that `--help`
//! lists, or documents one that no longer exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::file::ReadScope;
use cogtools_core::text::Text;

use crate::context::Context;
use crate::finding::Finding;
use crate::host::Host;
use crate::process;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The manual is installed together with the programs.
const INSTALL: &str =
    "install cogtools with its manual: cargo xtask install in a clone of the source";
/// The prefix of each program's name.
const PREFIX: &str = "cogtools";

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let programs = programs(cx);
    if programs.is_empty() {
        return vec![Finding::ok(
            "skipped: the programs are not in the folder of this one",
        )];
    }
    let folders = folders(cx);
    let mut findings = Vec::new();
    let mut missing = Vec::new();
    for (name, program) in &programs {
        let file = format!("{name}.1");
        let page = folders
            .iter()
            .map(|folder| folder.join(&file))
            .find(|page| page.is_file());
        match page {
            None => missing.push(name.as_str()),
            Some(page) => findings.extend(outdated_page(program, &page, cx)),
        }
    }
    let count = programs.len();
    if missing.len() == count {
        findings.push(Finding::warning("no manual pages are installed").hint(INSTALL));
    } else if !missing.is_empty() {
        let message = format!("no manual page is installed for {}", missing.join(", "));
        findings.push(Finding::warning(message).hint(INSTALL));
    }
    if findings.is_empty() {
        let message = format!("manual pages of version {VERSION} are installed: {count}");
        findings.push(Finding::ok(message));
    }
    findings
}

/// The programs of this version in the doctor's own folder, by name.
fn programs(cx: &Context) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(&cx.host.programs)
        .into_iter()
        .flatten()
        .flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .map(|name| name.trim_end_matches(".exe").to_owned())
        .filter(|name| {
            let rest = name.strip_prefix(PREFIX);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
        .collect();
    names.sort_unstable();
    names
        .into_iter()
        .filter_map(|name| {
            let file = which::which_in_global(&name, Some(&cx.host.programs))
                .ok()?
                .next()?;
            let ours = run_with(&file, &["--version"], &cx.host)? == format!("{name} {VERSION}\n");
            ours.then_some((name, file))
        })
        .collect()
}

/// The `man1` folders: the one that belongs to the doctor's own folder, then those
/// of `MANPATH`.
fn folders(cx: &Context) -> Vec<PathBuf> {
    let own = cx
        .host
        .programs
        .parent()
        .map(|prefix| prefix.join("share").join("man"));
    let path = cx.host.vars.get(std::ffi::OsStr::new("MANPATH"));
    let inherited = path.map(|path| std::env::split_paths(path).collect::<Vec<_>>());
    own.into_iter()
        .chain(inherited.unwrap_or_default())
        .filter(|folder| !folder.as_os_str().is_empty())
        .map(|folder| folder.join("man1"))
        .collect()
}

/// A warning if `page` does not match `program`.
fn outdated_page(program: &Path, page: &Path, cx: &Context) -> Option<Finding> {
    let shown = cx.gemini.paths.display_path(page);
    let outdated = |why: String| Some(Finding::warning(format!("{shown} {why}")).hint(INSTALL));
    let Ok(text) = Text::read(page, page, &ReadScope::User) else {
        return outdated("cannot be read".into());
    };
    let text = text.as_str();
    let title = text.lines().find(|line| line.starts_with(".TH "));
    if !title.is_some_and(|title| title.contains(&format!("cogtools {VERSION}\""))) {
        return outdated(format!("is not for version {VERSION}"));
    }
    let help = run_with(program, &["--help"], &cx.host)?;
    let known = options(&help);
    let text = text.replace("\\-", "-");
    let named = options(&text);
    if let Some(option) = known.difference(&named).next() {
        return outdated(format!("omits {option}"));
    }
    // Text may mention options of other programs, and the head of a subcommand its own
    // options; the head of an option does not.
    let heads: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("\\fB-"))
        .collect();
    let described = options(&heads.join("\n"));
    let mut others: BTreeSet<String> = described.difference(&known).cloned().collect();
    if !others.is_empty() {
        // Options of a subcommand are listed by its own help.
        for name in subcommands(&help) {
            for option in options(&run_with(program, &[name, "--help"], &cx.host)?) {
                others.remove(&option);
            }
        }
    }
    let removed = others.first()?;
    outdated(format!(
        "documents {removed}, which the program does not have"
    ))
}

/// The long options in a text.
fn options(text: &str) -> BTreeSet<String> {
    let option = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let parts = text.split("--").skip(1);
    parts
        .map(|part| part.split(|c| !option(c)).next().unwrap_or_default())
        .filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
        .map(|name| format!("--{}", name.trim_end_matches('-')))
        .collect()
}

/// The names of the subcommands that the text of `--help` lists.
fn subcommands(help: &str) -> impl Iterator<Item = &str> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.trim().is_empty());
    lines.filter_map(|line| {
        let line = line.strip_prefix("  ")?;
        line.split(' ').next().filter(|name| !name.is_empty())
    })
}

/// The output of `program` with `args`, if it succeeds.
fn run_with(program: &Path, args: &[&str], host: &Host) -> Option<String> {
    let output = process::run(program, args, b"", host).ok()?;
    String::from_utf8(output.stdout)
        .ok()
        .filter(|_| output.exit.is_success())
}
