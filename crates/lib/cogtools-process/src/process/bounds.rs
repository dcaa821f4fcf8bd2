//! Bounds of a program, as passed to `cogtools-confine`, and the parts that a system cannot
//! enforce.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Group;

/// The files and the sockets that a program may use, with all that it starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The files and folders that it may read and execute, in addition to the system's:
    /// absolute paths without links.
    pub read: Vec<PathBuf>,
    /// Files and folders that it may also change.
    pub write: Vec<PathBuf>,
    /// Files and folders below `read` and `write` that it may not use.
    pub deny: Vec<PathBuf>,
    /// Files and folders below `write` that it may only read.
    pub keep: Vec<PathBuf>,
    /// The namespaces of its own that it has, which the system must support.
    pub namespaces: Namespaces,
    /// True if it may use sockets.
    pub network: bool,
    /// The hosts that it may reach by a proxy, in a network of its own.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// True if it must not run where that cannot be enforced.
    pub required: bool,
    /// The new file to which the paths are written that it is denied; it runs slower then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<PathBuf>,
}

/// The namespaces of its own that a program gets, from none to all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Namespaces {
    /// None.
    #[default]
    None,
    /// Namespaces of files and names.
    Files,
    /// Namespaces of files, names and processes.
    All,
}

impl Namespaces {
    const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Files => "files",
            Self::All => "all",
        }
    }
}

/// True if programs are confined to their sandboxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxMode {
    /// They are not.
    Off,
    /// They are, as far as the system can; a warning names what it cannot.
    #[default]
    BestEffort,
    /// They are, and do not run where the system cannot.
    Required,
}

/// Bounds that the configuration sets for every program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Resources of each program.
    pub limits: Limits,
    /// True if they are confined to their sandboxes.
    pub sandbox: SandboxMode,
}

/// Something that a system cannot enforce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gap {
    /// Which files a program reads and changes.
    Files,
    /// That a file which it may not change is not emptied.
    Truncation,
    /// That it uses no sockets.
    Network,
}

/// Parts of a policy that a system enforces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Support {
    /// The version of Landlock, if the kernel has it.
    pub landlock: Option<u64>,
    /// The namespaces of its own that a program gets.
    pub namespaces: Namespaces,
    /// Parts that cannot be enforced.
    pub gaps: Vec<Gap>,
}

impl Policy {
    /// The options of `cogtools-confine`.
    fn to_args(&self) -> impl Iterator<Item = OsString> + '_ {
        let flags = [("--network", self.network), ("--required", self.required)];
        let flags = flags.into_iter().filter(|(_, is_set)| *is_set);
        let hosts = self.hosts.iter();
        let path = |name: &str, path: &PathBuf| {
            let mut option = OsString::from(name);
            option.push(path);
            option
        };
        std::iter::once("--sandbox".into())
            .chain(flags.map(|(flag, _)| flag.into()))
            .chain([format!("--namespaces={}", self.namespaces.name()).into()])
            .chain(self.read.iter().map(move |it| path("--read=", it)))
            .chain(self.write.iter().map(move |it| path("--write=", it)))
            .chain(self.deny.iter().map(move |it| path("--deny=", it)))
            .chain(self.keep.iter().map(move |it| path("--keep=", it)))
            .chain(self.trace.iter().map(move |it| path("--trace=", it)))
            .chain(hosts.map(|host| format!("--host={host}").into()))
    }

    /// Returns the parts of it that a system with these `gaps` does not enforce.
    pub fn gaps(&self, gaps: &[Gap]) -> Vec<Gap> {
        let matters = |gap: &&Gap| !self.network || **gap != Gap::Network;
        gaps.iter().filter(matters).copied().collect()
    }
}

impl SandboxMode {
    /// The names of the modes, from the loosest to the strictest.
    pub const NAMES: [&'static str; 3] = ["off", "best-effort", "required"];

    /// The variable that sets it.
    pub const VARIABLE: &'static str = "COGTOOLS_SANDBOX";

    /// Its name.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The mode of that name.
    pub fn parse(name: &str) -> Option<Self> {
        let mut modes = [Self::Off, Self::BestEffort, Self::Required].into_iter();
        modes.find(|mode| mode.name() == name)
    }
}

impl Gap {
    /// Everything, where nothing is enforced.
    pub const ALL: [Self; 2] = [Self::Files, Self::Network];

    /// A word for messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Truncation => "truncation of files",
            Self::Network => "the network",
        }
    }
}

impl Support {
    /// A system that enforces nothing.
    pub fn none() -> Self {
        Self {
            landlock: None,
            namespaces: Namespaces::None,
            gaps: Gap::ALL.to_vec(),
        }
    }

    /// Reads what `cogtools-confine --check` prints.
    fn parse(printed: &[u8]) -> Option<Self> {
        serde_json::from_slice(printed).ok()
    }
}

/// Resources of a program that a tool or a source runs. Generous: it bounds what a mistake or
/// an attack costs, not what a program is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory that it can write, for each process.
    pub memory: u64,
    /// Processes and threads in addition to those that exist.
    pub processes: u64,
    /// Seconds of processors, for all together.
    pub cpu: u64,
    /// Open files, for each process.
    pub files: u64,
    /// Bytes in each file that it writes.
    pub file_size: u64,
}

impl Limits {
    /// The limits without configuration.
    pub const DEFAULT: Self = Self {
        memory: 4 << 30,
        processes: 4096,
        // A server runs for days.
        cpu: u64::MAX,
        files: 16 << 10,
        file_size: 4 << 30,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Confinement of programs.
#[derive(Clone, Debug, Default)]
pub struct Confinement {
    program: Option<PathBuf>,
    limits: Option<Limits>,
    policy: Option<Policy>,
}

/// The beginning of a message by `cogtools-confine`.
const MESSAGE: &str = "cogtools-confine: error[";
/// The statuses with which it exits if it cannot run a program.
const STATUSES: std::ops::RangeInclusive<i32> = 125..=127;

impl Confinement {
    /// The name of the program that confines others.
    pub const PROGRAM: &'static str = "cogtools-confine";

    /// Confines programs with the `cogtools-confine` in `folder`, if it is there, to the limits
    /// of this process.
    pub fn new(folder: Option<&Path>) -> Self {
        let name = format!("{}{EXE_SUFFIX}", Self::PROGRAM);
        let file = folder.map(|folder| folder.join(name));
        Self {
            program: file.filter(|file| file.is_file()),
            limits: None,
            policy: None,
        }
    }

    /// Confines them to `limits`.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Confines them to `policy`.
    #[must_use]
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Returns the parts of a policy that this system enforces, which a process finds out; `None`
    /// if that process could not do so, which another time it may.
    pub fn support(&self) -> Option<Support> {
        #[cfg(unix)]
        super::group::keep_statuses();
        let mut check = Command::new(self.program()?);
        check.arg("--check").env_clear().stdin(Stdio::null());
        let output = check.stderr(Stdio::null()).output().ok()?;
        Support::parse(&output.stdout)
    }

    /// The file of the program that confines others.
    pub fn program(&self) -> Option<&Path> {
        self.program.as_deref()
    }

    /// Returns true if programs are confined at all.
    pub const fn is_active(&self) -> bool {
        self.program.is_some()
    }

    /// Starts `program`, with what `prepare` adds to the command.
    pub fn start(&self, program: &Path, prepare: impl FnOnce(&mut Command)) -> io::Result<Group> {
        let Some(confine) = &self.program else {
            let mut command = Command::new(program);
            prepare(&mut command);
            return Group::start(&mut command);
        };
        let mut command = Command::new(confine);
        let limits = self.limits.iter().flat_map(|limits| {
            [
                ("memory", limits.memory),
                ("processes", limits.processes),
                ("cpu", limits.cpu),
                ("files", limits.files),
                ("file-size", limits.file_size),
            ]
        });
        command
            .args(limits.map(|(name, limit)| format!("--{name}={limit}")))
            .arg(format!("--parent={}", std::process::id()))
            .args(self.policy.iter().flat_map(Policy::to_args))
            .arg("--")
            .arg(program);
        prepare(&mut command);
        Group::start_confined(&mut command)
    }

    /// The error with which a program could not be started: it exited with `status`, and
    /// `stderr` is a message by `cogtools-confine`.
    pub fn start_error(&self, status: ExitStatus, stderr: &[u8]) -> Option<io::Error> {
        let is_own = |status| STATUSES.contains(&status);
        if !self.is_active() || !status.code().is_some_and(is_own) {
            return None;
        }
        let stderr = std::str::from_utf8(stderr).ok()?;
        let message = stderr.strip_prefix(MESSAGE)?.trim_end();
        // `… (os error 2)`
        let number = message.rsplit_once("(os error ");
        let number = number.and_then(|(_, rest)| rest.strip_suffix(')')?.parse().ok());
        Some(match number {
            Some(number) => io::Error::from_raw_os_error(number),
            None => io::Error::other(message.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_becomes_options() {
        let policy = Policy {
            read: vec!["/a b".into()],
            write: vec!["/c".into()],
            deny: vec!["/c/d".into()],
            keep: vec!["/c/e".into()],
            namespaces: Namespaces::All,
            network: true,
            hosts: vec!["a.example".to_owned()],
            required: true,
            trace: Some("/t".into()),
        };
        let args: Vec<OsString> = policy.to_args().collect();
        let expected = [
            "--sandbox",
            "--network",
            "--required",
            "--namespaces=all",
            "--read=/a b",
            "--write=/c",
            "--deny=/c/d",
            "--keep=/c/e",
            "--trace=/t",
            "--host=a.example",
        ];
        assert_eq!(args, expected);
    }

    #[test]
    fn a_report_that_is_not_understood_counts_as_none() {
        for (text, expected) in [
            (
                "{\"landlock\":7,\"namespaces\":\"all\",\"gaps\":[]}",
                Some((Some(7), Namespaces::All, vec![])),
            ),
            (
                "{\"landlock\":null,\"namespaces\":\"none\",\"gaps\":[\"files\"]}",
                Some((None, Namespaces::None, vec![Gap::Files])),
            ),
            (
                "{\"landlock\":7,\"namespaces\":\"all\",\"gaps\":[\"other\"]}",
                None,
            ),
            ("", None),
        ] {
            let expected = expected.map(|(landlock, namespaces, gaps)| Support {
                landlock,
                namespaces,
                gaps,
            });
            assert_eq!(Support::parse(text.as_bytes()), expected, "{text}");
        }
    }
}
