//! Texts about the tools for models: the table in documents, and skills.

use std::path::{Path, PathBuf};

use cogtools_core::file::WritePath;
use cogtools_core::source::{Folder, GlobalModules, Packages, Skills};
use cogtools_core::text::Text;
use cogtools_core::{Code, Config, Diagnostic, Project, Source, Tool, fail_on};
use cogtools_edit::{Change, Step};
use cogtools_program::Io;
use cogtools_program::dirs::owners;
use cogtools_program::documents::{
    DOCUMENTS, Document, NewTool, Update, collect, project_config, skill,
};

use crate::host::Host;
use crate::interview::Answers;
use crate::starter::GOLDEN;
use crate::survey::Survey;

/// A section of the man page.
pub(crate) const MANUAL: &str = "\
With --docs, the table of tools that cogtools-docs(1) writes is added to the documents that the \
hosts read, if they exist, or brought up to date: GEMINI.md for Gemini CLI, CLAUDE.md for Claude \
Code, and AGENTS.md for the other hosts that read one. At a terminal, a question offers it.

With --docs-refresh npm-script, package.json gets the script cogtools-docs, which renews the \
table; a script of that name is never replaced. With --docs-refresh git-hook, the repository gets \
a pre-commit hook: if the table is out of date, it renews it and stops the commit. A hook is \
written only if there is none and core.hooksPath is not set, and never without this option or its \
question.";

/// A document that exists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExistingDocument {
    pub(crate) name: &'static str,
    /// True if it has a table, or markers that are not a pair.
    pub(crate) has_table: bool,
}

/// The documents of `project`.
pub(crate) fn existing(project: &Project) -> Vec<ExistingDocument> {
    let all = DOCUMENTS.into_iter();
    all.filter_map(|name| {
        let has_table = match open(name, project.root()) {
            Ok(document) => {
                document.content()?;
                document.has_markers()
            }
            Err(_) => true,
        };
        Some(ExistingDocument { name, has_table })
    })
    .collect()
}

/// The names of the documents without a table that one of `hosts` reads.
pub(crate) fn without_table(hosts: &[Host], survey: &Survey) -> Vec<&'static str> {
    let documents = survey.documents.iter();
    documents
        .filter(|document| !document.has_table && is_read(document.name, hosts))
        .map(|document| document.name)
        .collect()
}

/// The steps that write texts about the tools, as they are after `steps`: the table into documents,
/// and skills for agents.
pub(crate) fn steps(
    survey: &Survey,
    answers: &Answers,
    steps: &[Step],
    io: &Io<'_>,
) -> Result<Vec<Step>, Vec<Diagnostic>> {
    let has_skills = answers.hosts.contains(&Host::Agents);
    if !answers.docs && !has_skills {
        return Ok(Vec::new());
    }
    let existing = survey.documents.iter().map(|document| document.name);
    let mut documents: Vec<&str> = existing
        .filter(|name| answers.docs && is_read(name, &answers.hosts))
        .collect();
    let own = Host::Agents
        .document()
        .filter(|own| has_skills && !documents.contains(own));
    documents.extend(own);
    if documents.is_empty() {
        return Err(vec![no_document(&answers.hosts)]);
    }
    let project = Project::at(&io.cwd);
    let config = config(&project, survey, answers, io)?;
    let folder = survey.folder.as_deref();
    let new = folder.and_then(|folder| new_tool(folder, steps, &config, &project));
    let new = new.as_ref().map(|(tool, source)| NewTool {
        tool,
        source: *source,
        files: &GOLDEN,
    });
    // Tools that are left out are reported by the doctor and the linter.
    let (table, _) = collect(config.clone(), new, &project, io);
    let (mut updates, mut diagnostics) = (Vec::new(), Vec::new());
    for name in documents {
        match open(name, project.root()) {
            // AGENTS.md is often a link to CLAUDE.md.
            Ok(document)
                if updates
                    .iter()
                    .any(|it: &Update| it.document.real_path() == document.real_path()) => {}
            Ok(document) => match document.update(&table) {
                Ok(update) => updates.push(update),
                Err(error) => diagnostics.push(error.diagnostic()),
            },
            Err(error) => diagnostics.push(error.diagnostic()),
        }
    }
    if has_skills {
        for skill in skill::collect(config, None, new, &project, io).0.values() {
            match skill.updates(
                &Path::new(Skills::FOLDER).join(&skill.name),
                false,
                &project,
            ) {
                Ok(files) => updates.extend(files),
                Err(failure) => diagnostics.extend(failure.diagnostics().to_vec()),
            }
        }
    }
    let mut written = Vec::new();
    for update in updates {
        let checked = update
            .check_writable()
            .map_err(|error| Box::new(error.diagnostic()));
        match checked.and_then(|()| step(&update, project.root())) {
            Ok(step) => written.push(step),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    fail_on(diagnostics)?;
    Ok(written)
}

fn open(name: &str, root: &Path) -> Result<Document, cogtools_program::documents::DocumentError> {
    let path = WritePath::in_project(root, Path::new(name));
    Document::open(path, PathBuf::from(name))
}

fn is_read(document: &str, hosts: &[Host]) -> bool {
    hosts.iter().any(|host| host.document() == Some(document))
}

/// The configuration after the run, which may create it.
fn config(
    project: &Project,
    survey: &Survey,
    answers: &Answers,
    io: &Io<'_>,
) -> Result<Config, Vec<Diagnostic>> {
    let mut config = project_config(project, io)?;
    if survey.creates_configuration {
        config.sources = planned_sources(project, survey, answers, io);
    }
    Ok(config)
}

/// The sources that the new `.cogtoolrc.yaml` names.
fn planned_sources(
    project: &Project,
    survey: &Survey,
    answers: &Answers,
    io: &Io<'_>,
) -> Vec<Source> {
    let folder = survey.folder.as_deref().map(|folder| {
        let (path, display_path) = project.resolve(folder);
        Source::Folder(Folder::new(path, display_path, false, project.read_scope()))
    });
    let packages = answers.packages.then(|| {
        let (root, display_path) = project.resolve(Path::new(""));
        let none = GlobalModules::default();
        Source::Packages(Packages::new(root, display_path, none, owners(io)))
    });
    folder.into_iter().chain(packages).collect()
}

/// The example that one of `steps` creates in `folder`, and the index of its source.
fn new_tool(
    folder: &Path,
    steps: &[Step],
    config: &Config,
    project: &Project,
) -> Option<(Tool, usize)> {
    let change = steps.iter().find_map(|step| match step {
        Step::Write(change) if change.file.parent() == Some(folder) => Some(change),
        _ => None,
    })?;
    let text = Text::new(&change.file, change.after.clone().into_bytes()).ok()?;
    let tool = Tool::parse(text).ok()?;
    let (path, _) = project.resolve(folder);
    let mut sources = config.sources.iter();
    let source = sources.position(|source| source.folder().is_some_and(|it| it.path() == path))?;
    Some((tool, source))
}

/// The update as a step of the plan, which handles text only.
fn step(update: &Update, root: &Path) -> Result<Step, Box<Diagnostic>> {
    let file = update.display_path().to_path_buf();
    if !update.is_stale() {
        return Ok(Step::Keep(file));
    }
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| not_text(&file));
    let before = update.document.content().map(text).transpose()?;
    let after = text(&update.content)?;
    Ok(Step::Write(Change::new(root, file, before, after)))
}

fn not_text(file: &Path) -> Box<Diagnostic> {
    let file = file.display();
    let hint = format!("add the table with `cogtools docs {file}`, which preserves every byte");
    Box::new(
        Diagnostic::new(Code::InvalidConfig, "is not UTF-8")
            .with_subject(file.to_string())
            .hint(hint),
    )
}

fn no_document(hosts: &[Host]) -> Diagnostic {
    let mut names: Vec<&str> = hosts.iter().filter_map(|host| host.document()).collect();
    names.dedup();
    let message = "there is no document for the table of tools that the hosts read";
    let diagnostic = Diagnostic::new(Code::Usage, message);
    match names.first() {
        Some(name) => diagnostic.hint(format!("create one with `cogtools docs {name}`")),
        None => diagnostic.hint("leave out --docs: these hosts read no document of the project"),
    }
}
