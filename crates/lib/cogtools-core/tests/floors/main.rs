//! Permitted imports: the floors of `docs/reference/modules.md`, and no cycles.

mod paths;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use tree::{Location, Tree, neighbours};

/// The page with the table, from the crate.
const PAGE: &str = "../../../docs/reference/modules.md";

/// The crates with floors, from the ground up; cargo itself keeps their order.
const CRATES: [&str; 3] = ["cogtools-document", "cogtools-process", "cogtools-core"];

/// The modules of one of `CRATES`.
fn sources(name: &str) -> Tree {
    let libraries = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    Tree::read(&libraries.join(name).join("src"))
}

/// The floor of each module in the table of the page.
fn floors() -> BTreeMap<String, usize> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let text = fs::read_to_string(page).expect("the page exists");
    let rows = text.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let floor = cells.next()?.parse().ok()?;
        let module = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        Some((module.to_owned(), floor))
    });
    rows.collect()
}

/// The imports from a floor to a higher one.
fn upward(tree: &Tree, floors: &BTreeMap<String, usize>) -> Vec<String> {
    let above = |(from, to): &(Location, Location)| floors[&from[0]] < floors[&to[0]];
    let imports = tree.imports().into_iter().filter(above);
    let complaint = |(from, to): (Location, Location)| {
        format!("{} must not import {}", from.join("::"), to.join("::"))
    };
    imports.map(complaint).collect()
}

/// A cycle of sibling modules, if there is one.
fn cycle(edges: &BTreeMap<Location, BTreeSet<Location>>) -> Option<Vec<String>> {
    fn walk<'e>(
        at: &'e Location,
        edges: &'e BTreeMap<Location, BTreeSet<Location>>,
        path: &mut Vec<&'e Location>,
        done: &mut BTreeSet<&'e Location>,
    ) -> bool {
        if let Some(start) = path.iter().position(|one| *one == at) {
            path.drain(..start);
            return true;
        }
        if !done.insert(at) {
            return false;
        }
        path.push(at);
        let mut targets = edges.get(at).into_iter().flatten();
        let found = targets.any(|target| walk(target, edges, path, done));
        if !found {
            path.pop();
        }
        found
    }
    let mut done = BTreeSet::new();
    edges.keys().find_map(|start| {
        let mut path = Vec::new();
        let found = walk(start, edges, &mut path, &mut done);
        found.then(|| path.iter().map(|location| location.join("::")).collect())
    })
}

#[test]
fn every_module_has_a_floor() {
    let floors = floors();
    let named: BTreeSet<&str> = floors.keys().map(String::as_str).collect();
    let trees = CRATES.map(sources);
    let modules: BTreeSet<&str> = trees.iter().flat_map(Tree::top).collect();
    assert_eq!(named, modules);
}

#[test]
fn no_module_imports_one_from_a_higher_floor() {
    let floors = floors();
    let trees = CRATES.map(sources);
    let upward: Vec<String> = trees
        .iter()
        .flat_map(|tree| upward(tree, &floors))
        .collect();
    assert!(upward.is_empty(), "{}", upward.join("\n"));
}

#[test]
fn no_modules_import_each_other() {
    for name in CRATES {
        let imports = sources(name).imports();
        assert!(imports.len() > 20, "{name}: only {} imports", imports.len());
        assert_eq!(cycle(&neighbours(&imports)), None, "{name}");
    }
}

/// Implementations are called only through `Approved`.
#[test]
fn only_the_approval_gate_calls_implementations() {
    let tree = sources("cogtools-core");
    let users = |words: &[&str]| {
        let joined = |text: &str| text.split_whitespace().collect::<String>();
        let has = |text: &str| words.iter().any(|word| joined(text).contains(word));
        let texts = tree.texts().filter(|(_, text)| has(text));
        texts.map(|(module, _)| module).collect::<Vec<_>>()
    };
    assert_eq!(users(&[".implementation()"]), ["approval::gate"]);
    assert_eq!(users(&[".implementation().call("]), ["approval::gate"]);
    assert_eq!(users(&[".implementation."]), ["tool"]);
    assert_eq!(users(&[".implementation.call("]), [""; 0]);
    let kinds = ["js", "exec", "script", "agent", "flow", "foreign"];
    let calls = kinds.map(|kind| format!("{kind}.call("));
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    assert_eq!(users(&calls), ["tool::implementation"]);
    let tool = tree.texts().find(|(module, _)| module == "tool");
    let (_, tool) = tool.expect("there is a module for tools");
    assert!(
        tool.contains("\n    implementation: Implementation,\n"),
        "the implementation is private"
    );
    assert!(
        tool.contains("\n    pub(crate) const fn implementation(&self)"),
        "and its getter is private to the crate"
    );
}

/// The tests above find what they look for.
#[test]
fn imports_and_cycles_are_found() {
    let file = |location: &str, text: &str| {
        let location = location.split("::").filter(|part| !part.is_empty());
        (location.map(str::to_owned).collect(), text.to_owned())
    };
    let tree = Tree::new(vec![
        file(
            "",
            "mod a; mod b;\npub use b::{inner::Deep, Top as Peak};\n",
        ),
        file(
            "a",
            "use crate::{Deep, b::{self, Top}};\n// use crate::x;\n",
        ),
        file("a::one", "use super::two::Two;\nuse std::fmt;\n"),
        file(
            "a::two",
            "#[error(\"{}\", super::one::MOST)]\n#[cfg(test)]\nmod tests { crate::b }",
        ),
        file("b", "mod inner;\nuse crate::Peak;\n"),
        file("b::inner", "use super::Top;\n"),
    ]);
    let imports = tree.imports().into_iter();
    let imports: Vec<String> = imports
        .map(|(from, to)| format!("{} {}", from.join("::"), to.join("::")))
        .collect();
    let expected = ["a b", "a b::inner", "a::one a::two", "a::two a::one"];
    assert_eq!(imports, expected);
    let found = cycle(&neighbours(&tree.imports()));
    assert_eq!(found, Some(vec!["a::one".to_owned(), "a::two".to_owned()]));
    let floors = [("a".to_owned(), 0), ("b".to_owned(), 1)].into();
    let upward = upward(&tree, &floors);
    assert_eq!(
        upward,
        ["a must not import b", "a must not import b::inner"]
    );
}
