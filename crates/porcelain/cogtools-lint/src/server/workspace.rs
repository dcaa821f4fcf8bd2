//! The projects of the open files: their configuration, their tools, and the check of a file.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use cogtools_core::config::Origin;
use cogtools_core::source::is_beside_tools;
use cogtools_core::text::{Text, TextError};
use cogtools_core::yaml::Node;
use cogtools_core::{Code, Config, Diagnostic, Folder, Level, Location, Project};
use cogtools_program::project::{project, read_scope, valid_config};
use cogtools_program::{Failure, Io, file_uri, render_hints};
use serde_json::{Value, json};

use super::document::{Document, Kind};
use super::mention::{Mention, Place, mentions};
use crate::finding::{Edit, Finding};
use crate::lint_file::{Earlier, LintFile};
use crate::linter::{Levels, Linter};
use crate::target::{self, Callable};

/// The projects by their folders.
#[derive(Default)]
pub(super) struct Workspaces {
    all: BTreeMap<PathBuf, Workspace>,
    /// Why the last project could not be read; empty if it could.
    pub(super) failure: String,
}

/// A project.
pub(super) struct Workspace {
    project: Project,
    config: Config,
    linter: Linter,
    /// Its tool files.
    pub(super) members: Vec<Member>,
    /// The tools and templates that its files name.
    pub(super) places: Vec<Place>,
    callable: Callable,
}

/// A tool file of a project.
pub(super) struct Member {
    pub(super) path: PathBuf,
    canonical: PathBuf,
    pub(super) name: String,
    pub(super) description: String,
    display_path: PathBuf,
    earlier: Earlier,
}

impl Member {
    fn new(file: LintFile) -> Self {
        let text = |key| {
            file.value(key)
                .and_then(Node::text)
                .unwrap_or_default()
                .to_owned()
        };
        Self {
            name: text("name"),
            description: text("description"),
            display_path: file.text.display_path().to_path_buf(),
            canonical: target::canonical(&file.path),
            path: file.path,
            earlier: file.earlier,
        }
    }
}

impl Workspaces {
    /// Forgets what is on the disk.
    pub(super) fn forget(&mut self) {
        self.all.clear();
    }

    /// The project of a file, if it has been read.
    pub(super) fn of(&self, path: &Path) -> Option<&Workspace> {
        let of_file = self.all.iter().filter(|(root, _)| path.starts_with(root));
        of_file
            .max_by_key(|(root, _)| root.as_os_str().len())
            .map(|(_, workspace)| workspace)
    }

    /// The project of a file.
    fn load(&mut self, path: &Path, io: &mut Io<'_>) -> Option<&mut Workspace> {
        let folder = path.parent()?.to_path_buf();
        let cwd = std::mem::replace(&mut io.cwd, folder);
        let project = project(io);
        let root = project.root().to_path_buf();
        if !self.all.contains_key(&root) {
            io.cwd.clone_from(&root);
            self.failure.clear();
            match Workspace::load(project, io) {
                Ok(workspace) => drop(self.all.insert(root.clone(), workspace)),
                Err(Failure::Diagnostics(errors)) => {
                    let errors: Vec<String> = errors.iter().map(located).collect();
                    self.failure = errors.join("\n");
                }
                Err(_) => {}
            }
        }
        io.cwd = cwd;
        self.all.get_mut(&root)
    }

    /// Parses the text of a file.
    pub(super) fn parse(&mut self, document: &mut Document, io: &mut Io<'_>) {
        document.is_stale = false;
        let scope = read_scope(&document.path, io);
        let Some(workspace) = self.load(&document.path, io) else {
            return;
        };
        let canonical = target::canonical(&document.path);
        let mut members = workspace.members.iter();
        let member = members.find(|it| it.canonical == canonical);
        let display_path = match (member, document.path.strip_prefix(workspace.project.root())) {
            (Some(member), _) => member.display_path.clone(),
            (None, Ok(path)) => path.to_path_buf(),
            (None, Err(_)) => document.path.clone(),
        };
        let mut file = if document.is_too_large() {
            let error = TextError::TooLarge(display_path.clone(), Text::MAX_BYTES);
            let text = Text::empty(display_path).in_scope(&scope);
            LintFile::unreadable(&document.path, text, error.diagnostic(Code::InvalidTool))
        } else {
            let text = document.text.clone().into_bytes();
            let Ok(text) = Text::new(display_path, text) else {
                return;
            };
            LintFile::parse(&document.path, text.in_scope(&scope).at(&document.path))
        };
        if let Some(member) = member {
            file.earlier.clone_from(&member.earlier);
        }
        let config = &workspace.config;
        let mut folders = config.folders().map(Folder::path);
        document.is_ours = document.kind != Kind::Tool
            || !is_beside_tools(&document.path)
                && (member.is_some()
                    || file.looks_like_a_tool()
                    || folders.any(|folder| document.path.starts_with(folder)));
        workspace.callable.give(&mut file, config);
        let last = document.file.replace(file);
        if let Some(last) = last.filter(|file| file.tool.is_some()) {
            document.last_tool = Some(last);
        }
    }

    /// Checks a file; returns its diagnostics in the form of the protocol.
    pub(super) fn check(&mut self, document: &mut Document, io: &mut Io<'_>) -> Vec<Value> {
        document.findings.clear();
        self.parse(document, io);
        match document.kind {
            Kind::Config => self.check_config(document),
            Kind::Template => check_template(document),
            Kind::Tool => self.check_tool(document),
        }
    }

    fn check_tool(&self, document: &mut Document) -> Vec<Value> {
        let (Some(file), Some(workspace)) = (&document.file, self.of(&document.path)) else {
            return Vec::new();
        };
        if !document.is_ours {
            return Vec::new();
        }
        document.findings = workspace.linter.check(file);
        let own = file.text.display_path();
        let implementation = file
            .entry("implementation")
            .map(|entry| super::document::range(entry.span));
        let diagnostics = document.findings.iter().map(|finding| {
            let is_own = finding.location.file == own;
            let (span, message) = if is_own {
                (document.span_of(&finding.location), finding.message.clone())
            } else {
                // It is in a file that the tool includes.
                let Location { file, line, .. } = &finding.location;
                let message = format!("`{}`, line {line}: {}", file.display(), finding.message);
                (implementation.clone().unwrap_or_default(), message)
            };
            let is_unused = finding.rule.name.ends_with("unused-parameter");
            let tags: &[u8] = if is_unused { &[1] } else { &[] };
            json!({
                "range": document.range(span),
                "severity": match finding.level {
                    Level::Error => 1,
                    Level::Warn => 2,
                    Level::Note | Level::Off => 3,
                },
                "code": finding.rule.name,
                "source": "cogtools",
                "message": format!("{message}\n{}", finding.fix),
                "tags": tags,
            })
        });
        diagnostics.collect()
    }

    fn check_config(&self, document: &Document) -> Vec<Value> {
        let (Some(workspace), Some(file)) = (self.of(&document.path), &document.file) else {
            return Vec::new();
        };
        let origin = Origin::Project(document.path.clone());
        let checked = Config::check(&workspace.project, file.text.clone(), &[], origin);
        let errors = checked.err().unwrap_or_default();
        errors.iter().map(|it| diagnostic(document, it)).collect()
    }
}

fn diagnostic(document: &Document, error: &Diagnostic) -> Value {
    let span = error.location.as_ref().map(|it| document.span_of(it));
    json!({
        "range": document.range(span.unwrap_or_default()),
        "severity": 1,
        "code": error.code.name(),
        "source": "cogtools",
        "message": with_hints(error),
    })
}

/// The message and the hints of an error.
fn with_hints(error: &Diagnostic) -> String {
    let mut lines = vec![error.message.clone()];
    lines.extend(render_hints(&error.hints).into_iter().map(Into::into));
    lines.join("\n")
}

/// The message of an error in a file that need not be open, with its place and the hints.
fn located(error: &Diagnostic) -> String {
    let message = with_hints(error);
    error.location.as_ref().map_or_else(
        || message.clone(),
        |Location { file, line, .. }| format!("{}:{line}: {message}", file.display()),
    )
}

/// The mistakes that do not depend on the tools that load the template.
fn check_template(document: &Document) -> Vec<Value> {
    let errors = match njk::analyse(&document.text) {
        Ok(found) => [found.unknown, found.misused].concat(),
        Err(error) => vec![error],
    };
    let errors = errors.iter().map(|error| {
        let (line, column) = (error.line().max(1), error.column().max(1));
        let location = Location::new(&document.path, &document.text, line, column, 1);
        let hint = error.hint().map(|it| format!("\n{it}"));
        let hint = hint.unwrap_or_default();
        json!({
            "range": document.range(document.span_of(&location)),
            "severity": 1,
            "source": "cogtools",
            "message": format!("{}{hint}", error.message()),
        })
    });
    errors.collect()
}

/// Adds the tools and templates that a file names; returns the file.
fn add_places(file: LintFile, places: &mut Vec<Place>) -> Option<LintFile> {
    let uri = file_uri::of(&file.path);
    let Some(mut document) = Document::open(&uri, file.text.as_str(), 0) else {
        return Some(file);
    };
    document.file = Some(file);
    add_mentions(&document, places);
    document.file
}

fn add_mentions(document: &Document, places: &mut Vec<Place>) {
    let mentions = mentions(document).into_iter();
    places.extend(mentions.map(|(mention, span)| Place {
        mention,
        uri: document.uri.clone(),
        range: document.range(span),
    }));
}

/// Adds the templates that the mentioned templates name, and so on.
fn add_places_of_templates(places: &mut Vec<Place>, io: &Io<'_>) {
    let mut seen = HashSet::new();
    let mut next = 0;
    while let Some(place) = places.get(next) {
        next += 1;
        let Mention::Template(path) = &place.mention else {
            continue;
        };
        if !seen.insert(path.clone()) {
            continue;
        }
        let text = Text::read(path, path, &read_scope(path, io));
        let uri = file_uri::of(path);
        if let Some(document) = text
            .ok()
            .and_then(|it| Document::open(&uri, it.as_str(), 0))
        {
            add_mentions(&document, places);
        }
    }
}

impl Workspace {
    /// Reads the project that contains the working directory. It is an error if the user's
    /// configuration is not valid.
    fn load(project: Project, io: &mut Io<'_>) -> Result<Self, Failure> {
        let config = valid_config(&project, io)?.without_user_folders();
        let linter = Linter::new(Levels::new(&config.rules).unwrap_or_default());
        let files = target::collect(&[], None, &config, io).files;
        let path = project.root().join(Project::CONFIG);
        let text = Text::read(&path, Path::new(Project::CONFIG), &read_scope(&path, io));
        let own = text.ok().map(|text| LintFile::parse(&path, text));
        let (mut places, mut members) = (Vec::new(), Vec::new());
        if let Some(file) = own {
            add_places(file, &mut places);
        }
        for file in files {
            members.extend(add_places(file, &mut places).map(Member::new));
        }
        add_places_of_templates(&mut places, io);
        Ok(Self {
            members,
            places,
            project,
            config,
            linter,
            callable: Callable::default(),
        })
    }

    /// Returns true if edits that correct a finding make nothing worse.
    pub(super) fn is_safe(&self, file: &LintFile, findings: &[Finding], edits: &[Edit]) -> bool {
        crate::fix::is_better(file, &self.linter, findings, edits)
    }

    /// The findings that `--fix` corrects first, together.
    pub(super) fn fixed(&self, file: &LintFile, findings: &[Finding]) -> Vec<Finding> {
        crate::fix::first(file, &self.linter, findings)
    }
}
