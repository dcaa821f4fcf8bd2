//! The first line of a script, which names the program that runs it.

use std::io::Read as _;
use std::path::Path;

use crate::file::{self, ReadScope};

/// The first line of a script, split as the kernel does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The interpreter.
    pub program: String,
    /// The rest, which is one argument.
    pub rest: String,
}

/// The longest line that is read; kernels read less.
const MAX_BYTES: u64 = 4 << 10;

impl Line {
    /// The interpreter and what may be its arguments: `env -S` splits the rest.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![self.program.clone()];
        if !self.rest.is_empty() {
            words.push(self.rest.clone());
        }
        let split = shlex::split(&self.rest).unwrap_or_default();
        if split.len() > 1 {
            words.extend(split);
        }
        words
    }
}

/// The first line of the file at `path`, if that is a script.
pub fn read(path: &Path) -> Option<Line> {
    let (file, _) = file::open(path, &ReadScope::User).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let line = &bytes[..end.unwrap_or(bytes.len())];
    let text = String::from_utf8_lossy(line.strip_prefix(b"#!")?);
    Some(first_line(&text))
}

/// The interpreter and the rest of a line without its `#!`.
pub fn first_line(line: &str) -> Line {
    let command = line.trim_matches([' ', '\t', '\r']);
    let (program, rest) = command.split_once([' ', '\t']).unwrap_or((command, ""));
    Line {
        program: program.to_owned(),
        rest: rest.trim_matches([' ', '\t']).to_owned(),
    }
}
