//! `cargo xtask archive`: programs, manual pages and completions in one archive per
//! target, each with a checksum file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};

use super::target::Target;
use super::{Folder, Source, VERSION, out, papers};
use crate::command::root;
use crate::{files, manual, programs, say, weight};

/// Writes the archive of each target and its checksum into `dir`. Completions are
/// generated unless `made` contains them.
pub(crate) fn write(
    source: &Source,
    targets: &[String],
    made: Option<&Path>,
    dir: Option<&Path>,
) -> Result<()> {
    let dir = out(dir, "archives")?;
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let mut shared = Folder::default();
    papers(&mut shared)?;
    shared.put("README.md", files::read(&root()?.join("README.md"))?);
    match made {
        Some(made) => completions(&mut shared, made)?,
        None => completions(&mut shared, &make_completions()?)?,
    }
    for target in source.targets(targets)? {
        let mut folder = shared.clone();
        put_programs(source, target, &mut folder)?;
        weight::check(folder.size()?)?;
        let name = file(target);
        let packed = folder.pack(&stem(target))?;
        let sum = format!("{}  {name}\n", hex(&Sha256::digest(&packed)));
        put(&dir.join(&name), &packed)?;
        put(&dir.join(format!("{name}.sha256")), sum.as_bytes())?;
        say::line(&dir.join(name).display().to_string());
    }
    Ok(())
}

/// Adds the programs below `bin`: as links where possible.
fn put_programs(source: &Source, target: &Target, folder: &mut Folder) -> Result<()> {
    let (mut files, mut links) = (target.own()?, programs::linked()?);
    if !target.links() {
        files.append(&mut links);
    }
    for (file, data) in source.programs(target, &files)? {
        folder.put_program(&format!("bin/{file}"), data);
    }
    for name in links {
        folder.put_link(&format!("bin/{name}"), programs::binary(&name));
    }
    Ok(())
}

/// The name of the archive of `target`.
pub(super) fn file(target: &Target) -> String {
    format!("{}.tar.gz", stem(target))
}

/// The programs `names` in the archive at `path`, whose checksum is verified first.
pub(super) fn programs(
    path: &Path,
    target: &Target,
    names: &[String],
) -> Result<Vec<(String, Vec<u8>)>> {
    let packed = files::read(path)?;
    let sum = files::read(&path.with_extension("gz.sha256"))?;
    let sum = String::from_utf8_lossy(&sum).into_owned();
    if sum.split_whitespace().next() != Some(hex(&Sha256::digest(&packed)).as_str()) {
        bail!("{} does not match its checksum", path.display());
    }
    let folder = Folder::unpack(&packed, &stem(target))
        .with_context(|| format!("cannot read {}", path.display()))?;
    names
        .iter()
        .map(|name| {
            let file = target.file(name);
            let inside = format!("bin/{file}");
            let entry = folder.files().find(|(name, _)| **name == inside);
            let (_, entry) =
                entry.with_context(|| format!("{} has no {inside}", path.display()))?;
            Ok((file, entry.data.clone()))
        })
        .collect()
}

/// The folder in an archive.
fn stem(target: &Target) -> String {
    format!("cogtools-{VERSION}-{}", target.triple)
}

fn make_completions() -> Result<PathBuf> {
    let made = crate::cargo::target()?.join("dist").join("completions");
    if made.exists() {
        fs::remove_dir_all(&made).with_context(|| format!("cannot remove {}", made.display()))?;
    }
    manual::completions(&made)?;
    Ok(made)
}

/// Adds the completions in the directory `made` below `share`.
fn completions(folder: &mut Folder, made: &Path) -> Result<()> {
    for file in files::below(made)? {
        let below = file.strip_prefix(made)?.components();
        let names: Vec<_> = below
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        folder.put(&format!("share/{}", names.join("/")), files::read(&file)?);
    }
    Ok(())
}

fn put(path: &Path, data: &[u8]) -> Result<()> {
    fs::write(path, data).with_context(|| format!("cannot write {}", path.display()))
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
