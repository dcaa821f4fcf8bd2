//! `cargo xtask`: the development tasks of this repository, also used by CI.
//!
//! The package depends on none of the others, so that it builds in seconds; what
//! it needs from them it runs through cargo.

mod bench;
mod bless;
mod cargo;
mod command;
mod deny;
mod dist;
mod editors;
mod files;
mod fuzz;
mod install;
mod manual;
mod needs;
mod process;
mod programs;
mod prose;
mod restate;
mod rings;
mod say;
mod soak;
mod steps;
mod test;
mod weight;

fn main() -> std::process::ExitCode {
    say::end(command::run())
}
