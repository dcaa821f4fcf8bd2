//! The Secret Service of Linux, by the program of libsecret. A secret is its input or its output,
//! never an argument.

use std::path::{Path, PathBuf};
use std::time::Duration;

use cogtools_core::Cancel;
use cogtools_core::process::Process;
use cogtools_program::dirs::trusted_vars;
use cogtools_program::{Io, Vars};

use super::{Keyring, MAX_READ, MAX_WRITE, SERVICE};

/// The paths of the program. PATH does not count: it would receive the tokens.
const PROGRAMS: [&str; 2] = [
    "/usr/bin/secret-tool",
    "/run/current-system/sw/bin/secret-tool",
];
/// The variables that the program needs to find the keyring.
const VARIABLES: [&str; 8] = [
    "HOME",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "LANG",
    "USER",
];

/// The program, and its variables.
#[derive(Debug)]
pub(super) struct SecretTool {
    program: PathBuf,
    vars: Vars,
}

impl SecretTool {
    /// The keyring of the user's session, if there is one.
    pub(super) fn of(io: &Io<'_>) -> Option<Self> {
        let vars = trusted_vars(io, &VARIABLES);
        let has_bus = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"]
            .iter()
            .any(|name| vars.contains_key(std::ffi::OsStr::new(name)));
        let program = PROGRAMS.iter().map(Path::new).find(|file| file.is_file())?;
        has_bus.then(|| Self {
            program: program.to_path_buf(),
            vars,
        })
    }

    /// The output of the program, if it succeeds within `limit`.
    fn run(&self, args: &[&str], key: &str, input: &[u8], limit: Duration) -> Option<Vec<u8>> {
        let output = Process::new(&self.program, "/")
            .args(args.iter().chain(&["service", SERVICE, "server", key]))
            .variables(self.vars.clone())
            .input(input)
            .timeout(limit)
            .run(&Cancel::default())
            .ok()?;
        output.exit.is_success().then_some(output.stdout.bytes)
    }
}

impl Keyring for SecretTool {
    fn save(&self, key: &str, url: &str, secret: &[u8]) -> bool {
        let host = url.split("://").nth(1).unwrap_or_default();
        let host = host.split(['/', '?', '#']).next().unwrap_or_default();
        let host = host.rsplit('@').next().unwrap_or_default();
        let label = format!("--label=cogtools: {host}");
        let saved = self.run(&["store", &label], key, secret, MAX_WRITE);
        saved.is_some() && self.load(key).as_deref() == Some(secret)
    }

    fn load(&self, key: &str) -> Option<Vec<u8>> {
        let secret = self.run(&["lookup"], key, b"", MAX_READ)?;
        (!secret.is_empty()).then_some(secret)
    }

    fn remove(&self, key: &str) -> bool {
        self.run(&["clear"], key, b"", MAX_WRITE).is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use cogtools_test_support::Project;

    use super::*;

    /// Keeps secrets in files, as secret-tool keeps them in the keyring.
    const PROGRAM: &str = "#!/bin/sh
case $1 in
store) shift 2; cat > \"$HOME/$4\" ;;
lookup) cat \"$HOME/$5\" ;;
clear) rm \"$HOME/$5\" ;;
esac
";

    fn keyring(project: &Project, program: &str) -> SecretTool {
        project.file("secret-tool", program);
        let program = project.path("secret-tool");
        let mode = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(&program, mode).expect("a mode");
        let vars = Vars::from([
            ("HOME".into(), project.root().into()),
            ("PATH".into(), "/usr/bin:/bin".into()),
        ]);
        SecretTool { program, vars }
    }

    #[test]
    fn a_secret_is_kept_and_forgotten() {
        let project = Project::new();
        let keyring = keyring(&project, PROGRAM);
        assert_eq!(keyring.load("a"), None);
        assert!(keyring.save("a", "https://u:p@x/y", b"secret\n{}"));
        assert_eq!(keyring.load("a").as_deref(), Some(&b"secret\n{}"[..]));
        assert_eq!(keyring.load("b"), None);
        assert!(keyring.remove("a"));
        assert_eq!(keyring.load("a"), None);
    }

    #[test]
    fn a_keyring_that_forgets_keeps_nothing() {
        let project = Project::new();
        let keyring = keyring(&project, "#!/bin/sh\ncat > /dev/null\n");
        assert!(!keyring.save("a", "https://x", b"secret"));
    }
}
