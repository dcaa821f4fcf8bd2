//! `COGTOOLS_LOG=debug`: a line on standard error for each step of a run, with its time.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::dirs;
use crate::io::Io;
use crate::terminal::sanitize;

/// The variable that asks for the log.
const VARIABLE: &str = "COGTOOLS_LOG";

/// The steps that have begun.
struct Log {
    program: &'static str,
    last: AtomicU64,
    open: Mutex<HashMap<u64, Step>>,
}

/// A step of a run.
struct Step {
    text: String,
    began: Instant,
}

/// Begins the log of `program`, if the user asks for it: an `.env` of a project cannot.
pub(super) fn begin(program: &'static str, io: &Io<'_>) {
    if dirs::trusted_var(io, VARIABLE).is_some_and(|level| level == "debug") {
        // Another one has begun already in this process.
        let _ = tracing::subscriber::set_global_default(Log {
            program,
            last: AtomicU64::new(0),
            open: Mutex::default(),
        });
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target().starts_with("cogtools")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = 1 + self.last.fetch_add(1, Ordering::Relaxed);
        let mut text = span.metadata().name().to_owned();
        span.record(&mut Fields(&mut text));
        let began = Instant::now();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.insert(id, Step { text, began });
        Id::from_u64(id)
    }

    fn try_close(&self, id: Id) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Step { text, began }) = open.remove(&id.into_u64()) else {
            return false;
        };
        let (program, time) = (self.program, began.elapsed().as_secs_f64() * 1_000.0);
        let line = format!("{program}: {time:9.3} ms  {}\n", sanitize(&text));
        // It could not be reported anywhere.
        let _ = super::Stderr.write_all(line.as_bytes());
        true
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Adds the fields of a span to its name.
struct Fields<'t>(&'t mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, _: &Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, " {value:?}");
    }
}
