//! Runs the tests of all tools: one suite per tool, one case per example.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use cogtools_core::process::LineSink;
use cogtools_core::tool::{Example, ToolError};
use cogtools_core::{Candidate, Code, Context, Diagnostic, Folder, Tool, load_all};
use cogtools_program::{Failure, Syntax, render_hint};
use fancy_regex::Regex;

use crate::TestArgs;
use crate::fixture;
use crate::golden::{ExampleId, Golden, Goldens, diff, escape};
use crate::invocation::{
    self, EncodedArguments, RECORD, Spawner, TAPE, UPDATE, call_in_process, call_with_tape,
    missing_tape, stale_tape,
};
use crate::js_coverage::{self, CountedNodes};
use crate::suite::{Case, FailureKind, Pending, Suite, TestFailure, compile_all, redact};
use crate::target::Targets;

/// A run of the tests.
pub(crate) struct Runner<'r> {
    pub(crate) args: &'r TestArgs,
    /// Starts the actual programs, with `--spawn`.
    pub(crate) spawner: Option<Spawner>,
    /// The context of tools that run programs.
    pub(crate) cx: Context,
}

impl Runner<'_> {
    /// Tests `targets`, two at a time, and looks for golden files without a tool in their folders.
    pub(crate) fn run(&self, targets: &Targets) -> Vec<Suite> {
        let folders = targets.files.iter().filter_map(|file| file.path.parent());
        let target_folders = targets.folders.iter().map(Folder::path);
        let goldens = Goldens::list(folders.chain(target_folders));
        let mut suites = self.suites(targets, &goldens);
        if self.args.only.is_some() {
            // A file that is not a valid tool has no examples that could match.
            suites.retain(|suite| !suite.cases.is_empty() || !suite.passed());
            return suites;
        }
        if self.args.fail_fast && suites.iter().any(|suite| !suite.passed()) {
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
        if !self.args.fail_fast {
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
        if self.args.only.is_none() {
            suite
                .failures
                .extend(invocation::shebang_problem(&tool, file));
        }
        let loaded_by_path = Tool::load(&file.path, &file.display_path, &file.scope);
        let shell_arg = targets.shell_arg(file);
        let nodes = self.args.coverage.then(|| CountedNodes::of(&tool));
        let under_test = ToolUnderTest {
            shell_arg: &shell_arg,
            file,
            tool: &tool,
            loaded_by_path: &loaded_by_path.map(Arc::new).map_err(ToolError::diagnostics),
            counted: nodes.as_ref().map(CountedNodes::code).unwrap_or_default(),
            run: self,
        };
        self.run_cases(&tool, &under_test, &mut suite);
        suite.coverage = nodes.map(|it| js_coverage::measure(&tool, it, &suite.cases, &self.cx));
        if self.args.only.is_some() {
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
            let leaves_out = |only: &Regex| !only.is_match(&name).unwrap_or(false);
            if self.args.only.as_ref().is_some_and(leaves_out) {
                continue;
            }
            suite.cases.push(under_test.case(index, example));
            if self.args.fail_fast && !suite.passed() {
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
            let message = format!("`{}` has no example", path.display());
            let failure = TestFailure::new(FailureKind::Stale, message);
            if !self.args.update {
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

/// The result of a call, or its failure.
type Called = Result<Vec<u8>, Failure>;

/// A tool under test.
struct ToolUnderTest<'s> {
    /// Its file.
    file: &'s Candidate,
    /// The tool, loaded by name.
    tool: &'s Arc<Tool>,
    /// The tool, loaded by path.
    loaded_by_path: &'s Result<Arc<Tool>, Vec<Diagnostic>>,
    /// Its name or path, quoted for a shell.
    shell_arg: &'s str,
    /// Code that counts the branches of nodes, by node.
    counted: Arc<BTreeMap<String, String>>,
    /// The settings of the run.
    run: &'s Runner<'s>,
}

impl ToolUnderTest<'_> {
    /// Tests `example`, which is at the zero-based `index`.
    fn case(&self, index: usize, example: &Example) -> Case {
        let id = ExampleId::new(index, example);
        let golden = Golden::new(&self.run.cx.root, self.file, &id);
        let has_golden = example.has_golden();
        let mut case = Case {
            number: index + 1,
            name: example.name.as_ref().map(ToString::to_string),
            location: self.tool.example_location(index),
            golden: has_golden.then(|| golden.display_path.clone()),
            ..Case::default()
        };
        let began = Instant::now();
        let tested = self.test(index, example, &golden, &mut case);
        case.failures.extend(tested.err().map(|failure| *failure));
        case.time = began.elapsed();
        case
    }

    fn test(
        &self,
        index: usize,
        example: &Example,
        golden: &Golden,
        case: &mut Case,
    ) -> Result<(), Box<TestFailure>> {
        let redactions = compile_all("redact", &example.redact)?;
        let is_request = self.tool.request().is_some();
        let is_program = self.tool.is_program();
        let takes_presets = is_request || calls_tools(self.tool) || is_program;
        if !example.presets.is_empty() && !takes_presets {
            return Err(Box::new(no_flow()));
        }
        let arguments = EncodedArguments::new(&example.arguments());
        let mut cx = self.run.cx.clone();
        cx.call.presets = Arc::new(example.presets.clone());
        cx.call.counted = Arc::clone(&self.counted);
        let mut _temporary = None;
        if is_program && !example.presets.is_empty() {
            let folder = self.file.path.parent().unwrap_or(Path::new(""));
            let made = fixture::make(&example.presets, folder).map_err(|message| {
                TestFailure::new(FailureKind::Assertion, message).hint("correct `with`")
            })?;
            (cx.call.fixture, _temporary) = (Some(made.0), made.1);
        }
        let events: Arc<Mutex<Vec<String>>> = Arc::default();
        let sink = Arc::clone(&events);
        cx.call.events = Some(LineSink::new(move |line| {
            let mut events = sink.lock().unwrap_or_else(PoisonError::into_inner);
            events.push(line.to_owned());
        }));
        let cx = &cx;
        let (called, has_tape) = self.call(example, golden, &arguments.json, cx)?;
        let events = events.lock().unwrap_or_else(PoisonError::into_inner);
        let way = self.compare_way(index, example, &events, case);
        case.failures.extend(way.err().map(|failure| *failure));
        drop(events);
        let result = match (called, example.fails) {
            (Ok(result), None) => redact(&result, &redactions).into_owned(),
            (Ok(result), Some(_)) => return Err(Box::new(no_failure(example, &result))),
            (Err(failure), None) => return Err(Box::new(self.explain(index, &failure))),
            (Err(failure), Some(_)) => {
                case.failures = check_failure(example, &failure);
                return Ok(());
            }
        };
        // The other ways to call a tool know of no example.
        if example.presets.is_empty() && !is_request {
            let once = has_tape || invocation::runs_once(self.tool);
            self.compare_invocations(&arguments, &redactions, (&result, once), case);
        }
        if !example.has_golden() {
            let text = String::from_utf8_lossy(&result);
            case.failures
                .extend(check_text(example, "the result", &text));
            return Ok(());
        }
        // A result that differs between calls is never written.
        let update = self.run.args.update && case.failures.is_empty();
        case.written |= self.check_golden(golden, &result, update)?;
        Ok(())
    }

    /// Calls the tool in this process. Returns whether its requests and models have a recording, too.
    ///
    /// # Errors
    /// There is no recording, or it does not fit.
    fn call(
        &self,
        example: &Example,
        golden: &Golden,
        arguments: &[u8],
        cx: &Context,
    ) -> Result<(Called, bool), Box<TestFailure>> {
        let has_response = example.presets.contains_key("http");
        let (asks_a_model, is_request) = (self.tool.asks_a_model(), self.tool.request().is_some());
        let (records, option) = if asks_a_model {
            (self.run.args.update, UPDATE)
        } else {
            (self.run.args.record, RECORD)
        };
        let missing = missing_tape(golden, option, self.shell_arg);
        // The tools that it calls may make requests.
        let may_have_tape = calls_tools(self.tool) && (records || missing.is_none());
        if !(asks_a_model || is_request && !has_response || may_have_tape) {
            let called = call_in_process(self.tool, arguments, Syntax::Json, cx);
            return match (stale_tape(&called), missing) {
                (None, _) => Ok((called, false)),
                (Some(failure), Some(missing)) if !has_response => Err(Box::new(TestFailure {
                    diagnostics: failure(String::new()).diagnostics,
                    ..missing
                })),
                (Some(failure), _) => {
                    let failure = failure("`with: {http: …}` does not fit the requests".to_owned());
                    Err(Box::new(failure.hint("correct `with`")))
                }
            };
        }
        if let Some(failure) = missing.filter(|_| !records) {
            return Err(Box::new(failure));
        }
        let is_new = !asks_a_model && records;
        let called = call_with_tape(self.tool, arguments, golden, records, is_new, cx);
        if let Some(failure) = stale_tape(&called) {
            let path = golden.display_path.with_extension(TAPE);
            let message = format!("`{}` does not fit the requests any more", path.display());
            // A model that is asked again calls tools whose requests are not recorded.
            let option = if records { RECORD } else { option };
            let arg = self.shell_arg;
            let hint = format!("if they are right: cogtools test {option} {arg}");
            return Err(Box::new(failure(message).hint(hint)));
        }
        Ok((called, true))
    }

    /// Compares the way that an example took through its flow with its golden file, if there is one.
    fn compare_way(
        &self,
        index: usize,
        example: &Example,
        events: &[String],
        case: &mut Case,
    ) -> Result<(), Box<TestFailure>> {
        let Some(flow) = self.tool.flow().filter(|_| !events.is_empty()) else {
            return Ok(());
        };
        if example.fails.is_none() {
            case.way = flow.way(events);
        }
        case.taken = js_coverage::taken(events);
        let id = ExampleId::new(index, example);
        let golden = Golden::new(&self.run.cx.root, self.file, format!("{id}.trace"));
        if golden.read().is_ok_and(|old| old.is_none()) {
            return Ok(());
        }
        let (way, update) = (flow.way(events), self.run.args.update);
        case.written |= self.check_golden(&golden, way.as_bytes(), update)?;
        Ok(())
    }

    /// Calls the tool in the other ways, unless it is called `once`: that could change something
    /// again, or only this way knows the recording.
    fn compare_invocations(
        &self,
        arguments: &EncodedArguments,
        redactions: &[Regex],
        (result, once): (&[u8], bool),
        case: &mut Case,
    ) {
        let (loaded, cx) = (self.loaded_by_path, &self.run.cx);
        let mut results = invocation::others(self.tool, loaded, arguments, once, cx);
        if let Some(spawner) = self.run.spawner.as_ref().filter(|_| !once) {
            results.extend(spawner.invocations(self.file, self.tool, arguments));
        }
        let failures = results.into_iter().filter_map(|(name, other)| {
            let other = other.map(|other| redact(&other, redactions).into_owned());
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
            let message = "the example does not match the parameters";
            return TestFailure::new(FailureKind::Schema, message).diagnostics(violations);
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
        let (kind, message) = match diagnostics.first().map(|diagnostic| diagnostic.code) {
            Some(Code::TemplateFailed | Code::InvalidTool) => {
                (FailureKind::Template, "the template does not render")
            }
            Some(_) => (FailureKind::Tool, "the tool returned no result"),
            None => {
                let message = "cogtools itself failed on this example";
                return TestFailure::new(FailureKind::Tool, message)
                    .hint("this is a bug in cogtools; please report it with the file");
            }
        };
        TestFailure::new(kind, message).diagnostics(diagnostics)
    }
}

/// Returns true if `tool` is a flow, or code that calls tools.
fn calls_tools(tool: &Tool) -> bool {
    tool.flow().is_some() || tool.js().is_some_and(|js| !js.tools().is_empty())
}

/// The maximum number of lines shown of a text that lacks something.
const MAX_SHOWN_LINES: usize = 20;

/// Checks `fails` and, in the message of the failure, `contains` and `matches`.
fn check_failure(example: &Example, failure: &Failure) -> Vec<TestFailure> {
    let found = failure.diagnostics().first().map(|first| first.code);
    if found == example.fails {
        return check_text(example, "the message", &message(failure.diagnostics()));
    }
    let expected = example.fails.map_or("", Code::name);
    let found = found.map_or("an unknown code", Code::name);
    let text = format!("the call fails with {found}, and the example expects {expected}");
    let failed = TestFailure::new(FailureKind::Assertion, text);
    vec![failed.diagnostics(failure.diagnostics().to_vec())]
}

/// The failure of an example that expects one and gets `result`.
fn no_failure(example: &Example, result: &[u8]) -> TestFailure {
    let expected = example.fails.map_or("", Code::name);
    let message = format!("the call succeeds, and the example expects {expected}");
    TestFailure::new(FailureKind::Assertion, message)
        .detail(shown(&String::from_utf8_lossy(result)))
}

/// The failure of an example that says what other tools answer, of a tool that calls none.
fn no_flow() -> TestFailure {
    let message = "`with` says what the tools that a flow or code calls answer, or what a program finds, and this tool calls none";
    TestFailure::new(FailureKind::Assertion, message).hint("remove `with`")
}

/// Checks `contains` and `matches` in `text`, which messages call `name`.
fn check_text(example: &Example, name: &str, text: &str) -> Vec<TestFailure> {
    let patterns = match compile_all("matches", &example.matches) {
        Ok(patterns) => patterns,
        Err(failure) => return vec![*failure],
    };
    let contains = example
        .contains
        .iter()
        .filter(|part| !text.contains(part.as_str()))
        .map(|part| format!("{name} does not contain `{}`", escape(part)));
    let matches = example
        .matches
        .iter()
        .zip(&patterns)
        .filter(|(_, pattern)| !pattern.is_match(text).unwrap_or(false))
        .map(|(source, _)| format!("{name} does not match `{}`", escape(source)));
    contains
        .chain(matches)
        .map(|message| TestFailure::new(FailureKind::Assertion, message).detail(shown(text)))
        .collect()
}

/// The text that a model reads of a failed call.
fn message(diagnostics: &[Diagnostic]) -> String {
    let mut lines = Vec::new();
    for diagnostic in diagnostics {
        lines.push(diagnostic.summary());
        lines.extend(diagnostic.details.lines().map(str::to_owned));
        let hints = diagnostic.hints.iter().map(render_hint);
        lines.extend(hints.map(|hint| format!("hint: {hint}")));
    }
    lines.join("\n")
}

/// The first lines of `text`, escaped, each with a bar.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    for line in text.lines().take(MAX_SHOWN_LINES) {
        let _ = writeln!(shown, "| {}", escape(line));
    }
    let left_out = text.lines().count().saturating_sub(MAX_SHOWN_LINES);
    if left_out > 0 {
        shown.push_str("| …\n");
    }
    shown
}
