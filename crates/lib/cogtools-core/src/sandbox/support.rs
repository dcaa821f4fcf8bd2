//! Finds out what of a sandbox this system enforces. That takes as long as to start a program, so the
//! answer is kept for some minutes, together with everything on which it is known to depend.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::process::{Namespaces, Support};
use crate::{Context, cached, digest};

/// The variable that names the layers of a sandbox, for tests of each: `landlock` is without
/// namespaces, `files` without one of processes.
const LAYERS: &str = "COGTOOLS_SANDBOX_LAYERS";
/// The name of the file in the cache.
const FILE: &str = "sandbox.json";
/// Maximum size of that file, in bytes.
const MAX_BYTES: u64 = 4096;
/// The age beyond which the system is asked again, whatever else has changed.
const MAX_AGE: Duration = Duration::from_mins(10);
/// Files of the kernel on whose content the answer depends: the boot, settings, the security module's
/// label, and the mounts, which a container has of its own.
const STATES: [&str; 9] = [
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/user/max_ipc_namespaces",
    "/proc/sys/user/max_mnt_namespaces",
    "/proc/sys/user/max_pid_namespaces",
    "/proc/sys/user/max_user_namespaces",
    "/proc/self/attr/current",
    "/proc/self/mountinfo",
];
/// Links of the kernel that identify the namespaces of this process.
const SPACES: [&str; 2] = ["/proc/self/ns/pid", "/proc/self/ns/user"];
/// The report of the kernel on this process.
const STATUS: &str = "/proc/self/status";
/// Lines of that report on which the answer depends: the user, privileges, and filters of calls.
const LINES: [&str; 5] = ["Uid", "Gid", "Cap", "NoNewPrivs", "Seccomp"];

/// The content of the file.
#[derive(Serialize, Deserialize)]
struct Answer {
    /// The digest of everything on which it depends.
    state: String,
    support: Support,
}

/// Returns what this system enforces, of the layers that the variable names.
pub(super) fn of_system(cx: &Context) -> Support {
    static SUPPORT: OnceLock<Support> = OnceLock::new();
    // A check that could not run says nothing about the next one.
    let found = SUPPORT.get().cloned().or_else(|| {
        let found = kept_or_found(cx)?;
        Some(SUPPORT.get_or_init(|| found).clone())
    });
    let mut support = found.unwrap_or_else(Support::none);
    let variables = cx.environment.user_vars([LAYERS]);
    let layers = variables.get(OsStr::new(LAYERS)).and_then(|it| it.to_str());
    support.namespaces = support.namespaces.min(match layers {
        Some("landlock") => Namespaces::None,
        Some("files") => Namespaces::Files,
        _ => Namespaces::All,
    });
    support
}

/// The answer in the cache, or a new one, which is kept there; `None` if nothing could be found out.
fn kept_or_found(cx: &Context) -> Option<Support> {
    let confinement = cx.confinement();
    let file = cx.cache.as_ref().map(|folder| folder.join(FILE));
    let state = confinement.program().and_then(state);
    let (Some(file), Some(state)) = (file, state) else {
        return confinement.support();
    };
    let fresh = cached::is_fresh(&file, MAX_AGE).then(|| cached::read(&file, MAX_BYTES));
    let kept: Option<Answer> = fresh
        .flatten()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if let Some(kept) = kept.filter(|kept| kept.state == state) {
        return Some(kept.support);
    }
    let answer = Answer {
        state,
        support: confinement.support()?,
    };
    if let Ok(bytes) = serde_json::to_vec(&answer) {
        cached::write(Some(&file), &bytes);
    }
    Some(answer.support)
}

/// The digest of everything on which the answer of `program` depends; `None` if that is not known.
fn state(program: &Path) -> Option<String> {
    use std::fmt::Write as _;

    let meta = fs::metadata(program).ok()?;
    let modified = meta.modified().ok()?;
    let mut text = format!("{} {} {modified:?}\n", program.display(), meta.len());
    for path in STATES {
        // Not every kernel has all of them.
        let _ = writeln!(text, "{path} {:?}", fs::read(path).ok());
    }
    for path in SPACES {
        let _ = writeln!(text, "{path} {}", fs::read_link(path).ok()?.display());
    }
    let status = fs::read_to_string(STATUS).ok()?;
    let matters = |line: &&str| LINES.iter().any(|name| line.starts_with(name));
    text.extend(status.lines().filter(matters));
    Some(digest::bytes(text.as_bytes()).to_string())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_system_is_asked_again_when_something_has_changed() {
        let scratch = tempfile::tempdir().expect("a folder");
        let program = scratch.path().join("cogtools-confine");
        let asked = scratch.path().join("asked");
        let write_program = |comment: &str| {
            let report = r#"{"landlock":7,"namespaces":"files","gaps":[]}"#;
            let text = format!(
                "#!/bin/sh\n# {comment}\necho >>'{}'\necho '{report}'\n",
                asked.display()
            );
            fs::write(&program, text).expect("a program");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a mode");
        };
        let cx = Context {
            programs: Some(scratch.path().into()),
            cache: Some(scratch.path().join("cache")),
            ..Context::default()
        };
        let file = scratch.path().join("cache").join(FILE);
        let expected = |times: u64| {
            let support = kept_or_found(&cx).expect("an answer");
            assert_eq!(support.namespaces, Namespaces::Files);
            let length = fs::metadata(&asked).expect("it was asked").len();
            assert_eq!(length, times);
        };
        write_program("one");
        expected(1);
        expected(1);
        write_program("another");
        expected(2);
        expected(2);
        fs::write(&file, "{").expect("a file");
        expected(3);
        let old = std::time::SystemTime::now() - MAX_AGE - Duration::from_secs(1);
        let opened = fs::File::options().write(true).open(&file);
        opened.and_then(|it| it.set_modified(old)).expect("a time");
        expected(4);
        fs::write(&file, "{").expect("a file");
        fs::write(&program, "#!/bin/sh\nexit 1\n").expect("a program");
        assert_eq!(kept_or_found(&cx).map(|it| it.namespaces), None);
        assert_eq!(fs::read(&file).expect("the file"), b"{");
    }
}
