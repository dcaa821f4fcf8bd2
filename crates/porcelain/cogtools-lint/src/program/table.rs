//! What is known of programs: which run code or other programs, and which take values after
//! options.

use std::path::Path;

/// Programs that run another one, which comes after their options.
pub(super) const WRAPPERS: [&str; 28] = [
    "builtin",
    "busybox",
    "bunx",
    "caffeinate",
    "chronic",
    "chrt",
    "command",
    "doas",
    "env",
    "exec",
    "faketime",
    "firejail",
    "ionice",
    "nice",
    "nohup",
    "npx",
    "parallel",
    "setsid",
    "source",
    "stdbuf",
    "strace",
    "sudo",
    "taskset",
    "time",
    "timeout",
    "unbuffer",
    "uvx",
    "xargs",
];

/// Subcommands after which a program comes.
pub(super) const RUNNERS: [(&str, &str); 10] = [
    ("bun", "x"),
    ("bundle", "exec"),
    ("hatch", "run"),
    ("npm", "exec x"),
    ("pdm", "run"),
    ("pipx", "run"),
    ("pnpm", "dlx exec"),
    ("poetry", "run"),
    ("uv", "run"),
    ("yarn", "dlx exec"),
];

/// Interpreters, and the options after which code comes.
pub(super) const INTERPRETERS: [(&str, &[&str]); 44] = [
    ("sh", &["-c"]),
    ("bash", &["-c"]),
    ("dash", &["-c"]),
    ("ash", &["-c"]),
    ("zsh", &["-c"]),
    ("ksh", &["-c"]),
    ("mksh", &["-c"]),
    ("csh", &["-c"]),
    ("tcsh", &["-c"]),
    ("fish", &["-c", "--command"]),
    ("nu", &["-c", "--commands"]),
    ("su", &["-c", "--command"]),
    ("runuser", &["-c", "--command"]),
    ("python", &["-c"]),
    ("pypy", &["-c"]),
    ("node", &["-e", "--eval", "-p", "--print"]),
    ("tsx", &["-e", "--eval", "-p", "--print"]),
    ("ts-node", &["-e", "--eval", "-p", "--print"]),
    ("bun", &["-e", "--eval", "-p", "--print"]),
    ("deno", &["eval"]),
    ("perl", &["-e", "-E"]),
    ("raku", &["-e"]),
    ("ruby", &["-e"]),
    ("php", &["-r", "-R", "--run"]),
    ("lua", &["-e"]),
    ("luajit", &["-e"]),
    ("julia", &["-e", "-E", "--eval", "--print"]),
    ("elixir", &["-e", "--eval"]),
    ("erl", &["-eval"]),
    ("ghc", &["-e"]),
    ("clojure", &["-e", "--eval"]),
    ("groovy", &["-e"]),
    ("scala", &["-e"]),
    ("swift", &["-e"]),
    ("guile", &["-c"]),
    ("racket", &["-e", "--eval"]),
    ("sbcl", &["--eval"]),
    ("Rscript", &["-e"]),
    ("R", &["-e"]),
    ("osascript", &["-e"]),
    ("pwsh", &["-c", "-Command", "-command"]),
    ("powershell", &["-c", "-Command", "-command"]),
    ("cmd", &["/c", "/C", "/k"]),
    ("nix-shell", &["--run", "--command"]),
];

/// Programs that take code, too, after these options.
pub(super) const CODE_OPTIONS: [(&str, &[&str]); 21] = [
    ("clickhouse-client", SQL),
    ("cqlsh", SQL),
    ("emacs", &["--eval", "-eval", "--execute"]),
    ("emacsclient", &["--eval", "-e"]),
    ("flock", &["-c", "--command"]),
    ("gdb", &["-ex", "--eval-command"]),
    ("git", &["-c"]),
    ("lldb", &["-o"]),
    ("make", &["--eval"]),
    ("mariadb", SQL),
    ("mongosh", &["--eval"]),
    ("mysql", SQL),
    ("nvim", &["-c", "--cmd"]),
    ("psql", SQL),
    ("rsync", &["-e", "--rsh"]),
    ("script", &["-c", "--command"]),
    ("snowsql", &["-q", "--query"]),
    ("sqlcmd", &["-q", "-Q"]),
    ("tar", &["--to-command", "--checkpoint-action", "-I"]),
    ("trino", SQL),
    ("vim", &["-c", "--cmd"]),
];

/// The options of clients of databases. A whole query may be what the tool is for; a part of
/// one is not.
pub(super) const SQL: &[&str] = &["-c", "--command", "-e", "--execute", "--query"];

/// Programs whose second argument that is no option is a query.
pub(super) const QUERY_SECOND: [&str; 2] = ["duckdb", "sqlite3"];

/// Programs whose first argument that is no option is code.
pub(super) const CODE_FIRST: [&str; 6] = ["awk", "gawk", "mawk", "nawk", "sed", "gsed"];

/// Programs whose first argument is code that an argument of the call may be as a whole, but not
/// in part.
pub(super) const FILTER_FIRST: [&str; 4] = ["gojq", "jaq", "jq", "yq"];

/// Programs that give all of their arguments to a shell.
pub(super) const SHELL_WORDS: [&str; 4] = ["eval", "hyperfine", "viddy", "watch"];

/// Subcommands that give a word with blanks to a shell.
pub(super) const SHELL_SUBCOMMANDS: &str =
    "new-session new new-window neww split-window splitw respawn-pane run-shell if-shell";

/// The options of shells and their like that take a value.
pub(super) const SHELL_VALUES: [&str; 12] = [
    "-o",
    "+o",
    "-O",
    "+O",
    "--rcfile",
    "--init-file",
    "-W",
    "-X",
    "-I",
    "-r",
    "--require",
    "--import",
];

/// The name of the interpreter that this word is, without its folder and its version.
pub(crate) fn interpreter_name(word: &str) -> Option<&'static str> {
    let name = base(word);
    let others = CODE_FIRST.iter().chain(&FILTER_FIRST).chain(&QUERY_SECOND);
    let mut others = others
        .copied()
        .chain(CODE_OPTIONS.iter().map(|(known, _)| *known));
    let found = others.find(|known| *known == name);
    found.or_else(|| interpreter(word).map(|(name, _)| name))
}

/// The interpreter of this name, also with a version: `python3.12`.
pub(super) fn interpreter(name: &str) -> Option<(&'static str, &'static [&'static str])> {
    let name = base(name);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let found = INTERPRETERS
        .iter()
        .find(|(known, _)| *known == name || *known == stem);
    found.copied()
}

/// Programs to which a `-` at the beginning of an argument means nothing, or that know no
/// `--`.
pub(super) const NO_OPTIONS: [&str; 9] = [
    "[", "echo", "expr", "false", "printf", "seq", "sleep", "test", "true",
];

/// The options without a value, after which an argument can be taken for an option: short
/// ones in one text.
pub(super) const FLAGS: [(&str, &str); 25] = [
    ("cat", "AbeEnstTuv"),
    ("cp", "abdfHilLnPpRrTuvx"),
    ("cut", "ns"),
    ("curl", "aBfgGiIjJkLlMnNpqRsSv"),
    ("diff", "abBcdeEiNpqrstTuwy"),
    ("du", "abchHkLmsx"),
    ("egrep", "acEFGhHilLnoPqrRsvwxz"),
    ("find", ""),
    ("git", "apqsvDd"),
    ("grep", "acEFGhHiIlLnoPqrRsUvVwxyzZ"),
    ("head", "qvz"),
    ("jq", "aCceMnrRsS"),
    ("ln", "bfFiLnPrsTv"),
    ("ls", "1aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ"),
    ("mkdir", "pvZ"),
    ("mv", "bfinTuv"),
    ("rg", "acFhHiIlLnNoPqsSuUvwxz0."),
    ("rm", "dfiIrRv"),
    ("sed", "nErsuz"),
    ("sort", "bcCdfghiMmnRrsuVz"),
    ("tail", "fFqvz"),
    ("touch", "acfhm"),
    ("wc", "clLmw"),
    ("wget", "bcdFkKmNpqrSv"),
    ("rsync", "aAcghHikKlLnNopPqrRStuUvWxXz"),
];

/// The file name of a program.
pub(super) fn base(name: &str) -> &str {
    let file = Path::new(name).file_name().and_then(|file| file.to_str());
    file.unwrap_or(name)
}
