//! What was found or done, for people and programs.

use std::fmt::Write as _;

use cogtools_core::Surroundings;
use cogtools_core::trust::{Item, Kind, Subject, Verdict};
use cogtools_program::terminal::{Column, Table, sanitize};
use serde_json::{Value, json};

/// What was found or done.
pub(crate) struct Report<'r> {
    around: &'r Surroundings,
    pub(crate) entries: Vec<Entry<'r>>,
}

/// One source, and what was found of it or done to it.
pub(crate) struct Entry<'s> {
    subject: &'s Subject,
    state: Option<Verdict>,
    /// What was done, in a word or two.
    done: &'static str,
    tools: Vec<Item>,
}

/// How many files are named.
const FILES: usize = 20;

impl<'s> Entry<'s> {
    pub(crate) const fn standing(subject: &'s Subject, verdict: Verdict) -> Self {
        Self::new(subject, Some(verdict), "")
    }

    pub(crate) const fn wanted(subject: &'s Subject) -> Self {
        Self::new(subject, None, "would allow")
    }

    pub(crate) fn allowed(subject: &'s Subject, tools: Vec<Item>) -> Self {
        Self {
            tools,
            ..Self::new(subject, Some(Verdict::Allowed), "allowed")
        }
    }

    pub(crate) const fn revoked(subject: &'s Subject, known: bool) -> Self {
        let done = if known { "revoked" } else { "was not allowed:" };
        Self::new(subject, Some(Verdict::Unknown), done)
    }

    const fn new(subject: &'s Subject, state: Option<Verdict>, done: &'static str) -> Self {
        Self {
            subject,
            state,
            done,
            tools: Vec::new(),
        }
    }

    /// What of it runs, each with what it is.
    fn runs(&self) -> Vec<(&'static str, String)> {
        let joined = |words: &[String]| {
            let quoted = shlex::try_join(words.iter().map(String::as_str));
            // No shell takes a NUL, and none of the words is kept back for one.
            quoted.unwrap_or_else(|_| words.join(" "))
        };
        match &self.subject.kind {
            Kind::Provider(provider) => {
                let runs = provider.settings().runs().into_iter();
                runs.map(|(what, words)| (what, joined(words))).collect()
            }
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
            self.state.map_or("", Verdict::word).to_owned(),
            runs.join(", "),
        ]
    }
}

impl<'r> Report<'r> {
    pub(crate) const fn new(around: &'r Surroundings) -> Self {
        Self {
            around,
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
            let _ = writeln!(text, "{} {noun} {name}", entry.done);
            if entry.state == Some(Verdict::Unknown) {
                continue;
            }
            let mut add = |what: &str, value: &str| {
                let _ = writeln!(text, "  {what:8}  {}", sanitize(value));
            };
            for (what, value) in entry.runs() {
                add(what, &value);
            }
            let files = entry.subject.files(self.around);
            for file in files.iter().take(FILES) {
                add("file", &file.display().to_string());
            }
            if files.len() > FILES {
                add("files", &format!("and {} more", files.len() - FILES));
            }
            for tool in &entry.tools {
                add("tool", &tool.tool);
            }
        }
        text
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> Value {
        let entries = self.entries.iter().map(|entry| {
            let runs: Vec<String> = entry.runs().into_iter().map(|(_, what)| what).collect();
            let files = entry.subject.files(self.around).into_iter();
            let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
            let mut object = json!({
                "name": entry.subject.name,
                "kind": entry.subject.noun(),
                "state": entry.state.map(Verdict::word),
                "runs": runs,
                "files": files,
            });
            if entry.done == "allowed" {
                let tools = entry.tools.iter().map(|item| item.tool.as_str());
                object["tools"] = tools.collect();
            }
            object
        });
        json!({"sources": entries.collect::<Vec<Value>>()})
    }
}
