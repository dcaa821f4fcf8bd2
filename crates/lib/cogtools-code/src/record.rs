//! The lines that a program writes to its session.

use std::collections::BTreeMap;

use cogtools_agent::Journal;
use cogtools_core::Diagnostic;
use cogtools_core::digest;
use cogtools_log::{
    Approval, BlobId, CallEvent, CallId, Event, Id, LogError, Outcome, ProgramStatus, ProgramStep,
    ResultEvent, Timestamp, head_and_tail,
};
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Map, Value, json};

type Written = Result<(), Box<Diagnostic>>;

/// Longer values are blobs, of which the line has the beginning and the end.
const MAX_SHOWN: usize = 40_000;

/// The session in which the lines of a program are.
pub trait Lines: Send {
    /// Appends a line. Returns its time, and its place if there is a session.
    ///
    /// # Errors
    /// It cannot be written.
    fn append(&mut self, event: Event) -> Result<(Timestamp, Option<Id>), LogError>;

    /// Keeps the whole of a value beside the lines.
    ///
    /// # Errors
    /// It cannot be written.
    fn write_blob(&mut self, text: &str) -> Result<BlobId, LogError>;

    /// Returns true if `text` has a secret, which lines mask.
    fn has_secret(&self, text: &str) -> bool;

    /// Masks `value` as a line has it.
    fn mask_value(&self, value: &mut Value);
}

impl Lines for Journal {
    fn append(&mut self, event: Event) -> Result<(Timestamp, Option<Id>), LogError> {
        let id = Self::append(self, event)?;
        Ok((self.log().time(), Some(id)))
    }

    fn write_blob(&mut self, text: &str) -> Result<BlobId, LogError> {
        self.log().write_blob(text)
    }

    fn has_secret(&self, text: &str) -> bool {
        self.log().has_secret(text)
    }

    fn mask_value(&self, value: &mut Value) {
        self.log().mask_value(value);
    }
}

/// Writes the lines of one program, from any thread. Without a session it writes nothing.
pub(crate) struct Recorder<'l> {
    lines: Option<Mutex<&'l mut dyn Lines>>,
    program: String,
}

impl<'l> Recorder<'l> {
    pub(crate) fn new(lines: Option<&'l mut dyn Lines>, program: String) -> Self {
        Self {
            lines: lines.map(Mutex::new),
            program,
        }
    }

    fn lock(&self) -> Option<MutexGuard<'_, &'l mut dyn Lines>> {
        let lines = self.lines.as_ref()?;
        Some(lines.lock())
    }

    /// Appends a line; returns its time and its place.
    fn append(&self, event: Event) -> Result<(Timestamp, Option<Id>), Box<Diagnostic>> {
        match self.lock() {
            Some(mut lines) => Ok(lines.append(event)?),
            None => Ok((Timestamp::now(), None)),
        }
    }

    /// The value for a line, and the blob with the whole of a long one.
    fn keep(&self, value: &Value) -> Result<(Value, Option<BlobId>), Box<Diagnostic>> {
        let json = value.to_string();
        let lines = self.lock().filter(|_| json.len() > MAX_SHOWN);
        let Some(mut lines) = lines else {
            return Ok((value.clone(), None));
        };
        let blob = lines.write_blob(&json)?;
        Ok((json!(head_and_tail(&json, MAX_SHOWN)), Some(blob)))
    }

    /// Records that the program begins; returns its time.
    pub(crate) fn begin(
        &self,
        code: &str,
        args: &Map<String, Value>,
        seed: u64,
        tools: BTreeMap<String, String>,
    ) -> Result<Timestamp, Box<Diagnostic>> {
        let (time, _) = self.append(Event::Program {
            program: self.program.clone(),
            code: code.to_owned(),
            digest: digest::bytes(code.as_bytes()).to_string(),
            args: Value::Object(args.clone()),
            seed,
            tools,
            masked: false,
        })?;
        Ok(time)
    }

    /// The name of the call `step` in the session.
    pub(crate) fn call_id(&self, step: &str) -> CallId {
        CallId::new(format!("{}.{step}", self.program))
    }

    fn place(&self, step: &str) -> (CallId, ProgramStep) {
        let place = ProgramStep {
            program: Some(self.program.clone()),
            step: Some(step.to_owned()),
        };
        (self.call_id(step), place)
    }

    /// Records a call before it runs; returns its line.
    pub(crate) fn call(
        &self,
        step: &str,
        tool: &str,
        arguments: &Value,
        resolved: Option<&Value>,
        approval: &Approval,
    ) -> Result<Option<Id>, Box<Diagnostic>> {
        let (call, place) = self.place(step);
        let (tool, approval) = (tool.to_owned(), approval.clone());
        let event = CallEvent {
            resolved: resolved.filter(|it| *it != arguments).cloned(),
            place,
            ..CallEvent::new(call, tool, arguments.clone(), approval)
        };
        Ok(self.append(Event::Call(event))?.1)
    }

    /// Records the user's decision about a call that waited; returns its line.
    pub(crate) fn decision(
        &self,
        step: &str,
        approval: &Approval,
    ) -> Result<Option<Id>, Box<Diagnostic>> {
        let (call, _) = self.place(step);
        let approval = approval.clone();
        Ok(self.append(Event::Decision { call, approval })?.1)
    }

    /// Records the end of a call; returns its time.
    pub(crate) fn result(
        &self,
        step: &str,
        outcome: Outcome,
        content: &Value,
        ms: u64,
    ) -> Result<Timestamp, Box<Diagnostic>> {
        let (call, place) = self.place(step);
        let lines = self.lock();
        let masked = lines.is_some_and(|lines| lines.has_secret(&content.to_string()));
        let (content, blob) = self.keep(content)?;
        let (time, _) = self.append(Event::Result(ResultEvent {
            blob,
            ms,
            masked,
            place,
            ..ResultEvent::new(call, outcome, content)
        }))?;
        Ok(time)
    }

    pub(crate) fn print(&self, text: &str) -> Written {
        let lines = self.lock().filter(|_| text.len() > MAX_SHOWN);
        let blob = lines.map(|mut lines| lines.write_blob(text)).transpose()?;
        let (program, text) = (self.program.clone(), head_and_tail(text, MAX_SHOWN));
        self.append(Event::Print {
            program,
            text,
            blob,
        })?;
        Ok(())
    }

    pub(crate) fn store(&self, value: &Value) -> Written {
        let (value, blob) = self.keep(value)?;
        let program = self.program.clone();
        self.append(Event::Store {
            program,
            value,
            blob,
        })?;
        Ok(())
    }

    pub(crate) fn end(
        &self,
        status: ProgramStatus,
        code: Option<String>,
        result: Option<&Value>,
        (calls, ms): (usize, u64),
    ) -> Written {
        let kept = result.map(|it| self.keep(it)).transpose()?;
        self.append(Event::ProgramEnd {
            program: self.program.clone(),
            status,
            code,
            result: kept.map(|(it, _)| it),
            calls: calls as u64,
            ms,
        })?;
        Ok(())
    }

    /// `arguments` as a line has them.
    pub(crate) fn masked(&self, arguments: &Value) -> Value {
        let mut masked = arguments.clone();
        if let Some(lines) = self.lock() {
            lines.mask_value(&mut masked);
        }
        masked
    }
}
