//! `cogtools add`: installs a package and makes its tools known.

use std::fmt::Write as _;
use std::process::Command as Child;

use clap::{Arg, ArgAction, ArgMatches, Command};
use cogtools_core::hint::Command as HintCommand;
use cogtools_core::source::Package;
use cogtools_core::{Code, Diagnostic, Hint, Project, Tool};
use cogtools_program::args::{RegistryArgs, required};
use cogtools_program::project::{config, file_registry, project};
use cogtools_program::terminal::{pluralize, sanitize};
use cogtools_program::{Failure, Io, Program, Severity, Stdin, man, render_hint};

use crate::packages::name::PackageName;
use crate::packages::npm::Npm;
use crate::packages::sources::{has_packages, installed, list_packages};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-add",
    command,
    run,
    stdin: Stdin::Ignored,
    codes: &[
        Code::ToolFailed,
        Code::Denied,
        Code::InvalidConfig,
        Code::ToolNotFound,
    ],
    variables: man::SOURCES,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "WHAT IT DOES",
        "npm installs the package among the project's development dependencies; scripts of packages \
never run. A package that declares no tools is removed again. Then node_modules is added to \
tool_sources in .cogtoolrc.yaml, unless it is there, and the tools are listed.

Tools that run programs must be approved. At a terminal, `cogtools-trust(1)` shows what they run and \
asks; with --yes it approves without a question. Otherwise they are declared, and calls are denied.

npm is searched for on PATH, but never in the project. Since the project's .npmrc and package.json \
tell npm what to do, the project must be trusted.",
    ),
    (
        "EXAMPLES",
        "    cogtools search review\n\n    cogtools add @team/checks\n\n    cogtools add --yes checks@1.2.0",
    ),
];

fn command() -> Command {
    Command::new(PROGRAM.name)
        .about("Install an npm package and use its tools")
        .long_about(
            "Install a package with npm, without running its scripts, and make its tools known to \
             the project that contains the current directory.",
        )
        .arg(
            Arg::new("package")
                .value_name("PACKAGE")
                .required(true)
                .help("Its name in the npm registry, with @VERSION if needed"),
        )
        .arg(
            Arg::new("yes")
                .long("yes")
                .action(ArgAction::SetTrue)
                .help("Approve its programs without a question: you have reviewed them"),
        )
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let text: String = required(matches, "package")?;
    let name = PackageName::parse(&text).map_err(|error| error.diagnostic())?;
    let project = project(io);
    let npm = Npm::in_project(&project, io)?;
    // Before anything is installed, because it could not be used.
    let is_listed = has_packages(&config(&project, io)?)?;
    let was_there = project
        .root()
        .join("node_modules")
        .join(&name.name)
        .exists();
    npm.run(&["install", "--save-dev"], &[&name.spec()])?;
    let Some(package) = installed(&project, io)
        .into_iter()
        .find(|package| package.name == name.name)
    else {
        if !was_there {
            npm.run(&["uninstall"], &[&name.name])?;
        }
        return Err(without_tools(&name.name, was_there).into());
    };
    if !is_listed {
        list_packages(&project)?;
    }
    let runs_programs = report(&package, &project, !is_listed, io)?;
    if runs_programs {
        return approve(&package.name, matches.get_flag("yes"), io);
    }
    Ok(())
}

fn without_tools(name: &str, was_there: bool) -> Diagnostic {
    let message = "its package.json names no folders of tools";
    let diagnostic = Diagnostic::new(Code::ToolNotFound, message).with_subject(name);
    if was_there {
        diagnostic.hint("it is still installed, and no source of tools")
    } else {
        diagnostic.hint("it was removed again; cogtools search finds packages with tools")
    }
}

/// Prints what was added, and returns whether a tool of it runs programs.
fn report(
    package: &Package,
    project: &Project,
    is_listed: bool,
    io: &mut Io<'_>,
) -> Result<bool, Failure> {
    let entries: Vec<_> = package
        .folders
        .iter()
        .flat_map(|folder| folder.list().entries)
        .collect();
    let shadowed = file_registry(&RegistryArgs::default(), io)?
        .files()
        .shadowed;
    let mut text = format!(
        "added {}: {}\n",
        package.name,
        pluralize(entries.len(), "tool")
    );
    let mut runs_programs = false;
    let mut diagnostics = Vec::new();
    for entry in &entries {
        let mut notes: Vec<String> = Vec::new();
        match entry.load() {
            Ok(tool) if Tool::runs_programs(&tool) => {
                runs_programs = true;
                notes.push("runs programs".to_owned());
            }
            Ok(_) => {}
            Err(error) => {
                notes.push("invalid".to_owned());
                diagnostics.extend(error.diagnostics());
            }
        }
        let winner = shadowed
            .iter()
            .find(|hidden| hidden.file == entry.display_path);
        notes.extend(winner.map(|hidden| format!("shadowed by {}", hidden.winner.display())));
        let notes = match notes.as_slice() {
            [] => String::new(),
            notes => format!(" ({})", notes.join("; ")),
        };
        let name = entry.name.to_string_lossy();
        let _ = writeln!(text, "  {}{}", sanitize(&name), sanitize(&notes));
    }
    if is_listed {
        let (_, file) = project.resolve(Project::CONFIG.as_ref());
        let file = file.display();
        let _ = writeln!(text, "updated {file}: tool_sources has node_modules");
    }
    io.print(text.as_bytes())?;
    for diagnostic in &diagnostics {
        io.report(Severity::Warning, diagnostic);
    }
    Ok(runs_programs)
}

/// Continues as `cogtools trust` for the package, if that can ask or need not.
fn approve(package: &str, yes: bool, io: &mut Io<'_>) -> Result<(), Failure> {
    let source = format!("package:{package}");
    if !yes && !io.stdin.is_terminal() {
        let hint = Hint::run(
            "approve what it runs, after a review: ",
            HintCommand::Trust(source),
            "",
        );
        return io.print(format!("{}\n", render_hint(&hint)).as_bytes());
    }
    let mut trust = Child::new(&io.program);
    trust.arg("trust").args(yes.then_some("--yes")).arg(source);
    trust.current_dir(&io.cwd);
    Err(Failure::Exec(trust.into()))
}
