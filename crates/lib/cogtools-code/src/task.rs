//! Code in tool files that calls tools: the program that it is, and its value.

use cogtools_agent::{Observer, Silent};
use cogtools_core::tool::CodeTask;
use serde_json::Value;

use crate::{Explanation, Lines, Program, Report, Scope};

impl Program {
    /// The program of a tool or a node.
    pub fn of_task(task: CodeTask) -> Self {
        Self {
            timeout: task.timeout,
            ..Self::new(task.code, task.args)
        }
    }

    /// Runs the program of a tool or a node, unless its calls do not fit the types of the tools. Nobody
    /// is asked: a call that needs a yes is denied.
    pub fn run_unasked(self, scope: &Scope, session: Option<&mut dyn Lines>) -> Report {
        self.run_checked(scope, session, &mut Silent)
    }

    /// Runs the program as [`Self::run_unasked`] does, with questions to `observer`.
    pub fn run_checked(
        mut self,
        scope: &Scope,
        session: Option<&mut dyn Lines>,
        observer: &mut dyn Observer,
    ) -> Report {
        scope.start_worker();
        let explanation = Explanation::of(&self.code, scope);
        if !explanation.mistakes.is_empty() {
            return Report::of_mistakes(&self.name, explanation.mistakes);
        }
        self.explanation = Some(explanation);
        self.run(scope, session, observer)
    }
}

impl Report {
    /// The value of a tool or a node, and its log: what the code returned, and the lines that it
    /// printed. If it returned nothing, the value is the text that it printed, or null.
    pub fn value_and_log(&self) -> (Value, Vec<String>) {
        match (&self.result, self.output.split_last()) {
            // A value that is returned is printed last.
            (Some(value), Some((_, printed))) => (value.clone(), printed.to_vec()),
            (_, None) => (Value::Null, Vec::new()),
            _ => (self.text().into(), Vec::new()),
        }
    }
}
