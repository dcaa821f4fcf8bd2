//! Programs started through `cogtools-confine`, which limits itself, runs them, and ends what
//! they leave behind.
//!
//! Not every installation has it: a program then only leads a process group.

use std::env::consts::EXE_SUFFIX;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;

use super::policy::{Policy, Support};
use super::{Group, Limits};

/// How programs are confined.
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

    /// What this system enforces of a policy. Found out once: nothing changes it.
    pub fn support(&self) -> Support {
        static SUPPORT: OnceLock<Support> = OnceLock::new();
        let Some(program) = &self.program else {
            return Support::none();
        };
        let check = || {
            let mut check = Command::new(program);
            check.arg("--check").env_clear().stdin(Stdio::null());
            let output = check.stderr(Stdio::null()).output().ok()?;
            Support::parse(&output.stdout)
        };
        let support = SUPPORT.get_or_init(|| check().unwrap_or_else(Support::none));
        support.clone()
    }

    /// Whether programs are confined at all.
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
