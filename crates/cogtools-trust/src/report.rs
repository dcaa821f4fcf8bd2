//! What was found or done, for people and programs.

use std::fmt::Write as _;

use cogtools_core::Surroundings;
use cogtools_core::approval::{Kind, TrustableSource};
use cogtools_core::trust::{Grant, Verdict};
use serde_json::{Value, json};

/// What was found or done.
pub(crate) struct Report<'r> {
    around: &'r Surroundings,
    pub(crate) entries: Vec<Entry<'r>>,
}

/// One source, and what was found of it or done to it.
pub(crate) struct Entry<'s> {
    subject: &'s TrustableSource,
    state: Option<Verdict>,
    /// What was done, in a word or two.
    done: &'static str,
    tools: Vec<Grant>,
}

/// How many files are named.
const FILES: usize = 20;

const HEAD: [&str; 4] = ["SOURCE", "KIND", "STATE", "RUNS"];

impl<'s> Entry<'s> {
    pub(crate) const fn standing(subject: &'s TrustableSource, verdict: Verdict) -> Self {
        Self::new(subject, Some(verdict), "")
    }

    pub(crate) const fn wanted(subject: &'s TrustableSource) -> Self {
        Self::new(subject, None, "would allow")
    }

    pub(crate) fn allowed(subject: &'s TrustableSource, tools: Vec<Grant>) -> Self {
        Self {
            tools,
            ..Self::new(subject, Some(Verdict::Allowed), "allowed")
        }
    }

    pub(crate) const fn revoked(subject: &'s TrustableSource, known: bool) -> Self {
        let done = if known { "revoked" } else { "was not allowed:" };
        Self::new(subject, Some(Verdict::NotApproved), done)
    }

    const fn new(subject: &'s TrustableSource, state: Option<Verdict>, done: &'static str) -> Self {
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
            let words = words.iter().map(String::as_str);
            shlex::try_join(words).unwrap_or_default()
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
            self.state.map_or("", Verdict::label).to_owned(),
            runs.join(", "),
        ]
        .map(|cell| plain(&cell))
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
        let rows: Vec<[String; 4]> = self.entries.iter().map(Entry::cells).collect();
        let mut widths = HEAD.map(str::len);
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        let line = |cells: &[String; 4]| {
            let mut line = String::new();
            for (cell, width) in cells.iter().zip(widths) {
                let _ = write!(line, "{cell:width$}  ");
            }
            line.trim_end().to_owned()
        };
        let head = line(&HEAD.map(str::to_owned));
        let mut text = if colour {
            format!("\u{1b}[1m{head}\u{1b}[0m\n")
        } else {
            head + "\n"
        };
        for row in &rows {
            text.push_str(&line(row));
            text.push('\n');
        }
        text
    }

    /// All there is to say of each source.
    pub(crate) fn lines(&self) -> String {
        let mut text = String::new();
        for entry in &self.entries {
            let (noun, name) = (entry.subject.noun(), plain(&entry.subject.name));
            let _ = writeln!(text, "{} {noun} {name}", entry.done);
            if entry.state == Some(Verdict::NotApproved) {
                continue;
            }
            let mut add = |what: &str, value: &str| {
                let _ = writeln!(text, "  {what:8}  {}", plain(value));
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
                "state": entry.state.map(Verdict::label),
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

/// A text on one line: names and words come from whoever wrote the project.
fn plain(text: &str) -> String {
    let shown = |c: char| if c.is_control() { '·' } else { c };
    text.chars().map(shown).collect()
}
