//! References to variables in the description of a server: `${NAME}`, or `${NAME:-text}` with a
//! default.

use crate::environment::is_variable;

/// A reference to a variable.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'t> {
    /// The name of the variable.
    pub name: &'t str,
    /// The text in the place of a variable that is not set.
    pub default: Option<&'t str>,
    /// The reference as it is written.
    text: &'t str,
}

impl Reference<'_> {
    /// Returns the text in its place: the value of the variable, or the default. As in a shell, an
    /// empty value gives way to the default.
    pub fn text(self, value: Option<&str>) -> Option<String> {
        let value = value.filter(|value| !value.is_empty() || self.default.is_none());
        value.or(self.default).map(str::to_owned)
    }
}

/// Returns the references in `text`, in order.
pub fn references(text: &str) -> impl Iterator<Item = Reference<'_>> {
    parts(text).filter_map(Result::ok)
}

/// Returns `text` with the texts that `replace` has for references; the others stay.
pub fn expand(text: &str, replace: impl Fn(Reference<'_>) -> Option<String>) -> String {
    let parts = parts(text).map(|part| match part {
        Err(literal) => literal.to_owned(),
        Ok(reference) => replace(reference).unwrap_or_else(|| reference.text.to_owned()),
    });
    parts.collect()
}

/// Splits `text` into references and the literal texts between them.
fn parts(text: &str) -> impl Iterator<Item = Result<Reference<'_>, &str>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (count, reference) = match rest.find("${") {
            Some(0) => first(rest).map_or((2, None), |it| (it.text.len(), Some(it))),
            Some(start) => (start, None),
            None => (rest.len(), None),
        };
        let (taken, left) = rest.split_at(count);
        rest = left;
        Some(reference.ok_or(taken))
    })
}

/// Returns the reference at the beginning of `text`.
fn first(text: &str) -> Option<Reference<'_>> {
    let end = text.find('}')?;
    let inside = &text[2..end];
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    is_variable(name).then_some(Reference {
        name,
        default,
        text: &text[..=end],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_replaced_and_other_texts_stay() {
        let replace = |reference: Reference<'_>| {
            reference.text(match reference.name {
                "A" => Some("1"),
                "EMPTY" => Some(""),
                _ => None,
            })
        };
        for (text, expected) in [
            ("", ""),
            ("${A}", "1"),
            ("x${A}y${A:-2}", "x1y1"),
            ("${EMPTY}-${EMPTY:-2}-${B:-}", "-2-"),
            ("${B} $A ${} ${A B} ${A", "${B} $A ${} ${A B} ${A"),
        ] {
            assert_eq!(expand(text, replace), expected, "{text}");
        }
    }
}
