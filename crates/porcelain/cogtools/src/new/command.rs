//! The program: check the name, choose the folder, write, print the next steps.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, builder::PossibleValuesParser, value_parser};
use cogtools_core::file::{Expected, Mode, WriteError, WritePath, write_temp};
use cogtools_core::{Code, Name, Project};
use cogtools_program::args::required;
use cogtools_program::format::{format_arg, json_from_matches};
use cogtools_program::project::{config, project, trust_created_project};
use cogtools_program::{Failure, Io, Program, Stdin, man};

use crate::new::created::Created;
use crate::new::destination::Destination;
use crate::new::duplicate::Duplicate;
use crate::new::error::NewError;
use crate::new::template::Template;

/// `cogtools new`.
pub const PROGRAM: Program = Program {
    name: "cogtools-new",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Code::InvalidConfig],
    variables: man::PROJECT,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "TEMPLATES",
        "njk: a Nunjucks template over the arguments.\n\nexec: a program, started without a shell.\n\nscript: a script inside the tool file.",
    ),
    (
        "FILES",
        "The tool is written to DIR or else to the first folder of tool_sources in .cogtoolrc.yaml (tools without that file). It is executable.\n\n.cogtools/schema/tool.json, at the project's root, lets editors with a YAML language server complete and validate tool files: a comment below the first line of the tool refers to it. It is created if it does not exist; `cogtools schema` prints the one of this version. Commit it with the tools.",
    ),
    (
        "JSON",
        "With --format json: one object with name; created, an array of files, the tool's first; example, valid arguments of the tool; and, if another tool has the same name, its file: as shadowed_by if that tool takes precedence, otherwise as shadows.",
    ),
    (
        "EXAMPLES",
        "    cogtools new check_facts\n\n    cogtools new find_uses --template exec --dir tools/code",
    ),
];

/// The schema of tool files, as `cogtools schema` prints it.
const SCHEMA: &str = include_str!("../../starter/schema.json");

fn command() -> Command {
    Command::new("cogtools-new")
        .about("Create a tool: a commented file that works")
        .long_about(
            "Create a working tool file, with a comment on each of its parts, for you to change. \
             An existing file is never overwritten.",
        )
        .arg(
            Arg::new("name")
                .value_name("NAME")
                .required(true)
                .help("Name of the tool, such as check_facts"),
        )
        .arg(
            Arg::new("template")
                .long("template")
                .value_name("TEMPLATE")
                .value_parser(PossibleValuesParser::new(Template::NAMES))
                .default_value("njk")
                .help("Implementation of the tool"),
        )
        .arg(
            Arg::new("dir")
                .long("dir")
                .value_name("DIR")
                .value_parser(value_parser!(OsString))
                .help("Folder of the new tool, instead of the first local source"),
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
    let failure = |error: NewError| Failure::from(error.diagnostic());
    let name =
        Name::new(&args.name).map_err(|error| failure(NewError::Name(args.name.clone(), error)))?;
    let project = project(io);
    let config = config(&project, io)?;
    // A tool of the project is not written into a folder of the user.
    let own = config.clone().without_user_folders();
    let folders: Vec<_> = own.folders().collect();
    let destination = Destination::find(args.dir.as_deref(), &io.cwd, &folders).map_err(failure)?;
    let duplicate = Duplicate::find(&name, &destination, &config);
    let created = write(&name, template, &destination, &project).map_err(failure)?;
    let trusted = trust_created_project(io, created.first().map(PathBuf::as_path));
    let report = Created {
        trusted,
        duplicate: duplicate.map(|duplicate| duplicate.after_creation(&name, &config)),
        example: template.arguments(),
        listed: destination.listed,
        name,
        files: created,
    };
    if args.json {
        io.show_json(&format!("{:#}\n", report.json()))
    } else {
        io.show(&report.text())
    }
}

/// Writes the tool and, unless they exist, its golden files and the schema. Returns the created
/// files, the tool's first.
fn write(
    name: &Name,
    template: Template,
    destination: &Destination,
    project: &Project,
) -> Result<Vec<PathBuf>, NewError> {
    let file = format!("{name}.yaml");
    let shown = destination.display_path.join(&file);
    let path = destination.folder.join(&file);
    // Checked early as well, so that nothing else is written in that case.
    if path.symlink_metadata().is_ok() {
        return Err(NewError::Exists(shown));
    }
    let failed = |file: &Path| {
        let file = file.to_path_buf();
        |error| NewError::Unwritable(file, error)
    };
    let schema = destination.schema(project);
    let root = project.root();
    let text = template.text(name, &schema.reference);
    let path = WritePath::in_project(root, &path);
    let mut tool = write_temp(&path, Expected::Absent, text.as_bytes(), Mode::Program)
        .map_err(failed(&shown))?;
    // Both are on disk before either is in destination.
    let path = WritePath::in_project(root, &schema.file);
    let mut for_editors = write_temp(&path, Expected::Absent, SCHEMA.as_bytes(), Mode::Data)
        .map_err(failed(&schema.display_path))?;
    match tool.commit() {
        Ok(()) => {}
        Err(WriteError::Changed) => return Err(NewError::Exists(shown)),
        Err(error) => return Err(failed(&shown)(error)),
    }
    let mut created = vec![shown];
    for (number, text) in (1..).zip(template.golden()) {
        let file = format!("{name}.{number}.golden");
        let shown = destination.display_path.join(&file);
        let path = WritePath::in_project(root, &destination.folder.join(&file));
        let golden = write_temp(&path, Expected::Absent, text.as_bytes(), Mode::Data);
        match golden.and_then(|mut golden| golden.commit()) {
            Ok(()) => created.push(shown),
            Err(WriteError::Changed) => {}
            Err(error) => return Err(failed(&shown)(error)),
        }
    }
    match for_editors.commit() {
        Ok(()) => created.push(schema.display_path),
        // An existing schema is preserved: it may be customised or of another version.
        Err(WriteError::Changed) => {}
        Err(error) => return Err(failed(&schema.display_path)(error)),
    }
    Ok(created)
}
