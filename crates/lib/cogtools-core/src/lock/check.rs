//! A lock that holds for calls: a tool that differs from its pin does not run.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::{Lock, Pinner};
use crate::hint::{Command, Hint};
use crate::{Code, Diagnostic, Tool};

/// The tools that `cogtools.lock` pins, which alone may be declared and called.
#[derive(Debug)]
pub struct LockedTools {
    lock: Lock,
    pinner: Mutex<Pinner>,
}

impl LockedTools {
    /// Those of `lock`, of the project at `root`, known to the user as `display_path`.
    pub fn new(lock: Lock, root: &Path, display_path: &Path) -> Self {
        let pinner = Mutex::new(Pinner::new(root, display_path));
        Self { lock, pinner }
    }

    /// Fails unless `tool` is as pinned.
    pub fn check(&self, tool: &Tool) -> Result<(), Box<Diagnostic>> {
        let mut pinner = self.pinner.lock().unwrap_or_else(PoisonError::into_inner);
        let source = pinner.source(tool);
        let name = tool.name().as_str();
        let pinned = self.lock.sources.get(&source);
        let message = match pinned.and_then(|tools| tools.get(name)) {
            Some(pin) => {
                let now = pinner.pin(tool);
                if pin.matches(&now) {
                    return Ok(());
                }
                let parts = pin.difference(&now);
                format!("it differs from the tool pinned in `cogtools.lock`: {parts}")
            }
            None if source.is_empty() => {
                "it is in no source, and `cogtools.lock` does not pin it".to_owned()
            }
            None => format!("`{source}` declares it, but `cogtools.lock` does not pin it"),
        };
        let before = "review what has changed; to accept it, run ";
        Err(Box::new(
            Diagnostic::new(Code::Denied, message)
                .with_subject(name)
                .hint(Hint::run(before, Command::Lock, "")),
        ))
    }
}
