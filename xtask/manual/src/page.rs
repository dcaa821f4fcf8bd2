//! Man pages: what each says, from the commands and the texts in the code.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command};
use cogtools::manual::{TOPICS, Topic};
use cogtools::{PROGRAM, PROGRAMS};
use cogtools_program::{Program, man};

use crate::roff::Roff;

/// A man page.
#[derive(Clone, Debug)]
pub struct Page {
    /// The file's name, such as `cogtools-call.1`.
    pub file: String,
    /// The section of the manual that it is in.
    pub section: u8,
    /// The whole page.
    pub text: String,
}

/// When this version's manual was written: the date at the foot of each page.
const DATE: &str = "2026-11-21";
/// The version that the manual is about.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Sections that stand behind what every program has.
const LAST: [&str; 3] = ["ENVIRONMENT", "FILES", "EXAMPLES"];

/// Every page.
pub fn all() -> Vec<Page> {
    let programs = PROGRAMS.iter().map(|program| of_program(program));
    programs.chain(TOPICS.iter().map(of_topic)).collect()
}

fn of_program(program: &Program) -> Page {
    let mut command = program.command();
    command.build();
    let mut roff = Roff::new(program.name, 1, DATE, VERSION);
    roff.section("NAME");
    let about = command.get_about().map(ToString::to_string);
    name(&mut roff, program.name, &about.unwrap_or_default());
    roff.section("SYNOPSIS");
    synopsis(&mut roff, &mut command);
    roff.section("DESCRIPTION");
    let about = command.get_long_about().or_else(|| command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    roff.body(&format!("{}.", about.trim_end_matches('.')));
    roff.section("OPTIONS");
    let (arguments, options): (Vec<_>, Vec<_>) =
        command.get_arguments().partition(|arg| arg.is_positional());
    for arg in arguments.into_iter().chain(options) {
        roff.entry(&term(arg), &meaning(arg));
    }
    for (title, text) in program.manual.iter().filter(|it| !LAST.contains(&it.0)) {
        roff.section(title);
        roff.body(text);
    }
    roff.section("EXIT STATUS");
    roff.body(&man::exit_status());
    for title in LAST {
        let own = program.manual.iter().find(|(own, _)| *own == title);
        let shared = (title == "ENVIRONMENT").then_some(man::ENVIRONMENT);
        let text: Vec<&str> = own.map(|own| own.1).into_iter().chain(shared).collect();
        if !text.is_empty() {
            roff.section(title);
            roff.body(&text.join("\n\n"));
        }
    }
    see_also(&mut roff, program.name);
    page(program.name, 1, roff)
}

fn of_topic(topic: &Topic) -> Page {
    let mut roff = Roff::new(topic.page, topic.section, DATE, VERSION);
    roff.section("NAME");
    name(&mut roff, topic.page, topic.about);
    for (title, text) in (topic.sections)() {
        roff.section(title);
        roff.body(&text);
    }
    see_also(&mut roff, topic.page);
    page(topic.page, topic.section, roff)
}

fn page(name: &str, section: u8, roff: Roff) -> Page {
    Page {
        file: format!("{name}.{section}"),
        section,
        text: roff.finish(),
    }
}

/// The one line that `apropos` searches.
fn name(roff: &mut Roff, name: &str, about: &str) {
    let mut letters = about.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    let about: String = if about.starts_with("YAML") {
        about.to_owned()
    } else {
        first.into_iter().chain(letters).collect()
    };
    roff.words(&format!("{name} - {about}"));
}

/// The usage, with every option instead of `[OPTIONS]`.
fn synopsis(roff: &mut Roff, command: &mut Command) {
    let options: Vec<String> = command
        .get_arguments()
        .filter(|arg| !arg.is_positional() && !is_standard(arg))
        .map(|arg| format!("[{}]", term(arg)).replace(' ', "\u{a0}"))
        .collect();
    let usage = command.render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage).to_owned();
    for (index, line) in usage.lines().map(str::trim).enumerate() {
        if index > 0 {
            roff.line_break();
        }
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.replace("[OPTIONS]", &options.join(" "));
        roff.words(&format!("`{name}` {}", rest.replace(['<', '>'], "")));
    }
}

fn is_standard(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Help | ArgAction::Version)
}

/// An option as it is written: `-C DIR`, `--format HOST`.
fn term(arg: &Arg) -> String {
    let value = match arg.get_value_names() {
        Some([name, ..]) if arg.get_action().takes_values() => format!(" {name}"),
        _ => String::new(),
    };
    let short = arg.get_short().map(|short| format!("`-{short}`"));
    let long = arg.get_long().map(|long| format!("`--{long}`"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    format!("{}{value}", names.join(", "))
        .trim_start()
        .to_owned()
}

fn meaning(arg: &Arg) -> String {
    let help = match arg.get_action() {
        ArgAction::Help => "Print help".to_owned(),
        ArgAction::Version => "Print the version".to_owned(),
        _ => arg.get_help().map(ToString::to_string).unwrap_or_default(),
    };
    let mut text = format!("{}.", help.trim_end_matches('.'));
    if !arg.get_action().takes_values() {
        return text;
    }
    let values = arg.get_possible_values();
    let values: Vec<String> = values
        .iter()
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if let [first @ .., last] = values.as_slice() {
        let _ = write!(text, " One of {} and {last}.", first.join(", "));
    }
    if let [default] = arg.get_default_values() {
        let _ = write!(text, " The default is `{}`.", default.display());
    }
    text
}

/// Every other page.
fn see_also(roff: &mut Roff, name: &str) {
    let programs = PROGRAMS.iter().map(|program| (program.name, 1));
    let topics = TOPICS.iter().map(|topic| (topic.page, topic.section));
    let mut others: Vec<(&str, u8)> = programs.chain(topics).collect();
    others.retain(|(other, _)| *other != name);
    others.sort_by_key(|(other, section)| (*section, *other != PROGRAM.name, *other));
    let others = others
        .iter()
        .map(|(name, section)| format!("`{name}`({section})"));
    roff.section("SEE ALSO");
    roff.words(&others.collect::<Vec<_>>().join(", "));
}
