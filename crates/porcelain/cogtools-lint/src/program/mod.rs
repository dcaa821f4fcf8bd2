//! Programs that a tool runs: the words of its command line, and the text of its script.

mod made_code;
mod script;
mod shell;

use std::path::Path;

use cogtools_core::schema::Schema;
use cogtools_core::text::Span;
use cogtools_core::yaml::{Entry, Node};
pub(crate) use script::{Language, interpreter_of};
use serde_json::{Map, Value, json};
pub(crate) use shell::{ShellParts, assigned, expansions};

use crate::lint_file::LintFile;
use crate::linter::Expression;

/// A word of the command line.
#[derive(Debug)]
pub(crate) struct Word<'f> {
    pub(crate) text: &'f str,
    pub(crate) span: Span,
    pub(crate) role: Role,
    /// It reads arguments of the call.
    pub(crate) is_template: bool,
    /// The name of an item, and the path of the list, where the word is repeated.
    pub(crate) each: Option<(&'f str, &'f str)>,
}

impl Word<'_> {
    /// Returns the schema of the value at `path` in its template.
    pub(crate) fn schema<'s>(
        &self,
        path: &str,
        schema: &'s Schema,
    ) -> Option<&'s Map<String, Value>> {
        let mut names: Vec<&str> = path.split('.').collect();
        if let Some((_, list)) = self.each.filter(|(name, _)| names.first() == Some(name)) {
            names.splice(..1, list.split('.').chain(["0"]));
        }
        schema.at(names.into_iter())
    }
}

/// The meaning of a word to the program before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A program, or a file that an interpreter runs.
    Program,
    /// Code of a language.
    Code,
    /// An argument that the program takes for an option if it begins with `-`.
    Argument,
    /// A word that cannot be mistaken: the value of an option, or what is after `--`.
    Value,
    /// A literal option.
    Option,
}

/// Returns the lists under `exec`, each with its platform; none for other implementations.
pub(crate) fn commands<'f>(file: &'f LintFile) -> Vec<(Option<&'f str>, &'f [Node])> {
    let Some(exec) = file.implementation("exec") else {
        return Vec::new();
    };
    match exec.entries() {
        None => vec![(None, exec.items().unwrap_or_default())],
        Some(entries) => {
            let items = |entry: &'f Entry| entry.value.items().unwrap_or_default();
            let lists = entries.iter();
            lists.map(|it| (Some(it.key.as_str()), items(it))).collect()
        }
    }
}

/// Reads the words of `exec`, of all platforms.
pub(crate) fn words(file: &LintFile) -> Vec<Word<'_>> {
    let lists = commands(file).into_iter();
    lists.flat_map(|(_, list)| words_of(list)).collect()
}

/// Reads the words of a list under `exec`.
pub(crate) fn words_of(list: &[Node]) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    for node in list {
        let each = node.get("for").and_then(Node::text);
        let each = each.and_then(|each| each.split_once(" in "));
        let each = each.map(|(name, list)| (name.trim(), list.trim()));
        match node.get("args").and_then(Node::items) {
            Some(items) => found.extend(
                items
                    .iter()
                    .filter_map(word)
                    .map(|word| Word { each, ..word }),
            ),
            None => found.extend(word(node)),
        }
    }
    script::assign_roles(&mut found);
    found
}

/// Returns the text on standard input of the programs under `exec`, if one of them runs it as code.
pub(crate) fn code_on_stdin(file: &LintFile) -> Option<Word<'_>> {
    let stdin = word(file.implementation("stdin")?)?;
    let runs_it = |(_, list): (_, &[Node])| {
        let words = words_of(list);
        let program = runs_stdin(&words);
        program.is_some_and(|it| !is_database(it) || !script::is_whole(stdin.text))
    };
    commands(file).into_iter().any(runs_it).then_some(stdin)
}

/// Returns the interpreter, or the shell of another host, that runs the standard input of a command
/// of a shell.
fn stdin_runner<'t>(words: impl Iterator<Item = &'t str>) -> Option<&'t str> {
    let words = words.take_while(|word| *word != "--" && !word.contains('>'));
    let words = words.filter(|word| !word.is_empty()).map(|text| Word {
        text,
        span: Span::new(0, 0),
        role: Role::Argument,
        is_template: false,
        each: None,
    });
    let mut words: Vec<Word<'_>> = words.collect();
    script::assign_roles(&mut words);
    runs_stdin(&words).filter(|program| !is_database(program))
}

/// Returns the program that runs its standard input as code: an interpreter without code or a
/// file, `ssh` without a command, or a client of a database without a query.
fn runs_stdin<'w>(words: &[Word<'w>]) -> Option<&'w str> {
    let has_code = |it: &Word<'_>| it.role == Role::Code || it.text == "-m";
    let is_program = |it: &&Word<'_>| it.role == Role::Program && it.text != "-";
    let program = words.iter().rfind(is_program)?.text;
    let is_known = interpreter(program).is_some() || base(program) == "ssh" || is_database(program);
    (is_known && !words.iter().any(has_code)).then_some(program)
}

/// Returns true for a client of a database.
fn is_database(program: &str) -> bool {
    is_in(base(program), DATABASES) || is_in(base(program), QUERY_SECOND)
}

fn word(node: &Node) -> Option<Word<'_>> {
    let text = node.text()?;
    let analysis = njk::analyse(text);
    Some(Word {
        text,
        span: node.span,
        role: Role::Argument,
        is_template: analysis.is_ok_and(|found| !found.reads.is_empty()),
        each: None,
    })
}

/// The template of a word that begins with an argument, and filters that keep its first
/// character.
static DASHED: Expression = Expression::new(
    r"^\s*(?:\{%.*?%\}\s*)?\{\{-?\s*([\w.]+)(?:\[\d+\])?\s*(?:\|\s*(?:lower|string|trim|upper|(?:default|d)\(.*?\)|(?:replace|truncate|indent)\([^-]*?\))\s*)*(?:(?:or|if)\s.*)?-?\}\}",
);

/// Returns true if the template `word` begins with an argument that the schema lets begin with
/// `-`.
pub(crate) fn can_begin_with_dash(word: &Word<'_>, schema: &Schema) -> bool {
    let path = DASHED.groups(word.text).next();
    let path = path.and_then(|path| word.schema(path.as_str(), schema));
    path.is_some_and(can_value)
}

/// Returns true if a text of this schema, or an item that is a text, can begin with `-`. It is tried
/// with values of an enum, and with texts of the forms that options have.
fn can_value(found: &Map<String, Value>) -> bool {
    const TRIED: &str = "- -- -a -A1 -1 -1.5 --a-b -a_b --ab=c.d/e";
    let items = found.get("items").and_then(Value::as_object);
    let found = items.unwrap_or(found);
    let kind = found.get("type").and_then(Value::as_str);
    let is_composed = ["anyOf", "oneOf"].iter().any(|it| found.contains_key(*it));
    let format = found.get("format").filter(|format| *format != "password");
    if format.is_some() || !is_composed && kind != Some("string") {
        return false;
    }
    let values = found.get("enum").and_then(Value::as_array);
    let own = values.into_iter().flatten().filter_map(Value::as_str);
    let own = own.filter(|text| text.starts_with('-'));
    let long = "-a".repeat(32);
    let tried = TRIED.split(' ').chain(["- a", "-a b", &long]).chain(own);
    let whole = json!({"type": "object", "properties": {"text": found}});
    let Value::Object(whole) = whole else {
        return false;
    };
    let validator = Schema::from(whole).validator();
    validator.is_ok_and(|it| { tried }.any(|text| it.accepts(&json!({"text": text}))))
}

/// Programs that run another one, which comes after their options.
const WRAPPERS: &str = "builtin busybox bunx caffeinate chronic chrt command doas env \
    exec faketime firejail ionice nice nohup npx parallel setsid source stdbuf strace sudo taskset \
    time timeout unbuffer uvx xargs";

/// Programs, and the subcommands after which another program comes.
const RUNNERS: [(&str, &str); 5] = [
    ("bun", "x"),
    ("bundle", "exec"),
    ("hatch pdm pipx poetry uv", "run"),
    ("npm", "exec x"),
    ("pnpm yarn", "dlx exec"),
];

/// Interpreters, and the options after which code comes.
const INTERPRETERS: [(&str, &[&str]); 13] = [
    (
        "sh bash dash ash zsh ksh mksh csh tcsh python pypy guile",
        &["-c"],
    ),
    ("fish su runuser", &["-c", "--command"]),
    ("nu", &["-c", "--commands"]),
    ("node tsx ts-node bun", &["-e", "--eval", "-p", "--print"]),
    ("deno", &["eval"]),
    (
        "perl raku ruby lua luajit ghc groovy scala swift Rscript R osascript",
        &["-e", "-E"],
    ),
    ("php", &["-r", "-R", "--run"]),
    ("julia", &["-e", "-E", "--eval", "--print"]),
    ("elixir clojure racket sbcl", &["-e", "--eval"]),
    ("erl", &["-eval"]),
    ("pwsh powershell", &["-c", "-Command", "-command"]),
    ("cmd", &["/c", "/C", "/k"]),
    ("nix-shell", &["--run", "--command"]),
];

/// Programs that take code, too, after these options.
const CODE_OPTIONS: [(&str, &[&str]); 14] = [
    (DATABASES, SQL),
    ("emacs", &["--eval", "-eval", "--execute"]),
    ("emacsclient", &["--eval", "-e"]),
    ("flock script", &["-c", "--command"]),
    ("gdb", &["-ex", "--eval-command"]),
    ("git", &["-c"]),
    ("lldb", &["-o"]),
    ("make", &["--eval"]),
    ("mongosh", &["--eval"]),
    ("nvim vim", &["-c", "--cmd"]),
    ("rsync", &["-e", "--rsh"]),
    ("snowsql", &["-q", "--query"]),
    ("sqlcmd", &["-q", "-Q"]),
    ("tar", &["--to-command", "--checkpoint-action", "-I"]),
];

/// Clients of databases.
const DATABASES: &str = "clickhouse-client cqlsh mariadb mysql psql trino";
/// The options of clients of databases. A whole query may be what the tool is for; a part of
/// one is not.
const SQL: &[&str] = &["-c", "--command", "-e", "--execute", "--query"];
/// Programs whose second argument that is no option is a query.
const QUERY_SECOND: &str = "duckdb sqlite3";
/// Programs whose first argument that is no option is code.
const CODE_FIRST: &str = "awk gawk mawk nawk sed gsed";
/// Programs whose first argument is code that an argument of the call may be as a whole, but not
/// in part.
const FILTER_FIRST: &str = "gojq jaq jq yq";
/// Programs that give all of their arguments to a shell.
const SHELL_WORDS: &str = "eval hyperfine viddy watch";
/// Subcommands that give a word with blanks to a shell.
const SHELL_SUBCOMMANDS: &str =
    "new-session new new-window neww split-window splitw respawn-pane run-shell if-shell";
/// The options of shells and their like that take a value.
const SHELL_VALUES: &str = "-o +o -O +O --rcfile --init-file -W -X -I -r --require --import";
/// Programs to which a `-` at the beginning of an argument means nothing, or that know no `--`.
const NO_OPTIONS: [&str; 9] = [
    "[", "echo", "expr", "false", "printf", "seq", "sleep", "test", "true",
];
/// Programs that need the network.
pub(crate) const NETWORK: &str = "curl wget http https xh aria2c ssh scp sftp ftp dig host \
    nslookup ping whois gh glab aws gcloud az kubectl yt-dlp mosh telnet traceroute";

/// Commands of programs that need the network.
pub(crate) const NETWORK_COMMANDS: &[(&str, &str)] = &[
    ("cargo", "install publish search"),
    ("docker", "login pull push"),
    ("git", "clone fetch ls-remote pull push"),
    ("go", "get"),
    ("npm", "ci install publish view"),
    ("pip", "download install"),
    ("pip3", "download install"),
    ("podman", "login pull push"),
];
/// Commands of programs that change something.
pub(crate) const CHANGING_COMMANDS: &[(&str, &str)] = &[
    (
        "git",
        "am cherry-pick commit merge mv push rebase reset revert rm",
    ),
    ("kubectl", "apply create delete patch replace scale"),
];

/// Returns true if the table has this command of a program.
pub(crate) fn is_among(table: &[(&str, &str)], program: &str, command: &str) -> bool {
    let mut table = table.iter();
    table.any(|(name, commands)| *name == program && is_in(command, commands))
}

/// Returns true if the list of names has this one.
pub(crate) fn is_in(name: &str, names: &str) -> bool {
    !name.is_empty() && names.split_ascii_whitespace().any(|known| known == name)
}

/// Finds the entry of a program in a table of programs and their options or subcommands.
fn entry<T: Copy>(table: &[(&'static str, T)], name: &str) -> Option<(&'static str, T)> {
    table.iter().find_map(|(names, value)| {
        let mut names = names.split_ascii_whitespace();
        names
            .find(|known| *known == name)
            .map(|known| (known, *value))
    })
}

/// The name of the interpreter that this word is, without its folder and its version.
pub(crate) fn interpreter_name(word: &str) -> Option<&'static str> {
    let name = base(word);
    let others = [CODE_FIRST, FILTER_FIRST, QUERY_SECOND].map(|names| (names, ()));
    let other = entry(&others, name).map(|(known, ())| known);
    let other = other.or_else(|| entry(&CODE_OPTIONS, name).map(|(known, _)| known));
    other.or_else(|| interpreter(word).map(|(name, _)| name))
}

/// The interpreter of this name, also with a version: `python3.12`.
fn interpreter(name: &str) -> Option<(&'static str, &'static [&'static str])> {
    let name = base(name);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    entry(&INTERPRETERS, name).or_else(|| entry(&INTERPRETERS, stem))
}

/// The file name of a program.
pub(crate) fn base(name: &str) -> &str {
    let file = Path::new(name).file_name().and_then(|file| file.to_str());
    file.unwrap_or(name)
}

/// The options without a value, after which an argument can be taken for an option: short
/// ones in one text.
const FLAGS: [(&str, &str); 25] = [
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

/// Programs that names can be meant to be.
pub(crate) const PROGRAMS: &str = "awk aws bash brew bun cargo cat clang cmake composer curl cut \
    date deno diff docker emacs env ffmpeg find fish gawk gcc git grep gradle gzip head helm java \
    javac kubectl make mongosh mvn mysql node npm npx openssl pandoc patch perl php ping pip pip3 \
    pnpm podman poetry psql pwsh pytest python python3 redis-cli rsync ruby rustc screen sed sh \
    sort sqlite3 ssh sudo systemctl tail tar terraform timeout tmux touch tree uniq uv vim wget \
    which xargs yarn yq zip zsh jq ls rm rg fd";

/// Programs that are not the ones above, though their names are like them.
const OTHERS: &str = "aa ab ack acme ag age agrep ar arp as ash atop autossh b3sum base32 base64 \
    basename bat bc bfs bison black bunx bunzip2 bzip2 cal ccat cd chmod chown cksum clear cloc \
    cmp column comm cp cpp csh csplit ctags curlie cwebp dash dasel dc dd delta df dig direnv \
    dirname dos2unix du dust ed egrep entr espeak esbuild eslint ex exa exiftool expand expr eza \
    false fdfind fgrep fgrep file flex flow flyctl fmt fold free g++ gcloud gem gh ghc glab glow \
    gmake gnuplot go gofmt gpg gradlew groovy grip gron gsed gunzip hash hg host hostname htop \
    http https hub hx hyperfine id identify install iostat ip isort jar jaq java jest jless join \
    jo journalctl julia just k9s kill ksh kustomize lazygit ld less lean lein ln locate logname \
    lsd lsof lua luajit lynx lz4 m4 magick mail man mawk mdbook micro mise mkdir mktemp mlr mosh \
    mv mypy nano nc ncat ncdu netstat nginx ninja nix nl nm nmap nvim od ollama opam ox oxlint \
    parallel paste pbcopy pdf pdm pgrep pipx pkill plutil pr prettier printenv printf procs ps \
    pwd pyenv pypy3 R raku rake rbenv rclone readlink realpath rename rev rmdir rollup rtk ruff \
    rustfmt rustup say scala scp script seq sftp sha1sum sha256sum shasum shfmt shred shuf sleep \
    sops sox split stat strings su sum svgo svn swift swc sync tac tb tcsh tee test tig time tofu \
    top tox tr true tsc tsx tty turbo typst uname unzip uptime uuidgen uvx vale vi vite vitest w \
    watch wc whoami whois xh xmllint xq xxd xz yes yt-dlp zcat zig zoxide zstd dot host hostid \
    bsdtar gtar guile rc lp ledger hledger task todo note tldr cheat fzf sk tv gum rich yamllint \
    shellcheck hadolint actionlint ansible packer vault consul nomad pulumi buf protoc flutter \
    dart mono dotnet elixir mix iex erl rebar3 cabal stack opa conftest trivy grype syft cosign";

/// Returns true for the name of a known program. A version at the end of a name does
/// not count: `python3.12`, `gcc-13`.
pub(crate) fn is_known(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    [PROGRAMS, OTHERS]
        .iter()
        .any(|all| is_in(name, all) || is_in(stem, all))
}
