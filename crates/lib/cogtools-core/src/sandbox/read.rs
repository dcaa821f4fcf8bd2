//! Reads the map under `sandbox`, in a tool file or in a configuration.

use super::{Sandbox, SandboxError, SandboxPath};
use crate::suggest::did_you_mean;
use crate::text::Span;
use crate::yaml::{Data, Entry, Node};
use crate::{Actual, size};

impl Sandbox {
    /// Reads `node`; every error goes to `report`, with its location.
    pub(crate) fn read(node: &Node, mut report: impl FnMut(&SandboxError, Span)) -> Self {
        let mut sandbox = Self::default();
        let Some(entries) = node.entries() else {
            report(&SandboxError::NotAMap(node.kind()), node.span);
            return sandbox;
        };
        for entry in entries {
            if let Err((error, span)) = sandbox.set(entry) {
                report(&error, span);
            }
        }
        sandbox
    }

    fn set(&mut self, entry: &Entry) -> Result<(), (SandboxError, Span)> {
        let node = &entry.value;
        let at_value = |error| (error, node.span);
        match entry.key.as_str() {
            "read" => self.read = Some(paths("read", node)?),
            "write" => self.write = paths("write", node)?,
            "net" => match &node.data {
                Data::Bool(net) => self.net = Some(*net),
                _ => return Err(at_value(SandboxError::Bool(actual(node)))),
            },
            "memory" => {
                let bytes = size::parse(&text(node));
                let bytes = bytes.filter(|bytes| *bytes >= Self::MIN_MEMORY);
                let error = || at_value(SandboxError::Size(actual(node)));
                self.memory = Some(bytes.ok_or_else(error)?);
            }
            "processes" => {
                let count = node.to_json().as_u64();
                let count = count.filter(|count| *count >= Self::MIN_PROCESSES);
                let error = || at_value(SandboxError::Count(actual(node)));
                self.processes = Some(count.ok_or_else(error)?);
            }
            key => {
                let meant = did_you_mean(key, Self::KEYS);
                return Err((SandboxError::UnknownKey(key.to_owned(), meant), entry.span));
            }
        }
        Ok(())
    }
}

fn paths(key: &'static str, node: &Node) -> Result<Vec<SandboxPath>, (SandboxError, Span)> {
    let Some(items) = node.items() else {
        return Err((SandboxError::Paths(key, actual(node)), node.span));
    };
    let path = |item: &Node| match item.text() {
        Some(text) => SandboxPath::parse(text).map_err(|error| (error, item.span)),
        None => Err((SandboxError::Paths(key, actual(item)), item.span)),
    };
    items.iter().map(path).collect()
}

/// The text of a size, which may be a plain number.
fn text(node: &Node) -> String {
    let value = node.to_json();
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| value.to_string())
}

fn actual(node: &Node) -> Actual {
    match node.text() {
        Some(text) => Actual::String(text.to_owned()),
        None => Actual::of(node),
    }
}
