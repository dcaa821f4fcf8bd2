//! The npm packages of the programs under test, packed once for all tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use cogtools_test_support::install::platform;
use cogtools_test_support::{Outcome, Project, Run};

use super::{binaries, directory_of, place, xtask};
use crate::CONFINE;

/// The programs that the tests start; the others are placeholders, because
/// packing them takes longer than everything else.
const REAL: [&str; 4] = ["cogtools", "cogtools-call", CONFINE, "cogtools-discover"];

/// A package by others with its own programs.
const FOREIGN: &str = r#"{
  "name": "greetings",
  "version": "1.0.0",
  "bin": { "cogtools-hello": "hello.js", "cogtools-list": "list.js" }
}
"#;

/// The packages, as files that npm installs.
pub(super) struct Packages {
    pub(super) launchers: PathBuf,
    pub(super) platform: PathBuf,
    pub(super) foreign: PathBuf,
}

/// A run of npm or npx in `project`, without a network.
pub(super) fn npm(program: &str, project: &Project) -> Run {
    let node = directory_of("node");
    Run::new(directory_of(program).join(program))
        .project(project)
        .path(node)
        .env("npm_config_offline", "true")
        .env("npm_config_audit", "false")
        .env("npm_config_fund", "false")
        .env("npm_config_update_notifier", "false")
        .limit(Duration::from_mins(2))
}

/// Writes the packages into a folder of that name.
pub(super) fn write(name: &str) -> PathBuf {
    static BINARIES: OnceLock<PathBuf> = OnceLock::new();
    let programs = BINARIES.get_or_init(|| binaries("programs", &REAL));
    let out = place().join(name);
    let words = ["npm", "--repository", "https://example.org/cogtools"].map(PathBuf::from);
    let binaries = ["--binaries".into(), programs.clone()];
    let target = ["--out".into(), out.clone()];
    let args = words.into_iter().chain(binaries).chain(target);
    let lines =
        [platform(), "cogtools".to_owned()].map(|name| format!("{}\n", out.join(name).display()));
    xtask(args).outputs(lines.concat());
    out
}

/// Packs a folder, and returns the file.
#[track_caller]
pub(super) fn pack(folder: &Path, to: &Path) -> PathBuf {
    fs::create_dir_all(to).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
    let packed = npm("npm", &Project::new())
        .cwd(folder)
        .args(["pack", "--silent", "--pack-destination"])
        .arg(to)
        .run();
    to.join(packed.text().trim_end())
}

impl Packages {
    /// The packages, packed on first use.
    pub(super) fn get() -> &'static Self {
        static PACKAGES: OnceLock<Packages> = OnceLock::new();
        PACKAGES.get_or_init(|| {
            let (folders, to) = (write("npm"), place().join("packed"));
            let foreign = Project::new();
            foreign
                .file("package.json", FOREIGN)
                .program(
                    "hello.js",
                    "#!/usr/bin/env node\nconsole.log('hello', ...process.argv.slice(2));\n",
                )
                .program("list.js", "#!/usr/bin/env node\nconsole.log('not ours');\n");
            Self {
                launchers: pack(&folders.join("cogtools"), &to),
                platform: pack(&folders.join(platform()), &to),
                foreign: pack(&foreign.root(), &to),
            }
        })
    }

    /// A project that has installed all three, with these flags of npm.
    #[track_caller]
    pub(super) fn installed(&self, flags: &[&str]) -> Project {
        let project = Project::new();
        project
            .file("package.json", "{ \"private\": true }\n")
            .file("tools/hello.yaml", super::npm::TOOL);
        let outcome: Outcome = npm("npm", &project)
            .args(["install", "--silent"])
            .args(flags)
            .args([&self.launchers, &self.platform, &self.foreign])
            .run();
        outcome.status(0).stderr_is("");
        project
    }
}
