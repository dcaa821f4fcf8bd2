//! What a server asks for with the statuses 401 and 403: RFC 6750, 3, and RFC 9728, 5.1.

use cogtools_http::http::HeaderMap;
use cogtools_http::http::header::WWW_AUTHENTICATE;

/// How many scopes are read.
const MAX_SCOPES: usize = 100;

/// A challenge of the scheme `Bearer`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// The URL of the metadata of the server.
    pub(crate) metadata: Option<String>,
    /// The scopes that the request needs.
    pub(crate) scopes: Vec<String>,
    /// Whether the token lacks scopes.
    pub(crate) is_insufficient: bool,
}

impl Challenge {
    /// The challenge in the headers; an empty one if there is none.
    pub(crate) fn read(headers: &HeaderMap) -> Self {
        let values = headers.get_all(WWW_AUTHENTICATE);
        let mut texts = values.iter().filter_map(|value| value.to_str().ok());
        texts.find_map(Self::parse).unwrap_or_default()
    }

    fn parse(text: &str) -> Option<Self> {
        let mut challenge = Self::default();
        let mut is_bearer = false;
        let mut was_bearer = false;
        for part in split(text) {
            // A part begins with the name of a scheme, or is a parameter of the last one.
            let (first, rest) = part.split_once([' ', '\t']).unwrap_or((part, ""));
            let parameter = if first.contains('=') {
                part
            } else {
                is_bearer = first.eq_ignore_ascii_case("bearer");
                was_bearer |= is_bearer;
                rest.trim()
            };
            if let Some((name, value)) = parameter.split_once('=').filter(|_| is_bearer) {
                challenge.set(name.trim(), &unquote(value.trim()));
            }
        }
        was_bearer.then_some(challenge)
    }

    fn set(&mut self, name: &str, value: &str) {
        match name.to_ascii_lowercase().as_str() {
            "resource_metadata" => self.metadata = Some(value.to_owned()),
            "scope" => self.scopes = scopes(value),
            "error" => self.is_insufficient = value == "insufficient_scope",
            _ => {}
        }
    }
}

/// The scopes in a text; what is not a scope (RFC 6749, 3.3) is left out.
pub(crate) fn scopes(text: &str) -> Vec<String> {
    let scopes = text.split(' ').filter(|scope| is_scope(scope));
    scopes.take(MAX_SCOPES).map(str::to_owned).collect()
}

/// Whether `text` is a scope: graphic characters of ASCII without quotes and backslashes.
pub(crate) fn is_scope(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    !text.is_empty() && text.len() <= 200 && text.bytes().all(is_allowed)
}

/// The parts of a header between commas that are not in a quoted string.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut is_quoted, mut is_escaped) = (Vec::new(), 0, false, false);
    for (at, char) in text.char_indices() {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

fn unquote(text: &str) -> String {
    let Some(inner) = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
    else {
        return text.to_owned();
    };
    let mut unquoted = String::new();
    let mut chars = inner.chars();
    while let Some(char) = chars.next() {
        unquoted.extend(if char == '\\' {
            chars.next()
        } else {
            Some(char)
        });
    }
    unquoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(Option<&str>, &[&str], bool)>) {
        let expected = expected.map(|(metadata, scopes, is_insufficient)| Challenge {
            metadata: metadata.map(str::to_owned),
            scopes: scopes.iter().map(|&scope| scope.to_owned()).collect(),
            is_insufficient,
        });
        assert_eq!(Challenge::parse(text), expected, "{text}");
    }

    #[test]
    fn challenges_are_read() {
        check("Bearer", Some((None, &[], false)));
        check("Basic realm=\"a\"", None);
        check(
            "Bearer resource_metadata=\"https://a/b,c\", scope=\"x y\"",
            Some((Some("https://a/b,c"), &["x", "y"], false)),
        );
        check(
            "Basic realm=\"scope=\\\"z\\\"\", bearer error=insufficient_scope,scope=w",
            Some((None, &["w"], true)),
        );
        check(
            "Bearer scope=\"a\", Digest scope=\"b\"",
            Some((None, &["a"], false)),
        );
        check(
            "Bearer scope=\"a\\\"b c\u{7f}d ok\"",
            Some((None, &["ok"], false)),
        );
    }
}
