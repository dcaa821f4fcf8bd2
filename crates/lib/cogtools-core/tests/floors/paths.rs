//! The paths in the code of a module: a parser for the necessary part of Rust.

use std::collections::BTreeMap;

/// Every path that begins with `crate`, `super` or `self`, with groups expanded.
pub(crate) fn paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut before = ' ';
    for (at, letter) in code.char_indices() {
        let begins = !is_ident_char(before) && before != ':';
        let here = &code[at..];
        if begins
            && ["crate::", "super::", "self::"]
                .iter()
                .any(|it| here.starts_with(it))
        {
            found.extend(tree(here).into_iter().map(|(path, _)| path));
        }
        before = letter;
    }
    found
}

/// The imports of a module, by their local names.
pub(crate) fn aliases(code: &str) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for statement in code.split_inclusive(';') {
        let Some(at) = statement.rfind("use ") else {
            continue;
        };
        let alone = statement[..at].chars().next_back();
        if alone.is_none_or(char::is_whitespace) && statement.ends_with(';') {
            let all = tree(&statement[at + "use ".len()..]);
            found.extend(all.into_iter().map(|(path, name)| (name, path)));
        }
    }
    found
}

/// The paths at the beginning of `text`, with their local names.
fn tree(text: &str) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    branch(text, &[], &mut found);
    found
}

/// Adds the paths at the beginning of `text`, below `outer`; returns the rest of the
/// text.
fn branch<'t>(text: &'t str, outer: &[String], found: &mut Vec<(Vec<String>, String)>) -> &'t str {
    let mut path = outer.to_vec();
    let mut rest = text.trim_start();
    loop {
        if let Some(group) = rest.strip_prefix('{') {
            rest = group.trim_start();
            while !rest.is_empty() && !rest.starts_with('}') {
                rest = branch(rest, &path, found).trim_start();
                rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
            }
            return rest.strip_prefix('}').unwrap_or(rest);
        }
        let end = rest.find(|c| !is_ident_char(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        if word.is_empty() {
            // `*`, or no path: skip at least one character.
            return rest.get(1..).unwrap_or_default();
        }
        // In a group, `self` is the path before it.
        if word != "self" || path.is_empty() {
            path.push(word.to_owned());
        }
        if let Some(inner) = behind.strip_prefix("::") {
            rest = inner;
            continue;
        }
        let mut name = path.last().cloned().unwrap_or_default();
        let mut behind = behind;
        if let Some(alias) = behind.strip_prefix(" as ") {
            let end = alias.find(|c| !is_ident_char(c)).unwrap_or(alias.len());
            alias[..end].clone_into(&mut name);
            behind = &alias[end..];
        }
        found.push((path, name));
        return behind;
    }
}

fn is_ident_char(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
