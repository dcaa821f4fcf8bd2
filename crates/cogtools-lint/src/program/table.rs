//! What is known of programs: which run code, which take values after options, which change
//! things.

use std::path::Path;

/// Programs that run another one, which comes after their options.
pub(super) const WRAPPERS: [&str; 19] = [
    "busybox", "command", "doas", "env", "exec", "ionice", "nice", "nohup", "npx", "parallel",
    "setsid", "stdbuf", "strace", "sudo", "time", "timeout", "uvx", "watch", "xargs",
];

/// Interpreters, and the options after which code comes.
pub(super) const INTERPRETERS: [(&str, &[&str]); 26] = [
    ("sh", &["-c"]),
    ("bash", &["-c"]),
    ("dash", &["-c"]),
    ("ash", &["-c"]),
    ("zsh", &["-c"]),
    ("ksh", &["-c"]),
    ("fish", &["-c", "--command"]),
    ("su", &["-c", "--command"]),
    ("python", &["-c"]),
    ("python3", &["-c"]),
    ("pypy3", &["-c"]),
    ("node", &["-e", "--eval", "-p", "--print"]),
    ("bun", &["-e", "--eval"]),
    ("deno", &["eval"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("php", &["-r"]),
    ("lua", &["-e"]),
    ("Rscript", &["-e"]),
    ("osascript", &["-e"]),
    ("pwsh", &["-c", "-Command", "-command"]),
    ("powershell", &["-c", "-Command", "-command"]),
    ("cmd", &["/c", "/C"]),
    ("nix-shell", &["--run", "--command"]),
    ("psql", SQL),
    ("mysql", SQL),
];

/// The options of clients of databases. A whole query may be what the tool is for; a part of
/// one is not.
pub(super) const SQL: &[&str] = &["-c", "--command", "-e", "--execute"];

/// Programs whose first argument that is no option is code.
pub(super) const CODE_FIRST: [&str; 5] = ["awk", "gawk", "mawk", "eval", "sed"];

/// Programs to which a `-` at the beginning of an argument means nothing, or that know no
/// `--`.
pub(super) const NO_OPTIONS: [&str; 9] = [
    "[", "echo", "expr", "false", "printf", "seq", "sleep", "test", "true",
];

/// The options without a value, after which an argument can be taken for an option: short
/// ones in one text.
pub(super) const FLAGS: [(&str, &str); 22] = [
    ("cat", "AbeEnstTuv"),
    ("cp", "abdfHilLnPpRrTuvx"),
    ("cut", "ns"),
    ("curl", "aBfgGiIjJkLlMnNpqRsSv"),
    ("diff", "abBcdeEiNpqrstTuwy"),
    ("du", "abchHkLmsx"),
    ("egrep", "acEFGhHilLnoPqrRsvwxz"),
    ("find", ""),
    ("git", "apqsv"),
    ("grep", "acEFGhHiIlLnoPqrRsUvVwxyzZ"),
    ("head", "qvz"),
    ("jq", "aCceMnrRsS"),
    ("ln", "bfFiLnPrsTv"),
    ("ls", "1aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ"),
    ("mkdir", "pvZ"),
    ("mv", "bfinTuv"),
    ("rg", "acFhHiIlLnNoPqsSuUvwxz0."),
    ("rm", "dfiIrRv"),
    ("sort", "bcCdfghiMmnRrsuVz"),
    ("tail", "fFqvz"),
    ("touch", "acfhm"),
    ("wc", "clLmw"),
];

/// Well-known programs, for names that are nearly theirs.
pub(crate) const PROGRAMS: [&str; 48] = [
    "awk",
    "bash",
    "bun",
    "cargo",
    "cat",
    "curl",
    "cut",
    "date",
    "deno",
    "diff",
    "docker",
    "env",
    "find",
    "fish",
    "gawk",
    "git",
    "grep",
    "head",
    "java",
    "jq",
    "kubectl",
    "make",
    "node",
    "npm",
    "npx",
    "perl",
    "php",
    "python",
    "python3",
    "ruby",
    "sed",
    "sh",
    "sort",
    "sqlite3",
    "ssh",
    "tail",
    "tar",
    "terraform",
    "tree",
    "uniq",
    "uv",
    "wget",
    "which",
    "xargs",
    "yarn",
    "yq",
    "zsh",
    "psql",
];

/// What a program does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// It creates or changes files, or things elsewhere.
    Changes,
    /// It deletes or overwrites.
    Destroys,
    /// It asks others over a network.
    Connects,
}

const CHANGES: [&str; 17] = [
    "chgrp", "chmod", "chown", "cp", "dos2unix", "install", "kill", "killall", "ln", "mkdir",
    "mkfifo", "pkill", "tee", "touch", "patch", "rsync", "crontab",
];
const DESTROYS: [&str; 8] = [
    "dd", "mkfs", "mv", "rm", "rmdir", "shred", "truncate", "unlink",
];
const CONNECTS: [&str; 10] = [
    "curl", "dig", "ftp", "gh", "nc", "nslookup", "ping", "scp", "ssh", "wget",
];

/// Subcommands that change or destroy something.
const SUBCOMMANDS: [(&str, &[&str], &[&str]); 17] = [
    (
        "gh",
        &[
            "close", "comment", "create", "edit", "merge", "reopen", "review", "run",
        ],
        &["delete"],
    ),
    (
        "git",
        &[
            "add",
            "am",
            "apply",
            "cherry-pick",
            "clone",
            "commit",
            "init",
            "merge",
            "mv",
            "pull",
            "push",
            "rebase",
            "revert",
            "switch",
        ],
        &["clean", "reset", "restore", "rm", "checkout"],
    ),
    (
        "npm",
        &["install", "i", "ci", "publish", "update", "link"],
        &["uninstall", "unpublish", "rm"],
    ),
    (
        "pnpm",
        &["install", "add", "publish", "update"],
        &["remove"],
    ),
    (
        "yarn",
        &["install", "add", "publish", "upgrade"],
        &["remove"],
    ),
    ("pip", &["install"], &["uninstall"]),
    ("pip3", &["install"], &["uninstall"]),
    (
        "cargo",
        &["install", "publish", "add", "update"],
        &["remove", "clean", "uninstall"],
    ),
    ("apt", &["install", "upgrade"], &["remove", "purge"]),
    ("apt-get", &["install", "upgrade"], &["remove", "purge"]),
    ("brew", &["install", "upgrade"], &["uninstall", "remove"]),
    (
        "docker",
        &[
            "build", "create", "push", "restart", "run", "start", "stop", "tag",
        ],
        &["kill", "prune", "rm", "rmi"],
    ),
    (
        "kubectl",
        &[
            "annotate", "apply", "create", "edit", "label", "patch", "rollout", "scale", "set",
        ],
        &["delete", "drain", "replace"],
    ),
    (
        "helm",
        &["install", "upgrade", "rollback"],
        &["uninstall", "delete"],
    ),
    ("terraform", &["apply", "import"], &["destroy"]),
    (
        "systemctl",
        &["disable", "enable", "reload", "restart", "start", "stop"],
        &["kill", "mask"],
    ),
    ("aws", &["cp", "mb", "sync"], &["rb", "rm"]),
];

/// The file name of a program.
pub(super) fn base(name: &str) -> &str {
    let file = Path::new(name).file_name().and_then(|file| file.to_str());
    file.unwrap_or(name)
}

/// What a command does, as far as that is known. `words` begin with the program.
pub(crate) fn deed_of(words: &[&str]) -> Option<Deed> {
    let (first, rest) = words.split_first()?;
    let name = base(first);
    if DESTROYS.contains(&name) {
        return Some(Deed::Destroys);
    }
    if CHANGES.contains(&name) {
        return Some(Deed::Changes);
    }
    let subcommand = SUBCOMMANDS.iter().find(|(program, ..)| *program == name);
    if let Some((_, changes, destroys)) = subcommand {
        let mut plain = rest.iter().filter(|word| !word.starts_with('-'));
        let deed = plain.find_map(|word| {
            let is_destroying = destroys.contains(word);
            let is_changing = is_destroying || changes.contains(word);
            is_changing.then_some(if is_destroying {
                Deed::Destroys
            } else {
                Deed::Changes
            })
        });
        if deed.is_some() {
            return deed;
        }
    }
    let has = |options: &[&str]| rest.iter().any(|word| options.contains(word));
    let is_in_place = |word: &&&str| word.starts_with("-i") || **word == "--in-place";
    match name {
        "sed" | "perl" if rest.iter().any(|word| is_in_place(&word)) => Some(Deed::Changes),
        "find" if has(&["-delete"]) => Some(Deed::Destroys),
        "curl" | "gh" => {
            let method = rest
                .windows(2)
                .find(|pair| ["-X", "--request", "--method"].contains(&pair[0]));
            match method.map(|pair| pair[1]) {
                Some("DELETE") => Some(Deed::Destroys),
                Some("POST" | "PUT" | "PATCH") => Some(Deed::Changes),
                _ if has(&["-XDELETE"]) => Some(Deed::Destroys),
                _ if has(&["-XPOST", "-XPUT", "-XPATCH", "-T", "--upload-file"]) => {
                    Some(Deed::Changes)
                }
                _ => Some(Deed::Connects),
            }
        }
        "wget" if !has(&["-O-", "-qO-", "--spider", "--output-document=-"]) && !has(&["-"]) => {
            Some(Deed::Changes)
        }
        name if CONNECTS.contains(&name) => Some(Deed::Connects),
        _ => None,
    }
}
