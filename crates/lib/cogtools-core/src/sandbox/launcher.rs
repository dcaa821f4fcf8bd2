//! Programs that fetch another program and run it, and what they need for that: a cache, and the
//! network of their registries.
//!
//! The cache belongs to one source. What a confined program could put into the cache of the user,
//! other programs would run without its sandbox.

use std::ffi::OsString;
use std::path::Path;

use cogtools_hosts::HostRule;

use super::{Net, Sandbox, SandboxPath};
use crate::environment::Vars;

/// A launcher.
#[derive(Debug)]
pub(crate) struct Launcher {
    /// The program, and the first argument with which it launches another; any, if there is none.
    programs: &'static [(&'static str, Option<&'static str>)],
    /// The variables that name its folders besides [`FOLDERS`], each with a folder below the cache.
    folders: &'static [(&'static str, &'static str)],
    /// The hosts of its registries.
    registries: &'static [&'static str],
    /// The files of the user that it reads.
    read: &'static [&'static str],
    /// A right that no sandbox limits, for people.
    beyond: Option<&'static str>,
}

/// Registries and the hosts that they send downloads to.
const NPM: &[&str] = &["registry.npmjs.org"];
const PYPI: &[&str] = &["pypi.org", "files.pythonhosted.org"];

const LAUNCHERS: [Launcher; 7] = [
    Launcher {
        programs: &[("npx", None), ("npm", Some("exec")), ("npm", Some("x"))],
        folders: &[("npm_config_cache", "npm")],
        registries: NPM,
        read: GIT,
        beyond: None,
    },
    Launcher {
        programs: &[("pnpm", Some("dlx")), ("pnpx", None)],
        folders: &[],
        registries: NPM,
        read: GIT,
        beyond: None,
    },
    Launcher {
        programs: &[("bunx", None), ("bun", Some("x"))],
        folders: &[("BUN_INSTALL_CACHE_DIR", "bun")],
        registries: NPM,
        read: GIT,
        beyond: None,
    },
    Launcher {
        programs: &[("uvx", None), ("uv", Some("tool")), ("uv", Some("run"))],
        folders: &[
            ("UV_CACHE_DIR", "uv"),
            ("UV_TOOL_DIR", "tools"),
            ("UV_PYTHON_INSTALL_DIR", "python"),
        ],
        registries: PYPI,
        read: GIT,
        beyond: None,
    },
    Launcher {
        programs: &[("pipx", Some("run"))],
        folders: &[("PIPX_HOME", "pipx"), ("PIP_CACHE_DIR", "pip")],
        registries: PYPI,
        read: GIT,
        beyond: None,
    },
    Launcher {
        programs: &[("deno", Some("run"))],
        folders: &[("DENO_DIR", "deno")],
        registries: &["registry.npmjs.org", "jsr.io", "npm.jsr.io", "deno.land"],
        read: GIT,
        beyond: None,
    },
    // The daemon fetches images. Who may use its socket may do everything.
    Launcher {
        programs: &[("docker", Some("run"))],
        folders: &[],
        registries: &[],
        read: &["~/.docker", "/var/run/docker.sock", "/run/docker.sock"],
        beyond: Some("start containers by Docker's daemon, which no sandbox here limits"),
    },
];
/// The variables that name the folders of every program, of those that are launched, too, and the
/// folders that they stand for.
const FOLDERS: [(&str, &str, &str); 3] = [
    ("XDG_CACHE_HOME", "cache", "~/.cache"),
    ("XDG_DATA_HOME", "data", "~/.local/share"),
    ("XDG_STATE_HOME", "state", "~/.local/state"),
];
/// Settings of git, which launchers ask for packages in repositories.
const GIT: &[&str] = &["~/.gitconfig", "~/.config/git/config"];

impl Launcher {
    /// Variables that name the files of certificates which launchers, and what they launch, trust.
    pub(crate) const CERTIFICATES: [&str; 4] = [
        "SSL_CERT_FILE",
        "NODE_EXTRA_CA_CERTS",
        "REQUESTS_CA_BUNDLE",
        "PIP_CERT",
    ];

    /// Returns the launcher that the command line starts, if it is one.
    pub(crate) fn of(line: &[String]) -> Option<&'static Self> {
        let (program, args) = line.split_first()?;
        let name = Path::new(program).file_stem()?.to_str()?;
        let first = args.iter().find(|arg| !arg.starts_with('-'));
        let is_it = |(program, argument): &(&str, Option<&str>)| {
            *program == name
                && argument.is_none_or(|argument| first.is_some_and(|it| it == argument))
        };
        LAUNCHERS.iter().find(|it| it.programs.iter().any(is_it))
    }

    /// Grants `sandbox` the cache in `folder`, the files of the user and the hosts of the registries.
    pub(crate) fn widen(&self, sandbox: &mut Sandbox, folder: &Path) {
        let path = |text: &str| SandboxPath(text.to_owned());
        if !self.folders.is_empty() {
            sandbox.write.push(path(&folder.to_string_lossy()));
        }
        let read = sandbox.read.get_or_insert_with(|| vec![path(".")]);
        read.extend(self.read.iter().map(|it| path(it)));
        sandbox.beyond = self.beyond;
        if let Some(Net::Hosts(hosts)) = &mut sandbox.net {
            let registries = self.registries.iter();
            let registries = registries.filter_map(|host| HostRule::parse(host));
            hosts.extend(registries);
        }
    }

    /// Adds the variables that name its folders, unless the user has set them for the source, or
    /// `declared` grants a part of the folder that it stands for.
    pub(crate) fn add_to(&self, variables: &mut Vars, folder: &Path, declared: Option<&Sandbox>) {
        let read = declared.and_then(|it| it.read.as_ref());
        let write = declared.map(|it| &it.write);
        let granted = || read.into_iter().chain(write).flatten();
        let is_free = |place: &str| !granted().any(|it| Path::new(&it.0).starts_with(place));
        let general = FOLDERS.iter().filter(|(.., place)| is_free(place));
        let general = general.map(|(name, below, _)| (name, below));
        let own = self.folders.iter().map(|(name, below)| (name, below));
        // Its news would hide why a server fails.
        let quiet = || OsString::from("false");
        let setting = OsString::from("npm_config_update_notifier");
        variables.entry(setting).or_insert_with(quiet);
        for (name, below) in general.chain(own) {
            let below = || OsString::from(folder.join(below));
            variables.entry(name.into()).or_insert_with(below);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_are_known_by_their_command_lines() {
        for (line, expected) in [
            ("npx -y some-server", Some("npx")),
            ("/usr/bin/npx some-server", Some("npx")),
            ("npm --silent exec some-server", Some("npx")),
            ("npm run start", None),
            ("uv run server.py", Some("uvx")),
            ("uvx some-server", Some("uvx")),
            ("deno test", None),
            ("docker run -i --rm some/server", Some("docker")),
            ("docker ps", None),
            ("", None),
        ] {
            let line: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let found = Launcher::of(&line).map(|it| it.programs[0].0);
            assert_eq!(found, expected, "{line:?}");
        }
    }
}
