//! The programs that load code by themselves, and those that run what they are given:
//! tables of names, without versions and extensions.

use super::uncovered::Reason;

/// Programs that load files of the project by themselves. Names are separated by blanks.
pub(super) struct Loader {
    names: &'static str,
    pub(super) why: Reason,
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
    pub(super) fn find(name: &str) -> Option<&'static Self> {
        LOADERS.iter().find(|loader| contains(loader.names, name))
    }

    /// The files that it loads from its working directory.
    pub(super) fn files(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.files.split_whitespace()
    }
}

/// Whether the program `name` is a shell.
pub(super) fn is_shell(name: &str) -> bool {
    contains(SHELLS, name)
}

/// Whether the program `name` loads modules.
pub(super) fn is_module_loader(name: &str) -> bool {
    contains(MODULE_LOADERS, name)
}

/// Whether the program `name` is an interpreter.
pub(super) fn is_interpreter(name: &str) -> bool {
    is_shell(name) || is_module_loader(name) || contains(PLAIN, name)
}

/// Whether a package manager runs no script of the project because of `word`.
pub(super) fn avoids_scripts(word: &str) -> bool {
    contains(NO_SCRIPTS, word)
}

/// Whether `word` is an option with which an interpreter takes code or a module.
pub(super) fn is_code_option(word: &str, is_shell: bool) -> bool {
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
