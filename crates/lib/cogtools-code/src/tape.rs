//! The recording of a flow or a program: the answers of models to each of its nodes or calls.
//!
//! A node that asks a model runs a program with a recording of its own. A line of the flow's is
//! `{"node": …, "tape": …}`, with the whole recording of the node as a text; a node that runs
//! again has one for each time. The nodes of a program are the steps of its calls.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::file::{self, WritePath};
use cogtools_core::{Code, Diagnostic, Tape};
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The longest recording that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;
/// The file of a node's recording, in a folder of its own.
const FILE: &str = "node.tape";

/// The recording of a flow or a program that runs.
#[derive(Debug)]
pub struct FlowTape {
    path: PathBuf,
    is_replay: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The recordings of nodes, by node and number of the run.
    nodes: BTreeMap<(String, u32), String>,
    /// The number of runs of each node.
    runs: BTreeMap<String, u32>,
}

/// The recording of one run of a node, in a folder that is removed with it. When it is dropped, the
/// recording of the flow has it.
#[derive(Debug)]
pub struct NodeTape<'t> {
    flow: &'t FlowTape,
    folder: TempDir,
    key: (String, u32),
    /// True if it is replayed, and there is nothing to replay.
    pub is_missing: bool,
}

impl FlowTape {
    /// Opens the recording of a run.
    ///
    /// # Errors
    ///
    /// It is replayed, and cannot be read, or it is recorded in the place of a folder.
    pub fn open(tape: &Tape) -> Result<Self, Box<Diagnostic>> {
        let (path, is_replay, nodes) = match tape {
            Tape::Record(path) if path.is_dir() => {
                // Later, the answers would have been paid for.
                let diagnostic = Diagnostic::new(Code::IoFailed, "a folder cannot be a recording");
                return Err(Box::new(
                    diagnostic.with_subject(path.display().to_string()),
                ));
            }
            Tape::Record(path) => (path, false, BTreeMap::new()),
            Tape::Replay(path) => (path, true, read(path)?),
        };
        let runs = BTreeMap::new();
        Ok(Self {
            path: path.clone(),
            is_replay,
            state: Mutex::new(State { nodes, runs }),
        })
    }

    /// The recording of the next run of the node, item or step `id`.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn of_node(&self, id: &str) -> Result<NodeTape<'_>, Box<Diagnostic>> {
        let mut state = self.state();
        let run = state.runs.entry(id.to_owned()).or_default();
        *run += 1;
        let key = (id.to_owned(), *run);
        let recorded = state.nodes.get(&key);
        // In a replay, one that has none has an empty one: nothing in it is recorded.
        let text = recorded.map(String::as_str);
        let text = text.or(self.is_replay.then_some(""));
        let write = |folder: TempDir| {
            let written = text.map(|text| fs::write(folder.path().join(FILE), text));
            written.transpose().map(|_| folder)
        };
        let folder = tempfile::tempdir().and_then(write).map_err(|error| {
            let message = format!("the recording cannot be written: {error}");
            Box::new(Diagnostic::new(Code::IoFailed, message).with_subject(id))
        })?;
        Ok(NodeTape {
            flow: self,
            folder,
            is_missing: self.is_replay && recorded.is_none(),
            key,
        })
    }

    /// Writes the recording, relative to the project at `root`.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn save(&self, root: &Path) -> Result<(), Box<Diagnostic>> {
        let state = self.state();
        if self.is_replay || state.nodes.is_empty() {
            return Ok(());
        }
        let line = |((node, _), tape): (&(String, u32), &String)| {
            format!("{}\n", json!({"node": node, "tape": tape}))
        };
        let lines: String = state.nodes.iter().map(line).collect();
        let path = WritePath::in_project(root, &self.path);
        file::write(&path, lines.as_bytes()).map_err(|error| {
            let message = format!("the recording cannot be written: {error}");
            let diagnostic = Diagnostic::new(Code::IoFailed, message);
            Box::new(diagnostic.with_subject(self.path.display().to_string()))
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl NodeTape<'_> {
    /// The recording as the program of the node gets it.
    pub fn tape(&self) -> Tape {
        let path = self.folder.path().join(FILE);
        if self.flow.is_replay {
            Tape::Replay(path)
        } else {
            Tape::Record(path)
        }
    }
}

impl Drop for NodeTape<'_> {
    fn drop(&mut self) {
        let recorded = fs::read_to_string(self.folder.path().join(FILE));
        if let (false, Ok(recorded)) = (self.flow.is_replay, recorded) {
            self.flow.state().nodes.insert(self.key.clone(), recorded);
        }
    }
}

/// The recordings of nodes in the file at `path`.
fn read(path: &Path) -> Result<BTreeMap<(String, u32), String>, Box<Diagnostic>> {
    let fail = |message: String| {
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        Box::new(diagnostic.with_subject(path.display().to_string()))
    };
    let read = fs::metadata(path).and_then(|metadata| {
        if !metadata.is_file() || metadata.len() > MAX_BYTES {
            return Err(std::io::Error::other("it is no file, or too long"));
        }
        fs::read_to_string(path)
    });
    let bytes = read.map_err(|error| fail(format!("the recording cannot be read: {error}")))?;
    let mut nodes = BTreeMap::new();
    let mut runs: BTreeMap<String, u32> = BTreeMap::new();
    for (index, line) in bytes.lines().enumerate() {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        let text = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
        let (Some(node), Some(tape)) = (text("node"), text("tape")) else {
            let number = index + 1;
            let message = format!("line {number} is not the recording of a node");
            return Err(fail(message));
        };
        let run = runs.entry(node.clone()).or_default();
        *run += 1;
        nodes.insert((node, *run), tape);
    }
    Ok(nodes)
}
