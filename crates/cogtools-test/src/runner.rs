//! A run over tools: each becomes a suite.

use std::sync::Arc;

use cogtools_core::tool::ToolError;
use cogtools_core::{Candidate, Context, Tool, load_all};

use crate::case::ToolUnderTest;
use crate::failure::{FailureKind, TestFailure};
use crate::golden::{Golden, Goldens};
use crate::invocation;
use crate::spawn::Spawner;
use crate::suite::Suite;
use crate::target::Targets;

/// How tools are tested.
#[derive(Debug)]
pub(crate) struct Runner {
    /// Whether golden files are written and removed.
    pub(crate) update: bool,
    /// What starts the real programs, if that was asked for.
    pub(crate) spawner: Option<Spawner>,
    /// What is around a tool that is a command.
    pub(crate) cx: Context,
}

impl Runner {
    /// Tests all of `targets`, two at a time, and looks for golden files in their
    /// folders that belong to no tool.
    pub(crate) fn run(&self, targets: &Targets) -> Vec<Suite> {
        let folders = targets.files.iter().filter_map(|file| file.path.parent());
        let whole = targets.folders.iter().map(cogtools_core::Folder::path);
        let goldens = Goldens::list(folders.chain(whole));
        let mut suites = load_all(&targets.files, |file, tool| {
            self.suite(file, tool, targets, &goldens)
        });
        for folder in &targets.folders {
            for (name, numbers) in goldens.tools(folder.path()) {
                let name = format!("{name}.yaml");
                let file =
                    Candidate::file(folder.path().join(&name), folder.display_path().join(&name));
                if file.path.symlink_metadata().is_err() {
                    let mut suite = Suite::new(&file);
                    suite.exists = false;
                    self.remove_stale(&file, numbers, "", &mut suite);
                    suites.push(suite);
                }
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
        suite
            .failures
            .extend(invocation::shebang_problem(&tool, file));
        let loaded_by_path = Tool::load(&file.path, &file.display_path);
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
        suite.cases = tool
            .examples()
            .enumerate()
            .map(|(index, example)| under_test.case(index, &example))
            .collect();
        let stale: Vec<usize> = goldens
            .numbers(file)
            .iter()
            .copied()
            .filter(|number| *number > suite.cases.len())
            .collect();
        self.remove_stale(file, &stale, &shell_arg, &mut suite);
        suite
    }

    /// Removes the golden files of examples that there are not, or names them.
    fn remove_stale(
        &self,
        file: &Candidate,
        numbers: &[usize],
        shell_arg: &str,
        suite: &mut Suite,
    ) {
        for number in numbers {
            let golden = Golden::of(&self.cx.root, file, *number);
            let shown = golden.shown.clone();
            let failure = TestFailure::new(
                FailureKind::Stale,
                format!("`{}` has no example", shown.display()),
            );
            if !self.update {
                let again = format!("cogtools test --update {shell_arg}");
                let hint = format!("`{}` removes it", again.trim_end());
                suite.failures.push(failure.hint(hint));
                continue;
            }
            match golden.remove() {
                Ok(()) => suite.removed.push(shown),
                Err(diagnostic) => suite.failures.push(failure.diagnostics(vec![*diagnostic])),
            }
        }
    }
}
