//! Arguments of the call in a command line: as code, as the program, as an option, or beside
//! words that only a shell understands.

use cogtools_core::Level;
use cogtools_core::tool::TOOL_DIR;
use cogtools_core::yaml::Node;
use serde_json::{Map, Value};

use crate::contradiction;
use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Expression, Rule, example};
use crate::program::{
    Role, Word, base, can_begin_with_dash, code_on_stdin, commands, is_in, is_known, words,
};
use crate::tool_script;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "argument-in-code",
        level: Level::Error,
        summary: "an argument of the call inside code: of `sh -c`, `python -c`, `awk`, `ssh`, `eval` and their like",
        why: "a model, or a text that it has read, then runs any command with the rights of the user",
        fix: "pass it as an argument after the code, as in `sh -c 'grep -- \"$1\"' sh \"{{ text }}\"`, or read it from the JSON on standard input",
        example: example!("argument-in-code"),
        check: argument_in_code,
    },
    Rule {
        name: "program-from-argument",
        level: Level::Error,
        summary: "a program, or a file for an interpreter, that an argument of the call names",
        why: "a model, or a text that it has read, then runs any program with the rights of the user",
        fix: "name the program, or declare an enum of those that are meant",
        example: example!("program-from-argument"),
        check: program_from_argument,
    },
    Rule {
        name: "argument-as-option",
        level: Level::Warn,
        summary: "an argument of the call that can begin with `-`, without `--` before it",
        why: "the program takes it for an option: `--output=…` or `--upload-pack=…` write files and run programs",
        fix: "write `--` before it, or the option that it is the value of; or declare a `pattern` that excludes `-` at the beginning",
        example: example!("argument-as-option"),
        check: argument_as_option,
    },
    Rule {
        name: "shell-syntax",
        level: Level::Warn,
        summary: "a word of `exec` that only a shell understands, such as `|`, `>`, `$HOME` or `~/notes`",
        why: "no shell is involved: the program gets the word as it is",
        fix: "write a `script`, or run a shell: `sh -c`, with the arguments of the call after the code",
        example: example!("shell-syntax"),
        check: shell_syntax,
    },
    Rule {
        name: "secret-argument",
        level: Level::Error,
        summary: "a parameter with a secret in the arguments of a program",
        why: "other users of the machine see the arguments of all programs, and so do logs",
        fix: "use `http`, declare a variable that the program reads under `env`, or pass it with `stdin`",
        example: example!("secret-argument"),
        check: secret_argument,
    },
    Rule {
        name: "empty-argument",
        level: Level::Warn,
        summary: "an element of `exec` that is empty if an optional value is missing",
        why: "the program gets an empty argument, which is a file without a name, or a value that nobody meant",
        fix: "write `when: NAME` and `args: […]`, or give the parameter a default",
        example: example!("empty-argument"),
        check: empty_argument,
    },
    Rule {
        name: "list-argument",
        level: Level::Warn,
        summary: "a list inside a longer element of `exec`, or after an option that then stands alone",
        why: "the items are joined by commas into one argument; an option before an empty list takes the next argument for its value",
        fix: "write the list as an element of its own, without text around it; join it on purpose with `| join(',')`",
        example: example!("list-argument"),
        check: list_argument,
    },
];

/// The name of a secret.
static SECRET: Expression =
    Expression::new(r"(?i)(?:password|passwd|passphrase|secret|api_?key|access_token|auth_token)$");

/// Reports secrets that other users of the machine see in the list of processes.
fn secret_argument(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(schema) = file.schema() else {
        return;
    };
    for word in words(file) {
        let reads = njk::analyse(word.text).map(|found| found.reads);
        let names = reads.unwrap_or_default().into_iter().map(|read| read.name);
        let printed = PRINTED.groups(word.text).map(|it| it.as_str().to_owned());
        let mut paths = names.chain(printed);
        let secret = paths.find(|path| {
            let declared = word.schema(path, schema);
            let text = |key| declared.and_then(|it| it.get(key)?.as_str());
            let is_named = SECRET.find(path).is_some() && text("type") == Some("string");
            text("format") == Some("password") || is_named
        });
        if let Some(path) = secret {
            let message = format!("`{path}` is a secret, and other users see the arguments");
            findings.report(word.span, message);
        }
    }
}

/// The schema of a parameter, or of a member of one, by its path in an expression.
fn parameter<'f>(file: &'f LintFile, path: &str) -> Option<&'f Map<String, Value>> {
    file.schema()?.at(path.split('.'))
}

fn is_list(schema: &Map<String, Value>) -> bool {
    schema.get("type").is_some_and(|kind| kind == "array")
}

/// The value that an element prints, where it prints one as it is.
static PRINTED: Expression = Expression::new(r"\{\{-?\s*([A-Za-z_][\w.]*)\s*-?\}\}");

/// Renders each element with the arguments of a call that omits what it can.
fn empty_argument(file: &LintFile, findings: &mut Findings<'_>) {
    const TEXT_PROGRAMS: &str = "echo printf test [ expr";
    let Some(schema) = file.schema().filter(|schema| !schema.is_recovered()) else {
        return;
    };
    let mut samples = contradiction::arguments(schema.as_object());
    let mut arguments = samples.next().unwrap_or_default();
    for (name, required, sub_schema) in file.parameters() {
        if !required && !sub_schema.schema.contains_key("default") {
            arguments.remove(name);
        }
    }
    schema.apply_defaults(&mut arguments);
    let arguments = Value::Object(arguments);
    let is_text = |list: &&[Node]| {
        let program = list.first().and_then(Node::text).unwrap_or_default();
        is_in(base(program), TEXT_PROGRAMS)
    };
    let lists = commands(file).into_iter().map(|(_, list)| list);
    let lists = lists.filter(|list| !is_text(list));
    for node in lists.flat_map(|list| list.iter().skip(1)) {
        let Some(text) = node.text().filter(|text| text.contains('{')) else {
            continue;
        };
        let Some(read) = njk::analyse(text).ok().and_then(|it| {
            it.reads.into_iter().find(|read| {
                arguments.get(&read.name).is_none_or(Value::is_null)
                    && parameter(file, &read.name).is_some_and(|it| !is_list(it))
            })
        }) else {
            continue;
        };
        let template = njk::Engine::new().compile("", text);
        let output = template.and_then(|template| template.render(&arguments));
        if output.is_ok_and(|output| output.is_empty()) {
            let message = format!("the argument is empty if `{}` is missing", read.name);
            findings.report(node.span, message);
        }
    }
}

/// Options that take a value in most programs.
const VALUED: &str = "assignee author env exclude filter header host include label name reviewer \
                      tag user volume";

fn list_argument(file: &LintFile, findings: &mut Findings<'_>) {
    let words = words(file);
    for (index, word) in words.iter().enumerate() {
        for found in PRINTED.captures_iter(word.text) {
            let (Some(whole), Some(path)) = (found.get(0), found.get(1)) else {
                continue;
            };
            let path = path.as_str();
            let schema = file.schema().and_then(|schema| word.schema(path, schema));
            let Some(schema) = schema.filter(|it| is_list(it)) else {
                continue;
            };
            let option = words[..index].last().map_or("", |it| it.text);
            let may_be_empty = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0) == 0;
            let name = option.trim_start_matches('-');
            let last = path.rsplit('.').next().unwrap_or(path);
            let is_alike = name.len() > 1 && (last.starts_with(name) || name.starts_with(last))
                || is_in(name, VALUED);
            if whole.as_str() != word.text.trim() || word.each.is_some() {
                if word.role != Role::Code {
                    let message = format!("the items of `{path}` become one argument, with commas");
                    findings.report(word.span, message);
                }
            } else if option.starts_with("--") && is_alike && may_be_empty {
                let message = format!(
                    "`{option}` stands alone if `{path}` is empty, and before several items"
                );
                let fix = format!(
                    "write `{option}={{{{ {path} | join(',') }}}}` under `when: {path}.length`, if the program takes that"
                );
                findings.report(word.span, message).fix(fix);
            }
        }
    }
}

fn argument_in_code(file: &LintFile, findings: &mut Findings<'_>) {
    let words = words(file).into_iter().filter(|it| it.role == Role::Code);
    for word in words.chain(code_on_stdin(file)) {
        if word.is_template && !is_limited(file, &word) {
            findings.report(word.span, "an argument of the call becomes part of code");
        }
    }
    for script in tool_script::of(file) {
        for (at, form) in script.made_code() {
            let message = format!("`{form}` makes code of a value");
            findings.report_at(script.location(file, at, form.len()), message);
        }
    }
}

fn program_from_argument(file: &LintFile, findings: &mut Findings<'_>) {
    for word in words(file) {
        let is_named = word.role == Role::Program && word.is_template;
        if is_named && !is_limited(file, &word) {
            findings.report(word.span, "an argument of the call names the program");
        }
    }
}

/// Returns true if the word is a lone argument whose values an enum lists, or a number or a boolean.
fn is_limited(file: &LintFile, word: &Word<'_>) -> bool {
    let Ok(analysis) = njk::analyse(word.text) else {
        return false;
    };
    analysis.reads.iter().all(|read| {
        let schema = file
            .schema()
            .and_then(|schema| word.schema(&read.name, schema));
        schema.map_or(read.name == TOOL_DIR, |schema| {
            let kind = schema.get("type").and_then(|kind| kind.as_str());
            schema.contains_key("enum") || matches!(kind, Some("integer" | "number" | "boolean"))
        })
    })
}

fn argument_as_option(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(schema) = file.schema() else {
        return;
    };
    for word in words(file) {
        let is_argument = word.role == Role::Argument && word.is_template;
        if is_argument && can_begin_with_dash(&word, schema) {
            let message = "the program takes it for an option if it begins with `-`";
            findings.report(word.span, message);
        }
    }
}

fn shell_syntax(file: &LintFile, findings: &mut Findings<'_>) {
    const FILE_PROGRAMS: [&str; 12] = [
        "cat", "chmod", "cp", "du", "head", "ls", "mv", "rm", "sort", "tail", "touch", "wc",
    ];
    let all = words(file);
    let first = all.first().map_or("", |word| word.text);
    let is_file_program = FILE_PROGRAMS.contains(&first);
    for (index, word) in all.iter().enumerate() {
        let text = word.text;
        // Files, not patterns: what `find` and `grep` get may have a `*`.
        let is_pattern = is_file_program
            && !word.is_template
            && (text.contains('*') || BRACES.find(text).is_some());
        let is_within = |quote: &str| {
            let inner = text
                .strip_prefix(quote)
                .and_then(|it| it.strip_suffix(quote));
            inner.filter(|inner| !inner.is_empty())
        };
        let is_quoted = is_within("'").is_some()
            || is_within("\"").is_some_and(|it| it.starts_with("{{") && it.ends_with("}}"))
                && !takes_json(&all[..index]);
        // `find` ends a command with it.
        let runs = |it: &Word<'_>| it.text.starts_with("-exec") || it.text.starts_with("-ok");
        if text == ";" && all.iter().any(runs) {
            continue;
        }
        if index == 0 && !word.is_template && is_command_line(text) {
            let message = format!("only a shell understands `{text}` as a command");
            findings.report(word.span, message);
        } else if word.role != Role::Code
            && (SYNTAX.find(text).is_some() || is_pattern || is_quoted)
        {
            findings.report(word.span, format!("only a shell understands `{text}`"));
        }
    }
}

/// Returns true if the next word after these may be JSON, in which a text has quotes.
fn takes_json(before: &[Word<'_>]) -> bool {
    const OPTIONS: &str = "--argjson --data --data-binary --data-raw --json -d";
    let mut options = before.iter().rev().take(2);
    options.any(|word| is_in(word.text, OPTIONS))
}

/// An operator of a shell, a redirection to a file, a variable, a command in place of its output, or
/// a home directory.
static SYNTAX: Expression = Expression::new(
    r"(?s)^(?:\|[|&]?|&&?|;;?|>>?|<{1,3}|2>|&>)$|^[\d&]*>>?[\w/.&][^ <>]*$|^\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})(?:/|$)|=\$\{?[A-Z][A-Z0-9_]+\b|\$\(.*\)|^~/|^`.+`$",
);
/// A pattern that a shell expands to several words: `{a,b}`, `{1..3}`.
static BRACES: Expression = Expression::new(r"\{[^}]*(?:,|\.\.)[^}]*\}");

/// Returns true if the first word is a whole command line, or an assignment before one.
fn is_command_line(text: &str) -> bool {
    let is_upper =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let is_assignment = text.split_once('=').is_some_and(|(name, _)| is_upper(name));
    let mut words = text.split_whitespace();
    let program = words.next().unwrap_or_default();
    is_assignment || (words.next().is_some() && !text.contains('/') && is_known(program))
}
