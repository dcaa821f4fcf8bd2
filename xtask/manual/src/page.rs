//! Man pages: what each says, from the commands and the texts in the code.

use anyhow::Result;
use clap::{Arg, ArgAction, Command};
use clap_mangen::Man;
use cogtools::manual::{TOPICS, Topic};
use cogtools::{PROGRAM, PROGRAMS};
use cogtools_program::{Program, man};
use roff::{Roff, roman};

use crate::markup::{section, tidy};

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
const SOURCE: &str = concat!("cogtools ", env!("CARGO_PKG_VERSION"));
/// The manual that every page belongs to.
const MANUAL: &str = "cogtools manual";
/// Sections that follow the exit status, in the order of man-pages(7).
const LAST: [&str; 3] = ["ENVIRONMENT", "FILES", "EXAMPLES"];

/// The section that follows the exit statuses of a program.
const ERRORS: &str = "`cogtools-errors(7)` lists all codes, with what to do about each.";

/// Every page.
pub fn all() -> Result<Vec<Page>> {
    let programs = PROGRAMS.iter().map(|program| of_program(program));
    let topics = TOPICS.iter().map(|topic| Ok(of_topic(topic)));
    let commands = PROGRAMS.iter().flat_map(|program| {
        let commands = subcommands(program);
        let pages = commands
            .iter()
            .map(|command| of_subcommand(program, command));
        pages.collect::<Vec<_>>()
    });
    programs.chain(topics).chain(commands).collect()
}

/// The subcommands of `program` that its help shows, each with the name of its page as its
/// display name.
fn subcommands(program: &Program) -> Vec<Command> {
    let mut command = program.command();
    command.build();
    let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
    shown.cloned().collect()
}

/// The name of the page of a subcommand, such as `cogtools-flow-run`.
fn page_name(program: &Program, command: &Command) -> String {
    format!("{}-{}", program.name, command.get_name())
}

fn of_subcommand(program: &Program, command: &Command) -> Result<Page> {
    let name = page_name(program, command);
    let man = Man::new(documented(command.clone().display_name(name.clone())))
        .title(name.to_uppercase())
        .date(DATE)
        .source(SOURCE)
        .manual(MANUAL);
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    let mut roff = Roff::new();
    let own = program.name;
    let status = format!("The statuses are the same for all commands of `{own}(1)`. {ERRORS}");
    section(&mut roff, "EXIT STATUS", &status);
    let siblings = subcommands(program);
    let siblings = siblings.iter().map(|other| page_name(program, other));
    let others = std::iter::once(own.to_owned())
        .chain(siblings.filter(|other| *other != name))
        .map(|other| format!("`{other}(1)`"));
    section(
        &mut roff,
        "SEE ALSO",
        &others.collect::<Vec<_>>().join(", "),
    );
    roff.to_writer(&mut text)?;
    Ok(page(&name, 1, &String::from_utf8(text)?))
}

fn of_program(program: &Program) -> Result<Page> {
    let man = Man::new(documented(program.command()))
        .title(program.name.to_uppercase())
        .date(DATE)
        .source(SOURCE)
        .manual(MANUAL);
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    let mut roff = Roff::new();
    let is_last = |title: &str| LAST.contains(&title);
    for (title, text) in program.manual.iter().filter(|it| !is_last(it.0)) {
        section(&mut roff, title, text);
    }
    let statuses = man::exit_status(&program.codes());
    section(&mut roff, "EXIT STATUS", &format!("{statuses} {ERRORS}"));
    for title in LAST {
        let own = program.manual.iter().find(|(own, _)| *own == title);
        let shared = (title == "ENVIRONMENT").then(|| man::environment(program.variables));
        let own = own.map(|(_, text)| (*text).to_owned());
        let text: Vec<String> = own.into_iter().chain(shared).collect();
        if !text.is_empty() {
            section(&mut roff, title, &text.join("\n\n"));
        }
    }
    let commands = subcommands(program);
    let commands = commands.iter().map(|command| {
        let about = command.get_about().map(ToString::to_string);
        let (name, about) = (page_name(program, command), about.unwrap_or_default());
        format!("{name}(1)\n  {about}.")
    });
    let commands = commands.collect::<Vec<_>>().join("\n\n");
    if !commands.is_empty() {
        section(&mut roff, "PAGES OF COMMANDS", &commands);
    }
    see_also(&mut roff, program.name);
    roff.to_writer(&mut text)?;
    Ok(page(program.name, 1, &String::from_utf8(text)?))
}

fn of_topic(topic: &Topic) -> Page {
    let mut roff = Roff::new();
    let number = topic.section.to_string();
    roff.control(
        "TH",
        [&*topic.page.to_uppercase(), &number, DATE, SOURCE, MANUAL],
    );
    let name = format!("{} - {}", topic.page, topic.about);
    roff.control("SH", ["NAME"]).text([roman(name)]);
    for (title, text) in (topic.sections)() {
        section(&mut roff, title, &text);
    }
    see_also(&mut roff, topic.page);
    page(topic.page, topic.section, &roff.render())
}

fn page(name: &str, section: u8, text: &str) -> Page {
    Page {
        file: format!("{name}.{section}"),
        section,
        text: tidy(text),
    }
}

/// The command with a usage that names every option with its value, a description
/// that ends with a full stop, and no mention of the two kinds of `--help`.
fn documented(mut command: Command) -> Command {
    command.build();
    // The usage names them.
    let is_required = |arg: &Arg| {
        let mut groups = command.get_groups().filter(|it| it.is_required_set());
        arg.is_required_set() || groups.any(|it| it.get_args().any(|id| id == arg.get_id()))
    };
    let is_omitted = |arg: &&Arg| {
        arg.is_positional()
            || is_required(arg)
            || matches!(arg.get_action(), ArgAction::Help | ArgAction::Version)
    };
    let options = command.get_arguments().filter(|arg| !is_omitted(arg));
    let options: Vec<String> = options
        .map(|arg| format!("[{arg}]").replace(' ', "\u{a0}"))
        .collect();
    let about = command.get_long_about().or_else(|| command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let usage = usage.replace("[OPTIONS]", &options.join(" "));
    command
        .override_usage(usage)
        .long_about(format!("{}.", about.trim_end_matches('.')))
        .mut_arg("help", |arg| arg.long_help("Print help"))
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
        .map(|(name, section)| format!("`{name}({section})`"));
    section(roff, "SEE ALSO", &others.collect::<Vec<_>>().join(", "));
}
