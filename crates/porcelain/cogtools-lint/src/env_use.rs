//! Whether what a tool runs can read a variable of the environment.

use cogtools_core::suggest::did_you_mean;

use crate::program::{Role, Word};
use crate::tool_script::ToolScript;

const KNOWN: [&str; 26] = [
    "AWS_", "AZURE_", "CARGO_", "DOCKER_", "GCLOUD_", "GH_", "GIT_", "GITHUB_", "GO", "GOOGLE_",
    "HOME", "HTTP", "JAVA_", "KUBE", "LANG", "LC_", "LD_", "NODE_", "NO_", "NPM_", "PG", "PYTHON",
    "RUST", "SSH_", "SSL_", "XDG_",
];
const WHOLE: [&str; 14] = [
    "ALL_PROXY",
    "COLUMNS",
    "DISPLAY",
    "EDITOR",
    "PAGER",
    "PATH",
    "SHELL",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "VISUAL",
];

/// Programs that read no variables but those of all programs.
const DEAF: &str = "base64 basename cat cp cut date diff dirname echo false file find grep gzip \
    head jq ls md5sum mkdir mv paste printf realpath rm sed seq sha256sum sleep sort stat tail tar \
    tee touch tr true uniq wc";

/// Whether the variable is one that many programs know.
fn is_of_all(name: &str) -> bool {
    let upper = name.to_uppercase();
    WHOLE.contains(&name) || KNOWN.iter().any(|prefix| upper.starts_with(prefix))
}

/// Whether none of the programs of a command reads the variable `name`.
pub(crate) fn is_deaf(words: &[Word<'_>], name: &str) -> bool {
    let mut programs = words
        .iter()
        .filter(|word| word.role == Role::Program)
        .peekable();
    programs.peek().is_some()
        && programs.all(|word| {
            DEAF.split_ascii_whitespace()
                .any(|known| known == word.text)
        })
        && !words.iter().any(|word| word.text.contains(name))
        && !is_of_all(name)
}

/// Whether a script mentions `name`, or runs something that can read it: variables that many
/// programs know, and those that begin with the name of what the script mentions.
pub(crate) fn may_read(script: &ToolScript, name: &str, env: &[String]) -> bool {
    if script.script().is_unknown() && !script.is_of_file() {
        return true;
    }
    let text = script.text();
    let read: Vec<String> = script.script().reads().into_keys().collect();
    // What it reads under other names says nothing about this one.
    let other = read.iter().fold(text.to_owned(), |text, name| {
        text.replace(name.as_str(), "")
    });
    let declared = |other: &&String| env.contains(other);
    let read: Vec<&String> = read.iter().filter(|it| !declared(it)).collect();
    let is_misspelt = did_you_mean(name, read.iter().map(|it| it.as_str())).is_some();
    if is_misspelt && !text.contains(name) {
        return false;
    }
    if text.contains(name) {
        return true;
    }
    let first = name.split('_').next().unwrap_or(name).to_lowercase();
    is_of_all(name)
        || (first.len() > 2 && other.to_lowercase().contains(&first))
        || [
            "environ.copy()",
            "os.environ)",
            "process.env)",
            "...process.env",
            "env |",
            "printenv",
        ]
        .iter()
        .any(|all| text.contains(all))
}
