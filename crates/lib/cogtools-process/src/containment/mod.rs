//! Files that a package may run: its own, and programs of the system.
//!
//! A package is approved with the content of its files, so everything that it runs must
//! be among them, or be outside the project and its repository. Every path is checked
//! after links are resolved, when the package is approved and again at each call.

mod argument;
mod loader;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use cogtools_document::file::{self, ReadScope};
use cogtools_document::{Code, Diagnostic};

pub use argument::{NamedFile, data_files, named_files, starts as argument_starts};
pub use loader::{
    Loaded, Reason, Uncovered, is_interpreter, loaded_files, loads_modules, runs_in_place,
    uncovered,
};

/// The package that a tool may run files of, and the project around it.
#[derive(Clone, Debug)]
pub struct Boundary {
    /// The project's root: the working directory of everything that runs.
    project: PathBuf,
    /// The project and its repository, whose files are not the package's.
    roots: Roots,
    /// The installed package, with links resolved.
    package: PathBuf,
    /// Its private copy, from which it runs.
    copy: Option<PathBuf>,
}

/// Why a package may not run something.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Escape {
    /// A file that is neither in the package nor one of the system.
    #[error("it runs `{0}`, which is outside its package")]
    File(PathBuf),
    /// A script whose first line names such a file, or a file of the package.
    #[error("`{0}` is run by `{1}`, which is not a program of the system")]
    Interpreter(PathBuf, String),
    /// A search path of its own.
    #[error("it sets PATH, so that what it runs is unknown")]
    SearchPath,
    /// An argument that names too much.
    #[error("an argument of its command line is too long to be checked")]
    TooLong,
}

/// Maximum number of interpreters of interpreters, as in the kernel.
const MAX_INTERPRETERS: usize = 5;
impl Boundary {
    /// The boundary of the installed `package` in `project`, whose user has this `home`.
    pub fn new(project: &Path, package: &Path, home: Option<&Path>) -> Self {
        Self {
            project: project.to_path_buf(),
            roots: Roots::of(project, home),
            package: package.to_path_buf(),
            copy: None,
        }
    }

    /// Sets the private copy.
    #[must_use]
    pub fn with_copy(mut self, copy: PathBuf) -> Self {
        self.copy = Some(copy);
        self
    }

    /// The entries of `path` that lead neither into the project nor into packages.
    pub fn search_path(&self, path: &OsStr) -> OsString {
        let is_safe = |entry: &PathBuf| entry.is_absolute() && !self.is_local(entry);
        let entries = env::split_paths(path).filter(is_safe);
        env::join_paths(entries).unwrap_or_default()
    }

    /// Checks the program `file`, an absolute path, and the interpreters that run it.
    pub fn check_program(&self, file: &Path) -> Result<(), Escape> {
        let mut file = file.to_path_buf();
        for _ in 0..MAX_INTERPRETERS {
            if !self.contains(&file) {
                return self.check_file(&file);
            }
            let Some(line) = read_first_line(&file) else {
                return Ok(());
            };
            self.check_line(&file, &line)?;
            file = PathBuf::from(line.program);
        }
        Ok(())
    }

    /// Checks the first line of the script `file`.
    fn check_line(&self, file: &Path, line: &Line) -> Result<(), Escape> {
        let escape = || Escape::Interpreter(file.to_path_buf(), line.program.clone());
        let program = Path::new(&line.program);
        if !program.is_absolute() || self.contains(program) {
            return Err(escape());
        }
        self.check_file(program).map_err(|_| escape())?;
        let folder = file.parent().unwrap_or(Path::new("/"));
        let checked = self.check_arguments(&line.words(), folder);
        checked.map_err(|error| match error {
            Escape::File(path) => {
                Escape::Interpreter(file.to_path_buf(), path.display().to_string())
            }
            error => error,
        })
    }

    /// Checks the literal words of a command line, the program first, for a tool in
    /// `folder`.
    pub fn check_arguments(&self, words: &[String], folder: &Path) -> Result<(), Escape> {
        let is_module = words.iter().any(|word| loads_modules(word));
        let program = searched_program(words);
        let words = words.iter().enumerate();
        let mut others = words.filter(|(index, _)| Some(*index) != program);
        others.try_for_each(|(_, word)| self.check_argument(word, folder, is_module))
    }

    /// Returns the file of the package that `argument` names by a path that begins with `./`, seen
    /// from `folder`, if there is one.
    pub fn own_file(&self, argument: &str, folder: &Path) -> Option<PathBuf> {
        let file = folder.join(argument.strip_prefix("./")?);
        (file.exists() && self.contains(&file)).then_some(file)
    }

    /// Checks every file that the literal `argument` may name, seen from the working
    /// directory or from `folder`.
    pub fn check_argument(
        &self,
        argument: &str,
        folder: &Path,
        loads_modules: bool,
    ) -> Result<(), Escape> {
        if argument::sets_path(argument) {
            return Err(Escape::SearchPath);
        }
        for base in [self.project.as_path(), folder] {
            let named = named_files(base, argument, loads_modules).ok_or(Escape::TooLong)?;
            for NamedFile { path, file } in named {
                // Where a relative path leads depends on who runs it.
                if Path::new(&path).is_relative() && !self.contains(&file) {
                    return Err(Escape::File(file.canonicalize().unwrap_or(file)));
                }
                self.check_file(&file)?;
            }
        }
        Ok(())
    }

    /// Checks a file that exists. A program of the system is outside the project, its
    /// repository and the package.
    fn check_file(&self, file: &Path) -> Result<(), Escape> {
        if self.contains(file) {
            return Ok(());
        }
        let real = file.canonicalize();
        let real = real.as_deref().unwrap_or(file);
        if self.roots.contain(real) || real.starts_with(&self.package) {
            return Err(Escape::File(real.to_path_buf()));
        }
        Ok(())
    }

    /// Returns true if the file at `path` is covered by the approval of the package.
    pub fn contains(&self, path: &Path) -> bool {
        let real = path.canonicalize();
        let real = real.as_deref().unwrap_or(path);
        let copy = self.copy.as_ref();
        if copy.is_some_and(|copy| real.starts_with(copy)) {
            return true;
        }
        real.strip_prefix(&self.package)
            .is_ok_and(|below| !below.components().any(|part| is_excluded(part.as_os_str())))
    }

    /// Returns true if a folder of PATH is the project's, or one of packages.
    fn is_local(&self, folder: &Path) -> bool {
        let real = folder.canonicalize();
        let real = real.as_deref().unwrap_or(folder);
        [folder, real].iter().any(|path| {
            self.roots.contain(path)
                || path.starts_with(&self.package)
                || path.iter().any(|part| part == MODULES)
        })
    }

    /// The file in the private copy of `path` in the package, even if the installed one has
    /// disappeared since it was hashed: what may appear in its place is not approved.
    fn copied(&self, path: &Path) -> Option<PathBuf> {
        let copy = self.copy.as_ref()?;
        let in_folder = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
        let written: PathBuf = path.components().collect();
        let paths = [Some(written), in_folder(), path.canonicalize().ok()];
        paths.into_iter().flatten().find_map(|path| {
            let below = path.strip_prefix(&self.package).ok()?;
            let is_content = |part: Component<'_>| match part {
                Component::Normal(name) => !is_excluded(name),
                _ => false,
            };
            let file = copy.join(below);
            (below.components().all(is_content) && file.is_file()).then_some(file)
        })
    }

    /// `argument` with the path of the private copy in place of one in the package, as
    /// in `PATH`, `--option=PATH` and `-oPATH`.
    pub fn relocate(&self, argument: String) -> String {
        let starts = argument::starts(&argument);
        for start in starts {
            let path = self.project.join(&argument[start..]);
            if let Some(copied) = self.copied(&path) {
                return format!("{}{}", &argument[..start], copied.display());
            }
        }
        argument
    }
}

/// Folders of a package that are not its own content.
const EXCLUDED: [&str; 2] = [MODULES, ".git"];

/// Returns true if a folder of that name is excluded from a package's content.
pub fn is_excluded(name: &OsStr) -> bool {
    EXCLUDED.iter().any(|other| name == *other)
}

/// The position in a command line of a program that is searched on PATH, so that it names
/// no file of the working directory: the first word, or the one after `env`.
pub fn searched_program(words: &[String]) -> Option<usize> {
    let is_env = |word: &String| Path::new(word).file_name().is_some_and(|it| it == "env");
    let is_option = |word: &String| word.starts_with('-') || word.contains(['=', ' ']);
    let index = match words.first() {
        Some(first) if is_env(first) => words.iter().skip(1).position(|word| !is_option(word))? + 1,
        _ => 0,
    };
    (!words.get(index)?.contains('/')).then_some(index)
}

impl Escape {
    /// The diagnostic to show.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new(Code::Denied, self.to_string()).hint(INCOMPLETE)
    }
}

/// The hint for a package that runs or links to files of others.
pub(crate) const INCOMPLETE: &str =
    "a package must contain everything that it runs; report this to its author, or remove it";
/// The name of the folder that contains packages.
pub const MODULES: &str = "node_modules";
/// Folders of the system, for a project that is the root of the file system.
const SYSTEM: [&str; 8] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/snap",
];

/// The folders of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    /// The project and its repository.
    folders: Vec<PathBuf>,
    /// The folders of packages above the project.
    modules: Vec<PathBuf>,
}

impl Roots {
    /// The folders of the project at `root`. A repository in the user's `home`, where
    /// some keep their settings, is not the project's.
    pub fn of(root: &Path, home: Option<&Path>) -> Self {
        let real = root.canonicalize();
        let root = real.unwrap_or_else(|_| root.to_path_buf());
        let home = home.and_then(|home| home.canonicalize().ok());
        let is_own = |folder: &Path| {
            let contains_home = home.as_ref().is_some_and(|home| home.starts_with(folder));
            !contains_home && folder.parent().is_some()
        };
        let mut above = root.ancestors().skip(1);
        let repository = above.find(|folder| folder.join(".git").exists() && is_own(folder));
        let repository = repository.map(Path::to_path_buf);
        let modules = root.ancestors().skip(1).map(|folder| folder.join(MODULES));
        Self {
            modules: modules.collect(),
            folders: std::iter::once(root.clone()).chain(repository).collect(),
        }
    }

    /// Returns true if one of the folders contains `path`, which has no links.
    pub fn contain(&self, path: &Path) -> bool {
        let mut all = self.folders.iter().chain(&self.modules);
        all.any(|folder| {
            let is_all = folder.parent().is_none();
            path.starts_with(folder)
                && !(is_all && SYSTEM.iter().any(|system| path.starts_with(system)))
        })
    }
}

impl Boundary {
    /// The installed package, its private copy, and the folders in which Node looks for what it
    /// depends on.
    pub fn folders(&self) -> Vec<PathBuf> {
        let modules = self.package.ancestors().map(|folder| folder.join(MODULES));
        let own = std::iter::once(self.package.clone());
        // Beside the copy are links to what it depends on.
        let copies = self.copy.iter().flat_map(|copy| copy.ancestors().skip(1));
        let beside = copies.filter(|it| it.ends_with(MODULES)).take(1);
        let copy = self.copy.iter().cloned();
        let copy = copy.chain(beside.map(Path::to_path_buf));
        own.chain(copy).chain(modules).collect()
    }
}

/// The first line of a script, split as the kernel does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The interpreter.
    pub program: String,
    /// The rest, which is one argument.
    pub rest: String,
}

/// The longest line that is read; kernels read less.
const MAX_BYTES: u64 = 4 << 10;

impl Line {
    /// The interpreter and what may be its arguments: `env -S` splits the rest.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![self.program.clone()];
        if !self.rest.is_empty() {
            words.push(self.rest.clone());
        }
        let split = shlex::split(&self.rest).unwrap_or_default();
        if split.len() > 1 {
            words.extend(split);
        }
        words
    }
}

/// The first line of the file at `path`, if that is a script.
pub fn read_first_line(path: &Path) -> Option<Line> {
    let (file, _) = file::open(path, &ReadScope::User).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let line = &bytes[..end.unwrap_or(bytes.len())];
    let text = String::from_utf8_lossy(line.strip_prefix(b"#!")?);
    Some(first_line(&text))
}

/// The interpreter and the rest of a line without its `#!`.
pub fn first_line(line: &str) -> Line {
    let command = line.trim_matches([' ', '\t', '\r']);
    let (program, rest) = command.split_once([' ', '\t']).unwrap_or((command, ""));
    Line {
        program: program.to_owned(),
        rest: rest.trim_matches([' ', '\t']).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A file that was there when the package was hashed is never searched again.
    #[test]
    fn a_file_that_has_disappeared_is_still_the_copy() {
        let folder = tempfile::tempdir().expect("it is created");
        let root = folder.path().canonicalize().expect("it exists");
        let (package, copy) = (root.join("node_modules/pk"), root.join("copy"));
        fs::create_dir_all(&package).expect("it is created");
        fs::create_dir_all(copy.join("node_modules")).expect("it is created");
        fs::write(copy.join("run"), "").expect("it is written");
        fs::write(copy.join("node_modules/x"), "").expect("it is written");
        let boundary = Boundary::new(&root, &package, None).with_copy(copy.clone());
        let copied = copy.join("run").display().to_string();
        for (argument, expected) in [
            ("node_modules/pk/run", copied.clone()),
            ("--x=./node_modules/pk/run", format!("--x={copied}")),
            ("node_modules/../node_modules/pk/run", copied),
            ("node_modules/pk/other", "node_modules/pk/other".to_owned()),
            (
                "node_modules/pk/node_modules/x",
                "node_modules/pk/node_modules/x".to_owned(),
            ),
            (
                "node_modules/pk/../pk2/run",
                "node_modules/pk/../pk2/run".to_owned(),
            ),
        ] {
            assert_eq!(
                boundary.relocate(argument.to_owned()),
                expected,
                "{argument}"
            );
        }
    }

    #[test]
    fn the_root_of_the_file_system_has_programs_of_the_system() {
        let roots = Roots::of(Path::new("/"), None);
        for (path, expected) in [
            ("/usr/bin/env", false),
            ("/bin/sh", false),
            ("/x.sh", true),
            ("/home/me/x.sh", true),
        ] {
            assert_eq!(roots.contain(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn packages_above_the_project_are_not_the_systems() {
        let roots = Roots::of(Path::new("/nowhere/a/b"), None);
        for (path, expected) in [
            ("/nowhere/a/b/x", true),
            ("/nowhere/a/node_modules/x/y", true),
            ("/node_modules/x", true),
            ("/nowhere/a/x", false),
            ("/nowhere/a/bc", false),
            ("/usr/lib/node_modules/npm/bin/npm-cli.js", false),
        ] {
            assert_eq!(roots.contain(Path::new(path)), expected, "{path}");
        }
    }
}
