//! `--watch`, until the reader of its output goes away.

use cogtools_test_support::{Expected, assert_text};
use std::ffi::OsString;
use std::io::{Error, ErrorKind, Result, Write};
use std::path::PathBuf;

use cogtools_program::{Format, Input, Io, IoContext, Reporter, SignalWatch, Terminals, Vars};
use cogtools_test::PROGRAM;

use crate::{PASSED, project};

/// A reader that goes away when the program starts to wait.
#[derive(Default)]
struct Reader(Vec<u8>);

impl Write for Reader {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        if bytes.ends_with(b"Ctrl-C to stop\n\n") {
            return Err(Error::from(ErrorKind::BrokenPipe));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

#[track_caller]
fn check(terminal: bool, expected: impl Into<Expected>) {
    let (mut stdout, mut stderr) = (Reader::default(), Vec::new());
    let project = project();
    let mut io = Io {
        stdin: Input::empty(),
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminals: Terminals {
            stdout: terminal,
            stderr: false,
        },
        vars: Vars::from([("NO_COLOR".into(), "1".into())]),
        cwd: project.root(),
        program: PathBuf::new(),
        next: None,
        reporter: Reporter::new(PROGRAM.name, Format::Human, false),
        signals: SignalWatch::default(),
        context: IoContext::default(),
    };
    let status = PROGRAM.launch(&[OsString::from("--watch")], &mut io);
    assert_eq!(status, 141);
    assert_text(&stdout.0, expected);
    assert_eq!(String::from_utf8_lossy(&stderr), "");
}

#[test]
fn a_terminal_is_cleared() {
    check(true, format!("\u{1b}[2J\u{1b}[3J\u{1b}[H{PASSED}"));
}

#[test]
fn other_output_is_not_cleared() {
    check(false, PASSED);
}
