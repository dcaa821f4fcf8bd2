//! The manual of all programs: man pages, completions and pictures, generated from
//! the clap commands, the texts in the code, and the output of programs.
//!
//! It is a separate package so that `cargo xtask` itself builds in seconds.

mod completion;
mod markup;
mod page;
mod picture;

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

pub use completion::{Completion, all as completions};
pub use page::{Page, all as pages};
pub use picture::{Picture, all as pictures};

/// Writes what `args` ask for: `man DIR` writes the pages into DIR, `share DIR`
/// the pages and completions below DIR where a system looks for them.
pub fn run(args: &[String]) -> Result<()> {
    match args {
        [what, dir] if what == "man" => {
            let files = pages()?.into_iter().map(|page| (page.file, page.text));
            files
                .into_iter()
                .try_for_each(|(file, text)| write(Path::new(dir), &file, text.as_bytes()))
        }
        [what, dir] if what == "share" => {
            for page in pages()? {
                let file = format!("man/man{}/{}", page.section, page.file);
                write(Path::new(dir), &file, page.text.as_bytes())?;
            }
            completions_to(Path::new(dir))
        }
        [what, dir] if what == "pictures" => {
            let mut pictures = pictures()?.into_iter();
            pictures.try_for_each(|it| write(Path::new(dir), it.file, it.text.as_bytes()))
        }
        [what, dir] if what == "completions" => completions_to(Path::new(dir)),
        _ => bail!("usage: xtask-manual man|completions|pictures|share DIR"),
    }
}

fn completions_to(dir: &Path) -> Result<()> {
    completions()
        .iter()
        .try_for_each(|completion| write(dir, &completion.path, &completion.text))
}

fn write(dir: &Path, file: &str, data: &[u8]) -> Result<()> {
    let path = dir.join(file);
    let folder = path.parent().unwrap_or(dir);
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    fs::write(&path, data).with_context(|| format!("cannot write {}", path.display()))
}
