//! Runs npm: without the scripts of packages, and without what a project could put in its way.
//!
//! npm takes much more than names: options, folders, addresses of git. Only names and archives on
//! this machine pass, so that a name from a search or a web page is no command.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cogtools_core::process::Output;
use cogtools_core::source::neutral_directory;
use cogtools_core::trust::Verdict;
use cogtools_core::{Cancel, Code, Diagnostic, Hint, Project, hint};
use cogtools_program::project::{project, trust};
use cogtools_program::{Failure, Io, SystemProgram};
use serde_json::Value;

/// Timeout of npm: registries are slow, packages large.
const TIMEOUT: Duration = Duration::from_mins(10);
/// The maximum number of bytes read of its output.
const MAX_OUTPUT_BYTES: usize = 16 << 20;
/// Options of every run: npm neither runs scripts of packages nor sends a list of them, and
/// prints nothing but data and errors.
const OPTIONS: [&str; 7] = [
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-progress",
    "--no-update-notifier",
    "--loglevel=error",
    "--location=project",
];

/// Variables of every run. A dependency in a git repository is cloned, and a second npm packs it, which
/// does what the clone's own .npmrc says, also which program is git: so there are none. An npm that
/// does not know this setting at least runs the git on PATH.
const VARIABLES: [(&str, &str); 2] = [("npm_config_allow_git", "none"), ("npm_config_git", "git")];

/// npm, as found on PATH.
pub(crate) struct Npm {
    program: SystemProgram,
    directory: PathBuf,
    prefix: Option<PathBuf>,
    cancel: Cancel,
    /// The locked folder of the project: packages are changed by one process at a time.
    _lock: Option<File>,
}

impl Npm {
    /// npm for the packages of `project`, whose settings and lists of packages control it: a
    /// failure unless the user trusts it.
    pub(crate) fn in_project(project: &Project, io: &Io<'_>) -> Result<Self, Failure> {
        let root = project.root();
        if !is_trusted(root, io)? {
            let hint = Hint::run(
                "only the user can trust it, after a review: ",
                hint::Command::TrustProject(None),
                "",
            );
            let message =
                "the project is not trusted: its .npmrc and package.json tell npm what to do";
            return Err(Diagnostic::new(Code::Denied, message).hint(hint).into());
        }
        // Not every system opens folders. Ctrl-C ends the wait, because nothing handles signals yet.
        let lock = File::open(root).ok();
        let lock = lock.filter(|folder| folder.lock().is_ok());
        let npm = Self::find(root.to_path_buf(), Some(root.to_path_buf()), io)?;
        Ok(Self { _lock: lock, ..npm })
    }

    /// npm for a search: with the settings of the project if it is trusted, otherwise with the
    /// user's settings only.
    pub(crate) fn for_search(io: &Io<'_>) -> Result<Self, Failure> {
        let project = project(io);
        if is_trusted(project.root(), io)? {
            return Self::find(project.root().to_path_buf(), None, io);
        }
        Self::find(neutral_directory(&io.vars), None, io)
    }

    fn find(directory: PathBuf, prefix: Option<PathBuf>, io: &Io<'_>) -> Result<Self, Failure> {
        let program = SystemProgram::find("npm", project(io).root(), io).ok_or_else(|| {
            Diagnostic::new(Code::IoFailed, "`npm` is not on PATH")
                .hint("install Node.js, which contains npm; programs of the project do not count")
        })?;
        Ok(Self {
            program,
            directory,
            prefix,
            cancel: io.signals.begin(),
            _lock: None,
        })
    }

    /// Runs `npm COMMAND -- NAMES` and returns its standard output.
    pub(crate) fn run(&self, command: &[&str], names: &[&str]) -> Result<Vec<u8>, Failure> {
        let (first, rest) = command.split_first().unwrap_or((&"", &[]));
        let mut args: Vec<OsString> = vec![first.into()];
        if let Some(prefix) = &self.prefix {
            args.extend(["--prefix".into(), prefix.into()]);
        }
        let options = OPTIONS.iter().chain(rest).chain(&["--"]).chain(names);
        args.extend(options.map(Into::into));
        let process = VARIABLES.iter().fold(
            self.program.process(&self.directory),
            |process, (name, value)| process.variable(name, |_| value.into()),
        );
        let process = process
            .args(args)
            .timeout(TIMEOUT)
            .stdout_limit(MAX_OUTPUT_BYTES);
        let output = process.run(&self.cancel).map_err(|error| {
            let message = format!(
                "`{}` cannot be started: {error}",
                self.program.file.display()
            );
            Diagnostic::new(Code::IoFailed, message).hint("check that npm works: npm --version")
        })?;
        if output.exit.is_success() {
            return Ok(output.stdout.bytes);
        }
        Err(failed(first, &output).into())
    }
}

/// The error for a run of npm that failed, with its output.
fn failed(command: &str, output: &Output) -> Diagnostic {
    let message = format!("npm {command} {}", output.exit.describe());
    let mut diagnostic = Diagnostic::new(Code::ToolFailed, message).with_subject("npm");
    String::from_utf8_lossy(&output.stderr.bytes)
        .trim_end()
        .clone_into(&mut diagnostic.details);
    diagnostic.hint("what npm has written says why")
}

fn is_trusted(root: &Path, io: &Io<'_>) -> Result<bool, Failure> {
    let verdict = trust(io).project_verdict(root);
    let verdict = verdict.map_err(|error| error.diagnostic())?;
    Ok(verdict == Verdict::Approved)
}

/// The maximum length of a name, as in npm.
const MAX_LEN: usize = 214;

/// A package, as named on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackageName {
    /// The name, with its scope.
    pub(crate) name: String,
    /// The version, range or tag.
    pub(crate) version: Option<String>,
}

/// The text is not the name of a package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the name of an npm package")]
pub(crate) struct NameError(String);

impl PackageName {
    /// Reads `NAME`, `@SCOPE/NAME`, and either with `@VERSION`.
    pub(crate) fn parse(text: &str) -> Result<Self, NameError> {
        let error = || NameError(text.to_owned());
        let start = usize::from(text.starts_with('@'));
        let version = text[start..].find('@').map(|at| at + start);
        let (name, version) = match version {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        let is_name = match name.strip_prefix('@') {
            Some(scoped) => scoped
                .split_once('/')
                .is_some_and(|(scope, name)| is_part(scope) && is_part(name)),
            None => is_part(name),
        };
        let is_file = is_file(name) && !name.starts_with('@') || version.is_some_and(is_file);
        if !is_name || is_file || name.len() > MAX_LEN || !version.is_none_or(is_version) {
            return Err(error());
        }
        Ok(Self {
            name: name.to_owned(),
            version: version.map(str::to_owned),
        })
    }

    /// The name in the archive `text`, and its path, if it is one: `./x.tgz`, `/x.tgz`.
    pub(crate) fn of_archive(
        text: &str,
        npm: &Npm,
        io: &Io<'_>,
    ) -> Result<Option<(Self, String)>, Failure> {
        if !is_archive(text) {
            return Ok(None);
        }
        let path = io.cwd.join(text);
        let unreadable = |error: &dyn std::fmt::Display| {
            Diagnostic::new(Code::IoFailed, format!("`{text}` cannot be read: {error}"))
                .hint("npm pack makes an archive of a package")
        };
        let path = path.canonicalize().map_err(|error| unreadable(&error))?;
        let path = path.to_string_lossy().into_owned();
        let packed = npm.run(&["pack", "--dry-run", "--json"], &[&path])?;
        let packed: Value = serde_json::from_slice(&packed).map_err(|error| unreadable(&error))?;
        let name = packed[0]["name"].as_str().unwrap_or_default();
        let name = Self::parse(name).map_err(|error| error.diagnostic())?;
        Ok(Some((name, path)))
    }

    /// As npm takes it.
    pub(crate) fn spec(&self) -> String {
        match &self.version {
            Some(version) => format!("{}@{version}", self.name),
            None => self.name.clone(),
        }
    }
}

impl NameError {
    pub(crate) fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::Usage, self.to_string());
        let is_local = |last: &&str| is_file(last) && last.chars().all(is_part_char);
        match self.0.rsplit('@').next().filter(is_local) {
            Some(file) => diagnostic.hint(format!("did you mean `./{file}`?")),
            None => diagnostic.hint(
                "write NAME or @SCOPE/NAME, with @VERSION if needed, or a path: ./NAME.tgz, or the folder of a plugin",
            ),
        }
    }
}

fn is_part_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~')
}

fn is_part(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_alphanumeric())
        && part.chars().all(is_part_char)
        && !part.eq_ignore_ascii_case("node_modules")
}

fn is_version(version: &str) -> bool {
    let is_valid =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '^' | '~' | '*');
    !version.is_empty() && !version.starts_with(['-', '.']) && version.chars().all(is_valid)
}

/// Returns true if npm takes `text`, a name or a version, for a file.
fn is_file(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let mut ends = [".tgz", ".tar", ".tar.gz"].iter();
    ends.any(|end| text.ends_with(end))
}

/// Returns true if `text` is the path of an archive.
pub(crate) fn is_archive(text: &str) -> bool {
    text.starts_with(['.', '/']) && is_file(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_registry() {
        for (text, name, version) in [
            ("checks", "checks", None),
            ("a.b-c_d~e", "a.b-c_d~e", None),
            ("@team/checks", "@team/checks", None),
            ("checks@1.0.0-beta+1", "checks", Some("1.0.0-beta+1")),
            ("@team/checks@^1", "@team/checks", Some("^1")),
            ("@team/x.tgz", "@team/x.tgz", None),
        ] {
            let found = PackageName::parse(text).expect(text);
            assert_eq!(
                (found.name.as_str(), found.version.as_deref()),
                (name, version)
            );
            assert_eq!(found.spec(), text);
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let long = "a".repeat(215);
        for text in [
            "",
            "-",
            "--global",
            "-g",
            "--prefix=/",
            ".",
            "..",
            "../x",
            "./x",
            "/x",
            "~/x",
            "a/b",
            "@team",
            "@/x",
            "@team/",
            "@team/../x",
            "@team/-x",
            "@-a/x",
            "a@",
            "a@--x",
            "a@../x",
            "a@npm:b",
            "a@file:b",
            "git+ssh://x",
            "http://x/y.tgz",
            "a b",
            "a\n",
            "a;b",
            "$a",
            "a@1 || 2",
            "\u{1b}[2J",
            "\u{430}bc",
            "node_modules",
            ".bin",
            "_a",
            "a\\b",
            "a:b",
            "x.tgz",
            "x.TAR",
            "x.tar.gz",
            "x.tgz@1",
            "a@x-1.0.0.tgz",
            "@team/a@x.tar.gz",
            long.as_str(),
        ] {
            assert_eq!(
                PackageName::parse(text),
                Err(NameError(text.to_owned())),
                "{text:?}"
            );
        }
    }
}
