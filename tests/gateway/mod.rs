//! Fifteen servers that people use, all behind one project, with every host in front: no host loses
//! a tool.
//!
//! None of them needs an account to list its tools. The models are scripts on 127.0.0.1.

mod claude;
mod codex;
mod daemon;
mod declared;
mod first;
mod gemini;
pub(crate) mod model;
mod own_list;
mod results;
mod servers;
mod skills;
mod tasks;

use std::collections::BTreeSet;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use cogtools_test_support::{Gemini, Project, Run, Version};
use serde_json::Value;

use crate::clients::cache;
use servers::SERVERS;

/// The time limit of a host.
const LIMIT: Duration = Duration::from_mins(3);

/// Tools of the server `everything` for clients that can show questions, or have roots.
const ASKS: [&str; 3] = [
    "everything_get-roots-list",
    "everything_trigger-elicitation-request",
    "everything_trigger-url-elicitation",
];

/// The arguments of a server in code mode.
const CODE_MODE: [&str; 4] = ["mcp", "--code", "--allow", "*"];
/// A program over tools of two servers.
const PROGRAM: &str = "const {content} = tools.filesystem_read_text_file({path: args.path});\n\
                       return [1, 2].map(n => tools.everything_echo({message: `${n}: ${content}`}));";
/// A part of the result of [`PROGRAM`].
const RESULT: &str = "Echo: 2: Good day";
/// The tools of code mode.
const CODE_TOOLS: [&str; 3] = ["search_tools", "describe_tools", "run_code"];

/// The project with the servers, which are approved and have declared their tools.
struct Scene {
    project: Project,
}

/// The scene while one test uses it: hosts have time limits, and each starts all servers.
struct Turn {
    scene: Arc<Scene>,
    _turn: MutexGuard<'static, ()>,
}

impl Deref for Turn {
    type Target = Scene;

    fn deref(&self) -> &Scene {
        &self.scene
    }
}

impl Scene {
    /// The scene of all tests that run or wait: it takes several seconds to make.
    fn shared() -> Turn {
        static SCENE: Mutex<Weak<Scene>> = Mutex::new(Weak::new());
        static TURN: Mutex<()> = Mutex::new(());
        let mut shared = SCENE.lock().unwrap_or_else(PoisonError::into_inner);
        let scene = shared.upgrade().unwrap_or_else(|| {
            let made = Arc::new(Self::new());
            *shared = Arc::downgrade(&made);
            made
        });
        drop(shared);
        Turn {
            scene,
            _turn: TURN.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    fn new() -> Self {
        let scene = Self {
            project: Project::new(),
        };
        servers::configure(&scene.project);
        for server in &SERVERS {
            let trust = scene.run("cogtools-trust");
            trust.args(["--yes", server.name]).run().succeeds();
        }
        let discover = scene.run("cogtools-discover");
        discover.arg("--refresh").run().status(0);
        scene
    }

    /// A run of one of our programs, or of a host, which finds Node.js and our programs.
    fn run(&self, program: &str) -> Run {
        self.host(crate::programs().join(program))
    }

    fn host(&self, program: impl Into<PathBuf>) -> Run {
        host(&self.project, program)
    }

    /// The names that are declared in this format.
    fn declared(&self, format: &str) -> BTreeSet<String> {
        self.declared_with(&["--format", format])
    }

    fn declared_with(&self, args: &[&str]) -> BTreeSet<String> {
        let discover = self.run("cogtools-discover").args(args);
        let declared: Value = serde_json::from_slice(&discover.run().status(0).stdout)
            .expect("declarations are JSON");
        names(&declared)
    }
}

/// A run of a host or of one of our programs in `project`.
fn host(project: &Project, program: impl Into<PathBuf>) -> Run {
    Run::new(program)
        .project(project)
        .path(node())
        .path(crate::programs())
        .limit(LIMIT)
}

/// Returns the results that the model gets, one for each call: `key` of the last of `messages`.
fn outputs(asked: &[Value], messages: &str, key: &str) -> Vec<String> {
    let last = |request: &Value| {
        let last = request[messages].as_array().and_then(|all| all.last());
        last.map_or(Value::Null, |last| last[key].clone())
            .to_string()
    };
    asked.iter().skip(1).map(last).collect()
}

/// The directory of Node.js that Gemini CLI is run with: what a source has declared is cached for one
/// PATH.
fn node() -> PathBuf {
    let gemini = Gemini::install(Version::NEWEST, &cache());
    gemini.node().to_path_buf()
}

/// The names of declarations, in any format.
fn names(declared: &Value) -> BTreeSet<String> {
    let tools = declared.as_array().expect("a list").iter();
    let name = |tool: &Value| {
        let name = tool["name"].as_str().or(tool["function"]["name"].as_str());
        name.expect("a name").to_owned()
    };
    let all: Vec<String> = tools.map(name).collect();
    let count = all.len();
    let names: BTreeSet<String> = all.into_iter().collect();
    assert_eq!(names.len(), count, "a name is declared twice");
    names
}

/// Fails with the names that are missing, and those that should not be there.
#[track_caller]
fn assert_same(found: &BTreeSet<String>, expected: &BTreeSet<String>) {
    let missing: Vec<&String> = expected.difference(found).collect();
    let more: Vec<&String> = found.difference(expected).collect();
    assert!(
        missing.is_empty() && more.is_empty(),
        "missing {missing:?}; too many {more:?}"
    );
}
