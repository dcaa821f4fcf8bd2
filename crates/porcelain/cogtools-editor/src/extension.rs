//! The extension for VS Code as a file that it installs: the same bytes for the same version.

use std::io::{self, Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// What the extension consists of.
const FILES: [(&str, &str); 5] = [
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
    <Description xml:space=\"preserve\">Lets cogtools see what is selected and open in this window\
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
