//! Names that a host rejects, changes or reserves, and tools that conflict with each other.

use std::collections::HashMap;

use cogtools_core::schema::Role;
use cogtools_core::{Level, Name};

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{self, Rule, example};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "unportable-name",
        level: Level::Error,
        summary: "a tool name that not every host accepts: more than 47 characters, or characters other than letters, digits, `_` and `-`",
        why: "Gemini CLI prefixes the name with `discovered_tool_` and drops what exceeds 64 characters; OpenAI and Anthropic reject dots and colons",
        fix: "use a name that every host accepts, such as `check_facts`, and rename the file to match",
        example: example!("unportable-name": ["tools/say.it.yaml"], ["tools/say_it.yaml"]),
        check: unportable_name,
    },
    Rule {
        name: "reserved-name",
        level: Level::Error,
        summary: "a name that hosts reserve: the parameter `wait_for_previous`, tools that begin with `discovered_tool_` or `mcp_`",
        why: "Gemini CLI 0.35 and later adds a boolean `wait_for_previous` to every tool and overwrites an existing one; the two prefixes show it where a tool comes from",
        fix: "choose another name",
        example: example!("reserved-name"),
        check: reserved_name,
    },
    Rule {
        name: "builtin-name",
        level: Level::Warn,
        summary: "a tool with the name of one that Gemini CLI or Claude Code has itself",
        why: "where the host adds no prefix, one of the two replaces the other in silence; where it does, the model takes one for the other",
        fix: "say in the name what this tool does differently",
        example: example!("builtin-name": ["tools/read_file.yaml"], ["tools/read_chapter.yaml"]),
        check: builtin_name,
    },
    Rule {
        name: "similar-parameters",
        level: Level::Warn,
        summary: "parameters, or properties of one object, whose names differ only in letter case or in `-` and `_`",
        why: "models send one for the other, and a program that ignores case reads only one of them",
        fix: "rename one of them so that the names differ in a word",
        example: example!("similar-parameters"),
        check: similar_parameters,
    },
    Rule {
        name: "stem-differs",
        level: Level::Error,
        summary: "a file whose name differs from the name of its tool",
        why: "a call opens `<name>.yaml` and nothing else, so the tool would be declared but never found; cogtools rejects the file",
        fix: "rename the file to the tool's name with `.yaml`, or rename the tool",
        example: example!("stem-differs": ["tools/tell.yaml"], ["tools/say.yaml"]),
        check: stem_differs,
    },
    Rule {
        name: "shadowed-tool",
        level: Level::Warn,
        summary: "a tool with the same name as one in an earlier source",
        why: "no host sees it, and changes to it have no effect",
        fix: "remove or rename one of the two, or change the order of `tool_sources`",
        example: example!("shadowed-tool": [".cogtoolrc.yaml", "own/say.yaml", "shared/say.yaml"], [".cogtoolrc.yaml", "own/say.yaml", "shared/tell.yaml"]),
        check: shadowed_tool,
    },
    Rule {
        name: "duplicate-name",
        level: Level::Warn,
        summary: "two tools whose names differ only in letter case or in `-` and `_`, or not at all",
        why: "models confuse them; file systems that ignore case store only one; Gemini CLI uses the later of two equal names",
        fix: "rename one of the two so that the names differ in a word",
        example: example!("duplicate-name": ["tools/say-it.yaml", "tools/say_it.yaml"], ["tools/say_it.yaml", "tools/tell_it.yaml"]),
        check: duplicate_name,
    },
];

const RESERVED_PARAMETER: &str = "wait_for_previous";

fn unportable_name(file: &LintFile, findings: &mut Findings<'_>) {
    if let Some((node, name)) = file.name()
        && let Err(error) = Name::new(name)
    {
        let shown: String = name.chars().take(64).collect();
        findings.report(
            node.span,
            format!("`{shown}` is not a portable name: {error}"),
        );
    }
}

fn reserved_name(file: &LintFile, findings: &mut Findings<'_>) {
    let reserved = format!("`{RESERVED_PARAMETER}` is reserved for hosts");
    if let Some((node, name)) = file.name() {
        let mut prefixes = ["discovered_tool_", "mcp_"].into_iter();
        if let Some(prefix) = prefixes.find(|it| name.starts_with(it)) {
            let message = format!("names that begin with `{prefix}` are reserved for hosts");
            findings.report(node.span, message);
        } else if name == RESERVED_PARAMETER {
            findings.report(node.span, reserved.as_str());
        }
    }
    for (name, _, sub_schema) in file.parameters() {
        if name == RESERVED_PARAMETER {
            findings.report(file.locate(&sub_schema.pointer), reserved.as_str());
        }
    }
}

fn builtin_name(file: &LintFile, findings: &mut Findings<'_>) {
    if let Some((node, name)) = file.name()
        && let Some(host) = linter::host_of(name)
    {
        findings.report(node.span, format!("{host} has a tool of this name itself"));
    }
}

fn similar_parameters(file: &LintFile, findings: &mut Findings<'_>) {
    let mut seen: HashMap<(String, String), (String, &str)> = HashMap::new();
    for sub_schema in file.sub_schemas() {
        let Role::Property { name, .. } = sub_schema.role else {
            continue;
        };
        let object = sub_schema.pointer.rsplit_once('/').map_or("", |it| it.0);
        let letters = name.to_lowercase().replace(['-', '_'], "");
        let key = (object.to_owned(), letters);
        if let Some((pointer, earlier)) = seen.get(&key) {
            let message = format!("`{name}` is nearly the same name as `{earlier}`");
            if *pointer != sub_schema.pointer {
                findings.report(file.locate(&sub_schema.pointer), message);
            }
        } else {
            seen.insert(key, (sub_schema.pointer.clone(), name));
        }
    }
}

fn stem_differs(file: &LintFile, findings: &mut Findings<'_>) {
    let stem = file.path.file_stem().unwrap_or_default();
    let named = file.name();
    if let Some((node, name)) = named.filter(|(_, name)| stem != *name && Name::new(name).is_ok()) {
        let stem = stem.to_string_lossy();
        let message = format!("the tool is named `{name}`, but its file is named `{stem}`");
        let fix = format!("rename the file to `{name}.yaml`, or rename the tool");
        findings.report(node.span, message).fix(fix);
    }
}

fn shadowed_tool(file: &LintFile, findings: &mut Findings<'_>) {
    if let Some(winner) = &file.earlier.stem {
        findings.report_file(format!("shadowed by `{}`", winner.display()));
    }
}

fn duplicate_name(file: &LintFile, findings: &mut Findings<'_>) {
    if let (Some(node), Some(earlier)) = (file.value("name"), &file.earlier.name) {
        let earlier = earlier.display();
        let message = format!("the same or nearly the same name as in `{earlier}`");
        findings.report(node.span, message);
    }
}
