//! Places where a script makes code of a text that it has not written itself.

use std::collections::HashSet;

use super::script::Language;
use super::shell::{is_name, name_at};
use crate::program::{CODE_FIRST, INTERPRETERS, interpreter, is_in};

type Found = Vec<(usize, &'static str)>;

/// Functions that make code of their argument, by language.
const CALLS: [(Language, &str); 6] = [
    (
        Language::Python,
        "eval( exec( os.system( os.popen( system( popen( getoutput( getstatusoutput( \
         create_subprocess_shell(",
    ),
    (
        Language::JavaScript,
        "eval( Function( execSync( runInNewContext( runInThisContext( runInContext( vm.Script(",
    ),
    (
        Language::Ruby,
        "eval( system( exec( IO.popen( capture2( capture3( instance_eval(",
    ),
    (Language::Perl, "eval( system( exec("),
    (Language::Php, "eval( exec( system( passthru( shell_exec("),
    (Language::Lua, "os.execute( io.popen( load("),
];
/// Objects whose functions of these names start programs.
const MODULES: &str = "os subprocess cp child_process childProcess vm Open3 asyncio";
/// Words that hold a value of the call in a shell script.
const SOURCES: [&str; 9] = [
    "jq ",
    "$1",
    "$2",
    "$3",
    "$@",
    "$*",
    "$(cat)",
    "yq ",
    "/dev/stdin",
];

/// Finds where `text` makes code of values, and how.
pub(super) fn all(language: Language, text: &str) -> Found {
    let mut found = Vec::new();
    if language == Language::Shell {
        of_shell(text, &mut found);
        return found;
    }
    let own = CALLS.iter().filter(|(it, _)| *it == language);
    for call in own.flat_map(|(_, names)| names.split_whitespace()) {
        calls(language, text, call, &mut found);
    }
    match language {
        Language::Python => {
            let places = text.match_indices("shell=True");
            found.extend(places.map(|(at, _)| (at, "shell=True")));
        }
        Language::JavaScript => {
            if text.contains("child_process") {
                calls(language, text, "exec(", &mut found);
            }
            let places = text.match_indices("shell: true");
            found.extend(places.map(|(at, _)| (at, "shell: true")));
        }
        Language::Ruby => found.extend(expanded(text, '`', "#{").map(|at| (at, "`"))),
        Language::Perl | Language::Php => {
            found.extend(expanded(text, '`', "$").map(|at| (at, "`")));
        }
        _ => {}
    }
    // `["sh", "-c", code]`
    for option in ["\"-c\"", "'-c'", "\"-lc\"", "'-lc'"] {
        for (at, _) in text.match_indices(option) {
            let rest = text[at + option.len()..].trim_start();
            // Other programs, such as `grep`, have another `-c`.
            let before = text[..at].rsplit('\n').next().unwrap_or_default();
            let mut words = before.split(['"', '\'']);
            let is_code = words.any(|word| interpreter(word).is_some());
            if is_code
                && rest
                    .strip_prefix(',')
                    .is_some_and(|rest| is_made(language, rest.trim_start()))
            {
                found.push((at, "-c"));
            }
        }
    }
    found
}

/// Adds calls of a function that get more than a text written out.
fn calls(language: Language, text: &str, call: &'static str, found: &mut Found) {
    for (at, _) in text.match_indices(call) {
        let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
        let before = &text[start..at];
        let object = before.strip_suffix('.').map(|before| {
            before
                .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
                .next()
                .unwrap_or_default()
        });
        // `re.exec(` is another function than that of a module for processes.
        let is_module = object.is_none_or(|object| {
            is_in(object, MODULES)
                || text.contains(&format!("{object} = require(\"child_process\")"))
                || text.contains(&format!("{object} from \"node:child_process\""))
        });
        let is_inner =
            before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | '\''));
        let is_definition = ["def ", "function ", "sub "]
            .iter()
            .any(|it| before.ends_with(it));
        if is_inner || !is_module || is_definition || before.trim_start().starts_with(['#', '/']) {
            continue;
        }
        if is_made(language, &text[at + call.len()..]) {
            found.push((at, call.trim_end_matches('(')));
        }
    }
}

/// Finds texts in this quote that expand a value.
fn expanded<'t>(text: &'t str, quote: char, mark: &'t str) -> impl Iterator<Item = usize> + 't {
    text.lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .filter_map(move |line| {
            let (_, rest) = line.split_once(quote)?;
            let (code, _) = rest.split_once(quote)?;
            let at = line.as_ptr().addr() - text.as_ptr().addr() + line.find(quote)?;
            code.contains(mark).then_some(at)
        })
}

/// Returns true if the code that begins here is put together of other values.
fn is_made(language: Language, rest: &str) -> bool {
    let rest = rest.lines().next().unwrap_or_default();
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
        && !rest.contains("..");
    !rest.starts_with([')', ']'])
        && !rest.is_empty()
        && (is_formatted && (rest.contains('{') || rest.contains("${"))
            || !(is_literal || is_formatted))
}

/// Adds code that a shell script makes of values: with `eval`, for another interpreter, or as a
/// command.
fn of_shell(text: &str, found: &mut Found) {
    let variables = variables(text);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.trim_start().starts_with('#') {
            continue;
        }
        for (place, _) in line.match_indices("eval ") {
            let code = line[place + 5..].trim_start().trim_start_matches("-- ");
            // What a shell reads in single quotes, it does not expand; what a program prints is
            // no argument.
            let is_expanded = !code.starts_with('\'') && code.contains('$') && !code.contains("$(");
            if is_command(line, place) && is_expanded {
                found.push((start + place, "eval"));
            }
        }
        for (names, options) in INTERPRETERS {
            for name in names.split_whitespace() {
                for (place, _) in line.match_indices(name) {
                    if is_command(line, place) && runs_value(&line[place + name.len()..], options) {
                        found.push((start + place, options[0]));
                    }
                }
            }
        }
        for name in CODE_FIRST.split_whitespace().chain(["ssh"]) {
            for (place, _) in line.match_indices(&format!("{name} ")) {
                let code = line[place..].split('|').next().unwrap_or_default();
                let is_made = in_double_quotes(code).any(|it| uses(it, &variables));
                let is_code = name != "ssh" || in_double_quotes(code).any(|it| it.contains(' '));
                if is_command(line, place) && is_made && is_code {
                    found.push((start + place, name));
                }
            }
        }
        let first = line.split_whitespace().next().unwrap_or_default();
        if first.starts_with('$') && !first.contains('=') && uses(first, &variables) {
            found.push((start + line.find('$').unwrap_or(0), "$"));
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
        if let Some((name, value)) = line.split_once('=').filter(|(name, _)| is_name(name)) {
            let is_source = SOURCES.iter().any(|source| value.contains(source));
            if is_source || uses(value, &found) {
                found.insert(name);
            }
        }
        let words = line
            .split(';')
            .filter_map(|part| part.trim().strip_prefix("read "));
        let names = words.flat_map(str::split_whitespace);
        found.extend(names.filter(|name| is_name(name)));
    }
    found
}

/// Returns true if `text` expands one of the variables.
fn uses(text: &str, variables: &HashSet<&str>) -> bool {
    text.match_indices('$').any(|(at, _)| {
        let rest = &text[at + 1..];
        let name = name_at(rest.strip_prefix('{').unwrap_or(rest));
        !text[..at].ends_with('\\') && variables.contains(&name)
    })
}

/// Returns true if a command can begin at this place of the line.
fn is_command(line: &str, at: usize) -> bool {
    let before = &line[..at];
    before.is_empty()
        || before.ends_with([' ', '\t', '(', '|', ';', '&', '`', '/', '"'])
            && !before.contains(" #")
}

/// Returns true if an interpreter with these arguments runs code that has values in it.
fn runs_value(rest: &str, options: &[&str]) -> bool {
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.starts_with(' ') {
        return false;
    }
    let place = options.iter().find_map(|option| {
        let letter = option.trim_start_matches('-');
        let words = rest.split_whitespace().take(6);
        let word = words.filter(|word| word.starts_with('-')).find(|word| {
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
