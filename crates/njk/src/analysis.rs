//! What a template reads and sets, found without rendering it: for linters
//! that compare a template with the arguments it will get.

use crate::error::Error;

/// A variable that a template reads from its context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The name of the variable.
    pub name: String,
    /// Every read of it is guarded: by `{% if name %}`, `name is defined`,
    /// `name or …`, the filter `default` or the like.
    pub guarded: bool,
    /// The line of the first read, from 1.
    pub line: usize,
    /// The column of the first read, from 1 and in characters.
    pub column: usize,
}

/// What [`analyse`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// The variables read from the context, in the order they first appear.
    pub reads: Vec<Read>,
    /// The names the template gives values to itself.
    pub sets: Vec<String>,
}

/// Looks through the source of a template.
pub fn analyse(source: &str) -> Result<Analysis, Error> {
    crate::parser::parse("", source)?;
    Ok(Analysis::default())
}
