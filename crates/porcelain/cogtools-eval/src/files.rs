//! The files with cases of a project, and older versions of its tools.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use cogtools_core::file::{self, ReadScope, WritePath, create_private_folder, replace_private};
use cogtools_core::hint::{Command, Hint};
use cogtools_core::text::Text;
use cogtools_core::trust::Verdict;
use cogtools_core::{Code, Config, Diagnostic, Folder, Project, fail_on};
use cogtools_program::{Failure, Io, SystemProgram, project};
use serde_json::Value;
use tempfile::TempDir;

use crate::case::{self, Case};

/// The end of the name of a file beside a tool.
const BESIDE: &str = ".evals.yaml";

/// The number of reports that the web view can show.
const MAX_REPORTS: usize = 20;

/// A file with cases.
#[derive(Debug)]
struct CaseFile {
    path: PathBuf,
    display_path: PathBuf,
    scope: ReadScope,
    /// The tool that it lies beside.
    tool: Option<String>,
}

impl CaseFile {
    fn new(path: PathBuf, display_path: PathBuf, scope: ReadScope) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Self {
            tool: name.strip_suffix(BESIDE).map(str::to_owned),
            path,
            display_path,
            scope,
        }
    }

    /// The name that selects it.
    fn name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        self.tool.clone().unwrap_or_else(|| stem.into_owned())
    }

    fn read(&self, root: &Path) -> case::Read {
        let text = Text::read(&self.path, &self.display_path, &self.scope)
            .map_err(|error| vec![error.diagnostic(Code::InvalidEvals)])?;
        let folder = self.path.with_file_name(format!("{}.evals", self.name()));
        if self.path.extension().is_some_and(|it| it == "json") {
            return case::read_skill(&text, root, &folder);
        }
        case::read(&text, self.tool.as_deref(), &folder)
    }
}

/// The entries of `folder` whose names pass `is_wanted`, sorted.
fn names(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter(|name| !name.starts_with('.') && is_wanted(name))
        .collect();
    names.sort_unstable();
    names
}

/// Reads the cases that `wanted` names: by tool, by file, or all. Returns notes about cases that
/// are left out.
///
/// # Errors
/// `INVALID_EVALS` for every mistake, `USAGE` for a name without cases.
pub(crate) fn cases(
    wanted: &[String],
    config: &Config,
    project: &Project,
    io: &Io<'_>,
) -> Result<(Vec<Case>, Vec<String>), Failure> {
    let mut files = Vec::new();
    for folder in config.folders().flat_map(Folder::toolsets) {
        for name in names(folder.path(), |name| name.ends_with(BESIDE)) {
            let (path, display) = (folder.path().join(&name), folder.display_path().join(&name));
            files.push(CaseFile::new(path, display, folder.scope().clone()));
        }
    }
    let (evals, display) = project.resolve(Path::new("evals"));
    for name in names(&evals, |name| {
        name == "evals.json" || Path::new(name).extension().is_some_and(|it| it == "yaml")
    }) {
        files.push(CaseFile::new(
            evals.join(&name),
            display.join(&name),
            project.read_scope(),
        ));
    }
    if !wanted.is_empty() {
        let known: Vec<String> = files.iter().map(CaseFile::name).collect();
        let mut chosen: Vec<CaseFile> = Vec::new();
        for name in wanted {
            let path = io.cwd.join(name);
            let is_named = |file: &CaseFile| file.name() == *name || file.path == path;
            chosen.extend(files.extract_if(.., |file| is_named(file)));
            if chosen.iter().any(is_named) {
                continue;
            }
            if path.is_file() {
                let scope = project::read_scope(&path, io);
                chosen.push(CaseFile::new(path, PathBuf::from(name), scope));
                continue;
            }
            let diagnostic = Diagnostic::new(Code::Usage, "there are no cases of that name")
                .with_subject(name.as_str());
            let (known, otherwise) = (known.iter(), format!("write them in tools/{name}{BESIDE}"));
            let known = known.map(String::as_str);
            return Err(diagnostic.meant_or(name, known, otherwise).into());
        }
        files = chosen;
    }
    let (mut cases, mut notes, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for file in &files {
        match file.read(project.root()) {
            Ok((read, noted)) => {
                cases.extend(read);
                notes.extend(noted);
            }
            Err(diagnostics) => errors.extend(diagnostics),
        }
    }
    fail_on(errors)?;
    Ok((cases, notes))
}

/// Keeps a report for the web view, and removes the oldest ones.
///
/// # Errors
/// The report cannot be written. The web view has one run less then.
pub(crate) fn keep_report(report: &Value, folder: &Path) -> Result<(), Box<Diagnostic>> {
    let name = format!("{}.json", report["run"].as_str().unwrap_or("run"));
    let path = WritePath::below(folder, Path::new(&name));
    let failed = |error: String| {
        let message = format!("the report is not kept for the web view: {error}");
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        Box::new(diagnostic.with_subject(folder.display().to_string()))
    };
    create_private_folder(folder).map_err(|error| failed(error.to_string()))?;
    let written = replace_private(&path, report.to_string().as_bytes());
    written.map_err(|error| failed(error.to_string()))?;
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<_> = entries
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    all.sort_unstable();
    let old = all.len().saturating_sub(MAX_REPORTS);
    for (_, path) in all.iter().take(old) {
        // The next run tries again.
        let _ = file::remove(&WritePath::in_folder(path));
    }
    Ok(())
}

/// Checks the project of the git revision `reference` out into a new folder.
///
/// # Errors
/// `DENIED` if the user does not trust the project: the configuration of its repository says what
/// git runs. `USAGE` if there is no such revision.
pub(crate) fn check_out(
    reference: &str,
    project: &Project,
    io: &Io<'_>,
) -> Result<TempDir, Failure> {
    let wrong = |message: String| {
        let diagnostic = Diagnostic::new(Code::Usage, message).with_subject(reference);
        Failure::from(
            diagnostic.hint("name a git revision, a folder, or a report of --format json"),
        )
    };
    if reference.starts_with('-') {
        return Err(wrong("this is no revision".to_owned()));
    }
    let root = project.root();
    let verdict = project::trust(io).project_verdict(root);
    if verdict.map_err(|error| error.diagnostic())? != Verdict::Approved {
        let message = "git runs what the project's repository says, and the project is not trusted";
        let diagnostic = Diagnostic::new(Code::Denied, message).with_subject(reference);
        let trust = Command::TrustProject(None);
        let hint = Hint::run(
            "only the user can trust it, after reviewing its tools: ",
            trust,
            "",
        );
        return Err(diagnostic.hint(hint).into());
    }
    let folder =
        TempDir::with_prefix("cogtools-eval-").map_err(|error| wrong(error.to_string()))?;
    let archive = folder.path().join("archive.tar");
    let files = folder.path().join("files");
    std::fs::create_dir(&files).map_err(|error| wrong(error.to_string()))?;
    let run = |name: &str, args: &[&OsStr]| {
        let program = SystemProgram::find(name, root, io)
            .ok_or_else(|| wrong(format!("{name} is not installed")))?;
        let output = program.process(root).args(args).run(&io.signals.begin());
        let output = output.map_err(|error| wrong(error.to_string()))?;
        if output.exit.is_success() {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(&output.stderr.bytes);
        let how = output.exit.describe();
        Err(wrong(format!("{name} {how}: {}", stderr.trim())))
    };
    let options = [
        "-c",
        "safe.bareRepository=explicit",
        "archive",
        "--format=tar",
    ];
    let options = options.map(OsStr::new);
    let output: [&OsStr; 3] = ["-o".as_ref(), archive.as_ref(), reference.as_ref()];
    run("git", &[options.as_slice(), &output].concat())?;
    run(
        "tar",
        &[
            "-xf".as_ref(),
            archive.as_ref(),
            "-C".as_ref(),
            files.as_ref(),
        ],
    )?;
    Ok(folder)
}
