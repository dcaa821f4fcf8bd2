//! The `$` patterns in the replacement of `String.prototype.replace`.

/// A match with the text around it, for its replacement.
pub(crate) struct Found<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The groups after the whole match; empty if one did not participate.
    pub(crate) groups: Vec<&'a str>,
    pub(crate) names: Vec<&'a str>,
}

/// Appends `replacement` with its `$` patterns expanded.
pub(crate) fn expand(replacement: &str, found: &Found<'_>, out: &mut String) {
    let mut rest = replacement;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        let used = match tail.chars().next() {
            Some('$') => {
                out.push('$');
                1
            }
            Some('&') => {
                out.push_str(&found.text[found.start..found.end]);
                1
            }
            Some('`') => {
                out.push_str(&found.text[..found.start]);
                1
            }
            Some('\'') => {
                out.push_str(&found.text[found.end..]);
                1
            }
            Some('0'..='9') => number(tail, found, out),
            Some('<') => name(tail, found, out),
            _ => 0,
        };
        if used == 0 {
            out.push('$');
        }
        rest = &tail[used..];
    }
    out.push_str(rest);
}

/// `$1` or `$12`, whichever group exists; returns the number of bytes consumed.
fn number(tail: &str, found: &Found<'_>, out: &mut String) -> usize {
    for len in [2, 1] {
        let group = tail
            .get(..len)
            .and_then(|digits| digits.parse::<usize>().ok());
        if let Some(group) = group.filter(|group| (1..=found.groups.len()).contains(group)) {
            out.push_str(found.groups[group - 1]);
            return len;
        }
    }
    0
}

/// `$<name>`, if the expression has named groups.
fn name(tail: &str, found: &Found<'_>, out: &mut String) -> usize {
    if found.names.iter().all(|name| name.is_empty()) {
        return 0;
    }
    let Some(end) = tail.find('>') else {
        return 0;
    };
    let wanted = &tail[1..end];
    let group = found.names.iter().position(|name| *name == wanted);
    if let Some(group) = group.and_then(|group| found.groups.get(group)) {
        out.push_str(group);
    }
    end + 1
}
