//! Compares the versions of the installed manual pages and programs.

use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::file::ReadScope;
use cogtools_core::text::Text;

use crate::context::Context;
use crate::finding::Finding;
use crate::program::run;

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
    for name in &programs {
        let file = format!("{name}.1");
        let page = folders
            .iter()
            .map(|folder| folder.join(&file))
            .find(|page| page.is_file());
        match page {
            None => missing.push(name.as_str()),
            Some(page) => findings.extend(outdated_page(&page, cx)),
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

/// The names of the programs of this version in the doctor's own folder.
fn programs(cx: &Context) -> Vec<String> {
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
    names.retain(|name| {
        let file = which::which_in_global(name, Some(&cx.host.programs));
        let file = file.ok().and_then(|mut files| files.next());
        let output = file.and_then(|file| run(&file, ["--version"], b"", &cx.host).ok());
        let output = output.filter(|output| output.exit.is_success());
        let line = output.map(|output| output.stdout.bytes).unwrap_or_default();
        // `cogtools` also prints the commit of its build.
        let line = String::from_utf8_lossy(&line);
        let number = line.split(" (").next().unwrap_or_default().trim_end();
        number == format!("{name} {VERSION}")
    });
    names
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

/// A warning if `page` is not of this version.
fn outdated_page(page: &Path, cx: &Context) -> Option<Finding> {
    let shown = cx.gemini.paths.display_path(page);
    let why = match Text::read(page, page, &ReadScope::User) {
        Err(_) => "cannot be read".to_owned(),
        Ok(text) => {
            let title = text.as_str().lines().find(|line| line.starts_with(".TH "));
            if title.is_some_and(|title| title.contains(&format!("cogtools {VERSION}\""))) {
                return None;
            }
            format!("is not for version {VERSION}")
        }
    };
    Some(Finding::warning(format!("{shown} {why}")).hint(INSTALL))
}
