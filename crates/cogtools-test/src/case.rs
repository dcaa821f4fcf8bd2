//! One example, from its arguments to what is wrong with it.

use std::sync::Arc;

use cogtools_core::{Candidate, Code, Context, Diagnostic, Tool};
use cogtools_program::{Failure, Syntax};
use serde_json::{Map, Value};

use crate::diff::diff;
use crate::failure::{FailureKind, TestFailure};
use crate::golden::Golden;
use crate::invocation::{self, EncodedArguments};
use crate::spawn::Spawner;
use crate::suite::Case;

/// A tool under test.
pub(crate) struct ToolUnderTest<'s> {
    /// Its file.
    pub(crate) file: &'s Candidate,
    /// The tool, as it is found by its name.
    pub(crate) tool: &'s Arc<Tool>,
    /// The tool, as it is loaded from its path.
    pub(crate) loaded_by_path: &'s Result<Arc<Tool>, Vec<Diagnostic>>,
    /// What names it on a command line, as a shell takes it.
    pub(crate) shell_arg: &'s str,
    /// What starts the real programs, if that was asked for.
    pub(crate) spawner: Option<&'s Spawner>,
    /// What is around a tool that is a command.
    pub(crate) cx: &'s Context,
    /// Whether golden files are written.
    pub(crate) update: bool,
}

impl ToolUnderTest<'_> {
    /// Tests the example at `index`, from 0.
    pub(crate) fn case(&self, index: usize, example: &Map<String, Value>) -> Case {
        let number = index + 1;
        let golden = Golden::of(&self.cx.root, self.file, number);
        let mut case = Case {
            number,
            place: self.tool.example_location(index),
            golden: golden.shown.clone(),
            failures: Vec::new(),
            written: false,
        };
        let arguments = EncodedArguments::new(example);
        let result = match invocation::answer(self.tool, &arguments.json, Syntax::Json, self.cx) {
            Ok(result) => result,
            Err(failure) => {
                case.failures.push(self.explain(index, &failure));
                return case;
            }
        };
        let mut others =
            invocation::other_invocations(self.tool, self.loaded_by_path, &arguments, self.cx);
        if let Some(spawner) = self.spawner {
            others.extend(spawner.invocations(self.file, self.tool, &arguments));
        }
        case.failures.extend(
            others
                .into_iter()
                .filter_map(|(name, answer)| invocation::compare(&name, answer, &result)),
        );
        // What differs from call to call is not what anybody means to keep.
        let update = self.update && case.failures.is_empty();
        match self.golden(&golden, &result, update) {
            Ok(written) => case.written = written,
            Err(failure) => case.failures.push(*failure),
        }
        case
    }

    /// Holds the golden file against `result`, or makes it hold that.
    fn golden(
        &self,
        golden: &Golden,
        result: &[u8],
        update: bool,
    ) -> Result<bool, Box<TestFailure>> {
        let shown = golden.shown.display();
        let again = format!("cogtools test --update {}", self.shell_arg);
        let unusable = |diagnostic: Box<Diagnostic>| {
            let message = format!("`{shown}` cannot be used");
            Box::new(TestFailure::new(FailureKind::Golden, message).diagnostics(vec![*diagnostic]))
        };
        let old = golden.read().map_err(unusable)?;
        if old.as_deref() == Some(result) {
            return Ok(false);
        }
        if update {
            return golden.write(result).map(|()| true).map_err(unusable);
        }
        Err(Box::new(match old {
            None => TestFailure::new(FailureKind::Missing, format!("`{shown}` does not exist"))
                .hint(again),
            Some(old) => {
                let message = format!("the result is not what `{shown}` holds");
                let detail = diff(&shown.to_string(), &old, "the result", result);
                let hint = format!("if the result is right: {again}");
                TestFailure::new(FailureKind::Golden, message)
                    .detail(detail)
                    .hint(hint)
            }
        }))
    }

    /// What is at fault when an example gives no result.
    fn explain(&self, index: usize, failure: &Failure) -> TestFailure {
        let violations = self.tool.check_example(index);
        if !violations.is_empty() {
            return TestFailure::new(
                FailureKind::Schema,
                "the example does not fit the parameters",
            )
            .diagnostics(violations);
        }
        let diagnostics = failure.diagnostics().to_vec();
        match diagnostics.first().map(|diagnostic| diagnostic.code) {
            Some(Code::TemplateFailed | Code::InvalidTool) => {
                TestFailure::new(FailureKind::Template, "the template does not render")
                    .diagnostics(diagnostics)
            }
            Some(_) => TestFailure::new(FailureKind::Tool, "the tool gives no result")
                .diagnostics(diagnostics),
            None => TestFailure::new(FailureKind::Tool, "cogtools itself failed on this example")
                .hint("this is a defect of cogtools; please report it with the file"),
        }
    }
}
