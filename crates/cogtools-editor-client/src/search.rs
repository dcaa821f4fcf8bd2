//! The order in which editors are asked: the first that answers for the directory wins.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::answer::Reply;
use crate::discovery::{self, Known};
use crate::failure::Failure;
use crate::place::Variables;
use crate::{Answer, Place, Request, emacs, neovim, protocol, snapshot};

/// An answer, and why others were not asked or had none.
#[derive(Debug)]
pub struct Found {
    /// The answer and the name of the editor; `None` if no editor answers for the directory.
    pub answer: Option<(Answer, String)>,
    /// How the editor was found, such as `NVIM`.
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
            let asked = emacs::ask(self.place, self.request, self.timeout());
            if let Some(found) = self.accept("INSIDE_EMACS", "Emacs", asked) {
                return Ok(Some(found));
            }
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
            protocol::ask(path, self.request, self.timeout())
        } else {
            Err(Failure::NotAPath(path.display().to_string()))
        };
        // A terminal inherits the variable from one that was opened in another window.
        let asked = asked.and_then(|reply| {
            let folders = reply.folders();
            if folders.is_empty() || self.place.depth_in(folders).is_some() {
                Ok(reply)
            } else {
                Err(Failure::Elsewhere(self.place.directory.clone()))
            }
        });
        self.accept(by, "editor", asked)
    }

    /// The editor whose discovery file names the deepest folder.
    fn discovered(&mut self) -> Result<Option<Hit>, Ambiguous> {
        let (known, failures) = discovery::known(self.place);
        for (file, failure) in failures {
            self.note(&file.display().to_string(), failure);
        }
        for same_depth in known.chunk_by(|one, other| one.depth == other.depth) {
            if let [one] = same_depth {
                let asked = protocol::ask(&one.socket, self.request, self.timeout());
                if let Some(found) = self.accept(&by(one), &one.name, asked) {
                    return Ok(Some(found));
                }
                continue;
            }
            let alive = self.alive(same_depth);
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

    /// Those of several editors that answer, at most two. A proposal must not reach more than one,
    /// so the question is another.
    fn alive<'k>(&mut self, known: &'k [Known]) -> Vec<&'k Known> {
        let mut alive = Vec::new();
        for one in known {
            match protocol::ask(&one.socket, &Request::SelectedText, self.timeout()) {
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
        let (by, answer) = snapshot::find(self.request, self.place)?;
        match answer {
            Ok(answer) => Some(((answer, "environment".to_owned()), by.to_owned())),
            Err(failure) => {
                self.note(by, failure);
                None
            }
        }
    }

    /// The answer of the editor found by `by`, if it has one.
    fn accept(&mut self, by: &str, name: &str, reply: Result<Reply, Failure>) -> Option<Hit> {
        let answer = reply.and_then(|reply| {
            let name = reply.name().unwrap_or_else(|| name.to_owned());
            Ok((reply.answer(self.request)?, name))
        });
        match answer {
            Ok(answer) => Some((answer, by.to_owned())),
            Err(failure) => {
                self.note(by, failure);
                None
            }
        }
    }

    fn note(&mut self, by: &str, failure: Failure) {
        self.attempts.push(Attempt {
            by: by.to_owned(),
            failure,
        });
    }

    /// How long the next editor may take.
    fn timeout(&self) -> Duration {
        let left = self.deadline.saturating_duration_since(Instant::now());
        left.min(self.request.timeout())
            .max(Duration::from_millis(1))
    }
}

fn by(known: &Known) -> String {
    known.file.display().to_string()
}

fn describe(known: &Known) -> String {
    format!("{} (process {})", known.name, known.pid)
}
