//! Runs one version of Gemini CLI without a terminal.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

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
        project
            .file("../home/.gemini/settings.json", settings())
            .file("../home/wall.cjs", BLOCK_NETWORK);
        let mut wall = OsString::from("--require=");
        wall.push(project.home().join("wall.cjs"));
        Run::new(&self.program)
            .project(project)
            .path(&self.node)
            .path(programs)
            .env("GEMINI_API_KEY", "x")
            .env("GOOGLE_GEMINI_BASE_URL", fake.url())
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
            // Without these the newest version warns about the missing terminal.
            .env("TERM", "xterm-256color")
            .env("COLORTERM", "truecolor")
            .env("NODE_OPTIONS", wall)
            .args(["-m", "gemini-2.5-flash"])
            .args(flags)
            .args(["-p", "Go on."])
            .limit(Duration::from_mins(2))
            .run()
    }
}

/// A user's settings, in both generations' keys: an API key, no statistics, no
/// updates.
fn settings() -> String {
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
    .to_string()
}
