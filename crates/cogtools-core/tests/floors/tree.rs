//! The modules of the crate, and what each of them imports of the others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::paths::{aliases, paths};

/// Where a module is: the names on the way from the root, which is empty.
pub(crate) type Location = Vec<String>;

/// The sources of the crate.
pub(crate) struct Tree {
    texts: BTreeMap<Location, String>,
    /// What each module knows by a name of its own, by `use`.
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

    /// The modules right below the root.
    pub(crate) fn top(&self) -> BTreeSet<&str> {
        self.texts
            .keys()
            .filter_map(|location| location.first())
            .map(String::as_str)
            .collect()
    }

    /// Every import of a module by another, except by what is around it or in it.
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

    /// The module that has what `path` names in the module at `location`.
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
                Some(path) if self.leads_on(&here, path) => self.resolve(&here, path, depth + 1),
                _ => here,
            };
        }
        here
    }

    /// Whether `path` begins with one of ours, and not with another crate.
    fn leads_on(&self, here: &[String], path: &[String]) -> bool {
        let Some(first) = path.first() else {
            return false;
        };
        let inner: Location = here.iter().chain([first]).cloned().collect();
        let inside = self.texts.contains_key(&inner) && path.len() > 1;
        inside || matches!(first.as_str(), "crate" | "super" | "self")
    }
}

/// Edges between modules that lie side by side: where an import leaves one of them
/// and enters another, each with all that is inside of it.
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
