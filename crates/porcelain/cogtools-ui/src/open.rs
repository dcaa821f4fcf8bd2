//! `--open`: starts the browser of the user.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use cogtools_core::file::{WritePath, create_private_folder, replace_private};
use cogtools_core::{Code, Diagnostic};
use cogtools_program::dirs::state_dir;
use cogtools_program::{Failure, Io};

/// The folder, in the user's state, with the page that leads the browser to the server.
const FOLDER: &str = "ui";

/// Opens `url` in the browser. Others on the machine can read command lines, and the token is in
/// the URL: so the browser gets a file that only its user can read, and that leads there.
pub(crate) fn open(url: &str, io: &Io<'_>) -> Result<(), Failure> {
    let Some(state) = state_dir(io) else {
        let message = "there is no directory for the page that the browser opens";
        let diagnostic = Diagnostic::new(Code::IoFailed, message);
        return Err(diagnostic.hint("set HOME, or XDG_STATE_HOME").into());
    };
    let folder = state.join(FOLDER);
    let path = folder.join("open.html");
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>cogtools</title>\
         <meta http-equiv=\"refresh\" content=\"0;url={url}\"><a href=\"{url}\">cogtools</a>\n"
    );
    let failed = |error: String| {
        let message = format!("`{}` cannot be written: {error}", path.display());
        Diagnostic::new(Code::IoFailed, message).hint("open the URL yourself")
    };
    create_private_folder(&folder).map_err(|error| failed(error.to_string()))?;
    let file = WritePath::below(&folder, "open.html".as_ref());
    replace_private(&file, page.as_bytes()).map_err(|error| failed(error.to_string()))?;
    start(&path, io)
}

/// The programs that open a file in the browser, the first of which is there.
const OPENERS: &[&str] = if cfg!(target_os = "macos") {
    &["open"]
} else if cfg!(windows) {
    &["explorer"]
} else {
    &["xdg-open", "gio-open", "sensible-browser"]
};

fn start(path: &Path, io: &Io<'_>) -> Result<(), Failure> {
    let search = io.var("PATH").unwrap_or(OsStr::new(""));
    for opener in OPENERS {
        let folders = std::env::split_paths(search).filter(|folder| folder.is_absolute());
        let name = format!("{opener}{}", std::env::consts::EXE_SUFFIX);
        let Some(program) = folders
            .map(|folder| folder.join(&name))
            .find(|it| it.is_file())
        else {
            continue;
        };
        let started = Command::new(program)
            .arg(path)
            .env_clear()
            .envs(&io.vars)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        return started.map(drop).map_err(|error| {
            let message = format!("`{opener}` cannot be started: {error}");
            let diagnostic = Diagnostic::new(Code::IoFailed, message);
            diagnostic.hint("open the URL yourself").into()
        });
    }
    let message = format!(
        "there is no program that opens a browser: {}",
        OPENERS.join(", ")
    );
    let diagnostic = Diagnostic::new(Code::IoFailed, message);
    Err(diagnostic
        .hint("open the URL yourself, without --open")
        .into())
}
