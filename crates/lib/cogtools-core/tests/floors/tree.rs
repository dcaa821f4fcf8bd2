//! The modules of the crate, and the imports between them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::paths::{aliases, paths};

/// The path of a module: the names from the root, which is empty.
pub(crate) type Location = Vec<String>;

/// The sources of the crate.
pub(crate) struct Tree {
    texts: BTreeMap<Location, String>,
    /// The imports of each module, by their local names.
    aliases: BTreeMap<Location, BTreeMap<String, Location>>,
}

impl Tree {
    /// The modules below the folder `sources`, without their unit tests.
    pub(crate) fn read(sources: &Path) -> Self {
        let mut files = Vec::new();
        collect(sources, &mut Vec::new(), &mut files);
        Self::new(files)
    }

    /// The modules with these texts.
    pub(crate) fn new(files: Vec<(Location, String)>) -> Self {
        let files = files
            .into_iter()
            .map(|(location, text)| (location, code(&text)));
        let texts: BTreeMap<Location, String> = files.collect();
        let aliases = texts
            .iter()
            .map(|(location, text)| (location.clone(), aliases(text)));
        Self {
            aliases: aliases.collect(),
            texts,
        }
    }

    /// The code of each module.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (String, &str)> {
        let texts = self.texts.iter();
        texts.map(|(location, text)| (location.join("::"), text.as_str()))
    }

    /// The top-level modules.
    pub(crate) fn top(&self) -> BTreeSet<&str> {
        self.texts
            .keys()
            .filter_map(|location| location.first())
            .map(String::as_str)
            .collect()
    }

    /// Every import between modules of which neither contains the other.
    pub(crate) fn imports(&self) -> BTreeSet<(Location, Location)> {
        let mut found = BTreeSet::new();
        for (location, text) in &self.texts {
            for path in paths(text) {
                let target = self.resolve(location, &path, 0);
                if !target.starts_with(location) && !location.starts_with(&target) {
                    found.insert((location.clone(), target));
                }
            }
        }
        found
    }

    /// The module of the item that `path` names in the module at `location`.
    fn resolve(&self, location: &[String], path: &[String], depth: usize) -> Location {
        assert!(depth < 16, "{path:?} in {location:?} names itself");
        let mut here = location.to_vec();
        let mut rest = path;
        while let [first, others @ ..] = rest {
            match first.as_str() {
                "crate" => here.clear(),
                "super" => drop(here.pop()),
                "self" => {}
                _ => break,
            }
            rest = others;
        }
        while let [first, others @ ..] = rest {
            let inner: Location = here.iter().chain([first]).cloned().collect();
            if self.texts.contains_key(&inner) {
                (here, rest) = (inner, others);
                continue;
            }
            return match self.aliases[&here].get(first) {
                Some(path) if self.is_local(&here, path) => self.resolve(&here, path, depth + 1),
                _ => here,
            };
        }
        here
    }

    /// Returns true if `path` begins in this crate.
    fn is_local(&self, here: &[String], path: &[String]) -> bool {
        let Some(first) = path.first() else {
            return false;
        };
        let inner: Location = here.iter().chain([first]).cloned().collect();
        let inside = self.texts.contains_key(&inner) && path.len() > 1;
        inside || matches!(first.as_str(), "crate" | "super" | "self")
    }
}

/// Edges between sibling modules: each import that leaves one of them and enters
/// another, including their descendants.
pub(crate) fn neighbours(
    imports: &BTreeSet<(Location, Location)>,
) -> BTreeMap<Location, BTreeSet<Location>> {
    let mut edges: BTreeMap<Location, BTreeSet<Location>> = BTreeMap::new();
    for (from, to) in imports {
        let common = from
            .iter()
            .zip(to)
            .take_while(|(one, other)| one == other)
            .count();
        let (from, to) = (from[..=common].to_vec(), to[..=common].to_vec());
        edges.entry(from).or_default().insert(to);
    }
    edges
}

/// The code without unit tests and comments.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

fn collect(folder: &Path, location: &mut Location, files: &mut Vec<(Location, String)>) {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    for entry in entries {
        let path = entry.expect("it can be read").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let stem = stem.expect("a name is text").to_owned();
        if path.is_dir() {
            location.push(stem);
            collect(&path, location, files);
            location.pop();
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("a file is text");
            let own = (stem != "mod" && stem != "lib").then_some(stem);
            files.push((location.iter().cloned().chain(own).collect(), text));
        }
    }
}
