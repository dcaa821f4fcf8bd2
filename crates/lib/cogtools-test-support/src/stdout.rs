//! The destination of a program's standard output.

use std::fs::OpenOptions;
use std::process::Stdio;

/// The destination of a program's standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stdout {
    /// It is captured for the outcome.
    #[default]
    Kept,
    /// It goes to a full disk.
    Full,
    /// It goes to a closed pipe, as after `head` has exited.
    Gone,
}

impl Stdout {
    pub(crate) fn stdio(self) -> Stdio {
        match self {
            Self::Kept => Stdio::piped(),
            Self::Full => OpenOptions::new()
                .write(true)
                .open("/dev/full")
                .expect("this system has no /dev/full")
                .into(),
            Self::Gone => {
                let (reader, writer) = std::io::pipe().expect("no pipe");
                drop(reader);
                writer.into()
            }
        }
    }
}
