//! Runs the tests of all tools: one suite per tool.

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
    /// Starts the actual programs, with `--spawn`.
    pub(crate) spawner: Option<Spawner>,
    /// The context of tools that run programs.
    pub(crate) cx: Context,
}

impl Runner {
    /// Tests `targets`, two at a time, and looks for golden files without a tool in their folders.
    pub(crate) fn run(&self, targets: &Targets) -> Vec<Suite> {
        let folders = targets.files.iter().filter_map(|file| file.path.parent());
        let target_folders = targets.folders.iter().map(cogtools_core::Folder::path);
        let goldens = Goldens::list(folders.chain(target_folders));
        let mut suites = load_all(&targets.files, |file, tool| {
            self.suite(file, tool, targets, &goldens)
        });
        for folder in &targets.folders {
            for (name, numbers) in goldens.tools(folder.path()) {
                let name = format!("{name}.yaml");
                let (path, display_path) = (folder.path(), folder.display_path());
                let scope = folder.scope().clone();
                let file = Candidate::file(path.join(&name), display_path.join(&name), scope);
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

    /// Removes the golden files of examples that do not exist, or reports them.
    fn remove_stale(
        &self,
        file: &Candidate,
        numbers: &[usize],
        shell_arg: &str,
        suite: &mut Suite,
    ) {
        for number in numbers {
            let golden = Golden::new(&self.cx.root, file, *number);
            let path = golden.display_path.clone();
            let failure = TestFailure::new(
                FailureKind::Stale,
                format!("`{}` has no example", path.display()),
            );
            if !self.update {
                let command = format!("cogtools test --update {shell_arg}");
                let hint = format!("`{}` removes it", command.trim_end());
                suite.failures.push(failure.hint(hint));
                continue;
            }
            match golden.remove() {
                Ok(()) => suite.removed.push(path),
                Err(diagnostic) => suite.failures.push(failure.diagnostics(vec![*diagnostic])),
            }
        }
    }
}
