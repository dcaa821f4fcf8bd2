//! Peers over HTTP: programs that print where they listen.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use cogtools_test_support::Project;

/// A running peer, ended when it is dropped.
pub(crate) struct Site {
    child: Child,
    /// Where it listens, as it printed it.
    pub(crate) url: String,
}

impl Site {
    /// Starts a program in the project.
    pub(crate) fn start(
        project: &Project,
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Self {
        let mut child = Command::new(program)
            .args(args)
            .current_dir(project.root())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the peer starts");
        let mut url = String::new();
        let stdout = child.stdout.take().expect("stdout is a pipe");
        BufReader::new(stdout)
            .read_line(&mut url)
            .expect("it prints where it listens");
        let url = url.trim_end().to_owned();
        assert!(url.starts_with("http"), "the peer prints `{url}`");
        Self { child, url }
    }

    /// The strict server, with these arguments.
    pub(super) fn strict(project: &Project, args: &[&str]) -> Self {
        let script = peer("web.py").into_os_string();
        let args = args.iter().map(Into::into);
        Self::start(project, "python3", std::iter::once(script).chain(args))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The file of a peer.
pub(super) fn peer(name: &str) -> PathBuf {
    crate::repository().join("tests/mcp/peers").join(name)
}
