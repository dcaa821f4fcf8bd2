//! Mistakes of scripts and command lines that a call only shows when it fails: how arguments
//! arrive, what the interpreter reads, what the sandbox and the clock allow.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use cogtools_core::process::Process;
use cogtools_core::schema::Schema;
use cogtools_core::yaml::Node;
use cogtools_core::{Cancel, Level};

use super::annotation::{commands, programs};
use crate::finding::Findings;
use crate::js_analysis::{self, Mistake};
use crate::js_types::Misuse;
use crate::json_keys;
use crate::lint_file::LintFile;
use crate::linter::{Expression, Rule, example};
use crate::program::{
    Language, NETWORK, NETWORK_COMMANDS, Role, assigned, base, expansions, interpreter_of,
    is_among, is_in, words,
};
use crate::tool_script::{self, ToolScript};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "script-input",
        level: Level::Error,
        summary: "a script that takes the arguments of the call from where they are not: `{{ name }}`, `$1`, `sys.argv`, `process.argv`, or a key of the JSON on standard input that no parameter has",
        why: "a script is no template, and it has no arguments: they come as one JSON object on standard input",
        fix: "read standard input, as by `jq -r .name`, `json.load(sys.stdin)` or `JSON.parse(require(\"fs\").readFileSync(0))`",
        example: example!("script-input"),
        check: script_input,
    },
    Rule {
        name: "script-error",
        level: Level::Error,
        summary: "a script that does not parse, in JavaScript, or as the installed shell or Python says; a name that nothing in a script for Python defines",
        why: "every call fails",
        fix: "correct the code",
        example: example!("script-error"),
        check: script_error,
    },
    Rule {
        name: "joined-option",
        level: Level::Warn,
        summary: "an option and its value in one element of `exec`",
        why: "no shell divides it: the program looks for an option with a blank in its name",
        fix: "write two elements, or `--option=value`",
        example: example!("joined-option"),
        check: joined_option,
    },
    Rule {
        name: "long-timeout",
        level: Level::Warn,
        summary: "a `timeout` of 1,000 seconds or more, which looks like milliseconds",
        why: "`timeout` is in seconds: a call that hangs blocks its caller for hours",
        fix: "write seconds, such as `timeout: 30`",
        example: example!("long-timeout"),
        check: long_timeout,
    },
    Rule {
        name: "offline-program",
        level: Level::Warn,
        summary: "a program that needs the network, such as `curl`, in a sandbox without `net`",
        why: "every call fails: the sandbox has no network",
        fix: "add `net: true` to the sandbox",
        example: example!("offline-program"),
        check: offline_program,
    },
];

/// The scripts in the tool file, which get the arguments on standard input.
fn scripts(file: &LintFile) -> impl Iterator<Item = ToolScript> {
    let scripts = tool_script::of(file).into_iter();
    scripts.filter(ToolScript::is_whole)
}

/// The forms of positional arguments in a shell; texts in single quotes, such as programs of `awk`,
/// are left out before.
static SHELL_ARGUMENT: Expression = Expression::new(r"\$\{?[1-9]\b|\$[@#*](?!\w)|\bgetopts\b");
/// The arguments of a program in Python.
static PYTHON_ARGUMENT: Expression = Expression::new(r"\bsys\.argv\b(?!\[0)|\.parse_args\(\)");
/// The arguments of a program in Node.
static NODE_ARGUMENT: Expression = Expression::new(r"\bprocess\.argv\b|\bparseArgs\(\)");
/// The name in a template.
static TEMPLATE: Expression = Expression::new(r"\{\{-?\s*([A-Za-z_]\w*)");

fn script_input(file: &LintFile, findings: &mut Findings<'_>) {
    let schema = file.schema();
    let names = schema.and_then(Schema::names).unwrap_or_default();
    for script in scripts(file) {
        let text = script.text();
        let language = script.language;
        for found in TEMPLATE.captures_iter(text) {
            let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else {
                continue;
            };
            if names.contains(&name.as_str()) {
                let location = script.location(file, whole.start(), whole.as_str().len());
                let message = format!(
                    "a script is no template: nothing replaces `{}`",
                    name.as_str()
                );
                findings.report_at(location, message);
            }
        }
        for (at, path) in json_keys::all(language, text) {
            let (key, rest) = path.split_once('.').unwrap_or((path, ""));
            if let Some((parent, member)) = schema.and_then(|it| missing_member(it, key, rest)) {
                let start = at + path.rfind(member).unwrap_or_default();
                let location = script.location(file, start, member.len());
                findings.report_at(location, format!("`{parent}` has no member `{member}`"));
            }
            if !names.is_empty() && !names.contains(&key) {
                let location = script.location(file, at, key.len());
                findings
                    .report_at(location, format!("no parameter is named `{key}`"))
                    .meant_among(key, names.iter().copied());
            }
        }
        let members = json_keys::members(language, text).into_iter();
        for (at, name) in members.filter(|(_, name)| names.contains(name)) {
            let location = script.location(file, at, name.len());
            findings
                .report_at(location, format!("a dict has no attribute `{name}`"))
                .fix(format!("write `[\"{name}\"]`"));
        }
        if let Some((at, name)) = unset_variable(file, &script, &names) {
            let location = script.location(file, at, name.len() + 1);
            let message = format!("nothing sets `${name}`: the arguments are on standard input");
            let fix = format!("write `{name}=$(jq -r .{name})` before, or `{name}=$(cat | jq …)`");
            findings.report_at(location, message).fix(fix);
        }
        // Functions of a shell have arguments, and so has a script that sets its own.
        let is_own = ["() {", "(){", "function ", "set -- "]
            .iter()
            .any(|it| text.contains(it));
        let (expression, plain) = match language {
            Language::Shell if !is_own => (&SHELL_ARGUMENT, script.active()),
            Language::Python => (&PYTHON_ARGUMENT, text.to_owned()),
            Language::JavaScript => (&NODE_ARGUMENT, text.to_owned()),
            _ => continue,
        };
        if let Some(found) = expression.find(&plain) {
            let message = format!("`{}` is empty: a script has no arguments", found.as_str());
            let location = script.location(file, found.start(), found.as_str().len());
            findings.report_at(location, message);
        }
    }
}

/// The first member of the parameter `key` on the way `rest` that its schema does not declare, and the
/// way to the object that lacks it.
fn missing_member<'r>(schema: &Schema, key: &str, rest: &'r str) -> Option<(String, &'r str)> {
    let mut path = vec![key.to_owned()];
    for member in rest.split('.').filter(|member| !member.is_empty()) {
        let object = schema.at(path.iter().map(String::as_str))?;
        let is_closed = !object.contains_key("additionalProperties");
        let declared = object.get("properties")?.as_object()?;
        if !declared.contains_key(member) {
            return is_closed.then(|| (path.join("."), member));
        }
        path.push(member.to_owned());
    }
    None
}

/// The first variable that a shell script reads, nothing sets, and a parameter has the name of.
fn unset_variable<'n>(
    file: &LintFile,
    script: &ToolScript,
    names: &[&'n str],
) -> Option<(usize, &'n str)> {
    let sets_others = ["eval", "source ", "\n. ", "read"];
    let text = script.text();
    if script.language != Language::Shell || sets_others.iter().any(|it| text.contains(it)) {
        return None;
    }
    let env = file.value("env").and_then(Node::items).unwrap_or_default();
    let set = assigned(text);
    let is_set = |name: &str| set.contains(name) || env.iter().any(|it| it.text() == Some(name));
    let unset = names.iter().copied().filter(|name| !is_set(name));
    let unset: HashSet<&str> = unset.collect();
    let active = script.active();
    let mut read = expansions(&active).into_iter();
    read.find_map(|(at, name)| Some((at, *unset.get(name)?)))
}

/// The scripts for Node, each as a parser understands it.
fn node_scripts(file: &LintFile) -> Vec<(ToolScript, Result<Vec<Misuse>, Mistake>)> {
    let Some(tool) = &file.tool else {
        return Vec::new();
    };
    let is_node = |script: &ToolScript| {
        let line = script.text().lines().next().unwrap_or_default();
        script.language == Language::JavaScript && line.contains("node")
    };
    let scripts = scripts(file).filter(is_node);
    let parse = |script: ToolScript| {
        let found = js_analysis::script(script.text(), tool.schema.as_object());
        (script, found)
    };
    scripts.map(parse).collect()
}

/// The uses of arguments in scripts that the parameters contradict.
pub(super) fn misuses(file: &LintFile) -> Vec<(ToolScript, Misuse)> {
    let mut found = Vec::new();
    for (script, result) in node_scripts(file) {
        let misuses = result.unwrap_or_default().into_iter();
        found.extend(misuses.map(|misuse| (script.clone(), misuse)));
    }
    found
}

fn script_error(file: &LintFile, findings: &mut Findings<'_>) {
    for (script, result) in node_scripts(file) {
        if let Err((message, span)) = result {
            let at = script.text().floor_char_boundary(span.start as usize);
            findings.report_at(script.location(file, at, 1), message);
        }
    }
    for script in scripts(file) {
        for (line, message) in interpreter_errors(&script) {
            let lines = script.text().split_inclusive('\n');
            let at: usize = lines.take(line.saturating_sub(1)).map(str::len).sum();
            let rest = script.text().get(at..).unwrap_or_default();
            let indent = rest.len() - rest.trim_start().len();
            let at = (at + indent).min(script.text().len());
            findings.report_at(script.location(file, at, 1), message);
        }
    }
}

/// The longest time that an interpreter may take to parse a script.
const PARSE_TIME: Duration = Duration::from_secs(2);
/// A program that parses what it reads, and runs nothing of it.
const PYTHON: &str = include_str!("names.py");
/// The line and the message of a shell or of the program above.
static PARSED: Expression = Expression::new(r"(?m)(?:^|line |: ?)(\d+)\)?: (?:\w+: )?(.+)$");

/// The lines, from 1, and the messages of the interpreter that a script names, if it is installed
/// and finds mistakes in the script. Nothing of the script runs.
fn interpreter_errors(script: &ToolScript) -> Vec<(usize, String)> {
    let text = script.text();
    let shell = base(interpreter_of(text).unwrap_or_default());
    let (name, args, count): (&str, &[&str], usize) = match script.language {
        // No other shell knows its syntax. With the name of a file, all of them say the line. What
        // comes after the first mistake may follow from it.
        Language::Shell => (shell, &["-n", "/dev/stdin"], 1),
        Language::Python => ("python3", &["-I", "-S", "-c", PYTHON], usize::MAX),
        _ => return Vec::new(),
    };
    let folders = ["/bin", "/usr/bin", "/usr/local/bin"].map(Path::new);
    let mut paths = folders.iter().map(|it| it.join(name));
    let Some(program) = paths.find(|path| path.is_file()) else {
        return Vec::new();
    };
    let process = Process::new(program, "/")
        .args(args)
        .input(text)
        .timeout(PARSE_TIME);
    let output = process.run(&Cancel::default()).ok();
    let bytes = output.map(|it| it.stderr.bytes).unwrap_or_default();
    let errors = String::from_utf8_lossy(&bytes);
    let found = PARSED.captures_iter(&errors).take(count);
    let found = found.filter_map(|found| {
        let line = found.get(1)?.as_str().parse().ok()?;
        Some((line, found.get(2)?.as_str().replace('`', "'")))
    });
    found.collect()
}

/// An option and its value: `-o value`, `--option value`.
static JOINED: Expression = Expression::new(r"(?s)^(-[A-Za-z]|--[A-Za-z][A-Za-z0-9-]*) .*\S");

fn joined_option(file: &LintFile, findings: &mut Findings<'_>) {
    let mut before = "";
    for word in words(file) {
        let is_short = |text: &str| text.len() == 2 && text.starts_with('-');
        let is_after_option = is_short(std::mem::replace(&mut before, word.text));
        let Some(option) = JOINED.groups(word.text).next() else {
            continue;
        };
        // The value of an option can look like another one: `-m "-x is gone"`.
        let is_value = is_after_option && is_short(option.as_str());
        let is_code = matches!(word.role, Role::Code | Role::Value | Role::Program);
        if !is_code && !is_value {
            let message = format!("`{}` and its value are one element", option.as_str());
            findings.report(word.span, message);
        }
    }
}

fn long_timeout(file: &LintFile, findings: &mut Findings<'_>) {
    let seconds = file
        .value("timeout")
        .and_then(|node| node.to_json().as_f64());
    if let Some((seconds, entry)) = seconds.zip(file.entry("timeout"))
        && seconds >= 1_000.0
    {
        let minutes = (seconds / 60.0).round();
        findings.report(
            entry.span,
            format!("{seconds} seconds are {minutes} minutes"),
        );
    }
}

fn offline_program(file: &LintFile, findings: &mut Findings<'_>) {
    let sandbox = file
        .entry("sandbox")
        .filter(|it| it.value.entries().is_some());
    let Some(sandbox) = sandbox else {
        return;
    };
    let net = sandbox.value.get("net").map(Node::to_json);
    if net.is_some_and(|net| net != false) {
        return;
    }
    let programs = programs(file);
    let program = programs.iter().find(|name| is_in(name, NETWORK)).cloned();
    let command = || {
        let mut commands = commands(file).into_iter();
        commands.find(|(program, name)| is_among(NETWORK_COMMANDS, program, name))
    };
    let needs = program
        .or_else(|| command().map(|(program, name)| format!("{program} {name}")))
        .or_else(|| tool_script::of(file).iter().find_map(requests));
    if let Some(needs) = needs {
        findings.report(sandbox.span, format!("`{needs}` needs the network"));
    }
}

/// Calls that request a URL.
static REQUESTS: Expression = Expression::new(
    r"\b(urllib\.request\.urlopen|(?:requests|httpx)\.(?:get|post|put|patch|delete|request))\(",
);
/// The call by which JavaScript requests a URL.
static FETCH: Expression = Expression::new(r"(?<![\w.])(fetch)\(");

/// The call in a script that requests a URL.
fn requests(script: &ToolScript) -> Option<String> {
    let expression = match script.language {
        Language::Python => &REQUESTS,
        Language::JavaScript => &FETCH,
        _ => return None,
    };
    let mut found = expression.groups(script.text());
    Some(found.next()?.as_str().to_owned())
}
