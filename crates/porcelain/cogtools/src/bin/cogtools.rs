//! The binary of `cogtools`, and of every program that is a link to it.

fn main() -> std::process::ExitCode {
    cogtools_program::main_of(&cogtools::PROGRAMS, Some(cogtools::http::services()))
}
