//! What runs without being covered by an approval, as the user is shown it.

use std::fmt::{self, Display, Formatter};

/// Something that runs without being covered by an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncovered {
    /// The command line, the variable or the dependency.
    pub what: String,
    /// Why its content is unknown.
    pub why: Reason,
}

/// Why the content of something that runs is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A program that runs scripts or settings of the project.
    Project,
    /// A program that runs hooks, aliases or settings of the repository.
    Repository,
    /// An interpreter that gets code, or the name of a module, as an argument.
    Code,
    /// A program that starts other programs.
    Starts,
    /// A part of the command line that is known only at a call.
    Argument,
    /// A variable that may name files to load.
    Variable,
    /// Another package that it depends on.
    Dependency,
    /// A file of the project that a script names.
    Named,
    /// A file that the project names and that is hashed, but is not in the private copy.
    InPlace,
    /// Files of the project that may be loaded from the covered ones.
    Loaded,
    /// The same, because they are too many.
    Large,
    /// A link to something that is not covered.
    Link,
}

impl Display for Reason {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Project => "runs what the project's files tell it to",
            Self::Repository => "runs hooks, aliases and settings of the repository",
            Self::Code => "runs code that is not in a file, which may load other files",
            Self::Starts => "starts other programs",
            Self::Argument => "is known only at a call",
            Self::Variable => "may name files to load",
            Self::Dependency => "is another package, which is not approved with this one",
            Self::Named => "is a file of the project",
            Self::InPlace => "is hashed, and then read where it is",
            Self::Loaded => "may be loaded from the project",
            Self::Large => "may be loaded from the project, and are too many to be hashed",
            Self::Link => "is a link to something outside the hashed files",
        })
    }
}
