//! What the last of some words can be, by the command line of their program.

use clap::{Arg, ArgAction, Command};
use cogtools_program::Io;

use super::candidate::Candidate;
use super::names::Names;
use crate::manual::TOPICS;
use crate::{PREFIX, PROGRAM, built_in, built_ins};

/// What a shell can offer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Completion {
    /// These words.
    Candidates(Vec<Candidate>),
    /// The names of files.
    Files,
}

/// The command line before the cursor.
struct Typed {
    command: Command,
    positionals: Vec<String>,
    /// The option whose value comes next.
    pending: Option<Arg>,
    only_positionals: bool,
}

/// What the last of `words` can be; the first is the program.
pub(super) fn complete(words: &[String], io: &mut Io<'_>) -> Completion {
    let Some((current, before)) = words.split_last() else {
        return Completion::Files;
    };
    let Some((program, before)) = before.split_first() else {
        return Completion::Files;
    };
    let file = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let file = file.strip_suffix(".exe").unwrap_or(file);
    let own = file.strip_prefix(PREFIX).and_then(built_in);
    let completion = match own {
        Some(program) => Typed::read(program.command(), before, io).complete(current, io),
        None => porcelain(before, current, io),
    };
    match completion {
        Completion::Candidates(mut candidates) => {
            candidates.retain(|candidate| candidate.starts_with(current));
            Completion::Candidates(candidates)
        }
        Completion::Files => Completion::Files,
    }
}

/// The same behind `cogtools`, which becomes the program that its first word names.
fn porcelain(before: &[String], current: &str, io: &mut Io<'_>) -> Completion {
    let typed = Typed::read(PROGRAM.command(), before, io);
    let Some(name) = typed.positionals.first() else {
        if typed.pending.is_some() || current.starts_with('-') {
            return typed.complete(current, io);
        }
        let more = [("help", "Show a manual"), ("version", "Print the version")];
        let more = more.map(|(name, about)| Candidate::new(name, about));
        return Completion::Candidates(programs().chain(more).collect());
    };
    let rest = before.iter().position(|word| word == name).unwrap_or(0) + 1;
    match built_in(name) {
        Some(program) => Typed::read(program.command(), &before[rest..], io).complete(current, io),
        None if name == "help" => {
            let topics = TOPICS.iter();
            let topics = topics.map(|topic| Candidate::new(topic.name, topic.about));
            Completion::Candidates(programs().chain(topics).collect())
        }
        None => Completion::Files,
    }
}

fn programs() -> impl Iterator<Item = Candidate> {
    built_ins().map(|(name, program)| {
        let about = program.command().get_about().map(ToString::to_string);
        Candidate::new(name, &about.unwrap_or_default())
    })
}

impl Typed {
    /// Reads the words before the cursor. A `-C` among them changes the directory of `io`.
    fn read(mut command: Command, words: &[String], io: &mut Io<'_>) -> Self {
        command.build();
        let mut typed = Self {
            command,
            positionals: Vec::new(),
            pending: None,
            only_positionals: false,
        };
        for word in words {
            typed.add(word, io);
        }
        typed
    }

    fn add(&mut self, word: &str, io: &mut Io<'_>) {
        if let Some(option) = self.pending.take() {
            if option.get_id() == "directory" {
                io.cwd = io.cwd.join(word);
            }
        } else if self.only_positionals {
            self.positionals.push(word.to_owned());
        } else if word == "--" {
            self.only_positionals = true;
        } else if word.starts_with('-') && word.len() > 1 {
            self.pending = self
                .option(word)
                .filter(|option| takes_value(option))
                .cloned();
        } else if let Some(command) = self.subcommand(word) {
            self.command = command;
        } else {
            // What follows the name of a program belongs to that program.
            self.only_positionals = self.command.is_allow_external_subcommands_set();
            self.positionals.push(word.to_owned());
        }
    }

    fn subcommand(&self, name: &str) -> Option<Command> {
        let found = self.command.find_subcommand(name);
        found.filter(|_| self.positionals.is_empty()).cloned()
    }

    /// The option in `word`, unless its value is in the same word.
    fn option(&self, word: &str) -> Option<&Arg> {
        let long = word.strip_prefix("--");
        let mut chars = word.chars().skip(1);
        let short = chars.next().filter(|_| chars.next().is_none());
        self.command.get_arguments().find(|arg| match long {
            Some(long) => arg.get_long() == Some(long),
            None => short.is_some() && arg.get_short() == short,
        })
    }

    fn complete(&self, current: &str, io: &Io<'_>) -> Completion {
        if let Some(option) = &self.pending {
            return self.values(option, current, io);
        }
        if !self.only_positionals && current.starts_with('-') {
            return match current.split_once('=') {
                Some((option, value)) => match self.option(option) {
                    Some(arg) => self.values(arg, value, io).after(&format!("{option}=")),
                    None => Completion::Candidates(Vec::new()),
                },
                None => Completion::Candidates(self.options()),
            };
        }
        let subcommands: Vec<Candidate> = self
            .command
            .get_subcommands()
            .filter(|command| self.positionals.is_empty() && !command.is_hide_set())
            .map(|command| {
                let about = command.get_about().map(ToString::to_string);
                Candidate::new(command.get_name(), &about.unwrap_or_default())
            })
            .collect();
        if !subcommands.is_empty() {
            return Completion::Candidates(subcommands);
        }
        let positionals: Vec<&Arg> = self.command.get_positionals().collect();
        let index = self.positionals.len();
        let last = positionals.last().filter(|arg| {
            let is_repeated = arg
                .get_num_args()
                .is_some_and(|count| count.max_values() > 1);
            is_repeated || matches!(arg.get_action(), ArgAction::Append)
        });
        match positionals.get(index).or(last) {
            Some(arg) if !arg.is_hide_set() => self.values(arg, current, io),
            _ => Completion::Candidates(Vec::new()),
        }
    }

    fn options(&self) -> Vec<Candidate> {
        let visible = self
            .command
            .get_arguments()
            .filter(|arg| !arg.is_hide_set());
        let option = |arg: &Arg| {
            let long = arg.get_long().map(|long| format!("--{long}"));
            let option = long.or_else(|| Some(format!("-{}", arg.get_short()?)))?;
            let help = arg.get_help().map(ToString::to_string);
            Some(Candidate::new(option, &help.unwrap_or_default()))
        };
        visible.filter_map(option).collect()
    }

    /// What the value of `arg` can be, of which `typed` is the beginning.
    fn values(&self, arg: &Arg, typed: &str, io: &Io<'_>) -> Completion {
        let possible = arg.get_possible_values();
        if !possible.is_empty() {
            let candidate = |value: &clap::builder::PossibleValue| {
                let help = value.get_help().map(ToString::to_string);
                Candidate::new(value.get_name(), &help.unwrap_or_default())
            };
            return Completion::Candidates(possible.iter().map(candidate).collect());
        }
        let list = arg
            .get_value_delimiter()
            .and_then(|comma| typed.rsplit_once(comma));
        let done = list.map_or_else(String::new, |(done, _)| format!("{done},"));
        let typed = list.map_or(typed, |(_, rest)| rest);
        let names = || Names::new(io);
        let found = match arg.get_id().as_str() {
            "tool" | "tools" | "exclude" => names().tools(typed),
            "toolset" => names().toolsets(),
            "arguments" => match self.positionals.first() {
                Some(tool) => names().arguments(tool, typed),
                None => Vec::new(),
            },
            // Nothing here knows them.
            "term" | "package" | "name" | "value" | "key" | "source" | "rule" => Vec::new(),
            _ => return Completion::Files,
        };
        Completion::Candidates(found).after(&done)
    }
}

impl Completion {
    fn after(self, prefix: &str) -> Self {
        match self {
            Self::Candidates(found) => {
                let found = found.into_iter().map(|candidate| candidate.after(prefix));
                Self::Candidates(found.collect())
            }
            Self::Files => Self::Files,
        }
    }
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}
