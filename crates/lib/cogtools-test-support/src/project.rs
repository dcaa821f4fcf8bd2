//! A scratch project: a directory and a HOME that belong to one test.
//!
//! Both are in a separate temporary directory, so that a program that searches
//! upward finds nothing that the test did not create.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicU32, Ordering};

/// A working directory and a HOME, both initially empty and removed on drop.
#[derive(Debug)]
pub struct Project {
    scratch: PathBuf,
}

impl Project {
    /// An empty project, which the user of its HOME trusts.
    pub fn new() -> Self {
        let project = Self::untrusted();
        project.trust(".");
        project
    }

    /// An empty project with an empty HOME.
    pub fn untrusted() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let temp = std::env::temp_dir();
        // Resolved, because programs report resolved paths (macOS links /tmp).
        let temp = temp.canonicalize().unwrap_or(temp);
        let scratch = loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("cogtools-{}-{number}", std::process::id());
            let scratch = temp.join(name);
            match fs::create_dir(&scratch) {
                Ok(()) => break scratch,
                // Left behind by a killed run with the same process id.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => panic!("cannot create {}: {error}", scratch.display()),
            }
        };
        let project = Self { scratch };
        for dir in [project.root(), project.home()] {
            fs::create_dir(&dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
        }
        project
    }

    /// The record of approvals, relative to the project.
    pub const TRUST: &'static str = "../home/.local/state/cogtools/trust.json";

    /// Makes the folder `name` of the project, which must exist, the only one that the
    /// user trusts, and removes all approvals.
    pub fn trust(&self, name: impl AsRef<Path>) -> &Self {
        use std::os::unix::fs::MetadataExt as _;
        let folder = self.path(name);
        let folder = folder.canonicalize().unwrap_or(folder);
        let owner = fs::metadata(&folder).map_or(0, |meta| meta.uid());
        let folder = folder.display();
        let record = format!(
            r#"{{"version": 1, "allowed": {{}}, "projects": {{"{folder}": {{"owner": {owner}}}}}}}"#
        );
        self.file(Self::TRUST, record).mode(Self::TRUST, 0o600)
    }

    /// The working directory.
    pub fn root(&self) -> PathBuf {
        self.scratch.join("project")
    }

    /// The HOME.
    pub fn home(&self) -> PathBuf {
        self.scratch.join("home")
    }

    /// The path of `name` in the project; `../home/x` is in its HOME.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root().join(name)
    }

    /// Writes a file and creates its parent directories.
    pub fn file(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        fs::write(&path, content).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self
    }

    /// Writes an executable file.
    pub fn program(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> &Self {
        self.file("../program", content);
        let written = self.path("../program");
        self.copy(name.as_ref(), written).mode(name, 0o755)
    }

    /// Copies a file, such as a program, and creates its parent directories. Another
    /// process does it: if a thread of this one forked while the copy is open for
    /// writing, running the copy would fail with `ETXTBSY`.
    pub fn copy(&self, name: impl AsRef<Path>, from: impl AsRef<Path>) -> &Self {
        let path = self.path(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        let copied = Command::new("/bin/cp")
            .arg(from.as_ref())
            .arg(&path)
            .status();
        assert!(
            copied.as_ref().is_ok_and(ExitStatus::success),
            "{}: {copied:?}",
            path.display()
        );
        self
    }

    /// Copies everything below the folder `from` into the project.
    pub fn copy_all(&self, from: impl AsRef<Path>) -> &Self {
        let from = from.as_ref().join(".");
        let copied = Command::new("/bin/cp")
            .arg("-R")
            .arg(&from)
            .arg(self.root())
            .status();
        assert!(
            copied.as_ref().is_ok_and(ExitStatus::success),
            "{}: {copied:?}",
            from.display()
        );
        self
    }

    /// Creates a directory, with its parents.
    pub fn dir(&self, name: impl AsRef<Path>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self
    }

    /// Makes `name` a symbolic link with the text `target`.
    pub fn link(&self, name: impl AsRef<Path>, target: impl AsRef<Path>) -> &Self {
        let path = self.path(name);
        std::os::unix::fs::symlink(target, &path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self
    }

    /// Sets the permission bits of a file or directory.
    pub fn mode(&self, name: impl AsRef<Path>, bits: u32) -> &Self {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.path(name);
        fs::set_permissions(&path, fs::Permissions::from_mode(bits))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self
    }

    /// Removes a file.
    pub fn remove(&self, name: impl AsRef<Path>) -> &Self {
        let path = self.path(name);
        fs::remove_file(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self
    }

    /// The text of a file.
    pub fn read(&self, name: impl AsRef<Path>) -> String {
        let path = self.path(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Every file below the project, as sorted paths relative to it.
    pub fn files(&self) -> Vec<PathBuf> {
        let root = self.root();
        let mut found = Vec::new();
        let mut open = vec![root.clone()];
        while let Some(dir) = open.pop() {
            let entries =
                fs::read_dir(&dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
            for entry in entries.flatten() {
                let path = entry.path();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    open.push(path);
                } else if let Ok(name) = path.strip_prefix(&root) {
                    found.push(name.to_path_buf());
                }
            }
        }
        found.sort();
        found
    }
}

impl Default for Project {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        // An unreadable directory cannot be emptied: make it accessible and retry.
        if fs::remove_dir_all(&self.scratch).is_err() {
            unlock(&self.scratch);
            let _ = fs::remove_dir_all(&self.scratch);
        }
    }
}

fn unlock(dir: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let _ = fs::set_permissions(dir, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            unlock(&entry.path());
        }
    }
}
