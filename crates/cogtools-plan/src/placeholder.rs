//! Placeholders in a reply, such as `{{tool.NAME.path}}`.

/// A part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part<'t> {
    /// Text as it is.
    Text(&'t str),
    /// `{{tool.PATH}}`, where the path begins with the name of a step.
    Step(&'t str),
    /// `{{tool_result.PATH}}`, which leads into the last result.
    Last(&'t str),
}

/// The parts of `template`.
pub(crate) fn parts(template: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut from = 0;
        while let Some(at) = rest[from..].find("{{").map(|at| from + at) {
            let Some((part, length)) = placeholder(&rest[at..]) else {
                from = at + 1;
                continue;
            };
            if at > 0 {
                let text = &rest[..at];
                rest = &rest[at..];
                return Some(Part::Text(text));
            }
            rest = &rest[length..];
            return Some(part);
        }
        Some(Part::Text(std::mem::take(&mut rest)))
    })
}

/// The placeholder at the beginning of `text`, and its length.
fn placeholder(text: &str) -> Option<(Part<'_>, usize)> {
    let inner = text.strip_prefix("{{")?.trim_start_matches(' ');
    let (is_last, path) = match inner.strip_prefix("tool_result.") {
        Some(path) => (true, path),
        None => (false, inner.strip_prefix("tool.")?),
    };
    let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let after = path.trim_start_matches(is_path);
    let path = &path[..path.len() - after.len()];
    let rest = after.trim_start_matches(' ').strip_prefix("}}")?;
    let part = if is_last {
        Part::Last(path)
    } else {
        Part::Step(path)
    };
    (!path.is_empty()).then_some((part, text.len() - rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_placeholders_are_not_text() {
        use Part::{Last, Step, Text};
        for (template, expected) in [
            ("", vec![]),
            ("no tokens", vec![Text("no tokens")]),
            ("{{tool.a}}", vec![Step("a")]),
            ("{{  tool_result.a.0.b }}", vec![Last("a.0.b")]),
            (
                "x{{tool.a}}{{tool_result.b}} y",
                vec![Text("x"), Step("a"), Last("b"), Text(" y")],
            ),
            ("{{{tool.a}}}", vec![Text("{"), Step("a"), Text("}")]),
            ("{{tool..x}}", vec![Step(".x")]),
            ("{{tool.}} {{tool}}", vec![Text("{{tool.}} {{tool}}")]),
            ("{{tool.a-b}}", vec![Text("{{tool.a-b}}")]),
            ("{{tool.a b}}", vec![Text("{{tool.a b}}")]),
            ("{{\ttool.a}}", vec![Text("{{\ttool.a}}")]),
            ("{{ tool .a}}", vec![Text("{{ tool .a}}")]),
            ("{{tool_results.a}}", vec![Text("{{tool_results.a}}")]),
            ("{{tool.é}} {{", vec![Text("{{tool.é}} {{")]),
            ("{{ {{tool.a}}", vec![Text("{{ "), Step("a")]),
        ] {
            assert_eq!(parts(template).collect::<Vec<_>>(), expected, "{template}");
        }
    }
}
