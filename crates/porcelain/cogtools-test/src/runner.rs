//! Runs the tests of all tools: one suite per tool.

use std::sync::Arc;

use cogtools_core::tool::ToolError;
use cogtools_core::{Candidate, Context, Tool, load_all};
use fancy_regex::Regex;

use crate::case::ToolUnderTest;
use crate::failure::{FailureKind, Pending, TestFailure};
use crate::golden::{ExampleId, Golden, Goldens};
use crate::invocation;
use crate::spawn::Spawner;
use crate::suite::Suite;
use crate::target::Targets;

/// How tools are tested.
#[derive(Debug)]
pub(crate) struct Runner {
    /// Whether golden files are written and removed.
    pub(crate) update: bool,
    /// Starts the actual programs, with `--spawn`.
    pub(crate) spawner: Option<Spawner>,
    /// The context of tools that run programs.
    pub(crate) cx: Context,
    /// Which examples are tested: those where it matches in TOOL.NAME or TOOL.N.
    pub(crate) only: Option<Regex>,
    /// Whether the first failure ends the run.
    pub(crate) fail_fast: bool,
    /// Whether it is asked what the examples reach.
    pub(crate) coverage: bool,
}

impl Runner {
    /// Tests `targets`, two at a time, and looks for golden files without a tool in their folders.
    pub(crate) fn run(&self, targets: &Targets) -> Vec<Suite> {
        let folders = targets.files.iter().filter_map(|file| file.path.parent());
        let target_folders = targets.folders.iter().map(cogtools_core::Folder::path);
        let goldens = Goldens::list(folders.chain(target_folders));
        let mut suites = self.suites(targets, &goldens);
        if self.only.is_some() {
            // A file that is not a valid tool has no examples that could match.
            suites.retain(|suite| !suite.cases.is_empty() || !suite.passed());
            return suites;
        }
        if self.fail_fast && suites.iter().any(|suite| !suite.passed()) {
            return suites;
        }
        for folder in &targets.folders {
            for (name, examples) in goldens.tools(folder.path()) {
                let name = format!("{name}.yaml");
                let (path, display_path) = (folder.path(), folder.display_path());
                let scope = folder.scope().clone();
                let file = Candidate::file(path.join(&name), display_path.join(&name), scope);
                if file.path.symlink_metadata().is_err() {
                    let mut suite = Suite::new(&file);
                    suite.exists = false;
                    self.remove_stale(&file, examples.iter(), "", &mut suite);
                    suites.push(suite);
                }
            }
        }
        suites
    }

    /// Tests each tool; until the first failure, one at a time.
    fn suites(&self, targets: &Targets, goldens: &Goldens) -> Vec<Suite> {
        let test = |files: &[Candidate]| {
            load_all(files, |file, tool| self.suite(file, tool, targets, goldens))
        };
        if !self.fail_fast {
            return test(&targets.files);
        }
        let mut suites = Vec::new();
        for file in &targets.files {
            suites.extend(test(std::slice::from_ref(file)));
            if suites.last().is_some_and(|suite| !suite.passed()) {
                break;
            }
        }
        suites
    }

    fn suite(
        &self,
        file: &Candidate,
        tool: Result<Tool, ToolError>,
        targets: &Targets,
        goldens: &Goldens,
    ) -> Suite {
        let mut suite = Suite::new(file);
        let tool = match tool {
            Ok(tool) => Arc::new(tool),
            Err(error) => {
                let failure = TestFailure::new(FailureKind::Broken, "the file is not a valid tool");
                suite
                    .failures
                    .push(failure.diagnostics(error.diagnostics()));
                return suite;
            }
        };
        if self.only.is_none() {
            suite
                .failures
                .extend(invocation::shebang_problem(&tool, file));
        }
        let loaded_by_path = Tool::load(&file.path, &file.display_path, file.scope());
        let shell_arg = targets.shell_arg(file);
        let under_test = ToolUnderTest {
            shell_arg: &shell_arg,
            file,
            tool: &tool,
            loaded_by_path: &loaded_by_path.map(Arc::new).map_err(ToolError::diagnostics),
            spawner: self.spawner.as_ref(),
            cx: &self.cx,
            update: self.update,
        };
        self.run_cases(&tool, &under_test, &mut suite);
        suite.coverage = self.coverage.then(|| tool.coverage());
        if self.only.is_some() {
            return suite;
        }
        let is_stale = |id: &&ExampleId| {
            let mut tests = tool.tests().iter().enumerate();
            !tests.any(|(index, test)| test.has_golden() && ExampleId::new(index, test) == **id)
        };
        let stale = goldens.examples(file).iter().filter(is_stale);
        self.remove_stale(file, stale, &shell_arg, &mut suite);
        suite
    }

    fn run_cases(&self, tool: &Tool, under_test: &ToolUnderTest<'_>, suite: &mut Suite) {
        for (index, example) in tool.tests().iter().enumerate() {
            let id = ExampleId::new(index, example);
            let name = format!("{}.{id}", suite.name);
            if self
                .only
                .as_ref()
                .is_some_and(|only| !only.is_match(&name).unwrap_or(false))
            {
                continue;
            }
            suite.cases.push(under_test.case(index, example));
            if self.fail_fast && !suite.passed() {
                break;
            }
        }
    }

    /// Removes the golden files of examples that do not exist, or reports them.
    fn remove_stale<'g>(
        &self,
        file: &Candidate,
        examples: impl Iterator<Item = &'g ExampleId>,
        shell_arg: &str,
        suite: &mut Suite,
    ) {
        for example in examples {
            let golden = Golden::new(&self.cx.root, file, example);
            let path = golden.display_path.clone();
            let failure = TestFailure::new(
                FailureKind::Stale,
                format!("`{}` has no example", path.display()),
            );
            if !self.update {
                let command = format!("cogtools test --update {shell_arg}");
                let hint = format!("`{}` removes it", command.trim_end());
                let pending = Pending {
                    golden,
                    result: None,
                };
                suite.failures.push(failure.hint(hint).pending(pending));
                continue;
            }
            match golden.remove() {
                Ok(()) => suite.removed.push(path),
                Err(diagnostic) => suite.failures.push(failure.diagnostics(vec![*diagnostic])),
            }
        }
    }
}
