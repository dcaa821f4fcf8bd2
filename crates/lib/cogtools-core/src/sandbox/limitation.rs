//! What no sandbox stops: the one table for people, which `doctor`, `trust` and the documents
//! show.

/// Something that a sandbox does not stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limitation {
    /// What a program can still do.
    pub what: &'static str,
    /// Where, and what helps.
    pub note: &'static str,
}

/// All of it.
pub const LIMITATIONS: [Limitation; 10] = [
    Limitation {
        what: "see names, sizes and times of files",
        note: "everywhere; their content is protected",
    },
    Limitation {
        what: "change permissions, owners and times of your files",
        note: "everywhere; their content is protected",
    },
    Limitation {
        what: "see other processes and their command lines",
        note: "everywhere; their variables and memory are protected",
    },
    Limitation {
        what: "signal your other processes",
        note: "before Linux 6.12",
    },
    Limitation {
        what: "empty files that it may not write",
        note: "before Linux 6.2; a warning says so",
    },
    Limitation {
        what: "use services through sockets, such as those of Docker or the session bus",
        note: "with `net: true`; these may run programs without a sandbox",
    },
    Limitation {
        what: "send what it may read to anyone",
        note: "with `net: true`; there are no lists of hosts",
    },
    Limitation {
        what: "write what you run later, such as a makefile or `.git/hooks`",
        note: "below the paths under `write`",
    },
    Limitation {
        what: "use more memory than `memory` in several processes",
        note: "everywhere; each process has its own limit",
    },
    Limitation {
        what: "start more processes than `processes`",
        note: "as root, which the system does not limit",
    },
];
