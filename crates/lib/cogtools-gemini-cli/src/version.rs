//! Versions of Gemini CLI and the differences between them.

use std::fmt;

/// The version of a release, without a `-` suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

/// The generation of the settings keys that name the commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// `toolDiscoveryCommand` and `toolCallCommand`: up to 0.2.
    Flat,
    /// `tools.discoveryCommand` and `tools.callCommand`: from 0.3 on.
    Nested,
}

impl Version {
    /// The newest version that was tested.
    pub const KNOWN: Self = Self::new(0, 61, 0);

    const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// The version in a text such as `0.61.0` or `0.3.0-preview.1`.
    pub fn parse(text: &str) -> Option<Self> {
        let release = text.trim().split(['-', '+']).next()?;
        let mut numbers = release.split('.').map(|part| part.parse().ok());
        let version = Self::new(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(version)
    }

    /// The keys that it reads. Some releases from 0.10 to 0.20 read the flat ones as well.
    pub fn generation(self) -> Generation {
        if self < Self::new(0, 3, 0) {
            Generation::Flat
        } else {
            Generation::Nested
        }
    }

    /// The prefix of the names of discovered tools.
    pub fn prefix(self) -> &'static str {
        if self < Self::new(0, 17, 0) {
            ""
        } else {
            "discovered_tool_"
        }
    }

    /// Whether it lists the tools of an MCP server again when the server says that they
    /// have changed, and names them `mcp_`, the server's name, `_` and the tool's name.
    pub fn updates_servers(self) -> bool {
        self >= Self::new(0, 35, 0)
    }

    /// Whether it has policies, and denies discovered tools without a terminal.
    pub fn has_policies(self) -> bool {
        !self.prefix().is_empty()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl Generation {
    /// The keys of the discovery and of the call command, as paths in the settings.
    pub const fn keys(self) -> [&'static str; 2] {
        match self {
            Self::Flat => ["toolDiscoveryCommand", "toolCallCommand"],
            Self::Nested => ["tools.discoveryCommand", "tools.callCommand"],
        }
    }
}
