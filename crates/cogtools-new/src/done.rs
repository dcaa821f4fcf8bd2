//! What was written, and what is next.

use std::fmt::Write as _;
use std::path::PathBuf;

use cogtools_core::Name;
use cogtools_program::terminal::sanitize;
use serde_json::{Value, json};

use crate::rival::Rival;

/// A tool that was started.
pub(crate) struct Done {
    pub(crate) name: Name,
    /// The files, the tool's first.
    pub(crate) created: Vec<PathBuf>,
    /// A tool that has the name already.
    pub(crate) rival: Option<Rival>,
    /// Arguments that it takes, as JSON.
    pub(crate) example: &'static str,
    /// Whether it is found by its name.
    pub(crate) listed: bool,
}

impl Done {
    /// The same for programs.
    pub(crate) fn json(&self) -> Value {
        let shown = |file: &PathBuf| file.display().to_string();
        let created: Vec<String> = self.created.iter().map(shown).collect();
        let mut object = json!({
            "name": self.name.as_str(),
            "created": created,
            "example": serde_json::from_str(self.example).unwrap_or(Value::Null),
        });
        if let Some(rival) = &self.rival {
            let key = if rival.wins { "shadowed_by" } else { "shadows" };
            object[key] = shown(&rival.file).into();
        }
        object
    }

    /// The same for people.
    pub(crate) fn words(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        for file in &self.created {
            let _ = writeln!(text, "created {}", sanitize(&file.display().to_string()));
        }
        if let Some(rival) = &self.rival {
            let _ = writeln!(text, "{}", sanitize(&rival.words()));
        }
        let name = &self.name;
        let file = self.created.first().map(|file| file.display().to_string());
        let file = sanitize(&file.unwrap_or_default()).into_owned();
        let (tool, call) = if self.listed {
            (name.to_string(), format!("cogtools-call {name}"))
        } else {
            (file.clone(), format!("cogtools-yaml {file}"))
        };
        let _ = write!(
            text,
            "\nnext steps:\n\
             - change it; its comments say what each part is for\n\
             - see what a model is told of it:\n    cogtools expand {tool}\n\
             - call it:\n    echo '{}' | {call}\n",
            self.example,
        );
        text
    }
}
