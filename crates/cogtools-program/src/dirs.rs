//! Where the user's own files are, and who may say so.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use cogtools_core::source::GlobalModules;
use cogtools_core::{ConfigPaths, Environment};

use crate::io::Io;

/// Where Gemini CLI is told that the machine's settings are; ours lie beside them.
const SYSTEM_SETTINGS: &str = "GEMINI_CLI_SYSTEM_SETTINGS_PATH";
/// Where the user's state is, below the home directory.
const STATE: &[&str] = &[".local", "state"];
/// Where what can be had again is kept, below the home directory.
const CACHE: &[&str] = &[".cache"];
/// The file that records what the user has allowed.
const RECORD: &str = "trust.json";

/// Where else the configuration is said to be: the machine's file, the user's
/// home, variables.
pub fn config_paths(io: &Io<'_>) -> ConfigPaths {
    let system = trusted_var(io, SYSTEM_SETTINGS).map(|file| {
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        io.cwd.join(folder).join(ConfigPaths::FILE)
    });
    let ours = |(name, value): (&OsString, &OsString)| {
        let name = name
            .to_str()
            .filter(|name| name.starts_with(ConfigPaths::PREFIX))?;
        // As everywhere, a variable without a value is not set.
        let value = Some(value.to_string_lossy()).filter(|value| !value.is_empty())?;
        Some((name.to_owned(), value.into_owned()))
    };
    let variables: Vec<(String, String)> = io.vars.iter().filter_map(ours).collect();
    let names = variables.iter().map(|(name, _)| name);
    let shipped = names
        .filter(|name| is_set_by_dotenv(io, name))
        .cloned()
        .collect();
    ConfigPaths {
        shipped,
        system: Some(system.unwrap_or_else(ConfigPaths::system_file)),
        home: io.var("HOME").map(PathBuf::from),
        variables,
        packages: GlobalModules::new(&io.vars),
    }
}

/// The file that records what the user has allowed.
pub(crate) fn trust_record(io: &Io<'_>) -> Option<PathBuf> {
    let folder = user_dir(io, "XDG_STATE_HOME", STATE)?;
    Some(folder.join(RECORD))
}

/// The folder for what can be had again.
pub(crate) fn cache(io: &Io<'_>) -> Option<PathBuf> {
    user_dir(io, "XDG_CACHE_HOME", CACHE)
}

/// Our folder in the user's folder for one kind of data, as the XDG Base Directory
/// Specification has it, which people expect on macOS too; on Windows in the local
/// application data.
fn user_dir(io: &Io<'_>, variable: &str, below_home: &[&str]) -> Option<PathBuf> {
    let absolute = |value: &OsStr| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    let folder = if cfg!(windows) {
        absolute(io.var("LOCALAPPDATA")?)?
    } else if let Some(folder) = trusted_var(io, variable).and_then(absolute) {
        folder
    } else {
        let home = absolute(io.var("HOME")?)?;
        below_home.iter().fold(home, |path, part| path.join(part))
    };
    Some(folder.join("cogtools"))
}

/// The value of a variable that only the user may set. Hosts put what a project's
/// `.env` says into the environment of all that they start.
fn trusted_var<'i>(io: &'i Io<'_>, name: &str) -> Option<&'i OsStr> {
    io.var(name).filter(|_| !is_set_by_dotenv(io, name))
}

/// Whether an `.env` that a host would read here, and that is not in the user's own
/// home directory, has the word `name` in it.
fn is_set_by_dotenv(io: &Io<'_>, name: &str) -> bool {
    let home = io.var("HOME").map(Path::new);
    let folders = io
        .cwd
        .ancestors()
        .take_while(|folder| Some(*folder) != home);
    let files = folders.flat_map(|folder| {
        let own = folder.join(Environment::FILE);
        [own, folder.join(".gemini").join(Environment::FILE)]
    });
    let word = name.as_bytes();
    files.filter(|file| file.is_file()).any(|file| {
        let text = std::fs::read(file);
        // What cannot be read may well say it.
        text.map_or(true, |text| {
            text.windows(word.len()).any(|part| part == word)
        })
    })
}
