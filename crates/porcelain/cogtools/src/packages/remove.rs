//! `cogtools remove`: undoes `cogtools add`.

use std::fmt::Write as _;

use clap::{Arg, ArgMatches, Command};
use cogtools_core::suggest::did_you_mean;
use cogtools_core::{Code, Diagnostic, Hint, Project};
use cogtools_program::args::required;
use cogtools_program::project::project;
use cogtools_program::{Failure, Io, Program, Stdin, man};

use crate::packages::name::PackageName;
use crate::packages::npm::Npm;
use crate::packages::sources::{installed, unlist_packages};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-remove",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[Code::ToolFailed, Code::Denied, Code::InvalidConfig],
    variables: man::SHARED,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "WHAT IT DOES",
        "npm removes the package and its name from package.json. If no other package of the project \
has tools, node_modules is removed from tool_sources in .cogtoolrc.yaml. An approval of the package \
is kept until `cogtools trust --prune`.",
    ),
    ("EXAMPLES", "    cogtools remove @team/checks"),
];

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Remove an npm package with tools")
        .long_about(
            "Remove a package with tools from the project that contains the current directory: from \
             node_modules, from package.json and, if it was the last one, from tool_sources.",
        )
        .arg(
            Arg::new("package")
                .value_name("PACKAGE")
                .required(true)
                .help("The name of the package"),
        )
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let text: String = required(matches, "package")?;
    let name = PackageName::parse(&text).map_err(|error| error.diagnostic())?;
    let project = project(io);
    let npm = Npm::in_project(&project, io)?;
    let packages: Vec<String> = installed(&project, io)
        .into_iter()
        .map(|package| package.name)
        .collect();
    if !packages.contains(&name.name) {
        let message = "no package of that name has tools here";
        let mut diagnostic = Diagnostic::new(Code::Usage, message).with_subject(name.name.as_str());
        let suggestion = did_you_mean(&name.name, packages.iter().map(String::as_str));
        diagnostic.hints.extend(suggestion.map(Hint::from));
        return Err(diagnostic
            .hint("npm uninstall removes packages without tools")
            .into());
    }
    npm.run(&["uninstall"], &[&name.name])?;
    let mut text = format!("removed {}\n", name.name);
    if installed(&project, io).is_empty() && unlist_packages(&project)? {
        let (_, file) = project.resolve(Project::CONFIG.as_ref());
        let file = file.display();
        let _ = writeln!(
            text,
            "updated {file}: tool_sources no longer has node_modules"
        );
    }
    io.print(text.as_bytes())
}
