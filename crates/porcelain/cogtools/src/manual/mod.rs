//! Manual pages that do not belong to a single program: file formats and errors.

mod cogtoolrc;
mod confine;
mod errors;
mod sandbox;
mod templates;
mod tool;

use cogtools_core::config::documented;
use schemars::JsonSchema;
use serde_json::Value;

/// A section of a page: its title and its text, in the form that
/// [`cogtools_program::man`] describes.
pub type Section = (&'static str, String);

/// A manual page about something other than a program.
#[derive(Clone, Copy, Debug)]
pub struct Topic {
    /// Its name for `cogtools help`.
    pub name: &'static str,
    /// The name of the page.
    pub page: &'static str,
    /// The section of the manual that the page is in.
    pub section: u8,
    /// Its summary, on one line.
    pub about: &'static str,
    /// Its text.
    pub sections: fn() -> Vec<Section>,
}

/// All of these pages.
pub const TOPICS: [Topic; 5] = [
    Topic {
        name: "tool",
        page: "cogtools-tool",
        section: 5,
        about: "the format of tool files",
        sections: tool::sections,
    },
    Topic {
        name: "cogtoolrc",
        page: "cogtoolrc",
        section: 5,
        about: "the configuration of a project's tools",
        sections: cogtoolrc::sections,
    },
    Topic {
        name: "confine",
        page: "cogtools-confine",
        section: 1,
        about: "limits itself, then runs another program",
        sections: confine::sections,
    },
    Topic {
        name: "errors",
        page: "cogtools-errors",
        section: 7,
        about: "failures, their codes and exit statuses",
        sections: errors::sections,
    },
    Topic {
        name: "templates",
        page: "cogtools-templates",
        section: 7,
        about: "the language of templates",
        sections: templates::sections,
    },
];

/// The keys of `T`, each with its doc comment.
fn keys_of<T: JsonSchema>() -> String {
    let schema = documented::<T>();
    let properties = schema.get("properties").and_then(Value::as_object);
    let terms = properties.into_iter().flatten().map(|(key, property)| {
        let description = property["description"].as_str().unwrap_or_default();
        format!("{key}\n  {}", description.replace("\n\n", "\n  "))
    });
    terms.collect::<Vec<_>>().join("\n\n")
}
