//! Raw blocks: the text between `{% raw %}` and `{% endraw %}`, or the same
//! with `verbatim`, is text, even if it looks like tags. They nest.

use crate::lexer::is_space;
use crate::token::Trim;

/// The tag at a position where a raw block may begin.
pub(crate) enum Found {
    /// Another tag.
    None,
    /// A whole block, its text, and where it ends.
    Block {
        text: String,
        trim: Trim,
        end: usize,
    },
    /// A block that is never closed, and where its first tag ends.
    Open { name: &'static str, end: usize },
}

/// Reads the raw block at the byte `start` of `source`.
pub(crate) fn read(source: &str, start: usize) -> Found {
    let tag = |name: &&'static str| raw_tag(&source[start..], name).map(|tag| (*name, tag));
    let Some((name, open)) = ["raw", "verbatim"].iter().find_map(tag) else {
        return Found::None;
    };
    let body = start + open.len;
    let end_name = if name == "raw" {
        "endraw"
    } else {
        "endverbatim"
    };
    let (mut from, mut level) = (body, 1_u32);
    while let Some(found) = source[from..].find("{%") {
        let here = from + found;
        let rest = &source[here..];
        if let Some(close) = raw_tag(rest, end_name) {
            level -= 1;
            if level == 0 {
                let text = &source[body..here];
                let text = if close.trim.before {
                    text.trim_end_matches(is_space)
                } else {
                    text
                };
                return Found::Block {
                    text: text.to_owned(),
                    trim: Trim {
                        before: open.trim.before,
                        after: open.trim.after || close.trim.after,
                    },
                    end: here + close.len,
                };
            }
        } else if raw_tag(rest, name).is_some() {
            level += 1;
        }
        from = here + 2;
    }
    Found::Open { name, end: body }
}

struct RawTag {
    len: usize,
    trim: Trim,
}

/// Returns true if `{% name %}` is at the start of `text`.
fn raw_tag(text: &str, name: &str) -> Option<RawTag> {
    let inner = text.strip_prefix("{%")?;
    let (inner, before) = strip_dash(inner);
    let inner = inner.trim_start_matches(is_space).strip_prefix(name)?;
    let (inner, after) = strip_dash(inner.trim_start_matches(is_space));
    let rest = inner.strip_prefix("%}")?;
    let len = text.len() - rest.len();
    Some(RawTag {
        len,
        trim: Trim { before, after },
    })
}

pub(crate) fn strip_dash(text: &str) -> (&str, bool) {
    text.strip_prefix('-')
        .map_or((text, false), |rest| (rest, true))
}
