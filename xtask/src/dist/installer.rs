//! `cargo xtask installer`: install.sh for a release, with its version, the URL of its
//! archives and their checksums.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::{VERSION, out};
use crate::command::root;
use crate::{files, say};

/// Writes install.sh into `dir`, with archives from `base` unless its user overrides
/// it, and the checksums of the archives that are in `dir`.
pub(crate) fn write(base: &str, dir: Option<&Path>) -> Result<()> {
    let script = String::from_utf8(files::read(&root()?.join("install.sh"))?)?;
    let dir = out(dir, "archives")?;
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let script = stamped(&script, base, VERSION, &checksums(&dir)?)?;
    let path = dir.join("install.sh");
    fs::write(&path, script).with_context(|| format!("cannot write {}", path.display()))?;
    say::line(&path.display().to_string());
    Ok(())
}

/// The checksums of the archives in `dir`, each with the archive's name.
fn checksums(dir: &Path) -> Result<String> {
    let mut checksums = Vec::new();
    let entries = fs::read_dir(dir);
    for entry in entries.with_context(|| format!("cannot read {}", dir.display()))? {
        let file = entry?.path();
        if file
            .extension()
            .is_some_and(|extension| extension == "sha256")
        {
            let text = String::from_utf8(files::read(&file)?)?;
            checksums.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    checksums.sort_unstable();
    Ok(checksums.join(" "))
}

/// `script` with its defaults filled in.
fn stamped(script: &str, base: &str, version: &str, checksums: &str) -> Result<String> {
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_graphic() && c != '\'');
    if base.is_empty() || !plain(base) {
        bail!("`{base}` is not a plain URL");
    }
    if !checksums.split(' ').all(plain) {
        bail!("`{checksums}` is not a list of checksums");
    }
    let mut text = script.to_owned();
    let defaults = [
        ("from", base),
        ("version", version),
        ("checksums", checksums),
    ];
    for (name, value) in defaults {
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
        let script = "#!/bin/sh\nfrom=''\nversion='0'\nchecksums=''\necho \"$from\"\n";
        let expected = "#!/bin/sh\nfrom='https://a/b'\nversion='1.2.3'\nchecksums='0a b 0c d'\n\
                        echo \"$from\"\n";
        let found = stamped(script, "https://a/b", "1.2.3", "0a b 0c d").unwrap();
        assert_eq!(found, expected);
        assert!(stamped(script, "https://a/b", "1.2.3", "").is_ok());
        assert!(stamped(script, "a'b", "1", "").is_err());
        assert!(stamped(script, "a", "1", "0a b'c").is_err());
        assert!(stamped("#!/bin/sh\n", "a", "1", "").is_err());
    }
}
