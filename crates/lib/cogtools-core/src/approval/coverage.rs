//! Code that a source runs without being covered by its approval, and code that it may not run.

use std::path::{Path, PathBuf};

use super::package::{boundary, loaded_by, script_commands, tools};
use super::source::{Kind, TrustableSource};
use crate::containment::loaded_files;
use crate::containment::{self, Boundary, Reason, Uncovered};
use crate::store::dependencies;
use crate::tool::{CommandLine, Word};
use crate::{Context, Diagnostic, Tool};

/// The ends of names of variables that tell programs which files to load.
const LOADING_VARIABLES: [&str; 14] = [
    "PATH",
    "_OPTIONS",
    "_OPTS",
    "FLAGS",
    "RC",
    "_FILE",
    "_CONFIG",
    "_HOME",
    "PRELOAD",
    "_ENV",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "PERL5LIB",
    "_INIT",
];
/// Maximum number of words of a script that are looked up.
const MAX_WORDS: usize = 4_096;

impl TrustableSource {
    /// Lists what it runs without being covered by its approval: code that programs load by
    /// themselves, dependencies, and files that only a call names.
    pub fn uncovered(&self, cx: &Context) -> Vec<Uncovered> {
        let mut found = Vec::new();
        match &self.kind {
            Kind::Project { .. } => {}
            Kind::Provider(provider) => {
                let settings = provider.settings();
                for line in settings.lines() {
                    found.extend(containment::uncovered(line));
                }
                found.extend(provider.mirror(cx).uncovered());
                found.extend(variables(&settings.env));
            }
            Kind::Package { root, .. } => {
                for tool in tools(root) {
                    found.extend(of_tool(&tool, root, cx));
                }
                let names = dependencies(root).into_iter();
                let why = Reason::Dependency;
                found.extend(names.map(|what| Uncovered { what, why }));
            }
        }
        let mut distinct: Vec<Uncovered> = Vec::new();
        found.retain(|one| {
            let is_new = !distinct.contains(one);
            if is_new {
                distinct.push(one.clone());
            }
            is_new
        });
        found
    }

    /// The files of the project that its programs load by themselves, and whose content is
    /// approved with it, as far as they exist.
    pub fn loaded_files(&self, cx: &Context) -> Vec<PathBuf> {
        let loaded = match &self.kind {
            Kind::Project { .. } => Vec::new(),
            Kind::Package { root, .. } => loaded_by(root),
            Kind::Provider(provider) => {
                let lines = provider.settings().lines();
                lines.into_iter().flat_map(loaded_files).collect()
            }
        };
        let mut files: Vec<PathBuf> = loaded.iter().map(|one| one.path().to_path_buf()).collect();
        files.retain(|file| cx.root.join(file).is_file());
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Fails if a tool of a package runs something that is neither in the package nor a
    /// program of the system.
    pub(super) fn check_contained(&self, cx: &Context) -> Result<(), Box<Diagnostic>> {
        let Kind::Package { root, .. } = &self.kind else {
            return Ok(());
        };
        let boundary = boundary(root, cx);
        tools(root)
            .iter()
            .try_for_each(|tool| check_tool(tool, &boundary))
    }
}

fn check_tool(tool: &Tool, boundary: &Boundary) -> Result<(), Box<Diagnostic>> {
    let Some(line) = tool.command_line() else {
        return Ok(());
    };
    let folder = tool.text().path().parent().unwrap_or(Path::new("/"));
    let literals = line.literals();
    let mut checked = boundary.check_arguments(&literals, folder);
    if let Some(Word::Literal(program)) = line.words.first() {
        let program: PathBuf = folder.join(program).components().collect();
        if program.is_file() {
            checked = checked.and_then(|()| boundary.check_program(&program));
        }
    }
    checked.map_err(|escape| Box::new(escape.diagnostic().with_subject(tool.name().as_str())))
}

/// Lists what `tool` of the package at `root` runs without being covered.
fn of_tool(tool: &Tool, root: &Path, cx: &Context) -> Vec<Uncovered> {
    let Some(line) = tool.command_line() else {
        return Vec::new();
    };
    let mut found = containment::uncovered(&line.literals());
    let is_interpreter = line
        .literals()
        .iter()
        .any(|word| containment::is_interpreter(word));
    for (index, word) in line.words.iter().enumerate() {
        if let Word::Template(source) = word
            && (index == 0 || is_interpreter)
        {
            found.push(Uncovered {
                what: source.clone(),
                why: Reason::Argument,
            });
        }
    }
    found.extend(variables(tool.env()));
    found.extend(of_scripts(tool, &line, root, cx));
    found
}

/// Lists what the script of a tool starts and names. Scripts in the package's other files
/// are its own.
fn of_scripts(tool: &Tool, line: &CommandLine, root: &Path, cx: &Context) -> Vec<Uncovered> {
    let Some(script) = &line.script else {
        return Vec::new();
    };
    let boundary = boundary(root, cx);
    let folder = tool.text().path().parent().unwrap_or(root);
    let commands = script_commands(line);
    let commands = commands.iter();
    let mut found: Vec<Uncovered> = commands
        .flat_map(|words| containment::uncovered(words))
        .collect();
    for word in script.split_whitespace().take(MAX_WORDS) {
        let word = word.trim_matches(['"', '\'', ';', '(', ')', '`']);
        let is_named = !word.is_empty() && boundary.check_argument(word, folder, false).is_err();
        if is_named {
            found.push(Uncovered {
                what: word.to_owned(),
                why: Reason::Named,
            });
        }
    }
    found
}

/// The variables that may name files to load.
fn variables(names: &[String]) -> impl Iterator<Item = Uncovered> {
    let loads = |name: &&String| LOADING_VARIABLES.iter().any(|end| name.ends_with(end));
    names.iter().filter(loads).map(|name| Uncovered {
        what: format!("${name}"),
        why: Reason::Variable,
    })
}
