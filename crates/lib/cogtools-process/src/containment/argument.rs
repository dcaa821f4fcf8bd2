//! The paths in an argument: `../x`, `--require=../x`, `-f../x`, `file:../x`, and the
//! words of a command in a string.

use std::collections::BTreeSet;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use cogtools_document::file::{self, ReadScope};
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::{loader, read_first_line};
use crate::shebang::is_executable;

/// A file that an argument names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// The path in the argument.
    pub path: String,
    /// The file.
    pub file: PathBuf,
}

/// Endings that Node and others add to the path of a module.
const EXTENSIONS: [&str; 13] = [
    ".js", ".cjs", ".mjs", ".json", ".node", ".ts", ".cts", ".mts", ".py", ".rb", ".sh", ".pl",
    ".lua",
];
/// The files that run when an interpreter gets a folder.
const FOLDER_FILES: [&str; 9] = [
    "package.json",
    "index.js",
    "index.cjs",
    "index.mjs",
    "index.json",
    "index.node",
    "index.ts",
    "__main__.py",
    "__init__.py",
];
/// Text of an argument that may be a path.
struct MaybePath {
    path: String,
    /// True if it is a word within the argument, rather than its end.
    is_word: bool,
}

/// The longest path that a system accepts.
const MAX_PATH_BYTES: usize = 4_096;
/// Maximum number of paths of an argument that are looked up.
const MAX_PATHS: usize = 4_096;
/// Characters that end a path within an argument, in options, lists and shell commands.
const SEPARATORS: &[char] = &[
    ' ', '\t', '\n', '\r', '=', ',', ':', ';', '|', '&', '(', ')', '<', '>', '\'', '"', '`', '$',
    '{', '}', '[', ']', '@', '!',
];

/// Returns true if it sets PATH for a program that it runs, as in `env PATH=. x`.
pub(super) fn sets_path(argument: &str) -> bool {
    let words = argument.split([' ', '\t', '\n', ';', '&', '|', '(', '\'', '"']);
    words.into_iter().any(|word| word.starts_with("PATH="))
}

/// The positions at which a path may begin that reaches to the end: `PATH`,
/// `--option=PATH`, `-oPATH`.
pub fn starts(argument: &str) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(
        argument
            .match_indices(['=', ':', '@'])
            .map(|(at, _)| at + 1),
    );
    let is_short = argument.starts_with('-') && !argument.starts_with("--");
    if is_short && let Some((at, _)) = argument.char_indices().nth(2) {
        starts.push(at);
    }
    starts
}

/// The marks of two formats of databases, each at its place in the file.
const DATABASES: [(usize, &[u8]); 2] = [(0, b"SQLite format 3\0"), (8, b"DUCK")];

/// Endings of texts that no interpreter looks for.
const TEXTS: [&str; 7] = [".log", ".txt", ".csv", ".tsv", ".jsonl", ".ndjson", ".md"];

/// Returns the files that the command `lines` and the `other` texts name, seen from `base`, and that
/// are data: a database, an empty file, or JSON that the program may change. They are known by
/// their content, which is read at each start, so that code in their place is approved like other
/// code. What the lines may run is never data. The paths have no links.
///
/// Any text can be code for some program, such as `make -f x.txt`. It is data if the program may
/// change it, if each line runs a script that gets it, and if no variable of `sets` names it.
pub fn data_files(
    base: &Path,
    lines: &[&[String]],
    other: &[&[String]],
    sets: &[String],
    may_change: impl Fn(&Path) -> bool,
) -> BTreeSet<PathBuf> {
    let files = |word: &String, is_module: bool| {
        let named = named_files(base, word, is_module).unwrap_or_default();
        named
            .into_iter()
            .filter_map(|it| it.file.canonicalize().ok())
    };
    let code = lines.iter().flat_map(|line| loader::code_words(line));
    let code: BTreeSet<PathBuf> = code.flat_map(|word| files(word, true)).collect();
    let named = lines.iter().chain(other).flat_map(|line| {
        let is_module = line.iter().any(|word| loader::loads_modules(word));
        line.iter().flat_map(move |word| files(word, is_module))
    });
    let set: BTreeSet<PathBuf> = sets.iter().flat_map(|it| files(it, true)).collect();
    let run_scripts = lines.iter().all(|line| loader::script(line).is_some());
    let is_text = |file: &Path| {
        run_scripts && !set.contains(file) && has_ending(file, &TEXTS) && !is_executable(file)
    };
    named
        .filter(|file| !code.contains(file) && !is_code(file))
        .filter(|file| is_database(file) || may_change(file) && (is_json(file) || is_text(file)))
        .collect()
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    endings.iter().any(|end| name.ends_with(end))
}

/// Returns true if the file at `path` has the name or the first line of a script.
fn is_code(path: &Path) -> bool {
    let is_script = has_ending(path, &EXTENSIONS) && !has_ending(path, &[".json"]);
    is_script || read_first_line(path).is_some()
}

/// Returns true if the file at `path` is a database, or has no content yet.
fn is_database(path: &Path) -> bool {
    let Ok((file, _)) = file::open(path, &ReadScope::User) else {
        return false;
    };
    let mut bytes = Vec::new();
    if file.take(16).read_to_end(&mut bytes).is_err() {
        return false;
    }
    let begins =
        |(at, mark): &(usize, &[u8])| bytes.get(*at..).is_some_and(|it| it.starts_with(mark));
    bytes.is_empty() || DATABASES.iter().any(begins)
}

/// The largest file that is read for this.
const MAX_JSON_BYTES: u64 = 16 << 20;

/// Returns true if the file at `path` has objects or arrays of JSON, and nothing else. A larger file
/// than is read is none.
fn is_json(path: &Path) -> bool {
    let Ok((file, _)) = file::open(path, &ReadScope::User) else {
        return false;
    };
    if file
        .metadata()
        .map_or(true, |meta| meta.len() > MAX_JSON_BYTES)
    {
        return false;
    }
    let values = serde_json::Deserializer::from_reader(BufReader::new(file.take(MAX_JSON_BYTES)));
    let mut values = values.into_iter::<Value>();
    values.all(|value| value.is_ok_and(|value| value.is_object() || value.is_array()))
}

/// The existing files that `argument` may name, seen from `base`; `None` if it names too
/// much. An interpreter also loads modules: files without their extension, and folders.
pub fn named_files(base: &Path, argument: &str, loads_modules: bool) -> Option<Vec<NamedFile>> {
    let mut named: Vec<NamedFile> = Vec::new();
    for MaybePath { path, is_word } in paths(argument)? {
        let has_folder = path.contains('/');
        // A word within an argument is rarely a file of the working directory.
        let is_dots = path.chars().all(|c| c == '.');
        if is_word && (is_dots || !has_folder && !loads_modules) {
            continue;
        }
        let file = existing(
            &base.join(&path),
            loads_modules,
            loads_modules || has_folder,
        );
        if let Some(file) = file
            && named.iter().all(|other| other.file != file)
        {
            named.push(NamedFile { path, file });
        }
    }
    Some(named)
}

/// The file that runs if a program gets `path`: itself, or a module of that name.
fn existing(path: &Path, is_module: bool, names_module: bool) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_path_buf());
    }
    if is_module && path.is_dir() {
        let files = FOLDER_FILES.iter().map(|file| path.join(file));
        if let Some(file) = files.into_iter().find(|file| file.is_file()) {
            return Some(file);
        }
    }
    if !names_module {
        return None;
    }
    EXTENSIONS.iter().find_map(|extension| {
        let mut name = path.file_name()?.to_owned();
        name.push(extension);
        let file = path.with_file_name(name);
        file.is_file().then_some(file)
    })
}

/// Everything in it that may be a path; `None` if that is too much.
fn paths(argument: &str) -> Option<Vec<MaybePath>> {
    let mut paths: Vec<MaybePath> = Vec::new();
    collect(argument, &mut paths);
    if argument.contains("file:") && argument.contains('%') {
        let decoded = percent_decode_str(argument).decode_utf8_lossy();
        collect(&decoded, &mut paths);
    }
    (paths.len() <= MAX_PATHS).then_some(paths)
}

fn collect(argument: &str, paths: &mut Vec<MaybePath>) {
    let mut add = |path: &str, is_word: bool| {
        // The system has no file of another name.
        let is_name = !path.is_empty() && path.len() <= MAX_PATH_BYTES && !path.contains('\0');
        if is_name && paths.len() <= MAX_PATHS {
            let path = path.to_owned();
            paths.push(MaybePath { path, is_word });
        }
    };
    for start in starts(argument) {
        add(&argument[start..], false);
        // The empty host of a file URL.
        add(argument[start..].trim_start_matches("//"), false);
    }
    for word in argument.split(SEPARATORS) {
        add(word, true);
        for mark in ["../", "./", "/"] {
            // The `./` in `../` is none.
            let is_start = |at: &usize| *at > 0 && !(mark == "./" && word[..*at].ends_with('.'));
            if let Some(at) = word.find(mark).filter(is_start) {
                add(&word[at..], true);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_wherever_they_are() {
        for argument in [
            "../x.sh",
            "--require=../x.sh",
            "-r../x.sh",
            "-Wl,../x.sh",
            "@../x.sh",
            "file:../x.sh",
            "file:%2E%2E/x%2Esh",
            "-agent:../x.sh=option",
            "set -e; . ../x.sh && true",
            "cd y;../x.sh",
            "$(../x.sh)",
            "A=1 ../x.sh",
            "sh '../x.sh'",
        ] {
            let paths = paths(argument).expect("it is short");
            let mut paths = paths.iter();
            assert!(paths.any(|one| one.path == "../x.sh"), "{argument}");
        }
        assert!(paths(&"a ".repeat(MAX_PATHS + 1)).is_none());
    }

    #[test]
    fn a_search_path_is_found() {
        for (argument, expected) in [
            ("PATH=.", true),
            ("env PATH=. x", true),
            ("cd x;PATH=. x", true),
            ("--PATH=x", false),
            ("MYPATH=x", false),
        ] {
            assert_eq!(sets_path(argument), expected, "{argument}");
        }
    }

    #[test]
    fn data_is_known_by_its_content() {
        let folder = tempfile::tempdir().expect("it is created");
        let root = folder.path().canonicalize().expect("it exists");
        let database = b"SQLite format 3\0\x10\0".as_slice();
        for (name, content) in [
            ("app.db", database),
            ("duck", b"\0\0\0\0\0\0\0\0DUCK@\0".as_slice()),
            ("new.db", b"".as_slice()),
            ("log.json", b"{\"a\": 1}\n{\"a\": 2}\n".as_slice()),
            ("settings", b"run=x\n".as_slice()),
            ("word.json", b"\"x\"".as_slice()),
            ("run.db", database),
            ("load.py", database),
            ("tool", b"#!/bin/sh\n".as_slice()),
        ] {
            std::fs::write(root.join(name), content).expect("it is written");
        }
        for (line, expected, changed) in [
            ("server app.db duck new.db", "app.db duck new.db", ""),
            ("server --db=app.db ./log.json", "app.db", "log.json"),
            ("server settings word.json tool", "", ""),
            ("python3 run.db app.db", "app.db", ""),
            ("env sh -e run.db ./load.py", "", ""),
            ("python3 -m server run.db", "run.db", ""),
            ("sh -c '. ./run.db' app.db", "", ""),
            ("npx -c '. ./run.db' app.db", "app.db", ""),
            ("bash --rcfile ./run.db app.db", "", ""),
        ] {
            let words = shlex::split(line).expect("it is a command line");
            // The description of a server has its words, too.
            let described = [format!("{{\"command\": {words:?}}}")];
            for (may_change, more) in [(false, ""), (true, changed)] {
                let found = data_files(&root, &[&words], &[&described], &[], |_| may_change);
                let names = expected.split_whitespace().chain(more.split_whitespace());
                let names: BTreeSet<PathBuf> = names.map(|name| root.join(name)).collect();
                assert_eq!(found, names, "{line} {may_change}");
            }
        }
        let variable = [r#"{"env":{"FILE":"./log.json"}}"#.to_owned()];
        for (may_change, expected) in [
            (false, BTreeSet::new()),
            (true, [root.join("log.json")].into()),
        ] {
            assert_eq!(
                data_files(&root, &[], &[&variable], &[], |_| may_change),
                expected
            );
        }
    }

    #[test]
    fn a_text_is_data_for_a_script_that_may_change_it() {
        let folder = tempfile::tempdir().expect("it is created");
        let root = folder.path().canonicalize().expect("it exists");
        for name in ["run.sh", "s.py", "s.js", "inspect", "dev", "x.txt", "a.log"] {
            std::fs::write(root.join(name), "echo\n").expect("it is written");
        }
        std::fs::write(root.join("hash.txt"), "#!/bin/sh\n").expect("it is written");
        let check = |lines: &[&str], sets: &[&str], expected: &str| {
            let words = lines.iter().map(|line| shlex::split(line));
            let words: Vec<_> = words.map(|it| it.expect("it is a line")).collect();
            let lines: Vec<&[String]> = words.iter().map(Vec::as_slice).collect();
            let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
            let expected = expected.split_whitespace().map(|name| root.join(name));
            let found = data_files(&root, &lines, &[&sets], &sets, |_| true);
            assert_eq!(found, expected.collect(), "{words:?} {sets:?}");
            let found = data_files(&root, &lines, &[&sets], &sets, |_| false);
            assert!(found.is_empty(), "{words:?}");
        };
        check(&["python3 s.py x.txt --log=a.log"], &[], "x.txt a.log");
        check(&["sh ./run.sh x.txt hash.txt dev"], &[], "x.txt");
        check(&["python3 s.py x.txt"; 2], &["LOG=x"], "x.txt");
        for line in [
            "bash x.txt",
            "python3 x.txt s.py",
            "python3 -X dev x.txt s.py",
            "python3 -W s.py x.txt",
            "node inspect x.txt",
            "node -r ./x.txt s.js",
            "node s.js '. ./x.txt'",
            "bash +O s.py x.txt",
            "sh -c 'sh x.txt'",
            "env sh x.txt",
            "awk -f x.txt a.log",
            "sqlite3 -init x.txt",
            "make -f x.txt",
            "jq -f x.txt",
            "jshell s.js x.txt",
            "server --config=x.txt @x.txt x.txt",
            "npx -y server x.txt",
        ] {
            check(&[line], &[], "");
        }
        check(&["python3 s.py x.txt", "make -f x.txt"], &[], "");
        check(&["node s.js x.txt"], &["NODE_OPTIONS=-r ./x.txt"], "");
        check(&["sh run.sh x.txt"], &["ENV=x.txt"], "");
    }
}
