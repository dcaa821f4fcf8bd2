//! `cogtools session verify`: everything that is wrong with a session.

use std::collections::HashSet;
use std::path::Path;

use cogtools_core::{Code, Diagnostic, fail_on};
use cogtools_log::{BlobId, Blobs, Entry, Line, Reader, SessionError, SessionFile};
use cogtools_program::terminal::pluralize;
use cogtools_program::{Failure, Io};

use crate::locate::SessionArg;

/// Checks each line, and each blob.
pub(crate) fn verify(session: &SessionArg, io: &mut Io<'_>) -> Result<(), Failure> {
    let file = session.file(io)?;
    let path = file.display_path().to_path_buf();
    let checked = Check::run(&file).map_err(Box::<Diagnostic>::from)?;
    fail_on(Diagnostic::truncate(checked.findings))?;
    let mut facts = vec![
        match checked.entries {
            1 => "1 entry".to_owned(),
            count => format!("{count} entries"),
        },
        pluralize(checked.blobs.len(), "blob"),
    ];
    if checked.torn > 0 {
        facts.push(format!("{} cut off", pluralize(checked.torn, "line")));
    }
    io.show(&format!("ok {}: {}\n", path.display(), facts.join(", ")))
}

#[derive(Default)]
struct Check {
    findings: Vec<Diagnostic>,
    entries: usize,
    /// The number of lines that were cut off.
    torn: usize,
    blobs: HashSet<BlobId>,
}

impl Check {
    fn run(file: &SessionFile) -> Result<Self, SessionError> {
        let mut check = Self::default();
        let (blobs, path) = (file.blobs(), file.display_path());
        let (declared, torn) = Reader::open(file)?.each_line(|line| {
            check.line(line, &blobs, path);
            Ok(())
        })?;
        check.torn = declared + torn;
        Ok(check)
    }

    fn line(&mut self, line: Line, blobs: &Blobs, path: &Path) {
        match line.entry {
            Ok(entry) => self.entry(&entry, line.number, blobs, path),
            Err(error) => self.find(path, line.number, &error.to_string()),
        }
    }

    fn entry(&mut self, entry: &Entry, number: usize, blobs: &Blobs, path: &Path) {
        self.entries += 1;
        for blob in entry.event.blobs() {
            if self.blobs.insert(blob.clone())
                && let Err(error) = blobs.read(blob)
            {
                let message = format!("the blob `{blob}` cannot be read: {error}");
                self.find(path, number, &message);
            }
        }
    }

    fn find(&mut self, path: &Path, line: usize, message: &str) {
        let message = format!("`{}`, line {line}: {message}", path.display());
        self.findings
            .push(Diagnostic::new(Code::SessionDamaged, message));
    }
}
