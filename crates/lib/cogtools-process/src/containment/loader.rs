//! Programs that run code which no approval covers: scripts, settings and modules that
//! they find in the working directory, and commands that they get as text.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

/// Part of a file that a program loads and that approval covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// All of it.
    File(&'static str),
    /// The scripts of a `package.json`.
    Scripts(&'static str),
}

/// The name of the program `word`: without folders, an extension and a version.
fn program_name(word: &str) -> String {
    let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let lower = file.to_ascii_lowercase();
    let mut ends = [".exe", ".cmd", ".bat", ".com"].into_iter();
    let name = ends
        .find_map(|end| lower.strip_suffix(end))
        .unwrap_or(&lower);
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    if plain.is_empty() { name } else { plain }.to_owned()
}

/// Returns true if the program `word` is an interpreter.
pub fn is_interpreter(word: &str) -> bool {
    let name = program_name(word);
    [SHELLS, MODULE_LOADERS, PLAIN]
        .iter()
        .any(|words| contains(words, &name))
}

/// Returns true if the program `word` is an interpreter that also runs a file without its
/// extension, or a folder.
pub fn loads_modules(word: &str) -> bool {
    contains(MODULE_LOADERS, &program_name(word))
}

/// Returns the words of a literal command line whose files may run as code: the script of an
/// interpreter, words with blanks, which may be commands, and all words if an interpreter gets code.
pub(super) fn code_words(words: &[String]) -> Vec<&String> {
    let has_blank = |word: &&String| word.contains(char::is_whitespace);
    let mut code: Vec<&String> = words.iter().filter(has_blank).collect();
    let Some(interpreter) = words.iter().position(|word| is_interpreter(word)) else {
        return code;
    };
    let is_shell = contains(SHELLS, &program_name(&words[interpreter]));
    let mut after = words[interpreter + 1..].iter();
    let is_end = |word: &&String| is_code_option(word, is_shell) || !word.starts_with('-');
    match after.find(is_end) {
        Some(option) if option.starts_with('-') && option != "-m" => words.iter().collect(),
        word => {
            code.extend(word);
            code
        }
    }
}

/// Returns the script that a literal command line runs, if all words after it are for the script.
pub(super) fn script(words: &[String]) -> Option<&String> {
    let [program, script, ..] = words else {
        return None;
    };
    // `node inspect x` runs another one.
    let is_path = script.contains(['.', '/']) && !script.starts_with(['-', '+']);
    let name = program_name(program);
    let is_plain = contains(SHELLS, &name) || contains(SCRIPT_RUNNERS, &name);
    (is_plain && is_path).then_some(script)
}

/// Lists what a literal command line runs without being covered.
pub fn uncovered(words: &[String]) -> Vec<Uncovered> {
    let mut found: Vec<Uncovered> = Vec::new();
    let mut add = |why: Reason| {
        let what = shlex::try_join(words.iter().map(String::as_str));
        let what = what.unwrap_or_else(|_| words.join(" "));
        if found.iter().all(|other| other.why != why) {
            found.push(Uncovered { what, why });
        }
    };
    // A program that starts others has theirs among its arguments, alone or in a
    // command for a shell.
    let mut starts_others = false;
    for (index, word) in words.iter().enumerate() {
        if index > 0 && !starts_others {
            break;
        }
        for name in word.split([' ', '\t', '\n', ';', '&', '|', '(']) {
            if let Some(loader) = Loader::find(&program_name(name)) {
                add(loader.why);
                starts_others |= loader.why == Reason::Starts;
            }
            let is_shell = contains(SHELLS, &program_name(name));
            let takes_code = |word: &String| is_code_option(word, is_shell);
            if is_interpreter(name) && words[index + 1..].iter().any(takes_code) {
                add(Reason::Code);
                starts_others = true;
            }
        }
    }
    if let [only] = words
        && is_interpreter(only)
    {
        // It reads its code from standard input.
        add(Reason::Code);
    }
    found
}

/// Returns true if a literal command line runs a program that works on the project's folder as it
/// is, such as `cargo`, so that a copy of a file in it would be of no use.
pub fn runs_in_place(words: &[String]) -> bool {
    // A script runner such as `bun` runs the file that it gets.
    let is_runner = words.first().is_some_and(|word| is_interpreter(word));
    !is_runner
        && uncovered(words)
            .iter()
            .any(|one| one.why == Reason::Project)
}

/// The files that the programs of a literal command line load from their working
/// directory, as far as they are known. They may not exist.
pub fn loaded_files(words: &[String]) -> Vec<Loaded> {
    let mut found = Vec::new();
    let names_script = !words.iter().any(|word| contains(NO_SCRIPTS, word));
    for loader in words
        .iter()
        .filter_map(|word| Loader::find(&program_name(word)))
    {
        for file in loader.files() {
            let loaded = if file == "package.json" {
                Loaded::Scripts(file)
            } else {
                Loaded::File(file)
            };
            let counts = names_script || !matches!(loaded, Loaded::Scripts(_));
            if counts && !found.contains(&loaded) {
                found.push(loaded);
            }
        }
    }
    found
}

impl Loaded {
    /// Its path, relative to the working directory.
    pub fn path(self) -> &'static Path {
        match self {
            Self::File(path) | Self::Scripts(path) => Path::new(path),
        }
    }
}

/// Programs that load files of the project by themselves. Names are separated by blanks.
struct Loader {
    names: &'static str,
    why: Reason,
    files: &'static str,
}

/// Programs that run code of the project because it is there, and those that start
/// others.
const LOADERS: &[Loader] = &[
    project(
        "npm yarn yarnpkg pnpm bun corepack lerna nx turbo rush jest vitest mocha eslint \
         prettier webpack vite rollup gulp grunt tsc babel playwright husky",
        "package.json",
    ),
    project("npx pnpx bunx tsx ts-node electron", ""),
    project("deno", "deno.json deno.jsonc package.json"),
    project("make gmake bmake nmake", "GNUmakefile makefile Makefile"),
    project("ninja", "build.ninja"),
    project("cmake ctest meson", "CMakeLists.txt meson.build"),
    project("just", "justfile Justfile .justfile"),
    project("task go-task", "Taskfile.yml Taskfile.yaml"),
    project("rake bundle bundler rails rspec", "Rakefile Gemfile"),
    project(
        "gradle gradlew",
        "build.gradle build.gradle.kts settings.gradle settings.gradle.kts",
    ),
    project("mvn mvnw", "pom.xml"),
    project(
        "cargo rustc rustup",
        "Cargo.toml build.rs .cargo/config.toml .cargo/config",
    ),
    project("go", "go.mod"),
    project(
        "poetry pipenv uv uvx pipx hatch tox nox pdm pip pre-commit pytest ruff mypy invoke",
        "pyproject.toml setup.py noxfile.py tox.ini conftest.py",
    ),
    project("composer phpunit artisan", "composer.json"),
    project(
        "docker docker-compose podman podman-compose nerdctl",
        "compose.yaml compose.yml docker-compose.yaml docker-compose.yml Dockerfile",
    ),
    project(
        "ant sbt lein bazel bazelisk buck scons dotnet msbuild swift mix cabal stack nix \
         nix-shell direnv mise asdf volta terraform tofu ansible ansible-playbook helm vagrant \
         packer vim nvim vi emacs gdb lldb devbox",
        "",
    ),
    Loader {
        names: "git hg svn jj gh glab",
        why: Reason::Repository,
        files: "",
    },
    Loader {
        names: "env xargs find nice nohup timeout setsid stdbuf time sudo doas su watch parallel \
                ionice chroot flock entr script unshare strace busybox ssh screen tmux \
                systemd-run at batch tar rsync fd start",
        why: Reason::Starts,
        files: "",
    },
];

/// Shells, and the options with which they run code that is not in a file. `-e` is not
/// code there.
const SHELLS: &str = "sh bash zsh dash ash ksh mksh";
const SHELL_OPTIONS: &str = "c s i init-file rcfile";
/// Other interpreters that run exactly the file that they get.
const PLAIN: &str = "fish pwsh powershell cmd nu awk gawk mawk perl tclsh expect osascript";
/// Interpreters that also load a module: a file without its extension, or a folder.
const MODULE_LOADERS: &str = "python pypy node nodejs ruby jruby php lua luajit deno bun tsx \
                              ts-node rscript r julia java groovy guile racket elixir escript \
                              scala jshell electron";
/// Interpreters that run the first file that they get, and pass the other words to it.
const SCRIPT_RUNNERS: &str = "python pypy node nodejs ruby perl";
/// Their options that take code or a module.
const CODE_OPTIONS: &str = "c e E m M r p i s require import loader eval print \
                            experimental-loader command Command EncodedCommand jar cp classpath";
/// Words with which a package manager runs none of the project's scripts.
const NO_SCRIPTS: &str = "install ci view info audit ls list outdated";

const fn project(names: &'static str, files: &'static str) -> Loader {
    Loader {
        names,
        why: Reason::Project,
        files,
    }
}

fn contains(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|other| other == word)
}

impl Loader {
    /// The program `name`.
    fn find(name: &str) -> Option<&'static Self> {
        LOADERS.iter().find(|loader| contains(loader.names, name))
    }

    /// The files that it loads from its working directory.
    fn files(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.files.split_whitespace()
    }
}

/// Returns true if `word` is an option with which an interpreter takes code or a module.
fn is_code_option(word: &str, is_shell: bool) -> bool {
    let known = if is_shell {
        SHELL_OPTIONS
    } else {
        CODE_OPTIONS
    };
    if let Some(long) = word.strip_prefix("--") {
        return contains(known, long.split('=').next().unwrap_or(long));
    }
    let Some(options) = word.strip_prefix(['-', '/']) else {
        return false;
    };
    // `-` is standard input. Short options can be joined, as in `sh -ec`.
    let mut short = known.split_whitespace().filter(|option| option.len() == 1);
    options.is_empty()
        || contains(known, options)
        || options.len() <= 4 && short.any(|option| options.contains(option))
        || !is_shell && options.starts_with('M')
}

/// Something that runs without being covered by an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncovered {
    /// The command line, the variable or the dependency.
    pub what: String,
    /// Why its content is unknown.
    pub why: Reason,
}

/// Why the content of something that runs is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A program that runs scripts or settings of the project.
    Project,
    /// A program that runs hooks, aliases or settings of the repository.
    Repository,
    /// An interpreter that gets code, or the name of a module, as an argument.
    Code,
    /// A program that starts other programs.
    Starts,
    /// A part of the command line that is known only at a call.
    Argument,
    /// A variable that may name files to load.
    Variable,
    /// Another package that it depends on.
    Dependency,
    /// A file of the project that a script names.
    Named,
    /// A file that the project names and that is hashed, but is not in the private copy.
    InPlace,
    /// Files of the project that may be loaded from the covered ones.
    Loaded,
    /// Files of the project that may be loaded, and are too many.
    Large,
    /// A link to something that is not covered.
    Link,
    /// A database, or JSON or text that it may change.
    Data,
}

impl Display for Reason {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Project => "runs what the project's files tell it to",
            Self::Repository => "runs hooks, aliases and settings of the repository",
            Self::Code => "runs code that is not in a file, which may load other files",
            Self::Starts => "starts other programs",
            Self::Argument => "is known only at a call",
            Self::Variable => "may name files to load",
            Self::Dependency => "is another package, which is not approved with this one",
            Self::Named => "is a file of the project",
            Self::InPlace => "is hashed, and then read where it is",
            Self::Loaded => "may be loaded from the project",
            Self::Large => "may be loaded from the project, and are too many to be hashed",
            Self::Link => "is a link to something outside the hashed files",
            Self::Data => "is data, which may change and is used where it is",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        shlex::split(line).expect("it is a command line")
    }

    #[test]
    fn what_loads_code_by_itself_is_not_covered() {
        for (line, expected) in [
            ("npm run x", vec![Reason::Project]),
            ("/usr/bin/make -f x", vec![Reason::Project]),
            ("make.exe", vec![Reason::Project]),
            ("git log", vec![Reason::Repository]),
            ("sh -c 'ls'", vec![Reason::Code]),
            ("bash -ec ls", vec![Reason::Code]),
            ("bash -eu ./x", vec![]),
            ("sh", vec![Reason::Code]),
            ("sh ./x", vec![]),
            ("python3.12 -m name", vec![Reason::Code]),
            ("python3 x.py", vec![]),
            ("node --import x y.js", vec![Reason::Code]),
            ("node --require=x y.js", vec![Reason::Code]),
            ("node y.js", vec![]),
            ("perl -MName x", vec![Reason::Code]),
            ("env A=1 npm test", vec![Reason::Starts, Reason::Project]),
            ("xargs git status", vec![Reason::Starts, Reason::Repository]),
            ("sh -c 'cd x; make'", vec![Reason::Code, Reason::Project]),
            ("find . -exec sh -c x +", vec![Reason::Starts, Reason::Code]),
            ("echo npm", vec![]),
            ("./run", vec![]),
        ] {
            let found: Vec<Reason> = uncovered(&words(line)).iter().map(|one| one.why).collect();
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn the_files_of_a_command_line() {
        for (line, expected) in [
            ("npm run x", vec![Loaded::Scripts("package.json")]),
            ("npm ci", vec![]),
            ("npx -y server", vec![]),
            ("ninja", vec![Loaded::File("build.ninja")]),
            ("env go generate", vec![Loaded::File("go.mod")]),
            ("sh ./x", vec![]),
        ] {
            assert_eq!(loaded_files(&words(line)), expected, "{line}");
        }
    }
}
