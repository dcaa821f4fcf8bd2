//! What was found or done, for people and programs.

use std::fmt::Write as _;

use cogtools_core::Context;
use cogtools_core::approval::{Kind, TrustableSource};
use cogtools_core::trust::{Grant, Verdict};
use cogtools_program::terminal::{Column, Table, sanitize};
use serde_json::{Value, json};

/// What was found or done.
pub(crate) struct Report<'r> {
    cx: &'r Context,
    pub(crate) entries: Vec<Entry<'r>>,
}

/// One source, and what was found of it or done to it.
pub(crate) struct Entry<'s> {
    pub(crate) subject: &'s TrustableSource,
    pub(crate) action: Action,
}

/// What was found of a source or done to it.
pub(crate) enum Action {
    /// It was looked at, and this is its state.
    Show(Verdict),
    /// It would be allowed, but for `--dry-run`.
    WouldAllow,
    /// It has been allowed, and with it the tools that it declares.
    Allow(Vec<Grant>),
    /// It has been revoked.
    Revoke,
    /// It should be revoked, but was not allowed.
    RevokeNothing,
}

/// How many files are named.
const FILES: usize = 20;

impl Action {
    /// What was done, in a word or two.
    const fn label(&self) -> &'static str {
        match self {
            Self::Show(_) => "",
            Self::WouldAllow => "would allow",
            Self::Allow(_) => "allowed",
            Self::Revoke => "revoked",
            Self::RevokeNothing => "was not allowed:",
        }
    }

    /// The state that the source is in now, where that is known.
    const fn state(&self) -> Option<Verdict> {
        match self {
            Self::Show(verdict) => Some(*verdict),
            Self::WouldAllow => None,
            Self::Allow(_) => Some(Verdict::Allowed),
            Self::Revoke | Self::RevokeNothing => Some(Verdict::NotApproved),
        }
    }
}

impl Entry<'_> {
    /// What of it runs, each with what it is.
    fn runs(&self) -> Vec<(&'static str, String)> {
        let command_line = |words: &[String]| {
            let quoted = shlex::try_join(words.iter().map(String::as_str));
            // No shell takes a NUL, and none of the words is kept back for one.
            quoted.unwrap_or_else(|_| words.join(" "))
        };
        match &self.subject.kind {
            Kind::Provider(provider) => provider
                .settings()
                .describe()
                .into_iter()
                .map(|(what, words)| (what, command_line(words)))
                .collect(),
            Kind::Package { tools, .. } => {
                tools.iter().map(|tool| ("runs", tool.clone())).collect()
            }
        }
    }

    fn cells(&self) -> [String; 4] {
        let runs: Vec<String> = self.runs().into_iter().map(|(_, what)| what).collect();
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
            return "no source of this project needs your word\n".to_owned();
        }
        let mut table = Table::new(["SOURCE", "KIND", "STATE", "RUNS"].map(Column::text));
        for entry in &self.entries {
            table.row(entry.cells());
        }
        table.render(colour)
    }

    /// All there is to say of each source.
    pub(crate) fn lines(&self) -> String {
        let mut text = String::new();
        for entry in &self.entries {
            let (noun, name) = (entry.subject.noun(), sanitize(&entry.subject.name));
            let _ = writeln!(text, "{} {noun} {name}", entry.action.label());
            if matches!(entry.action, Action::Revoke | Action::RevokeNothing) {
                continue;
            }
            let mut add = |what: &str, value: &str| {
                let _ = writeln!(text, "  {what:8}  {}", sanitize(value));
            };
            for (what, value) in entry.runs() {
                add(what, &value);
            }
            let files = entry.subject.files(self.cx);
            for file in files.iter().take(FILES) {
                add("file", &file.display().to_string());
            }
            if files.len() > FILES {
                add("files", &format!("and {} more", files.len() - FILES));
            }
            if let Action::Allow(tools) = &entry.action {
                for tool in tools {
                    add("tool", &tool.tool);
                }
            }
        }
        text
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> Value {
        let entries = self.entries.iter().map(|entry| {
            let runs: Vec<String> = entry.runs().into_iter().map(|(_, what)| what).collect();
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
            if let Action::Allow(tools) = &entry.action {
                object["tools"] = tools.iter().map(|item| item.tool.as_str()).collect();
            }
            object
        });
        json!({"sources": entries.collect::<Vec<Value>>()})
    }
}
