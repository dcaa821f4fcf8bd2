//! The files that the implementation of a tool names: templates and what they include,
//! programs and scripts beside the tool, files on its command line.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use crate::Tool;
use crate::containment;
use crate::digest::{self, DigestError, Hash};

/// The tags that load another template.
const LOADING_TAGS: [&str; 4] = ["include", "import", "from", "extends"];
/// What may follow the name of a template in such a tag.
const AFTER_NAME: [&str; 6] = ["%}", "-%}", "as", "import", "ignore", "with"];
/// How many templates a tool may load.
const MAX_TEMPLATES: usize = 1_000;

/// The digests of the files that `tool` names, in a project at `root`.
pub(super) fn of(tool: &Tool, root: &Path) -> Value {
    let folder = tool.text().path().parent().unwrap_or(Path::new(""));
    if let Some(line) = tool.command_line() {
        return named(&line.literals(), root, folder);
    }
    if let Some(code) = tool.js() {
        return digest::value(&code.source().into()).to_string().into();
    }
    let templates = Templates::of(tool);
    let all = templates.is_dynamic.then(|| text(digest::package(folder)));
    json!([templates.digests, all])
}

/// The digests of the files in the project at `root` that a command line names, seen
/// from there or from `folder`, or that its programs load. Programs of the system differ
/// between machines.
pub(super) fn named(words: &[String], root: &Path, folder: &Path) -> Value {
    let loads = words.iter().any(|word| containment::loads_modules(word));
    let real_root = root.canonicalize();
    let real_root = real_root.as_deref().unwrap_or(root);
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |path: &str, file: &Path| {
        let real = file.canonicalize();
        if real.is_ok_and(|real| real.starts_with(real_root)) {
            files.insert(path.to_owned(), text(digest::file(file)));
        }
    };
    for word in words {
        for base in [folder, root] {
            let found = containment::named_files(base, word, loads).unwrap_or_default();
            for named in found {
                add(&named.path, &named.file);
            }
        }
    }
    for loaded in containment::loaded_files(words) {
        let path = loaded.path();
        add(&path.display().to_string(), &root.join(path));
    }
    json!(files)
}

/// A digest, or why there is none.
fn text(hash: Result<Hash, DigestError>) -> String {
    hash.map_or_else(|error| error.to_string(), |hash| hash.to_string())
}

/// The templates that a tool loads.
#[derive(Default)]
struct Templates {
    /// Their digests by name, relative to the tool's folder.
    digests: BTreeMap<String, String>,
    /// Whether a tag computes the name of a template.
    is_dynamic: bool,
}

impl Templates {
    fn of(tool: &Tool) -> Self {
        let mut templates = Self::default();
        let mut waiting: Vec<(PathBuf, String)> = Vec::new();
        for (index, source) in tool.templates().iter().enumerate() {
            let text = source.source();
            let own = digest::value(&text.into()).to_string();
            templates.digests.insert(format!("{index}:"), own);
            let parent = source.text().path().parent();
            let folder = tool.text().path().parent();
            let below = parent.zip(folder);
            let below = below.and_then(|(parent, folder)| parent.strip_prefix(folder).ok());
            waiting.push((
                below.unwrap_or(Path::new("")).to_path_buf(),
                text.to_owned(),
            ));
        }
        while let Some((folder, text)) = waiting.pop() {
            let (names, is_dynamic) = loaded_names(&text);
            templates.is_dynamic |= is_dynamic || templates.digests.len() > MAX_TEMPLATES;
            if templates.is_dynamic {
                break;
            }
            for name in names {
                let name = resolve(&folder, &name);
                if templates.digests.contains_key(&name) {
                    continue;
                }
                let partial = tool.partial(&name);
                let text = partial.as_ref().map_or("", |partial| partial.source());
                let hash = digest::value(&json!([partial.is_some(), text])).to_string();
                let parent = Path::new(&name).parent().unwrap_or(Path::new(""));
                waiting.push((parent.to_path_buf(), text.to_owned()));
                templates.digests.insert(name, hash);
            }
        }
        templates
    }
}

/// The path of the template `name`, loaded by one in `folder`: relative to the tool's
/// folder, or to that of the template if it begins with a dot.
fn resolve(folder: &Path, name: &str) -> String {
    if !name.starts_with('.') {
        return name.to_owned();
    }
    let mut path = PathBuf::new();
    for part in folder.join(name).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

/// The names of the templates that `text` loads, and whether it computes one.
fn loaded_names(text: &str) -> (Vec<String>, bool) {
    let mut names = Vec::new();
    let mut is_dynamic = false;
    for (at, _) in text.match_indices("{%") {
        let tag = text[at + 2..].trim_start_matches('-').trim_start();
        let Some(rest) = LOADING_TAGS.iter().find_map(|word| tag.strip_prefix(word)) else {
            continue;
        };
        let rest = rest.trim_start();
        let quote = rest.chars().next().unwrap_or(' ');
        let quoted = rest
            .strip_prefix(['"', '\''])
            .and_then(|rest| rest.split_once(quote));
        match quoted {
            Some((name, after))
                if !name.contains('\\')
                    && AFTER_NAME
                        .iter()
                        .any(|word| after.trim_start().starts_with(word)) =>
            {
                names.push(name.to_owned());
            }
            _ => is_dynamic = true,
        }
    }
    (names, is_dynamic)
}

#[cfg(test)]
mod tests {
    use super::{loaded_names, resolve};

    #[test]
    fn literal_and_computed_names() {
        for (text, names, is_dynamic) in [
            ("{% include \"a.njk\" %}", vec!["a.njk"], false),
            ("{%- extends 'b' -%}", vec!["b"], false),
            (
                "{% import 'b' as c %}{% from \"d\" import e %}",
                vec!["b", "d"],
                false,
            ),
            ("{% include 'x' ignore missing %}", vec!["x"], false),
            ("{% include name %}", vec![], true),
            ("{% include 'a' ~ name %}", vec![], true),
            ("{% include 'a' if b else 'c' %}", vec![], true),
            ("{% include ['a', 'b'] %}", vec![], true),
            ("include 'a' {{ include }} {% if x %}", vec![], false),
        ] {
            let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            assert_eq!(loaded_names(text), (names, is_dynamic), "{text}");
        }
    }

    #[test]
    fn names_are_relative_to_their_template() {
        for (folder, name, expected) in [
            ("", "a.njk", "a.njk"),
            ("b", "a.njk", "a.njk"),
            ("b", "./a.njk", "b/a.njk"),
            ("b/c", "../a.njk", "b/a.njk"),
        ] {
            assert_eq!(
                resolve(folder.as_ref(), name),
                expected,
                "{name} in {folder}"
            );
        }
    }
}
