//! A call, from the name of a tool to its output, and its timeout.
//!
//! `call_tool` only calls another tool. That tool is looked up before any arguments are
//! validated, so a call is always one of the tool that does the work, with that tool's
//! timeout.

use std::sync::Arc;
use std::time::Duration;

use super::{FindError, Registry, builtin};
use crate::approval::approve;
use crate::arguments::Arguments;
use crate::{Code, Context, Diagnostic, Name, Tool, ToolOutput};

/// A tool and its arguments.
#[derive(Debug)]
pub struct Call {
    tool: Arc<Tool>,
    arguments: Arguments,
}

/// The timeout of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    name: String,
    timeout: Duration,
    /// True if it starts a process. Such a tool enforces the timeout itself, and reports
    /// how the process ended.
    process: bool,
    /// True if the caller has given it less time than the tool has.
    is_shortened: bool,
}

impl Registry {
    /// Prepares a call of the tool of that name, or returns all errors.
    pub fn prepare(&self, name: &str, arguments: Arguments) -> Result<Call, Vec<Diagnostic>> {
        let tool = self.find(name).map_err(FindError::diagnostics)?;
        self.prepare_tool(tool, arguments)
    }

    /// Prepares a call of a tool of this registry. For `call_tool` it is a call of the
    /// tool that the arguments name.
    pub fn prepare_tool(
        &self,
        tool: impl Into<Arc<Tool>>,
        arguments: Arguments,
    ) -> Result<Call, Vec<Diagnostic>> {
        let (mut tool, mut arguments) = (tool.into(), arguments);
        // The arguments are finite, and each round unwraps one level.
        while tool.name().as_str() == Name::CALL {
            let accepted = tool
                .accept(arguments)
                .map_err(|error| error.diagnostics(&tool))?;
            let (name, inner) = builtin::target(accepted.into_object());
            tool = self.find(&name).map_err(target_not_found)?.into();
            arguments = inner;
        }
        Ok(Call::new(tool, arguments))
    }
}

impl Call {
    /// Prepares a call of a tool that was loaded from a file.
    pub const fn new(tool: Arc<Tool>, arguments: Arguments) -> Self {
        Self { tool, arguments }
    }

    /// The tool that does the work.
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// Its timeout.
    pub fn limit(&self) -> Limit {
        Limit::of(&self.tool)
    }

    /// Returns all errors for which [`Call::run`] would fail before the tool runs.
    pub fn check(&self, cx: &Context) -> Result<(), Vec<Diagnostic>> {
        self.tool
            .accept(self.arguments.clone())
            .map_err(|error| error.diagnostics(&self.tool))?;
        let approved = approve(&*self.tool, cx);
        approved.map_err(|diagnostic| vec![*diagnostic]).map(drop)
    }

    /// Validates the arguments and runs the tool, if it is approved: returns the
    /// output, or all errors.
    pub fn run(self, cx: &Context) -> Result<ToolOutput, Vec<Diagnostic>> {
        let Self { tool, arguments } = self;
        let _step = tracing::debug_span!("call", tool = ?tool.name().as_str()).entered();
        let accepted = tool
            .accept(arguments)
            .map_err(|error| error.diagnostics(&tool))?;
        approve(tool, cx)
            .map_err(|diagnostic| vec![*diagnostic])?
            .run(accepted, cx)
            .map_err(|diagnostic| vec![*diagnostic])
    }
}

/// Returns all errors in the name of a tool that was to be called through another one.
fn target_not_found(error: FindError) -> Vec<Diagnostic> {
    let mut diagnostics = error.diagnostics();
    if let Some(first) = diagnostics.first_mut() {
        let hint = format!("{} searches all tools", Name::FIND);
        first.hints.push(hint.into());
    }
    diagnostics
}

impl Limit {
    /// The time beyond its timeout that a process may take until it is terminated.
    pub const KILL_GRACE: Duration = Duration::from_secs(5);

    /// Makes a `timeout` for a tool called `name` that starts no process.
    pub fn new(name: &str, timeout: Duration) -> Self {
        Self {
            name: name.to_owned(),
            timeout,
            process: false,
            is_shortened: false,
        }
    }

    /// The limit of `tool`.
    pub fn of(tool: &Tool) -> Self {
        Self {
            process: tool.starts_process(),
            ..Self::new(tool.name().as_str(), tool.timeout())
        }
    }

    /// Returns the same limit, or `timeout` if that is less. The caller ends a process itself then.
    #[must_use]
    pub fn within(self, timeout: Option<Duration>) -> Self {
        match timeout.filter(|timeout| *timeout < self.timeout) {
            Some(timeout) => Self {
                timeout,
                is_shortened: true,
                ..self
            },
            None => self,
        }
    }

    /// The name of the tool.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The timeout of the tool.
    pub const fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Returns true if the time that the caller has given is less than the tool has.
    pub const fn is_shortened(&self) -> bool {
        self.is_shortened
    }

    /// Returns true if the tool starts a process.
    pub const fn starts_process(&self) -> bool {
        self.process
    }

    /// Returns how long to wait for it.
    pub fn duration(&self) -> Duration {
        if self.process && !self.is_shortened {
            self.timeout.saturating_add(Self::KILL_GRACE)
        } else {
            self.timeout
        }
    }

    /// Makes the diagnostic for a call that timed out.
    pub fn diagnostic(&self) -> Diagnostic {
        let seconds = self.timeout.as_secs_f64();
        let message = format!("the tool timed out after {seconds} s");
        Diagnostic::new(Code::Timeout, message)
            .with_subject(self.name.as_str())
            .hint("send less, or give the tool more time with `timeout`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;

    #[test]
    fn processes_have_time_to_end() {
        let check = |rest: &str, seconds: u64| {
            let text = format!("name: t\ndescription: d\n{rest}\n");
            let text = Text::new("t.yaml", text.into_bytes()).expect("it is text");
            let limit = Limit::of(&Tool::parse(text).expect("it is a tool"));
            assert_eq!(limit.duration(), Duration::from_secs(seconds), "{rest}");
        };
        check("implementation: x", 60);
        check("implementation: {exec: [x]}", 65);
        check("implementation: {js: x}", 65);
        check("timeout: 300\nimplementation: x", 300);
        check("timeout: 300\nimplementation: {exec: [x]}", 305);
    }
}
