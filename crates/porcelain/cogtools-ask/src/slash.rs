//! Commands of a conversation: lines that begin with a slash.

use cogtools_core::suggest::did_you_mean;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Slash {
    /// List the tools whose names match a pattern.
    Tools(Option<String>),
    /// Say which session this is.
    Session,
    /// Take the last task back.
    Undo,
    /// Give the last task again.
    Retry,
    /// Show the model, or ask another one from now on.
    Model(Option<String>),
    /// Replace old turns by a summary.
    Compact,
    /// Say what is spent of what.
    Budget,
    /// List the commands.
    Help,
    /// End the conversation.
    Quit,
}

/// The names, and what they do.
pub(crate) const COMMANDS: [(&str, &str); 10] = [
    ("/tools", "[PATTERN]  list the tools"),
    ("/session", "  show the session"),
    ("/undo", "  take the last task back"),
    ("/retry", "  give the last task again"),
    ("/model", "[NAME]  show the model, or ask another one"),
    ("/compact", "  replace old turns by a summary"),
    ("/budget", "  show what is spent"),
    ("/cost", "  show what is spent, like /budget"),
    ("/help", "  show this list"),
    ("/quit", "  end the conversation, like Ctrl-D"),
];

/// The part of the help about keys.
const KEYS: &str = "\
A line that ends in a backslash goes on; so does one that is ended with Alt-Enter.
Tab completes commands, tools and @files. Ctrl-C clears the line, or stops a task.
";

impl Slash {
    /// The command in `line`, if it is one. A path, such as `/etc/hosts`, is none.
    ///
    /// # Errors
    ///
    /// The reason.
    pub(crate) fn parse(line: &str) -> Option<Result<Self, String>> {
        let mut words = line.split_whitespace();
        let name = words.next().filter(|word| word.starts_with('/'))?;
        if name[1..].contains('/') || line.trim().contains('\n') {
            return None;
        }
        let argument = words.next().map(str::to_owned);
        let takes_word = matches!(name, "/tools" | "/model");
        if argument.is_some() && !takes_word || words.next().is_some() {
            let known = COMMANDS.iter().any(|(known, _)| *known == name);
            let problem = if known {
                "takes fewer words"
            } else {
                "is not a command"
            };
            return Some(Err(format!("`{name}` {problem}; /help lists the commands")));
        }
        Some(Ok(match name {
            "/tools" => Self::Tools(argument),
            "/session" => Self::Session,
            "/undo" => Self::Undo,
            "/retry" => Self::Retry,
            "/model" => Self::Model(argument),
            "/compact" => Self::Compact,
            "/budget" | "/cost" => Self::Budget,
            "/help" => Self::Help,
            "/quit" | "/exit" => Self::Quit,
            _ => {
                let names = COMMANDS.iter().map(|(name, _)| *name);
                let hint = did_you_mean(name, names);
                let hint = hint.unwrap_or_else(|| "/help lists the commands".to_owned());
                return Some(Err(format!("`{name}` is not a command; {hint}")));
            }
        }))
    }
}

/// The list of commands.
pub(crate) fn commands_help() -> String {
    let lines = COMMANDS.map(|(name, what)| format!("{name} {what}\n"));
    format!("{}\n{KEYS}", lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<Result<Slash, &str>>) {
        let expected = expected.map(|result| result.map_err(str::to_owned));
        assert_eq!(Slash::parse(line), expected, "{line:?}");
    }

    #[test]
    fn lines_with_a_slash_are_commands() {
        check("/help", Some(Ok(Slash::Help)));
        check("  /quit ", Some(Ok(Slash::Quit)));
        check("/tools", Some(Ok(Slash::Tools(None))));
        check("/model", Some(Ok(Slash::Model(None))));
        check("/model m", Some(Ok(Slash::Model(Some("m".into())))));
        check("/tools git_*", Some(Ok(Slash::Tools(Some("git_*".into())))));
        for line in [
            "",
            "help",
            "/etc/hosts is empty",
            "/undo\nor not",
            "a /undo",
        ] {
            check(line, None);
        }
    }

    #[test]
    fn mistakes_are_named() {
        let fewer = "`/undo` takes fewer words; /help lists the commands";
        check("/undo 2", Some(Err(fewer)));
        check(
            "/unod",
            Some(Err("`/unod` is not a command; did you mean `/undo`?")),
        );
        check(
            "/x",
            Some(Err("`/x` is not a command; /help lists the commands")),
        );
        let none = "`/explain` is not a command; /help lists the commands";
        check("/explain this to me", Some(Err(none)));
    }
}
