//! What a process gives up by itself, before it does something that may be hostile: files and
//! signals (Landlock), system calls and sockets (seccomp), resources (setrlimit), root's privileges
//! (capabilities).
//!
//! Two programs do that: `cogtools-js`, which keeps nothing, and `cogtools-confine`, which keeps
//! what a tool declares. Everything here holds for the calling thread and what it starts.

#[cfg(target_os = "linux")]
pub mod files;
#[cfg(unix)]
pub mod limits;
#[cfg(target_os = "linux")]
pub mod privileges;
#[cfg(target_os = "linux")]
pub mod sockets;
#[cfg(target_os = "linux")]
pub mod system_calls;
