//! Variables that a project's `.env` may not set, because they make a program run other
//! code, read other settings or talk to other hosts than intended.
//!
//! Anyone who cloned the project and called a tool would run code chosen by its author.
//! A list of names never ends, so these are families of names, each with its reason.

mod families;

use families::{FAMILIES, USABLE};

/// Why a project's `.env` may not set a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Every program, or the shell, depends on it.
    System,
    /// The dynamic loader, the C library or the allocator reads it in every program.
    Loader,
    /// It makes an interpreter or a virtual machine load code.
    Interpreter,
    /// It says where programs, libraries or modules are searched.
    Search,
    /// It adds options to the command line of a program.
    Options,
    /// It names a program that other programs start.
    Program,
    /// It names settings from which a program takes commands or code.
    Settings,
    /// It configures a compiler, a build or version control.
    Build,
    /// It configures where packages and programs are installed from.
    Packages,
    /// It redirects connections, or decides whom they trust.
    Network,
    /// It configures cogtools or its hosts.
    Cogtools,
}

impl Refusal {
    /// The reason, as the end of a sentence about the variable.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::System => "the system and every shell depend on it",
            Self::Loader => "the dynamic loader or the C library of every program reads it",
            Self::Interpreter => "it can make an interpreter load other code",
            Self::Search => "it can change where programs, libraries or modules are found",
            Self::Options => "it can add options to the command lines of programs",
            Self::Program => "it can name a program that others start",
            Self::Settings => "it can name settings from which programs take commands",
            Self::Build => "it can make a compiler, a build or version control run other code",
            Self::Packages => "it can change where packages and programs come from",
            Self::Network => "it can redirect connections, or change whom they trust",
            Self::Cogtools => "it configures cogtools or the host",
        }
    }
}

/// Why a project's `.env` may not set the variable `name`, if it may not. Case is
/// ignored: some programs read lower-case names, and Windows ignores it.
pub fn refusal(name: &str) -> Option<Refusal> {
    let name = name.to_ascii_uppercase();
    let is_in = |patterns: &str| patterns.split_whitespace().any(|one| matches(one, &name));
    let (reason, _) = FAMILIES.iter().find(|(_, patterns)| is_in(patterns))?;
    let is_usable = !reason.is_absolute() && is_in(USABLE);
    (!is_usable).then_some(*reason)
}

/// Whether a project's `.env` may not set the variable `name`.
pub fn is_dangerous(name: &str) -> bool {
    refusal(name).is_some()
}

impl Refusal {
    /// Whether there is no exception for names that look like an application's own.
    const fn is_absolute(self) -> bool {
        matches!(self, Self::System | Self::Loader | Self::Cogtools)
    }
}

/// Whether `name` matches `pattern`, in which `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|start| name.strip_prefix(start)) else {
        return false;
    };
    let mut open = false;
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        // The last part must end the name.
        if !part.is_empty() && pattern.ends_with(part) {
            return rest.ends_with(part);
        }
        rest = &rest[at + part.len()..];
        open = part.is_empty();
    }
    open || rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("HOME", "HOME", true),
            ("HOME", "HOMES", false),
            ("LD_*", "LD_PRELOAD", true),
            ("LD_*", "OLD_X", false),
            ("*PATH", "PATH", true),
            ("*PATH", "PATH_PATH", true),
            ("*PATH", "PATHS", false),
            ("*_CERT*", "A_CERT", true),
            ("*_CERT*", "A_CERT_B", true),
            ("*_CERT*", "CERT", false),
            ("GO*PROXY", "GOPROXY", true),
            ("GO*PROXY", "GOPROXYS", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn patterns_are_in_upper_case() {
        for patterns in FAMILIES
            .iter()
            .map(|(_, patterns)| *patterns)
            .chain([USABLE])
        {
            assert_eq!(patterns, patterns.to_ascii_uppercase());
        }
    }
}
