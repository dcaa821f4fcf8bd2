//! The files that a run checks.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cogtools_core::source::{Listing, is_beside_tools};
use cogtools_core::text::{Span, Text};
use cogtools_core::yaml::{self, Node};
use cogtools_core::{
    Candidate, Code, Config, Diagnostic, Folder, Name, Project, Source, SourceError, Tool,
};
use cogtools_program::project::read_scope;
use cogtools_program::{InputError, Io};

use crate::finding::Finding;
use crate::lint_file::{LintFile, Neighbours};
use crate::linter::Expression;
use crate::rules::{INVALID_TOOL, RETIRED_RULES, find};

/// The files that a run checks.
pub(crate) struct Targets {
    /// The files.
    pub(crate) files: Vec<LintFile>,
    /// Files and folders that cannot be read.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Collects the files at `paths`, or all of the project if there are no paths.
///
/// A path can be the name of a tool, or `-` for a file on standard input, which is then called
/// `stdin_name`.
pub(crate) fn collect(
    paths: &[OsString],
    stdin_name: Option<&Path>,
    config: &Config,
    io: &mut Io<'_>,
) -> Targets {
    let mut found = Vec::new();
    let mut diagnostics = Vec::new();
    let mut files: Vec<LintFile> = Vec::new();
    for path in paths.iter().map(Path::new) {
        if path == Path::new(STDIN) {
            match from_stdin(stdin_name, io) {
                Ok(file) => files.push(file),
                Err(diagnostic) => diagnostics.push(*diagnostic),
            }
            continue;
        }
        let absolute = io.cwd.join(path);
        let scope = read_scope(&absolute, io);
        if let Some(name) = tool_name(path, &absolute) {
            match by_name(name, config) {
                Ok(file) => found.push(file),
                Err(diagnostic) => diagnostics.push(*diagnostic),
            }
        } else if let Some(diagnostic) = other_kind(path).filter(|_| absolute.is_file()) {
            diagnostics.push(diagnostic);
        } else if absolute.is_dir() {
            let folder = Folder::new(absolute, path.to_path_buf(), true, scope);
            list(&folder, &mut found, &mut diagnostics);
        } else if !is_beside_tools(&absolute) {
            found.push(Candidate::file(absolute, path.to_path_buf(), scope));
        }
    }
    if paths.is_empty() {
        for folder in config.folders() {
            list(folder, &mut found, &mut diagnostics);
        }
    }
    for file in found {
        if files.iter().any(|other| other.path == file.path) {
            continue;
        }
        match LintFile::read(&file.path, &file.display_path, &file.scope) {
            Ok(file) => files.push(file),
            Err(error) => diagnostics.push(error.diagnostic(Code::InvalidTool)),
        }
    }
    // Not every `.yml` file in a folder is meant as a tool.
    files.retain(|file| !is_yml(&file.path) || file.looks_like_a_tool());
    mark_shadowed(&mut files, config);
    mark_duplicate_names(&mut files);
    mark_copied_descriptions(&mut files);
    let programs = io.program.parent().map(Path::to_path_buf);
    let mut callable = Callable::default();
    for file in &mut files {
        callable.give(file, config);
        file.programs.clone_from(&programs);
    }
    Targets { files, diagnostics }
}

/// Explains that a file of a project is no tool, by its name.
fn other_kind(path: &Path) -> Option<Diagnostic> {
    let (what, hint) = if path.file_name()? == Project::CONFIG {
        let hint = "every program checks it when it starts: `cogtools config` shows what it says";
        ("the configuration of a project", hint)
    } else if path.extension()? == "njk" {
        ("a template", "lint the tools that load it")
    } else {
        return None;
    };
    let message = format!("`{}` is {what}, not a tool", path.display());
    Some(Diagnostic::new(Code::InvalidTool, message).hint(hint))
}

/// The path that stands for standard input.
const STDIN: &str = "-";

/// Reads the tool file on standard input; without a name, it is named after its tool.
fn from_stdin(name: Option<&Path>, io: &mut Io<'_>) -> Result<LintFile, Box<Diagnostic>> {
    let unreadable = |what: String| {
        let message = format!("standard input {what}");
        Box::new(Diagnostic::new(Code::IoFailed, message).hint("pass the file as an argument"))
    };
    let bytes = io.stdin.read().map_err(|error| {
        unreadable(match error {
            InputError::Terminal => "is a terminal".to_owned(),
            InputError::TooLarge => "is too large".to_owned(),
            InputError::TimedOut(_) => "did not end in time".to_owned(),
            InputError::Failed(error) => format!("cannot be read: {error}"),
        })
    })?;
    if bytes.len() > Text::MAX_BYTES {
        return Err(unreadable("is too large".to_owned()));
    }
    let name = name.map_or_else(|| default_name(&bytes), Path::to_path_buf);
    let path = io.cwd.join(&name);
    let scope = read_scope(&path, io);
    let text = Text::new(name, bytes).map(|text| text.in_scope(&scope).at(&path));
    let text = text.map_err(|error| Box::new(error.diagnostic(Code::InvalidTool)))?;
    Ok(LintFile::parse(&path, text))
}

fn default_name(bytes: &[u8]) -> PathBuf {
    let text = Text::new("", bytes.to_vec()).ok();
    let document = text.and_then(|text| yaml::parse(&text).ok());
    let name = document.as_ref().and_then(|it| it.get("name")?.text());
    let name = name.filter(|name| Name::new(name).is_ok());
    PathBuf::from(format!("{}.yaml", name.unwrap_or("stdin")))
}

/// The name of a tool, if the path is one rather than a file or a folder.
fn tool_name<'p>(path: &'p Path, absolute: &Path) -> Option<&'p str> {
    let name = path.to_str()?;
    (Name::new(name).is_ok() && !absolute.exists()).then_some(name)
}

/// The file of the tool `name` of the project.
fn by_name(name: &str, config: &Config) -> Result<Candidate, Box<Diagnostic>> {
    let all = config.folders().flat_map(|folder| folder.list().entries);
    let all: Vec<Candidate> = all.collect();
    let found = all.iter().find(|it| it.name == *name).cloned();
    found.ok_or_else(|| {
        let message = format!("`{name}` is neither a file nor a tool with a file in this project");
        let diagnostic = Diagnostic::new(Code::ToolNotFound, message);
        let names: Vec<_> = all.iter().map(|it| it.name.to_string_lossy()).collect();
        let names = names.iter().map(|name| &**name);
        let otherwise = if config.has_tools_without_files() {
            "`cogtools list` names the tools: those of specifications and servers have no files"
        } else {
            "`cogtools list` names the tools"
        };
        Box::new(diagnostic.meant_or(name, names, otherwise))
    })
}

/// Returns true for a file with the ending that no host reads.
pub(crate) fn is_yml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yml")
}

/// Adds the tool files of a folder, and the files with a wrong extension.
fn list(folder: &Folder, files: &mut Vec<Candidate>, diagnostics: &mut Vec<Diagnostic>) {
    let Listing { entries, errors } = folder.list();
    diagnostics.extend(errors.iter().map(SourceError::diagnostic));
    files.extend(entries);
    for folder in folder.toolsets() {
        files.extend(wrong_extension(&folder));
    }
}

/// The `.yml` files in a folder.
fn wrong_extension(folder: &Folder) -> impl Iterator<Item = Candidate> {
    let entries = std::fs::read_dir(folder.path()).into_iter().flatten();
    let mut names: Vec<OsString> = entries
        .flatten()
        .map(|entry| entry.file_name())
        .filter(|name| is_yml(Path::new(name)) && !name.as_encoded_bytes().starts_with(b"."))
        .filter(|name| folder.path().join(name).is_file())
        .collect();
    names.sort_unstable();
    let file = |name: OsString| {
        let (path, display_path) = (folder.path(), folder.display_path());
        let scope = folder.scope().clone();
        Candidate::file(path.join(&name), display_path.join(&name), scope)
    };
    names.into_iter().map(file)
}

/// Marks the files that an earlier source of the project shadows.
fn mark_shadowed(files: &mut [LintFile], config: &Config) {
    let mut winners: HashMap<OsString, PathBuf> = HashMap::new();
    let mut shadowed: HashMap<PathBuf, PathBuf> = HashMap::new();
    for file in config.folders().flat_map(|folder| folder.list().entries) {
        match winners.get(&file.name) {
            Some(winner) => drop(shadowed.insert(canonical(&file.path), winner.clone())),
            None => drop(winners.insert(file.name, file.display_path)),
        }
    }
    for file in files {
        file.earlier.stem = shadowed.get(&canonical(&file.path)).cloned();
    }
}

pub(crate) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// The tools that files of a project may call, each read when a file needs it.
#[derive(Default)]
pub(crate) struct Callable {
    by_code: Option<Arc<Neighbours>>,
    by_agents: Option<Arc<Neighbours>>,
}

impl Callable {
    /// Gives an agent, a flow or code the tools that it may call.
    pub(crate) fn give(&mut self, file: &mut LintFile, config: &Config) {
        let code = file.tool.as_ref().and_then(Tool::js);
        let (known, others) = if file.implementation("agent").is_some() {
            (&mut self.by_agents, vec![Source::BuiltIn, Source::Editor])
        } else if file.flow().is_some() || code.is_some_and(|code| !code.tools().is_empty()) {
            (&mut self.by_code, Vec::new())
        } else {
            return;
        };
        let tools = known.get_or_insert_with(|| Neighbours::of(config, &others).into());
        file.neighbours = Arc::clone(tools);
    }
}

/// Marks the files whose description an earlier file has, too.
fn mark_copied_descriptions(files: &mut [LintFile]) {
    let mut first: HashMap<String, PathBuf> = HashMap::new();
    for file in files {
        let text = file.value("description").and_then(Node::text);
        let words: Vec<&str> = text.unwrap_or_default().split_whitespace().collect();
        if words.len() <= 2 {
            continue;
        }
        let key = words.join(" ").to_lowercase();
        match first.get(&key) {
            // A file that has the same name is reported for that.
            Some(_) if file.earlier.stem.is_some() || file.earlier.name.is_some() => {}
            Some(earlier) if *earlier != file.text.display_path() => {
                file.earlier.description = Some(earlier.clone());
            }
            Some(_) => {}
            None => drop(first.insert(key, file.text.display_path().to_path_buf())),
        }
    }
}

/// Marks the files whose name an earlier file declares, exactly or nearly.
fn mark_duplicate_names(files: &mut [LintFile]) {
    let mut first: HashMap<String, usize> = HashMap::new();
    for index in 0..files.len() {
        let file = &files[index];
        if file.earlier.stem.is_some() {
            continue;
        }
        let Some((_, name)) = file.name() else {
            continue;
        };
        let normalized = name.to_lowercase().replace('-', "_");
        match first.get(&normalized) {
            Some(&earlier) if canonical(&files[earlier].path) != canonical(&file.path) => {
                files[index].earlier.name = Some(files[earlier].text.display_path().to_path_buf());
            }
            Some(_) => {}
            None => drop(first.insert(normalized, index)),
        }
    }
}

/// The beginning of such a comment.
const MARK: &str = "# lint: allow ";

/// One comment.
#[derive(Debug)]
pub(crate) struct Suppression {
    /// The name of the rule, which need not exist.
    pub(crate) rule: String,
    /// Where the name is.
    pub(crate) span: Span,
    /// The lines that it is about, from 1; the whole file if there is none.
    lines: Option<[usize; 2]>,
}

/// The comments in `text`, of which the first key is on the line `first_key` (from 1).
pub(crate) fn all(text: &str, first_key: usize) -> Vec<Suppression> {
    let mut found = Vec::new();
    if !text.contains(MARK) {
        return found;
    }
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let number = index + 1;
        let Some((before, rest)) = line.split_once(MARK) else {
            continue;
        };
        let lines = if !before.trim_end_matches('{').trim().is_empty() {
            Some([number, number])
        } else if number < first_key {
            None
        } else {
            Some([number, number + 1])
        };
        let names = NAMES.find(rest).map_or("", |it| it.as_str());
        for name in names.split([',', ' ']).filter(|name| !name.is_empty()) {
            let from = name.as_ptr().addr() - text.as_ptr().addr();
            found.push(Suppression {
                rule: name.to_owned(),
                span: Span::new(from, from + name.len()),
                lines,
            });
        }
    }
    found
}

/// The names at the beginning of a text; a reason can follow them.
static NAMES: Expression =
    Expression::new(r"^[, ]*[a-z][a-z-]*(?![^,\s])(?:, *[a-z][a-z-]*(?![^,\s]))*");

impl Suppression {
    /// Returns true if it is about a finding.
    pub(crate) fn covers(&self, finding: &Finding, file: &LintFile) -> bool {
        let is_own = finding.location.file == file.text.display_path();
        let is_near = match self.lines {
            None => true,
            Some([first, last]) => is_own && (first..=last).contains(&finding.location.line),
        };
        is_near && finding.rule.name == self.rule && self.rule != INVALID_TOOL
    }

    /// Why it can have no effect, whatever is in the file.
    pub(crate) fn fault(&self) -> Option<String> {
        if self.rule == INVALID_TOOL {
            return Some(format!("`{INVALID_TOOL}` cannot be allowed"));
        }
        let is_unknown = find(&self.rule).is_none() && !RETIRED_RULES.contains(&self.rule.as_str());
        is_unknown.then(|| format!("there is no rule `{}`", self.rule))
    }
}
