//! `--print`: the resulting files.

use cogtools_core::Code;
use cogtools_core::file::ReadScope;
use cogtools_core::text;
use cogtools_edit::{Existing, Step};
use cogtools_program::{Failure, Io};

use crate::setup_context::SetupContext;

/// A section of the man page.
pub(crate) const MANUAL: &str = "With --print, the files of the hosts are printed as they would be after the run, and nothing \
     is written. A single file is printed verbatim; several are each preceded by a line \
     ==> PATH <== with the full path. Unchanged files are printed too; .cogtoolrc.yaml and \
     tools/, which do not depend on the host, are not.";

/// Prints the files that result from `steps`.
pub(crate) fn files(cx: &SetupContext, steps: &[Step], io: &mut Io<'_>) -> Result<(), Failure> {
    let mut text = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let (file, content) = match step {
            Step::Write(change) => (&change.file, change.after.clone().into_bytes()),
            Step::Keep(file) => (file, read(cx, file)?),
        };
        if steps.len() > 1 {
            let lead = if index == 0 { "" } else { "\n" };
            let path = cx.full(file);
            text.extend(format!("{lead}==> {} <==\n", path.display()).bytes());
        }
        text.extend(content);
    }
    match str::from_utf8(&text) {
        Ok(text) => io.show(text),
        Err(_) => io.print(&text),
    }
}

fn read(cx: &SetupContext, file: &std::path::Path) -> Result<Vec<u8>, Failure> {
    let scope = if file.is_absolute() {
        ReadScope::User
    } else {
        ReadScope::project(&cx.root)
    };
    text::bytes(&cx.full(file), file, Existing::MAX_BYTES, &scope)
        .map_err(|error| error.diagnostic(Code::IoFailed).into())
}
