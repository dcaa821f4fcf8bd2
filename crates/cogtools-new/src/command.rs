//! The program: check the name, find the place, write, say what is next.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, builder::PossibleValuesParser, value_parser};
use cogtools_core::{Name, Project};
use cogtools_program::args::required;
use cogtools_program::format::{format_arg, json_from_matches};
use cogtools_program::project::{config, project};
use cogtools_program::{Failure, Io, Program, Stdin, file};

use crate::done::Done;
use crate::place::Place;
use crate::refusal::Refusal;
use crate::rival::Rival;
use crate::template::Template;

/// `cogtools new`.
pub const PROGRAM: Program = Program {
    name: "cogtools-new",
    command,
    run,
    stdin: Stdin::Ignored,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "TEMPLATES",
        "njk: the tool answers with a Nunjucks template over its arguments.\n\nexec: the tool runs a program; no shell reads its arguments.\n\nscript: the tool runs a script that stands in the tool file.",
    ),
    (
        "FILES",
        "The tool goes to the first folder of tool_sources in .cogtoolrc.yaml (tools where there is none), or to DIR. It is executable.\n\n.cogtools/schema/tool.json, at the project's root, is what an editor with a YAML language server completes and checks tool files by: a comment under the tool's first line leads there. It is written where there is none; cogtools schema prints the one of this version. Commit it with the tools.",
    ),
    (
        "JSON",
        "With --format json: one object with name; created, a list of files of which the first is the tool's; example, arguments that the tool takes; and, where another tool has the name already, its file: as shadowed_by if it still is what is called, or else as shadows.",
    ),
    (
        "EXAMPLES",
        "    cogtools new check_facts\n\n    cogtools new recent_commits --template exec --dir tools/git",
    ),
];

/// The schema of tool files, as `cogtools schema` prints it.
const SCHEMA: &str = include_str!("../starter/schema.json");

fn command() -> Command {
    Command::new("cogtools-new")
        .about("Start a tool: a commented file that works")
        .long_about(
            "Write a tool file that works, with a comment on each of its parts, for you to \
             change. A file that exists is never overwritten.",
        )
        .arg(
            Arg::new("name")
                .value_name("NAME")
                .required(true)
                .help("The tool's name, such as check_facts"),
        )
        .arg(
            Arg::new("template")
                .long("template")
                .value_name("TEMPLATE")
                .value_parser(PossibleValuesParser::new(Template::NAMES))
                .default_value("njk")
                .help("How the tool does its work"),
        )
        .arg(
            Arg::new("dir")
                .long("dir")
                .value_name("DIR")
                .value_parser(value_parser!(OsString))
                .help("The folder to put it in, instead of the first local source"),
        )
        .arg(format_arg())
}

/// The command line.
struct NewArgs {
    name: String,
    template: Template,
    dir: Option<PathBuf>,
    json: bool,
}

impl NewArgs {
    fn from_matches(matches: &ArgMatches) -> Result<Self, Failure> {
        let template: String = required(matches, "template")?;
        Ok(Self {
            name: required(matches, "name")?,
            template: Template::parse(&template).unwrap_or(Template::Njk),
            dir: matches.get_one::<OsString>("dir").map(PathBuf::from),
            json: json_from_matches(matches),
        })
    }
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args = NewArgs::from_matches(matches)?;
    let template = args.template;
    let refuse = |refusal: Refusal| Failure::from(refusal.fault());
    let name =
        Name::new(&args.name).map_err(|error| refuse(Refusal::Name(args.name.clone(), error)))?;
    let project = project(io);
    let config = config(&project, io)?;
    let folders: Vec<_> = config.folders().collect();
    let place = Place::find(args.dir.as_deref(), &io.cwd, &folders).map_err(refuse)?;
    let rival = Rival::find(&name, &place, &config);
    let created = write(&name, template, &place, &project).map_err(refuse)?;
    let done = Done {
        rival: rival.map(|rival| rival.meet(&name, &config)),
        example: template.arguments(),
        listed: place.listed,
        name,
        created,
    };
    if args.json {
        io.show_json(&format!("{:#}\n", done.json()))
    } else {
        io.show(&done.words())
    }
}

/// Writes the tool and, where there is none, the schema; the tool comes first
/// among what is returned.
fn write(
    name: &Name,
    template: Template,
    place: &Place,
    project: &Project,
) -> Result<Vec<PathBuf>, Refusal> {
    let file = format!("{name}.yaml");
    let shown = place.shown.join(&file);
    let path = place.folder.join(&file);
    // Looked at early too, so that nothing else is written then.
    if path.symlink_metadata().is_ok() {
        return Err(Refusal::Exists(shown));
    }
    let failed = |file: &Path| {
        let file = file.to_path_buf();
        |error| Refusal::Unwritable(file, error)
    };
    fs::create_dir_all(&place.folder).map_err(failed(&place.shown))?;
    let schema = place.schema(project).map_err(failed(&place.shown))?;
    let text = template.text(name, &schema.reference);
    match file::create(&path, text.as_bytes(), true) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(Refusal::Exists(shown));
        }
        Err(error) => return Err(failed(&shown)(error)),
    }
    let mut created = vec![shown];
    match file::create(&schema.file, SCHEMA.as_bytes(), false) {
        Ok(()) => created.push(schema.shown),
        // One of another version, or of the user's own making: it stays.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed(&schema.shown)(error)),
    }
    Ok(created)
}
