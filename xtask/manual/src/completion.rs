//! Completions of every program for the shells that people use.

use cogtools::PROGRAMS;
use cogtools::completions::{Shell, script};

/// A file that a shell reads when it completes a command line.
#[derive(Clone, Debug)]
pub struct Completion {
    /// Where it belongs below `share`, such as
    /// `bash-completion/completions/cogtools`.
    pub path: String,
    /// The script.
    pub text: Vec<u8>,
}

/// The completions of every program for bash, zsh and fish.
pub fn all() -> Vec<Completion> {
    let pairs = PROGRAMS
        .iter()
        .flat_map(|program| Shell::ALL.map(|shell| (program.name, shell)));
    pairs
        .map(|(name, shell)| Completion {
            path: path(shell, name),
            text: script(shell, &[name]).into_bytes(),
        })
        .collect()
}

/// Where each shell looks for completions below `share`.
fn path(shell: Shell, name: &str) -> String {
    match shell {
        Shell::Zsh => format!("zsh/site-functions/_{name}"),
        Shell::Fish => format!("fish/vendor_completions.d/{name}.fish"),
        Shell::Bash => format!("bash-completion/completions/{name}"),
    }
}
