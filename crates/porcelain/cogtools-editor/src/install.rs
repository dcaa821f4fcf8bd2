//! The extension for VS Code, as a file with the same bytes for the same version, and its installation.

use std::io::{self, Cursor, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use cogtools_core::file::{self, WritePath};
use cogtools_core::process::{Exit, Output};
use cogtools_core::{Code, Diagnostic, fail_on};
use cogtools_program::project::project;
use cogtools_program::{Failure, Io, SystemProgram, dirs};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// The extension to install.
#[derive(clap::Args)]
pub(crate) struct Install {
    /// The program of the editor (default: each that is on PATH)
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: Option<String>,
    /// Write the extension to FILE, such as cogtools.vsix, and run nothing
    #[arg(long, value_name = "FILE", conflicts_with = "program")]
    pub(crate) to: Option<PathBuf>,
}

/// Programs with the command line of VS Code.
const PROGRAMS: [&str; 7] = [
    "code",
    "code-insiders",
    "code-server",
    "codium",
    "cursor",
    "positron",
    "windsurf",
];
/// The time limit of one run: the first run of an editor is slow.
const TIMEOUT: Duration = Duration::from_mins(2);

/// Installs the extension into each editor, and prints a line for each.
pub(crate) fn install(args: &Install, io: &mut Io<'_>) -> Result<(), Failure> {
    if let Some(to) = &args.to {
        let path = io.cwd.join(to);
        write(&WritePath::of_user(&path), to)?;
        return io.show(&format!("wrote {}\n", to.display()));
    }
    let root = project(io).root().to_path_buf();
    let names = args
        .program
        .as_deref()
        .map_or(PROGRAMS.to_vec(), |name| vec![name]);
    let found: Vec<(&str, SystemProgram)> = names
        .iter()
        .filter_map(|name| Some((*name, SystemProgram::find(name, &root, io)?)))
        .collect();
    if found.is_empty() {
        return Err(not_found(args.program.as_deref()).into());
    }
    let extension = stored(io)?;
    let cancel = io.signals.begin();
    let mut failures = Vec::new();
    for (name, program) in found {
        let process = program
            .process(&io.cwd)
            .args([
                "--install-extension".into(),
                extension.as_os_str().to_owned(),
                "--force".into(),
            ])
            .timeout(TIMEOUT);
        let output = process.run(&cancel).map_err(|error| {
            let message = format!("`{name}` cannot be started: {error}");
            Box::new(Diagnostic::new(Code::ToolFailed, message))
        });
        match output.and_then(|output| check(name, &output)) {
            Ok(()) => io.show(&format!("installed in {name}\n"))?,
            Err(failure) => failures.push(*failure),
        }
        if cancel.is_cancelled() {
            break;
        }
    }
    Ok(fail_on(failures)?)
}

fn check(name: &str, output: &Output) -> Result<(), Box<Diagnostic>> {
    if matches!(output.exit, Exit::Status(status) if status.success()) {
        return Ok(());
    }
    let message = format!("`{name} --install-extension` {}", output.exit.describe());
    let stderr = String::from_utf8_lossy(&output.stderr.bytes);
    let diagnostic = Diagnostic::new(Code::ToolFailed, message);
    let line = stderr.lines().find(|line| !line.trim().is_empty());
    Err(Box::new(match line {
        Some(line) => diagnostic.hint(format!("it printed: {}", line.trim())),
        None => diagnostic.hint("write the extension with --to FILE, and install it in the editor"),
    }))
}

fn not_found(program: Option<&str>) -> Diagnostic {
    let message = program.map_or_else(
        || "no VS Code and no editor that is built on it is on PATH".to_owned(),
        |name| format!("`{name}` is not on PATH"),
    );
    Diagnostic::new(Code::UnknownProgram, message)
        .hint("write the extension with --to FILE, and install it in the editor")
        .hint("Neovim needs no extension: cogtools editor print neovim")
}

/// The extension as a file of the user's, which an editor can read.
fn stored(io: &Io<'_>) -> Result<PathBuf, Failure> {
    let folder = dirs::state_dir(io).ok_or_else(|| {
        let message = "there is no folder for the extension";
        Diagnostic::new(Code::IoFailed, message).hint("set HOME")
    })?;
    let path = folder.join("cogtools.vsix");
    file::create_private_folder(&folder).map_err(|error| failed(&path, &error.to_string()))?;
    write(&WritePath::in_folder(&path), &path)?;
    Ok(path)
}

fn write(path: &WritePath, display_path: &Path) -> Result<(), Failure> {
    let bytes = vsix().map_err(|error| failed(display_path, &error.to_string()))?;
    file::write(path, &bytes).map_err(|error| failed(display_path, &error.to_string()).into())
}

fn failed(path: &Path, reason: &str) -> Diagnostic {
    let message = format!("`{}` cannot be written: {reason}", path.display());
    Diagnostic::new(Code::IoFailed, message)
}

/// The files of the extension.
const FILES: [(&str, &str); 7] = [
    ("[Content_Types].xml", CONTENT_TYPES),
    ("extension.vsixmanifest", MANIFEST),
    (
        "extension/package.json",
        include_str!("../../../../editors/vscode/package.json"),
    ),
    (
        "extension/extension.js",
        include_str!("../../../../editors/vscode/extension.js"),
    ),
    (
        "extension/language.js",
        include_str!("../../../../editors/vscode/language.js"),
    ),
    (
        "extension/proposals.js",
        include_str!("../../../../editors/vscode/proposals.js"),
    ),
    (
        "extension/LICENSE.txt",
        include_str!("../../../../LICENSE-MIT"),
    ),
];

const CONTENT_TYPES: &str = "\
<?xml version=\"1.0\" encoding=\"utf-8\"?>
<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">
  <Default Extension=\".json\" ContentType=\"application/json\"/>
  <Default Extension=\".vsixmanifest\" ContentType=\"text/xml\"/>
  <Default Extension=\".js\" ContentType=\"application/javascript\"/>
  <Default Extension=\".txt\" ContentType=\"text/plain\"/>
</Types>
";

const MANIFEST: &str = "\
<?xml version=\"1.0\" encoding=\"utf-8\"?>
<PackageManifest Version=\"2.0.0\" xmlns=\"http://schemas.microsoft.com/developer/vsx-schema/2011\">
  <Metadata>
    <Identity Language=\"en-US\" Id=\"cogtools-editor\" Version=\"0.1.0\" Publisher=\"cogtools\"/>
    <DisplayName>cogtools</DisplayName>
    <Description xml:space=\"preserve\">Checks and completes tool files, and lets cogtools see what is selected and open\
</Description>
    <Categories>Other</Categories>
    <Properties>
      <Property Id=\"Microsoft.VisualStudio.Code.Engine\" Value=\"^1.75.0\"/>
      <Property Id=\"Microsoft.VisualStudio.Code.ExtensionKind\" Value=\"workspace\"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id=\"Microsoft.VisualStudio.Code\"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type=\"Microsoft.VisualStudio.Code.Manifest\" Path=\"extension/package.json\" \
Addressable=\"true\"/>
    <Asset Type=\"Microsoft.VisualStudio.Services.Content.License\" \
Path=\"extension/LICENSE.txt\" Addressable=\"true\"/>
  </Assets>
</PackageManifest>
";

/// The extension as a file `.vsix`.
pub(crate) fn vsix() -> io::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    // Nothing in it depends on the time, the system or a compressor.
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    for (name, text) in FILES {
        archive.start_file(name, options)?;
        archive.write_all(text.as_bytes())?;
    }
    Ok(archive.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_same_each_time() {
        let archive = vsix().expect("it is written");
        assert_eq!(vsix().expect("it is written"), archive);
        assert!(archive.starts_with(b"PK\x03\x04"));
    }

    #[test]
    fn the_manifests_agree() {
        let (_, package) = FILES[2];
        let package: serde_json::Value = serde_json::from_str(package).expect("it is JSON");
        for (key, attribute) in [
            ("name", "Id"),
            ("version", "Version"),
            ("publisher", "Publisher"),
        ] {
            let value = package[key].as_str().expect("text");
            assert!(
                MANIFEST.contains(&format!(" {attribute}=\"{value}\"")),
                "{key}"
            );
        }
        for text in [&package["description"], &package["engines"]["vscode"]] {
            assert!(MANIFEST.contains(text.as_str().expect("text")), "{text}");
        }
    }
}
