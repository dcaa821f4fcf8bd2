//! Skills of the project's tools that are longer than agents read.

use std::fs;

use cogtools_core::source::Skills;
use cogtools_core::text::{self, Text};
use cogtools_core::{Level, estimate_tokens};

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};

pub(super) static RULES: &[Rule] = &[Rule {
    name: "skill-limit",
    level: Level::Warn,
    summary: "a skill of the project's tools with more than 499 lines, 5,000 tokens or 24,000 bytes, \
        or a description of more than 1,024 characters",
    why: "Agent Skills have these limits, and Antigravity reads the first 24,000 bytes: agents do \
        not load the skill, or miss its end",
    fix: "move what you have written yourself to a file in `references`, or shorten `skill` in the \
        configuration",
    example: example!("skill-limit":
        ["tools/say.yaml", ".agents/skills/project-tools/SKILL.md",
            ".agents/skills/project-tools/references/say.md"],
        ["tools/say.yaml", ".agents/skills/project-tools/SKILL.md",
            ".agents/skills/project-tools/references/say.md"]),
    check: skill_limit,
}];

/// Reports the skill that has the tool, at the first of its tools.
fn skill_limit(file: &LintFile, findings: &mut Findings<'_>) {
    let (Some(tool), Some(folder)) = (&file.tool, file.path.parent()) else {
        return;
    };
    let skills = folder
        .ancestors()
        .take(4)
        .map(|root| root.join(Skills::FOLDER));
    let Some(skills) = { skills }.find(|skills| skills.is_dir()) else {
        return;
    };
    let reference = format!("{}.md", tool.name());
    for skill in fs::read_dir(skills).into_iter().flatten().flatten() {
        let references = fs::read_dir(skill.path().join("references"));
        let names = references.into_iter().flatten().flatten();
        let first = names
            .filter_map(|entry| entry.file_name().into_string().ok())
            .min();
        if first.as_ref() != Some(&reference) {
            continue;
        }
        let path = skill.path().join("SKILL.md");
        let bytes = text::bytes(&path, &path, Text::MAX_BYTES, file.text.scope());
        let content = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        let front = Skills::front_matter(&content).map_or("", |(front, _)| front);
        let description = front
            .lines()
            .find_map(|line| line.strip_prefix("description:"));
        let description = description.unwrap_or_default().trim().trim_matches('"');
        for (found, most, what) in [
            (content.lines().count(), Skills::MAX_LINES, "lines"),
            (estimate_tokens(&content), Skills::MAX_BODY_TOKENS, "tokens"),
            (content.len(), Skills::MAX_BYTES, "bytes"),
            (
                description.chars().count(),
                Skills::MAX_DESCRIPTION,
                "characters in its description",
            ),
        ] {
            if found > most {
                let name = skill.file_name();
                let name = name.to_string_lossy();
                findings.report_file(format!("the skill `{name}` has {found} {what}"));
            }
        }
    }
}
