//! The test of one example.

use std::sync::Arc;
use std::time::Instant;

use cogtools_core::tool::Example;
use cogtools_core::{Candidate, Code, Context, Diagnostic, Tool};
use cogtools_program::{Failure, Syntax};
use fancy_regex::Regex;

use crate::assertion;
use crate::diff::diff;
use crate::failure::{FailureKind, Pending, TestFailure};
use crate::golden::{ExampleId, Golden};
use crate::invocation::{self, EncodedArguments};
use crate::pattern;
use crate::spawn::Spawner;
use crate::suite::Case;
use crate::tape;

/// A tool under test.
pub(crate) struct ToolUnderTest<'s> {
    /// Its file.
    pub(crate) file: &'s Candidate,
    /// The tool, loaded by name.
    pub(crate) tool: &'s Arc<Tool>,
    /// The tool, loaded by path.
    pub(crate) loaded_by_path: &'s Result<Arc<Tool>, Vec<Diagnostic>>,
    /// Its name or path, quoted for a shell.
    pub(crate) shell_arg: &'s str,
    /// Starts the actual programs, with `--spawn`.
    pub(crate) spawner: Option<&'s Spawner>,
    /// The context of a tool that runs a program.
    pub(crate) cx: &'s Context,
    /// Whether golden files are written.
    pub(crate) update: bool,
}

impl ToolUnderTest<'_> {
    /// Tests `example`, which is at the zero-based `index`.
    pub(crate) fn case(&self, index: usize, example: &Example) -> Case {
        let golden = example.has_golden().then(|| {
            let id = ExampleId::new(index, example);
            Golden::new(&self.cx.root, self.file, &id)
        });
        let mut case = Case {
            number: index + 1,
            name: example.name().map(ToString::to_string),
            location: self.tool.example_location(index),
            golden: golden.as_ref().map(|golden| golden.display_path.clone()),
            failures: Vec::new(),
            written: false,
            time: std::time::Duration::ZERO,
        };
        let began = Instant::now();
        self.run(index, example, golden.as_ref(), &mut case);
        case.time = began.elapsed();
        case
    }

    fn run(&self, index: usize, example: &Example, golden: Option<&Golden>, case: &mut Case) {
        let redactions = match pattern::compile_all("redact", example.redact()) {
            Ok(redactions) => redactions,
            Err(failure) => return case.failures.push(*failure),
        };
        if !example.presets().is_empty() && self.tool.flow().is_none() {
            return case.failures.push(assertion::no_flow());
        }
        let arguments = EncodedArguments::new(&example.arguments());
        let cx = &Context {
            presets: Arc::new(example.presets().clone()),
            ..self.cx.clone()
        };
        let called = if self.tool.asks_a_model() {
            let golden = Golden::new(&self.cx.root, self.file, &ExampleId::new(index, example));
            match tape::missing(&golden, self.shell_arg).filter(|_| !self.update) {
                Some(failure) => return case.failures.push(failure),
                None => tape::call(self.tool, &arguments.json, &golden, self.update, cx),
            }
        } else {
            invocation::call_in_process(self.tool, &arguments.json, Syntax::Json, cx)
        };
        let result = match (called, example.fails()) {
            (Ok(result), None) => pattern::redact(&result, &redactions).into_owned(),
            (Ok(result), Some(_)) => {
                return case.failures.push(assertion::no_failure(example, &result));
            }
            (Err(failure), None) => return case.failures.push(self.explain(index, &failure)),
            (Err(failure), Some(_)) => {
                case.failures = assertion::check_failure(example, &failure);
                return;
            }
        };
        // The other ways to call a tool know of no example.
        if example.presets().is_empty() {
            self.compare_invocations(&arguments, &redactions, &result, case);
        }
        let Some(golden) = golden else {
            let text = String::from_utf8_lossy(&result);
            let failures = assertion::check_text(example, "the result", &text);
            return case.failures.extend(failures);
        };
        // A result that differs between calls is never written.
        let update = self.update && case.failures.is_empty();
        match self.check_golden(golden, &result, update) {
            Ok(written) => case.written = written,
            Err(failure) => case.failures.push(*failure),
        }
    }

    /// Calls the tool in the other ways, unless that could change something again.
    fn compare_invocations(
        &self,
        arguments: &EncodedArguments,
        redactions: &[Regex],
        result: &[u8],
        case: &mut Case,
    ) {
        let mut results = if invocation::runs_once(self.tool) {
            invocation::impossible_invocations(self.loaded_by_path, arguments)
        } else {
            invocation::other_invocations(self.tool, self.loaded_by_path, arguments, self.cx)
        };
        if let Some(spawner) = self.spawner
            && !invocation::runs_once(self.tool)
        {
            results.extend(spawner.invocations(self.file, self.tool, arguments));
        }
        let failures = results.into_iter().filter_map(|(name, other)| {
            let other = other.map(|other| pattern::redact(&other, redactions).into_owned());
            invocation::compare(&name, other, result)
        });
        case.failures.extend(failures);
    }

    /// Compares the golden file with `result`, or updates it. Returns whether it was written.
    fn check_golden(
        &self,
        golden: &Golden,
        result: &[u8],
        update: bool,
    ) -> Result<bool, Box<TestFailure>> {
        let path = golden.display_path.display();
        let update_command = format!("cogtools test --update {}", self.shell_arg);
        let unusable = |diagnostic: Box<Diagnostic>| {
            let message = format!("`{path}` cannot be used");
            Box::new(TestFailure::new(FailureKind::Golden, message).diagnostics(vec![*diagnostic]))
        };
        let old = golden.read().map_err(unusable)?;
        if old.as_deref() == Some(result) {
            return Ok(false);
        }
        if update {
            return golden.write(result).map(|()| true).map_err(unusable);
        }
        let failure = match old {
            None => TestFailure::new(FailureKind::Missing, format!("`{path}` does not exist"))
                .hint(update_command),
            Some(old) => {
                let message = format!("the result differs from `{path}`");
                let detail = diff(&path.to_string(), &old, "the result", result);
                let hint = format!("if the result is right: {update_command}");
                TestFailure::new(FailureKind::Golden, message)
                    .detail(detail)
                    .hint(hint)
            }
        };
        Err(Box::new(failure.pending(Pending {
            golden: golden.clone(),
            result: Some(result.to_vec()),
        })))
    }

    /// The failure of an example that returned no result.
    fn explain(&self, index: usize, failure: &Failure) -> TestFailure {
        let violations = self.tool.check_example(index);
        if !violations.is_empty() {
            return TestFailure::new(
                FailureKind::Schema,
                "the example does not match the parameters",
            )
            .diagnostics(violations);
        }
        let mut diagnostics = failure.diagnostics().to_vec();
        if let Some(first) = diagnostics.first_mut()
            && first.code == Code::InvalidTool
            && first.location.is_none()
            && self.tool.runs_programs()
        {
            first.location = self.tool.implementation_location();
            let message = "the program cannot be started";
            return TestFailure::new(FailureKind::Implementation, message).diagnostics(diagnostics);
        }
        if self.tool.js().is_some() && diagnostics.iter().any(|one| one.code == Code::InvalidTool) {
            return TestFailure::new(FailureKind::Implementation, "the code cannot be run")
                .diagnostics(diagnostics);
        }
        match diagnostics.first().map(|diagnostic| diagnostic.code) {
            Some(Code::TemplateFailed | Code::InvalidTool) => {
                TestFailure::new(FailureKind::Template, "the template does not render")
                    .diagnostics(diagnostics)
            }
            Some(_) => TestFailure::new(FailureKind::Tool, "the tool returned no result")
                .diagnostics(diagnostics),
            None => TestFailure::new(FailureKind::Tool, "cogtools itself failed on this example")
                .hint("this is a bug in cogtools; please report it with the file"),
        }
    }
}
