//! `--format`: for people or for programs, or for a host.

use clap::Args;
use cogtools_core::Target;

use crate::args;

/// `--format`: text for people, or JSON as described in the man page.
#[derive(Args, Clone, Debug, Default)]
#[group(skip)]
pub struct FormatArg {
    /// Output format: text, or one JSON object
    #[arg(long, value_name = "FORMAT", value_parser = ["human", "json"], default_value = "human")]
    format: String,
    /// Same as --format json
    #[arg(long, overrides_with = "format")]
    json: bool,
}

impl FormatArg {
    /// Returns true if `--format json` or `--json` was given.
    pub fn is_json(&self) -> bool {
        self.json || self.format == "json"
    }
}

/// `--format`: the host that declarations are printed for.
#[derive(Args, Clone, Copy, Debug)]
#[group(skip)]
pub struct HostArg {
    /// Format of the declarations
    #[arg(long = "format", id = "format", value_name = "HOST", value_parser = args::host())]
    #[arg(default_value = "gemini")]
    pub target: Target,
}
