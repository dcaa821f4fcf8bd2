//! Consecutive steps with their durations: one line after each step, and a table at
//! the end.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::say;

/// The duration from which a step is marked as slow in the table.
const SLOW: Duration = Duration::from_mins(1);

/// The steps so far.
pub(crate) struct Steps {
    begin: Instant,
    done: Vec<(String, Duration)>,
}

impl Steps {
    /// Starts the clock.
    pub(crate) fn begin() -> Self {
        Self {
            begin: Instant::now(),
            done: Vec::new(),
        }
    }

    /// Runs a step.
    pub(crate) fn step(&mut self, name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        say::line(&format!("== {name}"));
        let begin = Instant::now();
        let result = work();
        let took = begin.elapsed();
        self.done.push((name.to_owned(), took));
        result.with_context(|| format!("the step `{name}` failed after {took:.1?}"))?;
        say::line(&format!("== {name}: done in {took:.1?}"));
        Ok(())
    }

    /// Prints the duration of each step and of all.
    pub(crate) fn summary(&self) -> String {
        let mut table = "== seconds a step\n".to_owned();
        for (name, took) in &self.done {
            let mark = if *took >= SLOW { "  slow" } else { "" };
            let _ = writeln!(table, "{:>8.1}  {name}{mark}", took.as_secs_f64());
        }
        let all = self.begin.elapsed().as_secs_f64();
        let _ = write!(table, "{all:>8.1}  in all");
        table
    }
}
