//! All rules over one file.

use std::num::NonZero;
use std::path::Path;
use std::sync::OnceLock;
use std::thread;

use crate::finding::{Finding, Findings};
use crate::lint_file::LintFile;
use crate::program::is_in;
use crate::rules::{FAILING, INVALID_TOOL, LOADER_RULES, RETIRED_RULES, find, rules};
use cogtools_core::suggest::Suggestion;
use cogtools_core::text::Text;
use cogtools_core::{Code, Diagnostic, Level, RuleLevel, fail_on, parallel};
use fancy_regex::{Captures, Match, Regex};

/// The rules with their levels.
#[derive(Clone, Debug, Default)]
pub struct Linter {
    levels: Levels,
}

impl Linter {
    /// A linter with the given levels.
    pub const fn new(levels: Levels) -> Self {
        Self { levels }
    }

    /// The findings in `files`, file by file. All processors take part.
    pub fn check_all(&self, files: &[LintFile]) -> Vec<Finding> {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let findings = parallel(files, processors, |file| self.check(file));
        findings.into_iter().flatten().collect()
    }

    /// The findings of all rules in `file`, by position.
    pub fn check(&self, file: &LintFile) -> Vec<Finding> {
        let mut findings = Vec::new();
        for rule in rules() {
            let level = self.levels.level_of(rule);
            if level != Level::Off {
                let mut of_rule = Findings::new(rule, level, &file.text, &mut findings);
                (rule.check)(file, &mut of_rule);
                of_rule.finish();
            }
        }
        // A specific rule explains more than the loader's own error.
        let explained: Vec<_> = findings
            .iter()
            .filter(|it| LOADER_RULES.contains(&it.rule.name) && it.level == Level::Error)
            .map(Finding::position)
            .collect();
        findings.retain(|it| it.rule.name != INVALID_TOOL || !explained.contains(&it.position()));
        // What looks unused is what another finding says is meant.
        let meant = findings.iter().filter_map(|it| it.suggestion.clone());
        let meant: Vec<Suggestion> = meant.collect();
        findings.retain(|it| !it.rule.name.ends_with("unused-parameter") || !is_meant(it, &meant));
        // An example fails for the reason that another finding in its code explains.
        let is_failing = |it: &Finding| it.message.starts_with(FAILING);
        let is_explained = findings.iter().any(|it| {
            it.rule.name.starts_with("js-") && it.level == Level::Error && !is_failing(it)
        });
        findings.retain(|it| !(is_explained && is_failing(it)));
        findings.retain(|it| !file.suppressions().iter().any(|one| one.covers(it, file)));
        findings.sort_by_key(Finding::position);
        findings
    }
}

/// Returns true if another finding suggests only the name that this one says is unused.
fn is_meant(finding: &Finding, suggestions: &[Suggestion]) -> bool {
    let name = finding.message.rsplit('`').nth(1).unwrap_or_default();
    let name = name.rsplit('.').next().unwrap_or(name);
    suggestions.iter().any(|it| it.names == [name])
}

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name in configurations, reports and the reference; never changed.
    pub name: &'static str,
    /// Its default level.
    pub level: Level,
    /// The mistake, in one line.
    pub summary: &'static str,
    /// The host that is affected, and how.
    pub why: &'static str,
    /// The way to correct it.
    pub fix: &'static str,
    /// Two projects that are its tests and its documentation.
    pub example: Example,
    /// Checks one file.
    pub(crate) check: fn(&LintFile, &mut Findings<'_>),
}

/// A file of an example project.
#[derive(Debug)]
pub struct CaseFile {
    /// Its path in the project.
    pub path: &'static str,
    /// Its content.
    pub text: &'static str,
}

/// Returns true if `--fix` fixes the example of the rule at its own level.
pub(crate) fn is_fixable(rule: &'static Rule) -> bool {
    let has_edits = rule.example.fails.iter().any(|file| {
        let text = Text::new(file.path, file.text.as_bytes().to_vec());
        text.is_ok_and(|text| {
            let file = LintFile::parse(Path::new(file.path), text);
            let mut found = Vec::new();
            let mut findings = Findings::new(rule, Level::Warn, &file.text, &mut found);
            (rule.check)(&file, &mut findings);
            found.iter().any(|finding| !finding.edits.is_empty())
        })
    });
    rule.level != Level::Note && has_edits
}

/// A regular expression of a rule, which is compiled when it is first used.
pub(crate) struct Expression {
    pattern: &'static str,
    regex: OnceLock<Option<Regex>>,
}

impl Expression {
    pub(crate) const fn new(pattern: &'static str) -> Self {
        Self {
            pattern,
            regex: OnceLock::new(),
        }
    }

    /// The expression, if it is valid.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        let compile = || Regex::new(self.pattern).ok();
        self.regex.get_or_init(compile).as_ref()
    }

    /// The groups of the first match in `text`.
    pub(crate) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t, str>> {
        self.regex()?.captures(text).ok().flatten()
    }

    /// The groups of all matches in `text`.
    pub(crate) fn captures_iter<'t>(
        &self,
        text: &'t str,
    ) -> impl Iterator<Item = Captures<'t, str>> + use<'_, 't> {
        let found = self.regex().into_iter();
        found.flat_map(|regex| regex.captures_iter(text)).flatten()
    }

    /// In each match in `text`, the first group that takes part, or all of it if none does.
    pub(crate) fn groups<'t>(
        &self,
        text: &'t str,
    ) -> impl Iterator<Item = Match<'t>> + use<'_, 't> {
        let found = self.captures_iter(text);
        found.filter_map(|found| (1..found.len()).chain([0]).find_map(|at| found.get(at)))
    }

    /// The first match in `text`.
    pub(crate) fn find<'t>(&self, text: &'t str) -> Option<Match<'t>> {
        self.regex()?.find(text).ok().flatten()
    }
}

/// Two projects that differ in one mistake.
#[derive(Debug)]
pub struct Example {
    /// Where an author made the mistake, in Markdown.
    pub seen: &'static str,
    /// A project that breaks the rule, and nothing else.
    pub fails: &'static [CaseFile],
    /// The project without the mistake.
    pub passes: &'static [CaseFile],
}

/// The example in a folder under `cases`: the files of its folders `fails` and `passes`,
/// `tools/say.yaml` unless they are listed, and the text in `seen.md`. The mistake that it tells of
/// is in the folder `seen`, for the tests.
macro_rules! example {
    ($name:literal) => {
        example!($name: ["tools/say.yaml"], ["tools/say.yaml"])
    };
    ($name:literal: [$($fails:literal),+], [$($passes:literal),+]) => {
        $crate::linter::Example {
            seen: include_str!(concat!("../../cases/", $name, "/seen.md")),
            fails: &[$($crate::linter::CaseFile {
                path: $fails,
                text: include_str!(concat!("../../cases/", $name, "/fails/", $fails)),
            }),+],
            passes: &[$($crate::linter::CaseFile {
                path: $passes,
                text: include_str!(concat!("../../cases/", $name, "/passes/", $passes)),
            }),+],
        }
    };
}
pub(crate) use example;

/// The level of each rule.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    overrides: Vec<(&'static str, Level)>,
}

impl Levels {
    /// The default levels, changed by those that are `configured`. A rule that does
    /// not exist is an error: the line would have no effect.
    pub fn new(configured: &[RuleLevel]) -> Result<Self, Vec<Diagnostic>> {
        let mut levels = Self::default();
        let mut diagnostics = Vec::new();
        for one in configured {
            match find(&one.rule) {
                Some(rule) if rule.name == INVALID_TOOL && one.level != Level::Error => {
                    let message = format!("`{INVALID_TOOL}` is always an error");
                    let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
                    let hint = "correct the file, or move it out of the folders of tools";
                    diagnostics.push(diagnostic.hint(hint).at(one.location.clone()));
                }
                Some(rule) => levels.set(rule, one.level),
                None if RETIRED_RULES.contains(&one.rule.as_str()) => {}
                None => diagnostics.push(unknown_rule(&one.rule).at(one.location.clone())),
            }
        }
        fail_on(diagnostics)?;
        Ok(levels)
    }

    /// Sets the level of one rule.
    pub fn set(&mut self, rule: &Rule, level: Level) {
        self.overrides.push((rule.name, level));
    }

    /// The level of `rule`.
    pub fn level_of(&self, rule: &Rule) -> Level {
        let mut overrides = self.overrides.iter();
        let own = overrides.rfind(|(name, _)| *name == rule.name);
        own.map_or(rule.level, |(_, level)| *level)
    }
}

fn unknown_rule(name: &str) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::InvalidConfig, format!("there is no rule `{name}`"));
    let otherwise = "`cogtools lint --explain all` lists the rules";
    diagnostic.meant_or(name, rules().map(|rule| rule.name), otherwise)
}

/// A host's own tools.
struct BuiltinTools {
    host: &'static str,
    /// Where they are listed, and when that was read.
    source: &'static str,
    names: &'static str,
}

/// The hosts.
const HOSTS: [BuiltinTools; 2] = [
    BuiltinTools {
        host: "Gemini CLI",
        source: "packages/core/src/tools/tool-names.ts of google-gemini/gemini-cli, 2026-10",
        names: "activate_skill ask_user complete_task delegate_to_agent edit enter_plan_mode \
            exit_plan_mode get_internal_docs glob google_web_search grep_search list_directory \
            read_file read_many_files replace run_shell_command save_memory \
            search_file_content web_fetch write_file write_todos",
    },
    BuiltinTools {
        host: "Claude Code",
        source: "https://code.claude.com/docs/en/tools-reference, 2026-10",
        // With names that models do not tell from those of the host.
        names: "Agent AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit \
            EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep KillShell \
            ListMcpResourcesTool LS LSP MultiEdit NotebookEdit NotebookRead Read \
            ReadMcpResourceTool Skill SlashCommand Task TaskCreate TaskGet TaskList TaskOutput \
            TaskStop TaskUpdate TodoRead TodoWrite ToolSearch WebFetch WebSearch Write bash \
            grep read write web_search",
    },
];

/// The host that has a tool of this name, if there is one.
pub(crate) fn host_of(name: &str) -> Option<&'static str> {
    let host = HOSTS.iter().find(|host| is_in(name, host.names));
    host.map(|host| host.host)
}

/// Where the names are from, for the reference.
pub(crate) fn sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    HOSTS.iter().map(|host| (host.host, host.source))
}
