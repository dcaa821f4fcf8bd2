//! A run over tools: each becomes a suite.

use std::path::Path;
use std::sync::Arc;

use cogtools_core::tool::ToolError;
use cogtools_core::{Listed, Surroundings, Tool, load_all};

use crate::case::Subject;
use crate::flaw::{Blame, Flaw};
use crate::golden::{Golden, Goldens};
use crate::spawn::Spawner;
use crate::suite::Suite;
use crate::target::Targets;
use crate::way;

/// How tools are tested.
#[derive(Debug)]
pub(crate) struct Runner {
    /// Whether golden files are written and removed.
    pub(crate) update: bool,
    /// What starts the real programs, if that was asked for.
    pub(crate) spawner: Option<Spawner>,
    /// What is around a tool that is a command.
    pub(crate) surroundings: Surroundings,
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
                let file = Listed::file(folder.path().join(&name), folder.shown().join(&name));
                if file.path.symlink_metadata().is_err() {
                    let mut suite = empty(&file);
                    suite.exists = false;
                    self.sweep(&file, numbers, "", &mut suite);
                    suites.push(suite);
                }
            }
        }
        suites
    }

    fn suite(
        &self,
        file: &Listed,
        tool: Result<Tool, ToolError>,
        targets: &Targets,
        goldens: &Goldens,
    ) -> Suite {
        let mut suite = empty(file);
        let tool = match tool {
            Ok(tool) => Arc::new(tool),
            Err(error) => {
                let flaw = Flaw::new(Blame::Broken, "the file is not a valid tool");
                suite.flaws.push(flaw.faults(error.faults()));
                return suite;
            }
        };
        suite.flaws.extend(way::unusable(&tool, file));
        let itself = Tool::load(&file.path, &file.shown);
        let word = targets.word(file);
        let subject = Subject {
            word: &word,
            file,
            tool: &tool,
            itself: &itself.map(Arc::new).map_err(ToolError::faults),
            spawner: self.spawner.as_ref(),
            surroundings: &self.surroundings,
            update: self.update,
        };
        let examples = tool.examples().enumerate();
        suite.cases = examples
            .map(|(index, example)| subject.case(index, &example))
            .collect();
        let stale = goldens.numbers(file).iter().copied();
        let stale: Vec<usize> = stale.filter(|number| *number > suite.cases.len()).collect();
        self.sweep(file, &stale, &word, &mut suite);
        suite
    }

    /// Removes the golden files of examples that there are not, or names them.
    fn sweep(&self, file: &Listed, numbers: &[usize], word: &str, suite: &mut Suite) {
        for number in numbers {
            let golden = Golden::of(&self.surroundings.root, file, *number);
            let shown = golden.shown.clone();
            let flaw = Flaw::new(
                Blame::Stale,
                format!("`{}` has no example", shown.display()),
            );
            if !self.update {
                let again = format!("cogtools test --update {word}");
                let hint = format!("`{}` removes it", again.trim_end());
                suite.flaws.push(flaw.hint(hint));
                continue;
            }
            match golden.remove() {
                Ok(()) => suite.removed.push(shown),
                Err(fault) => suite.flaws.push(flaw.faults(vec![*fault])),
            }
        }
    }
}

fn empty(file: &Listed) -> Suite {
    Suite {
        name: Path::new(&file.stem).display().to_string(),
        file: file.shown.clone(),
        exists: true,
        cases: Vec::new(),
        flaws: Vec::new(),
        removed: Vec::new(),
    }
}
