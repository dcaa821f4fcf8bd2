//! The report: the created files and the next steps.

use std::fmt::Write as _;
use std::path::PathBuf;

use cogtools_core::Name;
use cogtools_program::terminal::sanitize;
use serde_json::{Value, json};

use crate::new::duplicate::Duplicate;

/// A created tool.
pub(crate) struct Created {
    pub(crate) name: Name,
    /// The files, the tool's first.
    pub(crate) files: Vec<PathBuf>,
    /// Another tool of the same name.
    pub(crate) duplicate: Option<Duplicate>,
    /// Valid arguments, as JSON.
    pub(crate) example: &'static str,
    /// Whether the project finds it by its name.
    pub(crate) listed: bool,
    /// Whether the project is trusted to run programs.
    pub(crate) trusted: bool,
}

impl Created {
    /// The report as JSON.
    pub(crate) fn json(&self) -> Value {
        let shown = |file: &PathBuf| file.display().to_string();
        let created: Vec<String> = self.files.iter().map(shown).collect();
        let mut object = json!({
            "name": self.name.as_str(),
            "created": created,
            "example": serde_json::from_str(self.example).unwrap_or(Value::Null),
        });
        if let Some(duplicate) = &self.duplicate {
            let key = if duplicate.wins {
                "shadowed_by"
            } else {
                "shadows"
            };
            object[key] = shown(&duplicate.file).into();
        }
        object
    }

    /// The report as text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        for file in &self.files {
            let _ = writeln!(text, "created {}", sanitize(&file.display().to_string()));
        }
        if let Some(duplicate) = &self.duplicate {
            let _ = writeln!(text, "{}", sanitize(&duplicate.message()));
        }
        let name = &self.name;
        let file = self.files.first().map(|file| file.display().to_string());
        let file = sanitize(&file.unwrap_or_default()).into_owned();
        let (tool, call) = if self.listed {
            (name.to_string(), format!("cogtools-call {name}"))
        } else {
            (file.clone(), format!("cogtools-yaml {file}"))
        };
        let _ = write!(
            text,
            "\nnext steps:\n\
             - edit it; its comments explain each part\n\
             - print the declaration that a model sees:\n    cogtools expand {tool}\n\
             - call it:\n    echo '{}' | {call}\n",
            self.example,
        );
        if !self.trusted {
            text.push_str(
                "- review the project's other tools that run programs:\n    cogtools trust\n",
            );
        }
        text
    }
}
