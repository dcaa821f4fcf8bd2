//! Hints as they are printed, with the command lines for the commands in them.

use std::borrow::Cow;

use cogtools_core::Hint;
use cogtools_core::hint::{Callee, Command};

use crate::call::quote;

/// The command that shows each warning of which [`crate::Io::warn`] has printed one for many.
pub const EACH: Hint = Hint::run("", Command::Discover, " --verbose shows all of it");
/// The command that shows each warning about declarations for MCP.
pub const EACH_FOR_MCP: Hint = Hint::run(
    "",
    Command::Discover,
    " --format mcp --verbose shows all of it",
);

/// The hint on one line.
pub fn render_hint(hint: &Hint) -> Cow<'_, str> {
    hint.render(command_line)
}

/// The command line in `hint`, if its command changes what the hint is about, and needs no
/// further words.
pub fn fixing_command(hint: &Hint) -> Option<String> {
    match hint {
        Hint::Run { command, .. } => match command {
            Command::Trust(_) | Command::TrustProject(_) | Command::Lock | Command::Init => {
                Some(command_line(command))
            }
            _ => None,
        },
        Hint::Text(_) | Hint::Names(_) => None,
    }
}

/// All hints, in order.
pub fn render_hints(hints: &[Hint]) -> Vec<Cow<'_, str>> {
    hints.iter().map(render_hint).collect()
}

/// The command line of a command, for a shell in the directory that it is about.
pub(crate) fn command_line(command: &Command) -> String {
    command_line_in(command, None)
}

/// The command line of a command about `directory`, which is quoted, for a shell in another one.
pub(crate) fn command_line_in(command: &Command, directory: Option<&str>) -> String {
    let root = match command {
        Command::TrustProject(Some(root)) => Some(quote(&root.display().to_string())),
        _ => directory.map(str::to_owned),
    };
    let mut input = String::new();
    let (program, words) = match command {
        Command::Discover => ("cogtools-discover", String::new()),
        Command::List => ("cogtools", " list".to_owned()),
        Command::Run(tool, args) => {
            let words = std::iter::once(tool)
                .chain(args)
                .map(|word| quote_assignment(word));
            let words = words.collect::<Vec<_>>().join(" ");
            ("cogtools", format!(" run {words}"))
        }
        Command::Call {
            callee,
            input: given,
            yaml,
        } => {
            if let Some(given) = given {
                input = format!("echo {} | ", quote(given));
            }
            let option = if *yaml { " --yaml" } else { "" };
            let (program, name) = match callee {
                Callee::Tool(name) => ("cogtools-call", name.clone()),
                Callee::File(file) => ("cogtools-yaml", file.display().to_string()),
            };
            (program, format!("{option} {}", quote(&name)))
        }
        Command::Lint => ("cogtools", " lint".to_owned()),
        Command::Doctor => ("cogtools", " doctor".to_owned()),
        Command::Test => ("cogtools", " test".to_owned()),
        Command::Help(topic) => ("cogtools", format!(" help {topic}")),
        Command::HelpAll => ("cogtools", " help --all".to_owned()),
        Command::Init => ("cogtools", " init".to_owned()),
        Command::New => ("cogtools", " new NAME".to_owned()),
        Command::Trust(source) => {
            let end = if source.starts_with('-') { " --" } else { "" };
            ("cogtools", format!(" trust{end} {}", quote(source)))
        }
        Command::TrustProject(_) => ("cogtools", " trust .".to_owned()),
        Command::Lock => ("cogtools", " lock".to_owned()),
        Command::ConfigOrigins => ("cogtools", " config list --show-origin".to_owned()),
        Command::EnvOrigins => ("cogtools", " config env --explain".to_owned()),
        Command::EditorStatus => ("cogtools", " editor status".to_owned()),
    };
    let root = root.map(|root| format!(" -C {root}")).unwrap_or_default();
    format!("{input}{program}{root}{words}")
}

/// Quotes `key=value` for a shell, if one would change it: `=` needs no quotes behind a key.
fn quote_assignment(word: &str) -> String {
    let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    match word.split_once('=') {
        Some((key, value)) if !key.is_empty() && key.chars().all(is_key) => {
            let quoted = quote(value);
            if quoted == value {
                word.to_owned()
            } else {
                quote(word)
            }
        }
        _ => quote(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_the_directory_that_the_shell_is_not_in() {
        let call = Command::Call {
            callee: Callee::Tool("a".to_owned()),
            input: Some("{}".to_owned()),
            yaml: true,
        };
        for (command, expected) in [
            (Command::Discover, "cogtools-discover -C b"),
            (Command::TrustProject(None), "cogtools -C b trust ."),
            (
                Command::TrustProject(Some("/c".into())),
                "cogtools -C /c trust .",
            ),
            (call, "echo '{}' | cogtools-call -C b --yaml a"),
        ] {
            assert_eq!(command_line_in(&command, Some("b")), expected);
        }
    }

    #[test]
    fn a_command_is_rendered_inside_its_hint() {
        let run = |arg: &str| Command::Run("a".to_owned(), vec![arg.to_owned()]);
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
                Hint::run("", Command::Trust("-x".to_owned()), ""),
                "cogtools trust -- -x",
            ),
            (
                Hint::run("", Command::trust("provider", "."), ""),
                "cogtools trust provider:.",
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
            (Hint::run("", run("b=c d"), ""), "cogtools run a 'b=c d'"),
            (Hint::run("", run("b=c"), ""), "cogtools run a b=c"),
            (
                Hint::run(
                    "",
                    Command::Call {
                        callee: Callee::Tool("a".to_owned()),
                        input: Some("{}".to_owned()),
                        yaml: false,
                    },
                    "",
                ),
                "echo '{}' | cogtools-call a",
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
