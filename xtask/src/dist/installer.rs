//! `cargo xtask installer`: install.sh for a release, with its version and the URL of
//! its archives.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::{VERSION, out};
use crate::command::root;
use crate::{files, say};

/// Writes install.sh into `dir`, with archives from `base` unless its user overrides
/// it.
pub(crate) fn write(base: &str, dir: Option<&Path>) -> Result<()> {
    let script = String::from_utf8(files::read(&root()?.join("install.sh"))?)?;
    let script = stamped(&script, base, VERSION)?;
    let dir = out(dir, "archives")?;
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let path = dir.join("install.sh");
    fs::write(&path, script).with_context(|| format!("cannot write {}", path.display()))?;
    say::line(&path.display().to_string());
    Ok(())
}

/// `script` with its two defaults filled in.
fn stamped(script: &str, base: &str, version: &str) -> Result<String> {
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_graphic() && c != '\'');
    if base.is_empty() || !plain(base) {
        bail!("`{base}` is not a plain URL");
    }
    let mut text = script.to_owned();
    for (name, value) in [("from", base), ("version", version)] {
        let line = text
            .lines()
            .find(|line| line.starts_with(&format!("{name}='")))
            .map(str::to_owned)
            .with_context(|| format!("install.sh does not set `{name}`"))?;
        text = text.replacen(&format!("{line}\n"), &format!("{name}='{value}'\n"), 1);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_filled_in_and_nothing_else() {
        let script = "#!/bin/sh\nfrom=''\nversion='0'\necho \"$from\"\n";
        let expected = "#!/bin/sh\nfrom='https://a/b'\nversion='1.2.3'\necho \"$from\"\n";
        assert_eq!(stamped(script, "https://a/b", "1.2.3").unwrap(), expected);
        assert!(stamped(script, "a'b", "1").is_err());
        assert!(stamped("#!/bin/sh\n", "a", "1").is_err());
    }
}
