//! Runs one version of Gemini CLI without a terminal.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Version, install};
use crate::{FakeGemini, Outcome, Project, Run};

/// Loaded into every Node.js process of a run: it blocks name resolution, so that a
/// feature that was not turned off fails immediately instead of using the network.
const BLOCK_NETWORK: &str = "\
const dns = require('node:dns');
dns.lookup = (host, ...rest) => {
  const error = new Error(`getaddrinfo ENOTFOUND ${host}`);
  Object.assign(error, { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: host });
  process.nextTick(rest.pop(), error);
};
";

/// The model that the fake plays.
const MODEL: &str = "gemini-2.5-flash";

/// An installed Gemini CLI.
#[derive(Clone, Debug)]
pub struct Gemini {
    version: Version,
    program: PathBuf,
    /// The directory of `node`, which starts the program.
    node: PathBuf,
}

impl Gemini {
    /// Installs `version` below `cache` unless it is installed already.
    pub fn install(version: Version, cache: &Path) -> Self {
        let place = install::install(&version, cache);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let node = std::env::split_paths(&path).find(|dir| dir.join("node").is_file());
        Self {
            version,
            program: place.join("node_modules/.bin/gemini"),
            node: node.expect("no node on PATH, which Gemini CLI needs"),
        }
    }

    /// The version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The directory of `gemini`, for programs that search PATH for it.
    pub fn bin(&self) -> &Path {
        self.program.parent().unwrap_or(Path::new(""))
    }

    /// Sends one prompt in `project` and waits for the end of the run.
    ///
    /// `programs` is the directory of the programs under test and comes first
    /// on PATH; with `--yolo` among the `flags` no tool needs approval. What it
    /// prints on stderr depends on its timing and on what else is installed.
    #[track_caller]
    pub fn ask(
        &self,
        project: &Project,
        programs: &Path,
        fake: &FakeGemini,
        flags: &[&str],
    ) -> Outcome {
        let mut run = Run::new(&self.program)
            .project(project)
            .path(&self.node)
            .path(programs);
        for (name, value) in Self::prepare(project, fake, &settings()) {
            run = run.env(name, value);
        }
        run.args(["-m", MODEL])
            .args(flags)
            .args(["-p", "Go on."])
            .limit(Duration::from_mins(2))
            .run()
    }

    /// The command line of a shell that sends one prompt and stays at its terminal, where every
    /// tool is allowed and the user has set `ui`. `node` has to be on PATH.
    pub fn at_terminal(&self, project: &Project, fake: &FakeGemini, ui: &Value) -> String {
        let mut settings = settings();
        settings["ui"] = ui.clone();
        let variables =
            Self::prepare(project, fake, &settings).map(|(name, value)| format!("{name}={value}"));
        let variables = variables.join(" ");
        let program = self.program.display();
        format!("stty cols 120 rows 40; {variables} {program} -m {MODEL} --yolo -i 'Go on.'")
    }

    /// Writes the settings of a user, and returns the environment in which a run that another
    /// program starts reaches `fake` and nothing else.
    pub fn environment(project: &Project, fake: &FakeGemini) -> [(&'static str, String); 6] {
        Self::prepare(project, fake, &settings())
    }

    fn prepare(
        project: &Project,
        fake: &FakeGemini,
        settings: &Value,
    ) -> [(&'static str, String); 6] {
        project
            .file("../home/.gemini/settings.json", settings.to_string())
            .file("../home/wall.cjs", BLOCK_NETWORK);
        variables(project, fake)
    }

    /// The directory of `node`.
    pub fn node(&self) -> &Path {
        &self.node
    }
}

/// The environment in which a run reaches `fake` and nothing else.
fn variables(project: &Project, fake: &FakeGemini) -> [(&'static str, String); 6] {
    let wall = project.home().join("wall.cjs");
    [
        ("GEMINI_API_KEY", "x".to_owned()),
        ("GOOGLE_GEMINI_BASE_URL", fake.url()),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
        // Without these the newest version warns about the missing terminal.
        ("TERM", "xterm-256color".to_owned()),
        ("COLORTERM", "truecolor".to_owned()),
        ("NODE_OPTIONS", format!("--require={}", wall.display())),
    ]
}

/// A user's settings, in both generations' keys: an API key, no statistics, no
/// updates.
fn settings() -> Value {
    json!({
        "selectedAuthType": "gemini-api-key",
        "usageStatisticsEnabled": false,
        "disableAutoUpdate": true,
        "disableUpdateNag": true,
        "security": { "auth": { "selectedType": "gemini-api-key" } },
        "privacy": { "usageStatisticsEnabled": false },
        "general": {
            "disableAutoUpdate": true,
            "disableUpdateNag": true,
            "enableAutoUpdate": false,
            "enableAutoUpdateNotification": false,
        },
    })
}
