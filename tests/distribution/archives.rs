//! The archives that `cargo xtask archive` makes, and a run of `install.sh` on them.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use cogtools_test_support::{Project, Run};

use super::{binaries, place, xtask};
use crate::repository;

/// The version of everything.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The directory with the archive for this machine, and the archive's name.
pub(super) fn archives() -> &'static (PathBuf, String) {
    static ARCHIVES: OnceLock<(PathBuf, String)> = OnceLock::new();
    ARCHIVES.get_or_init(|| {
        let (programs, dir) = (binaries("words", &[]), place().join("archives"));
        let _ = fs::remove_dir_all(&dir);
        let completions = place().join("completions");
        xtask_manual::run(&["completions".to_owned(), completions.display().to_string()])
            .expect("the completions can be written");
        let mut written = Vec::new();
        // The same goes in twice, and the same comes out.
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

/// The archive's name without its ending, and the target in it.
pub(super) fn target() -> &'static str {
    let (_, name) = archives();
    let stem = name.strip_suffix(".tar.gz").unwrap_or(name);
    let target = stem.strip_prefix(&format!("cogtools-{VERSION}-"));
    target.unwrap_or_else(|| panic!("{name}"))
}

/// A run of install.sh in `project`, where an address reads `[FROM]`.
pub(super) fn install(project: &Project, from: &str) -> Run {
    Run::new("/bin/sh")
        .project(project)
        .arg(repository().join("install.sh"))
        .args(["--from", from])
        .redact(from, "[FROM]")
        .limit(Duration::from_secs(30))
}

/// What it says in the end, with a PATH that does not have the programs.
pub(super) fn told(prefix: &str) -> String {
    format!(
        "cogtools {VERSION} is installed in {prefix}/bin\n\
         add it to PATH, in ~/.profile or your shell's own file:\n    \
         export PATH=\"{prefix}/bin:$PATH\"\n\
         next: cogtools init in a project of yours; cogtools help tells the rest\n"
    )
}
