//! Flows on a real Restate: workers that are killed, workers that share, files that differ.

mod computing;
mod files;
mod flight;
mod http;
mod kills;
mod scene;
mod server;
mod worker;

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use cogtools_test_support::{Run, str};
use scene::Scene;
use serde_json::Value;
use server::Server;
use worker::Worker;

/// The longest time that anything may take.
const LIMIT: Duration = Duration::from_mins(1);

/// The directory with the programs of cogtools: a variable names it, or cargo builds them there.
fn programs() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/debug");
    let dir = std::env::var_os("COGTOOLS_PROGRAMS").map_or(built, PathBuf::from);
    assert!(
        dir.join("cogtools").is_file(),
        "there is no {}/cogtools: run `cargo build --workspace --bins`",
        dir.display()
    );
    dir
}

/// Waits until `look` finds something.
#[track_caller]
fn wait<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + LIMIT;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "not in {LIMIT:?}: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}
