//! Places where a script makes code of a text that it has not written itself.

use std::collections::HashSet;

use fancy_regex::Regex;

use super::script::Language;
use super::shell::{ShellParts, is_name};
use crate::linter::Expression;
use crate::program::{CODE_FIRST, INTERPRETERS, SHELL_VALUES, interpreter, is_in};

type Found<'t> = Vec<(usize, &'t str)>;

/// Functions that make code of their argument, by language: of a module below, or with their object.
const CALLS: [(Language, &str); 6] = [
    (
        Language::Python,
        "eval|exec|system|popen|getoutput|getstatusoutput|create_subprocess_shell",
    ),
    (
        Language::JavaScript,
        r"eval|Function|execSync|runInNewContext|runInThisContext|runInContext|vm\.Script",
    ),
    (
        Language::Ruby,
        r"eval|system|exec|IO\.popen|capture2|capture3|instance_eval",
    ),
    (Language::Perl, "eval|system|exec"),
    (Language::Php, "eval|exec|system|passthru|shell_exec"),
    (Language::Lua, r"os\.execute|io\.popen|load"),
];
/// Objects whose functions of these names start programs.
const MODULES: &str = "os subprocess cp child_process childProcess vm Open3 asyncio";
/// The ends of the lines that give such an object another name.
const IMPORTS: [&str; 2] = [
    r#" = require("child_process")"#,
    r#" from "node:child_process""#,
];
/// A longer line is made by a program.
const MAX_LINE_BYTES: usize = 2_000;
/// Interpreters that take code after an operand, or after the value of an option.
const WITH_OPERANDS: &str = "nix-shell osascript php runuser su";
/// The option after which an interpreter in the same line takes code: `["sh", "-c", code]`.
static OPTION: Expression = Expression::new(r#"["']-l?c["'](?=\s*,\s*(.*))"#);
/// A command in back-quotes that expands a value, in Ruby.
static RUBY_COMMAND: Expression = Expression::new(r"(?m)^(?![ \t]*#)[^`\n]*(`)[^`\n]*#\{[^`\n]*`");
/// A command in back-quotes that expands a value, in Perl and PHP.
static PERL_COMMAND: Expression = Expression::new(r"(?m)^(?![ \t]*#)[^`\n]*(`)[^`\n]*\$[^`\n]*`");
/// A value of the call in a shell script.
static SOURCE: Expression = Expression::new(r"[jy]q |\$[123@*]|\$\(cat\)|/dev/stdin");

/// Finds where `text`, without comments unless it is of a shell, makes code of values, and how.
pub(super) fn all(language: Language, text: &str) -> Found<'_> {
    let mut found = Vec::new();
    if language == Language::Shell {
        of_shell(text, &mut found);
        return found;
    }
    if let Some((_, names)) = CALLS.iter().find(|(it, _)| *it == language) {
        calls(language, text, names, &mut found);
    }
    let mark = match language {
        Language::Python => "shell=True",
        Language::JavaScript => "shell: true",
        _ => "",
    };
    if !mark.is_empty() {
        let marks = text.match_indices(mark);
        found.extend(marks.filter(|(at, _)| is_made_before(language, &text[..*at])));
    }
    let command = match language {
        Language::Ruby => Some(&RUBY_COMMAND),
        Language::Perl | Language::Php => Some(&PERL_COMMAND),
        _ => None,
    };
    let commands = command.into_iter().flat_map(|it| it.groups(text));
    found.extend(commands.map(|it| (it.start(), "`")));
    for (start, line) in lines(text) {
        for option in OPTION.captures_iter(line) {
            let (Some(place), Some(code)) = (option.get(0), option.get(1)) else {
                continue;
            };
            // Other programs, such as `grep`, have another `-c`.
            let mut words = line[..place.start()].split(['"', '\'']);
            if words.any(|word| interpreter(word).is_some()) && is_made(language, code.as_str()) {
                found.push((start + place.start(), "-c"));
            }
        }
    }
    found
}

/// The lines of `text` that a person may have written, with their offsets: what is found in one is
/// compared with the rest of it.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut end = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        end += line.len();
        (end - line.len(), line.trim_end())
    });
    lines.filter(|(_, line)| line.len() <= MAX_LINE_BYTES)
}

/// Adds calls of functions that get more than a text written out.
fn calls<'t>(language: Language, text: &'t str, names: &str, found: &mut Found<'t>) {
    let has_exec = language == Language::JavaScript && text.contains("child_process");
    let exec = if has_exec { "|exec" } else { "" };
    // No definition, and no end of a longer name.
    let pattern = format!(
        r#"(?<!def )(?<!function )(?<!sub )(?<![\w"'])(?:(\w+)\.|(?<!\.))({names}{exec})\((?=(.*))"#
    );
    let regex = Regex::new(&pattern).ok();
    let imports = IMPORTS.iter().flat_map(|import| text.match_indices(import));
    let is_name_part = |c: char| c.is_alphanumeric() || c == '_';
    let names = imports.filter_map(|(at, _)| text[..at].rsplit(|c: char| !is_name_part(c)).next());
    let modules: HashSet<&str> = names.chain(MODULES.split_whitespace()).collect();
    let lines = lines(text).filter(|(_, line)| !line.trim_start().starts_with(['#', '/']));
    for (start, line) in lines {
        let calls = regex.iter().flat_map(|it| it.captures_iter(line)).flatten();
        for call in calls {
            let (Some(name), Some(rest)) = (call.get(2), call.get(3)) else {
                continue;
            };
            // `re.exec(` is another function than that of a module for processes.
            let is_module = call.get(1).is_none_or(|it| modules.contains(it.as_str()));
            if is_module && is_made(language, rest.as_str()) {
                found.push((start + name.start(), name.as_str()));
            }
        }
    }
}

/// Returns true if the code that begins here is put together of other values.
fn is_made(language: Language, rest: &str) -> bool {
    let marks: &[&str] = match language {
        Language::Ruby => &["#{"],
        Language::Perl | Language::Php => &["$"],
        _ => &[],
    };
    if rest.starts_with('"') && marks.iter().any(|mark| rest.contains(mark)) {
        return true;
    }
    let is_formatted = ["f\"", "f'", "`"].iter().any(|it| rest.starts_with(it));
    let is_literal = rest.starts_with(['"', '\''])
        && !rest.contains('+')
        && !rest.contains("\" %")
        && !rest.contains("' %")
        && !rest.contains(".format(")
        && !rest.contains("\" . ")
        && !(language == Language::Lua && rest.contains(".."));
    !rest.starts_with([')', ']'])
        && !rest.is_empty()
        && (is_formatted && (rest.contains('{') || rest.contains("${"))
            || !(is_literal || is_formatted))
}

/// Returns true if the call whose option comes after `before` gives a shell more than a text
/// written out.
fn is_made_before(language: Language, before: &str) -> bool {
    let mut depth = 0;
    let mut last = before.char_indices().rev().take(MAX_LINE_BYTES);
    let call = last.find(|(_, c)| {
        depth += i32::from(*c == ')') - i32::from(*c == '(');
        depth < 0
    });
    let given = call.map(|(at, _)| before[at + 1..].trim_start());
    if language == Language::Python {
        // Without a call, it is a text.
        let given = given.map(|it| it.strip_prefix("args=").unwrap_or(it));
        return given.is_some_and(|it| it.is_empty() || is_made(language, it));
    }
    // The arguments of a program are words of the command, too.
    let words = given.and_then(|it| it.rsplit_once('{')).map(|it| it.0);
    let has_name = |it: &str| {
        it.split(['"', '\''])
            .step_by(2)
            .any(|it| it.contains(char::is_alphabetic))
    };
    words.is_none_or(|it| it.is_empty() || has_name(it))
}

/// Adds code that a shell script makes of values: with `eval`, for another interpreter, or as a
/// command.
fn of_shell(text: &str, found: &mut Found<'_>) {
    let variables = variables(text);
    let parts = ShellParts::of(text);
    let documents = parts.documents.into_iter();
    let made = documents.filter(|(_, code)| uses(&text[code.clone()], &variables));
    found.extend(made.map(|(at, _)| (at, "<<")));
    let mut at = 0;
    for commands in parts.code.split_inclusive('\n') {
        let start = at;
        at += commands.len();
        let line = &*text[start..at].replace("\\\n", "  ");
        for (place, _) in commands.match_indices("eval ") {
            let code = line[place + 5..].trim_start().trim_start_matches("-- ");
            // What a shell reads in single quotes, it does not expand; what a program prints is
            // no argument.
            let is_expanded = !code.starts_with('\'') && code.contains('$') && !code.contains("$(");
            if is_command(commands, place) && is_expanded {
                found.push((start + place, "eval"));
            }
        }
        for (names, options) in INTERPRETERS {
            for name in names.split_whitespace() {
                for (place, _) in commands.match_indices(name) {
                    let rest = &line[place + name.len()..];
                    if is_command(commands, place) && runs_value(name, rest, options) {
                        found.push((start + place, options[0]));
                    }
                }
            }
        }
        for name in CODE_FIRST.split_whitespace().chain(["ssh"]) {
            for (place, _) in commands.match_indices(&format!("{name} ")) {
                let code = line[place..].split('|').next().unwrap_or_default();
                let is_made = in_double_quotes(code).any(|it| uses(it, &variables));
                let is_code = name != "ssh" || in_double_quotes(code).any(|it| it.contains(' '));
                if is_command(commands, place) && is_made && is_code {
                    found.push((start + place, name));
                }
            }
        }
        let first = commands.split_whitespace().next().unwrap_or_default();
        if first.starts_with('$') && !first.contains('=') && uses(first, &variables) {
            found.push((start + commands.find('$').unwrap_or(0), "$"));
        }
    }
}

/// Finds the variables of a shell script that hold what the caller sends, or what is made of it.
fn variables(text: &str) -> HashSet<&str> {
    let mut found = HashSet::new();
    let lines = text.lines().map(str::trim_start);
    for line in lines.filter(|line| !line.starts_with('#')) {
        let line = ["local ", "export ", "readonly ", "declare "]
            .iter()
            .find_map(|word| line.strip_prefix(word))
            .unwrap_or(line);
        if let Some((name, value)) = line.split_once('=').filter(|(name, _)| is_name(name))
            && (SOURCE.find(value).is_some() || uses(value, &found))
        {
            found.insert(name);
        }
        let words = line
            .split(';')
            .filter_map(|part| part.trim().strip_prefix("read "));
        let names = words.flat_map(str::split_whitespace);
        found.extend(names.filter(|name| is_name(name)));
    }
    found
}

/// A variable that is expanded.
static VARIABLE: Expression = Expression::new(r"(?<!\\)\$\{?(\w+)");

/// Returns true if `text` expands one of the variables.
fn uses(text: &str, variables: &HashSet<&str>) -> bool {
    let mut found = VARIABLE.groups(text);
    found.any(|name| variables.contains(name.as_str()))
}

/// Returns true if a command can begin at this place of the line.
fn is_command(line: &str, at: usize) -> bool {
    let before = &line[..at];
    before.is_empty() || before.ends_with([' ', '\t', '(', '|', ';', '&', '`', '/'])
}

/// Returns true if the interpreter `name` with these arguments runs code that has values in it.
fn runs_value(name: &str, rest: &str, options: &[&str]) -> bool {
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.starts_with(' ') {
        return false;
    }
    let place = options.iter().find_map(|option| {
        let letter = option.trim_start_matches('-');
        let mut before = "";
        // The options after a script are its own.
        let words = rest.split_whitespace().take_while(|word| {
            let before = std::mem::replace(&mut before, *word);
            let is_option = word.starts_with(['-', '+']);
            is_option || is_in(before, SHELL_VALUES) || is_in(name, WITH_OPERANDS)
        });
        let mut words = words.take(6).filter(|word| word.starts_with('-'));
        let word = words.find(|word| {
            *word == *option
                || (letter.len() == 1 && !word.starts_with("--") && word.ends_with(letter))
        })?;
        rest.find(word).map(|at| at + word.len())
    });
    let Some(code) = place.map(|at| rest[at..].trim_start()) else {
        return false;
    };
    let code = match code.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default(),
        None if code.starts_with('\'') => return false,
        None => code.split_whitespace().next().unwrap_or_default(),
    };
    code.match_indices('$')
        .any(|(at, _)| !code[..at].ends_with('\\') && !code[at..].starts_with("$("))
}

/// The texts in double quotes that are words of their own: `-v x="$a"` gives a variable a value.
fn in_double_quotes(text: &str) -> impl Iterator<Item = &str> {
    let parts: Vec<&str> = text.split('"').collect();
    let quoted = (1..parts.len()).step_by(2);
    let alone = quoted.filter(|at| !parts[at - 1].ends_with('='));
    let found: Vec<&str> = alone.map(|at| parts[at]).collect();
    found.into_iter()
}
