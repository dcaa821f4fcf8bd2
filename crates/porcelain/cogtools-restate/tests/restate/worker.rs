//! A worker of a test, which can be killed.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use cogtools_test_support::Project;

use crate::{Server, programs};

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_cogtools-restate");

/// A worker, which is killed with its test.
pub(crate) struct Worker {
    child: Child,
    /// Where it listens.
    pub(crate) address: String,
}

impl Worker {
    /// Starts a worker in `project` at a port of its own, and registers it.
    pub(crate) fn register(project: &Project, server: &Server) -> Self {
        Self::start(
            project,
            "127.0.0.1:0",
            &["--register", &server.admin],
            "first",
        )
    }

    /// Starts a worker at `address`, which others may share. Tools see its `name`.
    pub(crate) fn join(project: &Project, address: &str, name: &str) -> Self {
        Self::start(project, address, &[], name)
    }

    fn start(project: &Project, address: &str, args: &[&str], name: &str) -> Self {
        let mut command = Command::new(PROGRAM);
        command
            .args(["serve", "--listen", address])
            .args(args)
            .arg("--cogtools")
            .arg(programs().join("cogtools"))
            .current_dir(project.root())
            .env_clear()
            .env("HOME", project.home())
            .env("PATH", "/usr/bin:/bin")
            .env("WORKER", name)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("the worker starts");
        let stdout = child.stdout.take().expect("it is piped");
        let mut line = String::new();
        let _ = BufReader::new(stdout).read_line(&mut line);
        let address = line.trim_end().strip_prefix("listening on ");
        let address = address.unwrap_or_else(|| panic!("the worker does not listen: {line}"));
        Self {
            address: address.to_owned(),
            child,
        }
    }

    /// The process.
    pub(crate) fn id(&self) -> String {
        self.child.id().to_string()
    }

    /// Kills it with signal 9, and waits until it is gone.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it has ended");
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
