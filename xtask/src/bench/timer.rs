//! Measures whole processes, two kinds of them alternately.

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// A process as a host would start it.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) program: PathBuf,
    pub(super) args: Vec<OsString>,
    pub(super) cwd: PathBuf,
    /// The file on standard input, if there is one.
    pub(super) stdin: Option<PathBuf>,
    /// Variables that differ from ours.
    pub(super) env: Vec<(&'static str, PathBuf)>,
}

impl Case {
    /// `program` with `args`, started in `cwd`.
    pub(super) fn new(program: impl Into<PathBuf>, args: &[&str], cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: args.iter().map(Into::into).collect(),
            cwd: cwd.into(),
            stdin: None,
            env: Vec::new(),
        }
    }

    /// Adds `file` on standard input.
    pub(super) fn stdin(mut self, file: impl Into<PathBuf>) -> Self {
        self.stdin = Some(file.into());
        self
    }

    /// Adds a variable.
    pub(super) fn env(mut self, name: &'static str, value: impl Into<PathBuf>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// One run, from before the start to after the end.
    pub(super) fn time(&self) -> Result<Duration> {
        let stdin = match &self.stdin {
            Some(file) => File::open(file)
                .with_context(|| format!("cannot open {}", file.display()))?
                .into(),
            None => Stdio::null(),
        };
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(&self.cwd);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
            .stdin(stdin)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let begin = Instant::now();
        let status = command.status();
        let time = begin.elapsed();
        let shown = self.program.display();
        let status = status.with_context(|| format!("cannot start {shown}"))?;
        if !status.success() {
            bail!("{shown} failed in {}: {status}", self.cwd.display());
        }
        Ok(time)
    }
}

/// The medians of `rounds` runs of `a` and `b`, run alternately, so that other load
/// on the machine affects both equally.
pub(super) fn compare(a: &Case, b: &Case, rounds: usize) -> Result<(Duration, Duration)> {
    let (mut times_a, mut times_b) = (Vec::new(), Vec::new());
    // The first runs warm the system's caches.
    for _ in 0..2 {
        a.time()?;
        b.time()?;
    }
    for _ in 0..rounds {
        times_a.push(a.time()?);
        times_b.push(b.time()?);
    }
    Ok((median(times_a), median(times_b)))
}

/// The median.
pub(super) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
