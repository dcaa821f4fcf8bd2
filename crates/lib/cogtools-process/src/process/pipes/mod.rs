//! The pipes of a program that runs, served so that none blocks because another one is full.

#[cfg(unix)]
mod poll;
#[cfg(not(unix))]
mod threads;

#[cfg(unix)]
pub(super) use poll::Pipes;
#[cfg(not(unix))]
pub(super) use threads::Pipes;

/// An event in a program's life.
#[derive(Debug)]
pub(super) enum Event {
    /// It printed something.
    Data(Stream, Vec<u8>),
    /// It and everything that it started closed one of its outputs.
    Closed,
    /// It exited.
    Ended,
}

/// One of its outputs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stream {
    Out,
    Err,
}

/// Number of bytes that are read at a time.
const CHUNK_BYTES: usize = 16 << 10;
