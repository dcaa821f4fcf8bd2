//! What a command does to the world, as far as that is known.

use super::statement;
use super::subcommand::{SUBCOMMANDS, Subcommands};
use super::table::{WRAPPERS, base};

/// What a program does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Deed {
    /// It asks others over a network.
    Connects,
    /// It creates or changes files, or things elsewhere.
    Changes,
    /// It deletes or overwrites.
    Destroys,
}

const CHANGES: &str = " bzip2 chgrp chmod chown cp createdb createuser crontab csplit dos2unix \
    gunzip gzip install kill killall ln mkdir mkfifo mount passwd patch pkill rsync setfacl split \
    tee touch umount unix2dos useradd usermod xz zip ";
const DESTROYS: &str = " dd dropdb dropuser fdisk halt mkfs mv parted poweroff reboot rm rmdir \
    shred shutdown srm truncate unlink userdel wipefs ";
const CONNECTS: &str = " ab ansible ansible-playbook apt apt-get aria2c aws az brew curl dig \
    doctl flyctl ftp gcloud gh glab gsutil heroku host http https kubectl lynx mail mosh mutt nc \
    ncat netlify nmap nslookup ping rclone s3cmd scp sendmail sftp ssh telnet traceroute vercel \
    wget whois wrangler xh yt-dlp ";
/// Options that say of any program that it writes where it otherwise prints.
const WRITING: [&str; 6] = [
    "--fix",
    "--in-place",
    "--inplace",
    "--overwrite",
    "--write",
    "--write-changes",
];
/// Options that say that nothing is done.
const DRY: [&str; 10] = [
    "--check",
    "--diff",
    "--dry-run",
    "--dry-run=client",
    "--dry-run=server",
    "--help",
    "--list",
    "--noop",
    "--version",
    "--what-if",
];

/// Whether the list of names has this one.
pub(super) fn is_in(name: &str, names: &str) -> bool {
    !name.is_empty() && names.split_ascii_whitespace().any(|known| known == name)
}

/// What a command does. `words` begin with the program, or with others that run it.
pub(crate) fn deeds_of(words: &[&str]) -> Vec<Deed> {
    let words = unwrapped(words);
    let Some((first, rest)) = words.split_first() else {
        return Vec::new();
    };
    let name = base(first);
    let mut deeds = Vec::new();
    if connects(name, rest) {
        deeds.push(Deed::Connects);
    }
    if rest.iter().any(|word| DRY.contains(word)) {
        return deeds;
    }
    deeds.extend(change(name, rest));
    if name == "find" {
        let at = rest
            .iter()
            .position(|word| word.starts_with("-exec") || word.starts_with("-ok"));
        deeds.extend(at.into_iter().flat_map(|at| deeds_of(&rest[at + 1..])));
    }
    deeds
}

/// The command without the programs that only run it.
fn unwrapped<'w, 's>(mut words: &'w [&'s str]) -> &'w [&'s str] {
    while let Some((first, rest)) = words.split_first() {
        if !WRAPPERS.contains(&base(first)) {
            break;
        }
        let is_setting = |word: &&&str| {
            word.starts_with('-')
                || word.contains('=')
                || word.starts_with(|c: char| c.is_ascii_digit() || c == '{')
        };
        let settings = rest.iter().take_while(|word| is_setting(word)).count();
        words = &rest[settings..];
    }
    words
}

fn connects(name: &str, rest: &[&str]) -> bool {
    let is_sub = |subs: &str| rest.iter().any(|word| is_in(word, subs));
    match name {
        "git" => is_sub("clone fetch ls-remote pull push"),
        "pip" | "pip3" => is_sub("download index install"),
        "npm" | "pnpm" | "yarn" => is_sub("add ci install publish view"),
        "cargo" => is_sub("install publish search"),
        "docker" | "podman" => is_sub("login pull push search"),
        "rsync" => rest.iter().any(|word| word.contains(':')),
        name => is_in(name, CONNECTS),
    }
}

/// The change that a program makes.
fn change(name: &str, rest: &[&str]) -> Option<Deed> {
    let has = |options: &[&str]| rest.iter().any(|word| options.contains(word));
    let is_cluster = |flags: &str, letter: char| {
        rest.iter().any(|word| {
            let letters = word.strip_prefix('-').unwrap_or_default();
            let before = letters.find(letter).map(|at| &letters[..at]);
            before.is_some_and(|before| before.chars().all(|c| flags.contains(c)))
        })
    };
    let to_output = [
        "-c",
        "--stdout",
        "--to-stdout",
        "-l",
        "-t",
        "-lv",
        "-tv",
        "-",
        "-p",
        "-Z1",
    ];
    match name {
        "gzip" | "gunzip" | "bzip2" | "xz" | "unzip" | "zip" if has(&to_output) => None,
        "unzip" | "7z" => Some(Deed::Changes),
        "tar" => rest.first().and_then(|word| archive(word)),
        "sed" if is_cluster("nErsuz", 'i') => Some(Deed::Changes),
        "perl" | "ruby" if is_cluster("pnlaw0", 'i') => Some(Deed::Changes),
        "yq" | "clang-format" if has(&["-i"]) => Some(Deed::Changes),
        "gofmt" | "shfmt" | "prettier" | "goimports" if has(&["-w"]) => Some(Deed::Changes),
        "black" | "isort" | "rustfmt" if !rest.is_empty() => Some(Deed::Changes),
        "awk" | "gawk" if rest.windows(2).any(|pair| pair == ["-i", "inplace"]) => {
            Some(Deed::Changes)
        }
        "find" if has(&["-delete"]) => Some(Deed::Destroys),
        "rsync" if has(&["--delete", "--remove-source-files"]) => Some(Deed::Destroys),
        "redis-cli" => rest.iter().find_map(|word| statement::of_redis(word)),
        "psql" | "mysql" | "mariadb" | "sqlite3" | "duckdb" => {
            rest.iter().filter_map(|word| statement::of_sql(word)).max()
        }
        "curl" | "gh" | "http" | "xh" => request(rest).or_else(|| subcommand(name, rest)),
        "wget" if !has(&["-O-", "-qO-", "--spider", "--output-document=-", "-"]) => {
            Some(Deed::Changes)
        }
        name if is_in(name, DESTROYS) => Some(Deed::Destroys),
        name if is_in(name, CHANGES) => Some(Deed::Changes),
        name => subcommand(name, rest).or_else(|| has(&WRITING).then_some(Deed::Changes)),
    }
}

/// What `tar` does, by its first option.
fn archive(word: &str) -> Option<Deed> {
    let letters = word.trim_start_matches('-');
    let is_long = word.starts_with("--");
    let writes = if is_long {
        ["extract", "create", "append", "update", "get"].contains(&letters)
    } else {
        letters.contains(['x', 'c', 'r', 'u']) && !letters.contains(['t', 'O'])
    };
    writes.then_some(Deed::Changes)
}

/// What a request over HTTP does, by its method, its data and where the answer goes.
fn request(rest: &[&str]) -> Option<Deed> {
    let after = rest
        .windows(2)
        .find(|pair| ["-X", "--request", "--method"].contains(&pair[0]))
        .map(|pair| pair[1]);
    let attached = rest.iter().find_map(|word| {
        let method = word
            .strip_prefix("-X")
            .or_else(|| word.strip_prefix("--request="));
        method
            .or_else(|| word.strip_prefix("--method="))
            .filter(|it| !it.is_empty())
    });
    let plain = rest.first().copied();
    let method = after.or(attached).or(plain).unwrap_or_default();
    let sends = |word: &&&str| {
        ["-d", "-F", "-T"].iter().any(|it| word.starts_with(it)) && !word.starts_with("-dir")
            || ["--data", "--form", "--json", "--upload-file"]
                .iter()
                .any(|it| word.starts_with(it))
            || [
                "-o",
                "-O",
                "--output",
                "--remote-name",
                "-LO",
                "-sLO",
                "-fsSLO",
            ]
            .contains(*word)
    };
    match method.to_ascii_uppercase().as_str() {
        "DELETE" => Some(Deed::Destroys),
        "POST" | "PUT" | "PATCH" => Some(Deed::Changes),
        "GET" | "HEAD" => None,
        _ if rest.iter().any(|word| sends(&word)) => Some(Deed::Changes),
        _ => None,
    }
}

/// What the subcommand of a program does.
fn subcommand(name: &str, rest: &[&str]) -> Option<Deed> {
    let Subcommands {
        changes, destroys, ..
    } = SUBCOMMANDS
        .iter()
        .find(|known| is_in(name, known.programs))?;
    let found = rest.iter().find_map(|word| {
        if is_in(word, destroys) {
            Some(Deed::Destroys)
        } else {
            is_in(word, changes).then_some(Deed::Changes)
        }
    });
    found.or_else(|| (name == "git").then(|| git(rest)).flatten())
}

/// What the subcommands of git do that read or write by their options.
fn git(rest: &[&str]) -> Option<Deed> {
    let at = rest.iter().position(|word| {
        is_in(
            word,
            "branch config push remote stash submodule tag worktree notes reflog",
        )
    })?;
    let (name, options) = (rest[at], &rest[at + 1..]);
    let has = |known: &str| options.iter().any(|word| is_in(word, known));
    let plain = options.iter().filter(|word| !word.starts_with('-')).count();
    match name {
        "push" if has("--force -f --delete -d --mirror --prune --force-with-lease") => {
            Some(Deed::Destroys)
        }
        "branch" | "tag" if has("-D -d --delete") => Some(Deed::Destroys),
        "branch" | "tag" if has("-l --list --contains --merged --no-merged --points-at -r -a") => {
            None
        }
        "branch" | "tag" => (plain > 0 || has("-m -M -c -f")).then_some(Deed::Changes),
        "config" if has("--unset --unset-all --remove-section unset") => Some(Deed::Destroys),
        "config" => (plain > 1 && !has("get list --get --get-all")).then_some(Deed::Changes),
        "stash" if has("drop clear") => Some(Deed::Destroys),
        "stash" => (!has("list show")).then_some(Deed::Changes),
        "reflog" => has("expire delete").then_some(Deed::Destroys),
        "push" => Some(Deed::Changes),
        _ if has("remove rm prune deinit") => Some(Deed::Destroys),
        _ => {
            has("add rename set-url set-head update init move append edit").then_some(Deed::Changes)
        }
    }
}
