//! All rules over one file.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

use cogtools_core::Level;

use crate::finding::{Finding, Findings};
use crate::levels::Levels;
use crate::lint_file::LintFile;
use crate::rules::{INVALID_TOOL, LOADER_RULES, rules};

/// The least number of files for a thread: fewer are checked before it has started.
const FILES_PER_THREAD: usize = 16;
/// The stack of a thread, as large as the main one: templates can be deep.
const STACK_SIZE: usize = 8 << 20;

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
        let threads = (files.len() / FILES_PER_THREAD).clamp(1, processors);
        let size = files.len().div_ceil(threads).max(1);
        let check = |files: &[LintFile]| -> Vec<Finding> {
            files.iter().flat_map(|file| self.check(file)).collect()
        };
        thread::scope(|scope| {
            let mut chunks = files.chunks(size);
            let own = chunks.next().unwrap_or_default();
            let others: Vec<_> = chunks
                .map(|chunk| {
                    let builder = thread::Builder::new().stack_size(STACK_SIZE);
                    (chunk, builder.spawn_scoped(scope, move || check(chunk)))
                })
                .collect();
            let mut findings = check(own);
            for (chunk, thread) in others {
                findings.extend(match thread {
                    Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                    // There are no more threads.
                    Err(_) => check(chunk),
                });
            }
            findings
        })
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
        findings.retain(|it| !file.suppressions().iter().any(|one| one.covers(it, file)));
        findings.sort_by_key(Finding::position);
        findings
    }
}
