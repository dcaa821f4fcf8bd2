//! The name of a package of the registry, with or without a version.
//!
//! npm takes much more than names: options, folders, archives, addresses of git. Only names
//! pass, so that a name from a search or a web page is no command.

use cogtools_core::{Code, Diagnostic};

/// The maximum length of a name, as in npm.
const MAX_LEN: usize = 214;

/// A package, as named on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackageName {
    /// The name, with its scope.
    pub(crate) name: String,
    /// The version, range or tag.
    pub(crate) version: Option<String>,
}

/// The text is not the name of a package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the name of an npm package")]
pub(crate) struct NameError(String);

impl PackageName {
    /// Reads `NAME`, `@SCOPE/NAME`, and either with `@VERSION`.
    pub(crate) fn parse(text: &str) -> Result<Self, NameError> {
        let error = || NameError(text.to_owned());
        let start = usize::from(text.starts_with('@'));
        let version = text[start..].find('@').map(|at| at + start);
        let (name, version) = match version {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        let is_name = match name.strip_prefix('@') {
            Some(scoped) => scoped
                .split_once('/')
                .is_some_and(|(scope, name)| is_part(scope) && is_part(name)),
            None => is_part(name),
        };
        if !is_name || name.len() > MAX_LEN || !version.is_none_or(is_version) {
            return Err(error());
        }
        Ok(Self {
            name: name.to_owned(),
            version: version.map(str::to_owned),
        })
    }

    /// As npm takes it.
    pub(crate) fn spec(&self) -> String {
        match &self.version {
            Some(version) => format!("{}@{version}", self.name),
            None => self.name.clone(),
        }
    }
}

impl NameError {
    pub(crate) fn diagnostic(&self) -> Diagnostic {
        Diagnostic::new(Code::Usage, self.to_string())
            .hint("write NAME or @SCOPE/NAME, with @VERSION if needed; folders and archives are installed by npm itself")
    }
}

fn is_part(part: &str) -> bool {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~');
    part.starts_with(|c: char| c.is_ascii_alphanumeric())
        && part.chars().all(is_valid)
        && !part.eq_ignore_ascii_case("node_modules")
}

fn is_version(version: &str) -> bool {
    let is_valid =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '^' | '~' | '*');
    !version.is_empty() && !version.starts_with(['-', '.']) && version.chars().all(is_valid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_registry() {
        for (text, name, version) in [
            ("checks", "checks", None),
            ("a.b-c_d~e", "a.b-c_d~e", None),
            ("@team/checks", "@team/checks", None),
            ("checks@1.0.0-beta+1", "checks", Some("1.0.0-beta+1")),
            ("@team/checks@^1", "@team/checks", Some("^1")),
        ] {
            let found = PackageName::parse(text).expect(text);
            assert_eq!(
                (found.name.as_str(), found.version.as_deref()),
                (name, version)
            );
            assert_eq!(found.spec(), text);
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let long = "a".repeat(215);
        for text in [
            "",
            "-",
            "--global",
            "-g",
            "--prefix=/",
            ".",
            "..",
            "../x",
            "./x",
            "/x",
            "~/x",
            "a/b",
            "@team",
            "@/x",
            "@team/",
            "@team/../x",
            "@team/-x",
            "@-a/x",
            "a@",
            "a@--x",
            "a@../x",
            "a@npm:b",
            "a@file:b",
            "git+ssh://x",
            "http://x/y.tgz",
            "a b",
            "a\n",
            "a;b",
            "$a",
            "a@1 || 2",
            "\u{1b}[2J",
            "\u{430}bc",
            "node_modules",
            ".bin",
            "_a",
            "a\\b",
            "a:b",
            long.as_str(),
        ] {
            assert_eq!(
                PackageName::parse(text),
                Err(NameError(text.to_owned())),
                "{text:?}"
            );
        }
    }
}
