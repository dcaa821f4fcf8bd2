//! `cogtools skill`: the project's tools as Agent Skills (agentskills.io), one for each toolset.
//!
//! An agent has the name and the description of a skill in every request, and reads the body when
//! it chooses the skill, and a file in `references` when it calls a tool.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, CommandFactory as _, Parser};
use cogtools_core::file::{self, ReadScope, WriteError, WritePath};
use cogtools_core::tool::Example;
use cogtools_core::{
    Candidate, Code, Config, Diagnostic, Project, Registry, SourceError, Tool, estimate_tokens,
    invisible, text,
};
use cogtools_program::call::quote;
use cogtools_program::documents::{
    Document, DocumentError, Summary, Table, Update, collect_all, project_config,
};
use cogtools_program::format::FormatArg;
use cogtools_program::project::{context, project};
use cogtools_program::terminal::sanitize;
use cogtools_program::{EACH, Failure, Io, Program, Severity, Stdin, args, man};
use serde_json::{Value, json};

/// The program.
pub const PROGRAM: Program = Program {
    name: "cogtools-skill",
    command: SkillArgs::command,
    run,
    stdin: Stdin::Ignored,
    codes: &[
        Code::Stale,
        Code::Denied,
        Code::InvalidConfig,
        Code::ToolNotFound,
    ],
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
        "Text between these comments is replaced, each on a line of its own; every other byte of the file is preserved:\n\n    <!-- cogtools:begin -->\n    <!-- cogtools:end -->\n\nThe lines above the body, from `---` to `---`, are replaced while metadata has `generated-by: cogtools`; remove it to write your own. A SKILL.md without the comments is yours, and an error. A file in references that consists of such a text and belongs to no tool any more is removed.",
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
    #[arg(long, value_name = "DIR", default_value = ".agents/skills")]
    dir: PathBuf,
    /// Let agents run the tools without asking, by allowed-tools
    #[arg(long)]
    allow: bool,
    /// Write nothing, and fail if a file would change
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    format: FormatArg,
}

/// The skill of tools that are in no toolset.
const DEFAULT_SKILL: &str = "project-tools";
/// The longest name and the longest description, in characters, by the specification.
const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1024;
/// Limits of a body: lines and tokens of the specification, bytes that Antigravity reads.
const MAX_LINES: usize = 499;
const MAX_TOKENS: usize = 5_000;
const MAX_BYTES: usize = 24_000;
/// The longest result of an example, in characters, and the most examples of a tool.
const MAX_RESULT: usize = 2_000;
const MAX_EXAMPLES: usize = 3;

const BEGIN: &str = "<!-- cogtools:begin (`cogtools skill` writes this) -->";
const END: &str = "<!-- cogtools:end -->";
/// The field that marks the lines above a body as ours.
const OURS: &str = "generated-by: cogtools";

/// Tools that an agent learns about together.
pub(crate) struct Skill {
    pub(crate) name: String,
    pub(crate) description: String,
    /// Lines of the shell before a call.
    setup: String,
    table: Table,
    /// The text of `references/TOOL.md`, by tool.
    references: BTreeMap<String, String>,
}

fn run(matches: &ArgMatches, io: &mut Io<'_>) -> Result<(), Failure> {
    let args: SkillArgs = args::parse(matches)?;
    let project = project(io);
    let config = project_config(&project, io)?;
    let (mut skills, diagnostics) = collect(config, None, &project, io);
    if let Some(unknown) = args.name.iter().find(|name| !skills.contains_key(*name)) {
        let names: Vec<&str> = skills.keys().map(String::as_str).collect();
        let diagnostic = Diagnostic::new(Code::Usage, format!("no skill is named `{unknown}`"))
            .hint(format!("the skills of this project: {}", names.join(", ")));
        return Err(diagnostic.into());
    }
    skills.retain(|name, _| args.name.is_empty() || args.name.contains(name));
    if skills.is_empty() {
        let diagnostic = Diagnostic::new(Code::ToolNotFound, "this project has no tools yet")
            .hint("cogtools new NAME creates one");
        io.warn(&diagnostics, &EACH);
        return Err(diagnostic.into());
    }
    let (mut updates, mut outdated) = (Vec::new(), Vec::new());
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

/// The skills of `project` by name, and the diagnostics of tools and sources that are left out.
fn collect(
    config: Config,
    plugin: Option<&str>,
    project: &Project,
    io: &Io<'_>,
) -> (BTreeMap<String, Skill>, Vec<Diagnostic>) {
    let descriptions = config.options.skill.clone();
    let cx = context(io, project, config.env_priority, config.bounds());
    let found = Registry::new(config, None, cx).map_files(|file, tool| match tool {
        Ok(tool) => {
            // Not every host puts the name of a plugin before that of its skill.
            let toolset = file.provenance.toolset.as_deref();
            let name = toolset.map_or_else(|| plugin.unwrap_or(DEFAULT_SKILL).to_owned(), name_of);
            Ok((name, Summary::new(&tool), reference(&tool, file)))
        }
        Err(error) => Err(error.diagnostics()),
    });
    let mut diagnostics: Vec<Diagnostic> = found
        .source_errors
        .iter()
        .map(SourceError::diagnostic)
        .collect();
    let mut skills: BTreeMap<String, Skill> = BTreeMap::new();
    for item in found.items {
        match item {
            Ok((name, tool, reference)) => {
                let skill = skills.entry(name.clone()).or_insert_with(|| Skill {
                    name,
                    description: String::new(),
                    setup: String::new(),
                    table: Table::default(),
                    references: BTreeMap::new(),
                });
                skill.references.insert(tool.name().to_owned(), reference);
                skill.table.push(tool);
            }
            Err(errors) => diagnostics.extend(errors),
        }
    }
    for skill in skills.values_mut() {
        let is_own = plugin == Some(&*skill.name);
        let key = if is_own { DEFAULT_SKILL } else { &skill.name };
        let written = descriptions.get(key);
        skill.description = limited(&written.map_or_else(
            || skill.table.purposes(plugin.unwrap_or("this project")),
            |text| text.split_whitespace().collect::<Vec<_>>().join(" "),
        ));
    }
    (skills, diagnostics)
}

/// `text` as a name that the specification allows: `[a-z0-9-]`, with no `-` beside another or at
/// an end.
pub(crate) fn name_of(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let mut name = words.join("-");
    name.truncate(MAX_NAME);
    let name = name.trim_end_matches('-');
    if name.is_empty() {
        DEFAULT_SKILL.to_owned()
    } else {
        name.to_owned()
    }
}

/// A description within the limit. Hosts take `<` for markup and any `---` for the end of the
/// lines, and show no invisible characters.
fn limited(description: &str) -> String {
    let text = invisible::escape(description).replace(['<', '>'], "");
    let text = text.replace("---", "—");
    match text.char_indices().nth(MAX_DESCRIPTION - 1) {
        Some((end, _)) if text.chars().count() > MAX_DESCRIPTION => {
            format!("{}…", text[..end].trim_end())
        }
        _ => text,
    }
}

impl Skill {
    /// The files of the skill in `folder`, relative to the project, with their new content.
    fn updates(
        &self,
        folder: &Path,
        allow: bool,
        project: &Project,
    ) -> Result<Vec<Update>, Failure> {
        collect_all(
            self.files(folder, allow)
                .into_iter()
                .map(|(file, text, front_matter)| {
                    let (path, display_path) = project.resolve(&file);
                    let path = WritePath::in_project(project.root(), &path);
                    let document = Document::open(path, display_path)?;
                    let content = match document.content() {
                        None => Some(new_content(front_matter.as_deref(), &text)),
                        Some(old) => replaced(old, &document, front_matter.as_deref(), &text),
                    };
                    match content {
                        Some(content) => Ok(document.with_content(content)),
                        None => Err(DocumentError::HandWritten(document.display_path().into())),
                    }
                }),
        )
    }

    /// The files of the skill in `folder`: their texts, and the lines above them.
    fn files(&self, folder: &Path, allow: bool) -> Vec<(PathBuf, String, Option<String>)> {
        let (body, overview) = self.body();
        let references = folder.join("references");
        let mut files = vec![(
            folder.join("SKILL.md"),
            body,
            Some(self.front_matter(allow)),
        )];
        files.extend(overview.map(|text| (references.join("all.tools.md"), text, None)));
        for (tool, text) in &self.references {
            files.push((references.join(format!("{tool}.md")), text.clone(), None));
        }
        files
    }

    pub(crate) fn report(&self) -> Value {
        let tools: Vec<&String> = self.references.keys().collect();
        json!({"name": self.name, "description": self.description, "tools": tools})
    }

    /// The body between the markers, and the table of tools if it does not fit in.
    fn body(&self) -> (String, Option<String>) {
        let full = self.table.lines();
        let forms = [full.clone(), self.table.names()];
        for lines in forms {
            let text = format!("{}\n\n{}\n", lines.join("\n"), self.calling());
            let is_small = text.len() + MAX_DESCRIPTION * 2 < MAX_BYTES
                && text.lines().count() + 20 < MAX_LINES
                && estimate_tokens(&text) + 100 < MAX_TOKENS;
            if is_small {
                return (text, None);
            }
        }
        let text = format!(
            "The {} tools are listed in `references/all.tools.md`; `cogtools list` prints them, too.\n\n{}\n",
            self.table.len(),
            self.calling()
        );
        (text, Some(full.join("\n") + "\n"))
    }

    /// Explains to a model how to call a tool, and its next step after a failure.
    fn calling(&self) -> String {
        let setup = &self.setup;
        let mut text = format!(
            "Before the first call of a tool, read `references/TOOL.md`: it has the \
            arguments, and examples with their results.\n\n```sh\n{setup}cogtools run TOOL key=value \
            other='a longer text'\ncogtools-call TOOL <<'JSON'\n{{\"key\": \"value\"}}\nJSON\n```\n\n\
            The result is on standard output. A call that fails prints `error[CODE]`, the reason \
            and a hint on standard error:\n\n"
        );
        for (code, advice) in [
            (
                Code::SchemaViolation,
                "correct each argument that is listed, and call again",
            ),
            (Code::ToolNotFound, "the hint has the nearest name"),
            (
                Code::Denied,
                "a person has to approve the tool by `cogtools trust`; say so, and try no way around it",
            ),
            (Code::Timeout, "the tool took too long; do less in one call"),
            (
                Code::ToolFailed,
                "the tool itself failed; the message says why",
            ),
        ] {
            let _ = writeln!(
                text,
                "- {}, status {}: {advice}",
                code.name(),
                code.status()
            );
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// The lines above the body, from `---` to `---`.
    fn front_matter(&self, allow: bool) -> String {
        let description = json!(self.description);
        let allowed = if allow {
            "allowed-tools: Bash(cogtools run:*) Bash(cogtools-call:*)\n"
        } else {
            ""
        };
        format!(
            "---\nname: {}\ndescription: {description}\n{allowed}metadata:\n  {OURS}\n---\n",
            self.name
        )
    }

    /// The files in `references` that are ours alone and of no tool of the skill.
    fn outdated(&self, folder: &Path, project: &Project) -> Vec<(WritePath, PathBuf)> {
        let folder = folder.join("references");
        let has_overview = self.body().1.is_some();
        let (path, _) = project.resolve(&folder);
        let mut names: BTreeSet<String> = BTreeSet::new();
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            names.extend(entry.file_name().into_string());
        }
        let is_unknown = |name: &String| match name.strip_suffix(".md") {
            Some("all.tools") => !has_overview,
            Some(tool) => !self.references.contains_key(tool),
            None => false,
        };
        let unknown = names.into_iter().filter(is_unknown).map(|name| {
            let (path, display_path) = project.resolve(&folder.join(name));
            (WritePath::in_project(project.root(), &path), display_path)
        });
        unknown
            .filter(|(path, display_path)| is_ours_alone(path, display_path))
            .collect()
    }
}

/// The skills of a plugin.
pub(crate) struct Packaged {
    pub(crate) skills: Vec<Skill>,
    /// The diagnostics of tools that cannot be packed.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Packaged {
    /// The skills of the project's own tools in `config` for the plugin `name`; `sources` has its
    /// folders of tools, below a folder named PLUGIN.
    pub(crate) fn new(
        name: &str,
        config: Config,
        sources: &str,
        project: &Project,
        io: &Io<'_>,
    ) -> Self {
        let (skills, diagnostics) = collect(config, Some(name), project, io);
        let sources = sources.replace("PLUGIN", "$PLUGIN");
        let setup = format!(
            "# PLUGIN is the absolute path of the folder that contains `skills`, with this file.\n\
             export COGTOOLS_TOOL_SOURCES=\"{sources}\"\n"
        );
        let skills = skills.into_values().map(|skill| Skill {
            setup: setup.clone(),
            ..skill
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

/// Returns true if the file has nothing but a text of ours.
fn is_ours_alone(path: &WritePath, display_path: &Path) -> bool {
    let (limit, scope) = (text::Text::MAX_BYTES, path.read_scope());
    let bytes = text::bytes(&path.full(), display_path, limit, &scope);
    bytes.is_ok_and(|bytes| {
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim();
        text.starts_with(BEGIN) && text.ends_with(END) && text.matches(END).count() == 1
    })
}

/// A new file.
fn new_content(front_matter: Option<&str>, text: &str) -> Vec<u8> {
    let head = front_matter
        .map(|lines| format!("{lines}\n"))
        .unwrap_or_default();
    format!("{head}{BEGIN}\n\n{text}\n{END}\n").into_bytes()
}

/// `old` with everything of ours replaced; `None` if it has no markers.
fn replaced(
    old: &[u8],
    document: &Document,
    front_matter: Option<&str>,
    text: &str,
) -> Option<Vec<u8>> {
    let inner = document.table_range()?;
    let own = front_matter.and_then(|lines| Some((lines, front_matter_end(old)?)));
    let (head, copied) = own.map_or((&[][..], 0), |(lines, end)| (lines.as_bytes(), end));
    let parts = [
        head,
        &old[copied..inner.start],
        b"\n",
        text.as_bytes(),
        b"\n",
        &old[inner.end..],
    ];
    Some(parts.concat())
}

/// The end of the lines above the body of `old`, if they are ours.
fn front_matter_end(old: &[u8]) -> Option<usize> {
    let text = str::from_utf8(old).ok()?;
    let lines = text.strip_prefix("---\n")?;
    let end = lines.find("\n---\n")?;
    let is_ours = lines[..end].lines().any(|line| line.trim() == OURS);
    is_ours.then_some("---\n".len() + end + "\n---\n".len())
}

/// The text of `references/TOOL.md`.
fn reference(tool: &Tool, file: &Candidate) -> String {
    let name = tool.name().as_str();
    let schema = serde_json::to_string_pretty(&tool.schema().as_object()).unwrap_or_default();
    let mut text = format!(
        "# {name}\n\n{}\n\n## Arguments\n\nThe JSON Schema of the arguments:\n\n{}",
        indented(tool.description()),
        block("json", &schema)
    );
    let mut shown = 0;
    for (index, example) in tool.tests().iter().enumerate() {
        let Some(result) = result(name, index, example, file) else {
            continue;
        };
        if shown == 0 {
            text.push_str("\n## Examples\n");
        }
        let arguments = Value::Object(example.arguments());
        let call = format!("cogtools-call {} <<'JSON'\n{arguments}\nJSON", quote(name));
        let _ = write!(
            text,
            "\n{}\nprints\n\n{}",
            block("sh", &call),
            block("text", &result)
        );
        shown += 1;
        if shown == MAX_EXAMPLES {
            break;
        }
    }
    text
}

/// The recorded result of an example.
fn result(name: &str, index: usize, example: &Example, file: &Candidate) -> Option<String> {
    let id = example
        .name()
        .map_or_else(|| (index + 1).to_string(), ToString::to_string);
    let folder = file.path.parent()?;
    let path = folder.join(format!("{name}.{id}.golden"));
    let scope = ReadScope::foreign(folder);
    let bytes = text::bytes(&path, &path, text::Text::MAX_BYTES, &scope).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    Some(match text.char_indices().nth(MAX_RESULT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    })
}

/// Text of an author without markers of ours: a line that begins with a comment is indented code.
fn indented(text: &str) -> String {
    let text = invisible::escape_lines(text.trim()).replace("<!--", "&lt;!--");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// A block of code, with a fence that the text does not contain.
fn block(language: &str, text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let text = text.trim_end_matches('\n');
    format!("{fence}{language}\n{text}\n{fence}\n")
}

fn unremovable(display_path: &Path, error: &WriteError) -> Diagnostic {
    let message = format!("`{}` cannot be removed: {error}", display_path.display());
    Diagnostic::new(Code::IoFailed, message)
        .hint(error.hint("grant permission to write in its folder, then run this again"))
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
        let files: Vec<Value> = files
            .map(|(action, file)| json!({"file": file.display().to_string(), "action": action}))
            .collect();
        let skills = skills.values().map(Skill::report);
        let report = json!({"files": files, "skills": skills.collect::<Vec<_>>()});
        return format!("{report:#}\n");
    }
    files.fold(String::new(), |mut text, (action, file)| {
        let _ = writeln!(text, "{action} {}", sanitize(&file.display().to_string()));
        text
    })
}
