//! The binary of `cogtools`, and of every program that is a link to it.

/// The memory of all threads in one place. That of glibc has a pool for each of up to 16 threads, and
/// a server keeps in each of them what its largest call has taken.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[global_allocator]
static MEMORY: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> std::process::ExitCode {
    cogtools_program::main_of(&cogtools::PROGRAMS, Some(cogtools::http::requests()))
}
