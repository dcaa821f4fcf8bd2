//! Hints as they are printed, with the command lines for the commands in them.

use std::borrow::Cow;

use cogtools_core::Hint;
use cogtools_core::hint::Command;

use crate::call::quote;

/// The hint on one line.
pub fn render_hint(hint: &Hint) -> Cow<'_, str> {
    hint.render(command_line)
}

/// All hints, in order.
pub fn render_hints(hints: &[Hint]) -> Vec<Cow<'_, str>> {
    hints.iter().map(render_hint).collect()
}

fn command_line(command: &Command) -> String {
    match command {
        Command::Discover => "cogtools-discover".to_owned(),
        Command::Trust(source) => format!("cogtools trust {}", quote(source)),
        Command::TrustProject(None) => "cogtools trust .".to_owned(),
        Command::TrustProject(Some(root)) => {
            format!("cogtools -C {} trust .", quote(&root.display().to_string()))
        }
        Command::Lock => "cogtools lock".to_owned(),
        Command::ConfigOrigins => "cogtools config list --show-origin".to_owned(),
        Command::EnvOrigins => "cogtools config env --explain".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_rendered_inside_its_hint() {
        for (hint, expected) in [
            (Hint::from("run this again"), "run this again"),
            (
                Hint::run("", Command::Discover, " lists the tools"),
                "cogtools-discover lists the tools",
            ),
            (
                Hint::run("approve it: ", Command::Trust("git".to_owned()), ""),
                "approve it: cogtools trust git",
            ),
            (
                Hint::run("", Command::Trust("a; rm -r ~".to_owned()), ""),
                "cogtools trust 'a; rm -r ~'",
            ),
            (
                Hint::run("trust it: ", Command::TrustProject(None), ""),
                "trust it: cogtools trust .",
            ),
            (
                Hint::run("", Command::TrustProject(Some("/a b".into())), ""),
                "cogtools -C '/a b' trust .",
            ),
            (
                Hint::run("", Command::Lock, " pins it"),
                "cogtools lock pins it",
            ),
            (
                Hint::run("change it (", Command::ConfigOrigins, " shows where)"),
                "change it (cogtools config list --show-origin shows where)",
            ),
            (
                Hint::run("", Command::EnvOrigins, " shows where"),
                "cogtools config env --explain shows where",
            ),
        ] {
            assert_eq!(render_hint(&hint), expected);
        }
    }
}
