//! Programs that are not there, and variables that are not declared.

use std::path::Path;

use cogtools_core::Level;
use cogtools_core::suggest::Suggestion;
use cogtools_core::text::Span;
use cogtools_core::yaml::Node;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Expression, Rule, example};
use crate::program::{
    Language, PROGRAMS, Role, Word, base, commands, interpreter_of, is_in, is_known, words,
    words_of,
};
use crate::tool_script::{self, ToolScript};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "missing-program",
        level: Level::Warn,
        summary: "a program next to the tool that does not exist or is not executable, or the nearly right name of a well-known one",
        why: "every call fails",
        fix: "correct the name, or make the file executable with `chmod +x`",
        example: example!("missing-program"),
        check: missing_program,
    },
    Rule {
        name: "undeclared-env",
        level: Level::Warn,
        summary: "a variable that a script reads and `env` does not name",
        why: "a program sees only PATH and the variables under `env`: this one is never set",
        fix: "add the name to `env`",
        example: example!("undeclared-env"),
        check: undeclared_env,
    },
    Rule {
        name: "unused-env",
        level: Level::Warn,
        summary: "a variable under `env` that nothing can read: of a template, of code in JavaScript, or of a script that does not mention it",
        why: "it says that the tool needs a secret or a setting that it does not use",
        fix: "remove it, or correct the name",
        example: example!("unused-env"),
        check: unused_env,
    },
];

fn missing_program(file: &LintFile, findings: &mut Findings<'_>) {
    let mut found: Vec<(&str, Span, bool)> = Vec::new();
    for (platform, list) in commands(file) {
        // The programs of other platforms are not here.
        let is_own = platform.is_none_or(|platform| platform == std::env::consts::OS);
        let words = words_of(list).into_iter().enumerate().filter(|_| is_own);
        for (index, word) in words {
            if word.role == Role::Program && !word.is_template {
                found.push((word.text, word.span, index == 0));
            }
        }
    }
    let script = file.implementation("script");
    if let Some((node, name)) = script.and_then(|node| Some((node, interpreter_of(node.text()?)?)))
    {
        let span = tool_script::find(file, node, name);
        let line = node
            .text()
            .unwrap_or_default()
            .trim_start_matches("#!")
            .trim_start();
        if line.starts_with(name) && !name.starts_with('/') {
            findings
                .report(span, format!("the system needs the path of `{name}`"))
                .fix(format!("write `#!/usr/bin/env {name}`"));
            return;
        }
        let first = line.lines().next().unwrap_or_default();
        let rest = first
            .split_once("/env ")
            .map_or("", |(_, rest)| rest.trim());
        if rest.strip_prefix(name).is_some_and(|rest| !rest.is_empty()) {
            findings
                .report(
                    span,
                    format!("`env` takes `{rest}` for the name of one program"),
                )
                .fix(format!("write `#!/usr/bin/env -S {rest}`"));
            return;
        }
        found.push((name, span, false));
    }
    for (name, span, is_started) in found {
        let is_relative = name.starts_with("./") || name.starts_with("../");
        let is_source = Path::new(name).extension().is_some_and(|it| {
            it.to_str()
                .is_some_and(|it| is_in(it, "cjs js lua mjs php pl py rb sh ts"))
        });
        let is_script = !is_started && (name.contains('/') || is_source) && !name.starts_with('/');
        if is_script && !name.contains(['~', '$', '*']) {
            script_path(file, name, span, findings);
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
        let base = base(name);
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
        if let Some(suggestion) = Suggestion::of(base, known).filter(|_| base.len() > 2) {
            findings
                .report(span, format!("there is no program `{name}`"))
                .fix(suggestion);
        }
    }
}

/// Reports a script that an interpreter does not find: it looks for it in the project's root, in
/// which the tool runs.
fn script_path(file: &LintFile, name: &str, span: Span, findings: &mut Findings<'_>) {
    const MARKERS: [&str; 4] = [".git", ".cogtoolrc.yaml", ".gemini", "package.json"];
    let mut folders = file.path.ancestors().skip(1);
    let own = folders.next().unwrap_or(&file.path);
    let cwd = file.implementation("cwd");
    let is_in_folder = cwd.and_then(Node::text) == Some("tool");
    let mut above = folders.clone();
    if is_in_folder && own.join(name).exists()
        || !is_in_folder && above.any(|folder| folder.join(name).exists())
    {
        return;
    }
    if !own.join(name).exists() {
        findings.report(span, format!("there is no file `{name}`"));
        return;
    }
    let is_marked = |folder: &Path| MARKERS.iter().any(|it| folder.join(it).exists());
    let root = folders
        .find(|folder| is_marked(folder))
        .filter(|_| !is_marked(own));
    if let Some(path) = root.and_then(|root| own.strip_prefix(root).ok()) {
        let message = format!("`{name}` is next to the tool, which runs in the project's root");
        let path = path.join(name.trim_start_matches("./"));
        findings
            .report(span, message)
            .fix(format!("write `{}`", path.display()));
    }
}

/// Returns true if such a program is installed here: then the name is meant.
fn is_on_path(name: &str) -> bool {
    let folders = ["/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"];
    let mut folders = folders.iter().map(Path::new);
    folders.any(|folder| folder.join(name).exists())
}

fn undeclared_env(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(tool) = &file.tool else {
        return;
    };
    for script in tool_script::of(file) {
        for (name, at) in script.reads() {
            if !tool.env.contains(&name) {
                let message = format!("`{name}` is not under `env`");
                findings
                    .report_at(script.location(file, at, name.len()), message)
                    .meant_among(&name, tool.env.iter().map(String::as_str));
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
        } else if scripts.is_empty() && is_deaf(&words, name) {
            format!("the command does not read `{name}`")
        } else if !scripts.is_empty() && !scripts.iter().any(|it| may_read(it, name, &tool.env)) {
            format!("the script does not read `{name}`")
        } else {
            continue;
        };
        findings.report(node.span, message);
    }
}

/// Beginnings of variables that many programs know, and whole names.
const KNOWN: &str = "AWS_ AZURE_ CARGO_ DOCKER_ GCLOUD_ GH_ GIT_ GITHUB_ GO GOOGLE_ HOME HTTP \
    JAVA_ KUBE LANG LC_ LD_ NODE_ NO_ NPM_ PG PYTHON RUST SSH_ SSL_ XDG_";
const WHOLE: &str = "ALL_PROXY COLUMNS DISPLAY EDITOR PAGER PATH SHELL TEMP TERM TMP TMPDIR TZ \
    USER VISUAL";
/// Programs that read no variables of their own.
const DEAF: &str = "base64 basename cat cp cut date diff dirname echo false file find grep gzip \
    head jq ls md5sum mkdir mv paste printf realpath rm sed seq sha256sum sleep sort stat tail tar \
    tee touch tr true uniq wc";
/// A script that hands on the whole environment.
static ALL: Expression = Expression::new(
    r"environ\.copy\(\)|os\.environ\)|process\.env\)|\.\.\.process\.env|env \||printenv",
);

/// Returns true for a variable that many programs know.
fn is_of_all(name: &str) -> bool {
    let upper = name.to_uppercase();
    is_in(name, WHOLE) || KNOWN.split(' ').any(|prefix| upper.starts_with(prefix))
}

/// Returns true if none of the programs of a command reads the variable `name`.
fn is_deaf(words: &[Word<'_>], name: &str) -> bool {
    let programs = words.iter().filter(|word| word.role == Role::Program);
    let mut programs = programs.peekable();
    programs.peek().is_some()
        && programs.all(|word| is_in(word.text, DEAF))
        && !words.iter().any(|word| word.text.contains(name))
        && !is_of_all(name)
}

/// Returns true if a script mentions `name`, or runs something that can read it: variables that
/// many programs know, and those that begin with the name of what the script mentions.
fn may_read(script: &ToolScript, name: &str, env: &[String]) -> bool {
    if script.language == Language::Other && !script.is_of_file() {
        return true;
    }
    let text = script.text();
    if text.contains(name) {
        return true;
    }
    let read: Vec<String> = script.reads().into_keys().collect();
    let undeclared = read.iter().filter(|it| !env.contains(it));
    if Suggestion::of(name, undeclared.map(String::as_str)).is_some() {
        return false;
    }
    // A read of another name says nothing about this one.
    let other = read.iter().fold(text.to_owned(), |text, name| {
        text.replace(name.as_str(), "")
    });
    let first = name.split('_').next().unwrap_or(name).to_lowercase();
    is_of_all(name)
        || (first.len() > 2 && other.to_lowercase().contains(&first))
        || ALL.find(text).is_some()
}
