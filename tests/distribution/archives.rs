//! The archives that `cargo xtask archive` makes, and a run of `install.sh` on them.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use cogtools_test_support::{Project, Run};

use super::{binaries, directory_of, place, xtask};
use crate::{OWN, repository};

/// The version of all packages.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The directory with the archive for this machine, and the archive's name.
pub(crate) fn archives() -> &'static (PathBuf, String) {
    static ARCHIVES: OnceLock<(PathBuf, String)> = OnceLock::new();
    ARCHIVES.get_or_init(|| {
        let (programs, dir) = (binaries("words", &[]), place().join("archives"));
        let _ = fs::remove_dir_all(&dir);
        let completions = place().join("completions");
        xtask_manual::run(&["completions".to_owned(), completions.display().to_string()])
            .expect("the completions can be written");
        let mut written = Vec::new();
        // The same input gives the same archive.
        for _ in 0..2 {
            let args = [
                "archive".as_ref(),
                "--binaries".as_ref(),
                programs.as_os_str(),
                "--completions".as_ref(),
                completions.as_os_str(),
                "--out".as_ref(),
                dir.as_os_str(),
            ];
            let path = PathBuf::from(xtask(args).text().trim_end());
            let name = path.file_name().expect("it has a name").to_owned();
            let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{error}"));
            written.push((name.into_string().expect("names are plain"), bytes));
        }
        assert!(written[0] == written[1], "two archives differ");
        (dir, written.remove(0).0)
    })
}

/// The archive's name without its extension, and the target in it.
pub(crate) fn target() -> &'static str {
    let (_, name) = archives();
    let stem = name.strip_suffix(".tar.gz").unwrap_or(name);
    let target = stem.strip_prefix(&format!("cogtools-{VERSION}-"));
    target.unwrap_or_else(|| panic!("{name}"))
}

/// A run of install.sh in `project`, whose output has `[FROM]` for the address.
pub(crate) fn install(project: &Project, from: &str) -> Run {
    Run::new("/bin/sh")
        .project(project)
        .arg(repository().join("install.sh"))
        .args(["--from", from])
        .redact(from, "[FROM]")
        .limit(Duration::from_secs(30))
}

/// Its last lines, with a PATH that does not have the programs, and with a checksum from the
/// same place as the archive.
pub(crate) fn closing_report(prefix: &str) -> String {
    let report = verified_report(prefix);
    let (first, rest) = report.split_once('\n').unwrap_or_default();
    format!(
        "{first}\n\
         its origin is not verified: the checksum comes from the same location; see --checksum\n\
         {rest}"
    )
}

/// The same, with a checksum from another place.
pub(crate) fn verified_report(prefix: &str) -> String {
    format!(
        "cogtools {VERSION} is installed in {prefix}/bin\n\
         add it to PATH, in ~/.profile or your shell's startup file:\n    \
         export PATH=\"{prefix}/bin:$PATH\"\n\
         next: run cogtools init in one of your projects; see cogtools help for more\n"
    )
}

/// The archive for Windows, in `out` of `project`, of the programs in its `bin`.
fn for_windows(project: &Project) -> cogtools_test_support::Outcome {
    archives();
    let completions = place().join("completions");
    xtask([
        "archive".as_ref(),
        "--target=x86_64-pc-windows-msvc".as_ref(),
        "--binaries".as_ref(),
        project.path("bin").as_os_str(),
        "--completions".as_ref(),
        completions.as_os_str(),
        "--out".as_ref(),
        project.path("out").as_os_str(),
    ])
}

/// Links require a privilege there: programs that are links elsewhere are stubs.
#[test]
fn an_archive_for_windows_has_only_files() {
    let project = Project::new();
    let programs = cogtools::PROGRAMS.iter();
    let names: Vec<String> = programs
        .map(|program| format!("{}.exe", program.name))
        .collect();
    for name in &names {
        project.file(format!("bin/{name}"), name);
    }
    let archive = for_windows(&project).text();
    Run::new(directory_of("tar").join("tar"))
        .path(directory_of("gzip"))
        .args(["-xzf", archive.trim_end(), "-C"])
        .arg(project.root())
        .run()
        .outputs("");
    let folder = project.path(format!("cogtools-{VERSION}-x86_64-pc-windows-msvc"));
    for name in &names {
        let file = folder.join("bin").join(name);
        assert!(!file.is_symlink(), "{name}");
        assert_eq!(fs::read_to_string(file).ok().as_ref(), Some(name));
    }
}

/// An archive above the size limit of an installation is not made.
#[test]
fn an_archive_that_is_too_large_is_not_made() {
    let project = Project::new();
    for name in cogtools::PROGRAMS.iter().map(|program| program.name) {
        let size = if OWN.contains(&name) { 13_500_000 } else { 1 };
        project.file(format!("bin/{name}.exe"), vec![0; size]);
    }
    let outcome = for_windows(&project);
    let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
    let wrong = stderr.strip_prefix("xtask: error: the installation takes 6");
    let end = " MB, but the limit is 62.0 MB\n";
    assert!(wrong.is_some_and(|wrong| wrong.ends_with(end)), "{outcome}");
    outcome.fails(1, stderr);
    assert_eq!(fs::read_dir(project.path("out")).unwrap().count(), 0);
}
