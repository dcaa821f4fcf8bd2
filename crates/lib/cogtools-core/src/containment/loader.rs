//! Programs that run code which no approval covers: scripts, settings and modules that
//! they find in the working directory, and commands that they get as text.

use std::path::Path;

use super::programs::{self, Loader, avoids_scripts, is_code_option};
use super::uncovered::{Reason, Uncovered};

/// What approval covers of a file that a program loads.
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
    let name = [".exe", ".cmd", ".bat", ".com"]
        .iter()
        .find_map(|end| lower.strip_suffix(end))
        .unwrap_or(&lower);
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    if plain.is_empty() { name } else { plain }.to_owned()
}

/// Whether the program `word` is an interpreter.
pub fn is_interpreter(word: &str) -> bool {
    programs::is_interpreter(&program_name(word))
}

/// Whether the program `word` is an interpreter that also runs a file without its
/// extension, or a folder.
pub fn loads_modules(word: &str) -> bool {
    programs::is_module_loader(&program_name(word))
}

/// What a literal command line runs without being covered.
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
            let is_shell = programs::is_shell(&program_name(name));
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

/// Whether a literal command line runs a program that works on the project's folder as it
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
    let names_script = !words.iter().any(|word| avoids_scripts(word));
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
