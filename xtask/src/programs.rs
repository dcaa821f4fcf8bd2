//! The programs of the package: each has a manual page, and some have a binary of their own.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::command::root;
use crate::{files, install};

/// The program that contains all others.
pub(crate) const COGTOOLS: &str = "cogtools";

/// The binary of the programs that hosts start for every call.
const CALL: &str = "cogtools-call";

/// The other programs in it.
pub(crate) const HOSTS: [&str; 2] = ["cogtools-discover", "cogtools-yaml"];

/// The program that replaces links to `cogtools`.
const STUB: &str = "cogtools-stub";

/// The program that only the others start, and that is for Unix.
pub(crate) const CONFINE: &str = "cogtools-confine";

/// The names of all that users start, sorted.
pub(crate) fn names() -> Result<Vec<String>> {
    let mut names = own()?;
    names.retain(|name| name != CONFINE);
    names.extend(linked()?);
    names.sort_unstable();
    Ok(names)
}

/// The names of the standalone programs, sorted.
pub(crate) fn own() -> Result<Vec<String>> {
    stems(&root()?.join("crates/porcelain/cogtools/src/bin"), "rs")
}

/// The names of those that are links to one of these, or copies where links are not possible,
/// sorted.
pub(crate) fn linked() -> Result<Vec<String>> {
    let own = own()?;
    let man = root()?.join("man");
    let mut names = stems(&man, "1")?;
    names.retain(|name| !own.contains(name) && is_program(name, &man));
    Ok(names)
}

/// Returns true if the page `name` in `man` is a program's. The synopsis of a subcommand's page has
/// a blank in the name.
fn is_program(name: &str, man: &Path) -> bool {
    let page = std::fs::read_to_string(man.join(format!("{name}.1"))).unwrap_or_default();
    let synopsis = format!(".SH SYNOPSIS\n\\fB{}\\fR", name.replace('-', "\\-"));
    page.contains(&synopsis)
}

/// The binary that has the program `name`, which is a link to it.
pub(crate) fn binary(name: &str) -> &'static str {
    if HOSTS.contains(&name) {
        CALL
    } else {
        COGTOOLS
    }
}

/// Puts the programs that are links beside their binaries in `bin`: as copies on a system
/// without links, where stubs run `cogtools`.
pub(crate) fn link(bin: &Path, is_windows: bool) -> Result<()> {
    for name in linked()? {
        if !is_windows {
            install::link(None, binary(&name), &bin.join(name))?;
            continue;
        }
        let from = if HOSTS.contains(&name.as_str()) {
            CALL
        } else {
            STUB
        };
        let [from, to] = [from, &name].map(|name| bin.join(format!("{name}.exe")));
        std::fs::copy(&from, &to)
            .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    }
    Ok(())
}

/// The names without their extension of the files in `dir`, sorted.
fn stems(dir: &Path, extension: &str) -> Result<Vec<String>> {
    let files = files::below(dir)?.into_iter();
    let files = files.filter(|file| file.extension().is_some_and(|it| it == extension));
    let stems = files.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = stems.collect();
    names.sort_unstable();
    Ok(names)
}
