//! A temporary project, and runs of the program in it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Cursor;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use cogtools_init::PROGRAM;
use cogtools_program::{Format, Input, Io, IoContext, Reporter, SignalWatch, Terminals};
use tempfile::TempDir;

/// The result of a run: status, standard output, standard error.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CapturedRun {
    pub(crate) status: u8,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A directory that is removed after the test.
pub(crate) struct Project {
    folder: TempDir,
    home: TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            home: tempfile::tempdir().unwrap(),
        }
    }

    /// A project whose `.gemini/settings.json` contains `text`.
    pub(crate) fn with_settings(text: impl AsRef<[u8]>) -> Self {
        let project = Self::new();
        project.write(".gemini/settings.json", text);
        project
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        file.split('/')
            .fold(self.folder.path().to_path_buf(), |path, part| {
                path.join(part)
            })
    }

    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A file in the user's home directory.
    pub(crate) fn home_path(&self, file: &str) -> PathBuf {
        let parts = file.split('/');
        parts.fold(self.home.path().to_path_buf(), |path, part| path.join(part))
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    /// All files and folders, sorted; folders end with a slash.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![(self.folder.path().to_path_buf(), String::new())];
        while let Some((folder, prefix)) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
                if entry.file_type().unwrap().is_dir() {
                    found.push(format!("{name}/"));
                    folders.push((entry.path(), format!("{name}/")));
                } else {
                    found.push(name);
                }
            }
        }
        found.sort();
        found
    }

    /// A run that sets up the commands of Gemini CLI unless it names a host.
    pub(crate) fn run(&self, args: &[&str]) -> CapturedRun {
        self.run_with(&with_host(args), Input::empty())
    }

    /// Runs at a terminal where the user types `answer`.
    pub(crate) fn answer(&self, args: &[&str], answer: &'static str) -> CapturedRun {
        let terminals = Terminals {
            stdout: true,
            stderr: true,
        };
        let input = Input::new(Cursor::new(answer), true);
        self.run_at(terminals, &with_host(args), input)
    }

    /// Runs at a terminal, with the output in a pipe.
    pub(crate) fn piped(&self, args: &[&str]) -> CapturedRun {
        let input = Input::new(Cursor::new("n\n"), true);
        self.run_at(Terminals::default(), &with_host(args), input)
    }

    /// A run with these arguments only.
    pub(crate) fn run_bare(&self, args: &[&str]) -> CapturedRun {
        self.run_with(args, Input::empty())
    }

    /// Installs `version` of Gemini CLI in the project, as npm does.
    pub(crate) fn install_gemini(&self, version: &str) {
        let manifest = format!(
            "{{\"name\": \"@google/gemini-cli\", \"version\": \"{version}\", \"bin\": {{\"gemini\": \"g.js\"}}}}"
        );
        self.write("node_modules/@google/gemini-cli/package.json", manifest);
        self.write("node_modules/.bin/gemini", "#!/bin/sh\nexit 9\n");
        let program = self.path("node_modules/.bin/gemini");
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(program, executable).unwrap();
    }

    fn run_with(&self, args: &[&str], stdin: Input) -> CapturedRun {
        self.run_at(Terminals::default(), args, stdin)
    }

    fn run_at(&self, terminals: Terminals, args: &[&str], stdin: Input) -> CapturedRun {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let mut io = Io {
            program: PathBuf::from("/opt/bin/cogtools-init"),
            next: None,
            stdin,
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminals,
            vars: BTreeMap::from([
                ("HOME".into(), self.home.path().into()),
                // No cursor moves: the questions are lines.
                ("TERM".into(), "dumb".into()),
            ]),
            cwd: self.folder.path().to_path_buf(),
            reporter: Reporter::new(PROGRAM.name, Format::Human, false),
            signals: SignalWatch::default(),
            context: IoContext::default(),
        };
        let status = PROGRAM.launch(&args, &mut io);
        CapturedRun {
            status,
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
        }
    }
}

fn with_host<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let names_host = args.iter().any(|arg| arg.starts_with("--host"));
    let host = (!names_host).then_some("--host=gemini-commands");
    args.iter().copied().chain(host).collect()
}

/// A successful run that printed `stdout`.
pub(crate) fn success(stdout: impl Into<String>) -> CapturedRun {
    CapturedRun {
        status: 0,
        stdout: stdout.into(),
        stderr: String::new(),
    }
}
