//! The server, only for this machine.
