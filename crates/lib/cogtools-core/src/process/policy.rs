//! What a program may reach, as passed to `cogtools-confine`, and what of that a system cannot
//! enforce.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::Value;

use super::Limits;

/// The files and the sockets that a program may use, with all that it starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// The files and folders that it may read and execute, in addition to those of the system:
    /// absolute paths without links.
    pub read: Vec<PathBuf>,
    /// The same for those that it may also change.
    pub write: Vec<PathBuf>,
    /// Whether it may use sockets.
    pub network: bool,
    /// Whether it must not run where that cannot be enforced.
    pub required: bool,
}

/// Whether programs are confined to their sandboxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SandboxMode {
    /// They are not.
    Off,
    /// They are, as far as the system can; a warning names what it cannot.
    #[default]
    BestEffort,
    /// They are, and do not run where the system cannot.
    Required,
}

/// What the configuration says about every program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// What each may use.
    pub limits: Limits,
    /// Whether they are confined to their sandboxes.
    pub sandbox: SandboxMode,
}

/// Something that a system cannot enforce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// Which files a program reads and changes.
    Files,
    /// That a file which it may not change is not emptied.
    Truncation,
    /// That it uses no sockets.
    Network,
}

/// What a system enforces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    /// The version of Landlock, if the kernel has it.
    pub landlock: Option<u64>,
    /// What cannot be enforced.
    pub gaps: Vec<Gap>,
}

impl Policy {
    /// The options of `cogtools-confine`.
    pub(super) fn to_args(&self) -> impl Iterator<Item = OsString> + '_ {
        let flags = [("--network", self.network), ("--required", self.required)];
        let flags = flags.into_iter().filter(|(_, is_set)| *is_set);
        let path = |name: &str, path: &PathBuf| {
            let mut option = OsString::from(name);
            option.push(path);
            option
        };
        std::iter::once("--sandbox".into())
            .chain(flags.map(|(flag, _)| flag.into()))
            .chain(self.read.iter().map(move |it| path("--read=", it)))
            .chain(self.write.iter().map(move |it| path("--write=", it)))
    }

    /// What of it a system with these `gaps` does not enforce.
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
        match self {
            Self::Off => "off",
            Self::BestEffort => "best-effort",
            Self::Required => "required",
        }
    }

    /// The mode of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "off" => Self::Off,
            "best-effort" => Self::BestEffort,
            "required" => Self::Required,
            _ => return None,
        })
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

    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "files" => Self::Files,
            "truncation" => Self::Truncation,
            "network" => Self::Network,
            _ => return None,
        })
    }
}

impl Support {
    /// What a system enforces that enforces nothing.
    pub fn none() -> Self {
        Self {
            landlock: None,
            gaps: Gap::ALL.to_vec(),
        }
    }

    /// Reads what `cogtools-confine --check` prints.
    pub(super) fn parse(printed: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(printed).ok()?;
        let gaps = value.get("gaps")?.as_array()?.iter();
        let gaps = gaps.map(|gap| Gap::parse(gap.as_str()?));
        Some(Self {
            landlock: value.get("landlock")?.as_u64(),
            gaps: gaps.collect::<Option<_>>()?,
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
            network: true,
            required: true,
        };
        let args: Vec<OsString> = policy.to_args().collect();
        let expected = [
            "--sandbox",
            "--network",
            "--required",
            "--read=/a b",
            "--write=/c",
        ];
        assert_eq!(args, expected);
    }

    #[test]
    fn a_report_that_is_not_understood_counts_as_none() {
        for (text, expected) in [
            ("{\"landlock\":7,\"gaps\":[]}", Some((Some(7), vec![]))),
            (
                "{\"landlock\":null,\"gaps\":[\"files\"]}",
                Some((None, vec![Gap::Files])),
            ),
            ("{\"landlock\":7,\"gaps\":[\"other\"]}", None),
            ("", None),
        ] {
            let expected = expected.map(|(landlock, gaps)| Support { landlock, gaps });
            assert_eq!(Support::parse(text.as_bytes()), expected, "{text}");
        }
    }
}
