//! The timeout of a call.

use std::time::Duration;

use crate::{Code, Diagnostic, Tool};

/// The timeout of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    name: String,
    timeout: Duration,
    /// Whether it starts a process. Such a tool enforces the timeout itself, and reports
    /// how the process ended.
    process: bool,
    /// Whether the caller has given it less time than the tool has.
    is_shortened: bool,
}

impl Limit {
    /// How much longer than its timeout a process may take until it is terminated.
    pub const KILL_GRACE: Duration = Duration::from_secs(5);

    /// A `timeout` for a tool called `name` that starts no process.
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

    /// The same limit, or `timeout` if that is less. The caller ends a process itself then.
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

    /// Whether the time that the caller has given is less than the tool has.
    pub const fn is_shortened(&self) -> bool {
        self.is_shortened
    }

    /// Whether the tool starts a process.
    pub const fn starts_process(&self) -> bool {
        self.process
    }

    /// How long to wait for it.
    pub fn duration(&self) -> Duration {
        if self.process && !self.is_shortened {
            self.timeout.saturating_add(Self::KILL_GRACE)
        } else {
            self.timeout
        }
    }

    /// The diagnostic for a call that timed out.
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
