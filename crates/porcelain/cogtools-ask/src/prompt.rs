//! The task: words, files and standard input.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cogtools_core::file::{descends, has_secrets};
use cogtools_core::{Code, Diagnostic, media};
use cogtools_model::Part;
use cogtools_program::{Failure, Io, named_file, text_input};

use crate::args::AskArgs;

/// The largest file that is sent, in bytes: the API's limit for a whole request is 20 MiB.
const MAX_SENT_BYTES: usize = 14 << 20;

/// The parts of the task; empty if there is none.
pub(crate) fn task_parts(args: &AskArgs, io: &mut Io<'_>) -> Result<Vec<Part>, Failure> {
    let mut parts = Vec::new();
    let mut text = Vec::new();
    for word in &args.prompt {
        match word.strip_prefix('@').filter(|path| !path.is_empty()) {
            Some(path) => {
                parts.push(file_part(Path::new(path), io)?);
                text.push(path.to_owned());
            }
            None => text.push(word.clone()),
        }
    }
    for path in &args.files {
        parts.push(file_part(path, io)?);
    }
    let text = text.join(" ");
    if !text.trim().is_empty() {
        parts.push(Part::text_of(text));
    }
    if !io.stdin.is_terminal() {
        let bytes = text_input::read_input(io, "the input", "cogtools ask TASK < notes.txt")?;
        match String::from_utf8(bytes) {
            Ok(input) if input.trim().is_empty() => {}
            Ok(input) => parts.push(Part::text_of(input)),
            Err(error) => parts.push(data_part(&error.into_bytes(), "standard input")?),
        }
    }
    Ok(parts)
}

/// The parts of a task that was typed at a prompt. Words that begin with @ and name files below the
/// working directory are sent with their content; all others are text. Text is also pasted, and
/// what others wrote must not send a key from elsewhere.
pub(crate) fn typed(line: &str, is_quiet: bool, io: &mut Io<'_>) -> Result<Vec<Part>, Failure> {
    let words = line
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('@'));
    let mut names: Vec<&str> = Vec::new();
    for word in words {
        // What follows a name in a sentence is not a part of it.
        let bare = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
        let mut names_of_word = [word, bare].into_iter();
        let is_file = |name: &&str| descends(Path::new(name)) && io.cwd.join(name).is_file();
        if let Some(name) = names_of_word
            .find(is_file)
            .filter(|name| !names.contains(name))
        {
            names.push(name);
        }
    }
    let mut parts = Vec::new();
    for name in names {
        if has_secrets(&io.cwd, Path::new(name)) {
            let message = "it may contain secrets; text that was pasted could name it";
            let diagnostic = Diagnostic::new(Code::Denied, message).with_subject(name);
            return Err(diagnostic
                .hint("`cogtools ask --file` sends it all the same")
                .into());
        }
        parts.push(file_part(Path::new(name), io)?);
        if !is_quiet {
            io.note(&format!("sends the file {name}"));
        }
    }
    parts.push(Part::text_of(line.trim().to_owned()));
    Ok(parts)
}

/// A file that the user has named: text as text, everything else as data. The provider itself reads
/// one at a URL.
fn file_part(path: &Path, io: &Io<'_>) -> Result<Part, Failure> {
    let url = path.to_str().filter(|name| name.starts_with("https://"));
    if let Some(url) = url {
        return Ok(Part::url_of(media::named(path), url));
    }
    let bytes = named_file::read(path, MAX_SENT_BYTES, io)?;
    let name = path.display();
    if let Some(mime_type) = media::named(path) {
        return Ok(Part::data_of(mime_type, &STANDARD.encode(bytes)));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Part::text_of(format!("Content of {name}:\n\n{text}"))),
        Err(_) => Err(unreadable(&name.to_string())),
    }
}

/// Data without a name, whose type is in its first bytes.
fn data_part(bytes: &[u8], name: &str) -> Result<Part, Failure> {
    match media::of(bytes) {
        Some(mime_type) if bytes.len() <= MAX_SENT_BYTES => {
            Ok(Part::data_of(mime_type, &STANDARD.encode(bytes)))
        }
        Some(_) => {
            let message = format!("it is larger than {MAX_SENT_BYTES} bytes");
            Err(Diagnostic::new(Code::Usage, message)
                .with_subject(name)
                .into())
        }
        None => Err(unreadable(name)),
    }
}

fn unreadable(name: &str) -> Failure {
    let message = "this is not text, nor a file that models read";
    Diagnostic::new(Code::Usage, message)
        .with_subject(name)
        .hint("models read text, PNG, JPEG, WebP, HEIC, GIF, PDF, WAV, MP3, MP4 and WebM")
        .into()
}
