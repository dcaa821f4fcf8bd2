//! The templates of new tools.

use cogtools_core::Name;

/// A kind of implementation, with an example tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Template {
    /// A Nunjucks template.
    Njk,
    /// JavaScript.
    Js,
    /// A program with arguments.
    Exec,
    /// A script in the tool file.
    Script,
}

impl Template {
    /// The names on the command line.
    pub(crate) const NAMES: [&'static str; 4] = ["njk", "js", "exec", "script"];

    /// The template of that name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "njk" => Self::Njk,
            "js" => Self::Js,
            "exec" => Self::Exec,
            "script" => Self::Script,
            _ => return None,
        })
    }

    /// The tool file for `name`, with `schema` as the path of the schema for editors.
    pub(crate) fn text(self, name: &Name, schema: &str) -> String {
        let text = match self {
            Self::Njk => include_str!("../../starter/njk.yaml"),
            Self::Js => include_str!("../../starter/js.yaml"),
            Self::Exec => include_str!("../../starter/exec.yaml"),
            Self::Script => include_str!("../../starter/script.yaml"),
        };
        text.replace("@NAME@", name.as_str())
            .replace("@SCHEMA@", schema)
    }

    /// The golden files of the examples, in their order.
    pub(crate) const fn golden(self) -> &'static [&'static str] {
        match self {
            Self::Njk => &[
                include_str!("../../starter/njk.1.golden"),
                include_str!("../../starter/njk.2.golden"),
            ],
            Self::Js => &[
                include_str!("../../starter/js.1.golden"),
                include_str!("../../starter/js.2.golden"),
            ],
            Self::Exec => &[],
            Self::Script => &[include_str!("../../starter/script.1.golden")],
        }
    }

    /// Valid arguments of the tool, to be quoted in a shell.
    pub(crate) const fn arguments(self) -> &'static str {
        match self {
            Self::Njk => r#"{"plan": "Wait", "doubt": "It may be too late"}"#,
            Self::Js => r#"{"numbers": [3, 1, 2]}"#,
            Self::Exec => r#"{"count": 3}"#,
            Self::Script => r#"{"text": "Count these four words"}"#,
        }
    }
}
