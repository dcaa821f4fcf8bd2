//! The names of the tags, and what an unknown one may be meant for.

use crate::ast::Name;
use crate::error::{Error, ErrorKind};
use crate::mistake::Mistake;
use crate::suggest;

/// Every tag that begins, continues or ends a statement.
pub(super) const TAGS: [&str; 33] = [
    "if",
    "for",
    "set",
    "macro",
    "call",
    "filter",
    "switch",
    "block",
    "extends",
    "include",
    "import",
    "from",
    "raw",
    "verbatim",
    "elif",
    "elseif",
    "else",
    "endif",
    "endfor",
    "endset",
    "endmacro",
    "endcall",
    "endfilter",
    "case",
    "default",
    "endswitch",
    "endblock",
    "endraw",
    "endverbatim",
    "asyncEach",
    "asyncAll",
    "ifAsync",
    "endeach",
];

/// The tags that begin a statement.
#[cfg(test)]
pub(crate) fn opening_tags() -> impl Iterator<Item = &'static str> {
    let others = ["elif", "elseif", "else", "case", "default"];
    let asynchronous = ["asyncEach", "asyncAll", "ifAsync"];
    let opening = TAGS.into_iter().filter(|tag| !tag.starts_with("end"));
    opening.filter(move |tag| !others.contains(tag) && !asynchronous.contains(tag))
}

/// The error for a tag that does not exist, or not here.
pub(super) fn unknown_tag(tag: &Name) -> super::Failure {
    let message = format!("unknown tag `{}`", tag.text);
    let unknown = Error::new(ErrorKind::Syntax, message);
    let error = if TAGS.contains(&tag.text.as_str()) {
        match tag.text.as_str() {
            "asyncEach" | "asyncAll" | "endeach" => {
                unknown.with_hint("use `for`: nothing here is asynchronous")
            }
            "ifAsync" => unknown.with_hint("use `if`: nothing here is asynchronous"),
            _ => {
                let message = format!("`{}` does not belong here", tag.text);
                Error::new(ErrorKind::Syntax, message).with_hint(out_of_place(&tag.text))
            }
        }
    } else if let Some(mistake) = Mistake::tag(&tag.text) {
        unknown.with_mistake(mistake)
    } else {
        match suggest::nearest(&tag.text, TAGS) {
            Some(near) => unknown.with_hint(format!("did you mean `{near}`?")),
            None => unknown,
        }
    };
    (error, tag.span)
}

/// What to do about a tag that only has a place inside another one.
fn out_of_place(tag: &str) -> String {
    match tag.strip_prefix("end") {
        Some(opened) => format!("remove it, or begin the block with `{{% {opened} … %}}`"),
        None => "remove it, or put it into the block that it belongs to".to_owned(),
    }
}
