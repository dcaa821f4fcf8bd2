//! What a tool runs: programs that are not there, and variables that are not declared.

use cogtools_core::Level;
use cogtools_core::suggest::did_you_mean;
use cogtools_core::text::Span;
use cogtools_core::yaml::Node;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::program::{PROGRAMS, Role, is_known, words};
use crate::rule::{Rule, case};
use crate::{env_use, tool_script};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "missing-program",
        level: Level::Warn,
        summary: "a program next to the tool that does not exist or is not executable, or the nearly right name of a well-known one",
        why: "every call fails",
        fix: "correct the name, or make the file executable with `chmod +x`",
        fixable: false,
        fails: case!("missing-program/fails"),
        passes: case!("missing-program/passes"),
        check: missing_program,
    },
    Rule {
        name: "undeclared-env",
        level: Level::Warn,
        summary: "a variable that a script reads and `env` does not name",
        why: "a program sees only PATH and the variables under `env`: this one is never set",
        fix: "add the name to `env`",
        fixable: false,
        fails: case!("undeclared-env/fails"),
        passes: case!("undeclared-env/passes"),
        check: undeclared_env,
    },
    Rule {
        name: "unused-env",
        level: Level::Warn,
        summary: "a variable under `env` that nothing can read: of a template, of code in JavaScript, or of a script that does not mention it",
        why: "it says that the tool needs a secret or a setting that it does not use",
        fix: "remove it, or correct the name",
        fixable: false,
        fails: case!("unused-env/fails"),
        passes: case!("unused-env/passes"),
        check: unused_env,
    },
];

fn missing_program(file: &LintFile, findings: &mut Findings<'_>) {
    let all = words(file);
    let mut found: Vec<(&str, Span, bool)> = Vec::new();
    for (index, word) in all.iter().enumerate() {
        if word.role == Role::Program && !word.is_template {
            found.push((word.text, word.span, index == 0));
        }
    }
    let script = file
        .value("implementation")
        .and_then(|node| node.get("script"));
    if let Some((node, name)) = script.and_then(|node| Some((node, interpreter(node.text()?)?))) {
        let span = tool_script::find(file, node, name);
        found.push((name, span, false));
    }
    for (name, span, is_started) in found {
        let is_relative = name.starts_with("./") || name.starts_with("../");
        let is_script = !is_started && name.contains('/') && !name.starts_with('/');
        if is_script && !name.contains(['~', '$', '*']) {
            // An interpreter looks for it in the folder that the tool runs in.
            let mut folders = file.path.ancestors().skip(1);
            if !folders.any(|folder| folder.join(name).exists()) {
                findings.report(span, format!("there is no file `{name}`"));
            }
            continue;
        }
        if is_relative && is_started {
            let path = file.path.parent().map(|folder| folder.join(name));
            let Some(path) = path else { continue };
            if !path.exists() {
                findings.report(span, format!("there is no `{name}` next to the tool"));
            } else if !cogtools_core::shebang::is_executable(&path) || path.is_dir() {
                findings.report(span, format!("`{name}` is not executable"));
            }
            continue;
        }
        let base = name.rsplit('/').next().unwrap_or(name);
        let is_plain = !name.contains('/')
            || ["/bin/", "/usr/bin/", "/usr/local/bin/"]
                .iter()
                .any(|it| name.starts_with(it));
        if !is_plain || is_known(base) || is_on_path(name) {
            continue;
        }
        let known = PROGRAMS
            .split_ascii_whitespace()
            .filter(|known| known.len() > 1);
        if let Some(suggestion) = did_you_mean(base, known).filter(|_| base.len() > 2) {
            findings
                .report(span, format!("there is no program `{name}`"))
                .fix(suggestion);
        }
    }
}

/// Whether such a program is installed here: then the name is meant.
fn is_on_path(name: &str) -> bool {
    let folders = ["/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"];
    let mut folders = folders.iter().map(std::path::Path::new);
    folders.any(|folder| folder.join(name).exists())
}

/// The interpreter in the first line of a script.
fn interpreter(script: &str) -> Option<&str> {
    let line = script.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace();
    let first = words.next()?;
    if first.ends_with("/env") {
        return words.find(|word| !word.starts_with('-') && !word.contains('='));
    }
    Some(first)
}

fn undeclared_env(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(tool) = &file.tool else {
        return;
    };
    for script in tool_script::of(file) {
        for (name, at) in script.script().reads() {
            if !tool.env().contains(&name) {
                let message = format!("`{name}` is not under `env`");
                let suggestion = did_you_mean(&name, tool.env().iter().map(String::as_str));
                let finding = findings.report_at(script.location(file, at, name.len()), message);
                if let Some(suggestion) = suggestion {
                    finding.fix(suggestion);
                }
            }
        }
    }
}

fn unused_env(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(tool) = &file.tool else {
        return;
    };
    let names = file
        .value("env")
        .and_then(Node::items)
        .into_iter()
        .flatten();
    let scripts = tool_script::of(file);
    let words = words(file);
    for node in names {
        let Some(name) = node.text() else { continue };
        let message = if tool.is_template() || tool.js().is_some() {
            format!("a tool of this kind cannot read `{name}`")
        } else if scripts.is_empty() && env_use::is_deaf(&words, name) {
            format!("the command does not read `{name}`")
        } else if !scripts.is_empty()
            && !scripts
                .iter()
                .any(|it| env_use::may_read(it, name, tool.env()))
        {
            format!("the script does not read `{name}`")
        } else {
            continue;
        };
        findings.report(node.span, message);
    }
}
