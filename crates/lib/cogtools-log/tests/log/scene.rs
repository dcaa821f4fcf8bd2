//! A folder with a session, and a clock that ticks once for each entry.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};

use cogtools_log::{
    Clock, Event, Header, Log, LogError, Mask, Options, Session, SessionError, SessionFile,
    Timestamp,
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// 2026-11-22T09:00:00Z.
const START: i64 = 1_795_338_000_000;

/// A folder, and a session in it.
pub(crate) struct Scene {
    pub(crate) folder: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("run.jsonl")
    }

    pub(crate) fn file(&self) -> SessionFile {
        let root = self.folder.path();
        SessionFile::named(root, root, Path::new("run.jsonl"))
    }

    pub(crate) fn create(&self) -> Log {
        Log::create(&self.file(), &header(), options()).expect("a log")
    }

    pub(crate) fn open(&self) -> Result<(Log, Session), LogError> {
        Log::open(&self.file(), options())
    }

    pub(crate) fn read(&self) -> Result<Session, SessionError> {
        Session::read(&self.file())
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        fs::read(self.path()).expect("a file")
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes()).expect("text")
    }

    pub(crate) fn write(&self, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(), bytes).expect("written");
    }

    /// The message of reading it, without the folder.
    pub(crate) fn error(&self) -> String {
        self.read().expect_err("an error").to_string()
    }
}

pub(crate) fn header() -> Header {
    let id = "7f3a9c21be".parse().expect("a name");
    Header {
        program: "0.1.0".to_owned(),
        ..Header::new(
            id,
            Timestamp::from_millis(START),
            "shop",
            "gemini-flash-latest",
        )
    }
}

/// A clock that begins a second after the header, and ticks each time it is read.
pub(crate) fn options() -> Options {
    let ticks = AtomicI64::new(1);
    let tick = move || ticks.fetch_add(1, Ordering::Relaxed) * 1_000;
    Options {
        clock: Clock::new(move || Timestamp::from_millis(START + tick())),
        mask: Mask::new([("GEMINI_API_KEY", "s3cr3t-key")]),
    }
}

pub(crate) fn task(text: &str) -> Event {
    Event::Task {
        parts: vec![json!({"text": text})],
    }
}

pub(crate) fn response(content: Value) -> Event {
    Event::Response {
        content,
        finish_reason: Some("STOP".to_owned()),
        model_version: None,
        response_id: None,
        masked: false,
    }
}
