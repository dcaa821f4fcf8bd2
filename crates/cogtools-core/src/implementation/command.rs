//! A tool that is a command: a program with arguments, or a script.
//!
//! Both get the arguments of the call as JSON on standard input, the variables
//! that the tool declares and no others, and the project's root as the working
//! directory. What they print is the result.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::error::CommandError;
use super::locate::Places;
use super::partials::Partials;
use super::script::{Interpreter, ScriptFile};
use super::{Answer, RunError, Template};
use crate::environment::Vars;
use crate::process::{Kept, Output, Process};
use crate::source::{Declared, Provider, ProviderError, told};
use crate::{Code, Surroundings, Tool};

/// How many bytes the result of a server may have as JSON, with all its parts; its
/// messages are smaller.
const SERVED: usize = 32 << 20;

/// One call of a tool that is a command.
pub(super) struct Call<'c> {
    tool: &'c Tool,
    surroundings: &'c Surroundings,
    input: Vec<u8>,
}

impl<'c> Call<'c> {
    /// A call of `tool` with `arguments`.
    pub(super) fn new(
        tool: &'c Tool,
        arguments: &Map<String, Value>,
        surroundings: &'c Surroundings,
    ) -> Self {
        // A map of JSON values can always be written. A shell's `read` wants a line.
        let mut input = serde_json::to_vec(arguments).unwrap_or_default();
        input.push(b'\n');
        Self {
            tool,
            surroundings,
            input,
        }
    }

    /// Runs the program with its arguments, each rendered over `arguments`. An
    /// element stays one element, whatever it comes to hold.
    pub(super) fn exec(
        self,
        elements: &[Template],
        arguments: &Map<String, Value>,
    ) -> Result<Answer, RunError> {
        let text = self.tool.text();
        let partials = Partials::beside(text);
        let mut words = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let word = element.render(text, &partials, arguments.clone())?;
            if word.contains('\0') {
                return Err(self.fault(&CommandError::Nul(index + 1)));
            }
            words.push(word);
        }
        let variables = self.variables()?;
        let places = self.places(&variables);
        let mut words = words.into_iter();
        let program = words.next().ok_or(CommandError::Nameless);
        let program = program.and_then(|name| places.find(&name));
        let program = program.map_err(|error| self.fault(&error))?;
        self.run(program, words.collect(), variables)
    }

    /// Runs the script by the interpreter that its first line names.
    pub(super) fn script(self, script: &str) -> Result<Answer, RunError> {
        let variables = self.variables()?;
        let interpreter = Interpreter::of(script, &self.places(&variables));
        let interpreter = interpreter.map_err(|error| self.fault(&error))?;
        let folder = self.surroundings.environment.temporary();
        let file = ScriptFile::write(script, self.tool.name().as_str(), &folder);
        let file = file.map_err(|error| self.fault(&CommandError::Script(error)))?;
        let mut args = interpreter.args;
        args.push(file.path().to_string_lossy().into_owned());
        self.run(interpreter.program, args, variables)
    }

    /// Asks the provider that has declared the tool.
    pub(super) fn provider(
        mut self,
        provider: &Provider,
        declared: &Declared,
    ) -> Result<Answer, RunError> {
        let about = |error: ProviderError| Box::new(error.fault().about(self.name()));
        let variables = provider.variables(self.surroundings).map_err(about)?;
        let settings = provider.settings();
        let mut line = settings.call.clone();
        if settings.server.is_some() {
            line.push("--".to_owned());
        }
        line.push(declared.own_name().to_owned());
        let process = provider.process(&line, variables, self.surroundings);
        let process = process.map_err(about)?;
        let program = PathBuf::from(&line[0]);
        if settings.server.is_none() {
            return self.end(process, program);
        }
        let output = self.output(process.most(SERVED), program)?;
        if output.end.is_success() {
            return served(&output).map_err(|error| self.fault(&error));
        }
        let Some(fault) = told(&output) else {
            return Err(self.failed(&output));
        };
        if fault.code == Code::ToolNotFound {
            provider.forget(self.surroundings);
        }
        Err(Box::new(fault.about(self.name())))
    }

    fn run(self, program: PathBuf, args: Vec<String>, variables: Vars) -> Result<Answer, RunError> {
        let process = Process::new(&program, &self.surroundings.root)
            .args(args)
            .variables(variables);
        self.end(process, program)
    }

    /// What `process`, which is `program`, answers.
    fn end(mut self, process: Process, program: PathBuf) -> Result<Answer, RunError> {
        let output = self.output(process, program)?;
        if !output.end.is_success() {
            return Err(self.failed(&output));
        }
        answer(output).map_err(|error| self.fault(&error))
    }

    /// Runs `process`, which is `program`, to its end, however that is.
    fn output(&mut self, process: Process, program: PathBuf) -> Result<Output, RunError> {
        let process = process.input(std::mem::take(&mut self.input));
        let process = process.timeout(self.tool.timeout());
        let output = process.run(&self.surroundings.cancel);
        output.map_err(|error| self.fault(&CommandError::Start(program, error)))
    }

    /// The fault of a run that did not end well.
    fn failed(&self, output: &Output) -> RunError {
        CommandError::of(output.end, self.tool.timeout()).telling(self.name(), output)
    }

    fn variables(&self) -> Result<Vars, RunError> {
        let given = self.surroundings.environment.given(self.tool.env());
        given.map_err(|error| {
            let fault = error.fault();
            // A fault of the file is about the file.
            let about = fault.subject.is_empty();
            Box::new(if about {
                fault.about(self.tool.name().as_str())
            } else {
                fault
            })
        })
    }

    fn places(&self, variables: &Vars) -> Places {
        let file = self.tool.text().origin();
        let folder = file.parent().unwrap_or(Path::new(""));
        Places::new(self.surroundings.root.join(folder), variables)
    }

    fn name(&self) -> &str {
        self.tool.name().as_str()
    }

    fn fault(&self, error: &CommandError) -> RunError {
        error.fault(self.name())
    }
}

/// What a program that did well has answered.
fn answer(output: Output) -> Result<Answer, CommandError> {
    let Kept { bytes, left_out } = output.stdout;
    let whole = bytes.len() as u64 + left_out;
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            // A character that was cut in two is no mistake of the program.
            if left_out == 0 || error.utf8_error().error_len().is_some() {
                return Err(CommandError::Encoding(valid));
            }
            let mut bytes = error.into_bytes();
            bytes.truncate(valid);
            String::from_utf8(bytes).unwrap_or_default()
        }
    };
    let left_out = whole - text.len() as u64;
    if left_out > 0 {
        text.push_str(&notice(left_out));
    }
    Ok(Answer {
        text,
        cut: left_out,
        aside: String::from_utf8_lossy(&output.stderr.bytes).into_owned(),
        ..Answer::default()
    })
}

/// What a server has answered. A text that is too long stands alone, and is cut.
fn served(output: &Output) -> Result<Answer, CommandError> {
    let result = serde_json::from_slice(&output.stdout.bytes).map_err(CommandError::Served)?;
    let mut answer = Answer::of_server(result);
    if answer.text.len() > Process::MOST {
        let end = answer.text.floor_char_boundary(Process::MOST);
        answer.cut = (answer.text.len() - end) as u64;
        answer.text.truncate(end);
        answer.text.push_str(&notice(answer.cut));
        answer.parts.clear();
    }
    Ok(answer)
}

/// The last line of a result that was cut.
fn notice(left_out: u64) -> String {
    let most = Process::MOST;
    format!("\n[cut here: {left_out} more bytes are left out; a result has at most {most}]\n")
}
