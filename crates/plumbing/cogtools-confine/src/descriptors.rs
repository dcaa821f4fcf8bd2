//! The descriptors that this process has inherited.

use std::fs::{self, File};
use std::io;

use rustix::stdio;

/// Where the system lists them.
const FOLDER: &str = if cfg!(target_os = "linux") {
    "/proc/self/fd"
} else {
    "/dev/fd"
};
/// How many are tried where there is no such list.
const MAX_UNLISTED: i32 = 4096;

/// Closes every descriptor but the standard streams. Must be called before this process opens
/// any of its own.
pub(crate) fn close_inherited() {
    for descriptor in listed().unwrap_or_else(|_| (0..MAX_UNLISTED).collect()) {
        if descriptor > 2 {
            // The list's own descriptor is closed already.
            let _ = nix::unistd::close(descriptor);
        }
    }
}

fn listed() -> io::Result<Vec<i32>> {
    let mut descriptors = Vec::new();
    for entry in fs::read_dir(FOLDER)? {
        let name = entry?.file_name();
        descriptors.extend(name.to_str().and_then(|name| name.parse::<i32>().ok()));
    }
    Ok(descriptors)
}

/// Releases the standard streams, so that their other ends see when the program closes them.
pub(crate) fn release_streams() -> io::Result<()> {
    // Nothing is written to them any more.
    let null = File::open("/dev/null")?;
    stdio::dup2_stdin(&null)?;
    stdio::dup2_stdout(&null)?;
    stdio::dup2_stderr(&null)?;
    Ok(())
}
