//! The report, for people and programs.

use std::fmt::{self, Display, Formatter, Write as _};

use cogtools_core::Context;
use cogtools_core::approval::{Kind, Texts, TrustableSource};
use cogtools_core::sandbox::LIMITATIONS;
use cogtools_core::source::{RemoteTool, code_points};
use cogtools_core::trust::Verdict;
use cogtools_program::terminal::{Column, Table, pluralize, sanitize};
use serde_json::{Value, json};

use super::review::{self, Line, hidden, is_confined, join, tools_json};
use super::visible::{self, wrapped};

/// Findings and actions, per source.
pub(crate) struct Report<'r> {
    cx: &'r Context,
    pub(crate) entries: Vec<Entry<'r>>,
}

/// The maximum number of command lines or tools of a source in the table.
const MAX_RUNS: usize = 6;

/// A source and what happened to it.
pub(crate) struct Entry<'s> {
    pub(crate) subject: &'s TrustableSource,
    pub(crate) action: Action,
    /// The texts that were shown of it before.
    pub(crate) shown: Texts,
}

/// An action on a source.
pub(crate) enum Action {
    /// It was only listed, with this state.
    Show(Verdict),
    /// It was shown, and not approved.
    Review,
    /// The user was asked, and did not approve it.
    Decline,
    /// It was approved, together with the tools that it declares.
    Approve(Vec<RemoteTool>),
    /// Its approval was revoked.
    Revoke,
    /// It had no approval to revoke.
    RevokeNothing,
}

impl Action {
    /// The action, at the beginning of a line.
    const fn label(&self) -> &'static str {
        match self {
            Self::Show(_) => "",
            Self::Review => "would approve",
            Self::Decline => "not approved:",
            Self::Approve(_) => "approved",
            Self::Revoke => "revoked",
            Self::RevokeNothing => "was not approved:",
        }
    }

    /// The state of the source now, if known.
    const fn state(&self) -> Option<Verdict> {
        match self {
            Self::Show(verdict) => Some(*verdict),
            Self::Review => None,
            Self::Approve(_) => Some(Verdict::Approved),
            Self::Decline | Self::Revoke | Self::RevokeNothing => Some(Verdict::NotApproved),
        }
    }
}

impl Entry<'_> {
    /// Command lines of a provider, or names of tools.
    fn runs(&self) -> Vec<String> {
        match &self.subject.kind {
            Kind::Provider(provider) => {
                let described = provider.settings().describe().into_iter();
                described.map(|(_, words)| join(words)).collect()
            }
            Kind::Specification(specification) => {
                specification.url().map(str::to_owned).into_iter().collect()
            }
            Kind::Project { tools } | Kind::Package { tools, .. } => {
                tools.iter().map(|tool| tool.name().to_string()).collect()
            }
        }
    }

    fn cells(&self) -> [String; 4] {
        let mut runs = self.runs();
        if runs.len() > MAX_RUNS {
            let rest = format!("and {} more", runs.len() - MAX_RUNS);
            runs.truncate(MAX_RUNS);
            runs.push(rest);
        }
        [
            self.subject.name.clone(),
            self.subject.noun().to_owned(),
            self.action.state().map_or("", Verdict::label).to_owned(),
            runs.join(", "),
        ]
    }
}

impl Entry<'_> {
    /// A line with the invisible characters of texts that were not known before the approval.
    pub(crate) fn hidden(&self, cx: &Context) -> String {
        let Action::Approve(_) = &self.action else {
            return String::new();
        };
        let hidden = &self.subject.texts(cx).hidden - &self.shown.hidden;
        if hidden.is_empty() {
            return String::new();
        }
        format!("  {:8}  {}\n", "hidden", code_points(&hidden))
    }
}

impl Display for Entry<'_> {
    /// The action, and the tools that were approved.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (noun, name) = (self.subject.noun(), sanitize(&self.subject.name));
        writeln!(f, "{} {noun} {name}", self.action.label())?;
        if let Action::Approve(tools) = &self.action {
            for tool in tools {
                writeln!(f, "  tool      {}", sanitize(&tool.remote_name))?;
                let is_shown = |it: &RemoteTool| it.name == tool.name && it.value == tool.value;
                if !self.shown.tools.iter().any(is_shown) {
                    for line in visible::texts(tool.description(), &tool.value) {
                        writeln!(f, "            {line}")?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Everything that approving `source` lets run.
pub(crate) fn review(source: &TrustableSource, texts: &Texts, cx: &Context) -> String {
    let mut title = format!("{} {}", source.noun(), source.name);
    if !source.name.is_ascii() {
        // It may look like another name.
        let _ = write!(title, " (written {})", source.name.escape_default());
    }
    match &source.kind {
        Kind::Project { tools } => {
            let count = pluralize(tools.len(), "tool");
            let _ = write!(title, " ({}), {count} running programs", cx.root.display());
        }
        Kind::Package { tools, .. } => {
            let count = pluralize(tools.len(), "tool");
            let _ = write!(title, ", {count} running programs");
        }
        Kind::Provider(_) | Kind::Specification(_) => {}
    }
    let mut text = wrapped(&title).join("\n");
    text.push('\n');
    for Line { label, value } in review::lines(source, texts, cx) {
        let _ = writeln!(text, "  {label:8}  {value}");
    }
    text
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
        let mut table = Table::new(["SOURCE", "KIND", "STATE", "RUNS"].map(Column::text));
        for entry in &self.entries {
            table.row(entry.cells());
        }
        table.render(colour)
    }

    /// The sources that would run something, and are not approved.
    pub(crate) fn pending(&self) -> impl Iterator<Item = &'r TrustableSource> {
        let pending = |entry: &&Entry<'r>| {
            entry.action.state() != Some(Verdict::Approved) && entry.subject.runs_something()
        };
        self.entries
            .iter()
            .filter(pending)
            .map(|entry| entry.subject)
    }

    /// The report as JSON.
    pub(crate) fn json(&self) -> Value {
        let entries = self.entries.iter().map(|entry| {
            let mut files = entry.subject.files(self.cx);
            files.extend(entry.subject.files_beside(self.cx));
            files.extend(entry.subject.loaded_files(self.cx));
            let files: Vec<String> = files
                .iter()
                .map(|file| file.display().to_string())
                .collect();
            let mut object = json!({
                "name": entry.subject.name,
                "kind": entry.subject.noun(),
                "state": entry.action.state().map(Verdict::label),
                "runs": entry.runs(),
                "files": files,
            });
            if let Some(tools) = tools_json(entry.subject, self.cx) {
                object["programs"] = tools;
            }
            if let Kind::Provider(provider) = &entry.subject.kind {
                let sandbox = provider.effective_sandbox(self.cx);
                object["sandbox"] = sandbox.map_or(Value::Null, |sandbox| sandbox.to_json());
            }
            let hidden = hidden(entry.subject, &entry.subject.texts(self.cx), self.cx);
            if !hidden.is_empty() {
                let codes = hidden.iter().map(|c| format!("U+{:04X}", u32::from(*c)));
                object["hidden"] = codes.collect();
            }
            let uncovered = entry.subject.uncovered(self.cx).into_iter();
            object["uncovered"] = uncovered
                .map(|one| json!({"what": one.what, "why": one.why.to_string()}))
                .collect();
            if let Action::Approve(tools) = &entry.action {
                object["tools"] = tools.iter().map(|it| it.remote_name.as_str()).collect();
            }
            object
        });
        let mut report = json!({"sources": entries.collect::<Vec<Value>>()});
        let mut subjects = self.entries.iter().map(|entry| entry.subject);
        if subjects.any(|subject| is_confined(subject, self.cx)) {
            let rows = LIMITATIONS.map(|one| json!({"what": one.what, "note": one.note}));
            report["limitations"] = rows.as_slice().into();
        }
        report
    }
}
