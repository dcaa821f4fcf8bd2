//! Media types of pictures, sounds and documents, by the first bytes of their files.

use std::path::Path;

/// A type of files: its name, their extensions, and the place and the texts of their marks.
type Media = (
    &'static str,
    &'static [&'static str],
    usize,
    &'static [&'static [u8]],
);

const MP3: &[&[u8]] = &[b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"];
const ALL: [Media; 12] = [
    ("image/png", &["png"], 0, &[b"\x89PNG"]),
    ("image/jpeg", &["jpg", "jpeg"], 0, &[b"\xff\xd8\xff"]),
    ("image/gif", &["gif"], 0, &[b"GIF8"]),
    ("image/webp", &["webp"], 8, &[b"WEBP"]),
    ("image/heic", &["heic"], 4, &[b"ftyphei"]),
    ("audio/wav", &["wav"], 8, &[b"WAVE"]),
    ("audio/mp3", &["mp3"], 0, MP3),
    ("audio/mpeg", &["mp3"], 0, MP3),
    ("audio/ogg", &["ogg"], 0, &[b"OggS"]),
    ("video/mp4", &["mp4"], 4, &[b"ftyp"]),
    ("video/webm", &["webm"], 0, &[b"\x1a\x45\xdf\xa3"]),
    ("application/pdf", &["pdf"], 0, &[b"%PDF"]),
];

/// Returns the names of all types.
pub fn names() -> [&'static str; 12] {
    ALL.map(|(name, ..)| name)
}

/// Finds the type `name`.
pub fn find(name: &str) -> Option<&'static str> {
    names().into_iter().find(|known| *known == name)
}

/// Returns the type of a file by its extension.
pub fn named(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let media = ALL
        .iter()
        .find(|(_, all, ..)| all.contains(&extension.as_str()));
    media.map(|(name, ..)| *name)
}

/// Returns the extension of files of the type `name`.
pub fn extension(name: &str) -> Option<&'static str> {
    let media = ALL.iter().find(|media| media.0 == name);
    media.and_then(|(_, all, ..)| all.first().copied())
}

/// Returns the type of a file that begins with `bytes`.
pub fn of(bytes: &[u8]) -> Option<&'static str> {
    let media = ALL.iter().find(|media| begins(bytes, media));
    media.map(|(name, ..)| *name)
}

/// Returns true if a file that begins with `bytes` is of the type `name`. One of a type that is not
/// known is not.
pub fn is(name: &str, bytes: &[u8]) -> bool {
    let media = ALL.iter().find(|media| media.0 == name);
    media.is_some_and(|media| begins(bytes, media))
}

fn begins(bytes: &[u8], (_, _, offset, marks): &Media) -> bool {
    let rest = bytes.get(*offset..).unwrap_or_default();
    marks.iter().any(|mark| rest.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_a_type() {
        let check = |bytes: &[u8], expected| assert_eq!(of(bytes), expected, "{bytes:?}");
        check(b"\x89PNG\r\n\x1a\n", Some("image/png"));
        check(b"RIFF\x04\0\0\0WEBPVP8 ", Some("image/webp"));
        check(b"RIFF\x04\0\0\0WAVEfmt ", Some("audio/wav"));
        check(b"\0\0\0\x18ftypheic", Some("image/heic"));
        check(b"\0\0\0\x18ftypisom", Some("video/mp4"));
        check(b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", None);
        check(b"", None);
        assert_eq!(named(Path::new("a/B.JPEG")), Some("image/jpeg"));
        assert_eq!(named(Path::new("png")), None);
        assert_eq!(extension("audio/mpeg"), Some("mp3"));
        assert!(is("audio/mpeg", b"\xff\xfb\x90") && !is("image/png", b"GIF89a"));
        assert!(!is("image/svg+xml", b"<svg/>") && !is("", b"\x89PNG"));
    }
}
