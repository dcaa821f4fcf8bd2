//! A program as its session has it: its lines, from which it runs again with the same results.

use std::collections::HashMap;

use cogtools_core::{Code, Diagnostic};
use cogtools_log::{
    Approval, BlobId, Blobs, Decision, Entry, Event, Id, Outcome, Session, Timestamp, masked,
};
use serde_json::{Value, json};

use crate::Decisions;

/// A program in a session.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Its name.
    pub name: String,
    /// The code.
    pub code: String,
    /// The value of `args`.
    pub args: Value,
    /// The seed of its random numbers.
    pub seed: u64,
    /// The time at which it began.
    pub time: Timestamp,
    /// The values that it began with.
    pub store: Value,
    /// Its last line.
    pub last: Id,
    /// Its calls, by step.
    pub(crate) calls: HashMap<String, RecordedCall>,
    /// The number of lines that it printed.
    pub(crate) prints: usize,
    /// True if a secret in its code or arguments was masked.
    is_masked: bool,
}

/// A call of a program in a session, for those who decide what becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallState<'r> {
    /// Its place in the program.
    pub step: &'r str,
    /// The tool.
    pub tool: &'r str,
    /// True if it was approved, and so may have had an effect.
    pub may_have_run: bool,
    /// True if its result is known.
    pub has_ended: bool,
}

/// A call of a program in a session.
#[derive(Clone, Debug)]
pub(crate) struct RecordedCall {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) approval: Approval,
    /// The result, unless the call was interrupted or a secret in it is masked.
    pub(crate) result: Option<RecordedResult>,
    pub(crate) is_masked: bool,
}

/// The result of a call in a session.
#[derive(Clone, Debug)]
pub(crate) struct RecordedResult {
    pub(crate) outcome: Outcome,
    /// An object with `output` or `error`.
    pub(crate) content: Value,
    pub(crate) time: Timestamp,
    pub(crate) ms: u64,
}

impl RecordedCall {
    /// Returns true if it may have had an effect that nobody knows of.
    pub(crate) fn is_open(&self) -> bool {
        self.result.is_none() && self.may_have_run()
    }

    fn may_have_run(&self) -> bool {
        let decision = &self.approval.decision;
        let result = self.result.as_ref();
        matches!(decision, Decision::Allowed | Decision::Granted)
            && result.is_none_or(|result| !result.outcome.is_rejection())
    }
}

impl Recorded {
    /// Its calls.
    pub fn calls(&self) -> impl Iterator<Item = CallState<'_>> {
        self.calls.iter().map(|(step, call)| CallState {
            step,
            tool: &call.tool,
            may_have_run: call.may_have_run(),
            has_ended: call.result.is_some(),
        })
    }

    /// The program `name` of `session`, or its last one.
    ///
    /// # Errors
    /// There is none, or a blob of it cannot be read.
    pub fn read(
        session: &Session,
        blobs: &Blobs,
        name: Option<&str>,
    ) -> Result<Self, Box<Diagnostic>> {
        let mut found: Option<Self> = None;
        let mut stores: HashMap<&str, Value> = HashMap::new();
        for entry in &session.entries {
            match &entry.event {
                Event::Program {
                    program,
                    code,
                    args,
                    seed,
                    masked,
                    ..
                } if name.is_none_or(|name| name == program) => {
                    let store = stores.get(family_of(program));
                    found = Some(Self {
                        name: program.clone(),
                        code: code.clone(),
                        args: args.clone(),
                        seed: *seed,
                        time: entry.time,
                        store: store.cloned().unwrap_or_else(|| json!({})),
                        last: entry.id,
                        calls: HashMap::new(),
                        prints: 0,
                        is_masked: *masked,
                    });
                }
                Event::Store {
                    program,
                    value,
                    blob,
                } => {
                    if let Some(found) = found.as_mut().filter(|it| it.name == *program) {
                        found.last = entry.id;
                    }
                    stores.insert(family_of(program), whole(blobs, value, blob.as_ref())?);
                }
                _ => {
                    if let Some(found) = &mut found {
                        found.add(entry, blobs)?;
                    }
                }
            }
        }
        found.ok_or_else(|| {
            let message = match name {
                Some(name) => format!("the session has no program `{name}`"),
                None => "the session has no program".to_owned(),
            };
            Box::new(Diagnostic::new(Code::SessionNotFound, message))
        })
    }

    /// The program that began below one of the lines `calls`.
    ///
    /// # Errors
    /// A blob of it cannot be read.
    pub fn below(
        session: &Session,
        blobs: &Blobs,
        calls: &[Id],
    ) -> Result<Option<Self>, Box<Diagnostic>> {
        let name = session.entries.iter().find_map(|entry| match &entry.event {
            Event::Program { program, .. } if calls.contains(&entry.parent?) => Some(program),
            _ => None,
        });
        let program = name.map(|name| Self::read(session, blobs, Some(name)));
        program.transpose()
    }

    /// Fails if the program cannot go on as it was, or the user decides about a call that it has not
    /// made.
    ///
    /// # Errors
    /// `INVALID_SESSION`, or `USAGE` with the step.
    pub fn check(&self, decisions: &Decisions) -> Result<(), Box<Diagnostic>> {
        if self.is_masked {
            let masked = masked(&self.name, "the code, or in `args`");
            return Err(Box::new(masked.hint("run the program anew")));
        }
        let interrupted = decisions.repeat.iter().chain(decisions.results.keys());
        let waiting = decisions.approve.iter().chain(decisions.reject.keys());
        let mut steps = interrupted.chain(waiting);
        match steps.find(|step| !self.calls.contains_key(*step)) {
            None => Ok(()),
            Some(step) => {
                let diagnostic = Diagnostic::new(Code::Usage, "the program has made no such call");
                Err(Box::new(diagnostic.with_subject(step.as_str())))
            }
        }
    }

    fn add(&mut self, entry: &Entry, blobs: &Blobs) -> Result<(), Box<Diagnostic>> {
        match &entry.event {
            Event::Call(call) if call.place.program.as_ref() == Some(&self.name) => {
                let step = call.place.step.clone().unwrap_or_default();
                let call = RecordedCall {
                    tool: call.tool.clone(),
                    arguments: call.arguments.clone(),
                    approval: call.approval.clone(),
                    result: None,
                    is_masked: false,
                };
                self.calls.insert(step, call);
            }
            Event::Decision { call, approval } => {
                let step = call.as_str().strip_prefix(&format!("{}.", self.name));
                let Some(call) = step.and_then(|step| self.calls.get_mut(step)) else {
                    return Ok(());
                };
                call.approval = approval.clone();
            }
            Event::Result(result) if result.place.program.as_ref() == Some(&self.name) => {
                let step = result.place.step.as_deref().unwrap_or_default();
                let Some(call) = self.calls.get_mut(step) else {
                    return Ok(());
                };
                call.is_masked = result.masked;
                let content = whole(blobs, &result.content, result.blob.as_ref())?;
                call.result = (!result.masked).then(|| RecordedResult {
                    outcome: result.outcome.clone(),
                    content,
                    time: entry.time,
                    ms: result.ms,
                });
            }
            Event::Print { program, .. } if *program == self.name => self.prints += 1,
            Event::ProgramEnd { program, .. } if *program == self.name => {}
            _ => return Ok(()),
        }
        self.last = entry.id;
        Ok(())
    }
}

/// The last store of the programs in `session` whose names are `family` with a number, and the name
/// of the next one.
///
/// # Errors
/// A blob cannot be read.
pub fn store_and_next(
    session: &Session,
    blobs: &Blobs,
    family: &str,
) -> Result<(Value, String), Box<Diagnostic>> {
    let mut store = json!({});
    let mut programs = 0_usize;
    for entry in &session.entries {
        match &entry.event {
            Event::Program { program, .. } if family_of(program) == family => programs += 1,
            Event::Store {
                program,
                value,
                blob,
            } if family_of(program) == family => {
                store = whole(blobs, value, blob.as_ref())?;
            }
            _ => {}
        }
    }
    Ok((store, format!("{family}{}", programs + 1)))
}

/// The name of a program without its number. Programs of one family share their store.
pub fn family_of(program: &str) -> &str {
    program.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn whole(blobs: &Blobs, shown: &Value, blob: Option<&BlobId>) -> Result<Value, Box<Diagnostic>> {
    blobs.whole(shown, blob).map_err(|reason| {
        let name = blob.map_or("", BlobId::as_str);
        let message = format!("the blob {name} cannot be read: {reason}");
        Box::new(Diagnostic::new(Code::InvalidSession, message))
    })
}
