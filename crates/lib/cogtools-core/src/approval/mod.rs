//! The approval policy: which third-party tools and sources may run.
//!
//! [`trust`](crate::trust) records what the user has approved. This module decides what
//! must be in that record, and every call of a tool goes through it.

mod gate;
mod source;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub use gate::{Approved, approve, approve_call, verdict};
pub use source::{
    ApprovalStatus, Kind, Reviewed, Texts, TrustableSource, may_wait, trust_project,
    trustable_sources,
};

use crate::containment::{self, Boundary, Loaded, MODULES, loaded_files};
pub use crate::containment::{Reason, Uncovered};
use crate::digest::{self, DigestError, Hash};
use crate::file::ReadScope;
use crate::sandbox::Sandbox;
use crate::source::packages;
use crate::store::{Store, StoreError, dependencies};
use crate::text::Text;
use crate::tool::{Author, CommandLine};
use crate::trust::Grant;
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
            Kind::Project { .. } | Kind::Specification(_) => {}
            Kind::Provider(provider) => {
                let settings = provider.settings();
                for line in settings.lines() {
                    found.extend(containment::uncovered(line));
                }
                found.extend(provider.mirror(cx).uncovered());
                found.extend(variables(&settings.env));
            }
            Kind::Package { package, .. } => {
                let root = &package.root;
                for tool in tools(root) {
                    found.extend(of_tool(&tool, root, cx));
                }
                let names = dependencies(root).into_iter();
                let why = Reason::Dependency;
                found.extend(names.map(|what| Uncovered { what, why }));
                let nested = root.join(MODULES);
                if nested.is_dir() {
                    let what = nested.strip_prefix(&cx.root).unwrap_or(&nested);
                    let (what, why) = (what.display().to_string(), Reason::Loaded);
                    found.push(Uncovered { what, why });
                }
            }
        }
        let mut distinct = Vec::new();
        for one in found {
            if !distinct.contains(&one) {
                distinct.push(one);
            }
        }
        distinct
    }

    /// The files of the project that its programs load by themselves, and whose content is
    /// approved with it, as far as they exist.
    pub fn loaded_files(&self, cx: &Context) -> Vec<PathBuf> {
        let loaded = match &self.kind {
            Kind::Project { .. } | Kind::Specification(_) => Vec::new(),
            Kind::Package { package, .. } => loaded_by(&package.root),
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
}

fn check_tool(tool: &Tool, boundary: &Boundary) -> Result<(), Box<Diagnostic>> {
    let Some(line) = tool.command_line() else {
        return Ok(());
    };
    let folder = tool.text().path().parent().unwrap_or(Path::new("/"));
    let mut literals = line.literals();
    // They are found from the tool's folder, never from the working directory.
    for word in literals.iter_mut().skip(1) {
        if let Some(own) = boundary.own_file(word, folder) {
            *word = own.display().to_string();
        }
    }
    let mut checked = boundary.check_arguments(&literals, folder);
    if let Some(program) = line.words.first().and_then(|it| it.literal.as_ref()) {
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
    let is_interpreter = is_interpreter(&line);
    let stdin = line.stdin.iter().map(|word| (1, word));
    for (index, word) in line.words.iter().enumerate().chain(stdin) {
        if word.literal.is_none() && (index == 0 || is_interpreter) {
            found.push(Uncovered {
                what: word.source.clone(),
                why: Reason::Argument,
            });
        }
    }
    found.extend(variables(&tool.env));
    found.extend(of_scripts(tool, &line, root, cx));
    found
}

/// Returns true if a word of `line` is the name of an interpreter.
fn is_interpreter(line: &CommandLine) -> bool {
    let literals = line.literals();
    literals
        .iter()
        .any(|word| containment::is_interpreter(word))
}

/// Returns the text that a call of `line` runs as a script: its own, or standard input of an
/// interpreter.
fn script_of(line: &CommandLine) -> Option<&str> {
    let stdin = line.stdin.as_ref().filter(|_| is_interpreter(line));
    let stdin = stdin.map(|word| word.literal.as_ref().unwrap_or(&word.source));
    line.script.as_ref().or(stdin).map(String::as_str)
}

/// Lists what the script of a tool starts and names. Scripts in the package's other files
/// are its own.
fn of_scripts(tool: &Tool, line: &CommandLine, root: &Path, cx: &Context) -> Vec<Uncovered> {
    let Some(script) = script_of(line) else {
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

/// Returns the sandbox of a call of `tool`, if it has one: a package's tool always does.
pub fn sandbox_of(tool: &Tool) -> Option<Sandbox> {
    let default = || is_of_package(tool).then(Sandbox::default);
    tool.sandbox.clone().or_else(default)
}

/// Returns true if `tool` runs programs and comes from a package, however the project leads to it.
pub fn is_of_package(tool: &Tool) -> bool {
    ToolPackage::of(tool).is_some()
}

/// A package that a tool comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolPackage {
    /// Its name.
    pub name: String,
    /// Its folder, with links resolved.
    pub root: PathBuf,
}

impl ToolPackage {
    /// The package of `tool`, if it runs programs and comes from one, whether by its
    /// folder or through a link.
    fn of(tool: &Tool) -> Option<Self> {
        if !tool.runs_programs() {
            return None;
        }
        let (name, root) = match &tool.provenance.author {
            Author::Package(root) => (tool.provenance.source.clone(), root.clone()),
            Author::Provider | Author::BuiltIn => return None,
            Author::Project | Author::User => {
                packages::containing_package(&tool.text().path().canonicalize().ok()?)?
            }
        };
        Some(Self { name, root })
    }

    /// The grant that its tools need before they run a program, with its current content.
    fn grant(&self) -> Result<Grant, DigestError> {
        let (source, tool) = self.key();
        let hash = digest::package(&self.root)?;
        Ok(Grant { source, tool, hash })
    }

    /// The source and tool under which it is recorded.
    fn key(&self) -> (String, String) {
        let source = format!("npm:{}", self.name);
        (source, self.root.display().to_string())
    }

    /// The grant that the files of the project need that its programs load by themselves,
    /// such as a makefile; `None` if no program of it does so.
    fn loaded_grant(&self, cx: &Context) -> Result<Option<Grant>, DigestError> {
        let loaded = loaded_by(&self.root);
        if loaded.is_empty() {
            return Ok(None);
        }
        let (source, tool) = self.loaded_key(cx);
        let hash = digest::loaded(&cx.root, &loaded)?;
        Ok(Some(Grant { source, tool, hash }))
    }

    /// The source and tool under which the files are recorded that it loads from the project.
    fn loaded_key(&self, cx: &Context) -> (String, String) {
        let source = format!("loaded:{}", cx.root.display());
        (source, self.root.display().to_string())
    }

    /// Fails if a tool of it runs something that is neither in the package nor a program of the
    /// system.
    fn check_contained(&self, cx: &Context) -> Result<(), Box<Diagnostic>> {
        let boundary = boundary(&self.root, cx);
        let tools = tools(&self.root);
        tools
            .iter()
            .try_for_each(|tool| check_tool(tool, &boundary))
    }
}

/// The tools of the package at `root` that run programs, in whichever folder they are.
fn tools(root: &Path) -> Vec<Tool> {
    let files = digest::files(root).unwrap_or_default().into_iter();
    let yaml = files.filter(|file| file.extension().is_some_and(|end| end == "yaml"));
    let scope = ReadScope::package(root, false);
    let tools = yaml.filter_map(|file| {
        let text = Text::read(&root.join(&file), &file, &scope).ok()?;
        Tool::parse(text).ok()
    });
    tools.flat_map(Tool::programs).collect()
}

/// The files of a project that the programs of the package at `root` load by themselves.
fn loaded_by(root: &Path) -> Vec<Loaded> {
    let mut all: Vec<Loaded> = Vec::new();
    for line in tools(root).iter().filter_map(Tool::command_line) {
        let commands = std::iter::once(line.literals()).chain(script_commands(&line));
        for loaded in commands.flat_map(|words| loaded_files(&words)) {
            if !all.contains(&loaded) {
                all.push(loaded);
            }
        }
    }
    all
}

/// The commands of a script, as far as they can be separated.
pub(crate) fn script_commands(line: &CommandLine) -> Vec<Vec<String>> {
    let script = script_of(line).unwrap_or_default();
    let lines = script.lines().skip(usize::from(script.starts_with("#!")));
    let commands = lines.flat_map(|line| line.split([';', '|', '&', '(']));
    let words = commands.map(|command| command.split_whitespace().map(str::to_owned).collect());
    words
        .filter(|words: &Vec<String>| words.first().is_some_and(|word| !word.starts_with('#')))
        .collect()
}

/// The boundary of the installed package in the folder `root`.
fn boundary(root: &Path, cx: &Context) -> Boundary {
    let home = cx.environment.process().get(OsStr::new("HOME"));
    Boundary::new(&cx.root, root, home.map(Path::new))
}

/// `tool` in the private copy of its `package`, whose approved content has this `hash`.
fn private_copy(
    tool: &Tool,
    package: &ToolPackage,
    hash: Hash,
    cx: &Context,
) -> Result<Tool, StoreError> {
    let state = cx.state.as_deref().ok_or(StoreError::Nowhere)?;
    let copy = Store::packages(state).copy_package(&package.name, &package.root, hash)?;
    let below = below(tool.text().path(), &package.root).ok_or(StoreError::Changed)?;
    let scope = ReadScope::package(&copy, tool.text().scope().is_quotable());
    let is_file = below.extension().is_some_and(|end| end == "yaml");
    let text = if is_file {
        Text::read(&copy.join(below), tool.text().display_path(), &scope)
            .map_err(|_| StoreError::Changed)?
    } else {
        // The tool of a script has no file.
        tool.text().clone().at(&copy.join(below)).in_scope(&scope)
    };
    // The tool was read before the package was hashed.
    if text.as_str() != tool.text().as_str() {
        return Err(StoreError::Changed);
    }
    let boundary = boundary(&package.root, cx).with_copy(copy);
    let copied = tool.copied(text, boundary, sandbox_of(tool));
    copied.map_err(|_| StoreError::Changed)
}

/// The path of a tool's file in the package at `root`, through which a folder of the
/// project may lead.
fn below(file: &Path, root: &Path) -> Option<PathBuf> {
    let real = file.canonicalize();
    let paths = [Some(file), real.as_deref().ok()];
    let mut below = paths.into_iter().flatten();
    let below = below.find_map(|path| path.strip_prefix(root).ok())?;
    Some(below.to_path_buf())
}
