//! The binary of `cogtools-restate`.

fn main() -> std::process::ExitCode {
    cogtools_program::main(&cogtools_restate::PROGRAM)
}
