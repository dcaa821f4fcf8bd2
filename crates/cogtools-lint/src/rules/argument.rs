//! Arguments of the call in a command line: as code, as the program, as an option, or beside
//! words that only a shell understands.

use cogtools_core::Level;
use cogtools_core::schema::Schema;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::program::{Role, Word, can_begin_with_dash, words};
use crate::rule::{Rule, case};
use crate::tool_script;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "argument-in-code",
        level: Level::Error,
        summary: "an argument of the call inside code: of `sh -c`, `python -c`, `awk`, `ssh`, `eval` and their like",
        why: "a model, or a text that it has read, then runs any command with the rights of the user",
        fix: "pass it as an argument after the code, as in `sh -c 'grep -- \"$1\"' sh \"{{ text }}\"`, or read it from the JSON on standard input",
        fixable: false,
        fails: case!("argument-in-code/fails"),
        passes: case!("argument-in-code/passes"),
        check: argument_in_code,
    },
    Rule {
        name: "program-from-argument",
        level: Level::Error,
        summary: "a program, or a file for an interpreter, that an argument of the call names",
        why: "a model, or a text that it has read, then runs any program with the rights of the user",
        fix: "name the program, or declare an enum of those that are meant",
        fixable: false,
        fails: case!("program-from-argument/fails"),
        passes: case!("program-from-argument/passes"),
        check: program_from_argument,
    },
    Rule {
        name: "argument-as-option",
        level: Level::Warn,
        summary: "an argument of the call that can begin with `-`, without `--` before it",
        why: "the program takes it for an option: `--output=…` or `--upload-pack=…` write files and run programs",
        fix: "write `--` before it, or the option that it is the value of; or declare a `pattern` that excludes `-` at the beginning",
        fixable: false,
        fails: case!("argument-as-option/fails"),
        passes: case!("argument-as-option/passes"),
        check: argument_as_option,
    },
    Rule {
        name: "shell-syntax",
        level: Level::Warn,
        summary: "a word of `exec` that only a shell understands, such as `|`, `>`, `$HOME` or `~/notes`",
        why: "no shell is involved: the program gets the word as it is",
        fix: "write a `script`, or run a shell: `sh -c`, with the arguments of the call after the code",
        fixable: false,
        fails: case!("shell-syntax/fails"),
        passes: case!("shell-syntax/passes"),
        check: shell_syntax,
    },
];

fn schema_of(file: &LintFile) -> Option<&Schema> {
    Some(file.tool.as_ref()?.schema())
}

fn argument_in_code(file: &LintFile, findings: &mut Findings<'_>) {
    let all = words(file);
    for word in all
        .iter()
        .filter(|it| it.role == Role::Code && it.is_template)
    {
        if !is_limited(file, word) {
            findings.report(word.span, "an argument of the call becomes part of code");
        }
    }
    for script in tool_script::of(file) {
        for (at, form) in script.script().made_code() {
            let message = format!("`{form}` makes code of a value");
            findings.report_at(script.location(file, at, form.len()), message);
        }
    }
}

fn program_from_argument(file: &LintFile, findings: &mut Findings<'_>) {
    let all = words(file);
    for word in all
        .iter()
        .filter(|it| it.role == Role::Program && it.is_template)
    {
        if !is_limited(file, word) {
            findings.report(word.span, "an argument of the call names the program");
        }
    }
}

/// Whether the word is a lone argument whose values an enum lists, or a number or a boolean.
fn is_limited(file: &LintFile, word: &Word<'_>) -> bool {
    let Ok(analysis) = njk::analyse(word.text) else {
        return false;
    };
    analysis.reads.iter().all(|read| {
        let path = [read.name.as_str()];
        let schema = schema_of(file).and_then(|schema| schema.at(path.into_iter()));
        schema.is_some_and(|schema| {
            let kind = schema.get("type").and_then(|kind| kind.as_str());
            schema.contains_key("enum") || matches!(kind, Some("integer" | "number" | "boolean"))
        })
    })
}

fn argument_as_option(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(schema) = schema_of(file) else {
        return;
    };
    for word in words(file) {
        let is_argument = word.role == Role::Argument && word.is_template;
        if is_argument && can_begin_with_dash(word.text, schema) {
            findings.report(
                word.span,
                "the program takes it for an option if it begins with `-`",
            );
        }
    }
}

fn shell_syntax(file: &LintFile, findings: &mut Findings<'_>) {
    const FILE_PROGRAMS: [&str; 12] = [
        "cat", "chmod", "cp", "du", "head", "ls", "mv", "rm", "sort", "tail", "touch", "wc",
    ];
    const OPERATORS: [&str; 12] = [
        "|",
        "||",
        "&",
        "&&",
        ";",
        ">",
        ">>",
        "<",
        "2>",
        "2>&1",
        "2>/dev/null",
        ">/dev/null",
    ];
    let all = words(file);
    let first = all.first().map_or("", |word| word.text);
    let is_file_program = FILE_PROGRAMS.contains(&first);
    for word in &all {
        let text = word.text;
        let is_variable = text.strip_prefix('$').is_some_and(|name| {
            let name = name
                .strip_prefix('{')
                .and_then(|it| it.strip_suffix('}'))
                .unwrap_or(name);
            let first = name.chars().next();
            first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        let is_syntax =
            OPERATORS.contains(&text) || text.starts_with("~/") || text.starts_with("$(");
        // Files, not patterns: what `find` and `grep` get may have a `*`.
        let is_glob = is_file_program && text.contains('*') && !word.is_template;
        if word.role != Role::Code && (is_variable || is_syntax || is_glob) {
            findings.report(word.span, format!("only a shell understands `{text}`"));
        }
    }
}
