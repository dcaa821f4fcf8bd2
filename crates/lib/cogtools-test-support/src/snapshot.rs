//! Expected text in the source of a test.
//!
//! `str!` has the syntax of `snapbox`, which rewrites it; unlike the original it is
//! a constant, so that tables of cases can contain it.

use std::path::Path;

use snapbox::data::{Inline, Position};

/// Expected text and its location in the source; created by [`str!`](crate::str).
#[derive(Clone, Copy, Debug)]
pub struct Snapshot {
    #[doc(hidden)]
    pub file: &'static str,
    #[doc(hidden)]
    pub line: u32,
    #[doc(hidden)]
    pub column: u32,
    #[doc(hidden)]
    pub data: &'static str,
}

/// Expected text that `cargo xtask bless` renews: empty, one line in quotes, or
/// lines between two line breaks that are not part of the text.
///
/// ```
/// use cogtools_test_support::{Run, str};
///
/// Run::new("/bin/echo").arg("text").run().outputs(str![[r#"
/// text
///
/// "#]]);
/// ```
#[macro_export]
macro_rules! str {
    [$data:literal] => { $crate::str![[$data]] };
    [[$data:literal]] => {
        $crate::Snapshot {
            file: file!(),
            line: line!(),
            column: column!(),
            data: $data,
        }
    };
    [] => { $crate::str![[""]] };
}

impl Snapshot {
    /// The expected text.
    pub(crate) fn text(&self) -> &'static str {
        let text = self.data;
        if !text.contains('\n') {
            return text;
        }
        let lines = text
            .strip_prefix('\n')
            .and_then(|text| text.strip_suffix('\n'));
        let (file, line) = (self.file, self.line);
        lines.unwrap_or_else(|| {
            panic!("{file}:{line}: lines in `str!` have a line end before and after them")
        })
    }

    pub(crate) fn inline(&self) -> Inline {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let repository = package.ancestors().nth(3).unwrap_or(package);
        Inline {
            position: Position {
                file: repository.join(self.file),
                line: self.line,
                column: self.column,
            },
            data: self.data,
        }
    }
}
