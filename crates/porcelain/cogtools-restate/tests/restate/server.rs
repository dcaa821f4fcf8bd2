//! A real Restate server, installed from npm and pinned.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use cogtools_test_support::{Project, install};
use serde_json::Value;

use crate::{programs, wait};

/// The version of the server.
const VERSION: &str = "1.7.12";

/// A server of one test, which ends with it.
pub(crate) struct Server {
    child: Child,
    /// The URL of the ingress.
    pub(crate) ingress: String,
    /// The URL of the administration.
    pub(crate) admin: String,
}

impl Server {
    /// Starts a server on this machine alone, with its files next to `project`.
    pub(crate) fn start(project: &Project) -> Self {
        let log = project.path("../restate.log");
        let file = File::create(&log).expect("the log can be written");
        let mut command = Command::new(programs().join("cogtools-confine"));
        // It ends with the tests, even if they are killed.
        command
            .arg(format!("--parent={}", std::process::id()))
            .arg("--")
            .arg(program())
            .arg("--no-logo")
            .arg("--base-dir")
            .arg(project.path("../restate"))
            .env_clear()
            .envs([
                ("RESTATE_BIND_IP", "127.0.0.1"),
                ("RESTATE_USE_RANDOM_PORTS", "true"),
                ("RESTATE_LISTEN_MODE", "tcp"),
                ("RESTATE_LOG_FORMAT", "json"),
                ("RESTATE_DISABLE_TELEMETRY", "true"),
                ("RESTATE_DEFAULT_NUM_PARTITIONS", "4"),
                ("RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE", "256MB"),
                // Handlers that wait, or whose node takes longer than this, are suspended.
                ("RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT", "1s"),
                // A worker that is gone is asked again soon.
                ("RESTATE_DEFAULT_RETRY_POLICY__INITIAL_INTERVAL", "100ms"),
                ("RESTATE_DEFAULT_RETRY_POLICY__MAX_INTERVAL", "500ms"),
            ])
            .stdin(Stdio::null())
            .stdout(file.try_clone().expect("the log can be written twice"))
            .stderr(file);
        let child = command.spawn().expect("the server starts");
        let port = |message: &str| {
            wait(message, || {
                let lines = fs::read_to_string(&log).unwrap_or_default();
                let mut lines = lines
                    .lines()
                    .filter_map(|line| serde_json::from_str(line).ok());
                lines.find_map(|line: Value| port(&line, message))
            })
        };
        Self {
            child,
            ingress: port("Ingress HTTP listening"),
            admin: port("Admin API starting on: "),
        }
    }

    /// The addresses at which the server listens.
    pub(crate) fn listens(&self) -> Vec<String> {
        let pids = Command::new("/usr/bin/pgrep")
            .args(["-P", &self.child.id().to_string()])
            .output()
            .expect("pgrep runs");
        let pid = String::from_utf8_lossy(&pids.stdout).trim().to_owned();
        listens(&pid)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // What supervises the server ends it, unless it is killed itself.
        let _ = Command::new("/bin/kill")
            .arg(self.child.id().to_string())
            .status();
        let _ = self.child.wait();
    }
}

/// The URL in a line of the log.
fn port(line: &Value, message: &str) -> Option<String> {
    let found = line["fields"]["message"].as_str()?;
    let rest = found.strip_prefix(message)?;
    match line["span"]["server.port"].as_u64() {
        Some(port) => Some(format!("http://127.0.0.1:{port}")),
        None => Some(rest.trim_end_matches('/').to_owned()),
    }
}

fn program() -> PathBuf {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let package = format!("@restatedev/restate-server-{}", install::platform());
    let name = format!("restate-{VERSION}");
    let place = install::npm(cache, &name, &[&format!("{package}@{VERSION}")]);
    let program = place
        .join("node_modules")
        .join(package)
        .join("bin/restate-server");
    assert!(program.is_file(), "there is no {}", program.display());
    program
}

/// The local addresses of listening sockets of the process `pid`, as the kernel writes them.
pub(crate) fn listens(pid: &str) -> Vec<String> {
    let links = fs::read_dir(format!("/proc/{pid}/fd")).expect("the process runs");
    let links = links
        .flatten()
        .filter_map(|link| fs::read_link(link.path()).ok());
    let sockets: Vec<String> = links
        .filter_map(|link| {
            let inode = link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?;
            Some(inode.to_owned())
        })
        .collect();
    let tables =
        ["tcp", "tcp6"].map(|table| fs::read_to_string(format!("/proc/{pid}/net/{table}")));
    let rows = tables.into_iter().flatten();
    let rows: Vec<String> = rows
        .flat_map(|table| table.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let listening = rows.iter().filter_map(|row| {
        let columns: Vec<&str> = row.split_whitespace().collect();
        let is_ours = columns.get(3) == Some(&"0A")
            && sockets
                .iter()
                .any(|it| Some(&it.as_str()) == columns.get(9));
        columns
            .get(1)
            .filter(|_| is_ours)
            .map(|address| (*address).to_owned())
    });
    listening.collect()
}
