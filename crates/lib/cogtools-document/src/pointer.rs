//! Parsing and building JSON pointers (RFC 6901).

/// The segments of `pointer`, unescaped; none for the empty pointer, which refers to
/// the whole document.
pub fn segments(pointer: &str) -> Vec<String> {
    let parts = pointer.split('/').skip(1);
    parts
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
        .collect()
}

/// Escapes `name` as a segment of a pointer.
pub fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The pointer to `name` below `parent`.
pub fn child(parent: &str, name: &str) -> String {
    format!("{parent}/{}", escape(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_round_trip() {
        for (pointer, expected) in [
            ("", vec![]),
            ("/", vec![""]),
            ("/a/0", vec!["a", "0"]),
            ("/a~1b/c~0d", vec!["a/b", "c~d"]),
            ("/~01", vec!["~1"]),
            ("/a//b", vec!["a", "", "b"]),
        ] {
            assert_eq!(segments(pointer), expected, "{pointer:?}");
            let joined = expected
                .iter()
                .fold(String::new(), |all, name| child(&all, name));
            assert_eq!(joined, pointer);
        }
    }
}
