//! Arguments by name in calls of filters. Filters take them by position: what is passed by name
//! arrives as one object, which most filters silently take for something else.

use crate::ast::{Arguments, Name};
use crate::error::{Error, ErrorKind};
use crate::mistake::Mistake;

/// The filters with arguments, the names that Jinja gives these, and what stands for one that is
/// left out before another.
const PARAMETERS: [(&str, &[(&str, &str)]); 17] = [
    ("batch", &[("linecount", "1"), ("fill_with", "none")]),
    ("center", &[("width", "80")]),
    ("d", DEFAULT),
    ("default", DEFAULT),
    ("dictsort", &[("case_sensitive", "false"), ("by", "'key'")]),
    ("dump", &[("indent", "0")]),
    ("float", &[("default", "0")]),
    ("groupby", &[("attribute", "''")]),
    ("indent", &[("width", "4"), ("first", "false")]),
    ("join", &[("d", "''"), ("attribute", "''")]),
    ("replace", &[("old", "''"), ("new", "''"), ("count", "-1")]),
    ("round", &[("precision", "0"), ("method", "'common'")]),
    ("slice", &[("slices", "1"), ("fill_with", "none")]),
    ("striptags", &[("preserve_linebreaks", "false")]),
    ("sum", &[("attribute", "''"), ("start", "0")]),
    (
        "truncate",
        &[("length", "255"), ("killwords", "false"), ("end", "'...'")],
    ),
    (
        "urlize",
        &[("trim_url_limit", "1000"), ("nofollow", "false")],
    ),
];

const DEFAULT: &[(&str, &str)] = &[("default_value", "''"), ("boolean", "false")];

/// The filters that take arguments by name, and their names.
const NAMED: [(&str, &[&str]); 2] = [
    ("int", &["default", "base"]),
    ("sort", &["reverse", "case_sensitive", "attribute"]),
];

/// The error for arguments by name that the filter does not take.
pub(super) fn check(source: &str, name: &Name, arguments: &Arguments) -> Option<Error> {
    let taken = NAMED.iter().find(|(filter, _)| *filter == name.text);
    let taken = taken.map_or([].as_slice(), |(_, names)| names);
    let mut keywords = arguments.keyword.iter().map(|(keyword, _)| keyword);
    let wrong = keywords.find(|keyword| !taken.contains(&keyword.text.as_str()))?;
    let (filter, keyword) = (&name.text, &wrong.text);
    let message = format!("filter `{filter}` takes no argument by the name `{keyword}`");
    let error = Error::new(ErrorKind::BadValue, message);
    let mistake = Mistake::KeywordArguments(call(source, name, arguments));
    Some(error.with_mistake(mistake).at("", source, wrong.span))
}

/// The call with all arguments by position.
fn call(source: &str, name: &Name, arguments: &Arguments) -> Option<String> {
    let (_, parameters) = PARAMETERS.iter().find(|(filter, _)| *filter == name.text)?;
    let text = |span: crate::error::Span| source.get(span.start as usize..span.end());
    let mut values: Vec<Option<&str>> = Vec::new();
    for argument in &arguments.positional {
        values.push(Some(text(argument.span)?));
    }
    for (keyword, value) in &arguments.keyword {
        let at = parameters
            .iter()
            .position(|(name, _)| *name == keyword.text)?;
        values.resize(values.len().max(at + 1), None);
        values[at] = Some(text(value.span)?);
    }
    let defaults = parameters.iter().map(|(_, default)| *default);
    let values = values.iter().zip(defaults);
    let values: Vec<&str> = values
        .map(|(value, default)| value.unwrap_or(default))
        .collect();
    Some(format!("{}({})", name.text, values.join(", ")))
}
