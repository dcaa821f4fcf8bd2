//! The binary of `cogtools`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools::PROGRAM)
}
