//! The files of a project that a provider's command lines run, with those beside them.
//!
//! A script imports files beside it, so its whole folder is covered by the approval, and
//! copied. The copy has the layout of the project: links lead from it to everything else,
//! so that a path such as `../shared` leads where it did.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use cogtools_document::file::ReadScope;
use sha2::{Digest as _, Sha256};

use super::StoreError;
use crate::containment::{
    MODULES, NamedFile, Reason, Uncovered, argument_starts, is_excluded, loads_modules,
    named_files, read_first_line, runs_in_place, searched_program,
};
use crate::digest::{self, DigestError, Hash, MAX_BYTES, MAX_FILES, add_part};

/// The covered files of a project.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// The project, without links.
    pub(super) root: PathBuf,
    /// Where the command lines start.
    directory: PathBuf,
    /// Covered parts, sorted; no part is in another one's content.
    pub(super) units: Vec<Unit>,
    /// The words of the command lines that name files of the project, as they were when these
    /// were found: a file that disappears later must not be searched again.
    named: BTreeMap<String, Named>,
    /// Files that are named and not covered.
    uncovered: Vec<Uncovered>,
    /// Files that are named and used where they are, without links.
    data: BTreeSet<PathBuf>,
    /// The folder of a plugin that cannot be covered, so that nothing of it may run.
    too_large: Option<PathBuf>,
}

/// A word that ends in the path of a file.
#[derive(Clone, Debug)]
struct Named {
    /// Where the path starts in the word.
    start: usize,
    /// The path below the root.
    path: PathBuf,
    /// The file, which may have another path: an interpreter adds an extension.
    file: PathBuf,
}

impl Mirror {
    /// Collects what the command `lines`, which start in `directory`, run of the project, and the
    /// whole folder of a `plugin`, a path without links. Files in `data` are not covered.
    pub fn of(
        root: &Path,
        directory: &Path,
        lines: &[&[String]],
        plugin: Option<&Path>,
        data: BTreeSet<PathBuf>,
    ) -> Self {
        let real = root.canonicalize();
        let mut mirror = Self {
            root: real.unwrap_or_else(|_| root.to_path_buf()),
            directory: directory.to_path_buf(),
            units: Vec::new(),
            named: BTreeMap::new(),
            uncovered: Vec::new(),
            data,
            too_large: None,
        };
        let mut left = Walked::limit();
        if let Some(folder) = plugin {
            mirror.add_plugin(folder, &mut left);
        }
        let mut files = BTreeSet::new();
        for line in lines.iter().filter(|line| !runs_in_place(line)) {
            mirror.add_line(line, &mut files);
        }
        mirror.add_units(&files, &mut left);
        mirror
    }

    /// Adds all files of the plugin in `folder`, if that is in the project: with the packages in it,
    /// unless they are too many.
    fn add_plugin(&mut self, folder: &Path, left: &mut Limit) {
        let Ok(below) = folder.strip_prefix(&self.root) else {
            return;
        };
        let unit = [true, false].into_iter().find_map(|has_modules| {
            let walked = Walked::folder(&self.root, below, has_modules, left)?;
            Some(Unit::folder(below, has_modules, walked))
        });
        match unit {
            Some(unit) => self.units.push(unit),
            None => self.too_large = Some(folder.to_path_buf()),
        }
    }

    /// Returns true if nothing of the project is covered.
    pub const fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// The name of the project's folder.
    pub(super) fn name(&self) -> &OsStr {
        self.root.file_name().unwrap_or(OsStr::new("project"))
    }

    /// The covered files, relative to the project.
    pub fn files(&self) -> Vec<PathBuf> {
        let files = self.units.iter().flat_map(|unit| &unit.walked.files);
        files.cloned().collect()
    }

    /// The files that are used where they are, without links.
    pub const fn data(&self) -> &BTreeSet<PathBuf> {
        &self.data
    }

    /// Lists what may be loaded from the project, or used, without being covered.
    pub fn uncovered(&self) -> Vec<Uncovered> {
        let mut found = self.uncovered.clone();
        found.extend(self.linked_modules().map(|below| {
            let (what, why) = (below.display().to_string(), Reason::Loaded);
            Uncovered { what, why }
        }));
        for unit in &self.units {
            let why = if unit.is_too_large {
                Reason::Large
            } else {
                Reason::Loaded
            };
            let what = unit.describe_rest();
            found.push(Uncovered { what, why });
            for link in &unit.walked.links {
                let target = self.root.join(link).canonicalize();
                if target.is_ok_and(|target| !self.covers(&target)) {
                    let what = link.display().to_string();
                    let why = Reason::Link;
                    found.push(Uncovered { what, why });
                }
            }
        }
        found.extend(self.data.iter().map(|file| {
            let what = file.strip_prefix(&self.root).unwrap_or(file);
            let what = what.display().to_string();
            let why = Reason::Data;
            Uncovered { what, why }
        }));
        found
    }

    /// The command `line` with the paths of the project's copy in the folder `copy`.
    pub fn relocate(&self, line: &[String], copy: &Path) -> Vec<String> {
        if runs_in_place(line) {
            return line.to_vec();
        }
        let program = searched_program(line);
        let is_covered = |file: &Path| self.units.iter().any(|unit| unit.contains(file));
        let words = line.iter().enumerate();
        words
            .map(|(index, word)| match self.named.get(word) {
                Some(named) if Some(index) != program && is_covered(&named.file) => {
                    let path = copy.join(&named.path);
                    format!("{}{}", &word[..named.start], path.display())
                }
                _ => word.clone(),
            })
            .collect()
    }

    /// The path in `word` that reaches to its end and names a file of the project.
    fn find(&self, word: &str, is_module: bool) -> Option<Named> {
        let named = named_files(&self.directory, word, is_module)?;
        argument_starts(word).into_iter().find_map(|start| {
            let text = &word[start..];
            let one = named.iter().find(|one| one.path == text)?;
            let file = self.below(&one.file)?;
            let path = self.below(&self.directory.join(text))?;
            Some(Named { start, path, file })
        })
    }

    /// Adds the files that `line` names to `files`, relative to the root.
    fn add_line(&mut self, line: &[String], files: &mut BTreeSet<PathBuf>) {
        let is_module = line.iter().any(|word| loads_modules(word));
        let program = searched_program(line);
        for (index, word) in line.iter().enumerate() {
            if Some(index) == program {
                continue;
            }
            let found = self.find(word, is_module);
            let found = found.filter(|named| !self.is_data(&named.file));
            let moved = found.as_ref().map(|named| named.file.clone());
            self.named.extend(found.map(|named| (word.clone(), named)));
            let named = named_files(&self.directory, word, is_module).unwrap_or_default();
            for NamedFile { path, file } in named {
                let Some(below) = self.below(&file) else {
                    if self.is_written_below(&path) {
                        self.add_in_place(path);
                    }
                    continue;
                };
                if self.is_data(&below) {
                    continue;
                }
                if moved.as_ref() != Some(&below) {
                    self.add_in_place(path);
                    continue;
                }
                self.add_interpreter(&file, files);
                let target = self.root.join(&below).canonicalize();
                files.extend(target.ok().and_then(|target| self.below(&target)));
                files.insert(below);
            }
        }
    }

    /// Adds the files that the first line of a script names, which are run where they are.
    fn add_interpreter(&mut self, script: &Path, files: &mut BTreeSet<PathBuf>) {
        let line = read_first_line(script).map(|line| line.words());
        for word in line.unwrap_or_default() {
            let named = named_files(&self.directory, &word, false).unwrap_or_default();
            for NamedFile { path, file } in named {
                if let Some(below) = self.below(&file) {
                    files.insert(below);
                    self.add_in_place(path);
                }
            }
        }
    }

    fn add_in_place(&mut self, what: String) {
        let why = Reason::InPlace;
        self.uncovered.push(Uncovered { what, why });
    }

    /// Returns true if `path` names a file outside the project by a way that the project decides.
    fn is_written_below(&self, path: &str) -> bool {
        Path::new(path).is_relative() || Path::new(path).starts_with(&self.root)
    }

    /// Adds the folders of `files`, as long as they are small enough.
    fn add_units(&mut self, files: &BTreeSet<PathBuf>, left: &mut Limit) {
        let folders = files.iter().map(|file| unit_folder(file));
        let folders = folders.filter(|folder| !folder.as_os_str().is_empty());
        let folders: BTreeSet<PathBuf> = folders.collect();
        let mut too_large = BTreeSet::new();
        for folder in &folders {
            if self.units.iter().any(|unit| unit.contains(folder)) {
                continue;
            }
            match Walked::folder(&self.root, folder, false, left) {
                Some(mut walked) => {
                    walked.files.retain(|file| !self.is_data(file));
                    self.units.push(Unit::folder(folder, false, walked));
                }
                None => {
                    too_large.insert(folder);
                }
            }
        }
        for file in files {
            if self.units.iter().any(|unit| unit.contains(file)) {
                continue;
            }
            let is_too_large = too_large.contains(&unit_folder(file));
            match Walked::file(&self.root, file, left) {
                Some(walked) => self.units.push(Unit::file(file, walked, is_too_large)),
                None => self.add_in_place(file.display().to_string()),
            }
        }
        self.units.sort_by(|one, other| one.path.cmp(&other.path));
    }

    /// Returns true if the file at `below` the root is data.
    fn is_data(&self, below: &Path) -> bool {
        let file = self.root.join(below).canonicalize();
        file.is_ok_and(|file| self.data.contains(&file))
    }

    /// `path` relative to the root, with the links of its folder resolved.
    fn below(&self, path: &Path) -> Option<PathBuf> {
        let folder = path.parent()?.canonicalize().ok()?;
        let Component::Normal(name) = path.components().next_back()? else {
            return None;
        };
        let below = folder.strip_prefix(&self.root).ok()?;
        Some(below.join(name))
    }

    /// Returns true if the file at `path`, without links, is covered.
    fn covers(&self, path: &Path) -> bool {
        path.strip_prefix(&self.root)
            .is_ok_and(|below| self.units.iter().any(|unit| unit.contains(below)))
    }
}

/// The folder that is covered with the `file`: the one that it is in, or its package.
fn unit_folder(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(Path::new(""));
    let names: Vec<&OsStr> = folder.iter().collect();
    let Some(modules) = names.iter().rposition(|name| *name == MODULES) else {
        return folder.to_path_buf();
    };
    let is_scope = |name: &&OsStr| name.as_encoded_bytes().starts_with(b"@");
    let length = 2 + usize::from(names.get(modules + 1).is_some_and(is_scope));
    names.iter().take(modules + length).collect()
}

/// A part of a project that an approval covers.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// The folder or the file, relative to the root.
    pub(super) path: PathBuf,
    pub(super) is_folder: bool,
    /// True if the packages that are installed in it are covered, too.
    has_modules: bool,
    /// True if it is a file in a folder that is too large to be covered.
    pub(super) is_too_large: bool,
    /// Its content.
    pub(super) walked: Walked,
}

/// The files and links in a part of a project, relative to its root.
#[derive(Clone, Debug, Default)]
pub(super) struct Walked {
    /// All of them, sorted.
    pub(super) files: Vec<PathBuf>,
    /// The links among them.
    pub(super) links: Vec<PathBuf>,
}

/// Files and bytes that may still be covered.
pub(super) struct Limit {
    files: usize,
    bytes: u64,
}

/// The folder in which Python stores compiled modules, which it can do without.
const COMPILED: &str = "__pycache__";

impl Unit {
    pub(super) fn folder(path: &Path, has_modules: bool, walked: Walked) -> Self {
        Self {
            path: path.to_path_buf(),
            is_folder: true,
            has_modules,
            is_too_large: false,
            walked,
        }
    }

    pub(super) fn file(path: &Path, walked: Walked, is_too_large: bool) -> Self {
        Self {
            path: path.to_path_buf(),
            is_folder: false,
            has_modules: false,
            is_too_large,
            walked,
        }
    }

    /// Returns true if `path` is covered with it.
    pub(super) fn contains(&self, path: &Path) -> bool {
        path.strip_prefix(&self.path).is_ok_and(|below| {
            let is_content = |name| !is_left_out(name, self.has_modules);
            below.as_os_str().is_empty() || self.is_folder && below.iter().all(is_content)
        })
    }

    /// Describes what is not covered with it.
    pub(super) fn describe_rest(&self) -> String {
        let path = self.path.display();
        if self.is_folder {
            format!("files outside `{path}`")
        } else {
            format!("files beside `{path}`")
        }
    }
}

impl Walked {
    pub(super) const fn limit() -> Limit {
        Limit {
            files: MAX_FILES,
            bytes: MAX_BYTES,
        }
    }

    /// The content of the folder `path` below `root`; `None` if that is more than is `left`.
    pub(super) fn folder(
        root: &Path,
        path: &Path,
        has_modules: bool,
        left: &mut Limit,
    ) -> Option<Self> {
        let mut walked = Self::default();
        let (files, bytes) = (left.files, left.bytes);
        if walked.add_folder(root, path, has_modules, left).is_none() {
            *left = Limit { files, bytes };
            return None;
        }
        walked.files.sort_unstable();
        Some(walked)
    }

    /// The file at `path` alone.
    pub(super) fn file(root: &Path, path: &Path, left: &mut Limit) -> Option<Self> {
        let mut walked = Self::default();
        walked.add(root, path.to_path_buf(), left)?;
        Some(walked)
    }

    fn add_folder(
        &mut self,
        root: &Path,
        folder: &Path,
        has_modules: bool,
        left: &mut Limit,
    ) -> Option<()> {
        for entry in fs::read_dir(root.join(folder)).ok()? {
            let entry = entry.ok()?;
            let path = folder.join(entry.file_name());
            if !entry.file_type().ok()?.is_dir() {
                self.add(root, path, left)?;
            } else if !is_left_out(&entry.file_name(), has_modules) {
                self.add_folder(root, &path, has_modules, left)?;
            }
        }
        Some(())
    }

    fn add(&mut self, root: &Path, path: PathBuf, left: &mut Limit) -> Option<()> {
        let meta = root.join(&path).symlink_metadata().ok()?;
        left.files = left.files.checked_sub(1)?;
        if meta.is_symlink() {
            self.links.push(path.clone());
        } else if meta.is_file() {
            left.bytes = left.bytes.checked_sub(meta.len())?;
        } else {
            // A socket or a pipe cannot be copied, and nothing loads it.
            return Some(());
        }
        self.files.push(path);
        Some(())
    }
}

/// Returns true if a folder of that name is not covered with the one that it is in.
fn is_left_out(name: &OsStr, has_modules: bool) -> bool {
    is_excluded(name) && !(has_modules && name == MODULES) || name == COMPILED
}

impl Mirror {
    /// The digest of what is covered.
    pub fn digest(&self) -> Result<Hash, DigestError> {
        self.hash(None)
    }

    /// Copies what is covered to the folder `temp`, later found at `path`, and returns the
    /// digest of what was copied.
    pub(super) fn copy(&self, temp: &Path, path: &Path) -> Result<Hash, StoreError> {
        let hash = self.hash(Some((temp, path)))?;
        let failed = |error| StoreError::Io(temp.to_path_buf(), error);
        // The packages that are installed in covered folders, or will be.
        let mut modules = self.linked_modules();
        modules
            .try_for_each(|below| self.link(&below, temp))
            .map_err(failed)?;
        Ok(hash)
    }

    /// Links everything else of the project where it is in the layout. What was added to
    /// the project since the copy was made is added to it, too.
    pub(super) fn link_rest(&self, copy: &Path) -> io::Result<()> {
        let units = self.units.iter();
        let folders = units.flat_map(|unit| unit.path.ancestors().skip(1));
        let folders: BTreeSet<&Path> = folders.collect();
        for folder in &folders {
            let is_covered = self.units.iter().any(|unit| unit.contains(folder));
            for entry in fs::read_dir(self.root.join(folder))? {
                let name = entry?.file_name();
                let below = folder.join(&name);
                let is_known = folders.contains(below.as_path())
                    || self.units.iter().any(|unit| unit.path == below)
                    || is_covered && name != *MODULES;
                if !is_known {
                    self.link(&below, copy)?;
                }
            }
        }
        Ok(())
    }

    /// The folders that are covered, with those in them.
    pub(super) fn folders(&self) -> BTreeSet<&Path> {
        let units = self.units.iter().filter(|unit| unit.is_folder);
        let folders = units.flat_map(|unit| {
            let folders = unit.walked.files.iter();
            let folders = folders.flat_map(|file| file.ancestors().skip(1));
            folders.filter(|folder| folder.starts_with(&unit.path))
        });
        folders.collect()
    }

    fn hash(&self, copy: Option<(&Path, &Path)>) -> Result<Hash, DigestError> {
        if let Some(folder) = &self.too_large {
            return Err(DigestError::TooLarge(folder.clone()));
        }
        let mut hasher = Sha256::new();
        for file in self.units.iter().flat_map(|unit| &unit.walked.files) {
            let failed = |error| DigestError::Io(self.root.join(file), error);
            let target = copy.map(|(temp, _)| temp.join(file));
            if let Some(folder) = target.as_deref().and_then(Path::parent) {
                fs::create_dir_all(folder).map_err(failed)?;
            }
            add_part(&mut hasher, file.as_os_str().as_encoded_bytes());
            let path = self.root.join(file);
            if path.is_symlink() {
                let link = self.target(&path).map_err(failed)?;
                add_part(&mut hasher, b"link");
                add_part(&mut hasher, link.as_os_str().as_encoded_bytes());
                if let (Some(target), Some((_, later))) = (&target, copy) {
                    digest::link(&later.join(link), target, path.is_dir()).map_err(failed)?;
                }
                continue;
            }
            add_part(&mut hasher, b"file");
            let scope = ReadScope::project(&self.root);
            match target {
                Some(target) => digest::copy_file(&mut hasher, (&path, &scope), &target)?,
                None => digest::add_file(&mut hasher, &path, &scope)?,
            }
        }
        Ok(Hash::of(hasher))
    }

    /// Where a link leads: below the root, or an absolute path outside it.
    fn target(&self, link: &Path) -> io::Result<PathBuf> {
        let written = fs::read_link(link)?;
        let folder = link.parent().unwrap_or(&self.root);
        let target = folder.join(written);
        let target = target.canonicalize().unwrap_or(target);
        let below = target.strip_prefix(&self.root).map(Path::to_path_buf);
        Ok(below.unwrap_or(target))
    }

    /// The folders of packages in covered folders that are not covered, below the root.
    fn linked_modules(&self) -> impl Iterator<Item = PathBuf> {
        let folders = self.folders().into_iter();
        folders.filter_map(|folder| {
            let below = folder.join(MODULES);
            let mut units = self.units.iter();
            let is_covered = units.any(|it| it.contains(&below) || it.path.starts_with(&below));
            let is_package = self.root.join(folder).join("package.json").is_file();
            let is_linked = !is_covered && (is_package || self.root.join(&below).is_dir());
            is_linked.then_some(below)
        })
    }

    /// Links the file or folder `below` the root in the `copy`, unless something is there.
    fn link(&self, below: &Path, copy: &Path) -> io::Result<()> {
        let (original, link) = (self.root.join(below), copy.join(below));
        if link.symlink_metadata().is_ok() {
            return Ok(());
        }
        match digest::link(&original, &link, original.is_dir()) {
            // Another call was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            linked => linked,
        }
    }
}
