//! Descriptions: what the model reads about a tool and its parameters.

use cogtools_core::schema::Role;
use cogtools_core::suggest::nearest;
use cogtools_core::yaml::Node;
use cogtools_core::{HostLimit, Level};
use serde_json::{Map, Value};

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Expression, Rule, example};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "missing-description",
        level: Level::Warn,
        summary: "a parameter or property without a description",
        why: "a model then knows only the name; it guesses, and calls fail or give misleading results",
        fix: "add `description`: what to send, in which format, with an example where that helps",
        example: example!("missing-description"),
        check: missing_description,
    },
    Rule {
        name: "long-description",
        level: Level::Warn,
        summary: "a tool's description of more than 1,024 characters",
        why: "OpenAI rejects the request; every host sends the whole text with every request, and Gemini CLI appends 759 characters to it",
        fix: "keep what helps to decide when to call the tool; move the rest into the descriptions of parameters",
        example: example!("long-description"),
        check: long_description,
    },
    Rule {
        name: "placeholder",
        level: Level::Warn,
        summary: "text that should have been replaced: TODO, FIXME, lorem ipsum, \"description\"",
        why: "the model reads it literally, and learns neither when to call the tool nor what to send",
        fix: "write what the tool or the parameter is for",
        example: example!("placeholder"),
        check: placeholder,
    },
    Rule {
        name: "misleading-description",
        level: Level::Warn,
        summary: "a description that says another default or bound than the schema, names a parameter that does not exist, is the text of another tool, or ends in YAML before a `#`",
        why: "the model believes it: it omits what it should send, sends what is rejected, or calls the wrong tool",
        fix: "say what the schema says",
        example: example!("misleading-description"),
        check: misleading_description,
    },
];

/// The word after a plain scalar that begins with `#`, as in `issue #12`; comments have a blank.
fn cut_off<'f>(file: &'f LintFile, node: &Node) -> Option<&'f str> {
    let raw = file.raw(node.span);
    let is_plain =
        !raw.starts_with(['"', '\'', '|', '>']) && file.text.location(node.span).column > 1;
    let rest = file.text.as_str().get(node.span.end..)?.lines().next()?;
    let word = rest.strip_prefix([' ', '\t'])?.split_whitespace().next()?;
    let is_text = word
        .strip_prefix('#')?
        .starts_with(|c: char| !matches!(c, '#' | '!'));
    (is_plain && is_text).then_some(word)
}

/// A default in words.
static DEFAULT: Expression = Expression::new(
    r#"(?i)\bdefault(?:s to|\s+(?:is|value is|value|to|of))?[:=]?\s*["'`]?([\w.-]*\w)|["'`]?([\w.-]*\w)["'`]?,?\s+(?:by default|\(default\))|(\d+)\s+(?:[a-z]{2,}s|ms|[kKMG]i?B|percent),?\s+(?:by default|\(default\))|by default,?\s+["'`]?([\w.-]*\w)"#,
);
/// A name in back-quotes that is said to be a parameter.
static NAMED: Expression = Expression::new(
    r"(?:parameters?|arguments?|option|[Pp]ass|[Ss]et|[Oo]mit|[Pp]rovide|[Ss]pecify) `(\w+)`|`(\w+)` (?:parameter|argument|option)\b|`(\w+)`",
);

fn misleading_description(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        let text = sub_schema.schema.get("description").and_then(Value::as_str);
        let default = sub_schema.schema.get("default");
        if let (Some(text), Some(default)) = (text, default)
            && let Some(said) = other_default(text, default, sub_schema.schema)
        {
            let message = format!("it says `{said}` is the default, which is {default}");
            findings.report(file.keyword(&sub_schema, "description"), message);
        }
        let Some(text) = text else { continue };
        let mut report = |message: String| {
            findings.report(file.keyword(&sub_schema, "description"), message);
        };
        for (is_upper, does) in [(true, "ends"), (false, "begins")] {
            if let Some((said, bound)) = other_bound(text, sub_schema.schema, is_upper) {
                let allowed = format!("it says that {said} is allowed");
                report(format!("{allowed}, and the schema {does} at {bound}"));
            }
        }
        if let Some(said) = other_value(text, sub_schema.schema) {
            report(format!("it says `{said}` is allowed, and `enum` lacks it"));
        }
        if let Role::Property { required, .. } = sub_schema.role {
            if required && OPTIONAL.find(text).is_some() {
                report("it says that it is optional, and calls without it are rejected".to_owned());
            }
            if !required && REQUIRED.find(text).is_some() {
                report("it says that it is required, and calls need not have it".to_owned());
            }
        }
    }
    if let Some((said, entry)) = default_of_none(file).zip(file.entry("description")) {
        let message = format!("it says `{said}` is a default, and no parameter has that");
        findings.report(entry.span, message);
    }
    if let (Some(earlier), Some(entry)) = (&file.earlier.description, file.entry("description")) {
        let message = format!("the same description as in `{}`", earlier.display());
        findings
            .report(entry.span, message)
            .fix("say what this tool does, and the other one does not");
    }
    let names = file.tool.as_ref().and_then(|tool| tool.schema.names());
    let texts = descriptions(file, &["description"]);
    for node in &texts {
        if let Some(rest) = cut_off(file, node) {
            let message = format!("it ends before `{rest}`, which is a comment in YAML");
            findings
                .report(node.span, message)
                .fix("put the text in quotes");
        }
    }
    let Some(names) = names.filter(|names| !names.is_empty()) else {
        return;
    };
    for node in texts {
        let text = node.text().unwrap_or_default();
        for found in NAMED.captures_iter(text) {
            let is_said = found.get(3).is_none();
            let group = (1..4).find_map(|at| found.get(at));
            let Some(name) = group.map(|it| it.as_str()).filter(|it| !names.contains(it)) else {
                continue;
            };
            let count = |text: &str| {
                let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                words.filter(|word| *word == name).count()
            };
            let is_word = count(file.text.as_str()) > count(text);
            let is_meant = || !nearest(name, names.iter().copied()).is_empty();
            let is_name = name.len() > 2 && name.starts_with(|c: char| c.is_ascii_lowercase());
            if is_name && !is_word && (is_said || is_meant()) {
                findings
                    .report(node.span, format!("no parameter is named `{name}`"))
                    .meant_among(name, names.iter().copied());
            }
        }
    }
}

/// A property that can be left out, in words.
static OPTIONAL: Expression = Expression::new(r"(?i)^\s*[(\[]?optional\b|[(\[]optional[)\]]");
/// A property that cannot be left out, in words.
static REQUIRED: Expression = Expression::new(r"(?i)^\s*[(\[]?required[)\].:]|[(\[]required[)\]]");
/// Words in quotes that are said to be all values.
static CHOICE: Expression = Expression::new(
    r#"(?i)(?:one of|either|values?(?: are| is)?|can be|may be|must be|options?)[:\s]+((?:["'`][\w.-]+["'`](?:\s*(?:,|\||or|and|/))*\s*){2,})"#,
);

/// The value that a text says is allowed, if an enum has most of those that the text lists, and not
/// this one.
fn other_value(text: &str, schema: &Map<String, Value>) -> Option<String> {
    let values = schema.get("enum")?.as_array()?;
    let words = CHOICE.groups(text).next()?.as_str().split(['"', '\'', '`']);
    let said: Vec<&str> = words.skip(1).step_by(2).collect();
    let (known, others): (Vec<&str>, Vec<&str>) = said
        .into_iter()
        .partition(|word| *word == "null" || values.iter().any(|it| it == word));
    (known.len() > others.len()).then(|| others.first().map(|it| (*it).to_owned()))?
}

/// Both bounds in words.
static RANGE: Expression =
    Expression::new(r"(?i)\b(?:from|between)\s+(\d+)\s+(?:to|and)\s+(\d+)\b(?![.,:]\d)");
/// A lower bound in words.
static LOWER_BOUND: Expression = Expression::new(
    r"(?i)\b(?:at least|no less than|min(?:imum)?(?: of| is|:)?) (\d+)\b(?![.,:]\d)",
);
/// An upper bound in words.
static BOUND: Expression = Expression::new(
    r"(?i)\b(?:up to|at most|no more than|max(?:imum)?(?: of| is|:)?) (\d+)\b(?![.,:]\d)",
);

/// The number, length or count that a text allows, and the bound of the schema, if that forbids it:
/// the upper or the lower one.
fn other_bound(text: &str, schema: &Map<String, Value>, is_upper: bool) -> Option<(u64, u64)> {
    let keys = match schema.get("type")?.as_str()? {
        "integer" | "number" => ["minimum", "maximum"],
        "string" => ["minLength", "maxLength"],
        "array" => ["minItems", "maxItems"],
        _ => return None,
    };
    let (key, words) = if is_upper {
        (keys[1], &BOUND)
    } else {
        (keys[0], &LOWER_BOUND)
    };
    let is_number = keys[0] == "minimum";
    // About texts and lists, other lower numbers are often said: of words, of attempts.
    if !is_number && !is_upper {
        return None;
    }
    let bound = schema.get(key)?.as_u64()?;
    let number = |expression: &Expression, group| {
        let found = expression.captures(text)?;
        found.get(group)?.as_str().parse::<u64>().ok()
    };
    let said = match number(words, 1) {
        None if is_number => number(&RANGE, if is_upper { 2 } else { 1 })?,
        said => said?,
    };
    let is_other = if is_upper { said > bound } else { said < bound };
    is_other.then_some((said, bound))
}

/// The number that the tool's description says is a default, if no parameter has that one and one
/// has another.
fn default_of_none(file: &LintFile) -> Option<String> {
    let text = file.value("description").and_then(Node::text)?;
    let all = file.sub_schemas();
    let defaults = all.iter().filter_map(|it| it.schema.get("default"));
    let mut defaults = defaults.filter(|it| it.is_number()).peekable();
    defaults.peek()?;
    let others = defaults.map(|default| other_default(text, default, &Map::new()));
    let others: Option<Vec<String>> = others.collect();
    others?.into_iter().next()
}

/// The default that a text says, if the schema has another one of its kind.
fn other_default(text: &str, default: &Value, schema: &Map<String, Value>) -> Option<String> {
    let said: Vec<&str> = DEFAULT.groups(text).map(|it| it.as_str()).collect();
    let is_other = |said: &str| match default {
        Value::Number(number) => {
            let own = said.parse::<f64>().ok();
            own.is_some_and(|own| number.as_f64().is_some_and(|it| (it - own).abs() > 1e-9))
        }
        Value::Bool(flag) => matches!(said, "true" | "false") && said != flag.to_string(),
        Value::String(own) => {
            let known = schema.get("enum").and_then(Value::as_array);
            said != own && known.is_some_and(|known| known.iter().any(|it| it == said))
        }
        _ => false,
    };
    let right = match default {
        Value::String(own) => own.clone(),
        other => other.to_string(),
    };
    if said.contains(&right.as_str()) {
        return None;
    }
    let other = said.into_iter().find(|said| is_other(said));
    other.map(str::to_owned)
}

/// A mark of what is missing, at the beginning or before a colon.
static MARKER: Expression =
    Expression::new(r"^\s*(TODO|FIXME|TBD|XXX)|(TODO|FIXME|TBD|XXX):|(?i)(lorem ipsum)");
/// A description without content.
static PLACEHOLDER: Expression = Expression::new(
    r"(?i)^(?:(?:a |the |your )?description(?: here)?|describe me|string|text|value|parameter|argument|tbd|\.\.\.|…|<[^<]*>)[.!]*$",
);

fn missing_description(file: &LintFile, findings: &mut Findings<'_>) {
    for sub_schema in file.sub_schemas() {
        let description = sub_schema.schema.get("description").and_then(Value::as_str);
        let is_blank = description.is_none_or(|text| text.trim().is_empty());
        if let Role::Property { name, .. } = sub_schema.role
            && is_blank
            && !sub_schema.schema.contains_key("$ref")
        {
            let span = file.locate(&sub_schema.pointer);
            findings.report(span, format!("`{name}` has no description"));
        }
    }
}

fn long_description(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(entry) = file.entry("description") else {
        return;
    };
    let length = entry.value.text().map_or(0, |text| text.chars().count());
    if let Some(message) = HostLimit::DESCRIPTION.exceeded(length) {
        findings.report(entry.span, message);
    }
}

fn placeholder(file: &LintFile, findings: &mut Findings<'_>) {
    let own = file.name().map_or("", |(_, name)| name);
    let mut texts: Vec<(&Node, &str)> = [("title", ""), ("description", own)]
        .into_iter()
        .filter_map(|(key, name)| Some((file.value(key)?, name)))
        .collect();
    for key in ["parameters", "parameters_schema"] {
        let entries = file.value(key).and_then(Node::entries);
        for entry in entries.into_iter().flatten() {
            collect_descriptions(&entry.value, &entry.key, &mut texts);
        }
    }
    for (node, name) in texts {
        if let Some(what) = node.text().and_then(|it| placeholder_text(it, name)) {
            findings.report(node.span, format!("a placeholder: {what}"));
        }
    }
}

/// The texts under the top-level `keys`, and the titles and descriptions of the parameters.
pub(super) fn descriptions<'f>(file: &'f LintFile, keys: &[&str]) -> Vec<&'f Node> {
    let mut found: Vec<(&Node, &str)> = keys
        .iter()
        .filter_map(|key| Some((file.value(key)?, "")))
        .collect();
    for key in ["parameters", "parameters_schema"] {
        if let Some(node) = file.value(key) {
            collect_descriptions(node, "", &mut found);
        }
    }
    found.into_iter().map(|(node, _)| node).collect()
}

/// The descriptions inside a schema, each with the name of the property that it
/// describes.
fn collect_descriptions<'n>(node: &'n Node, name: &'n str, found: &mut Vec<(&'n Node, &'n str)>) {
    for entry in node.entries().into_iter().flatten() {
        match entry.key.as_str() {
            "description" if entry.value.text().is_some() => found.push((&entry.value, name)),
            // Generators make titles of names.
            "title" if entry.value.text().is_some() => found.push((&entry.value, "")),
            key => collect_descriptions(&entry.value, key, found),
        }
    }
}

fn placeholder_text(text: &str, name: &str) -> Option<String> {
    let marker = MARKER.groups(text).next();
    let marker = marker.map(|it| it.as_str().to_owned());
    let text = text.trim();
    let whole = || PLACEHOLDER.find(text).map(|_| text.to_owned());
    if let Some(found) = marker.or_else(whole) {
        return Some(format!("`{found}`"));
    }
    let words = text.trim_end_matches(['.', '!']).to_lowercase();
    let repeats_name =
        !name.is_empty() && words.replace([' ', '-'], "_") == name.to_lowercase().replace('-', "_");
    repeats_name.then(|| "it only repeats the name".into())
}
