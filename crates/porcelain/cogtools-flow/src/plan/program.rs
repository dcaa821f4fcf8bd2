//! Steps that run a program, which calls the tools of the project: `run_code`.

use std::collections::BTreeMap;
use std::sync::Arc;

use cogtools_agent::{Permissions, ProgramQuestion, ToolTraits};
use cogtools_code::{
    CodeTools, Consent, Explanation, Lines, Person, Program, Recorded, Run, Scope, Source,
};
use cogtools_core::arguments::Arguments;
use cogtools_core::{AskConfig, Cancel, Code, Context, Diagnostic, Registry};
use cogtools_log::Approval;
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::{self, registry_and_context};
use cogtools_program::{Failure, Io};
use parking_lot::Mutex;
use serde_json::{Map, Value};

use super::contract::{Contract, Step};
use super::references::reference;
use crate::recorder::Recorder;

/// The argument with the code.
pub(super) const CODE: &str = "code";

/// The tools and the programs of a plan, and the rules for their calls.
pub(crate) struct Programs {
    /// The tools of the project.
    pub(super) registry: Registry,
    /// The context of calls, with the rules for calls within them.
    pub(super) cx: Context,
    names: Vec<String>,
    permissions: Permissions,
    /// The rules of the command line against tools.
    pub(super) deny: Vec<String>,
    /// The calls that the user agreed to, by step.
    consents: BTreeMap<String, Consent>,
    /// The person who is asked about other calls.
    pub(super) person: Person,
    /// The programs of an earlier run that was interrupted, by step.
    begun: Mutex<BTreeMap<String, Recorded>>,
}

impl Programs {
    /// The programs of a plan with the tools of `registry`, with the rules of a configuration and of a
    /// command line: the tools that it allows, and the tools that it denies.
    pub(super) fn new(
        registry: Registry,
        mut cx: Context,
        config: &AskConfig,
        (allow, deny): (&[String], &[String]),
    ) -> Self {
        let names = Scope::all_names(&registry);
        let known = names.iter().map(String::as_str);
        let permissions = Permissions::new(config, allow, deny, known);
        cx.call.rules = Some(Arc::new(permissions.rules()));
        Self {
            permissions,
            deny: deny.to_vec(),
            registry,
            cx,
            names,
            consents: BTreeMap::new(),
            person: Person::default(),
            begun: Mutex::default(),
        }
    }

    /// The programs of a plan without a question, with the tools that `args` select, none of which
    /// `deny` matches.
    pub(super) fn load(
        args: &RegistryArgs,
        deny: &[String],
        io: &mut Io<'_>,
    ) -> Result<Self, Failure> {
        let (registry, context) = registry_and_context(args, io, None)?;
        let config = project::config(&project::project(io), io)?;
        let cx = context.context(io);
        Ok(Self::new(registry, cx, &config.ask, (&[], deny)))
    }

    /// The tools that a program can call, until `cancel` ends it.
    fn scope(&self, cancel: &Cancel) -> Scope {
        let cx = self.cx.clone().ended_by(cancel);
        let (names, permissions) = (self.names.clone(), self.permissions.clone());
        Scope::new(self.registry.clone(), cx, names, permissions)
    }

    /// Returns true if `step` runs a program. A tool of the project with the name is meant by it.
    pub(super) fn has(&self, step: &Step) -> bool {
        let is_run = |name: &str| name == CodeTools::RUN;
        step.called().is_some_and(is_run) && !self.names.iter().any(|name| is_run(name))
    }

    /// Decides whether programs may run at all.
    pub(super) fn decide(&self) -> Approval {
        let traits = ToolTraits {
            is_program: true,
            ..ToolTraits::default()
        };
        self.decide_call(CodeTools::RUN, &traits)
    }

    /// Decides whether a call of `tool` may run.
    pub(super) fn decide_call(&self, tool: &str, traits: &ToolTraits) -> Approval {
        self.permissions.decide(tool, traits)
    }

    /// The code of `step`, if it runs a program that no other step writes.
    fn code<'s>(&self, step: &'s Step) -> Option<&'s str> {
        let code = step.args.as_ref()?.get(CODE)?.as_str()?;
        (self.has(step) && reference(code).is_none()).then_some(code)
    }

    /// Explains the program of `step`. Returns its code, too.
    pub(super) fn explain<'s>(&self, step: &'s Step) -> Option<(&'s str, Explanation)> {
        let code = self.code(step)?;
        Some((code, Explanation::of(code, &self.scope(&Cancel::default()))))
    }

    /// The question about the program of `step`.
    pub(super) fn question(&self, step: &Step) -> Option<ProgramQuestion> {
        let (code, explanation) = self.explain(step)?;
        Some(explanation.question(code, &self.scope(&Cancel::default())))
    }

    /// The mistakes in the program of `step`, which is not run: of its arguments, with pointers, and of
    /// calls that do not fit.
    pub(super) fn mistakes(&self, step: &Step) -> Vec<Diagnostic> {
        if let Err(wrong) = accept(step.args.clone().unwrap_or_default()) {
            return wrong;
        }
        let explained = self.explain(step);
        let mistakes = explained.into_iter().flat_map(|(_, it)| it.mistakes);
        let at_code = |it: Diagnostic| {
            let place = it.location.as_ref();
            let line = place.map(|at| format!("line {}: ", at.line));
            let message = format!("{}{}", line.unwrap_or_default(), it.message);
            let mut mistake = Diagnostic::new(it.code, message);
            mistake.hints = it.hints;
            mistake.with_pointer("/code")
        };
        mistakes.map(at_code).collect()
    }

    /// Notes that the user agrees to the programs of `contract` as they are written.
    pub(super) fn agree(&mut self, contract: &Contract) {
        let scope = self.scope(&Cancel::default());
        for step in &contract.steps {
            if let Some((_, explanation)) = self.explain(step) {
                let consent = explanation.consent(&scope);
                self.consents.insert(step.save_as.clone(), consent);
            }
        }
    }

    /// From now on, steps go on with the programs that they have `begun`.
    pub(super) fn go_on(&self, begun: BTreeMap<String, Recorded>) {
        *self.begun.lock() = begun;
    }

    /// Runs the program of the step `save_as`. Returns its value and its output.
    pub(super) fn run(
        &self,
        save_as: &str,
        run: Run,
        (recorder, cancel): (&Recorder, &Cancel),
    ) -> (Result<Value, Box<Diagnostic>>, String) {
        let Source::Code(code) = run.source else {
            return (Err(Box::new(no_code())), String::new());
        };
        let mut program = Program::new(code, run.args);
        save_as.clone_into(&mut program.name);
        program.timeout = run.timeout;
        program.consent = self.consents.get(save_as).cloned().unwrap_or_default();
        if let Some(recorded) = self.begun.lock().remove(save_as) {
            program.go_on(recorded);
        }
        let mut session = recorder.has_session().then(|| recorder.clone());
        let lines = session.as_mut().map(|it| it as &mut dyn Lines);
        let mut person = self.person.clone();
        let report = program.run_checked(&self.scope(cancel), lines, &mut person);
        let (value, log) = report.value_and_log();
        let result = if report.errors.is_empty() {
            Ok(value)
        } else {
            Err(Diagnostic::merge(report.errors))
        };
        (result, log.join("\n"))
    }
}

/// Reads the arguments of a step that runs a program.
///
/// # Errors
/// They do not fit, or there is no code.
pub(super) fn accept(args: Map<String, Value>) -> Result<Run, Vec<Diagnostic>> {
    let args = CodeTools::new()?.accept(CodeTools::RUN, Arguments::from(args))?;
    let run = Run::new(args)?;
    let Source::Code(code) = &run.source else {
        return Err(vec![no_code()]);
    };
    Program::check_length(code).map_err(|error| vec![*error])?;
    Ok(run)
}

fn no_code() -> Diagnostic {
    let message = "required but missing: a step runs a program of its own";
    Diagnostic::new(Code::SchemaViolation, message).with_pointer("/code")
}
