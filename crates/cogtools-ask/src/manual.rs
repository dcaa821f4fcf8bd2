//! The sections of the manual page.

use cogtools_program::man;

pub(crate) const MANUAL: &[(&str, &str)] = &[("FILES", man::FILES)];
