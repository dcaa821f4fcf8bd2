//! The package that a tool comes from, which is approved as a whole.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::containment::{Boundary, Loaded, loaded_files};
use crate::digest::{self, DigestError, Hash};
use crate::file::ReadScope;
use crate::source::packages;
use crate::store::{Store, StoreError};
use crate::text::Text;
use crate::tool::{Author, CommandLine};
use crate::trust::Grant;
use crate::{Context, Tool};

/// A package that a tool comes from.
#[derive(Clone, Debug)]
pub(super) struct ToolPackage {
    pub(super) name: String,
    /// Its folder, with links resolved.
    pub(super) root: PathBuf,
}

impl ToolPackage {
    /// The package of `tool`, if it runs programs and comes from one, whether by its
    /// folder or through a link.
    pub(super) fn of(tool: &Tool) -> Option<Self> {
        if !tool.runs_programs() {
            return None;
        }
        let (name, root) = match &tool.provenance().author {
            Author::Package(root) => (tool.provenance().source.clone(), root.clone()),
            Author::Provider | Author::BuiltIn => return None,
            Author::Project | Author::User => {
                packages::containing_package(&tool.text().path().canonicalize().ok()?)?
            }
        };
        Some(Self { name, root })
    }

    /// The grant that its tools need before they run a program.
    pub(super) fn grant(&self) -> Result<Grant, DigestError> {
        grant(&self.name, &self.root)
    }

    /// The grant that the files of the project need that its programs load by themselves,
    /// such as a makefile; `None` if no program of it does so.
    pub(super) fn loaded_grant(&self, cx: &Context) -> Result<Option<Grant>, DigestError> {
        let loaded = loaded_by(&self.root);
        if loaded.is_empty() {
            return Ok(None);
        }
        let (source, tool) = loaded_key(&self.root, cx);
        let hash = digest::loaded(&cx.root, &loaded)?;
        Ok(Some(Grant { source, tool, hash }))
    }
}

/// The grant for the package `name` in the folder `root`, with its current content.
pub(super) fn grant(name: &str, root: &Path) -> Result<Grant, DigestError> {
    let (source, tool) = key(name, root);
    let hash = digest::package(root)?;
    Ok(Grant { source, tool, hash })
}

/// The source and tool under which the package is recorded.
pub(super) fn key(name: &str, root: &Path) -> (String, String) {
    (format!("npm:{name}"), root.display().to_string())
}

/// The source and tool under which the files are recorded that the package at `root` loads
/// from the project.
pub(super) fn loaded_key(root: &Path, cx: &Context) -> (String, String) {
    let source = format!("loaded:{}", cx.root.display());
    (source, root.display().to_string())
}

/// The tools of the package at `root` that run programs, in whichever folder they are.
pub(super) fn tools(root: &Path) -> Vec<Tool> {
    let files = digest::files(root).unwrap_or_default().into_iter();
    let yaml = files.filter(|file| file.extension().is_some_and(|end| end == "yaml"));
    let scope = ReadScope::package(root, false);
    yaml.filter_map(|file| {
        let text = Text::read(&root.join(&file), &file, &scope).ok()?;
        Tool::parse(text).ok().filter(Tool::runs_programs)
    })
    .collect()
}

/// The files of a project that the programs of the package at `root` load by themselves.
pub(super) fn loaded_by(root: &Path) -> Vec<Loaded> {
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
pub(super) fn script_commands(line: &CommandLine) -> Vec<Vec<String>> {
    let script = line.script.as_deref().unwrap_or_default();
    let commands = script
        .lines()
        .skip(1)
        .flat_map(|line| line.split([';', '|', '&', '(']));
    let words = commands.map(|command| command.split_whitespace().map(str::to_owned).collect());
    words
        .filter(|words: &Vec<String>| words.first().is_some_and(|word| !word.starts_with('#')))
        .collect()
}

/// The boundary of the installed package in the folder `root`.
pub(super) fn boundary(root: &Path, cx: &Context) -> Boundary {
    let home = cx.environment.process().get(OsStr::new("HOME"));
    Boundary::new(&cx.root, root, home.map(Path::new))
}

/// `tool` in the private copy of its `package`, whose approved content has this `hash`.
pub(super) fn private_copy(
    tool: &Tool,
    package: &ToolPackage,
    hash: Hash,
    cx: &Context,
) -> Result<Tool, StoreError> {
    let state = cx.state.as_deref().ok_or(StoreError::Nowhere)?;
    let copy = Store::packages(state).copy_package(&package.name, &package.root, hash)?;
    let below = below(tool.text().path(), &package.root).ok_or(StoreError::Changed)?;
    let scope = ReadScope::package(&copy, tool.text().scope().is_quotable());
    let text = Text::read(&copy.join(below), tool.text().display_path(), &scope)
        .map_err(|_| StoreError::Changed)?;
    // The tool was read before the package was hashed.
    if text.as_str() != tool.text().as_str() {
        return Err(StoreError::Changed);
    }
    let boundary = boundary(&package.root, cx).with_copy(copy);
    tool.copied(text, boundary).map_err(|_| StoreError::Changed)
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
