//! The order in which editors are asked: the first that answers for the directory wins.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cogtools_core::source::EDITOR_VARIABLES;
use cogtools_core::{Code, Context, Diagnostic};
use serde::Deserialize;

use super::answer::{Answer, Failure, Position, Reply, Text};
use super::protocol::Request;
use super::{answer, file, neovim, protocol};

/// An answer, and why others were not asked or had none.
#[derive(Debug)]
pub struct Found {
    /// The answer and the name of the editor; `None` if no editor answers for the directory.
    pub answer: Option<(Answer, String)>,
    /// The variable or file by which the editor was found, such as `NVIM`.
    pub by: Option<String>,
    /// Each editor that did not answer, in the order of the search.
    pub attempts: Vec<Attempt>,
}

/// An editor that did not answer.
#[derive(Debug)]
pub struct Attempt {
    /// Where it was found: a variable or a discovery file.
    pub by: String,
    /// Why it did not answer.
    pub failure: Failure,
}

/// Two editors that answer for the same folder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} and {} have the same folder open", .0, .1)]
pub struct Ambiguous(String, String, PathBuf);

impl Ambiguous {
    /// The socket of the first one, which a variable can name.
    pub fn socket(&self) -> &Path {
        &self.2
    }

    /// The error as a diagnostic, with what to do about it.
    pub fn diagnostic(&self) -> Diagnostic {
        let socket = self.socket().display();
        Diagnostic::new(Code::AmbiguousEditor, self.to_string())
            .hint("close one of the windows, or call from a terminal in the one that is meant")
            .hint(format!("or set {}={socket}", Variables::EDITOR))
    }
}

/// Asks the editors in `place`.
///
/// # Errors
///
/// [`Ambiguous`] if two windows answer and none is nearer to the directory.
pub fn find(request: &Request, place: &Place) -> Result<Found, Ambiguous> {
    Search {
        request,
        place,
        deadline: Instant::now() + request.total(),
        attempts: Vec::new(),
    }
    .run()
}

/// An answer with the name of the editor, and how that was found.
type Hit = ((Answer, String), String);

/// A search that is under way.
struct Search<'s> {
    request: &'s Request,
    place: &'s Place,
    deadline: Instant,
    attempts: Vec<Attempt>,
}

impl Search<'_> {
    fn run(mut self) -> Result<Found, Ambiguous> {
        let answered = self.ask_all()?;
        let (answer, by) = answered.unzip();
        Ok(Found {
            answer,
            by,
            attempts: self.attempts,
        })
    }

    fn ask_all(&mut self) -> Result<Option<Hit>, Ambiguous> {
        let editor = self.place.variables.text(Variables::EDITOR);
        if editor.as_deref() == Some("none") {
            self.note(Variables::EDITOR, Failure::Disabled);
            return Ok(None);
        }
        if let Some(found) = self.named() {
            return Ok(Some(found));
        }
        if let Some(found) = self.discovered()? {
            return Ok(Some(found));
        }
        let variables = &self.place.variables;
        if let Some(socket) = variables.text("NVIM").filter(|path| !path.is_empty()) {
            let asked = neovim::ask(&socket, self.request, self.timeout());
            if let Some(found) = self.accept("NVIM", "Neovim", asked) {
                return Ok(Some(found));
            }
        }
        if variables.get("INSIDE_EMACS").is_some() {
            self.note("INSIDE_EMACS", Failure::NoServer);
        }
        let found = self.snapshot();
        if found.is_none() {
            self.companions();
        }
        Ok(found)
    }

    /// Says why the extensions of other agents are not asked: they have one client each, and a
    /// second one breaks the first.
    fn companions(&mut self) {
        for (variable, agent) in [
            (Variables::GEMINI_COMPANION, "Gemini CLI"),
            (Variables::CLAUDE_COMPANION, "Claude Code"),
        ] {
            if self.place.variables.get(variable).is_some() {
                self.note(variable, Failure::Companion(agent));
            }
        }
    }

    /// The editor that the variable names.
    fn named(&mut self) -> Option<Hit> {
        let by = Variables::EDITOR;
        let socket = self.place.variables.get(by)?;
        let path = Path::new(socket);
        let asked = if path.is_absolute() {
            self.ask_here(path)
        } else {
            Err(Failure::NotAPath(path.display().to_string()))
        };
        self.accept(by, "editor", asked)
    }

    /// Asks the editor at `path`, if its folders contain the directory: a terminal inherits the
    /// variable from one that was opened in another window. Only an answer has the folders, so a
    /// request that shows something is not the first.
    fn ask_here(&self, path: &Path) -> Result<Reply, Failure> {
        let ask = |request: &Request| {
            let reply = protocol::ask(path, request, self.timeout_of(request))?;
            let folders = reply.folders();
            if folders.is_empty() || self.place.depth_in(folders).is_some() {
                Ok(reply)
            } else {
                Err(Failure::Elsewhere(self.place.directory.clone()))
            }
        };
        if let Request::OpenFile { .. } | Request::ProposeEdit { .. } = self.request {
            match ask(&Request::SelectedText) {
                Ok(_) | Err(Failure::Unsupported(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        ask(self.request)
    }

    /// The editor whose discovery file names the deepest folder.
    fn discovered(&mut self) -> Result<Option<Hit>, Ambiguous> {
        let (known, failures) = known(self.place);
        for (file, failure) in failures {
            self.note(&file.display().to_string(), failure);
        }
        for same_depth in known.chunk_by(|one, other| one.depth == other.depth) {
            let alive = match same_depth {
                [one] => vec![one],
                several => self.alive(several),
            };
            match alive.as_slice() {
                [] => {}
                [one] => {
                    let asked = protocol::ask(&one.socket, self.request, self.timeout());
                    if let Some(found) = self.accept(&by(one), &one.name, asked) {
                        return Ok(Some(found));
                    }
                }
                [one, other, ..] => {
                    let socket = one.socket.clone();
                    return Err(Ambiguous(describe(one), describe(other), socket));
                }
            }
        }
        Ok(None)
    }

    /// Returns the editors that answer, at most two. A proposal must not reach more than one,
    /// so the question is another.
    fn alive<'k>(&mut self, known: &'k [Known]) -> Vec<&'k Known> {
        let mut alive = Vec::new();
        for one in known {
            let request = Request::SelectedText;
            match protocol::ask(&one.socket, &request, self.timeout_of(&request)) {
                Ok(_) | Err(Failure::Unsupported(_)) => alive.push(one),
                Err(failure) => self.note(&by(one), failure),
            }
            if alive.len() == 2 {
                break;
            }
        }
        alive
    }

    fn snapshot(&mut self) -> Option<Hit> {
        let (by, answer) = find_snapshot(self.request, self.place)?;
        let answer = answer.map_err(|failure| self.note(by, failure)).ok()?;
        Some(((answer, "environment".to_owned()), by.to_owned()))
    }

    /// The answer of the editor found by `by`, if it has one.
    fn accept(&mut self, by: &str, name: &str, reply: Result<Reply, Failure>) -> Option<Hit> {
        let answer = reply.and_then(|reply| {
            let name = reply.name().unwrap_or_else(|| name.to_owned());
            Ok((reply.answer(self.request)?, name))
        });
        let answer = answer.map_err(|failure| self.note(by, failure)).ok()?;
        Some((answer, by.to_owned()))
    }

    fn note(&mut self, by: &str, failure: Failure) {
        self.attempts.push(Attempt {
            by: by.to_owned(),
            failure,
        });
    }

    /// Returns the time limit of the next editor.
    fn timeout(&self) -> Duration {
        self.timeout_of(self.request)
    }

    /// Returns the time limit of the next editor for `request`.
    fn timeout_of(&self, request: &Request) -> Duration {
        let left = self.deadline.saturating_duration_since(Instant::now());
        left.min(request.timeout()).max(Duration::from_millis(1))
    }
}

fn by(known: &Known) -> String {
    known.file.display().to_string()
}

fn describe(known: &Known) -> String {
    format!("{} (process {})", known.name, known.pid)
}

/// The user's own variables: the caller leaves out what a project may have set.
#[derive(Clone, Debug, Default)]
pub struct Variables(BTreeMap<OsString, OsString>);

/// Where editors are searched for, and for which folder.
#[derive(Clone, Debug)]
pub struct Place {
    /// The user's variables.
    pub variables: Variables,
    /// The directory that an editor's folder has to contain.
    pub directory: PathBuf,
}

impl Variables {
    /// Names the socket of an editor, or `none`.
    pub const EDITOR: &'static str = "COGTOOLS_EDITOR";
    /// Is set by the companion of Gemini CLI.
    pub(crate) const GEMINI_COMPANION: &'static str = "GEMINI_CLI_IDE_SERVER_PORT";
    /// Is set by the companion of Claude Code.
    pub(crate) const CLAUDE_COMPANION: &'static str = "CLAUDE_CODE_SSE_PORT";

    /// The variables, of which only [`EDITOR_VARIABLES`] count.
    pub const fn new(variables: BTreeMap<OsString, OsString>) -> Self {
        Self(variables)
    }

    /// The value of a variable that is set and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        let value = self.0.get(OsStr::new(name))?;
        (!value.is_empty()).then_some(value)
    }

    /// The value of a variable that is set, even if it is empty.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let value = self.0.get(OsStr::new(name))?;
        Some(value.to_string_lossy().into_owned())
    }

    /// An absolute path.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        let path = PathBuf::from(self.get(name)?);
        path.is_absolute().then_some(path)
    }
}

impl Place {
    /// Searches by the user's own variables, from the working directory of `cx`.
    pub fn of(cx: &Context) -> Self {
        let directory = cx.environment.directory();
        let is_known = directory.is_absolute();
        Self {
            variables: Variables::new(cx.environment.user_vars(EDITOR_VARIABLES)),
            directory: if is_known { directory } else { &cx.root }.to_path_buf(),
        }
    }

    /// Counts the components of the deepest of `folders` that contains the directory.
    pub(crate) fn depth_in(&self, folders: &[PathBuf]) -> Option<usize> {
        let real = canonical(&self.directory);
        let folders = folders.iter().filter(|folder| folder.is_absolute());
        folders
            .map(|folder| canonical(folder))
            .filter(|folder| real.starts_with(folder))
            .map(|folder| folder.components().count())
            .max()
    }
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// The variables of one editor.
struct Names {
    text: &'static str,
    file: &'static str,
    line: Option<&'static str>,
    column: Option<&'static str>,
}

/// The variables that are known: our own first.
const NAMES: [Names; 3] = [
    Names {
        text: "COGTOOLS_SELECTED_TEXT",
        file: "COGTOOLS_CURRENT_FILE",
        line: None,
        column: None,
    },
    Names {
        text: "ZED_SELECTED_TEXT",
        file: "ZED_FILE",
        line: Some("ZED_ROW"),
        column: Some("ZED_COLUMN"),
    },
    Names {
        text: "kak_selection",
        file: "kak_buffile",
        line: Some("kak_cursor_line"),
        column: Some("kak_cursor_column"),
    },
];

/// The range of the selection in the file of our own variables, for editors that cannot pass texts
/// safely.
const SELECTION: &str = "COGTOOLS_SELECTION";

/// The answer in the environment, with the variable that has it; `None` if there is none.
fn find_snapshot(
    request: &Request,
    place: &Place,
) -> Option<(&'static str, Result<Answer, Failure>)> {
    let variables = &place.variables;
    let mut names = NAMES.iter();
    match request {
        Request::SelectedText => {
            let texts = names.find_map(|names| {
                let text = variables.text(names.text)?;
                Some((names.text, Ok(selection(names, text, place))))
            });
            texts.or_else(|| {
                let range = variables.text(SELECTION)?;
                let path = place.directory.join(variables.get(NAMES[0].file)?);
                let whole = read_whole(&path).and_then(|text| part(text, &range));
                Some((SELECTION, whole.map(Answer::Text)))
            })
        }
        Request::CurrentFile { path: None } => names.find_map(|names| {
            let path = variables.get(names.file)?;
            let whole = read_whole(&place.directory.join(path));
            Some((names.file, whole.map(Answer::Text)))
        }),
        _ => None,
    }
}

fn selection(names: &Names, text: String, place: &Place) -> Answer {
    let variables = &place.variables;
    let number = |name: Option<&str>| variables.text(name?)?.parse().ok();
    let path = variables.get(names.file);
    let path = path.map(|path| place.directory.join(path));
    // Editors tell where the cursor is, which is the beginning only if nothing is selected.
    let cursor = number(names.line).zip(number(names.column));
    let start = cursor.filter(|_| text.is_empty());
    Answer::Text(
        Text {
            path: path.map(|path| path.to_string_lossy().into_owned()),
            text,
            start: start.map(|(line, column)| Position { line, column }),
            ..Text::default()
        }
        .bounded(),
    )
}

/// Cuts a selection out of the whole text of a file: `LINE:COLUMN-LINE:COLUMN`, from 1, with
/// columns in units of UTF-16.
fn part(whole: Text, range: &str) -> Result<Text, Failure> {
    let text = whole.text.trim_start_matches('\u{feff}');
    let offset = |place: &str| {
        let (line, column) = place.split_once(':')?;
        let (line, column): (usize, usize) = (line.parse().ok()?, column.parse().ok()?);
        let lines = text.split_inclusive('\n');
        let start: usize = lines.take(line.checked_sub(1)?).map(str::len).sum();
        let mut units = column.checked_sub(1)?;
        let mut chars = text[start..].chars();
        while units > 0 {
            units = units.saturating_sub(chars.next()?.len_utf16());
        }
        Some(text.len() - chars.as_str().len())
    };
    let places = range.split_once('-');
    let offsets = places.and_then(|(from, to)| Some(offset(from)?..offset(to)?));
    let selected = offsets.and_then(|offsets| text.get(offsets));
    let Some(text) = selected.map(str::to_owned) else {
        return Err(Failure::NoSelection(range.to_owned()));
    };
    Ok(Text {
        text,
        truncated: false,
        ..whole
    })
}

/// The whole text of the file, as it is saved.
fn read_whole(path: &Path) -> Result<Text, Failure> {
    let limit = u64::try_from(Request::MAX_TEXT_BYTES).unwrap_or(u64::MAX);
    let (mut bytes, truncated) = file::read_regular(path, limit)?;
    if truncated {
        // The last character may be incomplete.
        let end = bytes
            .utf8_chunks()
            .last()
            .map_or(0, |chunk| chunk.invalid().len());
        bytes.truncate(bytes.len() - end);
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::Unreadable {
        file: path.to_path_buf(),
        reason: "it is not UTF-8".to_owned(),
    })?;
    Ok(Text {
        path: Some(path.to_string_lossy().into_owned()),
        text,
        truncated,
        ..Text::default()
    })
}

/// An editor that has made itself known.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) file: PathBuf,
    pub(crate) socket: PathBuf,
    pub(crate) name: String,
    pub(crate) pid: u32,
    /// The depth of the folder that contains the directory.
    pub(crate) depth: usize,
}

/// A discovery file.
#[derive(Deserialize)]
struct Discovery {
    socket: PathBuf,
    #[serde(default)]
    folders: Vec<PathBuf>,
    #[serde(default)]
    name: String,
}

/// The largest file, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 10;
/// The most files that are read of one folder.
const MAX_FILES: usize = 64;

/// The folders in which editors make themselves known.
pub(crate) fn folders(place: &Place) -> Vec<PathBuf> {
    let runtime = place.variables.path("XDG_RUNTIME_DIR");
    let temporary = place.variables.path("TMPDIR");
    let temporary = temporary.unwrap_or_else(|| PathBuf::from("/tmp"));
    let user = file::user();
    let runtime = runtime.map(|folder| folder.join("cogtools/editor"));
    let mut folders = Vec::from_iter(runtime);
    let of_user = PathBuf::from("/run/user").join(&user);
    folders.push(of_user.join("cogtools/editor"));
    folders.push(temporary.join(format!("cogtools-{user}/editor")));
    folders.dedup();
    folders
}

/// The editors of which a folder contains the directory, the deepest folder first, and why others
/// cannot be asked, each with its file.
pub(crate) fn known(place: &Place) -> (Vec<Known>, Vec<(PathBuf, Failure)>) {
    let mut known: Vec<Known> = Vec::new();
    let mut failures = Vec::new();
    for folder in folders(place) {
        for (pid, path) in files(&folder, &mut failures) {
            match read(&path, pid, place) {
                Ok(editor) if known.iter().any(|other| other.socket == editor.socket) => {}
                Ok(editor) => known.push(editor),
                Err(failure) => failures.push((path, failure)),
            }
        }
    }
    known.sort_by(|one, other| (other.depth, one.pid).cmp(&(one.depth, other.pid)));
    (known, failures)
}

/// The files `PID.json` of a folder, by number.
fn files(folder: &Path, failures: &mut Vec<(PathBuf, Failure)>) -> Vec<(u32, PathBuf)> {
    let Ok(entries) = folder.read_dir() else {
        return Vec::new();
    };
    // What others can write in says nothing about the user's editors.
    let parent = folder.parent().unwrap_or(folder);
    if let Err(failure) = file::check_folder(parent).and_then(|()| file::check_folder(folder)) {
        failures.push((folder.to_path_buf(), failure));
        return Vec::new();
    }
    let mut files: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let stem = path.file_name()?.to_str()?.strip_suffix(".json")?;
            Some((stem.parse().ok()?, path))
        })
        .collect();
    files.sort();
    // Those of processes that have ended must not displace the others.
    files.retain(|(pid, path)| {
        let alive = file::is_alive(*pid);
        if !alive && failures.len() < MAX_FILES {
            failures.push((path.clone(), Failure::Ended(*pid)));
        }
        alive
    });
    files.truncate(MAX_FILES);
    files
}

/// The editor that has written the file at `path`.
fn read(path: &Path, pid: u32, place: &Place) -> Result<Known, Failure> {
    let bytes = file::read_private(path, MAX_FILE_BYTES)?;
    let invalid = |reason: String| Failure::Discovery {
        file: path.to_path_buf(),
        reason,
    };
    let discovery = serde_json::from_slice(&bytes);
    let discovery: Discovery = discovery.map_err(|error| invalid(error.to_string()))?;
    if !discovery.socket.is_absolute() {
        return Err(invalid("`socket` is not absolute".to_owned()));
    }
    let depth = place.depth_in(&discovery.folders);
    let depth = depth.ok_or_else(|| Failure::Elsewhere(place.directory.clone()))?;
    Ok(Known {
        file: path.to_path_buf(),
        socket: discovery.socket,
        name: answer::name(&discovery.name),
        pid,
        depth,
    })
}
