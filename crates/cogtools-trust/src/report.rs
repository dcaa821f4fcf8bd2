//! The report, for people and programs.

use std::fmt::Write as _;

use cogtools_core::Context;
use cogtools_core::approval::{Kind, TrustableSource};
use cogtools_core::trust::{Grant, Verdict};
use cogtools_program::terminal::{Column, Table, sanitize};
use serde_json::{Value, json};

/// What was found or done, per source.
pub(crate) struct Report<'r> {
    cx: &'r Context,
    pub(crate) entries: Vec<Entry<'r>>,
}

/// A source and what happened to it.
pub(crate) struct Entry<'s> {
    pub(crate) subject: &'s TrustableSource,
    pub(crate) action: Action,
}

/// What happened to a source.
pub(crate) enum Action {
    /// It was only listed, with this state.
    Show(Verdict),
    /// It would have been approved without `--dry-run`.
    WouldApprove,
    /// It was approved, together with the tools that it declares.
    Approve(Vec<Grant>),
    /// Its approval was revoked.
    Revoke,
    /// It had no approval to revoke.
    RevokeNothing,
}

/// How many files of a source are listed.
const MAX_FILES: usize = 20;

impl Action {
    /// What was done, at the beginning of a line.
    const fn label(&self) -> &'static str {
        match self {
            Self::Show(_) => "",
            Self::WouldApprove => "would approve",
            Self::Approve(_) => "approved",
            Self::Revoke => "revoked",
            Self::RevokeNothing => "was not approved:",
        }
    }

    /// The state of the source now, if known.
    const fn state(&self) -> Option<Verdict> {
        match self {
            Self::Show(verdict) => Some(*verdict),
            Self::WouldApprove => None,
            Self::Approve(_) => Some(Verdict::Approved),
            Self::Revoke | Self::RevokeNothing => Some(Verdict::NotApproved),
        }
    }
}

impl Entry<'_> {
    /// What the source runs, each with a label.
    fn runs(&self) -> Vec<(&'static str, String)> {
        let command_line = |words: &[String]| {
            let quoted = shlex::try_join(words.iter().map(String::as_str));
            // A word with a NUL, which no shell accepts, is still shown.
            quoted.unwrap_or_else(|_| words.join(" "))
        };
        match &self.subject.kind {
            Kind::Provider(provider) => provider
                .settings()
                .describe()
                .into_iter()
                .map(|(label, words)| (label, command_line(words)))
                .collect(),
            Kind::Package { tools, .. } => {
                tools.iter().map(|tool| ("runs", tool.clone())).collect()
            }
        }
    }

    fn cells(&self) -> [String; 4] {
        let runs: Vec<String> = self.runs().into_iter().map(|(_, run)| run).collect();
        [
            self.subject.name.clone(),
            self.subject.noun().to_owned(),
            self.action.state().map_or("", Verdict::label).to_owned(),
            runs.join(", "),
        ]
    }
}

impl<'r> Report<'r> {
    pub(crate) const fn new(cx: &'r Context) -> Self {
        Self {
            cx,
            entries: Vec::new(),
        }
    }

    /// A row for each source.
    pub(crate) fn table(&self, colour: bool) -> String {
        if self.entries.is_empty() {
            return "no source of this project requires approval\n".to_owned();
        }
        let mut table = Table::new(["SOURCE", "KIND", "STATE", "RUNS"].map(Column::text));
        for entry in &self.entries {
            table.row(entry.cells());
        }
        table.render(colour)
    }

    /// What was done to each source, with its details.
    pub(crate) fn lines(&self) -> String {
        let mut text = String::new();
        for entry in &self.entries {
            let (noun, name) = (entry.subject.noun(), sanitize(&entry.subject.name));
            let _ = writeln!(text, "{} {noun} {name}", entry.action.label());
            if matches!(entry.action, Action::Revoke | Action::RevokeNothing) {
                continue;
            }
            let mut add = |label: &str, value: &str| {
                let _ = writeln!(text, "  {label:8}  {}", sanitize(value));
            };
            for (label, value) in entry.runs() {
                add(label, &value);
            }
            let files = entry.subject.files(self.cx);
            for file in files.iter().take(MAX_FILES) {
                add("file", &file.display().to_string());
            }
            if files.len() > MAX_FILES {
                add("files", &format!("and {} more", files.len() - MAX_FILES));
            }
            if let Action::Approve(tools) = &entry.action {
                for tool in tools {
                    add("tool", &tool.tool);
                }
            }
        }
        text
    }

    /// The report as JSON.
    pub(crate) fn json(&self) -> Value {
        let entries = self.entries.iter().map(|entry| {
            let runs: Vec<String> = entry.runs().into_iter().map(|(_, run)| run).collect();
            let files: Vec<String> = entry
                .subject
                .files(self.cx)
                .iter()
                .map(|file| file.display().to_string())
                .collect();
            let mut object = json!({
                "name": entry.subject.name,
                "kind": entry.subject.noun(),
                "state": entry.action.state().map(Verdict::label),
                "runs": runs,
                "files": files,
            });
            if let Action::Approve(tools) = &entry.action {
                object["tools"] = tools.iter().map(|grant| grant.tool.as_str()).collect();
            }
            object
        });
        json!({"sources": entries.collect::<Vec<Value>>()})
    }
}
