//! `cogtools skill`: writes the project's tools as Agent Skills, or checks that they are up to date.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::file::{self, WriteError, WritePath, descends};
use cogtools_core::source::Skills;
use cogtools_core::{Code, Config, Diagnostic, Project};
use cogtools_program::documents::skill::{Skill, collect, new_content, orphaned};
use cogtools_program::documents::{
    DocumentError, Update, collect_all, file_lines, file_values, project_config,
};
use cogtools_program::format::FormatArg;
use cogtools_program::project::project;
use cogtools_program::{EACH, Failure, Io, Program, Severity, Stdin, args, man};
use serde_json::{Value, json};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-skill",
    command: SkillArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[&[
        Code::Stale,
        Code::Denied,
        Code::InvalidConfig,
        Code::ToolNotFound,
    ]],
    variables: man::SHARED,
    manual: MANUAL,
};

const MANUAL: &[(&str, &str)] = &[
    (
        "SKILLS",
        "A toolset is a skill: .agents/skills/NAME/SKILL.md, which most agents read. NAME is the toolset's, in lower case and with `-` for other characters; tools in no toolset are the skill project-tools. The description says what the tools are for, by the first sentences of theirs; `skill: {NAME: TEXT}` in the configuration replaces it. The body shows how to call a tool, what an exit status means, and a line for each tool. references/TOOL.md has a tool's whole description, its arguments, and its examples with the results in their golden files.\n\nA body has less than 500 lines, 5,000 tokens and 24,000 bytes. If the table of tools does not fit, it loses the arguments, then moves to references/all.tools.md.",
    ),
    (
        "WHAT IS OURS",
        "Text between these comments is replaced, each on a line of its own; every other byte of the file is preserved:\n\n    <!-- cogtools:begin -->\n    <!-- cogtools:end -->\n\nThe lines above the body, from `---` to `---`, are replaced while metadata has `generated-by: cogtools`; remove it to write your own. A SKILL.md without the comments is yours, and an error. A file in references that consists of such a text and belongs to no tool any more is removed. So is a skill of such texts that belongs to no toolset any more, unless NAME is given or a tool is invalid.",
    ),
    (
        "CHECK",
        "With --check, nothing is written. If a file would change, the diff is printed on standard error and the exit status is 1.",
    ),
    (
        "JSON",
        "One object: files, an array of objects with file and action (created, updated, unchanged or removed); and skills, an array of objects with name, description and tools.",
    ),
    ("FILES", man::FILES),
    (
        "EXAMPLES",
        "    cogtools skill\n\n    cogtools skill --check\n\n    cogtools skill --allow --dir .claude/skills git",
    ),
];

/// Write the project's tools as skills for agents
#[derive(Parser)]
#[command(
    long_about = "Write the project's tools as Agent Skills: files that an agent reads only when \
        it needs them. A tool costs its declaration in every request; a skill costs its name and \
        its description, whatever the number of its tools. Agents call the tools by `cogtools run` \
        in a shell."
)]
struct SkillArgs {
    /// Only the skills with these names; by default, all
    #[arg(value_name = "NAME")]
    name: Vec<String>,
    /// The folder of the skills, in the project
    #[arg(long, value_name = "DIR", default_value = Skills::FOLDER)]
    dir: PathBuf,
    /// Let agents run the tools without asking, by allowed-tools, which later runs keep
    #[arg(long)]
    allow: bool,
    /// Write nothing, and fail if a file would change
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    format: FormatArg,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: SkillArgs = args::parse(matches)?;
    let project = project(io);
    if !descends(&args.dir) {
        let message = format!("`{}` is not a folder of the project", args.dir.display());
        let diagnostic = Diagnostic::new(Code::Usage, message);
        return Err(diagnostic
            .hint("name one by its path within the project, such as .claude/skills")
            .into());
    }
    let config = project_config(&project, io)?;
    let (mut skills, diagnostics) = collect(config, None, None, &project, io);
    if let Some(unknown) = args.name.iter().find(|name| !skills.contains_key(*name)) {
        let names: Vec<&str> = skills.keys().map(String::as_str).collect();
        let diagnostic = Diagnostic::new(Code::Usage, format!("no skill is named `{unknown}`"))
            .hint(format!("the skills of this project: {}", names.join(", ")));
        return Err(diagnostic.into());
    }
    let (mut updates, mut outdated) = (Vec::new(), Vec::new());
    // A toolset may be missing for a while, because its tools are invalid.
    if args.name.is_empty() && diagnostics.is_empty() {
        outdated = orphaned(&args.dir, &skills, &project);
    }
    skills.retain(|name, _| args.name.is_empty() || args.name.contains(name));
    if skills.is_empty() && outdated.is_empty() {
        let diagnostic = Diagnostic::new(Code::ToolNotFound, "this project has no tools yet")
            .hint("cogtools new NAME creates one");
        io.warn(&diagnostics, &EACH);
        return Err(diagnostic.into());
    }
    for skill in skills.values() {
        let folder = args.dir.join(&skill.name);
        updates.extend(skill.updates(&folder, args.allow, &project)?);
        outdated.extend(skill.outdated(&folder, &project));
    }
    if args.check {
        if outdated.is_empty() && !updates.iter().any(Update::is_stale) {
            io.warn(&diagnostics, &EACH);
            return io.show_json(&report(&updates, &outdated, &skills, args.format.is_json()));
        }
        io.warn(&diagnostics, &EACH);
        return Err(report_stale(&updates, &outdated, io));
    }
    collect_all(updates.iter().map(Update::check_writable))?;
    for update in &updates {
        update.write().map_err(DocumentError::diagnostic)?;
    }
    for (path, display_path) in &outdated {
        file::remove(path).map_err(|error| unremovable(display_path, &error))?;
    }
    io.show_json(&report(&updates, &outdated, &skills, args.format.is_json()))?;
    io.warn(&diagnostics, &EACH);
    Ok(())
}

/// The skills of a plugin.
pub(crate) struct Packaged {
    pub(crate) skills: Vec<Skill>,
    /// The diagnostics of tools that cannot be packed.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Packaged {
    /// The skills of the project's own tools in `config` for the plugin `name`; `sources` has its
    /// folders of tools, below `$PLUGIN`, for double quotes of a shell.
    pub(crate) fn new(
        name: &str,
        config: Config,
        sources: &str,
        project: &Project,
        io: &Io<'_>,
    ) -> Self {
        let (skills, diagnostics) = collect(config, Some(name), None, project, io);
        let setup = format!(
            "# PLUGIN is the absolute path of the folder that contains `skills`, with this file.\n\
             export COGTOOLS_TOOL_SOURCES=\"{sources}\"\n"
        );
        let skills = skills.into_values().map(|mut skill| {
            skill.setup.clone_from(&setup);
            skill
        });
        Self {
            skills: skills.collect(),
            diagnostics,
        }
    }

    /// The files of all skills, with their paths in the plugin.
    pub(crate) fn files(&self) -> impl Iterator<Item = (PathBuf, String)> {
        let files = self.skills.iter().flat_map(|skill| {
            let folder = Path::new("skills").join(&skill.name);
            skill.files(&folder, false)
        });
        files.map(|(path, text, front_matter)| {
            let content = new_content(front_matter.as_deref(), &text);
            (path, String::from_utf8_lossy(&content).into_owned())
        })
    }
}

fn unremovable(display_path: &Path, error: &WriteError) -> Diagnostic {
    let otherwise = "grant permission to write in its folder, then run this again";
    error.diagnostic(display_path, "removed", otherwise)
}

/// Reports the files that would change, with their diffs.
fn report_stale(updates: &[Update], outdated: &[(WritePath, PathBuf)], io: &mut Io<'_>) -> Failure {
    let stale = updates.iter().filter(|update| update.is_stale());
    let changed = stale.map(|update| (update.display_path(), Some(update.diff())));
    let removed = outdated.iter().map(|(_, path)| (path.as_path(), None));
    for (path, diff) in changed.chain(removed) {
        let diagnostic = Diagnostic::new(Code::Stale, "the skill is out of date")
            .with_subject(path.display().to_string())
            .hint("run `cogtools skill`");
        io.report(Severity::Error, &diagnostic);
        if let Some(diff) = diff {
            io.quote_lines(&diff);
        }
    }
    Failure::Reported(Code::Stale.status())
}

fn report(
    updates: &[Update],
    outdated: &[(WritePath, PathBuf)],
    skills: &BTreeMap<String, Skill>,
    json: bool,
) -> String {
    let updated = updates
        .iter()
        .map(|update| (update.action(), update.display_path()));
    let removed = outdated.iter().map(|(_, path)| ("removed", path.as_path()));
    let files = updated.chain(removed);
    if json {
        let skills: Value = skills.values().map(Skill::report).collect();
        let report = json!({"files": file_values(files), "skills": skills});
        return format!("{report:#}\n");
    }
    file_lines(files)
}
