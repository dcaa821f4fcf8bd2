//! The locations of the user's files, and which variables may set them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use cogtools_core::ConfigPaths;
use cogtools_core::environment::{LoadedFiles, host_files};
use cogtools_core::file::ReadScope;
use cogtools_core::owner::{Owners, recorded_home};
use cogtools_core::source::GlobalModules;
use cogtools_core::text::{self, Text};

use crate::io::{Io, Vars};

/// The location of Gemini CLI's system settings; ours are in the same folder.
const SYSTEM_SETTINGS: &str = "GEMINI_CLI_SYSTEM_SETTINGS_PATH";
/// The default of `XDG_STATE_HOME`, below the home directory.
const STATE_HOME: &[&str] = &[".local", "state"];
/// The default of `XDG_CACHE_HOME`, below the home directory.
const CACHE_HOME: &[&str] = &[".cache"];
/// The file that records the user's approvals.
const TRUST_FILE: &str = "trust.json";

/// Where the configuration outside the project is: the system's file, the user's home
/// directory, and variables.
pub fn config_paths(io: &Io<'_>) -> ConfigPaths {
    let system = trusted_var(io, SYSTEM_SETTINGS).map(|file| {
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        io.cwd.join(folder).join(ConfigPaths::FILE)
    });
    let cogtools_variable = |(name, value): (&OsString, &OsString)| {
        let name = name.to_str()?;
        let name = Some(name).filter(|name| name.starts_with(ConfigPaths::PREFIX))?;
        // As everywhere, an empty variable counts as unset.
        let value = Some(value.to_string_lossy()).filter(|value| !value.is_empty())?;
        Some((name.to_owned(), value.into_owned()))
    };
    let variables: Vec<(String, String)> = io.vars.iter().filter_map(cogtools_variable).collect();
    let names = variables.iter().map(|(name, _)| name);
    let mentioned = names.filter(|name| is_mentioned_in_dotenv(io, name));
    let dotenv_variables = mentioned.cloned().collect();
    let home = home(io);
    ConfigPaths {
        directory: Some(io.cwd.clone()),
        owners: owners(io),
        dotenv_variables,
        system: Some(system.unwrap_or_else(ConfigPaths::system_file)),
        home,
        variables,
        packages: GlobalModules::new(&io.vars),
    }
}

/// The user's home directory. It is not taken from a project's `.env`, which hosts load into the
/// environment: the record of approvals and the user's own configuration are there.
pub fn home(io: &Io<'_>) -> Option<PathBuf> {
    let find = || {
        let home = io.var("HOME")?;
        let recorded = recorded_home();
        let is_own = recorded.as_deref() == Some(Path::new(home))
            || !LoadedFiles::above(&io.cwd, None).may_set("HOME", home);
        if is_own { Some(home.into()) } else { recorded }
    };
    io.context.home.get_or_init(find).clone()
}

/// Whose projects are used.
pub fn owners(io: &Io<'_>) -> Owners {
    let home = home(io);
    let user_file = |home: &PathBuf| home.join(".gemini").join(ConfigPaths::FILE);
    let files = home.iter().map(user_file);
    let files = files.chain([ConfigPaths::system_file()]);
    let sudo = io.var("SUDO_UID");
    Owners {
        sudo: sudo.and_then(|user| user.to_str()?.parse().ok()),
        files: files.collect(),
        home,
    }
}

/// The file that records the user's approvals.
pub(crate) fn trust_file(io: &Io<'_>) -> Option<PathBuf> {
    Some(state_dir(io)?.join(TRUST_FILE))
}

/// The folder for the user's own records and private copies of packages.
pub fn state_dir(io: &Io<'_>) -> Option<PathBuf> {
    user_dir(io, "XDG_STATE_HOME", STATE_HOME)
}

/// The folders that the user has trusted in Gemini CLI. The variable that names another
/// file is ignored, because any `.env` could set it.
pub(crate) fn host_trust_file(io: &Io<'_>) -> Option<PathBuf> {
    let home = home(io)?;
    home.is_absolute()
        .then(|| home.join(".gemini").join("trustedFolders.json"))
}

/// The folder for cached declarations.
pub(crate) fn cache_dir(io: &Io<'_>) -> Option<PathBuf> {
    user_dir(io, "XDG_CACHE_HOME", CACHE_HOME)
}

/// The `cogtools` folder in a base directory of the user. It follows the XDG Base Directory
/// Specification, on macOS too; on Windows it is in the local application data.
fn user_dir(io: &Io<'_>, variable: &str, below_home: &[&str]) -> Option<PathBuf> {
    let absolute = |value: &OsStr| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    let folder = if cfg!(windows) {
        absolute(io.var("LOCALAPPDATA")?)?
    } else if let Some(folder) = trusted_var(io, variable).and_then(absolute) {
        folder
    } else {
        let home = home(io).filter(|home| home.is_absolute())?;
        below_home.iter().fold(home, |path, part| path.join(part))
    };
    Some(folder.join("cogtools"))
}

/// The value of a variable that only the user may set. Hosts load a project's `.env` into the
/// environment of every program that they start.
pub fn trusted_var<'i>(io: &'i Io<'_>, name: &str) -> Option<&'i OsStr> {
    io.var(name).filter(|_| !is_set_by_dotenv(io, name))
}

/// The variables among `names` that only the user may set.
pub fn trusted_vars(io: &Io<'_>, names: &[&str]) -> Vars {
    let var = |name: &&str| Some(((*name).into(), trusted_var(io, name)?.to_owned()));
    names.iter().filter_map(var).collect()
}

/// Returns true if an `.env` that a host would read here, outside the user's home directory, contains
/// `name`, whatever its value.
fn is_mentioned_in_dotenv(io: &Io<'_>, name: &str) -> bool {
    let home = home(io);
    let files = host_files(&io.cwd, home.as_deref()).into_iter();
    let name = name.as_bytes();
    let mut files = files.filter(|file| file.is_file());
    files.any(|file| {
        let text = text::bytes(&file, &file, Text::MAX_BYTES, &ReadScope::User);
        // A file that cannot be read may contain it.
        text.map_or(true, |text| {
            text.windows(name.len()).any(|part| part == name)
        })
    })
}

/// Returns true if `name` may have its value from an `.env` that a host would read here, outside the
/// user's home directory.
pub fn is_set_by_dotenv(io: &Io<'_>, name: &str) -> bool {
    let read = || LoadedFiles::above(&io.cwd, home(io).as_deref());
    let value = io.var(name);
    value.is_some_and(|value| io.context.loaded.get_or_init(read).may_set(name, value))
}
