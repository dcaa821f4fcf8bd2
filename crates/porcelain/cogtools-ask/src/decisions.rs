//! The user's answers on the command line: decisions about calls that the session waits for.

use std::collections::BTreeMap;

use cogtools_agent::{Journal, OpenCall, Tools as _};
use cogtools_code::Decisions;
use cogtools_core::{Code, Diagnostic};
use cogtools_log::{Approval, CallEvent, Decision, Event, Why, masked};
use cogtools_program::{Failure, Io, text_input};
use serde_json::Value;

use crate::args::AskArgs;
use crate::summary;
use crate::tools::ProjectTools;
use crate::worker::OpenSession;

/// Notes the answers of a command line.
pub(crate) struct Decider<'d> {
    pub(crate) args: &'d AskArgs,
    pub(crate) tools: &'d ProjectTools,
    pub(crate) journal: &'d mut Journal,
    /// The command that goes on with the session.
    resume: String,
    /// Decisions about calls of programs, by program.
    programs: BTreeMap<String, Decisions>,
}

impl<'d> Decider<'d> {
    pub(crate) fn new(
        args: &'d AskArgs,
        tools: &'d ProjectTools,
        opened: &'d mut OpenSession,
    ) -> Self {
        Self {
            args,
            tools,
            resume: summary::resume(&opened.name),
            journal: &mut opened.journal,
            programs: BTreeMap::new(),
        }
    }

    /// Writes decisions about the model's calls to the log. The next run of a program gets those
    /// about its calls.
    ///
    /// # Errors
    /// The session does not wait for a call, or its tool is not the one that the user was asked about.
    pub(crate) fn decide(mut self, io: &mut Io<'_>) -> Result<(), Failure> {
        let args = self.args;
        for call in &args.approve {
            if let Some(open) = self.open(call) {
                self.grant(&open, Approval::new(Decision::Granted, Why::Answer))?;
            } else {
                let (decisions, step) = self.of_program(call)?;
                decisions.approve.push(step);
            }
        }
        for call in &args.approve_each {
            let open = self.open(call).ok_or_else(|| not_waiting(call))?;
            self.grant(&open, Approval::new(Decision::Allowed, Why::Answer))?;
        }
        for text in &args.reject {
            let (call, reason) = match text.split_once('=') {
                Some((call, why)) if self.open(text).is_none() => (call, Some(why.to_owned())),
                _ => (text.as_str(), None),
            };
            if let Some(open) = self.open(call) {
                self.append(&open, Approval::denied(reason))?;
            } else {
                let (decisions, step) = self.of_program(call)?;
                decisions.reject.insert(step, reason);
            }
        }
        for call in &args.repeat {
            let (decisions, step) = self.of_program(call)?;
            decisions.approve.push(step.clone());
            decisions.repeat.push(step);
        }
        for text in &args.result {
            let (call, json) = text.split_once('=').unwrap_or((text, ""));
            let value: Value = serde_json::from_str(json).map_err(|error| {
                let message = format!("the result is not JSON: {error}");
                Failure::from(Diagnostic::new(Code::Usage, message).with_subject(call))
            })?;
            let (decisions, step) = self.of_program(call)?;
            decisions.results.insert(step, value);
        }
        for (program, decisions) in std::mem::take(&mut self.programs) {
            if let Some(code) = &self.tools.code {
                code.decide(&program, decisions, self.journal)?;
            }
        }
        match &args.edit {
            Some(call) => self.edit(call, io),
            None => Ok(()),
        }
    }

    /// The model's call of that name, if it has no result.
    fn open(&self, call: &str) -> Option<OpenCall> {
        let mut open = self.journal.conversation().open_calls().iter();
        open.find(|open| open.id.as_str() == call).cloned()
    }

    /// The decisions about the program of a call such as `p1.3`, and the step.
    fn of_program(&mut self, call: &str) -> Result<(&mut Decisions, String), Failure> {
        let place = call.split_once('.').filter(|_| self.tools.code.is_some());
        let (program, step) = place.ok_or_else(|| not_waiting(call))?;
        let decisions = self.programs.entry(program.to_owned()).or_default();
        Ok((decisions, step.to_owned()))
    }

    /// Notes a yes, unless the tool is another one than the user was asked about.
    fn grant(&mut self, open: &OpenCall, approval: Approval) -> Result<(), Failure> {
        if open.is_masked {
            let masked = masked(open.id.as_str(), "the arguments");
            let hint = format!("`{}` lets the model make the call again", self.resume);
            return Err(masked.hint(hint).into());
        }
        let asked = open.approval.as_ref().and_then(|it| it.digest.as_ref());
        let arguments = open.resolved.as_ref().unwrap_or(&open.arguments);
        let is_same = |digest| self.tools.digest(&open.tool, arguments).as_ref() == Some(digest);
        if !asked.is_none_or(is_same) {
            let message = format!("`{}` has changed since you were asked", open.tool);
            return Err(Diagnostic::new(Code::Denied, message)
                .with_subject(open.id.as_str())
                .hint(format!(
                    "`{} --pause` asks about the tool as it is now",
                    self.resume
                ))
                .into());
        }
        self.append(open, approval)
    }

    fn append(&mut self, open: &OpenCall, approval: Approval) -> Result<(), Failure> {
        let call = open.id.clone();
        let event = Event::Decision { call, approval };
        self.journal
            .append(event)
            .map_err(Box::<Diagnostic>::from)?;
        Ok(())
    }

    /// Puts the program on standard input in the place of one that waits.
    fn edit(&mut self, call: &str, io: &mut Io<'_>) -> Result<(), Failure> {
        let open = self.open(call);
        let open = open.filter(|open| !open.has_started && open.arguments.get("code").is_some());
        let open = open.ok_or_else(|| not_waiting(call))?;
        let mut edited = open.arguments.clone();
        let line = "cogtools ask --edit CALL < program.js";
        let code = String::from_utf8(text_input::read_input(io, "the program", line)?);
        let code = code.map_err(|_| Diagnostic::new(Code::Usage, "the program is not UTF-8"))?;
        edited["code"] = code.into();
        if let Value::Object(arguments) = &edited {
            self.tools
                .prepare(&open.tool, arguments.clone())
                .map(drop)?;
        }
        let approval = Approval::new(Decision::Asked, Why::Default);
        let event = CallEvent {
            resolved: Some(edited),
            ..CallEvent::new(open.id, open.tool, open.arguments, approval)
        };
        let appended = self.journal.append(Event::Call(event));
        appended.map_err(Box::<Diagnostic>::from)?;
        Ok(())
    }
}

fn not_waiting(call: &str) -> Failure {
    let diagnostic = Diagnostic::new(Code::Usage, "the session does not wait for this call");
    diagnostic.with_subject(call).into()
}
